/** The chapter's own runs: a real model, forced to write a reply of a given length, through the engine's own loop. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, scripted, stretchesOf } from "../../www/chapter/scripted.js";
import { complete, on } from "./loops.js";

/** @typedef {import("../../www/chapter/scripted.js").Plan} Plan */

test("a prompt of 1,000 tokens, a reply of 200 and end-of-text: one prefill, 199 decodes, and one for the end", async () => {
  const run = await counted({ prompt: 1000, reply: 200, end: "end-of-text" });
  assert.equal(run.passes, 201);
  assert.deepEqual(run.stretches, [
    { phase: "prefill", passes: 1, tokensIn: 1000, first: 1, ends: false },
    { phase: "decode", passes: 199, tokensIn: 1, first: 2, ends: false },
    { phase: "decode", passes: 1, tokensIn: 1, first: 201, ends: true },
  ]);
});

test("the prompt's length changes nothing but what the prefill takes in", async () => {
  for (const prompt of [1, 2, 57]) {
    const run = await counted({ prompt, reply: 200, end: "end-of-text" });
    assert.equal(run.passes, 201);
    assert.equal(run.stretches[0].tokensIn, prompt);
  }
});

test("without a reply the prefill brings end-of-text, and no decode follows", async () => {
  assert.deepEqual(await counted({ prompt: 300, reply: 0, end: "end-of-text" }), {
    passes: 1,
    stretches: [{ phase: "prefill", passes: 1, tokensIn: 300, first: 1, ends: true }],
  });
});

test("the length limit ends a run with its last token: as many passes as tokens", async () => {
  assert.deepEqual(await counted({ prompt: 12, reply: 5, end: "max-tokens" }), {
    passes: 5,
    stretches: [
      { phase: "prefill", passes: 1, tokensIn: 12, first: 1, ends: false },
      { phase: "decode", passes: 4, tokensIn: 1, first: 2, ends: false },
    ],
  });
  assert.equal((await counted({ prompt: 12, reply: 1, end: "max-tokens" })).passes, 1);
});

test("the model writes what it is made to write, and the run stops for the reason asked for", async () => {
  for (const [end, maxTokens] of /** @type {const} */ ([
    ["end-of-text", null],
    ["max-tokens", 10],
  ])) {
    const loop = await on(scripted({ prompt: 3, reply: 7, end }), { maxTokens });
    const { tokens, stop } = complete(loop, [1, 1, 1]);
    assert.equal(stop.reason, end);
    assert.deepEqual(tokens, [...new Array(10).fill(1), ...(end === "end-of-text" ? [0] : [])]);
    loop.dispose();
  }
});

test("the largest runs that are asked for are made while a reader waits", async () => {
  await counted({ prompt: 1, reply: 1, end: "end-of-text" });
  const begin = performance.now();
  await counted({ prompt: 2000, reply: 100, end: "end-of-text" });
  // A tenth of it is usual; machines that test are busy.
  assert.ok(performance.now() - begin < 500);
});

test("passes that bring the same are one stretch, whatever came before", () => {
  const pass = (/** @type {"prefill" | "decode"} */ phase, /** @type {number} */ id) => ({
    phase,
    tokensIn: 1,
    token: { id },
  });
  assert.deepEqual(stretchesOf([]), []);
  const stretches = stretchesOf([
    pass("prefill", 1),
    pass("decode", 1),
    pass("decode", 2),
    pass("decode", 0),
  ]);
  assert.deepEqual(
    stretches.map(({ phase, passes, first, ends }) => [phase, passes, first, ends]),
    [
      ["prefill", 1, 1, false],
      ["decode", 2, 2, false],
      ["decode", 1, 4, true],
    ],
  );
});
