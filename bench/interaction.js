/**
 * How soon the widget answers: real clicks on its loud button, and the longest that an instant run keeps the page's thread, on
 * the chapter's page with every panel open.
 */

import { call, visit } from "./host.js";
import { heading, number, table } from "./report.js";
import { median, spread } from "./statistics.js";
import { traced } from "./trace.js";

/** Fresh browser contexts. */
const ROUNDS = 12;

/** Clicks in each. */
const CLICKS = 15;

/** Where the run of the clicks would end: later than the last of them. And where the instant run does, with its prompt of 11. */
const FEW = 32;
const MANY = 128;
const PROMPT = 11;

const CHAPTER = "/site/index.html";

/** The browser's event timing has no entry for what took less, in milliseconds. */
const LEAST_EVENT = 16;

/** What keeps the thread so long, in milliseconds, has an entry of its own. */
const LONG = 50;

/** @typedef {import("./host.js").Page} Page */

/** @param {Page} page */
const widget = (page) => page.locator("generation-loop").first();

/**
 * One visit's clicks: prefill, then decode after decode.
 * @param {import("./host.js").Host} host
 * @param {number} count
 * @returns {Promise<{ work: number[], painted: number[], events: number[] }>}
 */
const clicksOf = (host, count) =>
  visit(host, CHAPTER, async (page) => {
    await call(page, "page-interaction.js", "prepare", FEW);
    await call(page, "page-interaction.js", "watchClicks");
    const button = widget(page).getByRole("button", { name: /^(Prefill|Decode)/ });
    for (let click = 0; click < count; click += 1) await button.click();
    // Event timing comes when the browser has time for it.
    await page.waitForTimeout(200);
    const seen = await call(page, "page-interaction.js", "clicksSoFar");
    if (seen.passes !== count || seen.painted.length !== count)
      throw new Error(`${count} clicks, and ${seen.passes} passes in ${seen.painted.length} frames`);
    return seen;
  });

/**
 * One visit's instant run, seen by the page.
 * @typedef {object} Seen
 * @property {number} passes
 * @property {number[]} gaps between frames, in milliseconds
 * @property {number[]} tasks that were long
 * @property {number[]} frames that were long
 */

/**
 * @template T
 * @param {import("./host.js").Host} host
 * @param {(page: Page, run: () => Promise<Seen>) => Promise<T>} use
 * @returns {Promise<T>}
 */
const runOf = (host, use) =>
  visit(host, CHAPTER, async (page) => {
    await call(page, "page-interaction.js", "prepare", MANY);
    const button = (/** @type {string | RegExp} */ name) =>
      widget(page).getByRole("button", { name, exact: true });
    // The list of candidates can be opened once there is one, and stays open.
    await button(/^Prefill/).click();
    await button(/^Show all/).click();
    await button("Reset").click();
    await widget(page).getByRole("combobox", { name: "Speed" }).selectOption("instant");
    return use(page, async () => {
      await call(page, "page-interaction.js", "beginRun");
      await button("Run").click();
      /** @type {Seen} */
      const seen = await call(page, "page-interaction.js", "runSeen");
      if (seen.passes !== MANY - PROMPT) throw new Error(`an instant run of ${seen.passes} passes`);
      return seen;
    });
  });

/**
 * @param {import("./host.js").Host} host
 * @param {import("./section.js").Options} options
 */
async function measure(host, { smoke }) {
  const rounds = smoke ? 1 : ROUNDS;
  const count = smoke ? 4 : CLICKS;
  const clicks = [];
  /** @type {Seen[]} */
  const runs = [];
  const tasks = [];
  for (let round = 0; round < rounds; round += 1) {
    clicks.push(await clicksOf(host, count));
    runs.push(await runOf(host, (_, run) => run()));
    // Another one, for a trace takes its own time.
    const [, longest] = await runOf(host, (page, run) => traced(host.browser, page, run));
    tasks.push(longest);
  }
  const events = clicks.flatMap((visited) => visited.events);
  const all = rounds * count;
  return {
    ...host.stamp(rounds),
    clicks: {
      count: all,
      work: spread(clicks.flatMap(({ work }) => work)),
      painted: spread(clicks.flatMap(({ painted }) => painted)),
      events: {
        // What has no entry took less than this.
        ...spread([...events, ...Array(Math.max(0, all - events.length)).fill(LEAST_EVENT)]),
        shorter: all - events.length,
      },
    },
    run: {
      passes: MANY - PROMPT,
      longestTask: spread(tasks.map(({ wall }) => wall)),
      longestOnProcessor: spread(tasks.map(({ processor }) => processor)),
      longestGap: spread(runs.map(({ gaps }) => Math.max(...gaps))),
      frames: median(runs.map(({ gaps }) => gaps.length)),
      longTasks: runs.flatMap((run) => run.tasks),
      longFrames: runs.flatMap((run) => run.frames),
    },
  };
}

/** @param {any} results */
function report(results) {
  const { clicks, run } = results;
  const cells = (/** @type {ReturnType<typeof spread>} */ { median: middle, p90, slowest }) =>
    [middle, p90, slowest].map(number);
  const rows = [
    ["click to laid out", ...cells(clicks.work)],
    ["click to painted", ...cells(clicks.painted)],
    ["click to screen, event timing", ...cells(clicks.events)],
    ["longest task of an instant run, by the trace", ...cells(run.longestTask)],
    ["  as its thread had the processor", ...cells(run.longestOnProcessor)],
    ["longest time between two frames of one", ...cells(run.longestGap)],
  ];
  const longs = (/** @type {string} */ what, /** @type {number[]} */ list) =>
    list.length === 0
      ? `no ${what} of ${LONG} ms or more`
      : `${list.length} × a ${what} of ${LONG} ms or more, the longest of ${number(Math.max(...list))} ms`;
  return `${heading("Interaction", results)}${clicks.count} clicks, each a pass. Laid out: the thread's own time from the click's first listener. Painted: from the
input to the first message after the frame that shows it; a frame comes every 16.7 ms, so that half of one is the wait for it.
Event timing: the browser's own, in steps of 8 ms; ${clicks.events.shorter} clicks were too short for an entry, and count as ${LEAST_EVENT} ms.

${table(["", "median ms", "p90 ms", "slowest ms"], rows, 1)}

Instant runs of ${run.passes} passes, in ${run.frames} frames: ${longs("task", run.longTasks)}, ${longs("frame", run.longFrames)}`;
}

/** @type {import("./section.js").Section} */
export const interaction = { name: "interaction", measure, report };
