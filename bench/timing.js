/** How code is timed in the browser. */

/** Each sample takes at least so long, in milliseconds: the clock has steps of 5 µs. */
export const SAMPLE = 2;

/** Where no more rounds than this are asked for, times say nothing, and nothing is warmed up for them. */
const FEW_ROUNDS = 5;

/**
 * How often to repeat what takes so long, for a sample of it.
 * @param {number} milliseconds
 */
export const repeatsOf = (milliseconds) => Math.max(1, Math.ceil(SAMPLE / milliseconds));

/**
 * Browsers compile code again, and better, once it has run for a while.
 * @param {() => any} run
 * @param {number} rounds that are asked for
 * @param {number} [milliseconds]
 */
export async function warmUp(run, rounds, milliseconds = 800) {
  const end = performance.now() + (rounds > FEW_ROUNDS ? milliseconds : 0);
  for (let turns = 0; turns < 3 || performance.now() < end; turns += 1) {
    const pending = run();
    if (pending instanceof Promise) await pending;
    // What is compiled in the background is taken over between tasks.
    if (turns % 16 === 0) await new Promise((resolve) => setTimeout(resolve));
  }
}

/**
 * A prompt of so many tokens, of which every vocabulary has all.
 * @param {number} length
 * @param {number} vocabSize
 */
export const promptOf = (length, vocabSize) =>
  Array.from({ length }, (_, place) => 1 + ((place * 7) % (Math.min(vocabSize, 64) - 1)));
