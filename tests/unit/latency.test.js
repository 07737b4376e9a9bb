/** How long a reply takes: the formula against a clock that is moved on pass by pass. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { conclusion } from "../../www/chapter/lab.js";
import { latencyOf, ticksOf, withHalfThePrompt, withHalfTheReply } from "../../www/chapter/latency.js";
import { DEFAULT_ENTRIES, inUnit, rangesFor, readRequest } from "../../www/chapter/request.js";

/** @typedef {import("../../www/chapter/latency.js").Request} Request */

/** @type {Request} */
const DEFAULT = {
  promptTokens: 1000,
  replyTokens: 200,
  firstPass: 0.3,
  decodePass: 0.02,
  endOfText: false,
};

/**
 * A model as it writes: each pass moves the clock on and yields a token, until the reply is as long as it should be, or
 * until end-of-text comes after it.
 * @param {Request} request
 */
function simulated({ replyTokens, firstPass, decodePass, endOfText }) {
  let clock = 0;
  let decodes = 0;
  let decodeTime = 0;
  /** @type {{ at: number, seen: boolean }[]} */
  const tokens = [];
  const seen = () => tokens.filter((token) => token.seen).length;
  const yieldToken = () => tokens.push({ at: clock, seen: seen() < replyTokens });
  const isOver = () => (endOfText ? tokens.some((token) => !token.seen) : seen() === replyTokens);
  clock += firstPass;
  yieldToken();
  while (!isOver()) {
    clock += decodePass;
    decodeTime += decodePass;
    decodes += 1;
    yieldToken();
  }
  return { tokens, decodes, decodeTime, clock };
}

/** @param {number} actual @param {number} expected */
function near(actual, expected) {
  assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.max(1, expected), `${actual}, not ${expected}`);
}

describe("the formula", () => {
  test("a thousand tokens in, two hundred out: 0.3 + 199 × 0.02 = 4.28 s", () => {
    const latency = latencyOf(DEFAULT);
    assert.equal(latency.decodes, 199);
    near(latency.total, 4.28);
    near(latency.stream, 3.98);
    assert.equal(latency.firstToken, 0.3);
    assert.equal(latency.perToken, 0.02);
    near(latency.decodeShare ?? 0, 3.98 / 4.28);
  });

  test("it is what passes add up to, one by one", () => {
    for (const replyTokens of [1, 2, 3, 17, 200]) {
      for (const [firstPass, decodePass] of [
        [0.3, 0.02],
        [0, 0.1],
        [2, 0],
        [0.001, 0.0005],
      ]) {
        for (const endOfText of [false, true]) {
          const request = { ...DEFAULT, replyTokens, firstPass, decodePass, endOfText };
          const latency = latencyOf(request);
          const { tokens, decodes, decodeTime, clock } = simulated(request);
          assert.equal(latency.decodes, decodes);
          assert.equal(tokens.length, replyTokens + Number(endOfText));
          near(latency.firstToken, tokens[0].at);
          near(latency.total, clock);
          near(latency.stream, decodeTime);
          if (tokens.length > 1) near(latency.perToken, tokens[1].at - tokens[0].at);
          near(latency.decodeShare ?? 0, clock === 0 ? 0 : decodeTime / clock);
        }
      }
    }
  });

  test("end-of-text takes one decode more; at once, none at all", () => {
    assert.equal(latencyOf({ ...DEFAULT, endOfText: true }).decodes, 200);
    near(latencyOf({ ...DEFAULT, endOfText: true }).total, 4.3);
    const atOnce = { ...DEFAULT, replyTokens: 0, endOfText: true };
    assert.equal(latencyOf(atOnce).decodes, 0);
    assert.equal(simulated(atOnce).tokens.length, 1);
    assert.equal(latencyOf(atOnce).total, 0.3);
  });

  test("a share only where there is a time", () => {
    assert.equal(latencyOf({ ...DEFAULT, firstPass: 0, decodePass: 0 }).decodeShare, null);
    assert.equal(latencyOf({ ...DEFAULT, firstPass: 0 }).decodeShare, 1);
    assert.equal(latencyOf({ ...DEFAULT, decodePass: 0 }).decodeShare, 0);
    assert.equal(latencyOf({ ...DEFAULT, replyTokens: 1 }).decodeShare, 0);
  });
});

