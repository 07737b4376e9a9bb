/** Models to be: shapes, and weights that are all zero or random, in the form that `GenerationLoop.load` takes. */

/** @typedef {import("../../www/flops.js").Config} Config */
/** @typedef {{ shape: number[], data: Float32Array }} Tensor */
/** @typedef {{ config: Record<string, unknown> & Config, weights: Record<string, Tensor> }} Model */

/** The shape of the shipped weights. @type {Config} */
export const DEFAULT_SHAPE = {
  n_layer: 2,
  n_head: 2,
  n_embd: 16,
  n_inner: 64,
  vocab_size: 64,
  n_positions: 128,
  layer_norm_epsilon: 1e-5,
  tie_word_embeddings: false,
  eos_token_id: 0,
};

/** Shapes that share no number with the default one, and each something odd. @type {Record<string, Config>} */
export const SHAPES = {
  default: DEFAULT_SHAPE,
  "three layers of three heads": {
    ...DEFAULT_SHAPE,
    n_layer: 3,
    n_head: 3,
    n_embd: 15,
    n_inner: 7,
    vocab_size: 37,
    n_positions: 24,
  },
  "one number wide": {
    ...DEFAULT_SHAPE,
    n_layer: 1,
    n_head: 1,
    n_embd: 1,
    n_inner: 1,
    vocab_size: 5,
    n_positions: 9,
  },
  "wide and tied": {
    ...DEFAULT_SHAPE,
    n_layer: 1,
    n_head: 4,
    n_embd: 36,
    n_inner: 100,
    n_positions: 20,
    tie_word_embeddings: true,
  },
};

/**
 * All tensors of a shape, zero.
 * @param {Config} config
 * @returns {Model}
 */
export function blank(config) {
  const { n_layer, n_embd: d, n_inner: f, vocab_size: v, n_positions: p } = config;
  /** @type {Model["weights"]} */
  const weights = {};
  /** @param {string} name @param {number[]} shape */
  const add = (name, ...shape) => {
    weights[name] = { shape, data: new Float32Array(shape.reduce((product, side) => product * side, 1)) };
  };
  for (let layer = 0; layer < n_layer; layer += 1) {
    const h = `transformer.h.${layer}`;
    add(`${h}.ln_1.weight`, d);
    add(`${h}.ln_1.bias`, d);
    add(`${h}.attn.c_attn.weight`, d, 3 * d);
    add(`${h}.attn.c_attn.bias`, 3 * d);
    add(`${h}.attn.c_proj.weight`, d, d);
    add(`${h}.attn.c_proj.bias`, d);
    add(`${h}.ln_2.weight`, d);
    add(`${h}.ln_2.bias`, d);
    add(`${h}.mlp.c_fc.weight`, d, f);
    add(`${h}.mlp.c_fc.bias`, f);
    add(`${h}.mlp.c_proj.weight`, f, d);
    add(`${h}.mlp.c_proj.bias`, d);
  }
  add("transformer.wte.weight", v, d);
  add("transformer.wpe.weight", p, d);
  add("transformer.ln_f.weight", d);
  add("transformer.ln_f.bias", d);
  if (!config.tie_word_embeddings) add("lm_head.weight", v, d);
  return { config: { ...config }, weights };
}

/**
 * The same numbers for the same seed, between −`size` and `size`.
 * @param {Config} config
 * @param {number} [seed]
 * @param {number} [size]
 * @returns {Model}
 */
export function random(config, seed = 1, size = 1) {
  const model = blank(config);
  const next = generator(seed);
  for (const { data } of Object.values(model.weights)) {
    for (let index = 0; index < data.length; index += 1) data[index] = size * (2 * next() - 1);
  }
  return model;
}

/**
 * Numbers in [0, 1), for tests that should fail in the same way twice (mulberry32).
 * @param {number} seed
 * @returns {() => number}
 */
export function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
