/**
 * The headless loop: load a model, prefill a prompt, decode token after token. The same in browsers, workers and Node.
 *
 * Calls are synchronous once a model is loaded. A call that throws a {@link GenerationError} leaves the loop as it was.
 */

import {
  core,
  coreReady,
  ensured,
  freed,
  giveNumbers,
  giveText,
  instance,
  leftFloats,
  leftNumbers,
  leftText,
  logitsAt,
  SMALL_VOCABULARY,
  translated,
  trapped,
  undisposed,
} from "./boundary.js";
import { candidatesOf, methodOf, openModel, openSession, vocabularyOf, writtenPass } from "./core.js";
import { GenerationError, shown } from "./errors.js";
import { flopsOf } from "./flops.js";
import { Pass } from "./pass.js";
import {
  anySeed,
  cacheFrom,
  DEFAULT_MAX_TOKENS,
  idsFrom,
  maxTokensFrom,
  refuseOther,
  refuseUnknown,
  samplingFrom,
  seedFrom,
  stopFrom,
} from "./settings.js";
import { stream } from "./stream.js";
import { textFrom } from "./vocabulary.js";

export { GenerationError, Pass };

/** @typedef {import("./checkpoint.js").Checkpoint} Checkpoint */
/** @typedef {import("./checkpoint.js").Progress} Progress */
/** @typedef {import("./flops.js").Config} Config */
/** @typedef {import("./flops.js").OperationName} OperationName */
/** @typedef {import("./pass.js").Candidate} Candidate */
/** @typedef {import("./pass.js").Candidates} Candidates */
/** @typedef {import("./pass.js").SampledToken} SampledToken */
/** @typedef {import("./pass.js").Stop} Stop */
/** @typedef {import("./settings.js").Sampling} Sampling */

/**
 * What {@link GenerationLoop.load} takes; everything is optional.
 * @typedef {object} LoadOptions
 * @property {"trained" | "untrained" | string | Checkpoint} [model] the shipped weights, trained by default; the address of
 *   a folder with `config.json` and `model.safetensors`; or the two themselves
 * @property {Partial<Sampling>} [sampling] greedy by default
 * @property {number | bigint | string | null} [seed] 0 to 2^53 − 1; without one, the system picks
 * @property {string | readonly string[]} [stop] strings that end the run; none by default
 * @property {number | null} [maxTokens] prompt and generated tokens together; 32 by default, or the context if shorter;
 *   null: until the context is full
 * @property {boolean} [cache] whether keys and values are kept; true by default
 * @property {AbortSignal} [signal] ends the load, which then rejects with the signal's reason
 * @property {(progress: Progress) => void} [onProgress] hears how far the load has come, in bytes of the weights
 */

/** The most logits that the passes of a larger one keep, until somebody reads their candidates: 64 MiB. */
const MOST_LOGITS = 2 ** 24;

/** Asking the page for its clock each time would take as long as reading it. */
const clock = performance;

/** One run at a time of one model. Made by {@link GenerationLoop.load}. */
export class GenerationLoop {
  #handle;
  #config;
  #parameters;
  /** @type {"live" | "calling" | "trapped" | "disposed"} */
  #state = "live";
  /** @type {Pass[]} */
  #log = [];
  #sampling = samplingFrom({});
  /** @type {readonly string[]} */
  #stopStrings = Object.freeze([]);
  #cache = true;
  #seed = 0;
  /** @type {number | null} */
  #maxTokens;
  /** Counts runs, so that a stream can tell that its own is over. */
  #run = 0;
  #vocabulary;
  /** @type {Pass[]} */
  #unread = [];

  /**
   * @param {number} handle of the session in the core
   * @param {Config} config
   * @param {number} parameters
   * @private use {@link GenerationLoop.load}
   */
  constructor(handle, config, parameters) {
    this.#handle = handle;
    this.#parameters = parameters;
    this.#config = Object.freeze({ ...config });
    this.#maxTokens = Math.min(DEFAULT_MAX_TOKENS, config.n_positions);
    instance.live += 1;
    undisposed.register(this, { epoch: instance.epoch, handle }, this);
    this.#vocabulary = this.#in(() => vocabularyOf(config));
  }

