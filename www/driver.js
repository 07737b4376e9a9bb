/**
 * What drives a run: one pass, or pass after pass, back and to the beginning; and what there is to say of it, on the screen,
 * aloud and to the page. It knows no DOM.
 */

import { GenerationError, isTrap } from "./errors.js";
import { passesInWords, passInWords, stopInWords } from "./format.js";
import { Player } from "./player.js";

/** @typedef {import("./run.js").Run} Run */
/** @typedef {import("./pass.js").Pass} Pass */

/** @typedef {(words: import("./words.js").Words) => string} Announcement */

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
  /** What went wrong last, for the screen; errors are in English. @type {string | null} */
  error = null;
  /** What is to be said aloud, in any language; an error as it is. @type {string | Announcement} */
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

  /** Whether {@link play} waits until somebody can see it. */
  get held() {
    return this.#player.held;
  }

  set held(held) {
    this.#player.held = held;
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
      this.announcement = (words) => words.announce.running;
      this.#player.run();
    });
  }

  /** {@link play} goes on where it was. */
  resume() {
    this.#player.run();
  }

  /** Ends {@link play} after the pass that is being made, and says so. */
  pause() {
    if (this.playing && this.run?.next === "decode") this.announcement = (words) => words.announce.paused;
    this.#player.pause();
  }

  /** Ends {@link play} without a word. */
  halt() {
    this.#player.pause();
  }

  /** Forgets the last pass; of a moment in the past, goes to the one before. */
  back() {
    this.guard(() => {
      const run = this.#loaded();
      this.#player.pause();
      if (run.at > 0) run.back();
      else run.reset();
      const { at } = run;
      this.announcement = (words) => (at === 0 ? words.announce.start : words.announce.back(at));
    });
  }

  /** Goes to the moment after so many passes, to look. @param {number} at */
  goTo(at) {
    this.guard(() => {
      const run = this.#loaded();
      this.#player.pause();
      run.goTo(at);
      this.#announceMoment(run);
    });
  }

  /** @param {Run} run */
  #announceMoment({ at, loop: { passes } }) {
    this.announcement = (words) => words.timeline.at(at, passes);
  }

  /** @param {import("./pass.js").Stop | null} stop */
  #announceEnd(stop) {
    if (stop === null) return;
    const { passes, tokens } = this.#loaded().loop;
    this.announcement = (words) =>
      `${words.outcome.stopped} ${stopInWords(stop, tokens.length, words)}. ${passesInWords(passes, words)}`;
  }

  /** Makes the run both ways, and says whether they came to the same. */
  compare() {
    this.guard(() => {
      const run = this.#loaded();
      this.#player.pause();
      run.compare();
      const same = run.comparison?.same;
      this.announcement = (words) => (same ? words.both.same : words.both.differs);
    });
  }

  /** The run before this one again; its settings come with it. */
  recall() {
    let settings;
    this.guard(() => {
      const run = this.#loaded();
      this.#player.pause();
      settings = run.recall();
      this.#announceMoment(run);
    });
    return settings;
  }

  /** Forgets the run. */
  reset() {
    this.guard(() => {
      this.#player.pause();
      this.#loaded().reset();
      this.announcement = (words) => words.announce.start;
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
    if (run.isAhead) {
      // It was made before, and the page has heard of it then.
      run.goTo(run.at + 1);
      if (single) this.#announceMoment(run);
      else this.#announceEnd(run.shown.stop);
      this.#host.changed();
      return undefined;
    }
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
    if (stop !== null) this.#announceEnd(stop);
    else if (single) this.announcement = (words) => passInWords(pass, words);
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
