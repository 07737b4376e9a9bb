/** The whole widget, from the state of its run: which panels there are, in which order, and what each is given. */

import { html, nothing } from "lit";
import { clockStep } from "./clock.js";
import { bytesReadOf } from "./flops.js";
import { SPEEDS } from "./player.js";
import { sharedStyles } from "./styles.js";
import { both, bothStyles } from "./views/both.js";
import { cache, cacheStyles } from "./views/cache.js";
import { cost, costStyles } from "./views/cost.js";
import { distribution, distributionStyles } from "./views/distribution.js";
import { modelPanel, modelPanelStyles, progress } from "./views/model-panel.js";
import { operations, operationsStyles } from "./views/operations.js";
import { outcome, outcomeStyles } from "./views/outcome.js";
import { predict, predictStyles } from "./views/predict.js";
import { promptField, promptFieldStyles } from "./views/prompt-field.js";
import { settingsPanel, settingsPanelStyles } from "./views/settings-panel.js";
import { share, shareStyles } from "./views/share.js";
import { stepLog, stepLogStyles } from "./views/step-log.js";
import { timeline, timelineStyles } from "./views/timeline.js";
import { tokenStrip, tokenStripStyles } from "./views/token-strip.js";
import { transport, transportStyles } from "./views/transport.js";

/**
 * What the reader has opened, chosen and points at.
 * @typedef {object} Look
 * @property {boolean} allCandidates
 * @property {number | null} opened the pass whose operations are open in the log
 * @property {boolean} costAsTable
 * @property {number | null} pointed place of the token that the reader points at
 * @property {number} layer whose attention is shown, where not all have room
 */

/**
 * What belongs to the screen and not to the run.
 * @typedef {Look & OnScreen} Screen
 */

/**
 * @typedef {object} OnScreen
 * @property {import("./words.js").Words} words
 * @property {readonly string[]} hide panels to leave out
 * @property {string} promptText as typed
 * @property {boolean} running
 * @property {string} speed
 * @property {string | null} error
 * @property {Readonly<Record<string, { text: string, message: string }>>} fieldErrors what was typed and refused
 * @property {string} model what the one in use is called
 * @property {string} wanted the one that was asked for
 * @property {{ name: string, progress: import("./checkpoint.js").Progress | null } | null} loading the load under way
 * @property {boolean} holdsUp whether passes hold up the page
 * @property {{ model: string, log: readonly import("./pass.js").Pass[] } | null} other the last run of another model
 * @property {import("./predictions.js").Predictions | null} predictions where the reader is asked for them
 * @property {import("./sharing.js").Granted | null} granted what became of the last wish to take something away
 * @property {boolean} opensLinks whether links to runs of this page are shown in this widget
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
 * @property {(pass: number) => void} openOperations or closes them
 * @property {() => void} toggleCostTable
 * @property {(place: number | null) => void} point
 * @property {(layer: number) => void} setLayer
 * @property {(at: number) => void} goTo
 * @property {() => void} recall
 * @property {() => void} compare
 * @property {(name: "token" | "flops", text: string) => void} guess
 * @property {(wish: import("./sharing.js").Wish) => void} share
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
  const { words } = screen;
  const { config, passes } = loop;
  const moment = run.shown;
  const { stop, tokens } = moment;
  const { cells } = run;
  const shown = (/** @type {string} */ panel) => !screen.hide.includes(panel);
  const content = html`<div class="widget">
    ${promptField({
      words,
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
            words,
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
            words,
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
      words,
      ...cells,
      room: run.limit - Math.max(tokens, prompt.tokens.length),
      legend: shown("legend"),
      pointed: screen.pointed,
      onPoint: actions.point,
    })}
    ${
      screen.predictions === null
        ? nothing
        : predict({
            words,
            guesses: screen.predictions.guesses,
            last: screen.predictions.last,
            score: screen.predictions.score,
            possible: run.possible && run.next !== "restart",
            error: screen.predictions.error,
            onGuess: actions.guess,
            onEnter: actions.primary,
          })
    }
    ${transport({
      words,
      next: run.next,
      tokens: prompt.tokens.length,
      possible: run.possible,
      passes: run.at,
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
    ${
      shown("timeline")
        ? timeline({
            words,
            at: run.at,
            passes,
            previous: run.previous?.text ?? null,
            onGo: actions.goTo,
            onRecall: actions.recall,
          })
        : nothing
    }
    ${outcome({ words, stop, passes: run.at, tokens, error: screen.error })}
    ${panels(run, moment, cells, screen, actions, shown)}
    ${
      shown("share")
        ? share({
            words,
            opens: screen.opensLinks,
            possible: run.at > 0,
            last: screen.granted,
            onShare: actions.share,
          })
        : nothing
    }
  </div>`;
  return frame(content, words, actions, shown("model"), (delta) => actions.goTo(run.at + delta));
}

/**
 * What is around everything: keys typed inside stay inside, arrows go back and forth, and files can be dropped.
 * @param {unknown} content
 * @param {import("./words.js").Words} words
 * @param {Actions} actions
 * @param {boolean} takesFiles
 * @param {(delta: number) => void} [travel]
 */
