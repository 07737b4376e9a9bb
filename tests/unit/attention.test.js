/** The attention weights of a pass: those of the last position, over all tokens that it could see. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";

const { cases } = JSON.parse(readFileSync(join(import.meta.dirname, "../golden/trained.json"), "utf8"));

describe("attention", () => {
  test("is that of transformers, by layer and head", async () => {
    const loop = await GenerationLoop.load({ maxTokens: null });
    for (const { prompt, attention } of cases) {
      loop.prefill(prompt);
      const found = loop.attention();
      const right = attention.flat(2);
      assert.equal(found.length, right.length);
      for (const [place, weight] of right.entries()) {
        assert.ok(Math.abs(found[place] - weight) < 1e-6, `${prompt}: ${place}`);
      }
    }
    loop.dispose();
  });

  test("is one row for each layer and head, over the whole context, and sums to 1", async () => {
    const loop = await GenerationLoop.load({ seed: 7, sampling: { method: "temperature" } });
    assert.deepEqual(loop.attention(), new Float32Array(0));
    for (let pass = loop.prefill("the cat sat"); pass.stop === null; pass = loop.decodeStep()) {
      const weights = loop.attention();
      const { n_layer, n_head } = loop.config;
      assert.equal(weights.length, n_layer * n_head * pass.contextLength);
      for (let row = 0; row < n_layer * n_head; row += 1) {
        const ofRow = weights.subarray(row * pass.contextLength, (row + 1) * pass.contextLength);
        assert.ok(Math.abs(ofRow.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-5);
      }
    }
    loop.reset();
    assert.equal(loop.attention().length, 0);
    loop.dispose();
  });

  test("is a copy, the same bits after going back and without the cache", async () => {
    const loop = await GenerationLoop.load({ seed: 7, sampling: { method: "temperature" } });
    loop.prefill("the cat");
    const seen = [loop.attention()];
    for (let step = 0; step < 5; step += 1) {
      loop.decodeStep();
      seen.push(loop.attention());
    }
    loop.rewind(3);
    assert.deepEqual(loop.attention(), seen[2]);
    loop.cache = false;
    loop.decodeStep();
    assert.deepEqual(loop.attention(), seen[3]);
    loop.attention().fill(0);
    assert.deepEqual(loop.attention(), seen[3]);
    loop.dispose();
  });
});
