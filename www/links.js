/** Links to runs, as a page meets them: whether its address holds one. What such a link says is read by `sharing.js`. */

import { GenerationError, onDemand } from "./errors.js";

/** What makes links and files of runs, and reads links. */
export const sharing = () => onDemand("sharing.js", import("./sharing.js"));

/**
 * Whose links they are.
 * @typedef {object} Host
 * @property {() => void} reveal brings it before the reader's eyes
 * @property {() => boolean} opens whether it shows the runs of links at all
 * @property {(settings: import("./link.js").LinkedSettings, passes: readonly import("./run.js").PassSettings[]) => void} restore
 *   is called with what a link says
 * @property {(error: unknown) => void} refused is called where a link says nothing that could be shown
 */

export class Links {
  #host;

  /** @param {Host} host */
  constructor(host) {
    this.#host = host;
  }

  get opens() {
    return this.#host.opens();
  }

  /** Whether the page's address holds a run that is to be shown. */
  get present() {
    return location.hash.startsWith("#generation-loop?") && this.opens;
  }

  /** Follows the address where it changes. */
  listen() {
    addEventListener("hashchange", this.follow);
  }

  leave() {
    removeEventListener("hashchange", this.follow);
  }

  /** Reads what the address holds, if it holds a run. */
  follow = async (/** @type {HashChangeEvent | void} */ event) => {
    if (!this.present) return;
    // As with any fragment: the reader is taken there, but not from where they were before a reload; and no frame moves its page.
    if (parent === window && (event !== undefined || scrollY === 0)) this.#host.reveal();
    try {
      const { stateOf } = await sharing();
      const state = /** @type {import("./link.js").LinkState} */ (stateOf(location.href));
      if (state.settings === null) throw new GenerationError("invalid-link", state.problems.join(" "));
      this.#host.restore(state.settings, state.passes);
    } catch (error) {
      this.#host.refused(error);
    }
  };
}
