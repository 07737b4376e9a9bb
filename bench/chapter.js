/**
 * The chapter as a page: how soon a first visit sees it, whether anything moves while it loads and is read to its end, and what it
 * fetches before anything was asked for. Every visit is of a fresh browser context; the server compresses as a site's own would.
 */

import { visit } from "./host.js";
import { heading, number, short, table } from "./report.js";
import { spread } from "./statistics.js";

const ROUNDS = 15;

const CHAPTER = "/site/index.html";

/**
 * One visit, from the navigation to the end of the page.
 * @param {import("./host.js").Host} host
 */
const reading = (host) =>
  visit(host, CHAPTER, (page) =>
    page.evaluate(async () => {
      let shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shift += /** @type {any} */ (entry).value;
      }).observe({ type: "layout-shift", buffered: true });
      await customElements.whenDefined("generation-loop");
      await /** @type {any} */ (document.querySelector("generation-loop")).ready;
      const ready = performance.now();
      const { documentElement: all } = document;
      for (let top = 0; top < all.scrollHeight; top += innerHeight / 2) {
        scrollTo(0, top);
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20)));
      }
      const first = performance.getEntriesByName("first-contentful-paint").at(0)?.startTime;
      if (first === undefined) throw new Error("nothing was painted");
      const fetched = /** @type {PerformanceResourceTiming[]} */ ([
        ...performance.getEntriesByType("navigation"),
        ...performance.getEntriesByType("resource"),
      ]).filter(({ name }) => name.startsWith("http"));
      const bytes = fetched.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
      return { first, ready, shift, requests: fetched.length, bytes };
    }),
  );

/**
 * @param {import("./host.js").Host} host
 * @param {import("./section.js").Options} options
 */
async function measure(host, { smoke }) {
  const rounds = smoke ? 1 : ROUNDS;
  // For the server, which compresses each file when it is first asked for it.
  if (!smoke) await reading(host);
  const visits = [];
  for (let round = 0; round < rounds; round += 1) visits.push(await reading(host));
  return {
    ...host.stamp(rounds),
    firstPaint: spread(visits.map(({ first }) => first)),
    ready: spread(visits.map(({ ready }) => ready)),
    shift: Math.max(...visits.map(({ shift }) => shift)),
    ...{ requests: visits[0].requests, bytes: visits[0].bytes },
  };
}

/** @param {any} results */
function report(results) {
  const { firstPaint, ready, shift, requests, bytes } = results;
  const cells = (/** @type {ReturnType<typeof spread>} */ { p10, median, p90, slowest }) =>
    [p10, median, p90, slowest].map(number);
  const rows = [
    ["navigation to first contentful paint", ...cells(firstPaint)],
    ["navigation to a widget that is ready", ...cells(ready)],
  ];
  return `${heading("Chapter", results)}${requests} requests of ${short(bytes)}B in all as they were sent, with gzip, before anything is asked for.
Layout shift of the worst visit, read to the end: ${shift === 0 ? "0" : shift.toFixed(4)}

${table(["", "p10 ms", "median ms", "p90 ms", "slowest ms"], rows, 1)}`;
}

/** @type {import("./section.js").Section} */
export const chapter = { name: "chapter", measure, report };
