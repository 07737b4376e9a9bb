/**
 * What drives a run: one pass, or pass after pass, back and to the beginning; and what there is to say of it, on the screen,
 * aloud and to the page. It knows no DOM.
 */

import { GenerationError, isTrap } from "./errors.js";
import { passesInWords, passInWords, stopInWords } from "./format.js";
import { Player } from "./player.js";

/** @typedef {import("./run.js").Run} Run */
/** @typedef {import("./pass.js").Pass} Pass */

/**
 * Whose run it is.
 * @typedef {object} Host
 * @property {() => void} changed there is something new to show
 * @property {(type: string, detail: unknown) => void} event tells the page
 * @property {() => void} trapped the loop has failed, and answers nothing any more
 */

export class Driver {
  #host;
  #player;
  /** None while no model is loaded. @type {Run | null} */
  run = null;
  /** What went wrong last, for the screen. @type {string | null} */
  error = null;
  /** What is to be said aloud. */
  announcement = "";

  /** @param {Host} host */
  constructor(host) {
    this.#host = host;
    this.#player = new Player(() => this.#turn(), host.changed);
  }

  /** Whether pass follows pass. */
  get playing() {
    return this.#player.running;
  }

  get speed() {
    return this.#player.speed;
  }

  set speed(name) {
    this.#player.speed = name;
  }

  #loaded() {
    if (this.run !== null) return this.run;
    throw new GenerationError("not-ready", "the element is not ready; wait for its `ready` promise");
  }

  /** Pass 1 of a new run. */
  prefill() {
    this.guard(() => {
      this.#player.pause();
      this.#loaded().reset();
      this.#single();
    });
  }

  /** The next pass. */
  step() {
    this.guard(() => this.#single());
  }

  /** A pass that the reader asked for, and should hear of. */
  #single() {
    this.#pass(true)?.catch((error) => this.report(error));
  }

  /** Passes until the run stops; from the beginning if it had. */
  play() {
    this.guard(() => {
      const run = this.#loaded();
      if (run.next === "restart") run.reset();
      // A prompt that cannot be processed is refused here and now, and not in a turn of the player's.
      if (!run.possible) void run.step();
      this.announcement = "Running.";
      this.#player.run();
    });
  }

  /** {@link play} goes on where it was. */
  resume() {
    this.#player.run();
  }

  /** Ends {@link play} after the pass that is being made, and says so. */
  pause() {
    if (this.playing && this.run?.next === "decode") this.announcement = "Paused.";
    this.#player.pause();
  }

  /** Ends {@link play} without a word. */
  halt() {
    this.#player.pause();
  }

  /** Forgets the last pass. */
  back() {
    this.guard(() => {
      const run = this.#loaded();
      this.#player.pause();
      if (run.loop.passes > 0) run.back();
      else run.reset();
      this.announcement = run.loop.passes === 0 ? "Back to the prompt." : `Back to pass ${run.loop.passes}.`;
    });
  }

  /** Forgets the run. */
  reset() {
    this.guard(() => {
      this.#player.pause();
      this.#loaded().reset();
      this.announcement = "Back to the prompt.";
    });
  }

  /**
   * An action whose error is reported, and thrown on.
   * @param {() => void} action
   */
  guard(action) {
    try {
      this.error = null;
      action();
    } catch (error) {
      this.report(error);
      throw error;
    } finally {
      this.#host.changed();
    }
  }

  /**
   * The next pass, now or later.
   * @param {boolean} single whether the reader asked for this one pass, and should hear of it
   * @returns {Promise<void> | undefined}
   */
  #pass(single) {
    const run = this.#loaded();
    const pass = run.step();
    this.#host.changed();
    if (!(pass instanceof Promise)) {
      this.#passed(pass, single);
      return undefined;
    }
    return pass.then((later) => {
      if (later !== null && this.run === run) this.#passed(later, single);
    });
  }

  /**
   * @param {Pass} pass
   * @param {boolean} single
   */
  #passed(pass, single) {
    const { stop } = pass;
    if (stop !== null) {
      const tokens = this.#loaded().loop.tokens.length;
      this.announcement = `Stopped: ${stopInWords(stop, tokens)}. ${passesInWords(pass.index)}`;
    } else if (single) {
      this.announcement = passInWords(pass);
    }
    this.#host.changed();
    // Last, for whoever listens may step, reset or remove the element.
    this.#host.event("generation-pass", pass);
    if (stop !== null) this.#host.event("generation-stop", stop);
  }

  /** One step of the player's. Whether there is another: a listener may have begun the next run at the end of this one. */
  #turn() {
    const more = () => this.run !== null && this.run.next !== "restart";
    const failed = (/** @type {unknown} */ error) => {
      this.report(error);
      return false;
    };
    try {
      const later = this.#pass(false);
      return later === undefined ? more() : later.then(more, failed);
    } catch (error) {
      return failed(error);
    }
  }

  /**
   * @param {unknown} error
   * @param {boolean} [onScreen] false where it stands beside its field already
   */
  report(error, onScreen = true) {
    const { message } = /** @type {Error} */ (error);
    if (onScreen || isTrap(error)) this.error = message;
    // A loop whose instance has failed answers nothing any more, not even what it has written.
    if (isTrap(error)) this.#host.trapped();
    this.announcement = message;
    this.#host.changed();
    this.#host.event("generation-error", error);
  }
}
