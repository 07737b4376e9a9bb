import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { blank, DEFAULT_SHAPE } from "./checkpoints.js";
import { bits, on } from "./loops.js";

/** @param {string} name */
const golden = (name) => JSON.parse(readFileSync(new URL(`../golden/${name}`, import.meta.url), "utf8"));

const { runs } = golden("run.json");
const { lists } = golden("draws.json");

test("there is a stored run for every method", () => {
  const methods = runs.map((/** @type {any} */ run) => run.sampling.method);
  assert.deepEqual(new Set(methods), new Set(["greedy", "temperature", "top-k", "top-p"]));
});

for (const run of runs) {
  for (const cache of [true, false]) {
    test(`the stored run "${run.name}" bit for bit, ${cache ? "with" : "without"} the cache`, async () => {
      const { prompt, sampling, seed, stop, maxTokens } = run;
      const loop = await GenerationLoop.load({
        ...{ model: "untrained", sampling, seed, stop, maxTokens, cache },
      });
      for (const [index, stored] of run.passes.entries()) {
        const pass = index === 0 ? loop.prefill(prompt) : loop.decodeStep();
        assert.deepEqual(bits(loop.logits()), stored.logitBits, `logits of pass ${pass.index}`);
        assert.equal(pass.draw, stored.draw, `draw of pass ${pass.index}`);
        // What is stored is the cost with the cache.
        const cost = GenerationLoop.flops(loop.config, { phase: pass.phase, length: pass.contextLength });
        assert.equal(cost, stored.flops);
        assert.equal(pass.flops, cache ? stored.flops : pass.flopsWithoutCache);
      }
      assert.deepEqual(loop.tokens, run.tokens);
      assert.equal(loop.text, run.text);
      assert.deepEqual({ match: null, ...loop.stop }, run.stopped);
      loop.dispose();
    });
  }
}

for (const { seed, draws } of lists) {
  test(`the stored draws of seed ${seed}, all ${draws.length}`, async () => {
    const shape = { ...DEFAULT_SHAPE, n_layer: 1, n_head: 1, n_embd: 1, n_inner: 1, eos_token_id: null };
    const loop = await on(blank({ ...shape, n_positions: draws.length + 1 }), {
      seed,
      sampling: { method: "temperature" },
    });
    loop.prefill([1]);
    while (loop.stop === null) loop.decodeStep();
    const passes = loop.log;
    assert.deepEqual(
      passes.map((pass) => pass.draw),
      draws,
    );
    // All 64 tokens are equally likely, and sums of 1/64 are exact: the draw alone says which one comes.
    for (const { draw, token } of passes) assert.equal(token.id, Math.floor(Number(draw) * 64));
  });
}
