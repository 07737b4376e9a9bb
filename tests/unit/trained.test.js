/** The trained weights: that they are those of the file, that they write sentences, and that sense costs what nonsense does. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { FOREIGN, legibility, PROMPTS, recogniser, written } from "../../scripts/legibility.js";
import { GenerationLoop } from "../../www/engine.js";

const root = join(import.meta.dirname, "../..");
const folder = join(root, "crate/models/trained");

/** @type {GenerationLoop} */
let loop;
before(async () => {
  loop = await GenerationLoop.load({ model: "trained", stop: [], maxTokens: null });
});

test("the shipped numbers are those of the file, to the last bit", async () => {
  const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
  const weights = readFileSync(join(folder, "model.safetensors"));
  const fromFile = await GenerationLoop.load({ model: { config, weights }, maxTokens: null });
  assert.deepEqual(fromFile.config, loop.config);
  for (const prompt of ["q", "the cat sat", "0123456789.,!?'\"-:;()[]+*/=<>&%$#@_\n "]) {
    loop.prefill(prompt);
    fromFile.prefill(prompt);
    assert.deepEqual(fromFile.logits(), loop.logits());
  }
  fromFile.dispose();
});

test("logits agree with Hugging Face's GPT-2 on the same file", () => {
  const { cases } = JSON.parse(readFileSync(join(root, "tests/golden/trained.json"), "utf8"));
  assert.ok(cases.length >= 10);
  for (const { prompt, ids, logits } of cases) {
    assert.deepEqual(loop.encode(prompt), ids);
    loop.prefill(prompt);
    const worst = Math.max(...loop.logits().map((logit, id) => Math.abs(logit - logits[id])));
    assert.ok(worst <= 1e-4, `${prompt}: ${worst}`);
  }
});

test("the recogniser knows sentences from what is none", () => {
  const belongs = recogniser();
  for (const text of ["the cat sat by a tree.", "where is the old fox?", "good night, pony!"]) {
    assert.ok(belongs(text), text);
  }
  for (const text of [
    "the cat sat",
    "the cat sat by a tree",
    "the cat sat by a tree.x",
    "a cat cat sat by a tree.",
    "",
  ]) {
    assert.ok(!belongs(text), text);
  }
});

test("2,000 runs at temperature 1: at least 95 % are sentences of the grammar", () => {
  assert.ok(PROMPTS.length >= 10);
  const { ended, share } = legibility(loop, { temperature: 1, runs: 2000 });
  assert.ok(ended >= 1990, `${ended} ended`);
  assert.ok(share >= 0.95, `${share}`);
});

test("2,000 runs at temperature 0.7: at least 99 % are", () => {
  const { ended, share } = legibility(loop, { temperature: 0.7, runs: 2000 });
  assert.equal(ended, 2000);
  assert.ok(share >= 0.99, `${share}`);
});

test("greedy comes to an end, from prompts of the grammar, from others and from anywhere in a sentence", () => {
  loop.reset();
  loop.maxTokens = null;
  loop.sampling = { method: "greedy" };
  const sentences = [
    "the little sailor wrote a poem.",
    "can you hear the old rabbit?",
    "good evening, nurse!",
  ];
  const cuts = sentences.flatMap((text) => Array.from(text, (_, place) => text.slice(place)));
  const starts = sentences.flatMap((text) => Array.from(text, (_, place) => text.slice(0, place + 1)));
  for (const prompt of [...PROMPTS, ...FOREIGN, ...cuts, ...starts]) {
    loop.reset();
    assert.ok(written(loop, prompt).ended, prompt);
  }
  // As far into the context as a sentence can begin and still have room.
  loop.reset();
  const far = "the fox slept under a bridge. ".repeat(3);
  assert.ok(recogniser()(written(loop, `${far}the cat sat`).text.slice(far.length)));
});

test("a sentence, and the babble of the untrained weights, cost the same FLOPs pass by pass", async () => {
  const untrained = await GenerationLoop.load({ model: "untrained", stop: [], maxTokens: 32 });
  loop.reset();
  loop.maxTokens = 32;
  for (const cache of [true, false]) {
    const logs = [loop, untrained].map((one) => {
      one.reset();
      one.cache = cache;
      one.sampling = { method: "greedy" };
      one.prefill("the cat sat");
      while (one.stop === null) one.decodeStep();
      return one.log.map(({ tokensIn, contextLength, flops, flopsWithoutCache, operations }) => ({
        tokensIn,
        contextLength,
        flops,
        flopsWithoutCache,
        operations,
      }));
    });
    const passes = Math.min(...logs.map(({ length }) => length));
    assert.ok(passes >= 10);
    assert.deepEqual(logs[0].slice(0, passes), logs[1].slice(0, passes));
  }
  assert.notEqual(loop.text, untrained.text);
  untrained.dispose();
  loop.cache = true;
});
