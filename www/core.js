/**
 * The WebAssembly core behind the engine: starting it, opening a session, and what happens when it fails. The only importer
 * of the generated `pkg/`.
 */

import { absolute } from "./bytes.js";
import { configFrom, inFile, NO_FILE, openCheckpoint } from "./checkpoint.js";
import { GenerationError, shown } from "./errors.js";
import {
  __wbg_reset_state,
  candidates,
  encode,
  initSync,
  normalised,
  own_memory,
  piece,
  WasmModel,
  WasmSession,
} from "./pkg/generation_loop.js";
import { multiples, config as shippedConfig, tensors as shippedTensors } from "./pkg/trained.js";
import { deflatedWasm } from "./pkg/wasm.js";
import { isAddress, MODELS, samplingFrom } from "./settings.js";
import { Vocabulary } from "./vocabulary.js";

export { WasmSession };

/** @typedef {import("./checkpoint.js").Checkpoint} Checkpoint */
/** @typedef {import("./checkpoint.js").OpenCheckpoint} OpenCheckpoint */
/** @typedef {import("./flops.js").Config} Config */

// One WebAssembly instance serves every loop of the page. After a trap its memory cannot be trusted: the loop that met it
// is dead, and a fresh instance takes over as soon as no other loop needs the old one.
/** @type {{ epoch: number, failed: boolean, live: number, ready: Promise<void> | undefined }} */
export const instance = { epoch: 0, failed: false, live: 0, ready: undefined };

/** Loops that nobody disposed: one that is gone must not keep an instance that failed in use for ever. */
export const undisposed = new FinalizationRegistry((/** @type {number} */ epoch) => {
  if (epoch === instance.epoch) instance.live -= 1;
});

/**
 * Compiles the module and starts it, once for all.
 * @returns {Promise<void>}
 * @throws {GenerationError} (as a rejection) `wasm-unavailable`
 */
export function coreReady() {
  instance.ready ??= inflated(deflatedWasm)
    // Compiled apart from the start: the glue's own way fetches, streams and falls back, of which nothing is needed here.
    .then((bytes) => WebAssembly.compile(bytes))
    .then((module) => initSync({ module }))
    .then(
      () => undefined,
      (cause) => {
        instance.ready = undefined;
        throw unavailable(cause);
      },
    );
  return instance.ready;
}

/**
 * @param {string} base64
 * @returns {Promise<ArrayBuffer>}
 */
async function inflated(base64) {
  const binary = atob(base64);
  const deflated = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place += 1) deflated[place] = binary.charCodeAt(place);
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).arrayBuffer();
}

/** @param {unknown} cause */
function unavailable(cause) {
  const refused = cause instanceof Error ? cause.message : String(cause);
  const why =
    typeof WebAssembly === "undefined"
      ? "this browser has no WebAssembly"
      : typeof DecompressionStream === "undefined"
        ? "this browser has no DecompressionStream"
        : cause instanceof WebAssembly.CompileError || cause instanceof EvalError
          ? `the browser refused it (${refused}). A page's Content-Security-Policy must have 'wasm-unsafe-eval' in script-src`
          : refused;
  return new GenerationError("wasm-unavailable", `WebAssembly cannot start: ${why}`, { cause });
}

/** After a trap, and once no loop needs the instance that failed, starts another. */
export function freshInstanceIfFree() {
  if (!instance.failed || instance.live > 0) return;
  __wbg_reset_state();
  instance.epoch += 1;
  instance.failed = false;
  instance.live = 0;
}

/**
 * What the core threw, as this project's error. What does not carry a code of the core's is a trap, or came of one.
 * @param {unknown} error
 * @returns {GenerationError}
 */
export function translated(error) {
  if (error instanceof GenerationError) return error;
  const { code, message } = /** @type {{ code?: unknown, message?: string }} */ (error ?? {});
  if (typeof code === "string" && message !== undefined) return new GenerationError(code, message);
  instance.failed = true;
  return trapped(error);
}

/** @param {unknown} [cause] */
export function trapped(cause) {
  const detail = cause instanceof Error ? ` (${cause.message})` : "";
  return new GenerationError(
    "trapped",
    `the WebAssembly instance has failed${detail}; load the model again`,
    { cause },
  );
}

/**
 * The text of a model's token ids, and back. Needs the core.
 * @param {Config} config
 */
export function vocabularyOf({ vocab_size, eos_token_id }) {
  return new Vocabulary(vocab_size, eos_token_id, {
    encode: guarded(encode),
    piece: guarded(piece),
    normalised: guarded(normalised),
  });
}

/**
 * A function of the core with this project's errors.
 * @template {any[]} A
 * @template T
 * @param {(...values: A) => T} call
 * @returns {(...values: A) => T}
 */
function guarded(call) {
  return (...values) => {
    try {
      return call(...values);
    } catch (error) {
      throw translated(error);
    }
  };
}

