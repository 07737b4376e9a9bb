/** The five steps of the job, at moments of real runs. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isPossible, jobOf } from "../../www/chapter/job.js";
import { momentAfter } from "./readings.js";
import { scripted } from "./scripted.js";

/** @param {import("../../www/chapter/job.js").Job} job */
const lines = ({ steps }) => Object.values(steps).map(({ line }) => line);

/** @param {import("../../www/chapter/phrases.js").Phrase} phrase */
const text = (phrase) => phrase.map((part) => (typeof part === "string" ? part : `<${part.token}>`)).join("");

/** @param {string} output @param {string} prompt */
const writing = (output, prompt = "ab") => ({
  model: scripted(output, { prompt: prompt.length, n_positions: 64 }),
  prompt,
});

describe("before the first pass", () => {
  test("the prompt is cut into tokens, and the formula says what the passes will cost", async () => {
    const job = jobOf(await momentAfter(0));
    assert.equal(job.current, "tokenise");
    assert.deepEqual(job.through, []);
    assert.deepEqual(lines(job), [
      "11 tokens",
      "11 tokens in, 173,184 FLOPs",
      "one token a pass",
      "1 token in, 15,872 FLOPs",
      "at most 21 passes",
    ]);
    assert.deepEqual(
      Object.values(job.steps).map(({ made }) => made),
      [true, false, false, false, false],
    );
  });

  test("a prompt that cannot be processed says why, and promises nothing", async () => {
    for (const [prompt, why] of [
      ["", "no token to process"],
      ["café é", "2 of 6 not in the vocabulary"],
      ["a".repeat(32), "32 tokens: too many for a run"],
    ]) {
      const moment = await momentAfter(0, { prompt });
      const job = jobOf(moment);
      assert.equal(isPossible(moment), false, prompt);
      assert.equal(job.current, "tokenise");
      assert.equal(job.steps.tokenise.line, why);
      assert.doesNotMatch(lines(job).join(), /FLOPs|passes/);
      assert.equal(text(job.said), "The prompt cannot be processed as it stands, so nothing begins.");
    }
    assert.equal(isPossible(await momentAfter(0, { prompt: "a".repeat(31) })), true);
  });
});

describe("in a run", () => {
  test("the prefill goes through two steps and rests at the token that it brought", async () => {
    const moment = await momentAfter(1, writing("cd"));
    const job = jobOf(moment);
    assert.equal(job.current, "sample");
    assert.deepEqual(job.through, ["prefill", "sample"]);
    assert.equal(job.steps.sample.token, "c");
    assert.equal(job.steps.decode.made, false);
    assert.equal(text(job.said), "Pass 1 of at most 30, prefill: the prompt went in, <c> was picked.");
  });

  test("a decode says what its own pass took in and cost", async () => {
    const moment = await momentAfter(4);
    const job = jobOf(moment);
    assert.deepEqual(job.through, ["decode", "sample"]);
    assert.equal(job.steps.decode.line, `1 token in, ${moment.log[3].flops.toLocaleString("en")} FLOPs`);
    assert.equal(job.steps.prefill.line, "11 tokens in, 173,184 FLOPs");
    assert.equal(job.steps.stop.line, "not yet: at most 21 passes");
    const [before, token] = moment.log.slice(2).map((pass) => pass.token.text);
    assert.equal(text(job.said), `Pass 4 of at most 21, decode: <${before}> went in, <${token}> was picked.`);
  });

  test("without a cache a decode takes everything in again", async () => {
    const job = jobOf(await momentAfter(3, { set: { cache: false } }));
    assert.match(job.steps.decode.line, /^13 tokens in, /);
  });

  test("of a moment in the past, it is the job as it was then", async () => {
    assert.deepEqual(lines(jobOf(await momentAfter(6, { at: 2 }))), lines(jobOf(await momentAfter(2))));
    assert.equal(jobOf(await momentAfter(6, { at: 0 })).current, "tokenise");
  });
});

describe("at the end", () => {
  test("each reason is told, and the last token is still there", async () => {
    for (const [options, reason] of /** @type {const} */ ([
      [{ ...writing("cd."), maxTokens: null }, "the stop string “.” was completed"],
      [{ ...writing("cdef"), maxTokens: 5 }, "the length limit of 5 tokens was reached"],
    ])) {
      const job = jobOf(await momentAfter(99, options));
      assert.equal(job.current, "stop");
      assert.equal(job.steps.stop.line, reason);
      assert.equal(job.steps.stop.made, true);
      assert.ok(text(job.said).endsWith("The run is over."));
    }
  });

  test("a long stop string is cut, and shown to be", async () => {
    const stop = "c".repeat(20);
    const job = jobOf(await momentAfter(99, { ...writing(stop), stop: [stop] }));
    assert.equal(job.steps.stop.line, `the stop string “${"c".repeat(16)}…” was completed`);
  });

  test("a run of one pass has no decode", async () => {
    for (const passes of [0, 1]) {
      const moment = await momentAfter(passes, { ...writing("c"), maxTokens: 3 });
      assert.equal(jobOf(moment).steps.decode.line, "none in this run");
    }
  });
});
