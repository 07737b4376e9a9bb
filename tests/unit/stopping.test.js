import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { generator } from "./checkpoints.js";
import { collect, complete, everything, on, refusal, wrong } from "./loops.js";
import { END_OF_TEXT, idsOf, scripted } from "./scripted.js";

/**
 * What a run should come to, in the plainest way.
 * @param {string} output what the model would write
 * @param {readonly string[]} stop
 */
function expected(output, stop) {
  for (let length = 1; length <= output.length; length += 1) {
    const completed = stop.filter((string) => output.slice(0, length).endsWith(string));
    const [match] = completed.sort((a, b) => b.length - a.length);
    if (match !== undefined) return { text: output.slice(0, length - match.length), match, length };
  }
  return { text: output, match: undefined, length: output.length };
}

/** Texts whose ends could become a stop string, and what is left of them however they end. */
const CASES = [
  { output: "uno tre", stop: ["tre!!"], text: "uno tre" },
  { output: "abcdefghij", stop: ["defghij"], text: "abc" },
  { output: "alice!x", stop: ["\n", "alice:"], text: "alice!x" },
];

for (const { output, stop, text } of CASES) {
  test(`${JSON.stringify(output)} with stop ${JSON.stringify(stop)}, ended by the end of the text`, async () => {
    const loop = await on(scripted([...idsOf(output), END_OF_TEXT]), { stop });
    const stream = await collect(loop.generate("x"));
    assert.equal(stream.text, text);
    assert.equal(loop.text, text);
    assert.equal(stream.tokens.length, text.length);
    assert.equal(loop.stop?.reason, text === output ? "end-of-text" : "stop-string");
  });

  test(`${JSON.stringify(output)} with stop ${JSON.stringify(stop)}, ended by its length`, async () => {
    const maxTokens = 1 + output.length;
    const loop = await on(scripted(output, { n_positions: 40 }), { stop, maxTokens });
    const stream = await collect(loop.generate("x"));
    assert.equal(stream.text, text);
    assert.equal(loop.text, text);
    // A stop string that is completed by the last allowed token counts as the stop string.
    assert.equal(loop.stop?.reason, text === output ? "max-tokens" : "stop-string");
  });

  test(`${JSON.stringify(output)} with stop ${JSON.stringify(stop)}, ended by an abort`, async () => {
    const loop = await on(scripted(output, { n_positions: 40 }), { stop });
    const controller = new AbortController();
    let streamed = "";
    for await (const token of loop.generate("x", { signal: controller.signal })) {
      streamed += token.text;
      // What is held back now is more than a stream would make of it by itself.
      while (loop.passes < output.length && loop.stop === null) loop.decodeStep();
      controller.abort();
    }
    assert.equal(streamed, text);
    assert.equal(loop.text, text);
    assert.equal(loop.passes, output.length);
  });
}

test("text that may yet become a stop string does not come out before it cannot", async () => {
  const loop = await on(scripted("aab.aabb"), { stop: ["aabb"] });
  /** @type {[string, number][]} */
  const seen = [];
  for await (const { text } of loop.generate("x")) seen.push([text, loop.passes]);
  // "aab" had to wait for the point, which is the fourth pass; the second "aabb" never comes.
  assert.deepEqual(seen, [
    ["a", 4],
    ["a", 4],
    ["b", 4],
    [".", 4],
  ]);
  assert.deepEqual(loop.stop, { reason: "stop-string", match: "aabb" });
});

