/** The benchmark's own arithmetic: what it makes of samples, of formulas, of a trace and of its command line. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chart } from "../../bench/chart.js";
import { bytesOf, floorOf, flopsOf, shape } from "../../bench/formulas.js";
import { GOALS, outcomes } from "../../bench/goals.js";
import { number, short, table, verdicts } from "../../bench/report.js";
import { rowsOf, SWEEPS } from "../../bench/scaling.js";
import { asked, merged } from "../../bench/section.js";
import { median, quantile, ratio, rotated, spread } from "../../bench/statistics.js";
import { longestBetween } from "../../bench/trace.js";
import { GenerationLoop } from "../../www/engine.js";

describe("statistics", () => {
  const values = [5, 1, 4, 2, 3, 10, 9, 8, 7, 6];

  test("quantiles are samples, and leave the list as it was", () => {
    assert.deepEqual(
      [0, 0.1, 0.5, 1].map((share) => quantile(values, share)),
      [1, 2, 6, 10],
    );
    assert.equal(values[0], 5);
    assert.equal(median([7]), 7);
    assert.deepEqual(spread(values), { p10: 2, median: 6, p90: 10, slowest: 10 });
  });

  test("ratios are of pairs: a round in which everything was slow changes none", () => {
    assert.equal(ratio([2, 40, 4], [1, 20, 2]), 2);
  });

  test("everybody is first in turn", () => {
    const order = ["a", "b", "c"];
    assert.deepEqual(
      [0, 1, 2, 3].map((round) => rotated(order, round).join("")),
      ["abc", "bca", "cab", "abc"],
    );
  });
});

describe("formulas", () => {
  const config = shape(4, 4, 128, 256, 1040, true);

  test("FLOPs are the engine's", () => {
    for (const phase of /** @type {const} */ (["prefill", "decode"])) {
      assert.equal(
        flopsOf({ config, phase, length: 32 }),
        GenerationLoop.flops(config, { phase, length: 32 }),
      );
    }
  });

  test("bytes are the weights of all products once, and the cache", () => {
    const weights = 4 * (4 * 128 * 128 + 2 * 128 * 512) + 256 * 128;
    assert.equal(bytesOf({ config, phase: "decode", length: 0 }), 4 * weights);
    assert.equal(bytesOf({ config, phase: "decode", length: 10 }), 4 * (weights + 2 * 4 * 10 * 128));
  });

  test("the floor is whichever takes longer", () => {
    const work = { config, phase: /** @type {const} */ ("decode"), length: 32 };
    assert.equal(floorOf(work, { peak: 1e9, bandwidth: 40 }), bytesOf(work) / 40 / 1e3);
    assert.equal(floorOf(work, { peak: 60, bandwidth: 1e9 }), flopsOf(work) / 60 / 1e3);
  });
});

describe("scaling", () => {
  test("every sweep varies one size around the base, and stays within the context", () => {
    const base = JSON.stringify(SWEEPS[0].work(8).config);
    assert.deepEqual(
      SWEEPS.map(({ size, phase }) => `${phase} ${size}`),
      ["prefill S", "decode T", "prefill D", "decode D", "prefill L", "decode L", "prefill V", "decode V"],
    );
    for (const { size, phase, values, work } of SWEEPS) {
      for (const value of values) {
        const { config, phase: of, length } = work(value);
        assert.equal(of, phase);
        assert.ok(length + 5 < config.n_positions && config.n_embd / config.n_head === 32);
        if (size === "S" || size === "T") {
          assert.equal(length, value);
          assert.equal(JSON.stringify(config), base);
        }
      }
    }
  });

  test("time that grows more than its floor is marked", () => {
    const sweep = SWEEPS[4];
    const values = [1, 2, 4];
    const floors = values.map((value) => floorOf(sweep.work(value), { peak: 60, bandwidth: 1e9 }));
    // The second takes as many times as long as it must; the third a third more.
    const times = [floors[0] * 2, floors[1] * 2, floors[2] * 2 * 1.33].map((time) => [
      time,
      time * 1.5,
      time * 9,
    ]);
    const rows = rowsOf({ ...sweep, values }, times, 60, [1e9, 1e9, 1e9]);
    assert.deepEqual(
      rows.map(({ growth }) => growth?.tooMuch ?? null),
      [null, false, true],
    );
    assert.ok(Math.abs(rows[0].shareOfPeak - 0.5) < 1e-9);
    assert.ok(Math.abs((rows[2].growth?.time ?? 0) / (rows[2].growth?.floor ?? 1) - 1.33) < 1e-9);
  });
});

