/** The whole widget, from the state of its run: which panels there are, in which order, and what each is given. */

import { html, nothing } from "lit";
import { SPEEDS } from "./player.js";
import { sharedStyles } from "./styles.js";
import { distribution, distributionStyles } from "./views/distribution.js";
import { modelPanel, modelPanelStyles, progress } from "./views/model-panel.js";
import { outcome, outcomeStyles } from "./views/outcome.js";
import { promptField, promptFieldStyles } from "./views/prompt-field.js";
import { settingsPanel, settingsPanelStyles } from "./views/settings-panel.js";
import { stepLog, stepLogStyles } from "./views/step-log.js";
import { tokenStrip, tokenStripStyles } from "./views/token-strip.js";
import { transport, transportStyles } from "./views/transport.js";

/**
 * What belongs to the screen and not to the run.
 * @typedef {object} Screen
 * @property {readonly string[]} hide panels to leave out
 * @property {string} promptText as typed
 * @property {boolean} running
 * @property {string} speed
 * @property {boolean} allCandidates
 * @property {string | null} error
 * @property {Readonly<Record<string, { text: string, message: string }>>} fieldErrors what was typed and refused
 * @property {string} model what the one in use is called
 * @property {string} wanted what the one that was asked for is called
 * @property {{ name: string, progress: import("./checkpoint.js").Progress | null } | null} loading the load under way
 * @property {boolean} holdsUp whether passes hold up the page
 * @property {{ model: string, log: readonly import("./pass.js").Pass[] } | null} other the last run of another model
 */

/**
 * What the reader can do.
 * @typedef {object} Actions
 * @property {(name: string, value: unknown) => void} change
 * @property {() => void} primary the next step
 * @property {() => void} run
 * @property {() => void} pause
 * @property {() => void} back
 * @property {() => void} reset
 * @property {(speed: string) => void} setSpeed
 * @property {() => void} toggleCandidates
 * @property {(files: File[]) => void} openFiles
 * @property {() => void} cancelLoading
 */

/**
 * @param {import("./run.js").Run} run
 * @param {Screen} screen
 * @param {Actions} actions
 */
export function widget(run, screen, actions) {
  const { loop, prompt } = run;
  const { stop, passes, config, tokens } = loop;
  const shown = (/** @type {string} */ panel) => !screen.hide.includes(panel);
  const content = html`<div class="widget">
    ${promptField({
      prompt: screen.promptText,
      tokens: prompt.tokens.length,
      most: run.limit - 1,
      error: prompt.error,
      note: prompt.note,
      onInput: (text) => actions.change("prompt", text),
      onEnter: actions.primary,
    })}
    ${
      shown("model")
        ? modelPanel({
            model: screen.model,
            config,
            parameters: loop.parameters,
            holdsUp: screen.holdsUp,
            loading: screen.loading,
            onModel: (name) => actions.change("model", name),
            onFiles: actions.openFiles,
            onCancel: actions.cancelLoading,
          })
        : nothing
    }
    ${
      shown("settings")
        ? settingsPanel({
            ...loop.sampling,
            seed: loop.seed,
            stop: loop.stopStrings,
            maxTokens: loop.maxTokens,
            cache: loop.cache,
            vocabSize: config.vocab_size,
            context: config.n_positions,
            errors: screen.fieldErrors,
            onChange: actions.change,
            onNewSeed: () => actions.change("seed", null),
          })
        : nothing
    }
    ${tokenStrip({
      ...run.cells,
      room: run.limit - Math.max(tokens.length, prompt.tokens.length),
      legend: shown("legend"),
    })}
    ${transport({
      next: run.next,
      tokens: prompt.tokens.length,
      possible: run.possible,
      passes,
      most: run.mostPasses,
      running: screen.running,
      busy: run.busy,
      speed: screen.speed,
      speeds: SPEEDS,
      onPrimary: actions.primary,
      onRun: actions.run,
      onPause: actions.pause,
      onBack: actions.back,
      onReset: actions.reset,
      onSpeed: actions.setSpeed,
    })}
    ${outcome({ stop, passes, tokens: tokens.length, error: screen.error })}
    ${panels(run, screen, actions, shown)}
  </div>`;
  return frame(content, actions, shown("model"));
}

/**
 * What is around everything: keys typed inside stay inside, and files can be dropped.
 * @param {unknown} content
 * @param {Actions} actions
 * @param {boolean} takesFiles
 */
function frame(content, { openFiles }, takesFiles) {
  const drop = (/** @type {DragEvent} */ event) => {
    const files = dragged(event);
    if (files.length > 0) openFiles(files);
  };
  return html`<div
    class="frame"
    @keydown=${quiet} @keyup=${quiet} @keypress=${quiet}
    @dragover=${takesFiles ? dragged : nothing} @dragleave=${takesFiles ? dragged : nothing}
    @drop=${takesFiles ? drop : nothing}
  >${content}</div>`;
}

/**
 * A character typed into a field is nobody else's: a host page may have shortcuts on single keys. Its others still work.
 * @param {KeyboardEvent} event
 */
function quiet(event) {
  const isCharacter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
  const inField =
    event.target instanceof Element && event.target.matches('textarea, select, input[type="text"]');
  if (isCharacter && inField) event.stopPropagation();
}

/**
 * Files that are dragged over the widget: it says that they can be dropped here. Anything else is none of its business.
 * @param {DragEvent} event
 */
function dragged(event) {
  const frame = /** @type {Element} */ (event.currentTarget);
  if (!event.dataTransfer?.types.includes("Files")) return [];
  frame.classList.toggle("dropping", event.type === "dragover");
  // The browser would open them instead of this page.
  if (event.type !== "dragleave") event.preventDefault();
  return [...event.dataTransfer.files];
}

/**
 * @param {import("./run.js").Run} run
 * @param {Screen} screen
 * @param {Actions} actions
 * @param {(panel: string) => boolean} shown
 */
function panels({ loop }, { allCandidates, other }, { toggleCandidates }, shown) {
  const { log, config } = loop;
  const list = [];
  if (shown("log")) list.push(stepLog({ log, other }));
  if (shown("distribution")) {
    list.push(
      distribution({
        pass: log.at(-1),
        vocabSize: config.vocab_size,
        all: allCandidates,
        onToggleAll: toggleCandidates,
      }),
    );
  }
  return list.length === 0
    ? nothing
    : html`<div class=${`panels${list.length > 1 ? " two" : ""}`}>${list}</div>`;
}

/**
 * What stands where there is no run: the page's own content, and how the load goes or what went wrong.
 * @param {Screen} screen
 * @param {Actions} actions
 * @param {() => void} onReload
 */
export function waiting({ error, loading, wanted, hide }, actions, onReload) {
  if (error === null) {
    return html`<slot><p class="note">Loading the model…</p></slot>
      ${loading?.progress ? progress(loading, actions.cancelLoading) : nothing}`;
  }
  const content = html`<slot></slot>
    <p class="error">${error}</p>
    <button type="button" @click=${onReload}>Load the model again</button>
    ${
      wanted === "trained"
        ? nothing
        : html`<button type="button" @click=${() => actions.change("model", "trained")}>
            Use the trained model
          </button>`
    }`;
  return frame(content, actions, !hide.includes("model"));
}

/** The style sheets of everything above. */
export const widgetStyles = [
  sharedStyles,
  promptFieldStyles,
  modelPanelStyles,
  settingsPanelStyles,
  tokenStripStyles,
  transportStyles,
  outcomeStyles,
  stepLogStyles,
  distributionStyles,
];
