/** The values below the chapter's formulas: what is written out is worth what the engine's log says. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { valuesAt } from "../../www/chapter/arithmetic.js";
import {
  decimal,
  filledIn,
  probabilityOf,
  temperaturesOf,
  valuesOf,
  whole,
} from "../../www/chapter/formulas.js";
import { ranIn, STEPS } from "../../www/chapter/steps.js";
import { GenerationLoop } from "../../www/engine.js";
import { operationsOf, totalOf } from "../../www/flops.js";
import { DEFAULT_SHAPE, SHAPES } from "./checkpoints.js";

/** What a written-out sum is worth. @param {string} written */
function worth(written) {
  assert.match(written, /^[\d,\s×+()²]+$/);
  const plain = written.replaceAll(",", "").replaceAll("×", "*").replaceAll("²", "**2");
  return Function(`return ${plain}`)();
}

/** A value's two sides. @param {string} value */
function sides(value) {
  const [written, result] = value.split(" = ");
  return [worth(written), Number(result.replace(/ bytes$/, "").replaceAll(",", ""))];
}

/** @param {string} prompt @param {import("../../www/engine.js").LoadOptions} [options] */
async function made(prompt, options = {}) {
  const loop = await GenerationLoop.load({ seed: 7, maxTokens: prompt.length + 5, ...options });
  loop.prefill(prompt);
  while (loop.stop === null) loop.decodeStep();
  return loop;
}

describe("written out", () => {
  test("a pass is worth its FLOPs, for every shape", () => {
    for (const config of Object.values(SHAPES)) {
      for (const [s, t] of [
        [1, 1],
        [7, 7],
        [1, 12],
        [1000, 1000],
      ]) {
        assert.equal(worth(filledIn(config, s, t)), totalOf(config, s, t));
      }
    }
  });

  test("numbers have all their digits, and say so where they cannot", () => {
    assert.deepEqual([0, 1234567].map(whole), ["0", "1,234,567"]);
    assert.match(whole(2 ** 60), /^about 1,152,921,504,606,85/);
  });
});

describe("at a moment", () => {
  test("before a run they are the prompt's", () => {
    const values = valuesOf({ config: DEFAULT_SHAPE, tokens: 11, log: [] });
    assert.equal(values.sizes.replaceAll("\u00a0", " "), "L = 2, D = 16, F = 64, V = 64");
    assert.deepEqual(sides(values.prefill), [173_184, 173_184]);
    assert.deepEqual(sides(values.decode), [15_872, 15_872]);
    assert.match(values["decode-what"], /T = 12/);
    assert.deepEqual(sides(values.cache), [2816, 2816]);
    assert.equal(values.one, "14,464");
    assert.equal(values.many.replaceAll("\u00a0", " "), "prefill(11) = 11 × 15,744 = 173,184");
  });

  test("in a run they are what its log says, pass by pass", async () => {
    const loop = await made("the cat");
    for (let at = 1; at <= loop.passes; at += 1) {
      const log = loop.log.slice(0, at);
      const last = log[at - 1];
      const values = valuesOf({ config: loop.config, tokens: 7, log });
      assert.deepEqual(sides(values.prefill), [log[0].flops, log[0].flops]);
      const shown = at === 1 ? totalOf(loop.config, 1, 8) : last.flops;
      assert.deepEqual(sides(values.decode), [shown, shown]);
      assert.equal(values["decode-total"], whole(shown));
      assert.deepEqual(sides(values.cache), [last.cacheBytes, last.cacheBytes]);
      const decode = at === 1 ? operationsOf(loop.config, 1, 8) : last.operations;
      for (const [phase, operations] of /** @type {const} */ ([
        ["prefill", log[0].operations],
        ["decode", decode],
      ])) {
        for (const { name, flops } of operations) {
          assert.equal(values[`${name.replaceAll(" ", "-")}-${phase}`], whole(flops));
        }
      }
    }
    loop.dispose();
  });

  test("a decode without the cache is a prefill of all, and nothing is kept", async () => {
    const loop = await made("the cat", { cache: false });
    const values = valuesOf({ config: loop.config, tokens: 7, log: loop.log });
    const last = loop.log[loop.passes - 1];
    assert.equal(last.flops, last.flopsWithoutCache);
    assert.deepEqual(sides(values.decode), [last.flops, last.flops]);
    assert.match(values["decode-what"], /without the cache/);
    assert.match(values["cache-what"], /the cache is off/);
    assert.equal(values.cache, "0 bytes");
    loop.dispose();
  });

  test("a prompt that cannot be taken through has no values", () => {
    const moment = {
      config: DEFAULT_SHAPE,
      log: [],
      stop: null,
      next: /** @type {const} */ ("prefill"),
      running: false,
    };
    const token = (/** @type {boolean} */ supported) => ({ text: "a", supported });
    assert.equal(valuesAt({ ...moment, prompt: [], most: 32 }), null);
    assert.equal(valuesAt({ ...moment, prompt: [token(true), token(false)], most: 30 }), null);
    assert.equal(valuesAt({ ...moment, prompt: [token(true)], most: 0 }), null);
    assert.notEqual(valuesAt({ ...moment, prompt: [token(true)], most: 31 }), null);
  });
});

