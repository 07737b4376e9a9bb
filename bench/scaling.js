/**
 * How the time of a pass grows with each of its sizes, beside what it has to do by formula: one size is varied at a time around
 * a base shape, with random weights.
 */

import { bytesOf, floorOf, flopsOf, shape } from "./formulas.js";
import { call } from "./host.js";
import { heading, number, percent, short, table } from "./report.js";
import { quantile } from "./statistics.js";

/** Rounds of each sweep: its cases take turns in every one. */
const ROUNDS = 41;

/** The shape that the sweeps start from. Its context holds the longest of them, and the steps around it. */
const BASE = { layers: 4, width: 128, vocabulary: 256, positions: 1040 };

/** Every head has this width, whatever the model's. */
const HEAD = 32;

/** Tokens of a prompt, and tokens that a decode step sees, where that is not what is varied. */
const LENGTH = 32;

/** A row whose time grows so many times as much as its floor is marked. */
const TOO_MUCH = 1.25;

/** @param {Partial<typeof BASE>} [varied] */
function model(varied) {
  const { layers, width, vocabulary, positions } = { ...BASE, ...varied };
  return shape(layers, width / HEAD, width, vocabulary, positions, true);
}

/** @param {number} from @param {number} to @param {number} [factor] */
function powers(from, to, factor = 2) {
  const list = [];
  for (let value = from; value <= to; value *= factor) list.push(value);
  return list;
}

/**
 * @typedef {object} Sweep
 * @property {string} size what is varied
 * @property {"prefill" | "decode"} phase
 * @property {number[]} values
 * @property {(value: number) => import("./formulas.js").Work} work
 */

/** @type {readonly Sweep[]} */
export const SWEEPS = [
  {
    ...{ size: "S", phase: "prefill", values: powers(8, 256) },
    work: (length) => ({ config: model(), phase: "prefill", length }),
  },
  {
    ...{ size: "T", phase: "decode", values: powers(16, 1024) },
    work: (length) => ({ config: model(), phase: "decode", length }),
  },
  ...both("D", powers(32, 512), (width) => model({ width })),
  ...both("L", powers(1, 16), (layers) => model({ layers })),
  ...both("V", powers(64, 32_768, 8), (vocabulary) => model({ vocabulary })),
];

/**
 * A size of the model, of which both phases depend.
 * @param {string} size
 * @param {number[]} values
 * @param {(value: number) => import("./formulas.js").Config} config
 */
function both(size, values, config) {
  return /** @type {const} */ (["prefill", "decode"]).map((phase) => ({
    ...{ size, phase, values },
    work: (/** @type {number} */ value) => ({ config: config(value), phase, length: LENGTH }),
  }));
}

/**
 * @typedef {object} Row
 * @property {number} value
 * @property {number} p10 microseconds a pass
 * @property {number} flops
 * @property {number} bytes
 * @property {number} gflops
 * @property {number} shareOfPeak
 * @property {number} gigabytes a second
 * @property {number} bandwidth GB/s of a plain read of as many bytes, again and again: from the caches, where they hold them
 * @property {number} shareOfBandwidth
 * @property {Growth | null} growth since the row before
 */

/**
 * @typedef {object} Growth
 * @property {number} time of the fastest tenth: what disturbs a round makes long passes longer, and short ones not
 * @property {number} formula of the FLOPs in a prefill, of the bytes in a decode step
 * @property {number} floor of the shortest time in which the machine could make the pass: its FLOPs at the peak, or its bytes
 *   at their bandwidth
 * @property {boolean} tooMuch
 */

/**
 * @param {Pick<Sweep, "values" | "work">} sweep
 * @param {number[][]} times by value and round
 * @param {number} peak GFLOP/s
 * @param {number[]} bandwidths GB/s by value
 * @returns {Row[]}
 */
export function rowsOf({ values, work }, times, peak, bandwidths) {
  /** @type {Row[]} */
  const rows = [];
  let [before, floorBefore] = [Number.NaN, Number.NaN];
  for (const [index, value] of values.entries()) {
    const now = work(value);
    const p10 = quantile(times[index], 0.1);
    const bandwidth = bandwidths[index];
    const [flops, bytes, floor] = [flopsOf(now), bytesOf(now), floorOf(now, { peak, bandwidth })];
    const [gflops, gigabytes] = [flops / p10 / 1e3, bytes / p10 / 1e3];
    const formula = now.phase === "prefill" ? flops : bytes;
    rows.push({
      ...{ value, p10, flops, bytes, gflops, shareOfPeak: gflops / peak },
      ...{ gigabytes, bandwidth, shareOfBandwidth: gigabytes / bandwidth },
      growth: index === 0 ? null : growthOf(rows[index - 1], p10, formula / before, floor / floorBefore),
    });
    [before, floorBefore] = [formula, floor];
  }
  return rows;
}

