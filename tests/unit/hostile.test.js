/** Input that nobody gives by accident: it gets an answer or an error, and the loop goes on beside an undisturbed twin. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationError, GenerationLoop } from "../../www/engine.js";
import { random, SHAPES } from "./checkpoints.js";
import { collect, complete, everything, on, refusal, wrong } from "./loops.js";

/** @type {import("../../www/engine.js").LoadOptions} */
const options = { seed: 4, sampling: { method: "temperature" } };

/** Two loops in the middle of the same run. */
async function twins() {
  const [loop, twin] = [await GenerationLoop.load(options), await GenerationLoop.load(options)];
  for (const one of [loop, twin]) {
    one.prefill("the cat");
    one.decodeStep();
  }
  return { loop, twin };
}

/** @param {{ loop: GenerationLoop, twin: GenerationLoop }} both */
function assertAlike({ loop, twin }) {
  assert.deepEqual(everything(loop), everything(twin));
  loop.decodeStep();
  twin.decodeStep();
  assert.deepEqual(everything(loop), everything(twin));
}

/** Errors that a caller's code may throw, those that a failing core throws among them. */
const THROWN = [
  new Error("mine"),
  new RangeError("mine"),
  new WebAssembly.RuntimeError("unreachable"),
  Object.assign(new Error("mine"), { code: "trapped" }),
  "a string",
  undefined,
];

test("what a caller's own code throws comes back as it is, and harms nothing", async () => {
  const both = await twins();
  const { loop } = both;
  for (const thrown of THROWN) {
    const fail = () => {
      throw thrown;
    };
    const iterable = wrong({
      *[Symbol.iterator]() {
        yield 3;
        fail();
      },
    });
    const getters = (/** @type {string} */ key) =>
      wrong(Object.defineProperty({}, key, { enumerable: true, get: fail }));
    const proxy = wrong(new Proxy({}, { ownKeys: fail }));
    for (const call of [
      () => loop.prefill(iterable),
      () => loop.decode(iterable),
      () => loop.prefill(getters(wrong(Symbol.iterator))),
      () => {
        loop.sampling = getters("temperature");
      },
      () => {
        loop.sampling = proxy;
      },
      () => {
        loop.stopStrings = wrong(new Proxy(["x"], { get: fail }));
      },
      () => GenerationLoop.flops(getters("n_layer"), { phase: "prefill", length: 1 }),
    ]) {
      assert.equal(caught(call), thrown, String(call));
    }
    for (const given of [
      getters("model"),
      proxy,
      { sampling: getters("method") },
      { model: getters("config") },
      { model: { config: getters("n_embd"), weights: {} } },
      { model: { ...random(SHAPES.default), weights: getters("wte.weight") } },
      { model: { ...random(SHAPES.default), weights: { x: getters("data") } } },
    ]) {
      await GenerationLoop.load(given).then(
        () => assert.fail("it was loaded"),
        (error) => assert.equal(error, thrown),
      );
    }
  }
  assertAlike(both);
  await GenerationLoop.load();
});

test("a list that acts on the loop while it is read", async () => {
  for (const act of /** @type {((loop: GenerationLoop) => void)[]} */ ([
    (loop) => void loop.prefill("zzz"),
    (loop) => void loop.decodeStep(),
    (loop) => loop.reset(),
    (loop) => loop.rewind(1),
    (loop) => {
      loop.sampling = { temperature: 1 };
    },
    (loop) => void loop.generate("a").next(),
  ])) {
    const { loop, twin } = await twins();
    const ids = {
      *[Symbol.iterator]() {
        yield 3;
        act(loop);
        yield 4;
      },
    };
    assert.equal(loop.decode(ids), "bc");
    loop.prefill(ids);
    twin.prefill([3, 4]);
    assertAlike({ loop, twin });
  }
});

test("a list, an option or a signal that disposes the loop while it is read", async () => {
  const disposed = refusal("disposed");
  for (const call of /** @type {((loop: GenerationLoop) => void)[]} */ ([
    (loop) =>
      loop.prefill({
        *[Symbol.iterator]() {
          loop.dispose();
          yield 3;
        },
      }),
    (loop) =>
      loop.decode({
        *[Symbol.iterator]() {
          yield 3;
          loop.dispose();
          yield 3;
        },
      }),
    (loop) => {
      loop.sampling = {
        get temperature() {
          loop.dispose();
          return 1;
        },
      };
    },
  ])) {
    const { loop } = await twins();
    assert.throws(() => call(loop), disposed, String(call));
  }
  const { loop } = await twins();
  let asked = 0;
  const signal = {
    get aborted() {
      asked += 1;
      if (asked === 4) loop.dispose();
      return false;
    },
  };
  await collect(loop.generate("abc", wrong({ signal }))).catch((error) =>
    assert.equal(error.code, "disposed"),
  );
  assert.throws(() => loop.text, disposed);
});

test("proxies, frozen objects, objects without a prototype and subclasses do as well as plain ones", async () => {
  const both = await twins();
  const frozen = Object.freeze({
    ...options,
    sampling: Object.freeze({ ...options.sampling }),
    stop: Object.freeze([]),
  });
  for (const given of [
    frozen,
    new Proxy({ ...options }, {}),
    Object.assign(Object.create(null), options),
    { ...options, sampling: new Proxy({ method: "temperature" }, {}), stop: new Proxy(["!!!"], {}) },
  ]) {
    const loop = await GenerationLoop.load(wrong(given));
    loop.prefill("the cat");
    assert.equal(loop.decodeStep().token.id, both.loop.tokens.at(-1));
  }
  class Ids extends Array {}
  class Numbers extends Uint32Array {}
  for (const ids of [Ids.from([3, 4]), Numbers.from([3, 4]), new Proxy([3, 4], {}), Object.freeze([3, 4])]) {
    both.loop.prefill(ids);
    both.twin.prefill([3, 4]);
    assertAlike(both);
  }
});