function frame(content, words, { openFiles }, takesFiles, travel) {
  const drop = (/** @type {DragEvent} */ event) => {
    const files = dragged(event);
    if (files.length > 0) openFiles(files);
  };
  return html`<div
    class="frame"
    lang=${words.locale}
    @keydown=${(/** @type {KeyboardEvent} */ event) => {
      quiet(event);
      if (travel) arrows(event, travel);
    }}
    @keyup=${quiet} @keypress=${quiet}
    @dragover=${takesFiles ? dragged : nothing} @dragleave=${takesFiles ? dragged : nothing}
    @drop=${takesFiles ? drop : nothing}
  >${content}</div>`;
}

/**
 * A character typed into a field is nobody else's: a host page may have shortcuts on single keys. Its others still work.
 * @param {KeyboardEvent} event
 */
function quiet(event) {
  // AltGr is reported as Control and Alt, and makes characters.
  const isShortcut = event.metaKey || event.ctrlKey || event.altKey;
  const isCharacter = event.key.length === 1 && (!isShortcut || event.getModifierState("AltGraph"));
  const inField =
    event.target instanceof Element && event.target.matches('textarea, select, input[type="text"]');
  if (isCharacter && inField) event.stopPropagation();
}

/**
 * Left and right go to the moment before and after, where they have no other meaning: in fields and choices, and in panes that
 * they scroll.
 * @param {KeyboardEvent} event
 * @param {(delta: number) => void} travel
 */
function arrows(event, travel) {
  const delta = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const { target } = event;
  if (delta === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (!(target instanceof Element) || /^(?:textarea|select|input)$/.test(target.localName)) return;
  if (target.scrollWidth > target.clientWidth) return;
  event.preventDefault();
  travel(delta);
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
 * @param {import("./run.js").Run["shown"]} moment
 * @param {import("./run.js").Run["cells"]} cells
 * @param {Screen} screen
 * @param {Actions} actions
 * @param {(panel: string) => boolean} shown
 */
function panels(run, moment, cells, screen, actions, shown) {
  const { loop } = run;
  const { words, pointed } = screen;
  const { config } = loop;
  const { log } = moment;
  const inPrompt = moment.tokens - log.length;
  // Whoever points at a token sees why it came.
  const why = pointed === null ? undefined : log[pointed - inPrompt];
  const list = [];
  if (shown("log")) {
    const { other } = screen;
    const detail = (/** @type {import("./pass.js").Pass} */ pass) => operations({ words, pass, config });
    list.push(stepLog({ words, log, other, opened: screen.opened, detail, onOpen: actions.openOperations }));
  }
  if (shown("distribution")) {
    list.push(
      distribution({
        words,
        pass: why ?? moment.pass,
        made: run.settingsOf(why ?? moment.pass)?.sampling,
        now: loop.sampling,
        vocabSize: config.vocab_size,
        all: screen.allCandidates,
        onToggleAll: actions.toggleCandidates,
      }),
    );
  }
  if (shown("cost")) {
    const charts = cost({
      words,
      log,
      config,
      reads: bytesReadOf(config, moment.pass?.contextLength ?? 0),
      total: run.mostPasses,
      asTable: screen.costAsTable,
      onToggleTable: actions.toggleCostTable,
      resolution: moment.pass === undefined ? null : clockStep(),
    });
    const { comparison: result, canCompare: possible } = run;
    list.push(html`<div>${charts} ${both({ words, result, possible, onRun: actions.compare })}</div>`);
  }
  if (shown("cache")) {
    list.push(
      cache({
        words,
        config,
        // The newest token has not been through the model yet.
        cells: [...cells.prompt, ...cells.generated]
          .slice(0, moment.pass?.contextLength ?? 0)
          .map(({ text }, place) => ({ text, kind: place < inPrompt ? "prompt" : "generated" })),
        pass: moment.pass,
        attention: moment.attention,
        cacheOn: run.settingsOf(moment.pass)?.cache ?? loop.cache,
        capacity: run.limit - 1,
        pointed,
        onPoint: actions.point,
        layer: screen.layer,
        onLayer: actions.setLayer,
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
export function waiting({ words, error, loading, wanted, hide }, actions, onReload) {
  if (error === null) {
    const content = html`<slot><p class="note">${words.waiting.loading}</p></slot>
      ${loading?.progress ? progress(loading, words, actions.cancelLoading) : nothing}`;
    return frame(content, words, actions, false);
  }
  const content = html`<slot></slot>
    <p class="error" lang=${words.errors ?? nothing}>${error}</p>
    <button type="button" @click=${onReload}>${words.waiting.again}</button>
    ${
      wanted === "trained"
        ? nothing
        : html`<button type="button" @click=${() => actions.change("model", "trained")}>
            ${words.waiting.trained}
          </button>`
    }`;
  return frame(content, words, actions, !hide.includes("model"));
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
  predictStyles,
  shareStyles,
  stepLogStyles,
  distributionStyles,
  timelineStyles,
  operationsStyles,
  costStyles,
  bothStyles,
  cacheStyles,
];
