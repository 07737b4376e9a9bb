/** The questions of "Predict", what can be answered, and what is said to a wrong answer. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { another, answerFrom, FIRST, mistakeIn, questionOf } from "../../www/chapter/prediction.js";
import { counted } from "../../www/chapter/scripted.js";
import { generator } from "./checkpoints.js";

/** @typedef {import("../../www/chapter/scripted.js").Plan} Plan */

const LIMIT = /** @type {const} */ ({ prompt: 1000, reply: 200, end: "max-tokens" });
const NONE = /** @type {const} */ ({ prompt: 300, reply: 0, end: "end-of-text" });

test("the first question is of 1,000 tokens, 200 tokens and end-of-text", () => {
  assert.equal(
    questionOf(FIRST),
    "A prompt of 1,000 tokens, a reply of 200 tokens, and then end-of-text: how many forward passes?",
  );
  assert.match(questionOf(LIMIT), /the length limit cuts off after 200 tokens, before any end-of-text/);
  assert.match(questionOf(NONE), /^A prompt of 300 tokens, .*end-of-text at once, without a reply/);
  assert.match(questionOf({ ...FIRST, prompt: 1, reply: 1 }), /^A prompt of 1 token, a reply of 1 token,/);
});

test("each usual mistake is told by the step that it dropped or added", () => {
  /** @type {[Plan, number, number, RegExp][]} */
  const cases = [
    [FIRST, 200, 201, /^One pass is missing: the last one, which brings end-of-text; .* the prefill/],
    [FIRST, 199, 201, /^Two passes are missing\. .*tokens 2 to 200;.*prefill.*end-of-text/],
    [FIRST, 202, 201, /^One pass too many.*prefill.*first token/],
    [FIRST, 1199, 201, /every token of the prompt.*all 1,000 tokens in at once/],
    [FIRST, 1200, 201, /every token of the prompt.*all 1,000 tokens in at once/],
    [FIRST, 1201, 201, /every token of the prompt.*all 1,000 tokens in at once/],
    [FIRST, 1000, 201, /^That is the length of the prompt, which does not matter/],
    [FIRST, 0, 201, /^Without a pass there is no token/],
    [FIRST, 1, 201, /^The prefill alone brings one token/],
    [FIRST, 2, 201, /^A pass for the prompt and one for the reply/],
    [FIRST, 203, 201, /^2 passes too many\. Count the passes .* one token, and end-of-text is one\.$/],
    [FIRST, 100, 201, /^101 passes too few\./],
    [FIRST, 1_000_000, 201, /^999,799 passes too many\./],
    [LIMIT, 199, 200, /^One pass is missing: the prefill/],
    [LIMIT, 201, 200, /^One pass too many.*no pass brings end-of-text here/],
    [LIMIT, 1200, 200, /every token of the prompt/],
    [LIMIT, 198, 200, /^2 passes too few\. Count the passes .* one token\.$/],
    [NONE, 0, 1, /^The prefill is missing/],
    [NONE, 2, 1, /^One pass too many.*no decode follows/],
    [NONE, 301, 1, /every token of the prompt.*all 300 tokens/],
    [NONE, 3, 1, /^2 passes too many\./],
  ];
  for (const [plan, answer, passes, expected] of cases) {
    assert.match(mistakeIn(plan, answer, passes), expected, `${answer} to ${questionOf(plan)}`);
  }
});

test("a number is read as what it is, and everything else is refused by its name", () => {
  for (const [text, answer] of /** @type {const} */ ([
    ["201", 201],
    ["  201\n", 201],
    ["0", 0],
    ["007", 7],
    ["1,201", 1201],
    ["1,000,000", 1_000_000],
    ["1000000", 1_000_000],
  ])) {
    assert.deepEqual(answerFrom(text), { answer });
  }
  const allowed = "allowed: a whole number from 0 to 1,000,000.";
  for (const text of ["abc", "-1", "1.5", "1e99", "1e2", "0x10", "+5", "12,01", ",1", "1 200", "1000001"]) {
    assert.deepEqual(answerFrom(text), { error: `Your answer is “${text}”; ${allowed}` });
  }
  for (const text of ["", "  ", "\t"])
    assert.deepEqual(answerFrom(text), { error: `Your answer is empty; ${allowed}` });
  for (const text of ["NaN", "Infinity", "٢٠١", "²", "2\u00a001", "\0", "<b>201</b>", "null"]) {
    assert.ok("error" in answerFrom(text), text);
  }
  // What is longer than a message quotes no longer, and cuts no character in two.
  assert.deepEqual(answerFrom("🐟".repeat(100)), {
    error: `Your answer is “${"🐟".repeat(40)}…”; ${allowed}`,
  });
  assert.ok("error" in answerFrom("9".repeat(400)));
});

test("other questions have other numbers and other ends, the new ones soon", () => {
  const random = generator(5);
  const plans = Array.from({ length: 200 }, (_, index) => another(index + 1, random));
  assert.equal(plans[0].end, "max-tokens");
  assert.deepEqual([plans[1].reply, plans[1].end], [0, "end-of-text"]);
  assert.equal(plans[2].end, "end-of-text");
  assert.ok(plans[2].reply > 0);
  assert.ok(new Set(plans.map(questionOf)).size > 150);
  // Long prompts with short replies, and short prompts with long ones.
  assert.ok(plans.some(({ prompt, reply }) => reply > prompt));
  assert.ok(plans.some(({ prompt, reply }) => reply > 0 && reply < prompt));
  for (const edge of [0, 1 - 2 ** -53]) {
    for (const asked of [1, 2, 3]) {
      const { prompt, reply } = another(asked, () => edge);
      assert.ok(Number.isSafeInteger(prompt) && prompt >= 10 && prompt <= 2000);
      assert.ok(Number.isSafeInteger(reply) && reply >= 0 && reply <= 400);
    }
  }
});

test("whatever is asked, no mistake has the number that the run comes to, and no two have one number", async () => {
  const random = generator(6);
  for (let asked = 1; asked <= 25; asked += 1) {
    const plan = another(asked, random);
    const { passes } = await counted(plan);
    assert.equal(passes, plan.reply + Number(plan.end === "end-of-text"));
    assert.match(mistakeIn(plan, passes, passes), /^0 passes/, questionOf(plan));
    const { prompt, reply } = plan;
    const usual = [0, reply - 1, reply, reply + 1, reply + 2, prompt, prompt + reply].filter(
      (answer) => answer >= 0 && answer !== passes,
    );
    // Without a reply some of them are the same mistake.
    if (reply > 0) assert.equal(new Set(usual).size, usual.length, questionOf(plan));
  }
});
