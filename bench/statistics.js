/** What is made of many samples: numbers that one slow moment of the machine does not move. */

/**
 * The sample below which this share of all lies.
 * @param {readonly number[]} values
 * @param {number} share 0 to 1; 0.5 is the median
 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** @param {readonly number[]} values */
export const median = (values) => quantile(values, 0.5);

/**
 * How far values lie apart.
 * @param {readonly number[]} values
 */
export const spread = (values) => ({
  p10: quantile(values, 0.1),
  median: median(values),
  p90: quantile(values, 0.9),
  slowest: Math.max(...values),
});

/**
 * How many times as large the first are as the second, pair by pair: both of a pair come from one round, in which the machine
 * was as fast for the one as for the other.
 * @param {readonly number[]} values
 * @param {readonly number[]} others
 */
export const ratio = (values, others) => median(values.map((value, round) => value / others[round]));

/**
 * Everything in an order that begins one further in each round, so that nobody is always first.
 * @template T
 * @param {readonly T[]} list
 * @param {number} round
 * @returns {T[]}
 */
export const rotated = (list, round) => list.map((_, turn) => list[(round + turn) % list.length]);
