/** What the project wants to reach, section by section: what it must, and what it aims at. */

/** Who is measured. */
export const OURS = "generation-loop";

/**
 * @typedef {object} Goal
 * @property {string} section
 * @property {string} of what it says something about
 * @property {number} must
 * @property {number} aim
 * @property {boolean} atMost whether less is better
 * @property {string} unit
 * @property {(results: any) => number | undefined} reached from the results of its section; nothing where that was not measured
 */

/**
 * A goal with the number that a run came to.
 * @typedef {Omit<Goal, "section" | "reached"> & { reached: number, verdict: "aim reached" | "reached" | "MISSED" }} Outcome
 */

/**
 * How many times as long another must take.
 * @param {string} shape
 * @param {string} name of the case
 * @param {string} against
 * @param {number} must
 * @param {number} aim
 * @returns {Goal}
 */
const faster = (shape, name, against, must, aim) => ({
  ...{ section: "passes", of: `${shape} ${name} against ${against}`, must, aim, atMost: false, unit: "×" },
  reached: ({ shapes }) => shapes[shape]?.cases[name]?.[against]?.ratio,
});

/**
 * How much of what the machine can do.
 * @param {string} shape
 * @param {string} name of the case
 * @param {"peak" | "bandwidth"} limit
 * @param {number} must
 * @param {number} aim
 * @returns {Goal}
 */
const share = (shape, name, limit, must, aim) => ({
  ...{ section: "passes", of: `${shape} ${name}, share of ${limit}`, must, aim, atMost: false, unit: "" },
  reached: ({ shapes }) =>
    shapes[shape]?.cases[name]?.[OURS]?.[limit === "peak" ? "shareOfPeak" : "shareOfBandwidth"] ?? undefined,
});

/**
 * How long something may take.
 * @param {string} section
 * @param {string} of
 * @param {number} must
 * @param {number} aim
 * @param {Goal["reached"]} reached
 * @returns {Goal}
 */
const within = (section, of, must, aim, reached) => ({
  ...{ section, of, must, aim, atMost: true, unit: " ms" },
  reached,
});

/** Length of a frame at 60 a second, in milliseconds. */
const FRAME = 16.7;

/** @type {readonly Goal[]} */
export const GOALS = [
  faster("default", "decode", "readable JavaScript", 15, 22),
  faster("default", "decode", "careful JavaScript", 8, 12),
  faster("default", "prefill 11", "readable JavaScript", 15, 25),
  faster("default", "prefill 31", "readable JavaScript", 15, 25),
  faster("default", "decode", "onnxruntime-web", 50, 85),
  faster("default", "prefill 11", "onnxruntime-web", 10, 17),
  faster("default", "prefill 31", "onnxruntime-web", 4, 7),
  faster("default", "decode", "candle", 10, 18),
  faster("d128", "decode", "onnxruntime-web", 4, 6),
  faster("d128", "prefill 32", "onnxruntime-web", 1.4, 1.8),
  faster("d288", "prefill 32", "onnxruntime-web", 1.3, 1.5),
  faster("d288", "decode", "onnxruntime-web", 1, 1.2),
  faster("gpt2", "prefill 32", "onnxruntime-web", 1.3, 1.5),
  faster("gpt2", "decode", "onnxruntime-web", 1, 1.2),
  share("d288", "prefill 32", "peak", 0.6, 0.75),
  share("gpt2", "prefill 32", "peak", 0.6, 0.75),
  share("d288", "decode", "bandwidth", 0.75, 0.9),
  share("gpt2", "decode", "bandwidth", 0.75, 0.9),
  {
    ...{ section: "passes", of: "d128 decode with all of its record read, against the pass alone" },
    ...{ must: 1.3, aim: 1.1, atMost: true, unit: "×" },
    reached: ({ record }) => (record?.shape === "d128" ? record.ratio : undefined),
  },
  within("startup", "fetch to first logits", 50, 15, ({ cases }) => cases[OURS]?.fromImport.median),
  within("chapter", "first paint of a first visit", 1000, 500, ({ firstPaint }) => firstPaint.slowest),
  {
    ...{ section: "chapter", of: "bytes before anything is asked for" },
    ...{ must: 200_000, aim: 150_000, atMost: true, unit: " bytes" },
    reached: ({ bytes }) => bytes,
  },
  {
    ...{ section: "chapter", of: "layout shift", must: 0, aim: 0, atMost: true, unit: "" },
    reached: ({ shift }) => shift,
  },
  within("interaction", "click to paint", 50, FRAME, ({ clicks }) => clicks.painted.median),
  within("interaction", "longest task of an instant run", 50, FRAME, ({ run }) => run.longestTask.median),
];

/**
 * What became of the goals of a section.
 * @param {string} section
 * @param {any} results
 * @param {readonly Goal[]} [goals]
 * @returns {Outcome[]}
 */
export function outcomes(section, results, goals = GOALS) {
  return goals.flatMap((goal) => {
    const reached = goal.section === section ? goal.reached(results) : undefined;
    if (reached === undefined) return [];
    const { of, must, aim, atMost, unit } = goal;
    const holds = (/** @type {number} */ wanted) => (atMost ? reached <= wanted : reached >= wanted);
    const verdict = holds(aim) ? "aim reached" : holds(must) ? "reached" : "MISSED";
    return [{ of, must, aim, atMost, unit, reached, verdict }];
  });
}
