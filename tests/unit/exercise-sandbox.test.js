/** Learners' programs in the sandbox, judged as the page judges them. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { verdicts } from "../../www/chapter/exercise/checks.js";
import { explain } from "../../www/chapter/exercise/explain.js";
import { callsFrom, runThrough } from "../../www/chapter/exercise/judge.js";
import { LIMITS } from "../../www/chapter/exercise/limits.js";
import { Sandbox } from "../../www/chapter/exercise/sandbox.js";
import { SOLUTION } from "../../www/chapter/exercise/texts.js";
import { HOSTILE, REFUSED } from "./exercise-hostile.js";
import { PROGRAMS } from "./exercise-programs.js";

const file = fileURLToPath(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"));
const module = await WebAssembly.compile(await readFile(file));

/** @typedef {import("../../www/chapter/exercise/trace.js").Trace} Trace */

/** @param {string} source */
async function judged(source) {
  /** @type {Trace[]} */
  const traces = [];
  const problem = await runThrough(new Sandbox(module), source, (trace) => traces.push(trace));
  return { problem, traces, verdicts: verdicts(callsFrom(traces), source) };
}

for (const { name, source, failed, open = [], says = {} } of [...PROGRAMS, ...HOSTILE]) {
  test(`the verdict on a program: ${name}`, async () => {
    const { problem, verdicts } = await judged(source);
    assert.equal(problem, null);
    const messages = JSON.stringify(verdicts, null, 1);
    const ids = (/** @type {string} */ state) =>
      verdicts.filter((each) => each.state === state).map(({ id }) => id);
    assert.deepEqual(ids("failed").sort(), [...failed].sort(), messages);
    assert.deepEqual(ids("open").sort(), [...open].sort(), messages);
    for (const [id, pattern] of Object.entries(says)) {
      assert.match(verdicts.find((each) => each.id === id)?.message ?? "", pattern);
    }
    for (const { message } of verdicts) {
      assert.match(message, /^\S.*[^.][.?]$/);
      assert.ok(message.length < 500, message);
    }
  });
}

for (const { name, source, says } of REFUSED) {
  test(`a program that is not run: ${name}`, async () => {
    const { problem, traces } = await judged(source);
    assert.ok(problem);
    assert.match(explain(problem, source), says);
    assert.deepEqual(traces, []);
  });
}

test("one sandbox runs the next program whatever the one before did", async () => {
  const sandbox = new Sandbox(module);
  const spoilt = HOSTILE.filter(({ name }) => /memory|nests|spoils/.test(name));
  assert.ok(spoilt.length >= 4);
  // Many of them in a row as well: what each leaves behind must not add up.
  for (const source of [...spoilt.map(({ source }) => source), ...Array(40).fill(SOLUTION)]) {
    await runThrough(sandbox, source, () => {});
    /** @type {Trace[]} */
    const traces = [];
    await runThrough(sandbox, SOLUTION, (trace) => traces.push(trace));
    const states = verdicts(callsFrom(traces), SOLUTION).map(({ state }) => state);
    assert.deepEqual(new Set(states), new Set(["passed"]));
  }
});

test("what is logged is kept, a line each, and no more than is told", async () => {
  const source = `console.log("first", 1, [2, "three"], { four: 5 }, undefined, () => 6, null, 7n, Symbol("eight"));
const round = {}; round.round = round; console.warn(round, new TypeError("nine"));
console.log("x".repeat(1e6));
for (let i = 0; i < 50; i++) console.error(i);
${SOLUTION}`;
  const { traces } = await judged(source);
  const [{ log }] = traces;
  assert.equal(log[0], 'first 1 [2,"three"] {"four":5} undefined a function null 7 Symbol(eight)');
  assert.equal(log[1], "an object TypeError: nine");
  assert.equal(log[2], "x".repeat(LIMITS.line));
  assert.equal(log[LIMITS.lines - 1], String(LIMITS.lines - 4));
  assert.equal(log[LIMITS.lines], "… and 33 more");
  assert.equal(log.length, LIMITS.lines + 1);
});

test("passes and tokens are noted in the order in which they come", async () => {
  const { traces } = await judged(SOLUTION);
  const order = traces[0].events.map((event) => (event.kind === "pass" ? `pass ${event.gave}` : event.token));
  assert.deepEqual(order, ["pass 4", 4, "pass 5", 5, "pass 6", 6, "pass 7", 7, "pass 8", 8, "pass 0"]);
  assert.equal(traces[0].returned, 6);
});

test("passes that a program makes before it is asked, or after it has ended, count", async () => {
  const early = await judged(`forward([1]);\n${SOLUTION}`);
  assert.equal(early.verdicts.find(({ id }) => id === "passes")?.state, "failed");
  const late = await judged(
    SOLUTION.replace("return passes;", "(async () => { await null; forward(tokens); })(); return passes;"),
  );
  assert.equal(late.verdicts.find(({ id }) => id === "passes")?.state, "failed");
  const cleanup = await judged(
    SOLUTION.replace("while", "try { while").replace(
      "return passes;",
      "} finally { await null; forward(tokens); }",
    ),
  );
  assert.match(
    cleanup.verdicts.find(({ id }) => id === "stop")?.message ?? "",
    /2 passes are enough for them, and it made 3/,
  );
});
