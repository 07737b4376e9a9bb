/** The whole widget, from the state of its run: which panels there are, in which order, and what each is given. */

import { html, nothing } from "lit";
import { SPEEDS } from "./player.js";
import { sharedStyles } from "./styles.js";
import { distribution, distributionStyles } from "./views/distribution.js";
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
  return html`<div class="frame" @keydown=${quiet} @keyup=${quiet} @keypress=${quiet}><div class="widget">
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
  </div></div>`;
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
 * @param {import("./run.js").Run} run
 * @param {Screen} screen
 * @param {Actions} actions
 * @param {(panel: string) => boolean} shown
 */
function panels({ loop }, { allCandidates }, { toggleCandidates }, shown) {
  const { log, config } = loop;
  const list = [];
  if (shown("log")) list.push(stepLog({ log }));
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
 * What stands where there is no run: the page's own content, and what went wrong.
 * @param {{ error: string | null, onReload: () => void }} state
 */
export function waiting({ error, onReload }) {
  if (error === null) return html`<slot><p class="note">Loading the model…</p></slot>`;
  return html`<slot></slot>
    <p class="error">${error}</p>
    <button type="button" @click=${onReload}>Load the model again</button>`;
}

/** The style sheets of everything above. */
export const widgetStyles = [
  sharedStyles,
  promptFieldStyles,
  settingsPanelStyles,
  tokenStripStyles,
  transportStyles,
  outcomeStyles,
  stepLogStyles,
  distributionStyles,
];
