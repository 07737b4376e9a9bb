/**
 * A model given by the caller: Hugging Face's configuration and named tensors, checked for their types. Their values and
 * shapes are checked by the core.
 */

import { GenerationError, shown } from "./errors.js";

/** @typedef {import("./flops.js").Config} Config */

/**
 * A tensor, row after row.
 * @typedef {object} Tensor
 * @property {readonly number[]} shape
 * @property {Float32Array | readonly number[]} data
 */

/**
 * A model of the caller's own. Keys of `weights` are Hugging Face's tensor names.
 * @typedef {object} Checkpoint
 * @property {Record<string, unknown>} config
 * @property {Record<string, Tensor>} weights
 */

/**
 * A tensor in the form that the core takes.
 * @typedef {object} NamedTensor
 * @property {string} name
 * @property {Float64Array} shape
 * @property {Float32Array} data
 */

/** Settings of `GPT2Config` that change the arithmetic, with the values that this decoder computes. */
const FIXED = /** @type {const} */ ({
  activation_function: ["gelu_new", "gelu_pytorch_tanh"],
  scale_attn_weights: [true],
  scale_attn_by_inverse_layer_idx: [false],
  add_cross_attention: [false],
});

/**
 * A configuration in full: `n_inner` null means 4 · `n_embd`, and keys that change nothing here are left out.
 * @param {Record<string, unknown>} given
 * @returns {Config}
 * @throws {GenerationError} `invalid-config`
 */
export function configFrom(given) {
  if (typeof given !== "object" || given === null) {
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

/**
 * Named tensors as the core takes them.
 * @param {Record<string, Tensor>} weights
 * @returns {NamedTensor[]}
 * @throws {GenerationError} `tensor-shape`
 */
export function tensorsFrom(weights) {
  return Object.entries(weights ?? {}).map(([name, tensor]) => {
    const { shape, data } = tensor ?? {};
    if (!isNumbers(shape) || !(data instanceof Float32Array || isNumbers(data))) {
      throw new GenerationError(
        "tensor-shape",
        `tensor ${name} is ${shown(tensor)}; allowed: { shape: number[], data: Float32Array }`,
      );
    }
    // An array whose buffer was transferred away has length 0, and cannot be copied.
    const copy = data.length === 0 ? new Float32Array(0) : new Float32Array(data);
    return { name, shape: Float64Array.from(shape), data: copy };
  });
}

/**
 * @param {unknown} value
 * @returns {value is number[]}
 */
function isNumbers(value) {
  // Not the list's own `every`, which would skip its holes.
  return Array.isArray(value) && Array.from(value).every((number) => typeof number === "number");
}
