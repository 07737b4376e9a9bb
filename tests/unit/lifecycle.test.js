import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { GenerationLoop } from "../../www/engine.js";
import { random, SHAPES } from "./checkpoints.js";
import { instances, memoryBytes } from "./instances.js";
import { complete, on, refusal } from "./loops.js";

/** @param {string} name */
const addressOf = (name) => JSON.stringify(new URL(`../../www/${name}`, import.meta.url).href);

for (const name of ["engine.js", "element.js", "index.js"]) {
  test(`importing ${name} where there is no page says nothing, starts nothing and ends`, async () => {
    const source = `
      const globals = Object.getOwnPropertyNames(globalThis);
      WebAssembly.instantiate = WebAssembly.Module = () => process.stdout.write("started");
      await import(${addressOf(name)});
      const added = Object.getOwnPropertyNames(globalThis).filter((key) => !globals.includes(key));
      // Lit brings a registry of elements along where there is none.
      process.stdout.write(added.filter((key) => !/^(lit|reactive|customElements)/.test(key)).join());
    `;
    const run = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", source]);
    assert.deepEqual(await run, { stdout: "", stderr: "" });
  });
}

test("what can be imported", async () => {
  const [index, engine] = await Promise.all([import("../../www/index.js"), import("../../www/engine.js")]);
  assert.deepEqual(Object.keys(index), ["GenerationLoopElement"]);
  assert.deepEqual(Object.keys(engine).sort(), ["GenerationError", "GenerationLoop", "Pass"]);
});

test("importing the engine starts nothing; loading twice at once, then ten times, starts one instance", async () => {
  assert.equal(instances.length, 0);
  let unpacked = 0;
  const { DecompressionStream } = globalThis;
  globalThis.DecompressionStream = class extends DecompressionStream {
    /** @param {CompressionFormat} format */
    constructor(format) {
      super(format);
      unpacked += 1;
    }
  };
  const load = () => GenerationLoop.load({ model: "untrained", seed: 1 });
  const two = await Promise.all([load(), load()]);
  assert.equal(instances.length, 1);
  const ten = await Promise.all(Array.from({ length: 10 }, load));
  assert.equal(instances.length, 1);
  assert.equal(unpacked, 1);
  globalThis.DecompressionStream = DecompressionStream;
  const runs = [...two, ...ten].map((loop) => complete(loop, "abc"));
  for (const run of runs) assert.deepEqual(run, runs[0]);
  for (const loop of [...two, ...ten]) loop.dispose();
  // With no loop left the instance stays.
  await GenerationLoop.load();
  assert.equal(instances.length, 1);
});

test("loops of different models live side by side", async () => {
  const alone = [];
  for (const shape of Object.values(SHAPES)) alone.push(complete(await on(random(shape)), [1, 2]).log);
  const loops = await Promise.all(Object.values(SHAPES).map((shape) => on(random(shape))));
  for (const loop of loops) loop.prefill([1, 2]);
  while (loops.some((loop) => loop.stop === null)) {
    for (const loop of loops) if (loop.stop === null) loop.decodeStep();
  }
  for (const [index, loop] of loops.entries()) {
    assert.deepEqual(
      loop.log.map(({ token, flops }) => ({ token, flops })),
      alone[index].map(({ token, flops }) => ({ token, flops })),
    );
  }
});

test("every call after dispose says that the loop was disposed; another loop goes on", async () => {
  const [loop, other] = [await GenerationLoop.load({ seed: 1 }), await GenerationLoop.load({ seed: 1 })];
  for (const one of [loop, other]) one.prefill("abc");
  const [pass] = loop.log;
  loop.dispose();

  const disposed = refusal("disposed", /disposed; load a new one/);
  /** Arguments that a method would take. @type {Record<string, unknown[]>} */
  const given = { encode: ["a"], decode: [[1]], normalise: ["a"], prefill: ["a"], rewind: [0] };
  /** Values that a setter would take. @type {Record<string, unknown>} */
  const settable = { sampling: {}, seed: 1, stopStrings: [], maxTokens: 20, cache: true };
  const called = [];
  for (const [name, { get, set, value }] of Object.entries(
    Object.getOwnPropertyDescriptors(GenerationLoop.prototype),
  )) {
    if (["constructor", "dispose"].includes(name)) continue;
    called.push(name);
    if (get) assert.throws(() => get.call(loop), disposed, name);
    if (set) assert.throws(() => set.call(loop, settable[name]), disposed, name);
    if (name === "generate") await assert.rejects(loop.generate("a").next(), disposed);
    else if (value) assert.throws(() => value.apply(loop, given[name] ?? []), disposed, name);
    if (set) assert.ok(name in settable, name);
  }
  assert.ok(called.length >= 20, called.join());

  loop.dispose();
  loop.dispose();
  assert.throws(() => loop.text, disposed);
  assert.equal(pass.candidates.length, 64);
  assert.equal(other.decodeStep().index, 2);
});

