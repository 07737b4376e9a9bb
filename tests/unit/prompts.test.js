import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { DEFAULT_SHAPE, random } from "./checkpoints.js";
import { complete, everything, on, plain, refusal, wrong } from "./loops.js";
import { CHARACTERS, idsOf } from "./scripted.js";

const loop = await GenerationLoop.load({ seed: 1 });

/** @param {string | Iterable<number>} prompt */
const promptTokens = (prompt) => {
  loop.prefill(prompt);
  return loop.tokens.slice(0, -1);
};

test("every character of the vocabulary has its id", () => {
  assert.equal(CHARACTERS.length, 63);
  assert.deepEqual(
    loop.encode(CHARACTERS),
    Array.from({ length: 63 }, (_, index) => index + 1),
  );
  assert.equal(loop.decode(loop.encode(CHARACTERS)), CHARACTERS);
  for (const [text, id] of /** @type {[string, number][]} */ ([
    [" ", 1],
    ["a", 2],
    ["z", 27],
    ["0", 28],
    ["9", 37],
    [".", 38],
    ["_", 62],
    ["\n", 63],
  ])) {
    assert.deepEqual(loop.encode(text), [id]);
    assert.equal(loop.decode([id]), text);
  }
  assert.equal(loop.decode([0, 2, 0, 3, 0]), "ab");
  assert.equal(loop.decode([]), "");
});

for (const [given, read] of [
  ["The CAT", "the cat"],
  ["‘a’ “b”", "'a' \"b\""],
  ["a\r\nb", "a\nb"],
  ["a\u00a0b", "a b"],
  ["\r\n\r\n", "\n\n"],
  ["It’s “Y”", `it's "y"`],
]) {
  test(`${JSON.stringify(given)} is read as ${JSON.stringify(read)}`, () => {
    assert.equal(loop.normalise(given), read);
    assert.deepEqual(loop.encode(given), idsOf(read));
    assert.deepEqual(promptTokens(given), idsOf(read));
    const first = plain(loop.log[0]);
    assert.deepEqual(promptTokens(read), idsOf(read));
    assert.deepEqual(plain(loop.log[0]), first);
  });
}

test("normalising leaves alone what it does not know, half a surrogate pair too", () => {
  for (const text of ["", "é\t🙂", "a\rb", "\ud83d", "a\ud83db\ude42c", "\ude42\ud83d", "\0", "İKß"]) {
    const read = loop.normalise(text);
    assert.equal(
      read,
      text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
      JSON.stringify(text),
    );
    assert.equal(loop.normalise(read), read);
  }
  for (const text of [5, null, undefined, {}, ["a"], 1n]) {
    assert.throws(
      () => loop.normalise(wrong(text)),
      refusal("invalid-setting", /^text is .*; allowed: a string$/),
    );
  }
});

test("characters that the vocabulary lacks are refused by name and place", () => {
  complete(loop, "abc");
  const before = everything(loop);
  for (const [text, named] of [
    ["café", '"é" (U+00E9) at 4'],
    ["a\tb\tc", "tab (U+0009) at 2, 4"],
    ["🙂a🙂", '"🙂" (U+1F642) at 1, 3'],
    ["a\ud83db", "half a surrogate pair (U+D83D) at 2"],
    ["\ude42\ud83d", "half a surrogate pair (U+DE42) at 1; half a surrogate pair (U+D83D) at 2"],
    ["a\0b", "control character U+0000 at 2"],
    ["a\rb", "control character U+000D at 2"],
    ["É", '"É" (U+00C9) at 1'],
    ["a\r\né", '"é" (U+00E9) at 4'],
    ["\u2028x…", '"\u2028" (U+2028) at 1; "…" (U+2026) at 3'],
    ["{|}", '"{" (U+007B) at 1; "|" (U+007C) at 2; "}" (U+007D) at 3'],
  ]) {
    for (const call of [() => loop.prefill(text), () => loop.encode(text)]) {
      assert.throws(call, (error) => {
        assert.equal(wrong(error).code, "unsupported-characters");
        assert.ok(
          wrong(error).message.startsWith(`unsupported: ${named}. Allowed: a–z, 0–9`),
          wrong(error).message,
        );
        return true;
      });
    }
  }
  assert.deepEqual(everything(loop), before);
});

