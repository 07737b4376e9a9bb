/** What a run has cost both ways, and will have cost. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { keptOf, plannedOf, ratioOf, totalsOf } from "../../www/chapter/totals.js";
import { DEFAULT_SHAPE, SHAPES } from "./checkpoints.js";
import { momentAfter } from "./readings.js";

test("the default run to its limit: 514,944 with the cache, 7,606,144 without", () => {
  const planned = plannedOf(DEFAULT_SHAPE, 11, 21);
  assert.deepEqual(planned, { passes: 21, prefill: 173_184, cached: 514_944, uncached: 7_606_144 });
  assert.equal(ratioOf(planned), "14.8");
});

test("a plan is what the run comes to, whether its cache is on or off", async () => {
  for (const cache of [true, false]) {
    const moment = await momentAfter(99, { model: "untrained", stop: [], maxTokens: 40, cache });
    assert.equal(moment.log.length, 29);
    assert.deepEqual(totalsOf(moment.log), plannedOf(moment.config, 11, 29));
  }
});

test("a run with the cache off for some passes has the same totals, and has paid something between them", async () => {
  const on = await momentAfter(5);
  const { log } = await momentAfter(5, { set: { cache: false } });
  assert.deepEqual(totalsOf(log), totalsOf(on.log));
  const paid = log.reduce((sum, { flops }) => sum + flops, 0);
  assert.ok(paid > totalsOf(log).cached && paid < totalsOf(log).uncached);
});

test("one pass costs the same both ways, and no pass nothing", async () => {
  const { log } = await momentAfter(1);
  assert.deepEqual(totalsOf(log), { passes: 1, prefill: 173_184, cached: 173_184, uncached: 173_184 });
  assert.equal(ratioOf(totalsOf(log)), "1.0");
  assert.deepEqual(totalsOf([]), { passes: 0, prefill: 0, cached: 0, uncached: 0 });
});

test("what the cache keeps: 2 L T D numbers of 4 bytes, as the passes of a run say", async () => {
  for (const shape of Object.values(SHAPES)) {
    assert.equal(keptOf(shape, 13), 2 * shape.n_layer * 13 * shape.n_embd * 4);
  }
  const { config, log } = await momentAfter(4);
  for (const { contextLength, cacheBytes } of log) assert.equal(keptOf(config, contextLength), cacheBytes);
});
