/** A run made with the cache and without: the same tokens and logits, at another cost. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { bothWays } from "../../www/comparison.js";
import { GenerationError, GenerationLoop } from "../../www/engine.js";

test("the default run costs 514,944 FLOPs with the cache and 7,606,144 without", async () => {
  const loop = await GenerationLoop.load({ model: "untrained", seed: 7 });
  const prompt = loop.encode("the cat sat");
  for (const cache of [true, false]) {
    loop.cache = cache;
    assert.deepEqual(bothWays(loop, prompt), {
      cached: { passes: 21, flops: 514_944 },
      uncached: { passes: 21, flops: 7_606_144 },
      same: true,
    });
    assert.equal(loop.cache, cache);
    assert.equal(loop.passes, 0);
  }
  loop.dispose();
});

test("it ends where the run ends, and draws what the run draws", async () => {
  const settings = { seed: 11, stop: ["."], sampling: /** @type {const} */ ({ method: "temperature" }) };
  const loop = await GenerationLoop.load({ ...settings, maxTokens: 128 });
  const prompt = loop.encode("the ");
  const { cached, uncached, same } = bothWays(loop, prompt);
  const log = [loop.prefill(prompt)];
  while (log.at(-1)?.stop === null) log.push(loop.decodeStep());
  assert.equal(cached.passes, log.length);
  assert.equal(
    cached.flops,
    log.reduce((sum, { flops }) => sum + flops, 0),
  );
  assert.equal(
    uncached.flops,
    log.reduce((sum, { flopsWithoutCache }) => sum + flopsWithoutCache, 0),
  );
  assert.equal(same, true);
  loop.dispose();
});

test("what differs is said", async () => {
  const loop = await GenerationLoop.load({ seed: 7 });
  const logits = loop.logits.bind(loop);
  // One bit, without the cache only.
  loop.logits = () => {
    const numbers = logits();
    if (!loop.cache) new Uint32Array(numbers.buffer)[3] ^= 1;
    return numbers;
  };
  assert.equal(bothWays(loop, loop.encode("the")).same, false);
  loop.dispose();
});

test("a pass that fails leaves no run under way, and the cache as it was chosen", async () => {
  const loop = await GenerationLoop.load({ model: "untrained", seed: 7 });
  const decodeStep = loop.decodeStep.bind(loop);
  loop.decodeStep = () => {
    if (!loop.cache) throw new GenerationError("non-finite-logit", "not this one");
    return decodeStep();
  };
  assert.throws(() => bothWays(loop, loop.encode("the")), { code: "non-finite-logit" });
  assert.deepEqual([loop.cache, loop.passes], [true, 0]);
  loop.dispose();
});