test("only spaces are a prompt, nothing is none", () => {
  assert.deepEqual(promptTokens("   "), [1, 1, 1]);
  assert.deepEqual(promptTokens("\n"), [63]);
  const before = everything(loop);
  for (const prompt of ["", [], new Uint32Array(0), new Set()]) {
    assert.throws(
      () => loop.prefill(prompt),
      refusal("empty-prompt", /^the prompt is empty; at least one token/),
    );
  }
  assert.deepEqual(everything(loop), before);
});

test("ids come as any list: array, typed array, set, generator, other loop's tokens", () => {
  const ids = [21, 9, 6];
  for (const list of [
    ids,
    Uint32Array.from(ids),
    Float64Array.from(ids),
    new Uint8Array(ids),
    new Set(ids),
  ]) {
    assert.deepEqual(promptTokens(list), ids);
  }
  const generated = (function* () {
    yield* ids;
  })();
  assert.deepEqual(promptTokens(generated), ids);
  assert.deepEqual(promptTokens(Object.freeze([...ids])), ids);
  assert.deepEqual(promptTokens([0, 63, 0]), [0, 63, 0]);
  assert.deepEqual(promptTokens([-0]), [0]);
});

test("what is no id is refused by value and range", () => {
  complete(loop, "abc");
  const before = everything(loop);
  for (const id of [-1, 1.5, 64, 65, 2 ** 32, 2 ** 32 + 3, 1e300, Number.NaN, Number.NEGATIVE_INFINITY]) {
    const message = `token id ${id} is outside the vocabulary; allowed: 0 to 63`;
    assert.throws(() => loop.prefill([2, id]), { code: "token-out-of-range", message });
    assert.throws(() => loop.decode([2, id]), { code: "token-out-of-range", message });
  }
  for (const id of ["3", null, undefined, 3n, true, [3], {}]) {
    const message = /^(prompt|ids) holds .*; allowed: token ids, which are numbers$/;
    assert.throws(() => loop.prefill(wrong([2, id])), refusal("invalid-setting", message));
    assert.throws(() => loop.decode(wrong([2, id])), refusal("invalid-setting", message));
  }
  // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
  assert.throws(() => loop.prefill(wrong([2, , 3])), refusal("invalid-setting", /^prompt holds undefined/));
  assert.deepEqual(everything(loop), before);
});

test("what is neither text nor a list is refused", () => {
  loop.reset();
  for (const prompt of [null, undefined, 5, 5n, true, {}, { length: 3 }, () => [1], Symbol("a")]) {
    assert.throws(
      () => loop.prefill(wrong(prompt)),
      refusal("invalid-setting", /^prompt is .*; allowed: text or a list/),
    );
    assert.throws(
      () => loop.decode(wrong(prompt)),
      refusal("invalid-setting", /^ids is .*; allowed: a list of/),
    );
    assert.throws(
      () => loop.encode(wrong(prompt)),
      refusal("invalid-setting", /^text is .*; allowed: a string/),
    );
  }
  assert.throws(
    () => loop.prefill(wrong(new String("abc"))),
    refusal("invalid-setting", /^prompt holds "a"/),
  );
  assert.throws(() => loop.decode(wrong("abc")), refusal("invalid-setting", /^ids is "abc"/));
  assert.equal(loop.passes, 0);
});

test("text for a vocabulary without a table is refused; ids are shown as numbers", async () => {
  for (const vocab_size of [5, 63, 65]) {
    const own = await on(random({ ...DEFAULT_SHAPE, vocab_size, eos_token_id: null }));
    for (const call of [() => own.prefill("abc"), () => own.encode("abc")]) {
      assert.throws(
        call,
        refusal("no-character-table", new RegExp(`64 characters, .* ${vocab_size} tokens`)),
      );
    }
    const pass = own.prefill([1, 4]);
    assert.equal(own.text, `#${pass.token.id}`);
    assert.equal(own.decode([1, 4]), "#1#4");
    own.dispose();
  }
});
