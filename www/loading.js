/** Which model an element has, and the one that is being loaded, of which only the last one counts. It knows no DOM. */

import { coreReady } from "./boundary.js";
import { readConfig } from "./checkpoint.js";
import { checkpointOf, vocabularyOf } from "./core.js";
import { GenerationLoop } from "./engine.js";
import { GenerationError, onDemand } from "./errors.js";
import { totalOf } from "./flops.js";
import { withResolvers } from "./resolvers.js";
import { MODELS } from "./settings.js";
import { absolute } from "./sources.js";

/** @typedef {import("./run.js").Loop} Loop */

/**
 * The longest pass that is made on the page's own thread, in FLOPs. A slow phone makes about a thousand million a second, so
 * that this is one frame there.
 */
const LONGEST_PASS = 16e6;

/**
 * What hears of a load.
 * @template T
 * @typedef {object} Listener
 * @property {(loop: Loop, resolve: (value: T) => void) => void} loaded gets the loop, and what makes `ready` resolve
 * @property {(error: unknown) => void} failed is called once `ready` has rejected
 * @property {() => void} changed is called when the progress has
 */

/**
 * @template T what `ready` resolves with
 */
export class Loading {
  /** @type {AbortController | null} */
  #current = null;
  #settled = false;
  /** @type {ReturnType<typeof withResolvers<T>>} */
  #ready = withResolvers();
  /** The value of `model` that was loaded last. @type {unknown} */
  model = null;
  /** The load under way. @type {{ model: unknown, progress: import("./checkpoint.js").Progress | null } | null} */
  underWay = null;

  /** Settles with the load under way, or with the next one. */
  get ready() {
    return this.#ready.promise;
  }

  /**
   * What is being loaded comes too late.
   * @param {boolean} wasLoaded whether a model goes with it: then the next one has a `ready` of its own
   */
  abandon(wasLoaded) {
    this.#end()?.abort();
    if (!wasLoaded) return;
    this.#ready = withResolvers();
    this.#settled = false;
  }

  /** Nothing is under way any more. */
  #end() {
    const current = this.#current;
    this.#current = null;
    this.underWay = null;
    return current;
  }

  /** Ends the load under way: it fails, with the reason that it was aborted. */
  cancel() {
    this.#current?.abort();
  }

  /**
   * After a load that failed beside a model that is still there.
   * @param {T} value
   */
  keep(value) {
    this.#ready = withResolvers();
    this.#ready.resolve(value);
    this.#settled = true;
  }

  /**
   * @param {unknown} model
   * @param {Listener<T>} listener
   */
  async load(model, { loaded, failed, changed }) {
    this.#current?.abort();
    const controller = new AbortController();
    this.#current = controller;
    this.underWay = { model, progress: null };
    const isCurrent = () => this.#current === controller;
    if (this.#settled) this.#ready = withResolvers();
    this.#settled = false;
    // These, for a listener may have the next load begin, and that has others.
    const { resolve, reject } = this.#ready;
    try {
      const loop = await loopOf(model, {
        signal: controller.signal,
        onProgress: (progress) => {
          if (!isCurrent()) return;
          this.underWay = { model, progress };
          changed();
        },
      });
      if (!isCurrent()) return loop.dispose();
      this.#end();
      this.#settled = true;
      loaded(loop, resolve);
      this.model = model;
    } catch (error) {
      if (!isCurrent()) return;
      this.#end();
      this.#settled = true;
      reject(error);
      failed(error);
    }
  }
}

/**
 * A loop for this model, in a worker if one of its passes would hold up the page.
 * @param {any} model
 * @param {import("./checkpoint.js").Loading} loading
 * @returns {Promise<Loop>}
 */
async function loopOf(model, loading) {
  const options = { stop: [], ...loading };
  // What is inside is short, and the engine unpacks it while the core starts.
  if (MODELS.includes(model)) return GenerationLoop.load({ model, ...options });
  const checkpoint = /** @type {import("./checkpoint.js").Checkpoint} */ (await checkpointOf(model));
  const [file, config] = await readConfig(checkpoint.config, loading.signal);
  // Read once: what stands for the file from here on is its content, under its name.
  const known = {
    config: file === null ? config : asFile(file, config),
    // For a worker, an address that is relative to the page would be another.
    weights:
      typeof checkpoint.weights === "string"
        ? (absolute(checkpoint.weights) ?? checkpoint.weights)
        : checkpoint.weights,
  };
  if (holdsUp(config)) {
    try {
      const { WorkerLoop } = await onDemand("worker-loop.js", import("./worker-loop.js"));
      return await WorkerLoop.load({ model: known, ...options }, { coreReady, vocabularyOf });
    } catch (error) {
      if (!(error instanceof GenerationError) || error.code !== "worker-unavailable") throw error;
    }
  }
  return GenerationLoop.load({ model: known, ...options });
}

/**
 * Whether a pass of such a model can take longer than a frame.
 * @param {import("./flops.js").Config} config
 */
export function holdsUp(config) {
  // A context that cannot be is the engine's to refuse.
  const length = Math.max(config.n_positions, 1);
  return totalOf(config, length, length) > LONGEST_PASS;
}

/**
 * @param {string} name
 * @param {unknown} content
 */
function asFile(name, content) {
  return new File([JSON.stringify(content)], name, { type: "application/json" });
}
