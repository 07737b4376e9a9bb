/** The clock that times passes, and how finely it moves. */

/** So many readings, a millisecond or two of them, see the step of every clock that is worth showing. */
const MOST_READINGS = 40_000;

/** @type {number | null | undefined} */
let known;

/**
 * The length of the clock's step in milliseconds, measured once: browsers round their clocks, each in its own way. Null of a clock
 * that was not seen to move.
 * @param {() => number} [now] for tests; its step is measured anew
 * @returns {number | null}
 */
export function clockStep(now) {
  if (now !== undefined) return stepOf(now);
  if (known === undefined) known = stepOf(() => performance.now());
  return known;
}

/** @param {() => number} now */
function stepOf(now) {
  let least = Infinity;
  let last = now();
  for (let reading = 0; reading < MOST_READINGS; reading += 1) {
    const time = now();
    if (time > last) least = Math.min(least, time - last);
    last = time;
  }
  // Differences of large numbers end in digits that are none.
  return least === Infinity ? null : Number(least.toPrecision(2));
}
