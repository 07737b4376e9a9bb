/** Real models of GPT-2's architecture: their shapes, and how many parameters a shape has. */

/** @typedef {import("../flops.js").Config} Config */

/**
 * @typedef {object} Shape
 * @property {string} id
 * @property {string} name
 * @property {string} published the number of parameters that its makers give
 * @property {Readonly<Config>} config
 * @property {string} source where the shape is published
 */

/**
 * All have the same tokens, tie the head to the token embedding, and are four times as wide inside the MLP.
 * @param {number} n_layer
 * @param {number} n_head
 * @param {number} n_embd
 * @param {number} n_positions
 * @returns {Readonly<Config>}
 */
function shape(n_layer, n_head, n_embd, n_positions) {
  return Object.freeze({
    n_layer,
    n_head,
    n_embd,
    n_inner: 4 * n_embd,
    vocab_size: 50_257,
    n_positions,
    layer_norm_epsilon: 1e-5,
    tie_word_embeddings: true,
    eos_token_id: 50_256,
  });
}

const HUB = "https://huggingface.co/openai-community";

/** @type {readonly Readonly<Shape>[]} */
export const SHAPES = Object.freeze([
  {
    id: "gpt2",
    name: "GPT-2 small",
    published: "124M",
    config: shape(12, 12, 768, 1024),
    source: `${HUB}/gpt2`,
  },
  {
    id: "gpt2-medium",
    name: "GPT-2 medium",
    published: "355M",
    config: shape(24, 16, 1024, 1024),
    source: `${HUB}/gpt2-medium`,
  },
  {
    id: "gpt2-large",
    name: "GPT-2 large",
    published: "774M",
    config: shape(36, 20, 1280, 1024),
    source: `${HUB}/gpt2-large`,
  },
  {
    id: "gpt2-xl",
    name: "GPT-2 XL",
    published: "1.5B",
    config: shape(48, 25, 1600, 1024),
    source: `${HUB}/gpt2-xl`,
  },
  {
    id: "gpt3",
    name: "GPT-3 175B",
    published: "175B",
    config: shape(96, 96, 12_288, 2048),
    // Brown et al. 2020, table 2.1. The vocabulary is GPT-2's.
    source: "https://arxiv.org/abs/2005.14165",
  },
]);

/**
 * Every weight, bias and gain of a shape, each once: the two embeddings; in a block, two norms, attention's two products and
 * the MLP's two, with their biases; the last norm; and a head of its own where it is not the token embedding.
 * @param {Config} config
 */
export function parametersOf({
  n_layer: l,
  n_embd: d,
  n_inner: f,
  vocab_size: v,
  n_positions: p,
  tie_word_embeddings,
}) {
  const norm = 2 * d;
  const attention = 4 * d * d + 4 * d;
  const mlp = 2 * d * f + f + d;
  return (v + p) * d + l * (2 * norm + attention + mlp) + norm + (tie_word_embeddings ? 0 : v * d);
}
