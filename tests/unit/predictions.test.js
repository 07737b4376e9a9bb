/** What a reader expects of a pass: what counts as a guess, what as right, and that nothing else changes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { clockStep } from "../../www/clock.js";
import { GenerationLoop } from "../../www/engine.js";
import { outcomeInWords } from "../../www/format.js";
import { Predictions } from "../../www/predictions.js";
import { wordsFor } from "../../www/words.js";

const words = wordsFor("en");
const load = () => GenerationLoop.load({ seed: 7, stop: [] });

/**
 * Guesses, and then the next pass.
 * @param {Predictions} predictions
 * @param {GenerationLoop} loop
 * @param {string} token
 * @param {string} flops
 */
function next(predictions, loop, token, flops) {
  predictions.guess("token", token);
  predictions.guess("flops", flops);
  predictions.commit(loop, words.spoken);
  const pass = loop.passes === 0 ? loop.prefill("the cat sat") : loop.decodeStep();
  predictions.reveal(pass);
  return pass;
}

test("both guesses are told apart, counted, and gone with the pass", async () => {
  const loop = await load();
  const predictions = new Predictions();
  const first = next(predictions, loop, " ", "173,184");
  assert.equal(first.token.text, " ");
  assert.deepEqual(predictions.score, { right: 2, all: 2 });
  assert.deepEqual(predictions.guesses, { token: "", flops: "" });
  const second = next(predictions, loop, "x", "15872");
  assert.notEqual(second.token.text, "x");
  assert.deepEqual(predictions.score, { right: 3, all: 4 });
  assert.deepEqual(predictions.last, {
    pass: second,
    token: { guess: "x", right: false },
    flops: { guess: "15872", right: true },
  });
  assert.equal(
    outcomeInWords(/** @type {any} */ (predictions.last), words),
    "Not so: you said x, the token was b. Right: it took 15,872 FLOPs.",
  );
  // Without a guess nothing is counted, and the last verdict goes.
  next(predictions, loop, "", " ");
  assert.deepEqual(predictions.score, { right: 3, all: 4 });
  assert.equal(predictions.last, null);
});

test("a token goes by its name, its capital form and its symbol's real character", async () => {
  const loop = await load();
  for (const [typed, text] of [
    ["space", " "],
    [" Space ", " "],
    ["newline", "\n"],
    ["end of text", ""],
    ["full stop", "."],
    ["B", "b"],
    ["’", "'"],
    ["0", "0"],
  ]) {
    const predictions = new Predictions();
    next(predictions, loop, typed, "");
    assert.equal(predictions.last?.token?.guess, text, typed);
  }
});

test("FLOPs are digits, with or without separators between each three", async () => {
  for (const [typed, flops] of [
    ["15872", "15872"],
    ["15,872", "15872"],
    ["15.872", "15872"],
    ["15\u202f872", "15872"],
    ["1'234'567", "1234567"],
    ["0", "0"],
    [" 7 ", "7"],
  ]) {
    const loop = await load();
    const predictions = new Predictions();
    next(predictions, loop, "", typed);
    assert.equal(predictions.last?.flops?.guess, flops, typed);
  }
});

test("what is no guess is refused by its value, and nothing has changed", async () => {
  const loop = await load();
  const predictions = new Predictions();
  next(predictions, loop, " ", "");
  const before = structuredClone({ score: predictions.score, passes: loop.passes });
  for (const [token, flops] of [
    ["ab", ""],
    ["é", ""],
    ["😀", ""],
    ["\ud800", ""],
    ["<b>", ""],
    ["", "abc"],
    ["", "-1"],
    ["", "1.5"],
    ["", "1e3"],
    ["", "15,87"],
    ["", "0x10"],
    ["", "Infinity"],
    ["", "9".repeat(400)],
  ]) {
    predictions.guess("token", token);
    predictions.guess("flops", flops);
    const value = JSON.stringify(token || flops);
    assert.throws(
      () => predictions.commit(loop, words.spoken),
      (/** @type {any} */ error) =>
        error.code === "invalid-guess" &&
        error.message.includes(value) &&
        error.message === predictions.error,
      value,
    );
    assert.deepEqual({ score: predictions.score, passes: loop.passes }, before);
    assert.deepEqual(predictions.guesses, { token, flops });
    predictions.guess("token", "");
    assert.equal(predictions.error, null, "gone with the next letter");
  }
});

test("a clock's step is the least that it moves by; of one that stands still nothing is known", () => {
  /** @param {(reading: number) => number} time */
  const clock = (time) => {
    let readings = 0;
    return () => {
      readings += 1;
      return time(readings);
    };
  };
  assert.equal(clockStep(clock((reading) => Math.floor(reading / 100) * 0.1)), 0.1);
  // At times it moves by more than one.
  assert.equal(clockStep(clock((reading) => Math.floor(reading / 3) * 5 + (reading > 50 ? 1000 : 0))), 5);
  assert.equal(
    clockStep(() => 12),
    null,
  );
  const here = clockStep();
  assert.ok(here !== null && here > 0 && here < 100);
  assert.equal(clockStep(), here);
});
