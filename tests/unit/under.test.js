/** The candidates of a pass under another method than its own: the same logits, nothing drawn. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";

const plain = (/** @type {any} */ value) => JSON.parse(JSON.stringify(value));

test("are those that a loop with that method has", async () => {
  const loop = await GenerationLoop.load({ seed: 7, sampling: { method: "temperature", temperature: 0.8 } });
  const pass = loop.prefill("the cat sat");
  const own = plain(pass.candidates);
  /** @type {Partial<import("../../www/settings.js").Sampling>[]} */
  const others = [
    { method: "greedy" },
    { method: "temperature", temperature: 2 },
    { method: "top-k", topK: 3 },
    { method: "top-p", topP: 0.5, temperature: 0.5 },
  ];
  for (const sampling of others) {
    const under = pass.under(sampling);
    const twin = await GenerationLoop.load({ seed: 7, sampling: { temperature: 0.8, ...sampling } });
    const other = twin.prefill("the cat sat");
    assert.deepEqual(plain(under?.list), plain(other.candidates));
    assert.equal(under?.kept, other.kept);
    twin.dispose();
  }
  // What is left out is as it was.
  assert.deepEqual(plain(pass.under({})?.list), own);
  assert.deepEqual(plain(pass.candidates), own);
  assert.deepEqual(loop.sampling.method, "temperature");
  loop.dispose();
  assert.ok(pass.under({ method: "greedy" }));
});

test("a method that is none is refused by name, and nothing has changed", async () => {
  const loop = await GenerationLoop.load({ seed: 7 });
  const pass = loop.prefill("the cat sat");
  const before = plain(pass);
  assert.throws(() => pass.under({ temperature: -1 }), {
    code: "invalid-setting",
    message: /temperature is -1/,
  });
  assert.deepEqual(plain(pass), before);
  loop.dispose();
});

test("logits of a large vocabulary are let go once the candidates are made", async () => {
  const config = {
    ...{ n_layer: 1, n_head: 1, n_embd: 8, n_inner: 8, vocab_size: 1025, n_positions: 16 },
    ...{ layer_norm_epsilon: 1e-5, tie_word_embeddings: true, eos_token_id: null },
  };
  const numbers = (/** @type {number[]} */ ...shape) => ({
    shape,
    data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) =>
      Math.sin(i * 1.7 + shape.length),
    ),
  });
  const weights = Object.fromEntries(
    Object.entries({
      "wte.weight": [1025, 8],
      "wpe.weight": [16, 8],
      ...Object.fromEntries(
        ["h.0.ln_1", "h.0.ln_2", "ln_f"].flatMap((name) => [
          [`${name}.weight`, [8]],
          [`${name}.bias`, [8]],
        ]),
      ),
      ...{ "h.0.attn.c_attn.weight": [8, 24], "h.0.attn.c_attn.bias": [24] },
      ...{ "h.0.attn.c_proj.weight": [8, 8], "h.0.attn.c_proj.bias": [8] },
      ...{ "h.0.mlp.c_fc.weight": [8, 8], "h.0.mlp.c_fc.bias": [8] },
      ...{ "h.0.mlp.c_proj.weight": [8, 8], "h.0.mlp.c_proj.bias": [8] },
    }).map(([name, shape]) => [name, numbers(.../** @type {number[]} */ (shape))]),
  );
  const loop = await GenerationLoop.load({ model: { config, weights }, seed: 1 });
  const pass = loop.prefill([1, 2]);
  assert.equal(pass.candidates.length, 1024);
  assert.equal(pass.under({ method: "greedy" }), null);
  assert.equal(pass.candidates.length, 1024);
  loop.dispose();
});