/**
 * @param {Row} before
 * @param {number} p10
 * @param {number} formula
 * @param {number} floor
 * @returns {Growth}
 */
function growthOf(before, p10, formula, floor) {
  const time = p10 / before.p10;
  return { time, formula, floor, tooMuch: time > TOO_MUCH * floor };
}

/**
 * @param {import("./host.js").Host} host
 * @param {import("./section.js").Options} options
 */
async function measure({ open, stamp }, { smoke }) {
  const rounds = smoke ? 2 : ROUNDS;
  const sweeps = [];
  for (const sweep of SWEEPS) {
    const { size, phase, work } = sweep;
    const values = smoke ? sweep.values.slice(0, 2) : sweep.values;
    // A page for each, for memory that has grown stays.
    const page = await open();
    try {
      const cases = values.map(work);
      const { gflops } = await call(page, "limits.js", "limits", rounds);
      const peak = quantile(gflops, 0.9);
      /** @type {number[][]} */
      const readings = await call(page, "limits.js", "readings", cases.map(bytesOf), rounds);
      const bandwidths = readings.map((list) => quantile(list, 0.9));
      const sample = async () => {
        /** @type {{ times: number[][], flops: number[] }} */
        const { times, flops } = await call(page, "page-scaling.js", "benchSweep", cases, rounds);
        const wrong = flops.findIndex((found, index) => found !== flopsOf(cases[index]));
        if (wrong >= 0)
          throw new Error(`${phase}, ${size} = ${values[wrong]}: ${flops[wrong]} FLOPs in its record`);
        return times;
      };
      const rows = (/** @type {number[][]} */ times) => rowsOf({ values, work }, times, peak, bandwidths);
      let times = await sample();
      // What grew too much is looked at again: another program may have had the machine, which makes nothing faster.
      if (!smoke && rows(times).some(({ growth }) => growth?.tooMuch)) {
        const again = await sample();
        times = times.map((list, index) => [...list, ...again[index]]);
      }
      sweeps.push({ size, phase, peak, rows: rows(times) });
      console.log(`  ${phase} against ${size} done`);
    } finally {
      await page.close();
    }
  }
  return { ...stamp(rounds), base: { ...BASE, head: HEAD, length: LENGTH }, sweeps };
}

/** @param {any} results */
function report(results) {
  const { base, sweeps } = results;
  const head = [
    ...["", "", "p10 µs", "FLOPs", "bytes", "GFLOP/s", "of peak", "GB/s", "of bandw."],
    ...["× time", "× formula", "time / formula", "× floor", ""],
  ];
  const tables = sweeps.map(
    (/** @type {{ size: string, phase: string, rows: Row[] }} */ { size, phase, rows }) =>
      table(
        head,
        rows.map((row) => [
          ...[phase, `${size} = ${row.value}`, number(row.p10), short(row.flops), short(row.bytes)],
          ...[
            number(row.gflops),
            percent(row.shareOfPeak),
            number(row.gigabytes),
            percent(row.shareOfBandwidth),
          ],
          ...growthCells(row.growth),
        ]),
        2,
      ),
  );
  return `${heading("Scaling", results)}L = ${base.layers}, D = ${base.width}, heads of ${base.head}, V = ${base.vocabulary}, ${base.positions} positions, S and T ${base.length}, but for what is varied.
Of bandw.: of what a plain read of as many bytes reaches, from the caches too. × formula: of the FLOPs in a prefill, of the bytes
in a decode step. × floor: of the longer of FLOPs at the peak and bytes at their bandwidth; marked where the time grew ${TOO_MUCH}
times as much.

${tables.join("\n\n")}`;
}

/** @param {Growth | null} growth */
function growthCells(growth) {
  if (growth === null) return ["", "", "", "", ""];
  const { time, formula, floor, tooMuch } = growth;
  return [number(time), number(formula), number(time / formula), number(floor), tooMuch ? "←" : ""];
}

/** @type {import("./section.js").Section} */
export const scaling = { name: "scaling", measure, report };