  /**
   * Loads a model.
   * @param {LoadOptions} [options]
   * @returns {Promise<GenerationLoop>}
   * @throws {GenerationError} (as a rejection) `unknown-option`, `unknown-model`, `invalid-setting`, `empty-stop-string`,
   *   `wasm-unavailable`; of a model of your own `fetch-failed`, `read-failed`, `invalid-config`, `invalid-safetensors`, `tensor-type`,
   *   `missing-tensor` and the other tensor errors, `out-of-memory`
   */
  static async load(options = {}) {
    refuseUnknown("load", options, [
      "model",
      "sampling",
      "seed",
      "stop",
      "maxTokens",
      "cache",
      "signal",
      "onProgress",
    ]);
    const { model = "trained", sampling = {}, seed, stop = [], maxTokens, cache = true } = options;
    const signal = options.signal ?? undefined;
    const onProgress = options.onProgress ?? undefined;
    refuseOther("signal", signal, "an AbortSignal", typeof signal?.aborted === "boolean");
    refuseOther("onProgress", onProgress, "a function", typeof onProgress === "function");
    signal?.throwIfAborted();
    // Whatever is wrong with these is said before anything is fetched.
    const strict = {
      sampling: samplingFrom(sampling),
      seed: seedFrom(seed),
      stopStrings: stopFrom(stop),
      ...(maxTokens === undefined ? {} : { maxTokens: maxTokensFrom(maxTokens) }),
      cache: cacheFrom(cache),
    };
    const opening = openModel(model, { signal, onProgress });
    // Whichever fails first is told, and the other does not linger.
    opening.catch(() => undefined);
    await coreReady().catch((error) => {
      opening.then(
        ({ close }) => close(),
        () => undefined,
      );
      throw error;
    });
    const checkpoint = await opening;
    const loop = await openSession(
      checkpoint,
      (handle, parameters) => new GenerationLoop(handle, checkpoint.config, parameters),
      signal,
    );
    try {
      return Object.assign(loop, strict);
    } catch (error) {
      loop.dispose();
      throw error;
    }
  }

  /**
   * FLOPs of a pass, by closed formula; no model is needed.
   * @param {import("./flops.js").Sizes} config
   * @param {{ phase: "prefill" | "decode", length: number }} pass
   * @returns {number}
   * @throws {GenerationError} `invalid-config`, `invalid-setting`
   */
  static flops(config, pass) {
    return flopsOf(config, pass);
  }

  /**
   * Runs one call into the core. None begins inside another.
   * @template T
   * @param {(handle: number) => T} call
   * @returns {T}
   */
  #in(call) {
    if (this.#state === "disposed") {
      throw new GenerationError("disposed", "this loop was disposed; load a new one");
    }
    // A call that did not even get to say how it ended: the stack was full, or something as bad.
    if (this.#state === "calling") this.#fail();
    if (this.#state === "trapped") throw trapped();
    this.#state = "calling";
    try {
      const result = call(this.#handle);
      this.#state = "live";
      return result;
    } catch (error) {
      const known = translated(error);
      if (known.code === "trapped") this.#fail();
      else this.#state = "live";
      throw known;
    }
  }

  #fail() {
    this.#state = "trapped";
    instance.failed = true;
    this.#leave();
  }

  #leave() {
    undisposed.unregister(this);
    instance.live -= 1;
  }

  /**
   * Token ids of a text, normalised first.
   * @param {string} text
   * @returns {number[]}
   * @throws {GenerationError} `empty-prompt`, `unsupported-characters`, `no-character-table`
   */
  encode(text) {
    return this.#in(() => this.#vocabulary.encode(textFrom(text)));
  }

  /**
   * The text of token ids; end-of-text adds nothing.
   * @param {Iterable<number>} ids
   * @returns {string}
   * @throws {GenerationError} `token-out-of-range`
   */
  decode(ids) {
    const list = idsFrom(ids, "ids", "a list of token ids");
    return this.#in(() => this.#vocabulary.decode(list));
  }

  /**
   * A text as the vocabulary sees it: small letters, straight quotes, plain spaces and line ends.
   * @param {string} text
   * @returns {string}
   */
  normalise(text) {
    return this.#in(() => this.#vocabulary.normalise(textFrom(text)));
  }

