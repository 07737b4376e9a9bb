/** Moments of a run: going back to look, branching off, and the run before. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { GenerationError, GenerationLoop } from "../../www/engine.js";
import { Run } from "../../www/run.js";

const PROMPT = "the cat sat";

/** A run of so many passes. @param {number} passes */
async function made(passes) {
  const run = new Run(
    await GenerationLoop.load({ seed: 7, sampling: { method: "temperature", temperature: 0.9 } }),
  );
  run.set("seed", 7);
  run.set("prompt", PROMPT);
  for (let pass = 0; pass < passes; pass += 1) run.step();
  return run;
}

/** What a reader sees of a moment. @param {Run} run */
const seen = (run) => {
  const { log, stop, tokens, attention } = run.shown;
  const plain = log.map((pass) => ({ ...pass.toJSON(), milliseconds: 0 }));
  return JSON.parse(
    JSON.stringify({ at: run.at, next: run.next, cells: run.cells, plain, stop, tokens, attention }),
  );
};

/** @param {Run} run */
const textBefore = (run) => run.previous?.text;

describe("looking back", () => {
  test("shows each moment as a fresh run of so many passes has it, there and back", async () => {
    const run = await made(8);
    const fresh = [];
    for (let passes = 0; passes <= 8; passes += 1) fresh.push(seen(await made(passes)));
    for (const at of [7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 8, 3]) {
      run.goTo(at);
      assert.deepEqual(seen(run), fresh[at]);
      assert.equal(run.loop.passes, 8);
    }
  });

  test("stays where there are passes", async () => {
    const run = await made(3);
    run.goTo(99);
    assert.equal(run.at, 3);
    run.goTo(-5);
    assert.equal(run.at, 0);
  });

  test("Back goes to the moment before, and forgets only the newest", async () => {
    const run = await made(4);
    run.goTo(3);
    run.back();
    assert.deepEqual([run.at, run.loop.passes], [2, 4]);
    run.goTo(4);
    run.back();
    assert.deepEqual([run.at, run.loop.passes], [3, 3]);
  });
});

describe("a step from the past", () => {
  test("was made already where nothing has changed", async () => {
    const run = await made(5);
    assert.equal(run.isAhead, false);
    run.goTo(2);
    assert.equal(run.isAhead, true);
    run.set("temperature", 2);
    assert.equal(run.isAhead, false);
    run.set("temperature", 0.9);
    assert.equal(run.isAhead, true);
  });

  test("is a new branch where something has, and the run before can be recalled", async () => {
    const run = await made(6);
    const before = seen(run);
    const text = PROMPT + run.loop.text;
    run.goTo(2);
    run.set("sampling", "greedy");
    assert.equal(run.previous, null);
    const pass = await run.step();
    assert.deepEqual([pass?.index, pass?.draw, run.at, run.loop.passes], [3, null, 3, 3]);
    assert.equal(textBefore(run), text);

    const branch = seen(run);
    const branchText = PROMPT + run.loop.text;
    assert.deepEqual(Object.keys(run.recall() ?? {}), ["prompt", "seed", "stop", "maxTokens"]);
    assert.deepEqual(seen(run), before);
    assert.equal(textBefore(run), branchText);
    // What is chosen for the next token stays chosen.
    assert.equal(run.loop.sampling.method, "greedy");
    run.recall();
    assert.deepEqual(seen(run), branch);
  });

  test("from the prompt begins a run of another kind", async () => {
    const run = await made(3);
    run.goTo(0);
    assert.equal(run.next, "prefill");
    run.set("sampling", "greedy");
    await run.step();
    assert.equal(run.loop.passes, 1);
    assert.equal(run.loop.log[0].phase, "prefill");
  });
});

describe("the previous run", () => {
  test("is there after a reset, another prompt or another seed, with its own settings", async () => {
    for (const [name, value] of [
      ["prompt", "a dog"],
      ["seed", 8],
      ["stop", ["q"]],
      ["maxTokens", 20],
    ]) {
      const run = await made(4);
      const before = seen(run);
      run.set(/** @type {string} */ (name), value);
      assert.equal(run.loop.passes, 0);
      assert.ok(run.previous, /** @type {string} */ (name));
      const settings = run.recall();
      assert.deepEqual(seen(run), before);
      assert.equal(settings?.prompt, PROMPT);
      assert.equal(run.loop.seed, 7);
    }
    const run = await made(2);
    run.reset();
    assert.equal(run.previous?.text, PROMPT + (await made(2)).loop.text);
    run.reset();
    assert.ok(run.previous);
  });

  test("is none before there were two, nor where a setting was refused", async () => {
    const run = await made(3);
    assert.equal(run.previous, null);
    assert.equal(run.recall(), undefined);
    assert.throws(() => run.set("maxTokens", 1000), { code: "invalid-setting" });
    assert.equal(run.loop.passes, 3);
    assert.equal(run.previous, null);
  });
});

test("a run made both ways comes back to where it was", async () => {
  const run = await made(4);
  run.goTo(2);
  const before = seen(run);
  const found = () => run.comparison;
  assert.equal(found(), null);
  run.compare();
  const { same, cached, uncached } = found() ?? assert.fail();
  assert.equal(same, true);
  assert.ok(uncached.flops > cached.flops);
  assert.deepEqual(seen(run), before);
  assert.equal(run.loop.passes, 4);
  assert.equal(run.previous, null);
  // Of other settings it says nothing.
  run.set("temperature", 1.5);
  assert.equal(found(), null);
  run.set("temperature", 0.9);
  assert.ok(found());
});

describe("a pass that fails", () => {
  /** The next pass of a run is refused. @param {Run} run @param {"prefill" | "decodeStep"} call */
  const refuseNext = (run, call) => {
    const { loop } = run;
    const refused = () => {
      Reflect.deleteProperty(loop, call);
      throw new GenerationError("non-finite-logit", "not this one");
    };
    Object.assign(loop, { [call]: refused });
  };

  test("leaves the past as it was, and the run that is ahead of it", async () => {
    const run = await made(5);
    run.goTo(2);
    run.set("temperature", 2);
    const before = seen(run);
    refuseNext(run, "decodeStep");
    assert.throws(() => run.step(), { code: "non-finite-logit" });
    assert.deepEqual(seen(run), before);
    assert.equal(run.loop.passes, 5);
    assert.equal(run.previous, null);
  });

  test("in a run that is made both ways leaves the run as it was", async () => {
    const run = await made(4);
    run.goTo(1);
    const before = seen(run);
    refuseNext(run, "decodeStep");
    assert.throws(() => run.compare(), { code: "non-finite-logit" });
    assert.deepEqual(seen(run), before);
    assert.equal(run.loop.cache, true);
    assert.equal(run.comparison, null);
  });
});
