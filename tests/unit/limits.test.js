import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { DEFAULT_SHAPE, random } from "./checkpoints.js";
import { complete, everything, on, refusal, wrong } from "./loops.js";
import { scripted } from "./scripted.js";

/** An 11-token prompt. */
const PROMPT = "the cat sat";

for (const maxTokens of [12, 16, 32, 127, 128]) {
  test(`a limit of ${maxTokens} is met exactly`, async () => {
    const loop = await GenerationLoop.load({ model: "untrained", maxTokens, seed: 0 });
    assert.equal(loop.maxTokens, maxTokens);
    const { tokens, stop, log } = complete(loop, PROMPT);
    assert.equal(tokens.length, maxTokens);
    assert.equal(log.length, maxTokens - 11);
    assert.deepEqual(stop, { reason: "max-tokens" });
  });
}

test("the limit is 32 by default, or the context if that is shorter", async () => {
  assert.equal((await GenerationLoop.load()).maxTokens, 32);
  for (const [n_positions, limit] of [
    [2, 2],
    [31, 31],
    [32, 32],
    [33, 32],
  ]) {
    const loop = await GenerationLoop.load({ model: scripted("ab", { n_positions }) });
    assert.equal(loop.maxTokens, limit);
    assert.equal(complete(loop, [1]).tokens.length, limit);
  }
});

test("without a limit the context is filled", async () => {
  for (const maxTokens of [null, "none"]) {
    const loop = await GenerationLoop.load({ model: "untrained", maxTokens: wrong(maxTokens), seed: 0 });
    assert.equal(loop.maxTokens, null);
    const { tokens, stop } = complete(loop, PROMPT);
    assert.equal(tokens.length, 128);
    assert.deepEqual(stop, { reason: "context-full" });
  }
});

test("a limit outside the model is refused by value and range", async () => {
  const loop = await GenerationLoop.load({ maxTokens: 20 });
  const before = everything(loop);
  for (const maxTokens of [
    ...[1, 0, -1, 1.5, 2.5, 129, 1e9, 2 ** 53, 1e300, Number.NaN, Number.POSITIVE_INFINITY],
    ...["", " ", "abc", "1", "129", {}, [], true, 32n],
  ]) {
    const refused = refusal(
      "invalid-setting",
      /^max-tokens is .*; allowed: .*2 to (128, )?the model's context, or none$/,
    );
    assert.throws(() => {
      loop.maxTokens = wrong(maxTokens);
    }, refused);
    await assert.rejects(GenerationLoop.load({ maxTokens: wrong(maxTokens) }), refused);
  }
  assert.deepEqual(everything(loop), before);
  assert.throws(
    () => {
      loop.maxTokens = wrong(undefined);
    },
    refusal("invalid-setting", /^max-tokens is undefined/),
  );
  loop.maxTokens = wrong("16");
  assert.equal(loop.maxTokens, 16);
});

test("a prompt that leaves no room is refused with both numbers, and nothing changes", async () => {
  const limited = await GenerationLoop.load({ maxTokens: 32, seed: 0 });
  const full = await GenerationLoop.load({ maxTokens: null, seed: 0 });
  for (const [loop, lengths, allowed] of /** @type {[GenerationLoop, number[], string][]} */ ([
    [limited, [32, 33, 128, 129, 320, 100_000], "31 leave room for a new one (max-tokens is 32)"],
    [full, [128, 129, 1280, 100_000], "127 leave room for a new one (n_positions is 128)"],
  ])) {
    complete(loop, "abc");
    const before = everything(loop);
    for (const length of lengths) {
      const message = `the prompt has ${length} tokens; at most ${allowed}`;
      assert.throws(() => loop.prefill("a".repeat(length)), { code: "prompt-too-long", message });
      assert.throws(() => loop.prefill(new Uint8Array(length)), { code: "prompt-too-long", message });
    }
    assert.deepEqual(everything(loop), before);
  }
});

test("the longest prompt runs, and brings one token", async () => {
  for (const [maxTokens, length, reason] of /** @type {const} */ ([
    [32, 31, "max-tokens"],
    [null, 127, "context-full"],
    [128, 127, "max-tokens"],
  ])) {
    const loop = await GenerationLoop.load({ maxTokens, seed: 0 });
    assert.deepEqual(loop.prefill("a".repeat(length)).stop, { reason });
    assert.equal(loop.tokens.length, length + 1);
    assert.throws(() => loop.decodeStep(), refusal("stopped"));
  }
});

test("what is counted is tokens, after the text was normalised", async () => {
  const loop = await GenerationLoop.load({ maxTokens: 4, seed: 0 });
  assert.equal(loop.prefill("\r\n\r\n\r\n").contextLength, 3);
  assert.throws(
    () => loop.prefill("\r\n\r\n\r\n\r\n"),
    refusal("prompt-too-long", /^the prompt has 4 tokens/),
  );
});

test("a decode step before any prompt is refused", async () => {
  const loop = await GenerationLoop.load();
  const before = everything(loop);
  assert.throws(() => loop.decodeStep(), refusal("not-started", /prefill first/));
  assert.deepEqual(everything(loop), before);
});

test("the defaults do for a vocabulary of five and a context of two", async () => {
  const shape = { ...DEFAULT_SHAPE, vocab_size: 5, eos_token_id: null };
  const five = await GenerationLoop.load({ model: random(shape) });
  assert.equal(complete(five, [1, 2, 3]).tokens.length, 32);
  for (const method of /** @type {const} */ (["greedy", "temperature", "top-k", "top-p"])) {
    five.sampling = { method };
    assert.ok(complete(five, [4]).tokens.every((id) => id >= 0 && id < 5));
    assert.ok(five.log.every(({ candidates }) => candidates.length === 5));
  }
  const two = await on(random({ ...shape, n_positions: 2, vocab_size: 1 }));
  assert.deepEqual(complete(two, [0]).tokens, [0, 0]);
});
