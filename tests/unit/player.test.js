/** Steps that repeat: made at once, or later. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Player } from "../../www/player.js";

/** What waits for the next frame. @type {Map<number, () => void>} */
let frames = new Map();
let count = 0;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  frames = new Map();
  Object.assign(globalThis, {
    requestAnimationFrame(/** @type {() => void} */ call) {
      count += 1;
      frames.set(count, call);
      return count;
    },
    cancelAnimationFrame: (/** @type {number} */ id) => void frames.delete(id),
  });
});
afterEach(() => {
  mock.timers.reset();
  Reflect.deleteProperty(globalThis, "requestAnimationFrame");
  Reflect.deleteProperty(globalThis, "cancelAnimationFrame");
});

/** Time that passes. @param {number} milliseconds */
const pass = (milliseconds) => mock.timers.tick(milliseconds);

function frame() {
  const now = [...frames.values()];
  frames.clear();
  for (const call of now) call();
}

/** Lets promises go on. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A player whose steps are made when a test says so. */
function later() {
  /** @type {((more: boolean) => void)[]} */
  const steps = [];
  /** @type {boolean[]} */
  const told = [];
  const player = new Player(
    () => new Promise((resolve) => steps.push(resolve)),
    () => told.push(player.running),
  );
  return {
    player,
    steps,
    told,
    /** The newest step is made. @param {boolean} [more] */
    async made(more = true) {
      steps[steps.length - 1](more);
      await settled();
    },
  };
}

/** A player whose steps are made at once; there are `most`. @param {number} [most] */
function atOnce(most = Number.POSITIVE_INFINITY) {
  const seen = { steps: 0, changes: 0 };
  const player = new Player(
    () => {
      seen.steps += 1;
      return seen.steps < most;
    },
    () => {
      seen.changes += 1;
    },
  );
  return { player, seen };
}

test("steps that are made at once: the first now, the others at the speed, until there are no more", () => {
  const { player, seen } = atOnce(4);
  player.run();
  assert.deepEqual([seen.steps, seen.changes, player.running], [1, 1, true]);
  pass(249);
  assert.equal(seen.steps, 1);
  pass(1);
  assert.equal(seen.steps, 2);
  player.run();
  assert.deepEqual([seen.steps, seen.changes], [2, 1]);
  pass(250);
  pass(250);
  assert.deepEqual([seen.steps, seen.changes, player.running], [4, 2, false]);
  pass(10_000);
  assert.equal(seen.steps, 4);
});

test("a speed takes effect at once, and no step is made twice", () => {
  const { player, seen } = atOnce();
  player.speed = "slow";
  player.run();
  pass(900);
  player.speed = "steady";
  pass(249);
  assert.equal(seen.steps, 1);
  pass(1);
  assert.equal(seen.steps, 2);
  player.speed = "instant";
  pass(10_000);
  assert.equal(seen.steps, 2);
  frame();
  const many = seen.steps;
  assert.ok(many > 3);
  player.speed = "slow";
  frame();
  assert.equal(seen.steps, many);
  pass(1000);
  assert.equal(seen.steps, many + 1);
  player.speed = "no such speed";
  assert.equal(player.speed, "slow");
  player.pause();
  player.speed = "fast";
  pass(10_000);
  frame();
  assert.equal(seen.steps, many + 1);
});

test("a step that is made later is waited for, however long; then the time to the next one begins", async () => {
  const { player, steps, told, made } = later();
  player.run();
  assert.equal(steps.length, 1);
  await settled();
  pass(60_000);
  assert.equal(steps.length, 1);
  await made();
  assert.equal(steps.length, 1);
  pass(249);
  assert.equal(steps.length, 1);
  pass(1);
  assert.equal(steps.length, 2);
  await made(false);
  assert.ok(!player.running);
  pass(60_000);
  assert.equal(steps.length, 2);
  assert.deepEqual(told, [true, false]);
});

test("a pause in the middle of a step: it is the last one", async () => {
  for (const more of [true, false]) {
    const { player, steps, told, made } = later();
    player.run();
    player.pause();
    assert.ok(!player.running);
    await made(more);
    pass(60_000);
    frame();
    assert.equal(steps.length, 1);
    assert.deepEqual(told, [true, false]);
    // It is over, so that the next run begins at once.
    player.run();
    assert.equal(steps.length, 2);
    player.pause();
    await made();
  }
});

