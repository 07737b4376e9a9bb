import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationLoop, Pass } from "../../www/engine.js";
import { random, SHAPES } from "./checkpoints.js";
import { complete, on, plain } from "./loops.js";
import { END_OF_TEXT, idsOf, scripted } from "./scripted.js";

const OPERATIONS = ["qkv", "scores", "mix", "attention output", "mlp up", "mlp down", "head"];

const FIELDS = [
  "index",
  "phase",
  "tokensIn",
  "contextLength",
  "flops",
  "flopsWithoutCache",
  "operations",
  "cacheBytes",
  "candidates",
  "draw",
  "token",
  "stop",
  "milliseconds",
];

test("a record has the fields of the contract, and they are right in every pass", async () => {
  const prompt = "the cat sat";
  for (const cache of [true, false]) {
    const loop = await GenerationLoop.load({
      cache,
      seed: 0,
      sampling: { method: "temperature", temperature: 0.7 },
    });
    complete(loop, prompt);
    for (const [index, pass] of loop.log.entries()) {
      assert.ok(pass instanceof Pass);
      const length = prompt.length + index;
      assert.deepEqual(Object.keys(pass.toJSON()).sort(), [...FIELDS].sort());
      assert.equal(pass.index, index + 1);
      assert.equal(pass.phase, index === 0 ? "prefill" : "decode");
      assert.equal(pass.tokensIn, cache && index > 0 ? 1 : length);
      assert.equal(pass.contextLength, length);
      assert.equal(
        pass.flops,
        GenerationLoop.flops(loop.config, { phase: cache ? pass.phase : "prefill", length }),
      );
      assert.equal(pass.flopsWithoutCache, GenerationLoop.flops(loop.config, { phase: "prefill", length }));
      // Keys and values, in two layers, 16 numbers wide, of 4 bytes.
      assert.equal(pass.cacheBytes, cache ? 2 * 2 * 16 * 4 * length : 0);
      assert.ok(Number(pass.draw) >= 0 && Number(pass.draw) < 1);
      assert.equal(pass.token.id, loop.tokens[length]);
      assert.deepEqual(
        pass.token,
        pass.candidates.find(({ id }) => id === pass.token.id),
      );
      assert.ok(Number.isFinite(pass.milliseconds) && pass.milliseconds >= 0);
    }
    assert.ok(loop.log.slice(0, -1).every((pass) => pass.stop === null));
    assert.deepEqual(loop.log.at(-1)?.stop, loop.stop);
    loop.dispose();
  }
});

for (const [name, shape] of Object.entries(SHAPES)) {
  for (const cache of [true, false]) {
    test(`operations are what the kernels counted: ${name}, ${cache ? "with" : "without"} the cache`, async () => {
      const loop = await on(random({ ...shape, eos_token_id: null }, 3), { cache });
      complete(loop, [1, 2, 3], () => {
        const pass = /** @type {Pass} */ (loop.log.at(-1));
        assert.deepEqual(
          pass.operations,
          loop.multiplyAdds.map((count, index) => ({ name: OPERATIONS[index], flops: 2 * count })),
        );
        assert.equal(
          pass.operations.reduce((sum, { flops }) => sum + flops, 0),
          pass.flops,
        );
      });
      assert.equal(loop.passes, shape.n_positions - 3);
      loop.dispose();
    });
  }
}

test("a run costs the same, whatever the weights, and the default one what the table says", async () => {
  const shipped = await GenerationLoop.load({ model: "untrained" });
  const own = await GenerationLoop.load({ model: random({ ...SHAPES.default, eos_token_id: null }, 9) });
  /** @param {GenerationLoop} loop */
  const costs = (loop) => complete(loop, "the cat sat").log.map((pass) => pass.flops);
  const sum = (/** @type {number[]} */ list) => list.reduce((total, one) => total + one, 0);
  assert.deepEqual(costs(own), costs(shipped));
  assert.equal(costs(shipped).length, 21);
  assert.equal(sum(costs(shipped)), 514_944);
  assert.equal(sum(shipped.log.map((pass) => pass.flopsWithoutCache)), 7_606_144);
  shipped.cache = false;
  assert.equal(sum(costs(shipped)), 7_606_144);
});

test("the draw is null exactly where none is needed", async () => {
  const loop = await GenerationLoop.load({ seed: 5 });
  assert.equal(loop.prefill("abc").draw, null);
  for (const method of /** @type {const} */ (["temperature", "top-k", "top-p"])) {
    loop.sampling = { method, temperature: 1 };
    assert.equal(typeof loop.decodeStep().draw, "number");
    loop.sampling = { method, temperature: 0 };
    assert.equal(loop.decodeStep().draw, null);
  }
});

test("changing the method for a while leaves the later draws where they were", async () => {
  const straight = await GenerationLoop.load({ seed: 5, sampling: { method: "temperature" } });
  const winding = await GenerationLoop.load({ seed: 5, sampling: { method: "temperature" } });
  complete(straight, "abc");
  winding.prefill("abc");
  for (const method of /** @type {const} */ (["greedy", "top-k", "greedy", "top-p", "temperature"])) {
    winding.sampling = { method };
    winding.decodeStep();
  }
  const [expected, found] = [straight, winding].map((loop) => loop.log.map((pass) => pass.draw));
  assert.deepEqual(found, [expected[0], null, expected[2], null, expected[4], expected[5]]);
});

test("a reply of 200 tokens and the end takes 201 passes, whatever the prompt's length", async () => {
  for (const prompt of [1, 40]) {
    const reply = [...idsOf("abcdefghij".repeat(20)), END_OF_TEXT];
    const loop = await on(scripted(reply, { prompt }));
    complete(loop, new Array(prompt).fill(1));
    assert.equal(loop.text, "abcdefghij".repeat(20));
    assert.equal(loop.passes, 201);
    assert.equal(loop.log.length, 201);
    assert.equal(loop.tokens.length, prompt + 201);
    assert.deepEqual(loop.stop, { reason: "end-of-text" });
    loop.dispose();
  }
});

test("records and their parts cannot be changed, nor the log through a copy of it", async () => {
  const loop = await GenerationLoop.load({ seed: 1 });
  const pass = loop.prefill("abc");
  const before = plain(pass);
  for (const part of [pass, pass.token, pass.candidates, pass.candidates[0]])
    assert.ok(Object.isFrozen(part));
  pass.operations.length = 0;
  pass.operations.push({ name: "head", flops: -1 });
  loop.log.length = 0;
  loop.tokens.length = 0;
  assert.deepEqual(plain(pass), before);
  assert.equal(loop.log.length, 1);
  assert.equal(loop.log[0], pass);
  assert.equal(loop.tokens.length, 4);
  assert.equal(JSON.stringify(plain(pass)), JSON.stringify(before));
});
