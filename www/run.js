/**
 * The state of one widget over the engine's loop: which prompt, which settings, what can be done next, and how to get back
 * to a moment. It knows no DOM.
 */

import { bothWays } from "./comparison.js";
import { GenerationError } from "./errors.js";
import { totalOf } from "./flops.js";
import { readPrompt, refusalOf } from "./prompt.js";
import { sameChoice } from "./settings.js";

/** Cells of a prompt that are drawn even where the limit is below it. */
const MOST_CELLS = 128;

/**
 * What can change from one pass to the next.
 * @typedef {object} PassSettings
 * @property {Readonly<import("./settings.js").Sampling>} sampling
 * @property {boolean} cache
 */

/**
 * A loop on this page's own thread, or in a worker: its passes then come later.
 * @typedef {import("./engine.js").GenerationLoop | import("./worker-loop.js").WorkerLoop} Loop
 */

/**
 * A run that can be recalled.
 * @typedef {object} Previous
 * @property {string} text with its prompt
 * @property {{ prompt: string, seed: number, stop: readonly string[], maxTokens: number | null }} settings of the whole run
 * @property {readonly PassSettings[]} passes
 */

/**
 * What is on the screen of a widget.
 * @typedef {object} Moment
 * @property {Readonly<import("./flops.js").Config>} config of the model
 * @property {readonly { text: string, supported: boolean }[]} prompt its tokens; the same list until prompt or model is another
 * @property {readonly import("./pass.js").Pass[]} log passes up to this moment
 * @property {import("./pass.js").Stop | null} stop why the run has ended at this moment
 * @property {"prefill" | "decode" | "restart"} next what the next step would do
 * @property {number} most passes that the run can take
 * @property {boolean} running whether it goes on by itself
 */

/** The most FLOPs of a run that is made both ways at once: a tenth of a second. */
const MOST_COMPARED = 2e9;

/** The most attention weights that a run keeps: 16 MiB. */
const MOST_ATTENTION = 2 ** 22;

export class Run {
  /** @type {import("./prompt.js").PromptState} */
  #prompt = { text: "", tokens: [], error: null, note: null };
  /** What is processed. @type {number[]} */
  #ids = [];
  /** Why it cannot be. @type {GenerationError | null} */
  #refused = null;
  #promptText = "";
  #seed = 0;
  /** How each pass of the log was made: with the seed, all it takes to make the run again. @type {PassSettings[]} */
  #passes = [];
  /** What each pass attended to, of models small enough to keep it. @type {(Float32Array | undefined)[]} */
  #attention = [];
  /** Passes of the moment that the reader has gone back to; null for the newest. @type {number | null} */
  #view = null;
  /** The run before this one. @type {Previous | null} */
  previous = null;
  /** The run made both ways, and with which settings. @type {{ of: string, result: import("./comparison.js").Comparison } | null} */
  #compared = null;

  /** @param {Loop} loop */
  constructor(loop) {
    this.loop = loop;
  }

  /** The prompt, read anew by {@link set} whenever it or its limit changes. */
  get prompt() {
    return this.#prompt;
  }

  /** Tokens that the run can hold. */
  get limit() {
    return this.loop.maxTokens ?? this.loop.config.n_positions;
  }

