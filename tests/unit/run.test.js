/** The state of a widget where the vocabulary has no characters: prompts are ids. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Run } from "../../www/run.js";
import { random } from "./checkpoints.js";
import { on, refusal } from "./loops.js";
import { scripted } from "./scripted.js";
import { SHAPE } from "./small.js";

const VOCABULARY = 413;
const ALLOWED = `this model has no table of characters: its prompt is token ids from 0 to 412, as in "1 2 3"`;

const loop = await on(random({ ...SHAPE, vocab_size: VOCABULARY, n_positions: 12 }, 3));

/** A run with this prompt. @param {string} prompt */
function runWith(prompt) {
  loop.reset();
  const run = new Run(loop);
  run.set("maxTokens", 10);
  run.set("prompt", prompt);
  return run;
}

/** Cells of the prompt as one text, those that cannot be in brackets. @param {Run} run */
const cellsOf = (run) =>
  run.cells.prompt.map(({ text, kind }) => (kind === "unsupported" ? `[${text}]` : text)).join("");

for (const [prompt, ids] of /** @type {[string, number[]][]} */ ([
  ["12 7 412", [12, 7, 412]],
  ["#12,#7", [12, 7]],
  ["#12 7, #0 ,,\n\t412\u00a0", [12, 7, 0, 412]],
  ["0", [0]],
  ["7 7 7 7 7 7 7 7 7", [7, 7, 7, 7, 7, 7, 7, 7, 7]],
])) {
  test(`the prompt ${JSON.stringify(prompt)} is ids`, () => {
    const run = runWith(prompt);
    const tokens = ids.map((id) => ({ text: `#${id}`, supported: true }));
    assert.deepEqual(run.prompt, { text: prompt, tokens, error: null, note: null });
    assert.equal(run.mostPasses, 10 - ids.length);
    assert.equal(run.next, "prefill");
    assert.ok(run.possible);
    assert.deepEqual(new Set(run.cells.prompt.map(({ kind }) => kind)), new Set(["waiting"]));
    const pass = /** @type {import("../../www/pass.js").Pass} */ (run.step());
    assert.equal(pass.tokensIn, ids.length);
    assert.deepEqual(loop.tokens, [...ids, pass.token.id]);
    assert.deepEqual(new Set(run.cells.prompt.map(({ kind }) => kind)), new Set(["prompt"]));
    assert.equal(cellsOf(run), ids.map((id) => `#${id}`).join(""));
    assert.deepEqual(run.cells.generated, [
      { text: `#${pass.token.id}`, kind: "generated", newest: true, outside: false },
    ]);
  });
}

/** The stable name of a refusal of a prompt. @param {string} message */
function codeOf(message) {
  if (message.startsWith("the prompt is empty")) return "empty-prompt";
  return message.startsWith("not a token") ? "token-out-of-range" : "prompt-too-long";
}

for (const [prompt, error, cells] of [
  ["", `the prompt is empty; ${ALLOWED}`, ""],
  [" ,\n ", `the prompt is empty; ${ALLOWED}`, ""],
  ["12 cat", `not a token: cat; ${ALLOWED}`, "#12[#cat]"],
  ["413", `not a token: 413; ${ALLOWED}`, "[#413]"],
  ["412 #413", `not a token: #413; ${ALLOWED}`, "#412[#413]"],
  [
    "-1 1.5 1e2 ##1 # 0x1",
    `not a token: -1, 1.5, 1e2, ##1, #; ${ALLOWED}`,
    "[#-1][#1.5][#1e2][##1][#][#0x1]",
  ],
  ["١ ² ５", `not a token: ١, ², ５; ${ALLOWED}`, "[#١][#²][#５]"],
  ["9".repeat(400), `not a token: ${"9".repeat(400)}; ${ALLOWED}`, `[#${"9".repeat(400)}]`],
  [
    "1 2 3 4 5 6 7 8 9 10",
    "the prompt has 10 tokens; at most 9 leave room for a new one (max-tokens is 10)",
    "#1#2#3#4#5#6#7#8#9#10",
  ],
]) {
  test(`the prompt ${JSON.stringify(prompt.slice(0, 30))} is refused in words, and its tokens are shown`, () => {
    const run = runWith(prompt);
    assert.equal(run.prompt.error, error);
    assert.equal(cellsOf(run), cells);
    assert.ok(!run.possible);
    assert.throws(() => run.step(), {
      ...{ name: "GenerationError", code: codeOf(error), message: error },
    });
    assert.equal(loop.passes, 0);
    // Nothing of it is left.
    run.set("prompt", "5 6");
    run.step();
    assert.deepEqual(loop.tokens.slice(0, 2), [5, 6]);
  });
}

test("the limit may be the context's own", () => {
  const run = runWith("1 2");
  run.set("maxTokens", null);
  assert.equal(run.mostPasses, 10);
  run.set("prompt", "0 ".repeat(12));
  assert.equal(
    run.prompt.error,
    "the prompt has 12 tokens; at most 11 leave room for a new one (n_positions is 12)",
  );
  run.set("prompt", "0 ".repeat(11));
  assert.equal(run.prompt.error, null);
  run.step();
  assert.deepEqual(loop.stop, { reason: "context-full" });
  assert.equal(run.next, "restart");
});

test("of a prompt of a hundred thousand ids as many are drawn as could be read, and the rest is counted", () => {
  const run = runWith("3 ".repeat(100_000));
  assert.equal(run.prompt.tokens.length, 100_000);
  assert.equal(run.cells.prompt.length, 128);
  assert.equal(run.cells.more, 100_000 - 128);
  assert.equal(run.mostPasses, 0);
});

test("another prompt ends the run; the same one goes on", () => {
  const run = runWith("1 2");
  run.step();
  run.set("prompt", "1 2");
  assert.equal(loop.passes, 1);
  run.set("prompt", "1  2");
  assert.equal(loop.passes, 0);
  assert.equal(run.next, "prefill");
});

test("a stop string is the text of ids", async () => {
  const scriptedLoop = await on(scripted([5, 12, 7, 3], { vocab: 65, eos: null }));
  const run = new Run(scriptedLoop);
  for (const [stop, text, passes] of /** @type {[string, string, number][]} */ ([
    ["#7", "#5#12", 3],
    ["#12#7", "#5", 3],
    ["#1", "#5", 2],
    ["the", "#5#12#7#3#27", 5],
  ])) {
    run.set("stop", [stop]);
    run.set("prompt", "64");
    while (run.next !== "restart") run.step();
    assert.equal(scriptedLoop.text, text);
    assert.equal(scriptedLoop.passes, passes);
    const outside = run.cells.generated.map((cell) => cell.kind === "generated" && cell.outside);
    assert.equal(outside.filter((is) => !is).length, (text.match(/#/g) ?? []).length);
    run.reset();
  }
});

test("back, and back to a moment", () => {
  const run = runWith("1 2 3");
  run.set("sampling", "temperature");
  run.set("seed", 4);
  run.step();
  run.step();
  run.set("temperature", 3);
  run.set("cache", false);
  run.step();
  const { moment } = run;
  const tokens = loop.tokens;
  run.back();
  assert.deepEqual(loop.tokens, tokens.slice(0, -1));
  run.set("temperature", 0.5);
  run.replay(moment);
  assert.deepEqual(loop.tokens, tokens);
  assert.equal(loop.sampling.temperature, 0.5);
  assert.throws(() => run.set("maxTokens", 13), refusal("invalid-setting"));
  assert.deepEqual(loop.tokens, tokens);
  assert.deepEqual(run.moment, moment);
  run.set("cache", true);
  run.set("sampling", "greedy");
});