describe("what if", () => {
  /** @param {Parameters<typeof conclusion>} halving */
  const said = (...halving) => conclusion(...halving).replaceAll("\u00a0", " ");

  test("half the prompt takes half the first pass, and nothing from the stream", () => {
    const halved = withHalfThePrompt(DEFAULT);
    assert.deepEqual(halved, { ...DEFAULT, promptTokens: 500, firstPass: 0.15 });
    near(latencyOf(halved).total, 4.13);
    assert.equal(latencyOf(halved).stream, latencyOf(DEFAULT).stream);
  });

  test("half the reply takes half the tokens, and nothing from the wait for the first", () => {
    const halved = withHalfTheReply(DEFAULT);
    assert.deepEqual(halved, { ...DEFAULT, replyTokens: 100 });
    near(latencyOf(halved).total, 2.28);
    assert.equal(latencyOf(halved).firstToken, 0.3);
  });

  test("an odd number keeps its middle token, with its time; one cannot be halved", () => {
    const odd = withHalfThePrompt({ ...DEFAULT, promptTokens: 5, firstPass: 1 });
    assert.equal(odd.promptTokens, 3);
    near(odd.firstPass, 0.6);
    assert.equal(withHalfTheReply({ ...DEFAULT, replyTokens: 7 }).replyTokens, 4);
    const one = { ...DEFAULT, promptTokens: 1, replyTokens: 1 };
    assert.deepEqual(withHalfThePrompt(one), one);
    assert.deepEqual(withHalfTheReply(one), one);
  });

  test("what follows is said with the numbers of both", () => {
    assert.equal(
      said("prompt", DEFAULT, withHalfThePrompt(DEFAULT)),
      "With 500 prompt tokens instead of 1,000 the reply takes 4.13 s instead of 4.28 s, which saves 3.5%. The first token comes after 0.15 s instead of 0.3 s; the stream after it is as long as before.",
    );
    assert.equal(
      said("reply", DEFAULT, withHalfTheReply(DEFAULT)),
      "With 100 reply tokens instead of 200 the reply takes 2.28 s instead of 4.28 s, which saves 46.7%. The first token comes no sooner; 100 decode passes are left out.",
    );
    const two = { ...DEFAULT, replyTokens: 2 };
    assert.match(said("reply", two, withHalfTheReply(two)), / 1 decode pass is left out\.$/);
    const one = { ...DEFAULT, replyTokens: 1 };
    assert.equal(said("reply", one, withHalfTheReply(one)), "A reply of 1 token cannot be halved.");
    const free = { ...DEFAULT, firstPass: 0, decodePass: 0 };
    for (const half of /** @type {const} */ (["prompt", "reply"])) {
      const halved = half === "prompt" ? withHalfThePrompt(free) : withHalfTheReply(free);
      assert.match(said(half, free, halved), /nothing changes/);
    }
  });
});

test("ticks are round, from zero, within the axis, and not too many", () => {
  assert.deepEqual(ticksOf(4.28), [0, 1, 2, 3, 4]);
  assert.deepEqual(ticksOf(10), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticksOf(0), [0]);
  assert.deepEqual(ticksOf(Number.NaN), [0]);
  for (let most = 1e-7; most < 1e8; most *= 1.37) {
    const ticks = ticksOf(most);
    assert.equal(ticks[0], 0);
    assert.ok(ticks.length >= 3 && ticks.length <= 6, `${most}: ${ticks}`);
    assert.ok(ticks[ticks.length - 1] <= most * (1 + 1e-9));
    assert.match(ticks[1].toExponential(6), /^[125]\.0+e/);
  }
});

describe("the fields", () => {
  const { texts } = DEFAULT_ENTRIES;

  test("begin with the default", () => {
    assert.deepEqual(readRequest(DEFAULT_ENTRIES), { request: DEFAULT, errors: {} });
  });

  test("what cannot be used is named, with what is allowed, and nothing is made of the rest", () => {
    for (const [name, allowed] of /** @type {const} */ ([
      ["promptTokens", "Prompt tokens X; allowed: a whole number from 1 to 1,000,000"],
      ["replyTokens", "Reply tokens X; allowed: a whole number from 1 to 1,000,000"],
      ["firstPass", "Time of the first pass X; allowed: a number from 0 to 3,600 s"],
      ["decodePass", "Time of each decode pass X; allowed: a number from 0 to 60,000 ms"],
    ])) {
      for (const text of ["", " ", "-1", "1e99", "NaN", "Infinity", "ten", "0x10", "1 2", "1,5"]) {
        const { request, errors } = readRequest({ ...DEFAULT_ENTRIES, texts: { ...texts, [name]: text } });
        assert.equal(request, null, `${name}: ${text}`);
        const found = text.trim() === "" ? "is empty" : `is “${text}”`;
        assert.deepEqual(errors, { [name]: allowed.replace("X", found) });
      }
    }
    for (const name of ["promptTokens", "replyTokens"]) {
      for (const text of ["0", "1.5", "1000001"]) {
        const { errors } = readRequest({ ...DEFAULT_ENTRIES, texts: { ...texts, [name]: text } });
        assert.deepEqual(Object.keys(errors), [name]);
      }
    }
  });

  test("every field that is wrong has its own error", () => {
    const wrong = { promptTokens: "", replyTokens: "0", firstPass: "-1", decodePass: "x" };
    assert.deepEqual(
      Object.keys(readRequest({ ...DEFAULT_ENTRIES, texts: wrong }).errors),
      Object.keys(wrong),
    );
  });

  test("no time is a time, and no reply is one where end-of-text comes at once", () => {
    const none = { ...texts, firstPass: "0", decodePass: "0", replyTokens: "0" };
    assert.deepEqual(readRequest({ ...DEFAULT_ENTRIES, texts: none, endOfText: true }).request, {
      promptTokens: 1000,
      replyTokens: 0,
      firstPass: 0,
      decodePass: 0,
      endOfText: true,
    });
    assert.equal(rangesFor({ unit: "s", endOfText: false }).replyTokens.least, 1);
  });

  test("the first pass keeps its time in another unit, and its text where that is none", () => {
    const inMs = inUnit(DEFAULT_ENTRIES, "ms");
    assert.equal(inMs.texts.firstPass, "300");
    assert.deepEqual(readRequest(inMs).request, DEFAULT);
    assert.deepEqual(inUnit(inMs, "s"), DEFAULT_ENTRIES);
    assert.deepEqual(inUnit(inMs, "ms"), inMs);
    const wrong = { ...DEFAULT_ENTRIES, texts: { ...texts, firstPass: "soon" } };
    assert.equal(inUnit(wrong, "ms").texts.firstPass, "soon");
    const long = readRequest({ ...inMs, texts: { ...texts, firstPass: "3600001" } });
    assert.match(long.errors.firstPass ?? "", /allowed: a number from 0 to 3,600,000 ms$/);
  });
});