test("200 random outputs and stop lists: the joined stream is the text, each token once", async () => {
  const next = generator(2024);
  /** @param {number} most */
  const upTo = (most) => Math.floor(next() * (most + 1));
  /** @param {number} length */
  const word = (length) => Array.from({ length }, () => "ab."[upTo(2)]).join("");
  let stopped = 0;
  for (let round = 0; round < 200; round += 1) {
    const output = word(1 + upTo(14));
    const stop = Array.from({ length: upTo(3) }, () => word(1 + upTo(4)));
    const ends = round % 2 === 0 ? [END_OF_TEXT] : [];
    const model = scripted([...idsOf(output), ...ends], { n_positions: 1 + output.length + ends.length });
    const loop = await on(model, { stop });
    const stream = await collect(loop.generate("x"));
    const { text, match, length } = expected(output, stop);
    const told = `${JSON.stringify(output)} with ${JSON.stringify(stop)}`;
    assert.equal(stream.text, text, told);
    assert.equal(loop.text, text, told);
    assert.deepEqual(
      stream.tokens.map(({ id }) => id),
      idsOf(text),
      told,
    );
    const reason = match !== undefined ? "stop-string" : ends.length > 0 ? "end-of-text" : "context-full";
    assert.deepEqual(loop.stop, match === undefined ? { reason } : { reason, match }, told);
    assert.equal(loop.passes, length + (match === undefined ? ends.length : 0), told);
    assert.equal(loop.log.filter((pass) => pass.stop !== null).length, 1, told);
    stopped += Number(match !== undefined);
    loop.dispose();
  }
  assert.ok(stopped > 50 && stopped < 150, `${stopped} of 200 met a stop string`);
});

test("a stop string may begin and end inside tokens of several characters", async () => {
  const next = generator(7);
  /** @param {number} most */
  const upTo = (most) => Math.floor(next() * (most + 1));
  for (let round = 0; round < 60; round += 1) {
    const ids = Array.from({ length: 1 + upTo(8) }, () => 9 + upTo(3));
    const stop = Array.from({ length: upTo(2) }, () => ["#1", "1#", "0#1", "#", "2", "1#12", "9#"][upTo(6)]);
    const loop = await on(scripted(ids, { vocab: 13, eos: null, n_positions: 1 + ids.length }), { stop });
    const stream = await collect(loop.generate([0]));
    const output = ids.map((id) => `#${id}`).join("");
    // The whole token is there when its first character completes the string.
    const { text } = expected(output, stop);
    const told = `${output} with ${JSON.stringify(stop)}`;
    assert.equal(loop.text, text, told);
    assert.equal(stream.text, text, told);
    assert.deepEqual(
      stream.tokens.map(({ id }) => id),
      ids.slice(0, stream.tokens.length),
      told,
    );
    loop.dispose();
  }
});

test("the end of the text as the first token, in the middle, and as the last one allowed", async () => {
  for (const [output, maxTokens] of /** @type {const} */ ([
    ["", null],
    ["ab", null],
    ["ab", 4],
  ])) {
    const loop = await on(scripted([...idsOf(output), END_OF_TEXT], { n_positions: 9 }), { maxTokens });
    const stream = await collect(loop.generate("x"));
    assert.equal(stream.text, output);
    assert.equal(loop.text, output);
    assert.deepEqual(loop.stop, { reason: "end-of-text" });
    assert.equal(loop.passes, output.length + 1);
    assert.deepEqual(loop.tokens, [...idsOf(`x${output}`), END_OF_TEXT]);
    assert.equal(loop.log.at(-1)?.token.text, "");
  }
});

test("an end of the text that is another token is no part of the text either", async () => {
  for (const [vocab, eos] of [
    [5, 0],
    [5, 4],
    [64, 5],
    [2000, 1999],
  ]) {
    const loop = await on(scripted([2, eos], { vocab, eos }));
    const { text } = complete(loop, [1]);
    assert.equal(text, vocab === 64 ? "a" : "#2");
    assert.equal(loop.log.at(-1)?.token.text, "");
    assert.equal((await collect(loop.generate([1]))).text, text);
    loop.dispose();
  }
});

test("a model without an end of the text runs until another stop", async () => {
  const loop = await on(scripted([2, 0, 3], { eos: null }));
  complete(loop, [1]);
  assert.deepEqual(loop.stop, { reason: "context-full" });
  assert.deepEqual(loop.tokens.slice(1, 4), [2, 0, 3]);
});

test("the prompt is never searched, nor what straddles it and the output", async () => {
  const loop = await on(scripted("def", { prompt: 3, n_positions: 6 }), { stop: ["abc", "cd", "bcd", "c"] });
  assert.equal((await collect(loop.generate("abc"))).text, "def");
  assert.equal(loop.stop?.reason, "context-full");
});

test("of strings completed by one character the longest counts; else the first to be completed", async () => {
  for (const [stop, text, match] of /** @type {[string[], string, string][]} */ ([
    [["b", "ab"], "x", "ab"],
    [["ab", "b"], "x", "ab"],
    [["xabc", "a"], "x", "a"],
    [["a", "xabc"], "x", "a"],
  ])) {
    const loop = await on(scripted("xabc"), { stop });
    assert.equal(complete(loop, "y").text, text);
    assert.deepEqual(loop.stop, { reason: "stop-string", match });
  }
});

