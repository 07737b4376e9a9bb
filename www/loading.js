/** Loading one model after another, of which only the last one counts. It knows no DOM. */

import { GenerationLoop } from "./engine.js";
import { withResolvers } from "./resolvers.js";

/**
 * @template T what `ready` resolves with
 */
export class Loading {
  /** Counts loads, so that one that was overtaken knows it. */
  #turn = 0;
  #failed = false;
  /** @type {ReturnType<typeof withResolvers<T>>} */
  #ready = withResolvers();

  /** Settles with the load under way, or with the next one. */
  get ready() {
    return this.#ready.promise;
  }

  /**
   * What is being loaded comes too late.
   * @param {boolean} wasLoaded whether a model goes with it: then the next one has a `ready` of its own
   */
  abandon(wasLoaded) {
    this.#turn += 1;
    if (wasLoaded) this.#ready = withResolvers();
  }

  /**
   * @param {import("./engine.js").LoadOptions} options
   * @param {(loop: GenerationLoop, resolve: (value: T) => void) => void} loaded gets the loop, and what makes `ready` resolve
   * @param {(error: unknown) => void} failed is called once `ready` has rejected
   */
  async load(options, loaded, failed) {
    this.#turn += 1;
    const turn = this.#turn;
    if (this.#failed) this.#ready = withResolvers();
    this.#failed = false;
    // These, for a listener may have the next load begin, and that has others.
    const { resolve, reject } = this.#ready;
    try {
      const loop = await GenerationLoop.load(options);
      if (turn === this.#turn) loaded(loop, resolve);
      else loop.dispose();
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#failed = true;
      reject(error);
      failed(error);
    }
  }
}
