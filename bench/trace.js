/** The tasks of a page's thread, from the browser's own trace: exact where the page itself sees only those of 50 ms and more. */

/**
 * One event of a trace; times are in microseconds.
 * @typedef {object} TraceEvent
 * @property {string} name
 * @property {number} pid
 * @property {number} tid
 * @property {number} ts when it began
 * @property {number} [dur] how long it took
 * @property {number} [tdur] how long of that its thread had the processor
 */

const CATEGORIES = ["disabled-by-default-devtools.timeline", "blink.user_timing"];

/** What the browser calls a task. */
const TASK = "RunTask";

/** What the page marks. */
const BEGIN = "run begins";
const END = "run ends";

/**
 * The longest task of the thread that set both marks, between them, in milliseconds; and the longest as its thread counts, which
 * other programs make no longer.
 * @param {readonly TraceEvent[]} events
 */
export function longestBetween(events) {
  const begin = events.find(({ name }) => name === BEGIN);
  const end = events.find(({ name }) => name === END);
  if (begin === undefined || end === undefined) throw new Error("a trace without the marks of a run");
  const tasks = events.filter(
    ({ name, pid, tid, ts, dur = 0 }) =>
      name === TASK && pid === begin.pid && tid === begin.tid && ts + dur >= begin.ts && ts <= end.ts,
  );
  if (tasks.length === 0) throw new Error("a trace without tasks");
  const longest = (/** @type {"dur" | "tdur"} */ key) =>
    Math.max(...tasks.map((task) => task[key] ?? 0)) / 1000;
  return { wall: longest("dur"), processor: longest("tdur") };
}

/**
 * Traces a page while `use` runs in it.
 * @template T
 * @param {import("./host.js").Host["browser"]} browser
 * @param {import("./host.js").Page} page
 * @param {() => Promise<T>} use
 * @returns {Promise<[T, ReturnType<typeof longestBetween>]>}
 */
export async function traced(browser, page, use) {
  await browser.startTracing(page, { categories: CATEGORIES });
  /** @type {T} */
  let result;
  /** @type {Buffer} */
  let trace;
  try {
    result = await use();
  } finally {
    trace = await browser.stopTracing();
  }
  return [result, longestBetween(JSON.parse(trace.toString()).traceEvents)];
}