  /**
   * Pass 1 of a new run: the whole prompt at once, then the first new token is sampled. The draws start at the seed again.
   * @param {string | Iterable<number>} prompt text or token ids
   * @returns {Pass}
   * @throws {GenerationError} those of {@link encode}, `token-out-of-range`, `prompt-too-long`, `non-finite-logit`
   */
  prefill(prompt) {
    const ids =
      typeof prompt === "string"
        ? this.encode(prompt)
        : idsFrom(prompt, "prompt", "text or a list of token ids");
    return this.#pass((handle) => {
      giveNumbers(ids);
      return core.prefill(handle);
    });
  }

  /**
   * The next pass: the newest token goes in, and the one after it is sampled.
   * @returns {Pass}
   * @throws {GenerationError} `not-started`, `stopped`, `non-finite-logit`, `out-of-memory`
   */
  decodeStep() {
    return this.#pass((handle) => core.decode_step(handle));
  }

  /** @param {(handle: number) => number} forward gives the place of the logits, or 0 */
  #pass(forward) {
    return this.#in((handle) => {
      const start = clock.now();
      const place = forward(handle);
      const milliseconds = clock.now() - start;
      const logits = logitsAt(ensured(place), this.#config.vocab_size);
      const fields = writtenPass(milliseconds, this.#vocabulary, this.#stopStrings);
      if (fields.index === 1) {
        this.#log = [];
        this.#unread = [];
        this.#run += 1;
      }
      const pass = new Pass(fields, this.#config, candidatesOf(logits, this.#sampling, this.#vocabulary));
      this.#keep(pass, this.#config.vocab_size);
      this.#log.push(pass);
      return pass;
    });
  }

  /**
   * Passes of a large vocabulary hold their logits until somebody reads the candidates, or until they would be too many.
   * @param {Pass} pass
   * @param {number} size of the vocabulary
   */
  #keep(pass, size) {
    if (size <= SMALL_VOCABULARY) return;
    this.#unread.push(pass);
    if (this.#unread.length * size > MOST_LOGITS) this.#unread.shift()?.candidates;
  }

  /**
   * Prefill, then one pass per token until the run stops; streams the tokens of the text, in order, each once.
   *
   * Text that may yet become a stop string waits until it cannot. The token that ends the run is no part of the stream. An
   * abort ends the stream without an error, after what was held back. So does, at once, whatever ends the run: another one
   * on this loop, a rewind, a reset, a dispose.
   * @param {string | Iterable<number>} prompt
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {AsyncGenerator<{ id: number, text: string }, void, void>}
   */
  async *generate(prompt, options = {}) {
    refuseUnknown("generate", options, ["signal"]);
    const signal = options.signal ?? undefined;
    refuseOther("signal", signal, "an AbortSignal", typeof signal?.aborted === "boolean");
    if (signal?.aborted) return;
    this.prefill(prompt);
    const run = this.#run;
    yield* stream(
      {
        isCurrent: () => this.#run === run,
        hasStopped: () => this.stop !== null,
        text: () => this.text,
        releasedText: () => this.#text(true),
        token: (index) => this.#log[index].token,
        step: () => this.decodeStep(),
      },
      signal,
    );
  }

  /**
   * Goes back to the moment after pass `keep`: cache, text and draws as they were then. Settings stay as they are.
   * @param {number} keep passes to keep; 0 is {@link reset}
   * @throws {GenerationError} `rewind-too-far`, `invalid-setting`
   */
  rewind(keep) {
    if (typeof keep !== "number") {
      throw new GenerationError("invalid-setting", `passes to keep is ${shown(keep)}; allowed: a number`);
    }
    this.#in((handle) => ensured(core.rewind(handle, keep)));
    this.#log = this.#log.slice(0, keep);
    this.#unread = [];
    this.#run += 1;
  }

  /** Forgets the run; model, settings and seed stay. */
  reset() {
    this.#in((handle) => ensured(core.rewind(handle, 0)));
    this.#log = [];
    this.#unread = [];
    this.#run += 1;
  }

  /** Frees the memory. Every later call throws `disposed`; disposing again does nothing. */
  dispose() {
    const inUse = this.#state === "live" || this.#state === "calling";
    if (this.#state === "calling") instance.failed = true;
    this.#state = "disposed";
    this.#run += 1;
    if (!inUse) return;
    this.#leave();
    freed(this.#handle);
  }

  /** Logits of the last pass at its last position, (V,); a copy, empty before the first pass. */
  logits() {
    return this.#in((handle) =>
      Float32Array.from(
        this.#log.length === 0 ? [] : logitsAt(ensured(core.logits(handle)), this.#config.vocab_size),
      ),
    );
  }

  /**
   * How much the last position of the last pass attended to each token that it could see: (n_layer, n_head, T), row after row,
   * each row summing to 1. A copy, empty before the first pass.
   */
  attention() {
    return this.#in((handle) => {
      core.attention(handle);
      return leftFloats();
    });
  }

  /** Multiply-adds of the last pass by operation, counted inside the kernels; FLOPs are twice that. */
  get multiplyAdds() {
    return this.#in((handle) => {
      core.multiply_adds(handle);
      return leftNumbers();
    });
  }

  /** Ids of the prompt, then of every sampled token, the one that ended the run included. */
  get tokens() {
    return this.#in((handle) => {
      core.tokens(handle);
      return leftNumbers();
    });
  }

  /** The generated text, without the stop string that ended it. */
  get text() {
    return this.#text(false);
  }

  /** @param {boolean} released whether only what a stream may show by now */
  #text(released) {
    return this.#in((handle) => {
      core.generated(handle, Number(released));
      return leftText();
    });
  }

  /** One record per forward pass. */
  get log() {
    return this.#in(() => [...this.#log]);
  }

  /** Forward passes made in this run. */
  get passes() {
    return this.#in(() => this.#log.length);
  }

  /** How the run ended; null while it has not. @returns {Stop | null} */
  get stop() {
    return this.#in(() => this.#log.at(-1)?.stop ?? null);
  }

  /** The model's shape. */
  get config() {
    return this.#in(() => this.#config);
  }

  /** Number of weights; a tied head counts once. */
  get parameters() {
    return this.#in(() => this.#parameters);
  }

  /**
   * How the next token is chosen; setting it takes effect from the next token on, and what is left out stays.
   * @returns {Readonly<Sampling>}
   */
  get sampling() {
    return this.#in(() => this.#sampling);
  }

  /** @param {Partial<Sampling>} value */
  set sampling(value) {
    const sampling = samplingFrom(value, this.#sampling);
    this.#in((handle) => ensured(core.set_sampling(handle, ...methodOf(sampling))));
    this.#sampling = sampling;
  }

  /**
   * The seed in use, also where the system picked it; it can be set between runs, null for a new one from the system.
   * @returns {number}
   */
  get seed() {
    return this.#in(() => this.#seed);
  }

  /** @param {number | bigint | string | null} value */
  set seed(value) {
    const seed = seedFrom(value) ?? anySeed();
    this.#in((handle) => ensured(core.set_seed(handle, seed)));
    this.#seed = seed;
  }

  /**
   * Strings that end the run; they can be set between runs.
   * @returns {readonly string[]}
   */
  get stopStrings() {
    return this.#in(() => this.#stopStrings);
  }

  /** @param {string | readonly string[]} value */
  set stopStrings(value) {
    const stop = stopFrom(value);
    this.#in((handle) => {
      giveText(stop.join(""));
      giveNumbers(stop.map((string) => string.length));
      ensured(core.set_stop(handle));
    });
    this.#stopStrings = Object.freeze(stop);
  }

  /** Prompt and generated tokens together; null until the context is full. It can be set between runs. */
  get maxTokens() {
    return this.#in(() => this.#maxTokens);
  }

  /** @param {number | null} value */
  set maxTokens(value) {
    const maxTokens = maxTokensFrom(value);
    this.#in((handle) => ensured(core.set_max_tokens(handle, maxTokens ?? 0)));
    this.#maxTokens = maxTokens;
  }

  /** Whether keys and values are kept; setting it takes effect from the next pass on, and changes no token. */
  get cache() {
    return this.#in(() => this.#cache);
  }

  /** @param {boolean} value */
  set cache(value) {
    const cache = cacheFrom(value);
    this.#in((handle) => core.set_cache(handle, Number(cache)));
    this.#cache = cache;
  }
}
