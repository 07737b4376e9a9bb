/** What a pass has to do, by formula: the floor under every time that is measured. */

import { bytesReadOf, totalOf } from "../www/flops.js";

/** @typedef {import("../www/flops.js").Config} Config */

/**
 * One pass of a model: `length` tokens go in where it is a prefill, and one that sees so many where it is a decode step. It
 * may be the mean of several steps: all that follows grows with it in a straight line.
 * @typedef {object} Work
 * @property {Config} config
 * @property {"prefill" | "decode"} phase
 * @property {number} length
 */

/**
 * What the machine can do at most.
 * @typedef {object} Limits
 * @property {number} peak GFLOP/s of simd128 multiply-adds
 * @property {number} bandwidth GB/s read from 64 MiB
 */

/**
 * A shape of GPT-2's architecture, without an end-of-text token.
 * @param {number} n_layer
 * @param {number} n_head
 * @param {number} n_embd
 * @param {number} vocab_size
 * @param {number} n_positions
 * @param {boolean} tie_word_embeddings
 * @returns {Config}
 */
export function shape(n_layer, n_head, n_embd, vocab_size, n_positions, tie_word_embeddings) {
  const n_inner = 4 * n_embd;
  const layer_norm_epsilon = 1e-5;
  const eos_token_id = null;
  return {
    ...{ n_layer, n_head, n_embd, n_inner, vocab_size, n_positions },
    ...{ layer_norm_epsilon, tie_word_embeddings, eos_token_id },
  };
}

/** @param {Work} work */
export const flopsOf = ({ config, phase, length }) =>
  totalOf(config, phase === "prefill" ? length : 1, length);

/**
 * Bytes that a pass must read.
 * @param {Work} work
 */
export function bytesOf({ config, length }) {
  const { weights, cache } = bytesReadOf(config, length);
  return weights + cache;
}

/**
 * The shortest time in which the machine could make a pass, in microseconds: at its peak, or at its bandwidth.
 * @param {Work} work
 * @param {Limits} limits
 */
export const floorOf = (work, { peak, bandwidth }) =>
  Math.max(flopsOf(work) / peak, bytesOf(work) / bandwidth) / 1e3;