test("weights as proxies, subclasses that lie about their length, and shared memory", async () => {
  const model = random({ ...SHAPES.default, eos_token_id: null });
  const expected = complete(await on(model), "abc").logits;
  class Lying extends Float32Array {
    /** @override */
    get length() {
      return 1e9;
    }
  }
  for (const change of /** @type {((data: Float32Array) => any)[]} */ ([
    (data) => new Proxy([...data], {}),
    (data) => Lying.from(data),
    (data) => {
      const shared = new Float32Array(new SharedArrayBuffer(data.byteLength));
      shared.set(data);
      return shared;
    },
  ])) {
    const tensors = Object.entries(model.weights).map(([name, { shape, data }]) => [
      name,
      new Proxy({ shape: Object.freeze([...shape]), data: change(data) }, {}),
    ]);
    const given = {
      config: Object.freeze(model.config),
      weights: new Proxy(Object.fromEntries(tensors), {}),
    };
    assert.deepEqual(complete(await on(wrong(given)), "abc").logits, expected);
  }
});

test("a list whose length lies, and one whose buffer was transferred away", async () => {
  const both = await twins();
  const gone = new Uint32Array([3, 4]);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  assert.throws(() => both.loop.prefill(gone), TypeError);
  const lying = new Proxy([3, 4], {
    get: (list, key) => (key === "length" ? 2 ** 31 : Reflect.get(list, key)),
  });
  assert.throws(() => both.loop.prefill(lying), refusal("invalid-setting", /^prompt holds undefined/));
  assertAlike(both);
});

test("large input is refused without harm", async () => {
  const both = await twins();
  const { loop } = both;
  const text = "a".repeat(2 ** 20);
  assert.throws(() => loop.prefill(text), refusal("prompt-too-long", /^the prompt has 1048576 tokens/));
  assert.throws(() => loop.prefill(new Uint8Array(2 ** 20)), refusal("prompt-too-long"));
  assert.throws(() => loop.prefill("🙂".repeat(2 ** 14)), refusal("unsupported-characters"));
  assert.throws(() => loop.prefill(wrong(new Array(2 ** 32 - 1))), refusal("invalid-setting"));
  assert.equal(loop.normalise(text.toUpperCase()), text);
  assert.equal(loop.encode(text).length, 2 ** 20);
  assert.equal(loop.decode(new Uint8Array(2 ** 20).fill(2)), text);
  assertAlike(both);
  const many = Array.from({ length: 5000 }, (_, index) => `${index}${text.slice(0, 200)}`);
  const stopping = await GenerationLoop.load({ ...options, model: "untrained", stop: many });
  assert.equal(complete(stopping, "the cat").stop.reason, "max-tokens");
});

test("values whose text is hostile are named all the same", async () => {
  const both = await twins();
  const fail = () => {
    throw new Error("no text");
  };
  for (const value of [
    { toString: fail, toJSON: fail, valueOf: fail, [Symbol.toPrimitive]: fail },
    Object.assign(fail, { toString: fail }),
    Object.create(null),
    Symbol("x"),
    new Date(Number.NaN),
  ]) {
    for (const call of [
      () => both.loop.prefill(wrong(value)),
      () => both.loop.prefill(wrong([value])),
      () => both.loop.rewind(wrong(value)),
      () => {
        both.loop.cache = wrong(value);
      },
      () => {
        both.loop.sampling = wrong({ method: value });
      },
      () => {
        both.loop.seed = wrong(value);
      },
      () => {
        both.loop.stopStrings = wrong([value]);
      },
    ]) {
      assert.throws(call, refusal("invalid-setting"));
    }
  }
  assertAlike(both);
});

test("names from Object's prototype are no options, methods or tensors", async () => {
  for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
    const own = Object.defineProperty({}, name, { enumerable: true, value: 1 });
    await assert.rejects(GenerationLoop.load(wrong(own)), refusal("unknown-option"));
    await assert.rejects(
      GenerationLoop.load({ sampling: wrong({ method: name }) }),
      refusal("invalid-setting"),
    );
    await assert.rejects(GenerationLoop.load({ model: wrong(name) }), refusal("unknown-model"));
    const weights = Object.defineProperty({}, name, { enumerable: true, value: { shape: [1], data: [1] } });
    const config = { ...SHAPES.default, n_layer: 1 };
    await assert.rejects(
      GenerationLoop.load({ model: wrong({ config, weights }) }),
      refusal("unknown-tensor"),
    );
  }
});

/** @param {() => unknown} call */
function caught(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
  return assert.fail(`nothing was thrown by ${call}`);
}

test("a full stack in the middle of a call leaves a loop that works or says that it failed", async () => {
  const beside = await GenerationLoop.load({ seed: 7 });
  for (let round = 0; round < 10; round += 1) {
    const loop = await GenerationLoop.load({ seed: 7 });
    const deep = () => {
      loop.prefill("abc");
      deep();
    };
    assert.throws(deep);
    for (const call of [() => loop.prefill("abc"), () => loop.text, () => loop.reset()]) {
      try {
        call();
      } catch (error) {
        assert.ok(error instanceof GenerationError, String(error));
        assert.equal(error.code, "trapped");
      }
    }
    loop.dispose();
  }
  assert.equal(beside.prefill("the cat sat").flops, 173_184);
  beside.dispose();
  const next = await GenerationLoop.load({ seed: 7 });
  assert.equal(next.prefill("the cat sat").flops, 173_184);
});
