/** What a whole reply costs, from the prefill to end-of-text: sums of the formulas of a pass. */

import { bytesReadOf, flopsOf } from "../flops.js";
import { SHAPES } from "./shapes.js";

/** @typedef {import("../flops.js").Config} Config */

/** The shape of GPT-2 small, for numbers of a size that readers have heard of. */
export const GPT2 = SHAPES[0].config;

/**
 * The shape of the model on this page.
 * @type {Readonly<Config>}
 */
export const SHOWN = Object.freeze({
  n_layer: 2,
  n_head: 2,
  n_embd: 16,
  n_inner: 64,
  vocab_size: 64,
  n_positions: 128,
  layer_norm_epsilon: 1e-5,
  tie_word_embeddings: false,
  eos_token_id: 0,
});

/**
 * Passes, FLOPs, and bytes of weights and cache read, of a reply of `reply` tokens and end-of-text after a prompt of `prompt`.
 * @param {Config} config
 * @param {number} prompt
 * @param {number} reply
 */
export function costOfReply(config, prompt, reply) {
  let [passes, flops, bytes] = [0, 0, 0];
  for (let length = prompt; length <= prompt + reply; length += 1) {
    const read = bytesReadOf(config, length);
    passes += 1;
    flops += flopsOf(config, { phase: length === prompt ? "prefill" : "decode", length });
    bytes += read.weights + read.cache;
  }
  return { passes, flops, bytes };
}

/**
 * FLOPs of a pass for each byte that it must read.
 * @param {Config} config
 * @param {{ phase: "prefill" | "decode", length: number }} pass
 */
export function flopsPerByte(config, pass) {
  const { weights, cache } = bytesReadOf(config, pass.length);
  return flopsOf(config, pass) / (weights + cache);
}