  /** The most passes that the run can take: each brings one token. */
  get mostPasses() {
    return Math.max(this.limit - this.#prompt.tokens.length, 0);
  }

  /** Passes of the moment that is shown: all that were made, unless the reader has gone back. */
  get at() {
    return this.#view ?? this.loop.passes;
  }

  /** The moment that is shown. */
  get shown() {
    const { loop, at } = this;
    const log = loop.log.slice(0, at);
    const pass = log.at(-1);
    return {
      log,
      pass,
      stop: pass?.stop ?? null,
      /** Prompt and sampled tokens together; none before the first pass. */
      tokens: at === 0 ? 0 : loop.tokens.length - loop.passes + at,
      attention: this.#attention[at - 1] ?? null,
    };
  }

  /** What was generated up to this moment, without what a stop took out. */
  get textShown() {
    const { loop, at } = this;
    const { log } = loop;
    return at === log.length
      ? loop.text
      : log
          .slice(0, at)
          .map(({ token }) => token.text)
          .join("");
  }

  /** @returns {Omit<Moment, "running">} */
  get asShown() {
    const { log, stop } = this.shown;
    return {
      config: this.loop.config,
      prompt: this.#prompt.tokens,
      log,
      stop,
      next: this.next,
      most: this.mostPasses,
    };
  }

  /** How a pass was made. @param {import("./pass.js").Pass | undefined} pass */
  settingsOf(pass) {
    return pass && this.#passes[pass.index - 1];
  }

  /** Goes to the moment after so many passes, to look: nothing is forgotten. @param {number} at */
  goTo(at) {
    const { passes } = this.loop;
    this.#view = at >= passes ? null : Math.max(at, 0);
  }

  /** Whether the pass that comes next is made already, just as it would be made now. */
  get isAhead() {
    if (this.#view === null) return false;
    const { sampling, cache } = this.loop;
    const made = this.#passes[this.#view];
    return made.cache === cache && sameChoice(made.sampling, sampling);
  }

  /** The tokens as the strip shows them: the prompt grey until it was processed, what a stop took out of the text hollow. */
  get cells() {
    const { text: kept } = this.loop;
    const { log, stop } = this.shown;
    const processed = log.length > 0 ? "prompt" : "waiting";
    // A whole pasted book would be a cell for each of its letters.
    const visible = this.#prompt.tokens.slice(0, Math.max(this.limit, MOST_CELLS));
    /** @type {import("./views/token-strip.js").Cell[]} */
    const prompt = visible.map(({ text, supported }) => ({
      text,
      kind: supported ? processed : "unsupported",
    }));
    let end = 0;
    /** @type {import("./views/token-strip.js").Cell[]} */
    const generated = log.map(({ index, token: { text } }) => {
      end += text.length;
      const last = index === log.length;
      const outside = end > kept.length || (last && stop?.reason === "end-of-text");
      return { text, kind: "generated", newest: last, outside };
    });
    return { prompt, generated, more: this.#prompt.tokens.length - visible.length };
  }

  /** Whether a pass is being made somewhere else. */
  get busy() {
    return "busy" in this.loop && this.loop.busy;
  }

  /** What the next step will do. @returns {"prefill" | "decode" | "restart"} */
  get next() {
    if (this.at === 0) return "prefill";
    // A run goes on after every pass but its last.
    return this.#view === null && this.loop.stop !== null ? "restart" : "decode";
  }

  /** Whether it can. */
  get possible() {
    return this.next !== "prefill" || this.#prompt.error === null;
  }

  /**
   * Applies one setting of the element. What belongs to the whole run ends the run; what belongs to a token applies from
   * the next one on.
   * @param {string} name
   * @param {any} value in its strict form
   * @throws {GenerationError} if this model does not allow it; nothing has changed then
   */
  set(name, value) {
    const { loop } = this;
    switch (name) {
      case "prompt":
        if (value !== this.#promptText) this.reset();
        this.#promptText = value;
        this.#readPrompt();
        break;
      case "sampling":
        loop.sampling = { method: value };
        break;
      case "temperature":
      case "topK":
      case "topP":
        loop.sampling = { [name]: value };
        break;
      case "seed":
        if (value !== loop.seed) this.#betweenRuns(() => (loop.seed = value));
        this.#seed = loop.seed;
        break;
      case "stop":
        this.#setStop(value);
        break;
      case "maxTokens":
        if (value !== loop.maxTokens) this.#betweenRuns(() => (loop.maxTokens = value));
        this.#readPrompt();
        break;
      case "cache":
        loop.cache = value;
        break;
    }
  }

  /**
   * As the vocabulary sees them, like the prompt: "The" could never be completed, and neither could "é".
   * @param {readonly string[]} stop
   */
  #setStop(stop) {
    const { loop } = this;
    const read = stop.map((string) => loop.normalise(string));
    for (const string of read) {
      const refusal = refusalOf(loop, string);
      // Of a model without a table of characters, nobody knows.
      if (refusal !== null && refusal.code !== "no-character-table") {
        throw new GenerationError("invalid-setting", `stop string ${refusal.message}`);
      }
    }
    const same =
      read.length === loop.stopStrings.length && read.every((string, i) => string === loop.stopStrings[i]);
    if (!same) this.#betweenRuns(() => (loop.stopStrings = read));
  }

  /** @param {() => void} change one that the loop takes only while no run is under way */
  #betweenRuns(change) {
    const { moment, previous } = this;
    this.reset();
    try {
      change();
    } catch (error) {
      this.replay(moment);
      this.previous = previous;
      throw error;
    }
  }

  #readPrompt() {
    const { ids, refused, ...state } = readPrompt(this.loop, this.#promptText, this.limit);
    this.#ids = ids ?? this.#ids;
    this.#refused = refused;
    this.#prompt = { ...state, error: refused?.message ?? null };
  }

  /**
   * The next pass: a prefill, or a decode. From a moment of the past a new branch begins, and what was there is the previous run.
   * @returns {import("./pass.js").Pass | Promise<import("./pass.js").Pass | null>} null: forgotten before it was made
   * @throws {GenerationError} from a worker as a rejection
   */
  step() {
    if (this.#refused !== null && this.at === 0) throw this.#refused;
    const pass = this.#view === null ? this.#forward() : this.#branch(this.#view);
    const { sampling, cache } = this.loop;
    const settings = { sampling, cache };
    this.#passes.push(settings);
    if (pass instanceof Promise) {
      pass.catch(() => {
        this.#passes = this.#passes.filter((known) => known !== settings);
      });
    } else if ("attention" in this.loop && this.#isSmall) {
      this.#attention[pass.index - 1] = this.loop.attention();
    }
    return pass;
  }

  get #isSmall() {
    const { n_layer, n_head, n_positions } = this.loop.config;
    return (n_layer * n_head * n_positions ** 2) / 2 <= MOST_ATTENTION;
  }

  #forward() {
    return this.#passes.length === 0 ? this.loop.prefill(this.#ids) : this.loop.decodeStep();
  }

  /** @param {number} at */
  #branch(at) {
    const { moment } = this;
    const left = this.#asPrevious();
    this.#rewind(at);
    try {
      const pass = this.#forward();
      this.previous = left;
      return pass;
    } catch (error) {
      this.replay(moment);
      this.#view = at;
      throw error;
    }
  }

