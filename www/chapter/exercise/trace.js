/** What happened when a program was run: plain data, noted outside of the sandbox, that checks read. */

/**
 * A value of the program's: a number as it is, anything else in words.
 * @typedef {number | { is: string }} Seen
 */

/**
 * One thing after the other: a forward pass with what it got and gave, or a token that came out.
 * @typedef {{ kind: "pass", tokens: number[], gave: number } | { kind: "token", token: Seen }} Happening
 */

/**
 * What was wrong, and where in the reader's text if that is known; lines and columns count from 1.
 * @typedef {object} Problem
 * @property {string} name as "TypeError"
 * @property {string} message
 * @property {number} [line]
 * @property {number} [column]
 */

/**
 * How a run ended:
 * `returned` by itself, `stopped` when nobody wanted more; `cut` for too many tokens, `flooded` for too many passes;
 * `threw`; `shape` where there is no async generator; `waiting` for what never comes; `time`; `memory`; `broken` where the
 * sandbox itself gave up, `hung` where it did not answer and the page ended it; `skipped` where it was not run.
 * @typedef {"returned" | "stopped" | "cut" | "flooded" | "threw" | "shape" | "waiting" | "time" | "memory" | "broken"
 *   | "hung" | "skipped"} End
 */

/**
 * @typedef {object} Trace
 * @property {Happening[]} events
 * @property {End} end
 * @property {Seen} [returned] what the generator returned
 * @property {Problem} [problem] of `threw` and `shape`
 * @property {Seen[] | null} promptAfter what became of the prompt, if it was changed
 * @property {number | null} passesAtStop how many passes there had been when nobody wanted more
 * @property {string[]} log what it wrote to the console
 */

/** Of a token or a count that came from the program. @param {Seen} seen */
export function inWords(seen) {
  return typeof seen === "number" ? String(seen) : seen.is;
}

/** @param {readonly Seen[]} seen */
export function listed(seen) {
  return seen.length === 0 ? "nothing" : seen.map(inWords).join(", ");
}

/** @param {number} count @param {string} one @param {string} [many] */
export function counted(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

/** @param {Trace} trace */
export function tokensOf({ events }) {
  return events.flatMap((event) => (event.kind === "token" ? [event.token] : []));
}

/** @param {Trace} trace */
export function passesOf({ events }) {
  return events.flatMap((event) => (event.kind === "pass" ? [event] : []));
}

/**
 * A trace of nothing.
 * @param {End} end
 * @param {Problem} [problem]
 * @returns {Trace}
 */
export function emptyTrace(end, problem) {
  return { events: [], end, problem, promptAfter: null, passesAtStop: null, log: [] };
}
