/** The tokens of a run as a stream: each once, in order, as soon as its text cannot become part of a stop string any more. */

/** How long a stream may keep others from the event loop, in milliseconds. */
const LONGEST_TURN = 8;

/**
 * A run, as far as a stream must know it.
 * @typedef {object} StreamedRun
 * @property {() => boolean} isCurrent whether the loop is still at this run
 * @property {() => boolean} hasStopped
 * @property {() => string} text all of the generated text
 * @property {() => string} releasedText the part that cannot become a stop string
 * @property {(index: number) => { id: number, text: string }} token the one that a pass yielded, from 0
 * @property {() => void} step makes the next pass
 */

/**
 * Makes pass after pass until the run stops or is aborted, which releases what was held back, or until it is no longer the
 * loop's run, which ends the stream at once.
 * @param {StreamedRun} run after its first pass
 * @param {AbortSignal | undefined} signal
 * @returns {AsyncGenerator<{ id: number, text: string }, void, void>}
 */
export async function* stream(run, signal) {
  let shownLength = 0;
  let streamed = 0;
  let turn = performance.now();
  for (;;) {
    const over = run.hasStopped() || (signal?.aborted ?? false);
    const text = over ? run.text() : run.releasedText();
    while (shownLength < text.length) {
      const { id, text: piece } = run.token(streamed);
      if (piece === "") {
        streamed += 1;
        continue;
      }
      if (!over && shownLength + piece.length > text.length) break;
      // A stop string can begin inside a token of several characters: only what stands before it is text.
      const token = { id, text: text.slice(shownLength, shownLength + piece.length) };
      shownLength += piece.length;
      streamed += 1;
      yield token;
      if (!run.isCurrent()) return;
    }
    if (over) return;
    if (performance.now() - turn > LONGEST_TURN) {
      await new Promise((resolve) => setTimeout(resolve));
      turn = performance.now();
      if (!run.isCurrent()) return;
    }
    // Whoever consumes the stream may have made the last pass already, or aborted.
    if (!run.hasStopped() && !signal?.aborted) run.step();
  }
}
