import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { GenerationLoop } from "../../www/engine.js";
import { blank, DEFAULT_SHAPE, random } from "./checkpoints.js";
import { memoryBytes } from "./instances.js";
import { complete, on } from "./loops.js";

/**
 * @param {number} rounds
 * @param {() => unknown} round
 */
async function assertFlat(rounds, round) {
  const warmUp = Math.ceil(rounds / 20);
  for (let count = 0; count < warmUp; count += 1) await round();
  const before = memoryBytes();
  assert.ok(before > 0);
  for (let count = warmUp; count < rounds; count += 1) await round();
  assert.equal(memoryBytes(), before);
}

test("2,000 loads, with a run each, leave the memory as it is", async () => {
  await assertFlat(2000, async () => {
    const loop = await GenerationLoop.load({ seed: 1, stop: ["abc", "def"], maxTokens: 13 });
    complete(loop, "the cat sat");
    loop.dispose();
  });
});

test("300 loads of models of one's own leave the memory as it is", async () => {
  const models = [24, 60].map((n_embd) => random({ ...DEFAULT_SHAPE, n_embd, n_inner: 3 * n_embd }));
  await assertFlat(300, async () => {
    for (const model of models) {
      const loop = await on(model, { maxTokens: 6 });
      complete(loop, [1, 2, 3]);
      loop.dispose();
    }
  });
});

test("a million steps leave the memory as it is", async () => {
  // The smallest model there is: it is the loop around it that is tested.
  const shape = {
    ...DEFAULT_SHAPE,
    n_layer: 1,
    n_head: 1,
    n_embd: 1,
    n_inner: 1,
    vocab_size: 2,
    eos_token_id: null,
  };
  const loop = await on(blank({ ...shape, n_positions: 26 }));
  await assertFlat(40_000, () => {
    loop.prefill([1]);
    while (loop.stop === null) loop.decodeStep();
    loop.reset();
  });
});

test("loops that nobody disposed give their memory back once they are gone", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc");
  // A megabyte each.
  const model = random({ ...DEFAULT_SHAPE, n_embd: 96, n_inner: 384 });
  const round = async () => {
    for (let count = 0; count < 10; count += 1) complete(await on(model, { maxTokens: 6 }), [1, 2, 3]);
    for (let count = 0; count < 10; count += 1) {
      collectGarbage();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  for (let count = 0; count < 3; count += 1) await round();
  const before = memoryBytes();
  for (let count = 0; count < 20; count += 1) await round();
  // When it tells what it has collected is the engine's own affair.
  assert.ok(memoryBytes() < 2 * before, `${before} bytes, then ${memoryBytes()}`);
});