/**
 * Where a model's configuration and weights are; null for the random numbers, which are made and not read.
 * @param {unknown} model
 * @returns {Promise<Checkpoint> | Checkpoint | null}
 * @throws {GenerationError} `unknown-model`
 */
export function checkpointOf(model) {
  if (model === "untrained") return null;
  if (model === "trained") return trained();
  if (isAddress(model)) {
    const address = absolute(model);
    if (address !== null) {
      const folder = new URL(address);
      if (!folder.pathname.endsWith("/")) folder.pathname += "/";
      return {
        config: new URL("config.json", folder).href,
        weights: new URL("model.safetensors", folder).href,
      };
    }
  }
  if (typeof model === "object" && model !== null) return /** @type {Checkpoint} */ (model);
  const allowed = `${MODELS.join(", ")}, the address of a folder, or { config, weights }`;
  throw new GenerationError("unknown-model", `model is ${shown(model)}; allowed: ${allowed}`);
}

/** @type {Promise<Checkpoint> | undefined} */
let trainedCheckpoint;

function trained() {
  trainedCheckpoint ??= expanded().catch((cause) => {
    trainedCheckpoint = undefined;
    throw unavailable(cause);
  });
  return trainedCheckpoint;
}

/** The trained weights, from the 8 bits that each of them needs. @returns {Promise<Checkpoint>} */
async function expanded() {
  const numbers = new Int8Array(await inflated(multiples));
  let place = 0;
  const weights = shippedTensors.map(([name, shape, exponent]) => {
    const begin = place;
    place += shape.reduce((product, side) => product * side, 1);
    const data = Float32Array.from(numbers.subarray(begin, place), (multiple) => multiple * 2 ** exponent);
    return [name, { shape, data }];
  });
  return { config: shippedConfig, weights: Object.fromEntries(weights) };
}

/**
 * @param {unknown} model
 * @param {import("./checkpoint.js").Loading} loading
 * @returns {Promise<OpenCheckpoint>}
 */
export async function openModel(model, loading) {
  const source = checkpointOf(model);
  // No wait for a model in memory: whoever gave it may change it afterwards.
  const checkpoint = source instanceof Promise ? await source : source;
  return checkpoint === null
    ? {
        config: configFrom(shippedConfig),
        configFile: null,
        ...NO_FILE,
        tensors: null,
        read: () => Promise.reject(),
      }
    : openCheckpoint(checkpoint, loading);
}

/**
 * Reads the weights into a session. Whatever can be known before the first number is read, is: names, shapes, memory.
 * @template T
 * @param {OpenCheckpoint} checkpoint
 * @param {(session: WasmSession, parameters: number) => T} adopt makes what the session belongs to from then on; `parameters`
 *   is the number of weights
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export async function openSession(checkpoint, adopt, signal) {
  const { config, configFile, weightsFile, tensors } = checkpoint;
  freshInstanceIfFree();
  const hadFailed = instance.failed;
  const inCore = (/** @type {string | null} */ file, /** @type {() => any} */ call) =>
    inFile(file, () => {
      signal?.throwIfAborted();
      // What was begun before the instance failed is lost with it.
      if (instance.failed && !hadFailed) throw trapped();
      return guarded(call)();
    });
  // Nobody may replace the instance while it is waited for bytes.
  instance.live += 1;
  /** @type {WasmModel | undefined} */
  let held;
  try {
    const model = await inCore(configFile, () => modelOf(config));
    held = model;
    if (tensors !== null) {
      await inCore(configFile, () => ensureBlocks(checkpoint));
      const wanted = await inCore(weightsFile, () => wantedOf(model, checkpoint));
      for (const index of wanted) {
        const data = await checkpoint.read(index);
        const { name, shape } = tensors[index];
        await inCore(weightsFile, () => model.insert(name, Float64Array.from(shape), data));
      }
      await checkpoint.finish();
    }
    const parameters = model.parameters();
    held = undefined; // it becomes the session
    return adopt(await inCore(weightsFile, () => model.into_session(tensors === null)), parameters);
  } finally {
    checkpoint.close();
    instance.live -= 1;
    // What was in use when the instance failed cannot be freed: trying would hide the failure behind another.
    if (!instance.failed) held?.free();
  }
}

/**
 * A model of another depth: said as such, and not by the first tensor that is missing or too much.
 * @param {OpenCheckpoint} checkpoint
 */
function ensureBlocks({ config, tensors }) {
  const blocks = new Set();
  for (const { name } of tensors ?? []) {
    const block = /^(?:transformer\.)?h\.(\d+)\.(?!attn\.(?:masked_)?bias$)/.exec(name)?.[1];
    if (block !== undefined) blocks.add(block);
  }
  if (blocks.size === 0 || blocks.size === config.n_layer) return;
  const expected = `${blocks.size}, the number of blocks in the weights`;
  throw new GenerationError("invalid-config", `n_layer is ${config.n_layer}; expected ${expected}`);
}

