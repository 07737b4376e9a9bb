/** Which lines of the source are steps of the loop: the one table of them. */

import { Problem } from "../run.js";

/**
 * By file and item, what is found in a line that is a step, and which step it is: one of `www/chapter/steps.js`. Each is found in
 * exactly one line of its item, or the page is not built: source that has changed takes its marks along, or says so.
 * @type {Readonly<Record<string, readonly (readonly [step: string, pattern: RegExp])[]>>}
 */
export const MARKS = {
  "crate/src/session.rs#prefill": [
    ["prefill", /self\.model\.prefill\(prompt,/],
    ["sample", /self\.sample_or_undo\(/],
    ["record", /self\.record\(Phase::Prefill,/],
  ],
  "crate/src/session.rs#decode_step": [
    ["decode", /self\.model\.decode_step\(newest,/],
    ["again", /self\.model\.prefill\(&self\.tokens,/],
    ["sample", /self\.sample_or_undo\(/],
    ["record", /self\.record\(Phase::Decode,/],
  ],
  "crate/src/session.rs#sample": [["sample", /self\.sampler\.sample\(/]],
  "crate/src/session.rs#record": [
    ["token", /self\.tokens\.push\(/],
    ["record", /self\.log\.push\(/],
  ],
  "crate/src/session.rs#find_stop": [
    ["end-of-text", /because\(StopReason::EndOfText\)/],
    ["stop-string", /StopReason::StopString\b/],
    ["max-tokens", /because\(StopReason::MaxTokens\)/],
    ["context-full", /because\(StopReason::ContextFull\)/],
  ],
  "www/engine.js#generate": [["prefill", /this\.prefill\(prompt\)/]],
  "www/stream.js#stream": [
    ["stop", /run\.hasStopped\(\) \|\| /],
    ["token", /yield token;/],
    ["decode", /run\.step\(\)/],
  ],
};

/**
 * The steps in some lines of a file.
 * @param {{ file: string, lines: readonly string[] }} source
 * @param {string | null} item null: none of the table's
 * @param {number} first from 1
 * @param {number} last
 * @param {typeof MARKS} [table]
 * @returns {Map<number, string>} by line
 * @throws {Problem} if a pattern is not in exactly one line
 */
export function marksIn({ file, lines }, item, first, last, table = MARKS) {
  /** @type {Map<number, string>} */
  const steps = new Map();
  for (const [step, pattern] of table[`${file}#${item}`] ?? []) {
    const places = lines
      .slice(first - 1, last)
      .flatMap((line, index) => (pattern.test(line) ? [first + index] : []));
    if (places.length !== 1 || steps.has(places[0]))
      throw new Problem(
        `the step "${step}" of ${item} in ${file}: ${pattern} is in ${places.length} lines of it; it must be in one, and no other in that one`,
      );
    steps.set(places[0], step);
  }
  return steps;
}
