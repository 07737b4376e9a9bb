/** What bounds a pass of a real model on a real chip: arithmetic or memory. It knows no DOM. */

import { bytesReadOf, totalOf } from "../flops.js";
import { ridgeOf } from "./chips.js";
import { parametersOf } from "./shapes.js";

/** @typedef {import("../flops.js").Config} Config */
/** @typedef {import("./chips.js").Chip} Chip */

/**
 * @typedef {object} Bounds
 * @property {number} flops
 * @property {number} weightBytes read, each weight once
 * @property {number} cacheBytes read, of all that the pass can see
 * @property {number} bytes both
 * @property {number} intensity FLOPs for each byte
 * @property {number} arithmetic seconds that the FLOPs take at least
 * @property {number} memory seconds that the bytes take at least
 * @property {number} seconds the longer of the two: both can go on at once, so that the pass takes this at least
 * @property {"arithmetic" | "memory"} boundBy
 */

/**
 * @param {Config} config
 * @param {Chip} chip
 * @param {number} bytesPerWeight the cache's numbers take as many
 * @param {{ tokensIn: number, contextLength: number }} pass
 * @returns {Bounds}
 */
export function boundsOf(config, chip, bytesPerWeight, { tokensIn, contextLength }) {
  const flops = totalOf(config, tokensIn, contextLength);
  // The formula counts four bytes to a number.
  const { weights, cache } = bytesReadOf(config, contextLength);
  const [weightBytes, cacheBytes] = [weights, cache].map((bytes) => (bytes / 4) * bytesPerWeight);
  const bytes = weightBytes + cacheBytes;
  const arithmetic = flops / chip.flops;
  const memory = bytes / chip.bandwidth;
  return {
    flops,
    weightBytes,
    cacheBytes,
    bytes,
    intensity: flops / bytes,
    arithmetic,
    memory,
    seconds: Math.max(arithmetic, memory),
    boundBy: arithmetic >= memory ? "arithmetic" : "memory",
  };
}

/**
 * @typedef {object} Question
 * @property {Config} config
 * @property {Chip} chip
 * @property {number} promptTokens
 * @property {number} replyTokens at least 1
 * @property {number} bytesPerWeight
 */

/**
 * A whole reply: a prefill, and a decode for each token but the first.
 * @param {Question} question
 */
export function replyOf({ config, chip, promptTokens, replyTokens, bytesPerWeight }) {
  const prefill = boundsOf(config, chip, bytesPerWeight, {
    tokensIn: promptTokens,
    contextLength: promptTokens,
  });
  const decodeAt = (/** @type {number} */ contextLength) =>
    boundsOf(config, chip, bytesPerWeight, { tokensIn: 1, contextLength });
  let decodeFlops = 0;
  let decodeSeconds = 0;
  for (let more = 1; more < replyTokens; more += 1) {
    const { flops, seconds } = decodeAt(promptTokens + more);
    decodeFlops += flops;
    decodeSeconds += seconds;
  }
  // The last token is sampled, and never goes in.
  const { cache } = bytesReadOf(config, promptTokens + replyTokens - 1);
  const weightBytes = parametersOf(config) * bytesPerWeight;
  const cacheBytes = (cache / 4) * bytesPerWeight;
  const neededBytes = weightBytes + cacheBytes;
  return {
    prefill,
    /** The first one: of all decodes the cheapest, by a little. */
    decode: decodeAt(promptTokens + 1),
    ridge: ridgeOf(chip),
    decodes: replyTokens - 1,
    decodeFlops,
    decodeSeconds,
    flops: prefill.flops + decodeFlops,
    seconds: prefill.seconds + decodeSeconds,
    /** Every parameter, the embeddings too: they must be there, if only a few of their rows are read. */
    weightBytes,
    /** The cache at its longest. */
    cacheBytes,
    neededBytes,
    fits: neededBytes <= chip.memory,
    /** Chips whose memories would hold it together. */
    chips: Math.ceil(neededBytes / chip.memory),
  };
}

/**
 * Whether prompt and reply have room in the model's context.
 * @param {Config} config
 * @param {number} promptTokens
 * @param {number} replyTokens
 */
export function hasRoom({ n_positions }, promptTokens, replyTokens) {
  return promptTokens + replyTokens <= n_positions;
}
