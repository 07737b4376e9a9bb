/** What a run has cost with the cache and without, and what it will have cost at its end. It knows no DOM. */

import { bytesReadOf, totalOf } from "../flops.js";

/**
 * FLOPs of several passes.
 * @typedef {object} Totals
 * @property {number} passes
 * @property {number} prefill of the first of them, which costs the same both ways
 * @property {number} cached
 * @property {number} uncached
 */

/**
 * @param {readonly import("../pass.js").Pass[]} log
 * @returns {Totals}
 */
export function totalsOf(log) {
  return {
    passes: log.length,
    prefill: log[0]?.flopsWithoutCache ?? 0,
    // Also of passes that were made without the cache: prefill(S) = S · decode(S), exactly.
    cached: log.reduce(
      (sum, { phase, contextLength, flopsWithoutCache }) =>
        sum + flopsWithoutCache / (phase === "prefill" ? 1 : contextLength),
      0,
    ),
    uncached: log.reduce((sum, { flopsWithoutCache }) => sum + flopsWithoutCache, 0),
  };
}

/**
 * The whole run, to its limit.
 * @param {import("../flops.js").Config} config
 * @param {number} length of the prompt
 * @param {number} passes
 * @returns {Totals}
 */
export function plannedOf(config, length, passes) {
  const contexts = Array.from({ length: passes }, (_, more) => length + more);
  const prices = contexts.map((context) => totalOf(config, context, context));
  return {
    passes,
    prefill: prices[0] ?? 0,
    cached: prices.reduce((sum, price, more) => sum + (more ? totalOf(config, 1, contexts[more]) : price), 0),
    uncached: prices.reduce((sum, price) => sum + price, 0),
  };
}

/**
 * Bytes of the cache that holds so many tokens: each pass reads all of it, so that the one formula gives the other.
 * @param {import("../flops.js").Config} config
 * @param {number} tokens
 */
export function keptOf(config, tokens) {
  return bytesReadOf(config, tokens).cache;
}

/** How many times as much, to one digit after the point. @param {Totals} totals */
export function ratioOf({ cached, uncached }) {
  return (uncached / cached).toFixed(1);
}
