/** The draw on the cumulative bar: the slice that is shown as the token's holds the number that picked it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { sliceOf } from "../../www/views/distribution.js";

test("of a thousand draws each falls into the slice of its token, and slices lie end to end", async () => {
  /** @type {Partial<import("../../www/settings.js").Sampling>[]} */
  const methods = [
    { method: "temperature", temperature: 1.7 },
    { method: "top-k", topK: 7 },
    { method: "top-p", topP: 0.8, temperature: 0.6 },
  ];
  let draws = 0;
  for (let seed = 0; draws < 1000; seed += 1) {
    const sampling = methods[seed % methods.length];
    const loop = await GenerationLoop.load({ model: "untrained", seed, sampling, maxTokens: null });
    for (let pass = loop.prefill("the cat sat"); pass.stop === null; pass = loop.decodeStep()) {
      const { begin, end } = sliceOf(pass.candidates, pass.token.id);
      const draw = Number(pass.draw);
      assert.ok(
        begin <= draw && draw < end,
        `seed ${seed}, pass ${pass.index}: ${draw} in ${begin} to ${end}`,
      );
      assert.ok(Math.abs(end - begin - pass.token.samplingProbability) < 1e-12);
      draws += 1;
    }
    const { candidates } = loop.log[0];
    let last = 0;
    for (const { id } of candidates) {
      const { begin, end } = sliceOf(candidates, id);
      assert.equal(begin, last);
      last = end;
    }
    assert.ok(Math.abs(last - 1) < 1e-9);
    loop.dispose();
  }
});
