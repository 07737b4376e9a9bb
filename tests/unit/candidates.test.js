import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { blank, DEFAULT_SHAPE, random } from "./checkpoints.js";
import { bits, complete, on, plain } from "./loops.js";
import { CHARACTERS, idsOf, scripted } from "./scripted.js";

/** @typedef {import("../../www/engine.js").Candidate} Candidate */

/** A model that is all head: no block adds anything. @param {number} vocab_size */
const ofVocabulary = (vocab_size) =>
  random({
    ...DEFAULT_SHAPE,
    n_layer: 1,
    n_embd: 4,
    n_inner: 1,
    n_positions: 6,
    vocab_size,
    eos_token_id: null,
  });

/** @param {readonly Candidate[]} candidates @param {"probability" | "samplingProbability"} key */
const sum = (candidates, key) => candidates.reduce((total, candidate) => total + candidate[key], 0);

/**
 * Probabilities of all tokens at temperature 1, in the plainest way.
 * @param {Float32Array} logits
 */
function softmax(logits) {
  const max = Math.max(...logits);
  const weights = Array.from(logits, (logit) => Math.exp(logit - max));
  const total = weights.reduce((one, other) => one + other);
  return weights.map((weight) => weight / total);
}

for (const [vocabulary, count] of [
  [1, 1],
  [5, 5],
  [64, 64],
  [1024, 1024],
  [1025, 1024],
  [2000, 1024],
]) {
  test(`of ${vocabulary} tokens ${count} are candidates: sorted, over the whole vocabulary`, async () => {
    const loop = await on(ofVocabulary(vocabulary), {
      sampling: { method: "temperature", temperature: 0.8 },
    });
    const { candidates } = loop.prefill([0, 0]);
    const logits = loop.logits();
    assert.equal(logits.length, vocabulary);
    assert.equal(candidates.length, count);
    assert.equal(new Set(candidates.map(({ id }) => id)).size, count);

    const order = [...logits.keys()].sort((a, b) => logits[b] - logits[a] || a - b);
    assert.deepEqual(
      candidates.map(({ id }) => id),
      order.slice(0, count),
    );
    const expected = softmax(logits);
    for (const { id, probability, text } of candidates) {
      assert.ok(Math.abs(probability - expected[id]) < 1e-6, `${probability} is not ${expected[id]}`);
      assert.equal(text, vocabulary === 64 ? ["", ...CHARACTERS][id] : `#${id}`);
    }
    for (const key of /** @type {const} */ (["probability", "samplingProbability"])) {
      const all = sum(candidates, key);
      if (vocabulary <= 1024) assert.ok(Math.abs(all - 1) < 1e-9);
      // What is left out has its part, too: probabilities are not those among the candidates only.
      else assert.ok(all < 1 - 1e-6 && all > 0.5);
    }
    loop.dispose();
  });
}

test("ties go to the lower id, in the order and in the choice", async () => {
  const model = blank({
    ...DEFAULT_SHAPE,
    n_layer: 1,
    n_embd: 2,
    n_head: 1,
    vocab_size: 6,
    eos_token_id: null,
  });
  // ln_f gives its bias alone; logits 0, 1, 1, 0, 1, 0.
  model.weights["transformer.ln_f.bias"].data[0] = 1;
  for (const id of [1, 2, 4]) model.weights["lm_head.weight"].data[2 * id] = 1;
  for (const sampling of /** @type {const} */ ([
    { method: "greedy" },
    { method: "temperature", temperature: 0 },
    { method: "top-k", topK: 1 },
    { method: "top-p", topP: 0 },
  ])) {
    const loop = await on(model, { sampling });
    const pass = loop.prefill([0]);
    assert.deepEqual([...loop.logits()], [0, 1, 1, 0, 1, 0]);
    assert.deepEqual(
      pass.candidates.map(({ id }) => id),
      [1, 2, 4, 0, 3, 5],
    );
    assert.equal(pass.token.id, 1, JSON.stringify(sampling));
    loop.dispose();
  }
});

test("what the method cut has sampling probability 0 and keeps its probability", async () => {
  const loop = await GenerationLoop.load({ seed: 3 });
  for (const [sampling, kept] of /** @type {const} */ ([
    [{ method: "greedy" }, 1],
    [{ method: "temperature", temperature: 1 }, 64],
    [{ method: "top-k", topK: 5 }, 5],
    [{ method: "top-k", topK: 63 }, 63],
    [{ method: "top-p", topP: 0 }, 1],
    [{ method: "top-p", topP: 1 }, 64],
  ])) {
    loop.sampling = sampling;
    const { candidates } = loop.prefill("the cat");
    assert.ok(Math.abs(sum(candidates, "samplingProbability") - 1) < 1e-9);
    assert.ok(Math.abs(sum(candidates, "probability") - 1) < 1e-9);
    for (const [place, { probability, samplingProbability }] of candidates.entries()) {
      assert.equal(samplingProbability > 0, place < kept, `${sampling.method}, place ${place}`);
      assert.ok(probability > 0);
    }
  }
});

test("top-p keeps the fewest whose sum reaches p", async () => {
  const loop = await GenerationLoop.load({ seed: 3, sampling: { method: "top-p", topP: 0.75 } });
  for (const { candidates } of complete(loop, "the cat").log) {
    const kept = candidates.filter(({ samplingProbability }) => samplingProbability > 0);
    assert.ok(sum(kept, "probability") >= 0.75);
    assert.ok(sum(kept.slice(0, -1), "probability") < 0.75);
    const total = sum(kept, "probability");
    for (const one of kept) assert.ok(Math.abs(one.samplingProbability - one.probability / total) < 1e-6);
  }
});