/**
 * Which tensors are to be read, once all that can be known of them before that is known to be right.
 * @param {WasmModel} model
 * @param {OpenCheckpoint} checkpoint
 */
function wantedOf(model, { tensors, ensureReadable }) {
  const all = tensors ?? [];
  const wanted = [...all.keys()].filter((index) =>
    model.announce(all[index].name, Float64Array.from(all[index].shape)),
  );
  model.ensure_complete();
  ensureReadable(wanted);
  return wanted;
}

/** @param {Config} config */
function modelOf(config) {
  return new WasmModel(
    config.n_layer,
    config.n_head,
    config.n_embd,
    config.n_inner,
    config.vocab_size,
    config.n_positions,
    config.layer_norm_epsilon,
    config.tie_word_embeddings,
    config.eos_token_id,
  );
}

/**
 * Makes the candidates of a pass when they are asked for: under its own method, or under another. It holds neither the loop nor
 * its session: a record may outlive both.
 * @param {Float32Array | number[]} logits
 * @param {import("./settings.js").Sampling} sampling
 * @param {Vocabulary} vocabulary
 * @returns {(other?: Partial<import("./settings.js").Sampling>) => import("./pass.js").Candidates | null} null: the logits are
 *   no longer kept
 */
export function candidatesOf(logits, sampling, vocabulary) {
  /** @type {Float32Array | number[] | null} */
  let kept = logits;
  return (other) => {
    if (kept === null) return null;
    const { method, temperature, topK, topP } =
      other === undefined ? sampling : samplingFrom(other, sampling);
    const flat = guarded(candidates)(kept, method, temperature, topK, topP);
    const list = [];
    for (let place = 1; place < flat.length; place += 3) {
      const id = flat[place];
      const text = vocabulary.piece(id);
      list.push(
        Object.freeze({ id, text, probability: flat[place + 1], samplingProbability: flat[place + 2] }),
      );
    }
    // Those of a large vocabulary would soon be all of the memory.
    if (kept.length > MOST_IN_PLAIN_ARRAY) kept = null;
    return { kept: flat[0], list: Object.freeze(list) };
  };
}

/** Up to this size of the vocabulary, logits are copied into plain arrays: a typed one takes longer to make than to fill. */
const MOST_IN_PLAIN_ARRAY = 1024;

/** Numbers in the record of a pass, as the core writes them. */
const RECORD = 12;

/**
 * What a session has written of its last pass, read where it stands. Nothing of it leaves as a view: views go stale when
 * memory grows.
 */
export class Written {
  #session;
  #memory = /** @type {WebAssembly.Memory} */ (guarded(own_memory)());
  #pointer;
  #record = new Float64Array(0);
  #floats = new Float32Array(0);

  /** @param {WasmSession} session */
  constructor(session) {
    this.#session = session;
    this.#pointer = session.record_pointer();
  }

  /**
   * The logits, (size,); a copy.
   * @param {number} size
   * @returns {Float32Array | number[]}
   */
  logits(size) {
    // Its buffer is gone once memory has grown.
    if (this.#floats.length === 0) this.#floats = new Float32Array(this.#memory.buffer);
    const floats = this.#floats;
    const begin = this.#session.logits_pointer() / Float32Array.BYTES_PER_ELEMENT;
    if (size > MOST_IN_PLAIN_ARRAY) return floats.slice(begin, begin + size);
    const copy = new Array(size);
    for (let id = 0; id < size; id += 1) copy[id] = floats[begin + id];
    return copy;
  }

  /**
   * @param {number} milliseconds
   * @param {Vocabulary} vocabulary
   * @returns {import("./pass.js").PassFields}
   */
  pass(milliseconds, vocabulary) {
    if (this.#record.length === 0)
      this.#record = new Float64Array(this.#memory.buffer, this.#pointer, RECORD);
    const record = this.#record;
    const draw = record[7];
    const id = record[8];
    return {
      index: record[0],
      phase: record[1] === 1 ? "prefill" : "decode",
      tokensIn: record[2],
      contextLength: record[3],
      flops: record[4],
      flopsWithoutCache: record[5],
      cacheBytes: record[6],
      draw: Number.isNaN(draw) ? null : draw,
      token: Object.freeze({
        id,
        text: vocabulary.piece(id),
        probability: record[9],
        samplingProbability: record[10],
      }),
      stop: record[11] === 0 ? null : stopOf(this.#session),
      milliseconds,
    };
  }
}

/** @param {WasmSession} session */
function stopOf(session) {
  const reason = /** @type {import("./pass.js").Stop["reason"]} */ (session.stop_reason());
  const match = session.stop_match();
  return Object.freeze(match === undefined ? { reason } : { reason, match });
}