  /** @param {number} keep passes */
  #rewind(keep) {
    this.loop.rewind(keep);
    this.#passes = this.#passes.slice(0, keep);
    this.#attention = this.#attention.slice(0, keep);
    this.#view = null;
  }

  /** Goes to the moment before: from the newest by forgetting the last pass, and any that is still being made. */
  back() {
    if (this.#view === null) this.#rewind(this.loop.passes - 1);
    else this.goTo(this.#view - 1);
  }

  /** Whether {@link compare} would hold up the page: it makes all passes at once. */
  get canCompare() {
    const { loop, limit } = this;
    const most = this.mostPasses * totalOf(loop.config, limit, limit);
    return "attention" in loop && this.#refused === null && most <= MOST_COMPARED;
  }

  /** Makes the whole run both ways, and comes back to where it was. */
  compare() {
    if (!this.canCompare || !("attention" in this.loop)) return;
    const { moment } = this;
    const view = this.#view;
    this.#forget();
    try {
      this.#compared = { of: this.#settingsAsText, result: bothWays(this.loop, this.#ids) };
    } finally {
      this.replay(moment);
      this.#view = view;
    }
  }

  /** What {@link compare} has found for the settings of now. */
  get comparison() {
    return this.#compared?.of === this.#settingsAsText ? this.#compared.result : null;
  }

  get #settingsAsText() {
    const { sampling, stopStrings, maxTokens } = this.loop;
    return JSON.stringify([this.#ids, sampling, this.#seed, stopStrings, maxTokens]);
  }

  /** Forgets all passes. */
  reset() {
    this.previous = this.#asPrevious() ?? this.previous;
    this.#forget();
  }

  #forget() {
    this.loop.reset();
    this.#passes = [];
    this.#attention = [];
    this.#view = null;
  }

  /** What it takes to recall the run; null if there is none. @returns {Previous | null} */
  #asPrevious() {
    const { text, passes, stopStrings, maxTokens } = this.loop;
    if (passes === 0) return null;
    return {
      text: this.#prompt.text + text,
      settings: { prompt: this.#promptText, seed: this.#seed, stop: stopStrings, maxTokens },
      passes: [...this.#passes],
    };
  }

  /**
   * Makes the previous run again; the one of now becomes the previous one.
   * @returns {Previous["settings"] | undefined} the settings that have come back with it
   */
  recall() {
    const { previous } = this;
    if (previous === null) return undefined;
    const now = this.#asPrevious();
    this.#forget();
    for (const [name, value] of Object.entries(previous.settings)) this.set(name, value);
    this.replay(previous);
    this.previous = now;
    return previous.settings;
  }

  /** All it takes to come back to this moment, on another loop of the same model with the same settings. */
  get moment() {
    return { seed: this.#seed, passes: [...this.#passes] };
  }

  /** @param {{ passes: readonly PassSettings[] }} moment */
  replay({ passes }) {
    const { sampling, cache } = this.loop;
    this.#forget();
    for (const settings of passes) {
      Object.assign(this.loop, settings);
      this.step();
    }
    Object.assign(this.loop, { sampling, cache });
  }
}
