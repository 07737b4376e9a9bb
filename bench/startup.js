/**
 * How soon a reader has something: from the request for the engine to the logits of its first pass, beside onnxruntime-web with
 * a model of the same shape, and from the navigation to a widget that can be used. Every visit is of a fresh browser context, in
 * which nothing is cached; the server compresses as a site's own would.
 */

import { OURS } from "./goals.js";
import { visit } from "./host.js";
import { heading, number, short, table } from "./report.js";
import { rotated, spread } from "./statistics.js";

/** Visits of each page: they take turns in every round. */
const ROUNDS = 15;

/** The pages that are timed to their logits, in `start/`, and the WebAssembly that each needs. */
const CASES = [
  { name: OURS, page: "engine.html", wasm: "/www/pkg/generation_loop_bg.wasm" },
  {
    name: "onnxruntime-web",
    page: "onnx.html",
    wasm: "/node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm",
  },
];

/** Such a page begins when it is asked to, which is when the browser has nothing else to do for it. */
const LATER = "#later";

const WIDGET = "widget.html";
const ELEMENT = "<generation-loop>";

/**
 * What a page of `start/` says of itself, and what it fetched beside itself.
 * @param {import("./host.js").Host} host
 * @param {string} page
 * @returns {Promise<Record<string, any> & { requests: number, bytes: number }>}
 */
const start = (host, page) =>
  visit(host, `/bench/start/${page}`, (visited) =>
    visited.evaluate(async () => {
      const { outcome } = /** @type {any} */ (globalThis);
      const said = await (typeof outcome === "function" ? outcome() : outcome);
      const fetched = /** @type {PerformanceResourceTiming[]} */ (
        performance.getEntriesByType("resource")
      ).filter(({ name }) => name.startsWith("http"));
      const bytes = fetched.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
      return { ...said, requests: fetched.length, bytes };
    }),
  );

/**
 * Milliseconds of `WebAssembly.compile` alone. Each module once in a process: the second time a browser remembers it. Browsers
 * compile most functions only when they are first called.
 * @param {import("./host.js").Host} host
 * @param {string[]} addresses
 * @returns {Promise<number[]>} in their order
 */
const compileTimes = (host, addresses) =>
  visit(host, "/", (page) =>
    page.evaluate(async (wanted) => {
      const modules = await Promise.all(
        wanted.map((address) => fetch(address).then((answer) => answer.arrayBuffer())),
      );
      const times = [];
      for (const bytes of modules) {
        const begin = performance.now();
        await WebAssembly.compile(bytes);
        times.push(performance.now() - begin);
      }
      return times;
    }, addresses),
  );

/**
 * @param {import("./host.js").Host} host
 * @param {import("./section.js").Options} options
 */
async function measure(host, { smoke }) {
  const rounds = smoke ? 1 : ROUNDS;
  const pages = [...CASES.flatMap(({ page }) => [page, page + LATER]), WIDGET];
  /** @type {Map<string, Awaited<ReturnType<typeof start>>[]>} */
  const visits = new Map(pages.map((page) => [page, []]));
  /** @type {Map<string, number[]>} */
  const compiled = new Map(CASES.map(({ wasm }) => [wasm, []]));
  // For the server, which compresses each file when it is first asked for it.
  if (!smoke) for (const page of [...CASES.map((one) => one.page), WIDGET]) await start(host, page);
  for (let round = 0; round < rounds; round += 1) {
    for (const page of rotated(pages, round)) visits.get(page)?.push(await start(host, page));
    const order = rotated([...compiled.keys()], round);
    const times = await compileTimes(host, order);
    for (const [index, wasm] of order.entries()) compiled.get(wasm)?.push(times[index]);
  }
  const cases = CASES.map(({ name, page, wasm }) => [
    name,
    {
      ...toLogits(visits.get(page) ?? [], visits.get(page + LATER) ?? []),
      compile: spread(compiled.get(wasm) ?? []),
    },
  ]);
  const widgets = visits.get(WIDGET) ?? [];
  if (widgets.some(({ usable }) => !usable)) throw new Error("a widget that cannot be used");
  const first = widgets.flatMap(({ firstPaint }) => (firstPaint === null ? [] : [firstPaint]));
  return {
    ...host.stamp(rounds),
    cases: Object.fromEntries(cases),
    widget: {
      ...{ requests: widgets[0].requests, bytes: widgets[0].bytes },
      firstPaint: first.length === 0 ? null : spread(first),
      ready: spread(widgets.map(({ ready }) => ready)),
      painted: spread(widgets.map(({ painted }) => painted)),
    },
  };
}

/**
 * @param {any[]} atOnce visits of a page that begins with its first script
 * @param {any[]} later visits of the same, once it had come to rest
 */
function toLogits(atOnce, later) {
  for (const { logits } of [...atOnce, ...later]) {
    if (logits.length !== 64 || !logits.every(Number.isFinite)) throw new Error(`${logits} are no logits`);
  }
  const between = (/** @type {number} */ from, /** @type {number} */ to) =>
    spread(later.map(({ times }) => times[to] - times[from]));
  return {
    ...{ requests: later[0].requests, bytes: later[0].bytes },
    ...{ fromImport: between(0, 3), import: between(0, 1), load: between(1, 2), pass: between(2, 3) },
    fromNavigation: spread(atOnce.map(({ times }) => times[3])),
  };
}

/** @param {any} results */
function report(results) {
  const { cases, widget } = results;
  const cells = (/** @type {ReturnType<typeof spread>} */ { p10, median: middle, p90, slowest }) =>
    [p10, middle, p90, slowest].map(number);
  /** @type {string[][]} */
  const rows = Object.entries(/** @type {Record<string, any>} */ (cases)).flatMap(([name, it]) => [
    [name, "import to first logits, on a page at rest", ...cells(it.fromImport)],
    [name, "  of that, the import", ...cells(it.import)],
    [name, "  of that, loading a model", ...cells(it.load)],
    [name, "  of that, a prefill of 11 tokens", ...cells(it.pass)],
    [name, "compile of the WebAssembly, on its own", ...cells(it.compile)],
    [name, "navigation to first logits", ...cells(it.fromNavigation)],
  ]);
  const ofWidget = [
    ["navigation to the browser's first contentful paint", widget.firstPaint],
    ["navigation to `ready`", widget.ready],
    ["navigation to the second frame after `ready`", widget.painted],
  ];
  for (const [what, times] of ofWidget) if (times !== null) rows.push([ELEMENT, what, ...cells(times)]);
  const fetched = [...Object.entries(cases), [ELEMENT, widget]].map(([name, { requests, bytes }]) => [
    name,
    String(requests),
    short(bytes),
  ]);
  return `${heading("Start-up", results)}Each visit is of a fresh browser context. Bytes as they were sent, with gzip, beside the page itself.

${table(["", "requests", "bytes"], fetched, 1)}

${table(["", "", "p10 ms", "median ms", "p90 ms", "slowest ms"], rows, 2)}`;
}

/** @type {import("./section.js").Section} */
export const startup = { name: "startup", measure, report };
