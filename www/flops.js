/**
 * What a pass costs, by closed formula: matrix multiplies only, 2 FLOPs per multiply-add, dense (the causal mask is applied
 * after the product), the head on every position. S tokens go in and see T tokens; L, D, F and V are the model's
 * `n_layer`, `n_embd`, `n_inner` and `vocab_size`.
 *
 * The twin of `flops.rs`, for shapes that nobody has loaded; both are tested against the multiply-adds that the kernels
 * count.
 */

import { GenerationError, shown } from "./errors.js";

/**
 * A model's shape, under Hugging Face's names.
 * @typedef {object} Config
 * @property {number} n_layer number of blocks, L
 * @property {number} n_head attention heads in a block
 * @property {number} n_embd width, D
 * @property {number} n_inner width of the MLP's inner layer, F
 * @property {number} vocab_size number of tokens, V
 * @property {number} n_positions length of the context
 * @property {number} layer_norm_epsilon added to every variance
 * @property {boolean} tie_word_embeddings whether the head is the token embedding, transposed
 * @property {number | null} eos_token_id the end-of-text token, if there is one
 */

/** What FLOPs depend on. @typedef {Pick<Config, "n_layer" | "n_embd" | "n_inner" | "vocab_size">} Sizes */

/** @typedef {"qkv" | "scores" | "mix" | "attention output" | "mlp up" | "mlp down" | "head"} OperationName */

/**
 * The matrix products of a pass, in the order in which they run.
 * @type {{ name: OperationName, flops: (c: Sizes, s: number, t: number) => number }[]}
 */
const OPERATIONS = [
  { name: "qkv", flops: (c, s) => c.n_layer * 6 * s * c.n_embd ** 2 },
  { name: "scores", flops: (c, s, t) => c.n_layer * 2 * s * t * c.n_embd },
  { name: "mix", flops: (c, s, t) => c.n_layer * 2 * s * t * c.n_embd },
  { name: "attention output", flops: (c, s) => c.n_layer * 2 * s * c.n_embd ** 2 },
  { name: "mlp up", flops: (c, s) => c.n_layer * 2 * s * c.n_embd * c.n_inner },
  { name: "mlp down", flops: (c, s) => c.n_layer * 2 * s * c.n_embd * c.n_inner },
  { name: "head", flops: (c, s) => 2 * s * c.n_embd * c.vocab_size },
];

/**
 * FLOPs of a pass that takes `tokensIn` tokens in and attends over `contextLength` of them, by operation.
 * @param {Sizes} config
 * @param {number} tokensIn S
 * @param {number} contextLength T
 * @returns {{ name: OperationName, flops: number }[]}
 */
export function operationsOf(config, tokensIn, contextLength) {
  return OPERATIONS.map(({ name, flops }) => ({ name, flops: flops(config, tokensIn, contextLength) }));
}

/**
 * The sum of {@link operationsOf}.
 * @param {Sizes} config
 * @param {number} tokensIn S
 * @param {number} contextLength T
 */
export function totalOf(config, tokensIn, contextLength) {
  return operationsOf(config, tokensIn, contextLength).reduce((sum, { flops }) => sum + flops, 0);
}

/**
 * Bytes that a pass must read, each once, 4 to a number: the weights of its products, and the keys and values of all that its
 * tokens see. FLOPs per byte tell what holds it up: arithmetic where they are many, memory where they are few.
 * @param {Config} config
 * @param {number} contextLength T
 * @returns {{ weights: number, cache: number }}
 */
export function bytesReadOf(config, contextLength) {
  const { n_layer: l, n_embd: d, n_inner: f, vocab_size: v } = config;
  return { weights: 4 * (l * (4 * d * d + 2 * d * f) + v * d), cache: 4 * 2 * l * contextLength * d };
}

/**
 * FLOPs of a whole pass.
 * @param {Sizes} config
 * @param {{ phase: "prefill" | "decode", length: number }} pass `length`: for a prefill the tokens in it; for a decode
 *   step the tokens in the cache once the new one is in it
 * @returns {number}
 * @throws {GenerationError} `invalid-config`, `invalid-setting`
 */
export function flopsOf(config, pass) {
  const { phase, length } = pass ?? {};
  for (const key of /** @type {const} */ (["n_layer", "n_embd", "n_inner", "vocab_size"])) {
    if (!isCount(config?.[key])) {
      throw new GenerationError(
        "invalid-config",
        `${key} is ${shown(config?.[key])}; allowed: a whole number, at least 1`,
      );
    }
  }
  if (phase !== "prefill" && phase !== "decode") {
    throw new GenerationError("invalid-setting", `phase is ${shown(phase)}; allowed: "prefill", "decode"`);
  }
  if (!isCount(length)) {
    throw new GenerationError(
      "invalid-setting",
      `length is ${shown(length)}; allowed: a whole number, at least 1`,
    );
  }
  const tokensIn = phase === "prefill" ? length : 1;
  return totalOf(config, tokensIn, length);
}

/** @param {unknown} value */
function isCount(value) {
  return Number.isSafeInteger(value) && /** @type {number} */ (value) >= 1;
}