test("temperature 100 is nearly uniform; bars under greedy are still probabilities", async () => {
  const loop = await GenerationLoop.load({
    model: "untrained",
    sampling: { method: "temperature", temperature: 100 },
  });
  const hot = loop.prefill("abc").candidates;
  assert.ok(hot.every(({ samplingProbability }) => Math.abs(samplingProbability - 1 / 64) < 0.005));
  loop.sampling = { method: "greedy" };
  const greedy = loop.prefill("abc").candidates;
  assert.deepEqual(
    greedy.map(({ id, probability }) => ({ id, probability })),
    hot.map(({ id, probability }) => ({ id, probability })),
  );
});

test("candidates stay true after the loop has moved on, was reset, and was disposed", async () => {
  for (const vocabulary of [64, 2000]) {
    const options = { sampling: /** @type {const} */ ({ method: "top-k", topK: 3 }) };
    const [loop, twin] = [
      await on(ofVocabulary(vocabulary), options),
      await on(ofVocabulary(vocabulary), options),
    ];
    const passes = [loop.prefill([1]), loop.decodeStep(), loop.decodeStep()];
    const expected = [twin.prefill([1]), twin.decodeStep(), twin.decodeStep()].map((pass) => plain(pass));
    // Another method, another prompt, no prompt, no loop; each record is read for the first time after one of them.
    loop.sampling = { method: "greedy" };
    loop.prefill([3, 3]);
    assert.deepEqual(plain(passes[0]), expected[0]);
    loop.reset();
    assert.deepEqual(plain(passes[1]), expected[1]);
    loop.dispose();
    assert.deepEqual(plain(passes[2]), expected[2]);
    twin.dispose();
  }
});

test("asking twice gives the same list, and asking changes nothing", async () => {
  const [asked, silent] = [1, 2].map(() =>
    GenerationLoop.load({
      ...{ model: "untrained", seed: 11, sampling: { method: "top-p", temperature: 1.3 } },
    }),
  );
  const [loop, twin] = [await asked, await silent];
  for (let step = 0; step < 10; step += 1) {
    const pass = step === 0 ? loop.prefill("hello") : loop.decodeStep();
    if (step === 0) twin.prefill("hello");
    else twin.decodeStep();
    const before = bits(loop.logits());
    assert.equal(pass.candidates, pass.candidates);
    assert.deepEqual(bits(loop.logits()), before);
    assert.deepEqual(bits(twin.logits()), before);
    assert.equal(pass.token.id, twin.tokens.at(-1));
  }
});

test("logits are a copy, empty before the first pass", async () => {
  const loop = await GenerationLoop.load();
  assert.deepEqual(loop.logits(), new Float32Array(0));
  loop.prefill("abc");
  const [first, second] = [loop.logits(), loop.logits()];
  assert.deepEqual(first, second);
  first.fill(Number.NaN);
  assert.deepEqual(loop.logits(), second);
  assert.ok(!Number.isNaN(loop.decodeStep().token.probability));
  loop.reset();
  assert.equal(loop.logits().length, 0);
});

test("logits that are held keep their values while larger models load", async () => {
  const loop = await GenerationLoop.load();
  loop.prefill("the cat sat");
  const held = loop.logits();
  const before = bits(held);
  const others = [];
  for (const n_embd of [64, 256, 512]) {
    others.push(await on(random({ ...DEFAULT_SHAPE, n_embd, n_head: 1, n_inner: 4 * n_embd }, 1, 0.1)));
    others.at(-1)?.prefill("the cat sat");
  }
  assert.equal(held.length, 64);
  assert.deepEqual(bits(held), before);
  assert.deepEqual(bits(loop.logits()), before);
  assert.equal(loop.log[0].candidates.length, 64);
  for (const other of others) other.dispose();
});

test("markup is text, in tokens and in candidates", async () => {
  const text = "<img src=x onerror=1>&a<b";
  const loop = await on(scripted(text, { prompt: text.length }));
  complete(loop, text);
  assert.ok(loop.text.startsWith(text));
  assert.deepEqual(loop.encode(text), idsOf(text));
  const first = loop.log[0];
  assert.equal(first.token.text, "<");
  assert.equal(first.candidates[0].text, "<");
});

test("what a method left is counted, and is not what has no probability left", async () => {
  const loop = await GenerationLoop.load({ model: "untrained", seed: 7 });
  const kept = (/** @type {Partial<import("../../www/engine.js").Sampling>} */ sampling) => {
    loop.sampling = sampling;
    return loop.prefill("the cat sat").kept;
  };
  assert.equal(kept({ method: "greedy" }), 1);
  assert.equal(kept({ method: "top-k", topK: 5, temperature: 1 }), 5);
  assert.equal(kept({ method: "top-p", topP: 0 }), 1);
  // So cold that most probabilities are too small for any number: nothing was cut all the same.
  assert.equal(kept({ method: "temperature", temperature: 0.01 }), 64);
  const { candidates } = loop.log[0];
  assert.ok(candidates.filter(({ samplingProbability }) => samplingProbability === 0).length > 30);
});