test("one string may stand for a list of one", async () => {
  const loop = await on(scripted("abc"), { stop: "b" });
  assert.deepEqual(loop.stopStrings, ["b"]);
  assert.equal(complete(loop, "x").text, "a");
});

test("empty stop strings and what is no string are refused by place, and nothing changes", async () => {
  const loop = await on(scripted("abc"), { stop: ["c"] });
  const before = everything(loop);
  for (const [stop, code, message] of /** @type {[unknown, string, RegExp][]} */ ([
    ["", "empty-stop-string", /^stop string 1 is empty/],
    [[""], "empty-stop-string", /^stop string 1 is empty/],
    [["", "x"], "empty-stop-string", /^stop string 1 is empty/],
    [["x", ""], "empty-stop-string", /^stop string 2 is empty/],
    [[null], "invalid-setting", /^stop string 1 is null; allowed: a string$/],
    [["x", undefined], "invalid-setting", /^stop string 2 is undefined/],
    [["x", 5, ""], "invalid-setting", /^stop string 2 is 5/],
    [[["x"]], "invalid-setting", /^stop string 1 is a list/],
    // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
    [["x", , "y"], "invalid-setting", /^stop string 2 is undefined/],
    [null, "invalid-setting", /^stop string 1 is null/],
    [/x/, "invalid-setting", /^stop string 1 is an object/],
    [new Set(["x"]), "invalid-setting", /^stop string 1 is an object/],
  ])) {
    const refused = refusal(code, message);
    assert.throws(() => {
      loop.stopStrings = wrong(stop);
    }, refused);
    await assert.rejects(GenerationLoop.load({ stop: wrong(stop) }), refused);
  }
  assert.deepEqual(everything(loop), before);
});

test("a stop string that no token can write stops nothing and holds nothing back", async () => {
  const loop = await on(scripted("abc", { n_positions: 4 }), {
    stop: ["é", "\ud83d", "🙂", "A".repeat(5000)],
  });
  assert.equal((await collect(loop.generate("x"))).text, "abc");
});

test("stop strings and the limit belong to the whole run", async () => {
  const loop = await GenerationLoop.load({ model: "untrained", stop: ["q"], maxTokens: 20 });
  loop.prefill("abc");
  const before = everything(loop);
  assert.throws(
    () => {
      loop.stopStrings = ["x"];
    },
    refusal("run-in-progress", /^stop belongs to the whole run, and 1 pass/),
  );
  assert.throws(
    () => {
      loop.maxTokens = 30;
    },
    refusal("run-in-progress", /^max-tokens belongs to the whole run/),
  );
  assert.deepEqual(everything(loop), before);
  loop.reset();
  loop.stopStrings = [];
  loop.maxTokens = 30;
  assert.equal(complete(loop, "abc").tokens.length, 30);
});

test("the list of stop strings is a copy", async () => {
  const stop = ["x"];
  const loop = await on(scripted("ab"), { stop });
  stop[0] = "a";
  assert.deepEqual(loop.stopStrings, ["x"]);
  assert.ok(Object.isFrozen(loop.stopStrings));
  assert.equal(complete(loop, "x").stop.reason, "context-full");
});

test("a run that has stopped takes no step, and says why it stopped", async () => {
  const ends = /** @type {const} */ ([
    ["end-of-text", scripted([2, END_OF_TEXT]), {}],
    ["stop-string", scripted("ab"), { stop: "b" }],
    ["max-tokens", scripted("abcdef"), { maxTokens: 4 }],
    ["context-full", scripted("ab"), {}],
  ]);
  for (const [reason, model, options] of ends) {
    const loop = await on(model, options);
    complete(loop, [1]);
    assert.equal(loop.stop?.reason, reason);
    const before = everything(loop);
    const refused = refusal("stopped", new RegExp(`\\(${reason}\\)`));
    assert.throws(() => loop.decodeStep(), refused);
    assert.throws(() => loop.decodeStep(), refused);
    assert.deepEqual(everything(loop), before);
    loop.dispose();
  }
});
