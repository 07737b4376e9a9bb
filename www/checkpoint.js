/**
 * A model given by the caller: Hugging Face's `config.json` and `model.safetensors`, or named tensors. Types, names of files
 * and the format are checked here; values, names and shapes by the core.
 */

import { GenerationError, onDemand, shown } from "./errors.js";
import { inFile, isBytes, nameOf } from "./sources.js";

/** @typedef {import("./sources.js").BytesFrom} BytesFrom */
/** @typedef {import("./flops.js").Config} Config */

/**
 * A tensor, row after row.
 * @typedef {object} Tensor
 * @property {readonly number[]} shape
 * @property {Float32Array | readonly number[]} data
 */

/**
 * A model of the caller's own. Where one of the two is text, it is the address of a file. Keys of named tensors are Hugging
 * Face's names. The bytes of a file in memory are read little by little, and must stay as they are until the load is over.
 * @typedef {object} Checkpoint
 * @property {Record<string, unknown> | BytesFrom} config what is in a `config.json`, or the file
 * @property {Record<string, Tensor> | BytesFrom} weights named tensors, or a `model.safetensors`
 */

/**
 * How far a load has come.
 * @typedef {object} Progress
 * @property {number} loaded bytes of the weights
 * @property {number} total
 */

/**
 * How to load.
 * @typedef {object} Loading
 * @property {AbortSignal} [signal] ends it; the load then rejects with the signal's reason
 * @property {(progress: Progress) => void} [onProgress] called after each tensor, and as the bytes of a large one arrive
 */

/**
 * A checkpoint whose configuration and list of tensors are known.
 * @typedef {object} OpenCheckpoint
 * @property {Config} config
 * @property {string | null} configFile what errors call the file; null: there is none
 * @property {string | null} weightsFile
 * @property {{ name: string, shape: readonly number[] }[] | null} tensors in the order in which they can be read; null: random numbers
 * @property {(index: number) => Promise<Float32Array<ArrayBuffer>>} read the numbers of one of them, in that order; some may be left out
 * @property {(indices: number[]) => void} ensureReadable whether these can be read; throws `tensor-type`
 * @property {() => Promise<void>} finish reads past what was left out; nothing may come after it
 * @property {() => void} close
 */

/** Settings of `GPT2Config` that change the arithmetic, with the values that this decoder computes. */
const FIXED = /** @type {const} */ ({
  activation_function: ["gelu_new", "gelu_pytorch_tanh"],
  scale_attn_weights: [true],
  scale_attn_by_inverse_layer_idx: [false],
  add_cross_attention: [false],
});

/**
 * @param {Checkpoint} checkpoint
 * @param {Loading} [loading]
 * @returns {Promise<OpenCheckpoint>}
 * @throws {GenerationError} (as a rejection) `invalid-config`, `fetch-failed`, `invalid-safetensors`, `tensor-shape`
 */
export async function openCheckpoint({ config: given, weights }, { signal, onProgress } = {}) {
  // Objects are read before the first wait: whoever gave them may change them afterwards.
  const read = isBytes(given) ? null : configFrom(given);
  const named = isBytes(weights) ? null : namedTensors(weights);
  const [configFile, config] = read === null ? await readConfig(given, signal) : [null, read];
  if (named !== null) return { config, configFile, ...named };
  const { openFile } = await reader();
  return {
    config,
    configFile,
    ...(await openFile(/** @type {BytesFrom} */ (weights), { signal, onProgress })),
  };
}

/**
 * A configuration, and what errors call its file.
 * @param {unknown} given
 * @param {AbortSignal} [signal]
 * @returns {Promise<[file: string | null, Config]>}
 */
export async function readConfig(given, signal) {
  if (!isBytes(given)) return [null, configFrom(given)];
  const file = nameOf(given, "config.json");
  const { readJson } = await reader();
  return [file, await inFile(file, async () => configFrom(await readJson(given, signal)))];
}

/** What reads files. */
const reader = () => onDemand("files.js", import("./files.js"));

/**
 * A configuration in full: `n_inner` null means 4 · `n_embd`, and keys that change nothing here are left out.
 * @param {any} given
 * @returns {Config}
 * @throws {GenerationError} `invalid-config`
 */
export function configFrom(given) {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new GenerationError(
      "invalid-config",
      `config is ${shown(given)}; allowed: the object in a config.json`,
    );
  }
  for (const [key, allowed] of Object.entries(FIXED)) {
    const value = given[key] ?? allowed[0];
    if (!allowed.some((known) => known === value)) {
      throw new GenerationError(
        "invalid-config",
        `${key} is ${shown(value)}; allowed: ${allowed.join(", ")}`,
      );
    }
  }
  /** @type {(key: string, fallback?: number) => number} */
  const number = (key, fallback) => {
    const value = given[key] ?? fallback ?? given[key];
    if (typeof value === "number") return value;
    throw new GenerationError("invalid-config", `${key} is ${shown(value)}; allowed: a number`);
  };
  const n_embd = number("n_embd");
  const tied = given.tie_word_embeddings ?? true;
  if (typeof tied !== "boolean") {
    throw new GenerationError(
      "invalid-config",
      `tie_word_embeddings is ${shown(tied)}; allowed: true, false`,
    );
  }
  return {
    n_layer: number("n_layer"),
    n_head: number("n_head"),
    n_embd,
    n_inner: number("n_inner", 4 * n_embd),
    vocab_size: number("vocab_size"),
    n_positions: number("n_positions"),
    layer_norm_epsilon: number("layer_norm_epsilon", 1e-5),
    tie_word_embeddings: tied,
    eos_token_id:
      given.eos_token_id === undefined || given.eos_token_id === null ? null : number("eos_token_id"),
  };
}

/** What a checkpoint has to say of files where there are none. */
export const NO_FILE = {
  weightsFile: null,
  ensureReadable() {},
  finish: async () => {},
  close() {},
};

/**
 * Named tensors, copied.
 * @param {Record<string, Tensor>} weights
 * @returns {Omit<OpenCheckpoint, "config" | "configFile">}
 * @throws {GenerationError} `tensor-shape`
 */
function namedTensors(weights) {
  const tensors = Object.entries(weights ?? {}).map(([name, tensor]) => {
    const { shape, data } = tensor ?? {};
    if (!isNumbers(shape) || !(data instanceof Float32Array || isNumbers(data))) {
      throw new GenerationError(
        "tensor-shape",
        `tensor ${name} is ${shown(tensor)}; allowed: { shape: number[], data: Float32Array }`,
      );
    }
    // An array whose buffer was transferred away has length 0, and cannot be copied.
    const copy = data.length === 0 ? new Float32Array(0) : new Float32Array(data);
    return { name, shape: [...shape], data: copy };
  });
  return { ...NO_FILE, tensors, read: async (index) => tensors[index].data };
}

/**
 * @param {unknown} value
 * @returns {value is number[]}
 */
function isNumbers(value) {
  // Not the list's own `every`, which would skip its holes.
  return Array.isArray(value) && [...value].every((number) => typeof number === "number");
}