describe("goals", () => {
  test("more is better, or less", () => {
    const goal = { section: "x", of: "it", must: 10, aim: 20, atMost: false, unit: "" };
    const verdict = (/** @type {any} */ goal, /** @type {number} */ value) =>
      outcomes("x", {}, [{ ...goal, reached: () => value }])[0].verdict;
    assert.deepEqual(
      [9, 10, 20].map((value) => verdict(goal, value)),
      ["MISSED", "reached", "aim reached"],
    );
    const less = { ...goal, must: 20, aim: 10, atMost: true };
    assert.deepEqual(
      [21, 20, 10].map((value) => verdict(less, value)),
      ["MISSED", "reached", "aim reached"],
    );
  });

  test("what was not measured has none", () => {
    assert.deepEqual(outcomes("passes", { shapes: {} }), []);
    assert.deepEqual(outcomes("scaling", {}), []);
  });

  test("they are read from results as the sections make them", () => {
    const times = { median: 12, slowest: 60 };
    const startup = outcomes("startup", { cases: { "generation-loop": { fromImport: times } } });
    const interaction = outcomes("interaction", { clicks: { painted: times }, run: { longestTask: times } });
    const chapter = outcomes("chapter", { firstPaint: times, bytes: 180_000, shift: 0.01 });
    assert.deepEqual(
      [...startup, ...interaction, ...chapter].map(({ verdict }) => verdict),
      ["aim reached", "aim reached", "aim reached", "aim reached", "reached", "MISSED"],
    );
    assert.equal(GOALS.filter(({ section }) => section !== "passes").length, 6);
    assert.match(
      verdicts(startup),
      /^fetch to first logits: 12\.0 ms; must at most 50, aim 15 or less: aim reached$/,
    );
  });
});

describe("trace", () => {
  const thread = { pid: 1, tid: 2 };
  const marks = [
    { name: "run begins", ...thread, ts: 1000 },
    { name: "run ends", ...thread, ts: 90_000 },
  ];

  test("the longest task is one of the page's thread, within the run", () => {
    const task = (/** @type {number} */ ts, /** @type {number} */ dur, other = {}) => ({
      ...{ name: "RunTask", ...thread, ts, dur, tdur: dur / 2 },
      ...other,
    });
    const events = [
      ...marks,
      ...[task(0, 500), task(900, 2000), task(50_000, 30_000), task(95_000, 70_000)],
      ...[
        task(5000, 60_000, { tid: 3 }),
        task(5000, 60_000, { pid: 3 }),
        task(5000, 60_000, { name: "Layout" }),
      ],
    ];
    assert.deepEqual(longestBetween(events), { wall: 30, processor: 15 });
  });

  test("a trace that cannot tell says so", () => {
    assert.throws(() => longestBetween([]), /without the marks/);
    assert.throws(() => longestBetween(marks), /without tasks/);
  });
});

describe("the command line", () => {
  const ask = (/** @type {string[]} */ ...args) => asked(args, ["passes", "scaling"], ["default", "gpt2"]);

  test("everything, unless it says otherwise", () => {
    assert.deepEqual(ask(), { only: ["passes", "scaling"], smoke: false });
    assert.deepEqual(ask("--smoke", "--only", "scaling"), { only: ["scaling"], smoke: true });
    assert.deepEqual(ask("--shapes", "gpt2,default").shapes, ["gpt2", "default"]);
  });

  test("what there is not is refused, with what there is", () => {
    assert.throws(() => ask("--only", "scaling,speed"), /no speed; there are passes, scaling/);
    assert.throws(() => ask("--only"), /there are passes, scaling/);
    assert.throws(() => ask("--shapes", "d1"), /no d1; there are default, gpt2/);
    assert.throws(() => ask("--fast"), /no --fast; there are --only/);
  });

  test("a section's results leave the others' as they are", () => {
    const first = merged(null, "passes", { rounds: 41 });
    const both = merged(first, "scaling", { rounds: 21 });
    assert.deepEqual(JSON.parse(merged(both, "passes", { rounds: 2 })), {
      passes: { rounds: 2 },
      scaling: { rounds: 21 },
    });
  });
});

describe("what is printed", () => {
  test("numbers have three digits", () => {
    assert.deepEqual([0.123, 1.5, 12.34, 123.4].map(number), ["0.12", "1.50", "12.3", "123"]);
    assert.deepEqual([12, 1500, 2.5e6, 3e9].map(short), ["12.0", "1.50 k", "2.50 M", "3.00 G"]);
  });

  test("words stand on the left, numbers on the right", () => {
    assert.equal(
      table(
        ["", "µs"],
        [
          ["decode", "1.5"],
          ["all", "12.0"],
        ],
        1,
      ),
      "          µs\ndecode   1.5\nall     12.0",
    );
  });

  test("the chart has a bar for every contestant", () => {
    const it = (/** @type {number} */ time) => ({ median: time, ratio: time });
    const svg = chart({
      shapes: { default: { cases: { decode: { "generation-loop": it(1), other: it(2000) } } } },
    });
    assert.equal(svg.match(/<rect /g)?.length, 2);
    assert.match(svg, /class="o"/);
    assert.match(svg, /2\.0 ms, 2000\.0 × ours/);
  });
});
