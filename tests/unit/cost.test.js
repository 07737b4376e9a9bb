/** What the panels of cost compute for themselves, beside the formulas and the engine. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { operationsOf, totalOf } from "../../www/flops.js";
import { cachedFlopsOf, gridOf, pricesOf, roomFor, timeInWords } from "../../www/views/cost.js";
import { FORMULAS, filled } from "../../www/views/operations.js";
import { de } from "../../www/words/de.js";
import { addWords, wordsFor } from "../../www/words.js";
import { DEFAULT_SHAPE, SHAPES } from "./checkpoints.js";

addWords("de", de);
const [english, german] = ["en", "de"].map(wordsFor);

describe("with the cache and without", () => {
  test("a run with the cache pays what the charts call cached, one without it the rest, and both can take turns", async () => {
    const loop = await GenerationLoop.load({ seed: 1, model: "untrained", maxTokens: 32 });
    for (const hasCache of [() => true, () => false, (/** @type {number} */ pass) => pass % 3 !== 0]) {
      loop.reset();
      loop.prefill("the cat sat");
      while (loop.stop === null) {
        loop.cache = hasCache(loop.passes);
        loop.decodeStep();
      }
      assert.ok(loop.passes > 3);
      for (const pass of loop.log) {
        const paidAll = pass.phase === "prefill" || pass.tokensIn > 1;
        assert.equal(pass.flops, paidAll ? pass.flopsWithoutCache : cachedFlopsOf(pass));
        const tokensIn = pass.phase === "prefill" ? pass.contextLength : 1;
        assert.equal(cachedFlopsOf(pass), totalOf(loop.config, tokensIn, pass.contextLength));
      }
      loop.cache = true;
    }
  });

  test("the prices to the end of the run are those of the formula", () => {
    for (const config of Object.values(SHAPES)) {
      for (const length of [1, 2, 7]) {
        const prices = Array.from({ length: 20 }, (_, more) => totalOf(config, length + more, length + more));
        const first = { contextLength: length, flopsWithoutCache: prices[0] };
        assert.deepEqual(pricesOf(config, first, 20), prices);
      }
    }
    assert.deepEqual(pricesOf(DEFAULT_SHAPE, undefined, 3), [0, 0, 0]);
  });

  test("there is room for the whole run, or for twice as many passes whenever a long one needs them", () => {
    const rooms = (/** @type {number} */ total) =>
      [0, 1, 21, 64, 65, 1013].map((passes) => roomFor(total, passes));
    assert.deepEqual(rooms(1013), [64, 64, 64, 64, 128, 1013]);
    assert.deepEqual([roomFor(21, 0), roomFor(21, 21), roomFor(64, 1), roomFor(1, 1)], [21, 21, 64, 1]);
    // Whatever a caller says: never none, and never fewer than there are.
    assert.deepEqual([roomFor(0, 0), roomFor(3, 5)], [1, 5]);
  });
});

test("lines of the grid: the foot, and a round value that is not above the scale and far from the foot", () => {
  const texts = [567_424, 7_606_144, 2e12, 1999, 999, 5, 1].map((most) => gridOf(most)[1][1]);
  assert.deepEqual(texts, ["500k", "5M", "2T", "1k", "500", "5", "1"]);
  for (let most = 1; most < 1e18; most *= 1.37) {
    const [foot, [value, text]] = gridOf(most);
    assert.deepEqual(foot, [0, "0"]);
    assert.ok(value <= most && value >= 0.4 * most, `${most}`);
    assert.match(text, /^[125]0{0,2}[kMGTPE]?$/);
  }
});

describe("time", () => {
  test("with the step of the clock, and no digit that the clock does not have", () => {
    assert.equal(timeInWords(0.3, 0.1, english), "0.3 ms (±0.1 ms)");
    assert.equal(timeInWords(0.3, 0.1, german), "0,3 ms (±0,1 ms)");
    assert.equal(timeInWords(17, 1, english), "17 ms (±1 ms)");
    assert.equal(timeInWords(1234.5, null, english), "1234.5 ms");
    // As browsers have them: a little off.
    assert.equal(timeInWords(0.09999999962747097, 0.10000000149011612, english), "0.1 ms (±0.1 ms)");
    assert.equal(timeInWords(12.200000002980232, 0.09999999776482582, english), "12.2 ms (±0.1 ms)");
    assert.equal(timeInWords(12.345000000000027, 0.0050000000046566, english), "12.345 ms (±0.005 ms)");
  });

  test("shorter than a step", () => {
    for (const time of [0, -1, 0.05, 0.0989]) {
      assert.equal(
        timeInWords(time, 0.1, english),
        "shorter than one step of this browser’s clock (±0.1 ms)",
      );
    }
    assert.equal(timeInWords(0, null, english), "shorter than one step of this browser’s clock");
    assert.equal(timeInWords(0, 0.1, german), "kürzer als ein Schritt der Uhr dieses Browsers (±0,1 ms)");
  });

  test("never NaN, never infinity, never zero", () => {
    const wrong = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, null];
    for (const time of [...wrong, undefined]) {
      for (const resolution of [0.1, null]) assert.equal(timeInWords(time, resolution, english), "–");
    }
    for (const resolution of [...wrong, 0, -1, 1e-6, 1000]) {
      for (const time of [0, 1e-9, 0.004, 1, 1e6]) {
        assert.doesNotMatch(timeInWords(time, resolution, english), /NaN|Infinity|e[+-]|^0 ms/);
      }
    }
  });
});

test("the formulas that are shown give what the log counts, and each has its name", () => {
  for (const words of [english, german]) {
    assert.equal(words.operations.names.split("|").length, FORMULAS.length);
    assert.equal(words.operations.sizes.split("|").length, 6);
  }
  for (const { n_layer, n_embd, n_inner, vocab_size, ...others } of Object.values(SHAPES)) {
    const config = { ...others, n_layer, n_embd, n_inner, vocab_size };
    for (const [tokensIn, contextLength] of [
      [11, 11],
      [1, 12],
      [1, 1],
    ]) {
      const values = [n_layer, tokensIn, contextLength, n_embd, n_inner, vocab_size].map(String);
      const operations = operationsOf(config, tokensIn, contextLength);
      assert.equal(operations.length, FORMULAS.length);
      for (const [at, { name, flops }] of operations.entries()) {
        const product = filled(FORMULAS[at], values)
          .split(" · ")
          .map((factor) => (factor.endsWith("²") ? Number(factor.slice(0, -1)) ** 2 : Number(factor)))
          .reduce((before, factor) => before * factor, 1);
        assert.equal(product, flops, name);
      }
    }
  }
  assert.equal(filled(FORMULAS[0], ["2", "11", "11", "16", "64", "64"]), "2 · 6 · 11 · 16²");
});
