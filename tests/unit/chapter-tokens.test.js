/** How GPT-2 cuts a text, and the worker that does it: the newest text wins, and a slow one is left. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Cutter } from "../../www/chapter/cutter.js";
import { encode, vocabulary } from "../../www/chapter/gpt2.js";
import { counted, cutOf, heard } from "../../www/chapter/tokens.js";

const cut = (/** @type {string} */ text, most = 400) => cutOf(text, encode, vocabulary, most);

/** The bytes of a text's tokens, one after the other. @param {string} text */
function bytesOf(text) {
  return encode(text).flatMap((id) => {
    const value = vocabulary[id];
    return typeof value === "string" ? [...new TextEncoder().encode(value)] : [...value];
  });
}

describe("cut", () => {
  test("as GPT-2 does: ids, pieces with their spaces, and how many", () => {
    const { characters, tokens, pieces } = cut("the cat sat");
    assert.deepEqual([characters, tokens], [11, 3]);
    assert.deepEqual(
      pieces.map(({ id, symbol }) => [id, symbol]),
      [
        [1169, "the"],
        [3797, "␣cat"],
        [3332, "␣sat"],
      ],
    );
    assert.equal(vocabulary.length + 1, 50_257);
  });

  test("the bytes of the tokens are those of the text", () => {
    for (const text of [
      "",
      " ",
      "\n\t x",
      "naïve café",
      "🦜🦜",
      "日本語",
      "\ufeffa",
      "a<|endoftext|>b",
      "\u00a0\u0000\u007f",
    ]) {
      assert.deepEqual(bytesOf(text), [...new TextEncoder().encode(text)], JSON.stringify(text));
    }
  });

  test("a part of a character is its bytes, and is said to be one", () => {
    const { characters, pieces } = cut("🦜");
    assert.equal(characters, 1);
    assert.deepEqual(pieces.map(({ symbol }) => symbol).join(" "), "F0 9F A6 9C");
    assert.ok(pieces.some((piece) => heard(piece) === "part of a character"));
  });

  test("what cannot be seen has a sign, and is said", () => {
    const pieces = cut("a  b\n\t\u0000").pieces;
    assert.equal(pieces.map(({ symbol }) => symbol).join(""), "a␣␣b⏎⇥␀");
    assert.equal(
      pieces.map(heard).join(" ").replace(/\s+/g, " ").replace("\0", "0"),
      "a space space b newline tab 0",
    );
  });

  test("of a long text all are counted, and some are drawn", () => {
    const { characters, tokens, pieces } = cut("a cat ".repeat(20_000), 10);
    assert.deepEqual([characters, tokens, pieces.length], [120_000, 40_001, 10]);
  });

  test("in a sentence", () => {
    assert.equal(counted({ characters: 11, tokens: 3 }), "11 characters are 3 tokens here.");
    assert.equal(counted({ characters: 1, tokens: 1 }), "1 character is 1 token here.");
    assert.equal(counted({ characters: 120_000, tokens: 1 }), "120,000 characters are 1 token here.");
  });
});

/** Workers that answer when they are told to. */
function workers() {
  /** @type {any[]} */
  const made = [];
  const make = () => {
    const target = new EventTarget();
    const worker = Object.assign(target, {
      texts: /** @type {string[]} */ ([]),
      ended: false,
      postMessage: (/** @type {string} */ text) => worker.texts.push(text),
      terminate: () => {
        worker.ended = true;
      },
      say: (/** @type {object} */ data) =>
        target.dispatchEvent(Object.assign(new Event("message"), { data })),
    });
    made.push(worker);
    return /** @type {any} */ (worker);
  };
  return { made, make };
}

describe("cutter", () => {
  /** @param {import("node:test").TestContext} t */
  function begin(t) {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { made, make } = workers();
    /** @type {string[]} */
    const heard = [];
    const cutter = new Cutter(
      {
        cut: (_, text) => void heard.push(text),
        failed: (message) => void heard.push(`failed: ${message}`),
      },
      make,
    );
    return { made, heard, cutter, tick: (/** @type {number} */ ms) => t.mock.timers.tick(ms) };
  }

  test("no worker before the first text", (t) => {
    const { made, cutter } = begin(t);
    assert.equal(made.length, 0);
    cutter.ask("a");
    assert.deepEqual(made[0].texts, ["a"]);
  });

  test("while one is cut only the newest waits, and only it is told", (t) => {
    const { made, heard, cutter, tick } = begin(t);
    for (const text of ["a", "ab", "abc"]) cutter.ask(text);
    made[0].say({ cut: {} });
    assert.deepEqual(made[0].texts, ["a", "abc"]);
    made[0].say({ cut: {} });
    tick(5000);
    assert.deepEqual(heard, ["abc"]);
    assert.equal(made.length, 1);
  });

  test("one that takes long is left for a newer, and waits for none", (t) => {
    const { made, heard, cutter, tick } = begin(t);
    cutter.ask("a".repeat(100));
    tick(60_000);
    assert.equal(made[0].ended, false);
    cutter.ask("b");
    cutter.ask("c");
    tick(999);
    assert.equal(made[0].ended, false);
    tick(1);
    assert.equal(made[0].ended, true);
    assert.deepEqual(made[1].texts, ["c"]);
    made[1].say({ cut: {} });
    assert.deepEqual(heard, ["c"]);
  });

  test("what fails is told once, and the next text tries again", (t) => {
    const { made, heard, cutter } = begin(t);
    cutter.ask("a");
    cutter.ask("b");
    made[0].dispatchEvent(new Event("error", { cancelable: true }));
    assert.deepEqual(heard, ["failed: its file did not come"]);
    assert.equal(made[0].ended, true);
    cutter.ask("c");
    made[1].say({ error: "no room" });
    assert.deepEqual(heard.slice(1), ["failed: no room"]);
  });
});
