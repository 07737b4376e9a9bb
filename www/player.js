/**
 * Steps that repeat at a chosen speed until there is nothing left to do. It knows neither models nor pages.
 */

/**
 * Speeds of a run, slowest first. `perSecond` Infinity makes as many steps as fit into a frame.
 * @type {readonly { name: string, perSecond: number }[]}
 */
export const SPEEDS = Object.freeze([
  { name: "slow", perSecond: 1 },
  { name: "steady", perSecond: 4 },
  { name: "fast", perSecond: 15 },
  { name: "instant", perSecond: Number.POSITIVE_INFINITY },
]);

/** How much of a frame an instant run may take, in milliseconds: the rest is for painting and for the reader. */
const FRAME_SHARE = 6;

/** The most steps in one: each brings something to show, and that takes longer than the step. */
const FRAME_STEPS = 16;

export class Player {
  #step;
  #changed;
  /** @type {(() => void) | undefined} */
  #cancel;
  #speed = SPEEDS[1];
  /** Whether a step is being made that was not ready at once. */
  #waiting = false;
  #held = false;

  /**
   * @param {() => boolean | Promise<boolean>} step makes one step, now or later, and says whether there is another
   * @param {() => void} changed called when a run begins or ends
   */
  constructor(step, changed) {
    this.#step = step;
    this.#changed = changed;
  }

  get running() {
    return this.#cancel !== undefined;
  }

  get speed() {
    return this.#speed.name;
  }

  /** Takes effect at once, in the middle of a run too. */
  set speed(name) {
    this.#speed = SPEEDS.find((speed) => speed.name === name) ?? this.#speed;
    if (this.running && !this.#waiting) this.#schedule();
  }

  get #isInstant() {
    return this.#speed.perSecond === Number.POSITIVE_INFINITY;
  }

  /** Whether a run waits, because nobody can see it: it goes on where it was. */
  get held() {
    return this.#held;
  }

  set held(held) {
    this.#held = held;
    if (this.running && !this.#waiting) this.#schedule();
  }

  /** Begins; does nothing if it runs already. */
  run() {
    if (this.running) return;
    // The first step is now: a button that answers a second later seems broken.
    this.#cancel = () => undefined;
    this.#changed();
    if (!this.#held) this.#turn();
  }

  /** Ends after the step that is being made, if one is. */
  pause() {
    if (!this.running) return;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#changed();
  }

  #turn() {
    // A run that was paused and begins again takes over the step that is still being made.
    if (this.#waiting) return;
    const deadline = performance.now() + FRAME_SHARE;
    let more = true;
    let left = FRAME_STEPS;
    do {
      left -= 1;
      const made = this.#step();
      if (made instanceof Promise) {
        this.#waiting = true;
        made.then((another) => {
          this.#waiting = false;
          if (this.running) this.#goOn(another);
        });
        return;
      }
      // The step may have paused the run.
      if (!this.running) return;
      more = made;
    } while (more && this.#isInstant && left > 0 && performance.now() < deadline);
    this.#goOn(more);
  }

  /** @param {boolean} more */
  #goOn(more) {
    if (more) this.#schedule();
    else this.pause();
  }

  /** The next turn, instead of any that was to come: a step may itself have run, paused or changed the speed. */
  #schedule() {
    this.#cancel?.();
    if (this.#held) {
      this.#cancel = () => undefined;
    } else if (this.#isInstant) {
      const frame = requestAnimationFrame(() => this.#turn());
      this.#cancel = () => cancelAnimationFrame(frame);
    } else {
      const timer = setTimeout(() => this.#turn(), 1000 / this.#speed.perSecond);
      this.#cancel = () => clearTimeout(timer);
    }
  }
}
