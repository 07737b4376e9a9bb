/** `<generation-loop>`: a thin element over the engine, the player and the views. */

import { html, LitElement } from "lit";
import { GenerationError, isTrap } from "./errors.js";
import { passesInWords, passInWords, stopInWords } from "./format.js";
import { waiting, widget, widgetStyles } from "./layout.js";
import { Loading } from "./loading.js";
import { Player } from "./player.js";
import { Run } from "./run.js";
import { ELEMENT_SETTINGS, OF_THE_LOOP, OF_THE_RUN } from "./settings.js";
import { defineSettings, settingProperties, Values } from "./values.js";

/**
 * A language model that writes, one token per forward pass.
 *
 * Every attribute is a property too. A value without a meaning falls back to the default, with one warning on the console.
 *
 * @attr {string} prompt - text to begin with; "the cat sat" by default
 * @attr {string} model - "untrained"
 * @attr {string} sampling - "greedy" (the default), "temperature", "top-k" or "top-p"
 * @attr {number} temperature - at least 0; 1 by default; 0 means greedy
 * @attr {number} top-k - a whole number; 8 by default; 0 keeps all
 * @attr {number} top-p - 0 to 1; 0.9 by default
 * @attr {number} seed - 0 to 9007199254740991; picked by the browser if absent
 * @attr {string} stop - strings that end the run, `|` between two, `\n` for a newline; "." by default, "" for none
 * @attr {string} max-tokens - prompt and generated tokens together, or "none"; 32 by default
 * @attr {boolean} cache - "off" recomputes everything in each pass; on by default
 * @attr {string} hide - panels to leave out: settings, legend, log, distribution
 * @attr {boolean} autoplay - begins to run by itself
 *
 * @fires generation-pass - after each pass; detail: the pass
 * @fires generation-stop - when a run ends; detail: the stop
 * @fires generation-error - when something was refused or failed; detail: the error
 *
 * @slot - shown until the element is ready, and if it fails
 * @csspart prompt - the prompt field
 * @csspart settings - what is chosen for a run
 * @csspart strip - the tokens
 * @csspart legend - what the colours mean
 * @csspart controls - the buttons
 * @csspart primary - the loud one
 * @csspart outcome - how the run ended
 * @csspart log - the step log
 * @csspart distribution - the next-token distribution
 */
export class GenerationLoopElement extends LitElement {
  static properties = settingProperties;

  static styles = widgetStyles;

  static {
    defineSettings(
      GenerationLoopElement.prototype,
      (element, name) => element.#value(name),
      (element, name, value) => element.#assign(name, value),
    );
  }

