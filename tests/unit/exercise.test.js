/** The exercise apart from the sandbox: the model, the calls, the prediction, and the texts on the page. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { summary, verdicts } from "../../www/chapter/exercise/checks.js";
import { explain } from "../../www/chapter/exercise/explain.js";
import { callsFrom } from "../../www/chapter/exercise/judge.js";
import { countOn, END_OF_TEXT, EXAMPLE, reference } from "../../www/chapter/exercise/model.js";
import { compare, readCount } from "../../www/chapter/exercise/prediction.js";
import { callOf, scenarios } from "../../www/chapter/exercise/scenarios.js";
import { SKELETON } from "../../www/chapter/exercise/texts.js";
import { emptyTrace } from "../../www/chapter/exercise/trace.js";

const page = readFileSync(new URL("../../index.html", import.meta.url), "utf8");

/** The text of a listing on the page. @param {RegExp} start */
function listing(start) {
  const text = page.slice(page.search(start)).match(/<pre[^>]*>(.*?)<\/pre>/s)?.[1] ?? "";
  return text.replaceAll("&lt;", "<").replaceAll("&amp;", "&");
}

test("the model on the page is the model that is called", () => {
  const shown = listing(/<pre[^>]*id="exercise-model"/);
  const forward = runInNewContext(`${shown}; forward`);
  for (let length = 0; length <= 12; length += 1) {
    const tokens = Array.from({ length }, (_, place) => place + 1);
    assert.equal(countOn(tokens), forward(tokens));
  }
});

test("the code on the page is the code that the editor begins with", () => {
  assert.equal(listing(/<div class="figure" id="exercise">/), SKELETON);
});

test("the page tells no answer", () => {
  const section = page.slice(page.indexOf('id="try-it"'), page.indexOf("</main>"));
  assert.doesNotMatch(section, /[45], ?[56], ?[67]|\b(five|six|5|6) (tokens|passes|forward)/i);
});

test("the reference loop: tokens before end-of-text or the limit, and a pass for each and for the end", () => {
  const { prompt, maxNew } = EXAMPLE;
  assert.deepEqual(reference(countOn, prompt, maxNew), { tokens: [4, 5, 6, 7, 8], passes: 6 });
  assert.deepEqual(reference(countOn, prompt, 5), { tokens: [4, 5, 6, 7, 8], passes: 5 });
  assert.deepEqual(reference(countOn, prompt, 0), { tokens: [], passes: 0 });
  assert.deepEqual(
    reference(() => END_OF_TEXT, prompt, 3),
    { tokens: [], passes: 1 },
  );
});

test("the calls are the same every time, differ by their seed, and reach every way to end", () => {
  const told = (/** @type {ReturnType<typeof scenarios>} */ all) =>
    all.map((each) => [callOf(each), reference(each.model, each.prompt, each.maxNew)]);
  assert.deepEqual(told(scenarios()), told(scenarios()));
  assert.notDeepEqual(told(scenarios(1)), told(scenarios(2)));
  for (const seed of [undefined, 1, 2, 3, 4, 5]) {
    const others = scenarios(seed).filter(({ group }) => group === "other");
    const ends = others.map(({ model, prompt, maxNew }) => ({ maxNew, ...reference(model, prompt, maxNew) }));
    assert.ok(ends.some(({ tokens, passes }) => tokens.length === 0 && passes === 1));
    assert.ok(ends.some(({ tokens, maxNew }) => tokens.length === maxNew));
    assert.ok(ends.some(({ tokens, passes }) => tokens.length >= 2 && passes === tokens.length + 1));
    // A token that is left out of what the model gets changes what it gives.
    const last = others.at(-1);
    assert.ok(last);
    const whole = [...last.prompt, last.model(last.prompt)];
    assert.notEqual(last.model(whole), last.model(whole.slice(0, -1)));
  }
});

test("a prediction is a whole number from 0 to 1,000, and zero is one", () => {
  assert.deepEqual(readCount("0"), { value: 0 });
  assert.deepEqual(readCount(" 5 "), { value: 5 });
  assert.deepEqual(readCount("1000"), { value: 1000 });
  for (const bad of [
    "",
    "  ",
    "-1",
    "+1",
    "1.5",
    "1e2",
    "0x5",
    "1001",
    "five",
    "٥",
    "NaN",
    "<b>",
    "9".repeat(500),
  ]) {
    const read = readCount(bad);
    assert.ok("error" in read, bad);
    assert.match(read.error, /whole number from 0 to 1,000\.$/);
    assert.ok(read.error.length < 100);
    if (bad.trim() !== "") assert.ok(read.error.startsWith(`“${bad.slice(0, 24)}`));
  }
});

test("a prediction is compared with what the loop does", () => {
  assert.deepEqual(compare({ tokens: 5, passes: 6 }).isRight, { tokens: true, passes: true });
  assert.match(
    compare({ tokens: 5, passes: 6 }).message,
    /^Both are right\. It yields 5 tokens, 4, 5, 6, 7, 8, in 6 passes/,
  );
  assert.match(compare({ tokens: 5, passes: 5 }).message, /^The tokens are right.*has to compute, too\.$/);
  assert.match(
    compare({ tokens: 6, passes: 6 }).message,
    /^The passes are right.*End-of-text is not yielded\.$/,
  );
  assert.match(compare({ tokens: 20, passes: 20 }).message, /^Neither is right.*is a limit/);
});

test("what was not run is not judged, and what did not answer is told so", () => {
  const states = (/** @type {ReturnType<typeof verdicts>} */ all) => new Set(all.map(({ state }) => state));
  const silent = verdicts(callsFrom([], "hung"), "");
  assert.deepEqual(states(silent.slice(1)), new Set(["open"]));
  assert.match(silent[0].message, /ended after 5 seconds without an answer/);
  assert.equal(summary(silent), "0 of 10 checks pass, 1 does not, 9 could not be judged.");
  const broken = verdicts(callsFrom([emptyTrace("broken")]), "");
  assert.match(broken[0].message, /nested too deep for the sandbox/);
});

test("an error is told with its place, and a message that ends by itself gets no second stop", () => {
  const problem = { name: "Error", message: "no.", line: 2, column: 7 };
  assert.equal(explain(problem, "\n  throw"), "Line 2, column 7: Error: no.");
  assert.equal(explain({ ...problem, message: "why?" }, "\n  throw"), "Line 2, column 7: Error: why?");
  const missing = { name: "ReferenceError", message: "'toknes' is not defined", line: 1 };
  assert.equal(
    explain(missing, "toknes"),
    "Line 1: ReferenceError: 'toknes' is not defined. Nothing has the name toknes.",
  );
});