test("a loop that is disposed while others load and run disturbs none", async () => {
  const expected = complete(await GenerationLoop.load({ seed: 3 }), "the cat");
  for (let round = 0; round < 20; round += 1) {
    const loops = await Promise.all([1, 2, 3].map(() => GenerationLoop.load({ seed: 3 })));
    loops[0].prefill("zzz");
    loops[0].dispose();
    loops[1].dispose();
    assert.deepEqual(complete(loops[2], "the cat"), expected);
    loops[2].dispose();
  }
});

test("a load that is refused gives its memory back", async () => {
  const model = random({ ...SHAPES.default, n_embd: 64, n_inner: 256 });
  delete model.weights["lm_head.weight"];
  const whole = random({ ...SHAPES.default, n_embd: 64, n_inner: 256 });
  const wrongAtLast = {
    config: whole.config,
    weights: { ...whole.weights, last: { shape: [1], data: [0] } },
  };
  /** @type {import("../../www/engine.js").LoadOptions[]} */
  const refused = [
    { model },
    { model: wrongAtLast },
    { model: whole, maxTokens: 1e6 },
    { model: whole, stop: [""] },
  ];
  const attempt = async () => {
    for (const options of refused) await assert.rejects(GenerationLoop.load(options));
  };
  for (let round = 0; round < 5; round += 1) await attempt();
  const before = memoryBytes();
  for (let round = 0; round < 100; round += 1) await attempt();
  assert.equal(memoryBytes(), before);
});

test("a browser without WebAssembly, or without what unpacks it, is told so; later it may work", async () => {
  // In a worker, because here the instance runs already.
  const source = `
    const { parentPort } = require("node:worker_threads");
    const told = [];
    (async () => {
      // Node's own Response needs WebAssembly when it is first used.
      await new Response("").text();
      const { GenerationLoop } = await import(${addressOf("engine.js")});
      for (const name of ["WebAssembly", "DecompressionStream"]) {
        const kept = Object.getOwnPropertyDescriptor(globalThis, name);
        Object.defineProperty(globalThis, name, { value: undefined, configurable: true });
        await GenerationLoop.load().catch(({ name, code, message }) => told.push({ name, code, message }));
        Object.defineProperty(globalThis, name, kept);
      }
      const compile = WebAssembly.compile;
      WebAssembly.compile = async () => { throw new EvalError("not here"); };
      await GenerationLoop.load().catch(({ name, code, message }) => told.push({ name, code, message }));
      WebAssembly.compile = compile;
      const loop = await GenerationLoop.load();
      parentPort.postMessage({ told, passes: loop.prefill("abc").index });
    })();
  `;
  const { told, passes } = await answerOf(new Worker(source, { eval: true }));
  assert.deepEqual(
    told.map((/** @type {any} */ { name, code }) => `${name} ${code}`),
    new Array(3).fill("GenerationError wasm-unavailable"),
  );
  assert.match(told[0].message, /this browser has no WebAssembly/);
  assert.match(told[1].message, /this browser has no DecompressionStream/);
  assert.match(told[2].message, /the browser refused it \(not here\).*wasm-unsafe-eval/);
  assert.equal(passes, 1);
});

test("a first load that is refused at once is an error of its own, and no other", {}, async () => {
  // In a worker, because here the instance runs already.
  const source = `
    const { parentPort } = require("node:worker_threads");
    const unhandled = [];
    process.on("unhandledRejection", ({ message }) => unhandled.push(message));
    (async () => {
      const { GenerationLoop } = await import(${addressOf("engine.js")});
      const { code } = await GenerationLoop.load({ model: "gpt2" }).catch((error) => error);
      parentPort.postMessage({ code, unhandled });
    })();
  `;
  assert.deepEqual(await answerOf(new Worker(source, { eval: true })), {
    ...{ code: "unknown-model", unhandled: [] },
  });
});

test("in a worker the same run comes out", async () => {
  const options = { seed: 12, sampling: { method: "top-p", temperature: 1.1 } };
  const source = `
    const { parentPort } = require("node:worker_threads");
    (async () => {
      const { GenerationLoop } = await import(${addressOf("engine.js")});
      const loop = await GenerationLoop.load(${JSON.stringify(options)});
      for await (const token of loop.generate("the cat"));
      parentPort.postMessage({ tokens: loop.tokens, logits: loop.logits(), log: loop.log.map((pass) => pass.toJSON()) });
    })();
  `;
  const answer = await answerOf(new Worker(source, { eval: true }));
  const loop = await GenerationLoop.load(/** @type {any} */ (options));
  const { tokens, log } = complete(loop, "the cat");
  assert.deepEqual(answer.tokens, tokens);
  assert.deepEqual(answer.logits, loop.logits());
  assert.deepEqual(
    answer.log.map((/** @type {any} */ { milliseconds, ...rest }) => rest),
    log,
  );
});

/** @param {Worker} worker @returns {Promise<any>} */
function answerOf(worker) {
  return new Promise((resolve, reject) => {
    worker.once("message", (answer) => {
      resolve(answer);
      worker.terminate();
    });
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the worker ended without an answer")));
  });
}