  #values = new Values();
  /** @type {Run | null} */
  #run = null;
  /** @type {Loading<GenerationLoopElement>} */
  #loading = new Loading();
  #player = new Player(
    () => this.#turn(),
    () => this.requestUpdate(),
  );
  /** @type {Run["moment"] | null} */
  #moment = null;
  #resume = false;
  #played = false;
  #allCandidates = false;
  /** What was typed into a field and refused. @type {Record<string, { text: string, message: string }>} */
  #fieldErrors = {};
  /** @type {string | null} */
  #error = null;
  #announcement = "";
  #passesShown = 0;

  /** @type {import("./layout.js").Actions} */
  #actions = {
    change: (name, value) => this.#change(name, value),
    primary: () => this.#try(() => this.#primary()),
    run: () => this.#try(() => this.run()),
    pause: () => this.pause(),
    back: () => this.#try(() => this.back()),
    reset: () => this.#try(() => this.reset()),
    setSpeed: (speed) => {
      this.#player.speed = speed;
      this.requestUpdate();
    },
    toggleCandidates: () => {
      this.#allCandidates = !this.#allCandidates;
      this.requestUpdate();
    },
  };

  /** Resolves with the element once its model is loaded; rejects if that fails. */
  get ready() {
    return this.#loading.ready;
  }

  connectedCallback() {
    super.connectedCallback();
    if (this.#run === null) this.#load();
    else if (this.#resume) {
      this.#resume = false;
      this.#player.run();
    }
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    // Not cleared here: it may have gone before, and come back for too short a time to load.
    if (this.#player.running) this.#resume = true;
    this.#player.pause();
    // An element that is only moved is back by the end of this task; one that is gone frees its memory now.
    queueMicrotask(() => {
      if (!this.isConnected) this.#unload();
    });
  }

  #unload() {
    this.#loading.abandon(this.#run !== null);
    if (this.#run === null) return;
    const run = this.#run;
    this.#run = null;
    this.#moment = run.moment;
    run.loop.dispose();
  }

  #load() {
    this.#loading.load(
      { model: this.#values.get("model"), stop: [] },
      (loop, resolve) => this.#begin(new Run(loop), resolve),
      (error) => this.#report(error),
    );
  }

  /**
   * @param {Run} run
   * @param {(element: this) => void} resolve
   */
  #begin(run, resolve) {
    this.#run = run;
    this.#error = null;
    for (const name of OF_THE_LOOP) this.#apply(name);
    if (this.#moment !== null) {
      run.set("seed", this.#moment.seed);
      run.replay(this.#moment);
      this.#moment = null;
    }
    this.requestUpdate();
    this.updateComplete.then(() => resolve(this));
    if ((this.#values.get("autoplay") && !this.#played) || this.#resume) this.#player.run();
    this.#played = true;
    this.#resume = false;
  }

  /** @param {string} name */
  #value(name) {
    // The seed in use, also where the system picked it.
    return name === "seed" && this.#run !== null ? this.#run.loop.seed : this.#values.get(name);
  }

  /**
   * A setting from the page: attribute or property.
   * @param {string} name
   * @param {unknown} value
   */
  #assign(name, value) {
    const old = this.#values.get(name);
    this.#values.setFromPage(name, value);
    delete this.#fieldErrors[name];
    // What was kept of a run that went away with the element belongs to the settings that it had.
    const changed = old !== this.#values.get(name);
    if (this.#run === null && changed && OF_THE_RUN.includes(name)) this.#moment = null;
    if (name === "model" && changed && this.isConnected) this.#reload();
    else this.#apply(name);
    this.requestUpdate(name, old);
  }

  #reload() {
    this.#player.pause();
    this.#unload();
    // From the prompt again, but with the seed that the reader saw.
    if (this.#moment !== null) this.#moment = { ...this.#moment, passes: [] };
    this.#error = null;
    this.requestUpdate();
    this.#load();
  }

  /** @param {string} name */
  #apply(name) {
    if (this.#run === null || !OF_THE_LOOP.includes(name)) return;
    const value = this.#values.get(name);
    try {
      this.#run.set(name, value);
    } catch (error) {
      if (isTrap(error)) return this.#report(error);
      // Nobody is warned of a default, which nobody wrote.
      if (value !== ELEMENT_SETTINGS[name].fallback) this.#values.fallBack(name, error);
      // Every default suits every model but one: where the context is shorter than the limit, it is the limit.
      const fallback = this.#values.get(name);
      const { n_positions } = this.#run.loop.config;
      this.#run.set(name, name === "maxTokens" ? Math.min(fallback, n_positions) : fallback);
    }
  }

  /**
   * A setting from the reader: what is refused is said beside the field, and nothing changes.
   * @param {string} name
   * @param {unknown} value
   */
  #change(name, value) {
    // A run goes on with another method, but not with another prompt.
    if (OF_THE_RUN.includes(name)) this.#player.pause();
    const before = this.#run?.prompt.error;
    try {
      this.#values.setFromReader(name, value, (strict) => this.#run?.set(name, strict));
      delete this.#fieldErrors[name];
      this.#error = null;
      // The fields of another method are gone, and what was wrong in them with them.
      if (name === "sampling") this.#fieldErrors = {};
      const after = this.#run?.prompt.error;
      if (before !== after) this.#announcement = after ?? "The prompt can be processed.";
    } catch (error) {
      this.#fieldErrors[name] = { text: String(value), message: /** @type {Error} */ (error).message };
      this.#report(error, false);
    }
    this.requestUpdate();
  }

  #loaded() {
    if (this.#run !== null) return this.#run;
    throw new GenerationError("not-ready", "the element is not ready; wait for its `ready` promise");
  }

  /** Pass 1 of a new run: the whole prompt at once. */
  prefill() {
    this.#guard(() => {
      this.#player.pause();
      this.#loaded().reset();
      this.#pass(true);
    });
  }

  /** The next pass: a prefill, or a decode. */
  step() {
    this.#guard(() => this.#pass(true));
  }

  /** Passes one after the other until the run stops; from the beginning if it had. */
  run() {
    this.#guard(() => {
      const run = this.#loaded();
      if (run.next === "restart") run.reset();
      // A prompt that cannot be processed is refused here and now, and not in a turn of the player's.
      if (!run.possible) run.step();
      this.#announcement = "Running.";
      this.#player.run();
    });
  }

  /** Ends a {@link run} after the pass that is being made. */
  pause() {
    this.#resume = false;
    if (this.#player.running && this.#run?.next === "decode") this.#announcement = "Paused.";
    this.#player.pause();
  }

  /** Forgets the last pass; does nothing before the first. */
  back() {
    this.#guard(() => {
      const run = this.#loaded();
      this.#player.pause();
      if (run.loop.passes > 0) run.back();
      this.#announcement = run.loop.passes === 0 ? "Back to the prompt." : `Back to pass ${run.loop.passes}.`;
    });
  }

  /** Forgets the run. */
  reset() {
    this.#guard(() => {
      this.#player.pause();
      this.#loaded().reset();
      this.#fieldErrors = {};
      this.#announcement = "Back to the prompt.";
    });
  }

  /** @param {() => void} action */
  #guard(action) {
    try {
      this.#error = null;
      action();
    } catch (error) {
      this.#report(error);
      throw error;
    } finally {
      this.requestUpdate();
    }
  }

  /**
   * An action of the reader's: its error is on the screen already.
   * @param {() => void} action
   */
  #try(action) {
    try {
      action();
    } catch (error) {
      if (!(error instanceof GenerationError)) throw error;
    }
  }

  /** What the loud button does, and Enter in the prompt. */
  #primary() {
    const run = this.#loaded();
    if (!run.possible || this.#player.running) return;
    if (run.next === "restart") this.reset();
    else this.step();
  }

  /** @param {boolean} single whether the reader asked for this one pass, and should hear of it */
  #pass(single) {
    const run = this.#loaded();
    const pass = run.step();
    if (pass.stop !== null) {
      const tokens = run.loop.tokens.length;
      this.#announcement = `Stopped: ${stopInWords(pass.stop, tokens)}. ${passesInWords(pass.index)}`;
    } else if (single) {
      this.#announcement = passInWords(pass);
    }
    this.requestUpdate();
    // Last, for whoever listens may step, reset or remove the element.
    this.#dispatch("generation-pass", pass);
    if (pass.stop !== null) this.#dispatch("generation-stop", pass.stop);
  }

  /** One step of the player's. */
  #turn() {
    try {
      this.#pass(false);
    } catch (error) {
      this.#report(error);
      return false;
    }
    // A listener may have begun the next run at the end of this one.
    return this.#run !== null && this.#run.next !== "restart";
  }

  /**
   * @param {unknown} error
   * @param {boolean} [onScreen] false where it stands beside its field already
   */
  #report(error, onScreen = true) {
    const { message } = /** @type {Error} */ (error);
    if (onScreen || isTrap(error)) this.#error = message;
    // A loop whose instance has failed answers nothing any more, not even what it has written.
    if (isTrap(error)) this.#unload();
    this.#announcement = message;
    this.requestUpdate();
    this.#dispatch("generation-error", error);
  }

  /**
   * @param {string} type
   * @param {unknown} detail
   */
  #dispatch(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  updated() {
    // The newest row of the log is the one to see.
    const rows = this.renderRoot.querySelector(".log .scroll");
    const passes = this.#run?.loop.passes ?? 0;
    if (rows !== null && passes !== this.#passesShown) rows.scrollTop = rows.scrollHeight;
    this.#passesShown = passes;
    // A button that can do nothing more must not keep the focus: the next Tab would begin at the top of the page.
    const { activeElement } = /** @type {ShadowRoot} */ (this.renderRoot);
    if (activeElement instanceof HTMLButtonElement && activeElement.disabled) {
      /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(".transport button:enabled"))?.focus();
    }
  }

  render() {
    const screen = {
      hide: this.#values.get("hide"),
      promptText: this.#values.get("prompt"),
      running: this.#player.running,
      speed: this.#player.speed,
      allCandidates: this.#allCandidates,
      error: this.#error,
      fieldErrors: this.#fieldErrors,
    };
    const content =
      this.#run === null
        ? waiting({ error: this.#error, onReload: () => this.#reload() })
        : widget(this.#run, screen, this.#actions);
    // One and the same region in every state: what is said in a new one may not be heard.
    return html`${content}<p class="sr" role="status" aria-live="polite">${this.#announcement}</p>`;
  }
}
