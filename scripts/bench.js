/**
 * `npm run bench`: how long a pass takes, against other ways to run the same weights and against the machine's own limits, in
 * one page of headless Chromium. Prints tables, writes `bench/results.json` and draws `docs/bench.svg`.
 *
 * `-- --smoke` runs the smallest shape for two rounds, to see that it runs; `-- --shapes default,gpt2` chooses.
 */

import { createReadStream, existsSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { cpus } from "node:os";
import { extname, join } from "node:path";
import { chromium } from "@playwright/test";
import { totalOf } from "../www/flops.js";
import { build } from "./build.js";
import { must, Problem, root, runIfMain } from "./run.js";
import { ensureBrowsers, ensureNodeModules, ensureRust, findBrowsers } from "./setup.js";

/** Rounds of each case: contestants take turns in every one. */
const ROUNDS = 41;

/** Tokens that a decode step sees on average: 11 of the prompt, then 20 steps. */
const MEAN_CONTEXT = 21.5;

/** The shapes. Where a folder is named, weights and ONNX graph are there; `bench/make_onnx.py` makes them. */
const SHAPES = [
  {
    name: "default",
    folder: "/bench/models/default",
    config: shape(2, 2, 16, 64, 128, false),
    lengths: [11, 31],
    contestants: ["readable JavaScript", "careful JavaScript"],
  },
  {
    name: "d128",
    folder: "/bench/models/large/d128",
    config: shape(4, 4, 128, 256, 128, true),
    lengths: [32],
    contestants: ["readable JavaScript", "careful JavaScript"],
  },
  {
    name: "d288",
    folder: "/bench/models/large/d288",
    config: shape(6, 6, 288, 32_000, 256, true),
    lengths: [32],
    contestants: [],
  },
  {
    name: "gpt2",
    folder: "/bench/models/large/gpt2",
    config: shape(12, 12, 768, 50_257, 1024, true),
    lengths: [32],
    contestants: [],
  },
];

/** Goals: our time against another's, and shares of the limits. */
const GOALS = [
  { shape: "default", name: "decode", against: "readable JavaScript", must: 15, aim: 22 },
  { shape: "default", name: "decode", against: "careful JavaScript", must: 8, aim: 12 },
  { shape: "default", name: "prefill 11", against: "readable JavaScript", must: 15, aim: 25 },
  { shape: "default", name: "prefill 31", against: "readable JavaScript", must: 15, aim: 25 },
  { shape: "default", name: "decode", against: "onnxruntime-web", must: 50, aim: 85 },
  { shape: "default", name: "prefill 11", against: "onnxruntime-web", must: 10, aim: 17 },
  { shape: "default", name: "prefill 31", against: "onnxruntime-web", must: 4, aim: 7 },
  { shape: "d128", name: "decode", against: "onnxruntime-web", must: 4, aim: 6 },
  { shape: "d128", name: "prefill 32", against: "onnxruntime-web", must: 1.4, aim: 1.8 },
  { shape: "d288", name: "prefill 32", against: "onnxruntime-web", must: 1.3, aim: 1.5 },
  { shape: "d288", name: "decode", against: "onnxruntime-web", must: 1, aim: 1.2 },
  { shape: "gpt2", name: "prefill 32", against: "onnxruntime-web", must: 1.3, aim: 1.5 },
  { shape: "gpt2", name: "decode", against: "onnxruntime-web", must: 1, aim: 1.2 },
  { shape: "d288", name: "prefill 32", against: "peak", must: 0.6, aim: 0.75 },
  { shape: "gpt2", name: "prefill 32", against: "peak", must: 0.6, aim: 0.75 },
  { shape: "d288", name: "decode", against: "bandwidth", must: 0.75, aim: 0.9 },
  { shape: "gpt2", name: "decode", against: "bandwidth", must: 0.75, aim: 0.9 },
];

const OURS = "generation-loop";

/**
 * @param {number} n_layer
 * @param {number} n_head
 * @param {number} n_embd
 * @param {number} vocab_size
 * @param {number} n_positions
 * @param {boolean} tie_word_embeddings
 */
function shape(n_layer, n_head, n_embd, vocab_size, n_positions, tie_word_embeddings) {
  const n_inner = 4 * n_embd;
  const layer_norm_epsilon = 1e-5;
  const eos_token_id = null;
  return {
    ...{ n_layer, n_head, n_embd, n_inner, vocab_size, n_positions },
    ...{ layer_norm_epsilon, tie_word_embeddings, eos_token_id },
  };
}

/** Bytes that one decode step must read: the weights of its products, and the cache. @param {any} config */
function bytesRead({ n_layer: l, n_embd: d, n_inner: f, vocab_size: v }) {
  return 4 * (l * (4 * d * d + 2 * d * f) + v * d + 2 * l * MEAN_CONTEXT * d);
}

/** @param {number[]} values @param {number} share */
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** How many times as long the other took, pair by pair. @param {number[]} other @param {number[]} ours */
const ratio = (other, ours) =>
  quantile(
    other.map((time, round) => time / ours[round]),
    0.5,
  );

/** Files of the repository, with the headers that give a page a fine clock. */
async function serveAll() {
  const types = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    response.setHeader("cross-origin-opener-policy", "same-origin");
    response.setHeader("cross-origin-embedder-policy", "require-corp");
    if (pathname === "/" || pathname === "/favicon.ico") {
      response.setHeader("content-type", "text/html");
      return void response.end("<!doctype html><title>Benchmark</title>");
    }
    const path = join(root, decodeURIComponent(pathname));
    if (!path.startsWith(root) || !existsSync(path) || !statSync(path).isFile()) {
      return void response.writeHead(404).end();
    }
    response.setHeader(
      "content-type",
      /** @type {any} */ (types)[extname(path)] ?? "application/octet-stream",
    );
    createReadStream(path).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/**
 * @param {string[]} names of shapes
 * @param {number} rounds
 */
async function measure(names, rounds) {
  const server = await serveAll();
  const { chromium: found } = await findBrowsers();
  const browser = await chromium.launch({ executablePath: found?.path });
  try {
    const page = await browser.newPage();
    page.on("pageerror", (error) => console.error(error.message));
    await page.exposeFunction("say", (/** @type {string} */ text) => console.log(`  ${text}`));
    await page.goto(server.origin);
    /** @type {any} */
    const results = {
      machine: cpus()[0]?.model,
      browser: `Chromium ${browser.version()}`,
      rounds,
      shapes: {},
    };
    const limit = () =>
      page.evaluate(async (count) => {
        const { limits } = await import(/** @type {any} */ ("/bench/page.js"));
        return limits(count);
      }, rounds);
    const { gflops, gigabytes } = await limit();
    results.peak = quantile(gflops, 0.9);
    results.bandwidth = quantile(gigabytes, 0.9);
    for (const one of SHAPES.filter(({ name }) => names.includes(name))) {
      const folder = existsSync(join(root, one.folder, "model.onnx")) ? one.folder : null;
      if (folder === null)
        console.log(`  ${one.name}: no ONNX graph; bench/make_onnx.py --shape ${one.name} makes it`);
      const { times, differences } = await page.evaluate(
        async ({ shape, count }) => {
          const { benchShape } = await import(/** @type {any} */ ("/bench/page.js"));
          return benchShape(shape, count, /** @type {any} */ (window).say);
        },
        { shape: { ...one, folder }, count: one.name === "gpt2" ? Math.min(rounds, 11) : rounds },
      );
      results.shapes[one.name] = { differences, cases: summary(one.config, times, results) };
    }
    return results;
  } finally {
    await browser.close();
    server.close();
  }
}

/**
 * @param {any} config
 * @param {Record<string, Record<string, number[]>>} times
 * @param {{ peak: number, bandwidth: number }} limit
 */
function summary(config, times, { peak, bandwidth }) {
  return Object.fromEntries(
    Object.entries(times).map(([name, byContestant]) => {
      const length = Number(/\d+/.exec(name)?.[0] ?? 0);
      const contestants = Object.entries(byContestant).map(([contestant, samples]) => {
        const [low, median] = [quantile(samples, 0.1), quantile(samples, 0.5)];
        const work = length > 0 ? totalOf(config, length, length) : totalOf(config, 1, MEAN_CONTEXT);
        return [
          contestant,
          {
            p10: low,
            median,
            // How many times as long as ours, pair by pair.
            ratio: ratio(samples, byContestant[OURS]),
            gflops: work / low / 1e3,
            shareOfPeak: work / low / 1e3 / peak,
            shareOfBandwidth: length > 0 ? null : bytesRead(config) / low / 1e3 / bandwidth,
          },
        ];
      });
      return [name, Object.fromEntries(contestants)];
    }),
  );
}

/** @param {any} results */
function print(results) {
  const number = (/** @type {number} */ value) => (value >= 100 ? value.toFixed(0) : value.toFixed(2));
  const share = (/** @type {number | null} */ value) =>
    value === null ? "" : `${(100 * value).toFixed(0)} %`;
  console.log(
    `\n${results.machine}, ${results.browser}: ${results.peak.toFixed(1)} GFLOP/s of simd128 multiply-adds,`,
  );
  console.log(`${results.bandwidth.toFixed(1)} GB/s read from 64 MiB\n`);
  const cells = (/** @type {string[]} */ list) =>
    list.map((cell, column) => (column < 3 ? cell.padEnd([9, 12, 22][column]) : cell.padStart(11))).join("");
  const head = ["shape", "case", "", "p10 µs", "median µs", "× ours", "GFLOP/s", "of peak", "of bandw."];
  console.log(cells(head));
  for (const [shapeName, { cases }] of Object.entries(results.shapes)) {
    for (const [caseName, contestants] of Object.entries(/** @type {any} */ (cases))) {
      for (const [name, it] of Object.entries(/** @type {any} */ (contestants))) {
        const times = [number(it.p10), number(it.median), number(it.ratio), number(it.gflops)];
        console.log(
          cells([shapeName, caseName, name, ...times, share(it.shareOfPeak), share(it.shareOfBandwidth)]),
        );
      }
    }
  }
  console.log();
  results.goals = GOALS.flatMap((goal) => {
    const found = results.shapes[goal.shape]?.cases[goal.name];
    if (found === undefined) return [];
    const { shareOfPeak, shareOfBandwidth } = found[OURS];
    const shares = { peak: shareOfPeak, bandwidth: shareOfBandwidth };
    const reached = /** @type {any} */ (shares)[goal.against] ?? found[goal.against]?.ratio;
    return reached === undefined ? [] : [{ ...goal, reached }];
  });
  for (const { shape: of, name, against, must: least, aim, reached } of results.goals) {
    const word = reached >= aim ? "aim reached" : reached >= least ? "reached" : "MISSED";
    console.log(`${of} ${name} against ${against}: ${number(reached)}, must ${least}, aim ${aim}: ${word}`);
  }
}

/**
 * Bars of time a pass, ours in blue; logarithmic, for a factor of a hundred to be seen.
 * @param {any} results
 */
function chart(results) {
  /** @type {any[]} */
  const rows = Object.entries(results.shapes).flatMap(([of, { cases }]) =>
    Object.entries(/** @type {any} */ (cases)).flatMap(([name, contestants]) => [
      { title: `${of}, ${name}` },
      ...Object.entries(/** @type {any} */ (contestants)).map(([who, { median, ratio: times }]) => ({
        who,
        median,
        times,
      })),
    ]),
  );
  const medians = rows.flatMap(({ median }) => (median === undefined ? [] : [median]));
  const [least, most] = [Math.min(...medians) / 2, Math.max(...medians)];
  const width = (/** @type {number} */ median) => (380 * Math.log(median / least)) / Math.log(most / least);
  let y = 8;
  const parts = rows.map((row) => {
    y += row.median === undefined ? 26 : 17;
    if (row.median === undefined) return `<text x="8" y="${y}" class="t">${row.title}</text>`;
    const bar = width(row.median);
    const label = row.who === OURS ? "" : `, ${row.times.toFixed(1)} × ours`;
    const time = row.median >= 1000 ? `${(row.median / 1000).toFixed(1)} ms` : `${row.median.toFixed(1)} µs`;
    return `<text x="150" y="${y}" text-anchor="end">${row.who}</text><rect x="158" y="${y - 10}" width="${bar.toFixed(1)}" height="12" rx="2"${row.who === OURS ? ' class="o"' : ""}/><text x="${(164 + bar).toFixed(1)}" y="${y}">${time}${label}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 ${y + 14}" font-family="system-ui, sans-serif" font-size="12">
<title>Time of a pass, median, on a logarithmic scale: shorter is faster</title>
<style>text{fill:#1c1d1f}.t{font-weight:600}rect{fill:#b9bbc0}.o{fill:#2a6fc9}@media(prefers-color-scheme:dark){text{fill:#e8e6e1}rect{fill:#5c5f66}.o{fill:#6ba3ec}}</style>
${parts.join("\n")}
</svg>
`;
}

await runIfMain(import.meta.url, async () => {
  const smoke = process.argv.includes("--smoke");
  const chosen = process.argv[process.argv.indexOf("--shapes") + 1];
  const names = smoke
    ? ["default"]
    : process.argv.includes("--shapes")
      ? chosen.split(",")
      : ["default", "d128", "d288"];
  const unknown = names.find((name) => !SHAPES.some((one) => one.name === name));
  if (unknown !== undefined)
    throw new Problem(`no shape ${unknown}; there are ${SHAPES.map(({ name }) => name).join(", ")}`);
  await ensureNodeModules();
  await ensureRust();
  await ensureBrowsers();
  if (!smoke) await build();
  await must([
    "cargo",
    "build",
    "--quiet",
    "--release",
    "--package",
    "limits",
    "--target",
    "wasm32-unknown-unknown",
  ]);
  const results = await measure(names, smoke ? 2 : ROUNDS);
  // Code that has hardly run is not what is measured.
  if (smoke) return console.log("  the benchmark runs, and its contestants agree");
  print(results);
  writeFileSync(join(root, "bench/results.json"), `${JSON.stringify(results, null, 1)}\n`);
  writeFileSync(join(root, "docs/bench.svg"), chart(results));
});