describe("probabilities", () => {
  const token = (/** @type {number} */ probability) =>
    /** @type {any} */ ({ token: { id: 0, text: "a", probability, samplingProbability: 1 } });

  test("one near 0 or 1 never reads as either", () => {
    assert.deepEqual([0, 1, 0.5, 0.1234, 0.9994, 0.9996, 0.99999999, 0.001, 0.00042, 1e-12].map(decimal), [
      "0",
      "1",
      "0.500",
      "0.123",
      "0.9994",
      "0.9996",
      "0.9999",
      "0.001",
      "4.2\u00a0×\u00a010⁻⁴",
      "1.0\u00a0×\u00a010⁻¹²",
    ]);
  });

  test("their product, however long", () => {
    assert.equal(probabilityOf([token(0.25)]), "0.250, over 1 token");
    assert.equal(probabilityOf([token(0.5), token(0.25)]), "0.500 × 0.250 ≈ 0.125, over 2 tokens");
    const long = probabilityOf(Array.from({ length: 2000 }, () => token(0.001)));
    assert.equal(
      long.replaceAll("\u00a0", " "),
      "0.001 × 0.001 × 0.001 × 0.001 × 0.001 × … × 0.001 ≈ 1.0 × 10⁻⁶⁰⁰⁰, over 2,000 tokens",
    );
    assert.match(probabilityOf([token(0.5), token(0)]), /≈ 0, over/);
  });

  test("temperatures are the engine's, and follow p^(1/τ)", async () => {
    const loop = await made("the cat sat");
    const pass = loop.log[1];
    const said = temperaturesOf(pass);
    const powers = (/** @type {number} */ power) =>
      pass.candidates.map(({ probability }) => probability ** power);
    const at = (/** @type {number} */ power) =>
      pass.token.probability ** power / powers(power).reduce((sum, value) => sum + value, 0);
    const numbers = [...said.matchAll(/(\d\.\d+) at/g)].map(([, number]) => Number(number));
    for (const [index, power] of [2, 1, 0.5].entries())
      assert.ok(Math.abs(numbers[index] - at(power)) < 0.0006, said);
    loop.dispose();
    const gone = { token: pass.token, under: () => null };
    assert.equal(temperaturesOf(gone), `“${pass.token.text}” has ${decimal(pass.token.probability)} at 1`);
  });
});

test("the steps of a pass are those that it went through", () => {
  const prefill = /** @type {const} */ ({ phase: "prefill", tokensIn: 1, stop: null });
  const decode = /** @type {const} */ ({ phase: "decode", tokensIn: 1, stop: { reason: "stop-string" } });
  const again = /** @type {const} */ ({ phase: "decode", tokensIn: 12, stop: null });
  const steps = (/** @type {string} */ item, /** @type {any} */ pass) =>
    Object.keys(STEPS).filter((step) => ranIn(step, item, pass));
  assert.deepEqual(steps("prefill", prefill), ["prefill", "sample", "token", "record", "stop"]);
  assert.deepEqual(steps("decode_step", prefill), []);
  assert.deepEqual(steps("prefill", decode), []);
  assert.deepEqual(steps("decode_step", decode), [
    "decode",
    "sample",
    "token",
    "record",
    "stop",
    "stop-string",
  ]);
  assert.deepEqual(steps("decode_step", again), ["again", "sample", "token", "record", "stop"]);
  assert.ok(ranIn("stop-string", "find_stop", decode) && !ranIn("max-tokens", "find_stop", decode));
});