test("run again while a step is under way: there is one, and the run takes it over", async () => {
  const { player, steps, told, made } = later();
  player.run();
  player.run();
  player.pause();
  player.run();
  player.pause();
  player.run();
  pass(60_000);
  frame();
  assert.equal(steps.length, 1);
  assert.deepEqual(told, [true, false, true, false, true]);
  await made();
  pass(250);
  assert.equal(steps.length, 2);
  // Its end is the end of the run that took it over.
  player.pause();
  player.run();
  await made(false);
  assert.ok(!player.running);
  pass(60_000);
  assert.equal(steps.length, 2);
});

test("a speed in the middle of a step begins after it", async () => {
  const { player, steps, made } = later();
  player.speed = "slow";
  player.run();
  player.speed = "fast";
  pass(60_000);
  assert.equal(steps.length, 1);
  await made();
  pass(66);
  assert.equal(steps.length, 1);
  pass(1);
  assert.equal(steps.length, 2);
  player.speed = "instant";
  frame();
  assert.equal(steps.length, 2);
  await made();
  assert.equal(steps.length, 2);
  // One step a frame, for each is waited for.
  frame();
  assert.equal(steps.length, 3);
  frame();
  assert.equal(steps.length, 3);
  player.speed = "slow";
  await made();
  frame();
  pass(999);
  assert.equal(steps.length, 3);
  pass(1);
  assert.equal(steps.length, 4);
  // And between two steps, at once.
  await made();
  player.speed = "instant";
  frame();
  assert.equal(steps.length, 5);
  pass(60_000);
  assert.equal(steps.length, 5);
  player.pause();
  await made();
  assert.equal(frames.size, 0);
});

test("a speed in the middle of the last step of a paused run begins nothing", async () => {
  const { player, steps, made } = later();
  player.run();
  player.pause();
  player.speed = "instant";
  await made();
  frame();
  pass(60_000);
  assert.equal(steps.length, 1);
});

test("a pause between two steps that are made later", async () => {
  const { player, steps, made } = later();
  player.run();
  await made();
  pass(100);
  player.pause();
  pass(60_000);
  assert.equal(steps.length, 1);
  player.run();
  assert.equal(steps.length, 2);
  player.pause();
  await made();
});

test("steps of both kinds may take turns", async () => {
  /** @type {((more: boolean) => void)[]} */
  const waiting = [];
  let steps = 0;
  const player = new Player(
    () => {
      steps += 1;
      return steps % 2 === 0 ? new Promise((resolve) => waiting.push(resolve)) : true;
    },
    () => undefined,
  );
  player.speed = "instant";
  player.run();
  // The first is made at once and leaves time for another in its frame, which is waited for.
  assert.equal(steps, 2);
  frame();
  assert.equal(steps, 2);
  waiting[0](true);
  await settled();
  frame();
  assert.equal(steps, 4);
  waiting[1](false);
  await settled();
  assert.ok(!player.running);
});

test("a step may itself pause, run again and change the speed", () => {
  const seen = { steps: 0 };
  const player = new Player(
    () => {
      seen.steps += 1;
      if (seen.steps === 2) player.speed = "slow";
      if (seen.steps === 3) player.pause();
      return true;
    },
    () => undefined,
  );
  player.run();
  pass(250);
  assert.equal(seen.steps, 2);
  pass(999);
  assert.equal(seen.steps, 2);
  pass(1);
  assert.equal(seen.steps, 3);
  assert.ok(!player.running);
  pass(60_000);
  assert.equal(seen.steps, 3);
});

test("a run that is held waits, and goes on where it was", () => {
  let steps = 0;
  const player = new Player(
    () => {
      steps += 1;
      return steps < 100;
    },
    () => undefined,
  );
  player.speed = "fast";
  player.run();
  for (let turn = 0; turn < 3; turn += 1) pass(70);
  const before = steps;
  assert.ok(before > 2);
  player.held = true;
  assert.equal(player.running, true);
  pass(10_000);
  assert.equal(steps, before);
  player.held = false;
  pass(200);
  assert.ok(steps > before && steps < 100);

  // In instant runs frames may still come, and one that begins while it is held makes no step.
  player.speed = "instant";
  player.held = true;
  const held = steps;
  for (let turn = 0; turn < 5; turn += 1) frame();
  assert.equal(steps, held);
  player.pause();
  player.run();
  for (let turn = 0; turn < 5; turn += 1) frame();
  assert.equal(steps, held);
  player.held = false;
  for (let turn = 0; turn < 50; turn += 1) frame();
  assert.equal(steps, 100);
  assert.equal(player.running, false);
});

test("a run that was paused while it was held stays so", () => {
  let steps = 0;
  const player = new Player(
    () => {
      steps += 1;
      return true;
    },
    () => undefined,
  );
  player.held = true;
  player.run();
  player.pause();
  player.held = false;
  pass(10_000);
  frame();
  assert.equal(steps, 0);
});
