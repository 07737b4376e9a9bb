import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { complete, everything, refusal, wrong } from "./loops.js";

const sampling = /** @type {const} */ ({ method: "temperature", temperature: 1.2 });

/** @param {any} [seed] */
const withSeed = (seed) => GenerationLoop.load({ model: "untrained", seed, sampling });

/** @param {any} [seed] */
async function textOf(seed) {
  const loop = await withSeed(seed);
  const { text } = complete(loop, "hello");
  loop.dispose();
  return text;
}

test("a seed is the same as Number, BigInt and decimal text", async () => {
  const texts = new Set();
  for (const seed of [60, 60n, "60", " 60 ", "060"]) {
    const loop = await withSeed(seed);
    assert.equal(loop.seed, 60);
    texts.add(complete(loop, "hello").text);
  }
  assert.equal(texts.size, 1);
});

test("every seed of the range is taken exactly", async () => {
  for (const seed of [0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 7, 2 ** 53 - 1]) {
    for (const form of [seed, BigInt(seed), String(seed)]) assert.equal((await withSeed(form)).seed, seed);
  }
  // All of its bits count.
  assert.notEqual(await textOf(7), await textOf(2 ** 32 + 7));
  assert.notEqual(await textOf(2 ** 53 - 1), await textOf(2 ** 53 - 2));
});

test("what is no seed is refused by name and range, by every route", async () => {
  const loop = await withSeed(5);
  const before = everything(loop);
  const refused = refusal(
    "invalid-setting",
    /^seed is .*; allowed: a whole number from 0 to 9007199254740991$/,
  );
  for (const seed of [
    ...[-1, -1n, "-1", 1.5, "1.5", Number.NaN, Number.POSITIVE_INFINITY, "Infinity"],
    ...[2 ** 53, 2n ** 53n, 2n ** 53n + 1n, "9007199254740992", "9007199254740993", "1e3", "0x10"],
    ...["", " ", "abc", "6 0", {}, [], [60], true, () => 60, Symbol("60"), new Number(60)],
  ]) {
    await assert.rejects(withSeed(seed), refused);
    assert.throws(() => {
      loop.seed = wrong(seed);
    }, refused);
  }
  await assert.rejects(withSeed(2n ** 53n + 1n), /seed is 9007199254740993n;/);
  assert.deepEqual(everything(loop), before);
});

test("without a seed one is picked, reported, and gives the run again", async () => {
  for (const nothing of [undefined, null]) {
    const loops = [await withSeed(nothing), await withSeed(nothing), await withSeed(nothing)];
    const seeds = loops.map((loop) => loop.seed);
    assert.equal(new Set(seeds).size, 3);
    for (const loop of loops) {
      assert.ok(Number.isSafeInteger(loop.seed) && loop.seed >= 0);
      const run = complete(loop, "hello");
      assert.deepEqual(complete(await withSeed(loop.seed), "hello"), run);
      // The same loop, once more: the draws begin at the seed again.
      assert.deepEqual(complete(loop, "hello"), run);
    }
  }
});

test("setting no seed picks a new one", async () => {
  const loop = await withSeed(5);
  const seeds = new Set([5]);
  for (let count = 0; count < 5; count += 1) {
    loop.seed = wrong(count % 2 ? null : undefined);
    seeds.add(loop.seed);
  }
  assert.equal(seeds.size, 6);
});

test("the same seed gives the same run, another seed another", async () => {
  assert.equal(await textOf(0), await textOf(0));
  assert.notEqual(await textOf(0), await textOf(1));
});

test("a seeded loop is not disturbed by others", async () => {
  const alone = complete(await withSeed(9), "hello");
  const [seeded, unseeded, same] = [await withSeed(9), await withSeed(), await withSeed(9)];
  for (const loop of [seeded, unseeded, same]) loop.prefill("hello");
  while (seeded.stop === null) {
    seeded.decodeStep();
    for (const loop of [unseeded, same]) if (loop.stop === null) loop.decodeStep();
  }
  assert.deepEqual(seeded.tokens, alone.tokens);
  assert.deepEqual(same.tokens, alone.tokens);
  assert.notDeepEqual(unseeded.tokens, alone.tokens);
});

test("a seed belongs to the whole run", async () => {
  const loop = await withSeed(5);
  const run = complete(loop, "hello");
  assert.throws(
    () => {
      loop.seed = 6;
    },
    refusal("run-in-progress", /^seed belongs to the whole run, and \d+ passes/),
  );
  assert.equal(loop.seed, 5);
  loop.reset();
  loop.seed = 6;
  assert.notDeepEqual(complete(loop, "hello").tokens, run.tokens);
  loop.reset();
  loop.seed = 5;
  assert.deepEqual(complete(loop, "hello"), run);
});

test("where the system gives no seed, a load without one is refused, and one with a seed is not", async (t) => {
  const getRandomValues = t.mock.method(crypto, "getRandomValues", () => {
    throw new Error("none");
  });
  const message = /^no random seed could be had from the system; set a seed$/;
  await assert.rejects(withSeed(null), refusal("no-entropy", message));
  const loop = await withSeed(5);
  assert.throws(
    () => {
      loop.seed = wrong(null);
    },
    refusal("no-entropy", message),
  );
  assert.equal(loop.seed, 5);
  getRandomValues.mock.restore();
  assert.equal((await withSeed(null)).stop, null);
});
