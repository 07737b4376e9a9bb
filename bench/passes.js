/** How long a pass takes, against other ways to run the same weights and against the machine's own limits. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../scripts/run.js";
import { bytesOf, flopsOf, shape } from "./formulas.js";
import { OURS } from "./goals.js";
import { call } from "./host.js";
import { heading, number, percent, table } from "./report.js";
import { median, quantile, ratio } from "./statistics.js";

/** Rounds of each case: contestants take turns in every one. */
const ROUNDS = 41;

/** As many where one of them takes seconds. */
const ROUNDS_OF_THE_LARGEST = 11;

/** Tokens that a decode step sees on average: 11 of the prompt, then 20 steps. */
const MEAN_CONTEXT = 21.5;

/**
 * The shapes. Where a folder is there, it has weights and ONNX graph; `make_onnx.py` makes them. `contestants` names the others
 * of `page.js` that take part.
 */
export const SHAPES = [
  {
    name: "default",
    folder: "/bench/models/default",
    config: shape(2, 2, 16, 64, 128, false),
    lengths: [11, 31],
    contestants: ["readable JavaScript", "careful JavaScript", "candle"],
  },
  {
    name: "d128",
    folder: "/bench/models/large/d128",
    config: shape(4, 4, 128, 256, 128, true),
    lengths: [32],
    contestants: ["readable JavaScript", "careful JavaScript", "candle"],
  },
  {
    name: "d288",
    folder: "/bench/models/large/d288",
    config: shape(6, 6, 288, 32_000, 256, true),
    lengths: [32],
    contestants: ["candle"],
  },
  {
    name: "gpt2",
    folder: "/bench/models/large/gpt2",
    config: shape(12, 12, 768, 50_257, 1024, true),
    lengths: [32],
    contestants: ["candle"],
  },
];

/** Those of a run that names none. */
const USUAL = ["default", "d128", "d288"];

/**
 * What a pass has to do, by the name of its case.
 * @param {import("./formulas.js").Config} config
 * @param {string} name
 * @returns {import("./formulas.js").Work}
 */
function workOf(config, name) {
  const length = /^prefill (\d+)$/.exec(name)?.[1];
  return length === undefined
    ? { config, phase: "decode", length: MEAN_CONTEXT }
    : { config, phase: "prefill", length: Number(length) };
}

/**
 * @param {import("./formulas.js").Config} config
 * @param {Record<string, Record<string, number[]>>} times
 * @param {import("./formulas.js").Limits} limits
 */
function summary(config, times, { peak, bandwidth }) {
  return Object.fromEntries(
    Object.entries(times).map(([name, byContestant]) => {
      const work = workOf(config, name);
      const contestants = Object.entries(byContestant).map(([contestant, samples]) => {
        const p10 = quantile(samples, 0.1);
        const gflops = flopsOf(work) / p10 / 1e3;
        return [
          contestant,
          {
            p10,
            median: median(samples),
            // How many times as long as ours.
            ratio: ratio(samples, byContestant[OURS]),
            gflops,
            shareOfPeak: gflops / peak,
            shareOfBandwidth: work.phase === "prefill" ? null : bytesOf(work) / p10 / 1e3 / bandwidth,
          },
        ];
      });
      return [name, Object.fromEntries(contestants)];
    }),
  );
}

/**
 * @param {import("./host.js").Host} host
 * @param {import("./section.js").Options} options
 */
async function measure({ open, stamp }, { smoke, shapes = smoke ? ["default"] : USUAL }) {
  const rounds = smoke ? 2 : ROUNDS;
  const page = await open();
  try {
    const { gflops, gigabytes } = await call(page, "limits.js", "limits", rounds);
    /** @type {Record<string, any> & import("./formulas.js").Limits} */
    const results = {
      ...stamp(rounds),
      peak: quantile(gflops, 0.9),
      bandwidth: quantile(gigabytes, 0.9),
      shapes: {},
    };
    for (const one of SHAPES.filter(({ name }) => shapes.includes(name))) {
      const isThere = existsSync(join(root, one.folder, "model.onnx"));
      if (!isThere)
        console.log(`  ${one.name}: no ONNX graph; bench/make_onnx.py --shape ${one.name} makes it`);
      const { times, differences } = await call(
        page,
        "page.js",
        "benchShape",
        {
          ...one,
          folder: isThere ? one.folder : null,
          // Building candle takes longer than all of a smoke run.
          contestants: one.contestants.filter((name) => !smoke || name !== "candle"),
        },
        one.name === "gpt2" ? Math.min(rounds, ROUNDS_OF_THE_LARGEST) : rounds,
      );
      results.shapes[one.name] = { differences, cases: summary(one.config, times, results) };
    }
    const recorded = SHAPES.find(({ name }) => name === (smoke ? "default" : "d128"));
    if (recorded && shapes.includes(recorded.name)) {
      const { alone, read } = await call(page, "page-record.js", "benchRecord", recorded.config, rounds);
      results.record = {
        shape: recorded.name,
        alone: { p10: quantile(alone, 0.1), median: median(alone) },
        read: { p10: quantile(read, 0.1), median: median(read) },
        ratio: ratio(read, alone),
      };
    }
    return results;
  } finally {
    await page.close();
  }
}

/** @param {any} results */
function report(results) {
  const rows = Object.entries(results.shapes).flatMap(([shapeName, { cases }]) =>
    Object.entries(/** @type {Record<string, any>} */ (cases)).flatMap(([caseName, contestants]) =>
      Object.entries(/** @type {Record<string, any>} */ (contestants)).map(([name, it]) => [
        ...[shapeName, caseName, name, number(it.p10), number(it.median), number(it.ratio)],
        ...[number(it.gflops), percent(it.shareOfPeak), percent(it.shareOfBandwidth)],
      ]),
    ),
  );
  const { record, peak, bandwidth } = results;
  const read = record
    ? `\n\nA decode step (${record.shape}) takes ${number(record.alone.median)} µs, and ${number(record.read.median)} µs with all of its record read: ${number(record.ratio)} times as long, pair by pair`
    : "";
  return `${heading("Passes", results)}${peak.toFixed(1)} GFLOP/s of simd128 multiply-adds, ${bandwidth.toFixed(1)} GB/s read from 64 MiB

${table(["shape", "case", "", "p10 µs", "median µs", "× ours", "GFLOP/s", "of peak", "of bandw."], rows, 3)}${read}`;
}

/** @type {import("./section.js").Section} */
export const passes = { name: "passes", measure, report };
