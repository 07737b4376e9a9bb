/**
 * A loop whose passes are made in a worker, for models that would hold up the page. What can be read is what
 * `GenerationLoop` has; what makes or forgets passes is a message, and settings are checked here before they are sent. Few
 * readers have such a model, so this is a file of its own, fetched with the first; the core, of which a page has one, is given to it.
 */

import { GenerationError, shown } from "./errors.js";
import { Pass } from "./pass.js";
import { anySeed, cacheFrom, maxTokensFrom, samplingFrom, seedFrom, stopFrom } from "./settings.js";
import { textFrom } from "./vocabulary.js";

/** @typedef {import("./engine.js").LoadOptions} LoadOptions */

/**
 * What of the page's core it needs.
 * @typedef {object} Core
 * @property {typeof import("./boundary.js").coreReady} coreReady
 * @property {typeof import("./core.js").vocabularyOf} vocabularyOf
 */

/**
 * What the properties of a loop hold, in strict form.
 * @typedef {object} Settings
 * @property {Readonly<import("./settings.js").Sampling>} sampling
 * @property {readonly string[]} stopStrings
 * @property {boolean} cache
 * @property {number} seed
 * @property {number | null} maxTokens
 */

export class WorkerLoop {
  #worker;
  /** @type {Map<number, { resolve: (value: any) => void, reject: (reason: unknown) => void }>} */
  #waiting = new Map();
  #calls = 0;
  #disposed = false;
  /** Counts what forgets passes: one that was asked for before comes too late. */
  #epoch = 0;
  #passesAskedFor = 0;
  /** @type {import("./flops.js").Config | undefined} */
  #config;
  /** @type {import("./vocabulary.js").Vocabulary | undefined} */
  #vocabulary;
  /** @type {readonly number[]} */
  #prompt = [];
  /** @type {Pass[]} */
  #log = [];
  /** The generated text after each pass. @type {string[]} */
  #texts = [];
  /** @type {Settings} */
  #settings = { sampling: samplingFrom({}), stopStrings: [], cache: true, seed: 0, maxTokens: null };
  /** Number of weights. */
  parameters = 0;
  /** Called when a pass has arrived, or will not. */
  changed = () => {};
  /** Called with what no other call could be told. @type {(error: unknown) => void} */
  failed = () => {};

  /**
   * @param {Worker} worker
   * @param {LoadOptions["onProgress"]} onProgress
   * @private use {@link WorkerLoop.load}
   */
  constructor(worker, onProgress) {
    this.#worker = worker;
    let started = false;
    worker.onmessage = ({ data: { id, result, error, progress } }) => {
      started = true;
      if (progress !== undefined) return onProgress?.(progress);
      const { resolve, reject } = /** @type {{ resolve: Function, reject: Function }} */ (
        this.#waiting.get(id)
      );
      this.#waiting.delete(id);
      if (error === undefined) resolve(result);
      else reject(new GenerationError(error.code, error.message));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      const error = started
        ? new GenerationError("trapped", `the worker has failed (${event.message}); load the model again`)
        : new GenerationError("worker-unavailable", "no worker can be started here");
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
  }

  /**
   * Loads a model in a worker of its own.
   * @param {LoadOptions} options
   * @param {Core} core
   * @returns {Promise<WorkerLoop>}
   * @throws {GenerationError} (as a rejection) what `GenerationLoop.load` throws; `worker-unavailable` where there can be none
   */
  static async load({ signal, onProgress, ...options }, { coreReady, vocabularyOf }) {
    await coreReady();
    signal?.throwIfAborted();
    const loop = new WorkerLoop(started(), onProgress);
    try {
      const aborted = new Promise((_, reject) =>
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true }),
      );
      const { config, parameters, settings } = await Promise.race([loop.#call("load", options), aborted]);
      loop.#config = Object.freeze(config);
      loop.parameters = parameters;
      loop.#vocabulary = vocabularyOf(config);
      loop.#settings = settings;
      return loop;
    } catch (error) {
      loop.dispose();
      throw error;
    }
  }

  /**
   * @param {string} call
   * @param {unknown} [value]
   * @returns {Promise<any>}
   */
  #call(call, value) {
    if (this.#disposed) {
      return Promise.reject(new GenerationError("disposed", "this loop was disposed; load a new one"));
    }
    this.#calls += 1;
    const id = this.#calls;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#worker.postMessage({ id, call, value });
    return answer;
  }

  /** Whether a pass is being made. */
  get busy() {
    return this.#passesAskedFor > this.#log.length;
  }

  /**
   * @param {readonly number[]} prompt token ids
   * @returns {Promise<Pass | null>} null: forgotten before it was made
   */
  prefill(prompt) {
    this.reset();
    return this.#pass("prefill", prompt);
  }

  /** @returns {Promise<Pass | null>} null: forgotten before it was made */
  decodeStep() {
    return this.#pass("decodeStep");
  }

  /**
   * @param {"prefill" | "decodeStep"} call
   * @param {readonly number[]} [prompt]
   */
  async #pass(call, prompt) {
    const epoch = this.#epoch;
    this.#passesAskedFor += 1;
    try {
      const { fields, kept, text } = await this.#call(call, prompt);
      if (epoch !== this.#epoch) return null;
      const list = Object.freeze(fields.candidates.map(Object.freeze));
      Object.freeze(fields.token);
      Object.freeze(fields.stop);
      const pass = new Pass(fields, this.config, (other) => (other ? null : { kept, list }));
      if (prompt !== undefined) this.#prompt = prompt;
      this.#log.push(pass);
      this.#texts.push(text);
      return pass;
    } catch (error) {
      if (epoch !== this.#epoch) return null;
      this.#passesAskedFor -= 1;
      throw error;
    } finally {
      this.changed();
    }
  }

  /** @param {number} keep passes */
  #forget(keep) {
    this.#epoch += 1;
    this.#passesAskedFor = keep;
    this.#log = this.#log.slice(0, keep);
    this.#texts = this.#texts.slice(0, keep);
    if (keep === 0) this.#prompt = [];
  }

  /**
   * Asks for what has no answer.
   * @param {string} call
   * @param {unknown} [value]
   */
  #tell(call, value) {
    this.#call(call, value).catch((error) => this.failed(error));
  }

  /** @param {number} keep passes */
  rewind(keep) {
    const { passes } = this;
    if (!(Number.isInteger(keep) && keep >= 0 && keep <= passes)) {
      const allowed = `0 to ${passes}, the passes made`;
      throw new GenerationError("rewind-too-far", `cannot keep ${shown(keep)} passes; allowed: ${allowed}`);
    }
    this.#forget(keep);
    this.#tell("rewind", keep);
  }

  reset() {
    this.#forget(0);
    this.#tell("reset");
  }

  /** Ends the worker, also in the middle of a pass. */
  dispose() {
    this.#forget(0);
    this.#disposed = true;
    this.#worker.terminate();
    for (const { resolve } of this.#waiting.values()) resolve({});
    this.#waiting.clear();
  }

  /** @param {Partial<Settings>} settings */
  #set(settings) {
    Object.assign(this.#settings, settings);
    this.#tell("set", settings);
  }

  get config() {
    return /** @type {import("./flops.js").Config} */ (this.#config);
  }

  get tokens() {
    return [...this.#prompt, ...this.#log.map(({ token }) => token.id)];
  }

  get text() {
    return this.#texts.at(-1) ?? "";
  }

  get log() {
    return [...this.#log];
  }

  get passes() {
    return this.#log.length;
  }

  get stop() {
    return this.#log.at(-1)?.stop ?? null;
  }

  /** @param {string} text */
  encode(text) {
    return /** @type {import("./vocabulary.js").Vocabulary} */ (this.#vocabulary).encode(textFrom(text));
  }

  /** @param {string} text */
  normalise(text) {
    return /** @type {import("./vocabulary.js").Vocabulary} */ (this.#vocabulary).normalise(textFrom(text));
  }

  get sampling() {
    return this.#settings.sampling;
  }

  set sampling(value) {
    this.#set({ sampling: samplingFrom(value, this.#settings.sampling) });
  }

  /** @returns {number} */
  get seed() {
    return this.#settings.seed;
  }

  /** @param {number | null} value */
  set seed(value) {
    this.#set({ seed: seedFrom(value) ?? anySeed() });
  }

  get stopStrings() {
    return this.#settings.stopStrings;
  }

  set stopStrings(value) {
    this.#set({ stopStrings: Object.freeze(stopFrom(value)) });
  }

  get maxTokens() {
    return this.#settings.maxTokens;
  }

  set maxTokens(value) {
    const maxTokens = maxTokensFrom(value);
    const { n_positions } = this.config;
    if (maxTokens !== null && maxTokens > n_positions) {
      throw new GenerationError(
        "invalid-setting",
        `max-tokens is ${shown(value)}; allowed: 2 to ${n_positions}, the model's context, or none`,
      );
    }
    this.#set({ maxTokens });
  }

  get cache() {
    return this.#settings.cache;
  }

  set cache(value) {
    this.#set({ cache: cacheFrom(value) });
  }
}

/**
 * A worker from the file beside this one; from another site's address through a script of the page's own.
 * @returns {Worker}
 * @throws {GenerationError} `worker-unavailable`, where the page's policy forbids both
 */
function started() {
  // Firefox does not throw for another site's address, but fails later. A bundler may have put an address of its own here.
  const isElsewhere = /^https?:/.test(import.meta.url) && new URL(import.meta.url).origin !== location.origin;
  try {
    if (!isElsewhere) return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  } catch {
    // Then the other way.
  }
  const address = new URL("./worker.js", import.meta.url).href;
  const script = new Blob([`import ${JSON.stringify(address)};`], { type: "text/javascript" });
  const blob = URL.createObjectURL(script);
  try {
    return new Worker(blob, { type: "module" });
  } catch (cause) {
    throw new GenerationError("worker-unavailable", "no worker can be started here", { cause });
  } finally {
    // The worker has its own hold on it by then.
    setTimeout(() => URL.revokeObjectURL(blob), 60_000);
  }
}
