import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { random, SHAPES } from "./checkpoints.js";
import { complete, everything, on, refusal, wrong } from "./loops.js";

/** @typedef {import("../../www/engine.js").Sampling} Sampling */

/** @param {GenerationLoop} loop */
const keptAfterPrefill = (loop) =>
  loop.prefill("the cat").candidates.filter(({ samplingProbability }) => samplingProbability > 0).length;

test("zeros are values: topP, topK and temperature 0 reach the core unchanged", async () => {
  const loop = await GenerationLoop.load({
    seed: 0,
    sampling: { method: "greedy", temperature: 0, topK: 0, topP: 0 },
  });
  assert.deepEqual(loop.sampling, { method: "greedy", temperature: 0, topK: 0, topP: 0 });
  assert.equal(loop.seed, 0);

  loop.sampling = { method: "top-p", temperature: 1 };
  assert.equal(loop.sampling.topP, 0);
  assert.equal(keptAfterPrefill(loop), 1);

  loop.sampling = { method: "top-k" };
  assert.equal(loop.sampling.topK, 0);
  assert.equal(keptAfterPrefill(loop), 64);

  loop.sampling = { method: "temperature", temperature: 0 };
  assert.equal(keptAfterPrefill(loop), 1);
  assert.equal(loop.log[0].draw, null);
});

test("zeros set one by one are kept as well", async () => {
  const loop = await GenerationLoop.load({ seed: 1 });
  for (const key of /** @type {const} */ (["temperature", "topK", "topP"])) {
    loop.sampling = { [key]: 0 };
    assert.equal(loop.sampling[key], 0);
  }
  loop.seed = 0;
  assert.equal(loop.seed, 0);
});

test("the defaults, and what is left out stays", async () => {
  const loop = await GenerationLoop.load();
  assert.deepEqual(loop.sampling, { method: "greedy", temperature: 1, topK: 8, topP: 0.9 });
  loop.sampling = { method: "top-k", topK: 3 };
  loop.sampling = { temperature: 0.5 };
  assert.deepEqual(loop.sampling, { method: "top-k", temperature: 0.5, topK: 3, topP: 0.9 });
  assert.ok(Object.isFrozen(loop.sampling));
  loop.sampling = {};
  assert.deepEqual(loop.sampling, { method: "top-k", temperature: 0.5, topK: 3, topP: 0.9 });
});

/** @type {[string, unknown[], RegExp][]} */
const OUT_OF_RANGE = [
  [
    "temperature",
    [-1, -1e-300, Number.NaN, Number.POSITIVE_INFINITY],
    /allowed: a finite number, at least 0$/,
  ],
  ["topK", [-1, 1.5, 2 ** 53, Number.NaN], /allowed: a whole number from 0 to 9007199254740991$/],
  ["topP", [-0.1, 1.000001, Number.NaN, Number.POSITIVE_INFINITY], /allowed: 0 to 1$/],
];

test("a number out of range is refused by name, value and range, and changes nothing", async () => {
  const loop = await GenerationLoop.load({ seed: 4, sampling: { method: "top-p", topP: 0.5 } });
  loop.prefill("abc");
  const before = everything(loop);
  for (const [key, values, range] of OUT_OF_RANGE) {
    const name = { topK: "top-k", topP: "top-p" }[key] ?? key;
    for (const value of [...values, "", " ", "abc", null, true, [], {}, 1n]) {
      const refused = refusal("invalid-setting", new RegExp(`^${name} is .*${range.source}`));
      assert.throws(() => {
        loop.sampling = wrong({ [key]: value });
      }, refused);
      await assert.rejects(GenerationLoop.load({ sampling: wrong({ [key]: value }) }), refused);
    }
  }
  assert.throws(() => {
    loop.sampling = { temperature: -3 };
  }, /temperature is -3;/);
  assert.deepEqual(everything(loop), before);
});

test("numbers that the method does not use are checked all the same", async () => {
  const loop = await GenerationLoop.load();
  assert.throws(
    () => {
      loop.sampling = { method: "greedy", topP: 2 };
    },
    refusal("invalid-setting", /^top-p is 2/),
  );
  assert.deepEqual(loop.sampling.topP, 0.9);
});

test("what is undefined was left out", async () => {
  const loop = await GenerationLoop.load({
    sampling: { method: "top-p", topP: 0.5, temperature: undefined },
  });
  assert.deepEqual(loop.sampling, { method: "top-p", temperature: 1, topK: 8, topP: 0.5 });
  loop.sampling = { method: undefined, topP: 0.25 };
  assert.deepEqual(loop.sampling, { method: "top-p", temperature: 1, topK: 8, topP: 0.25 });
});

test("a method that does not exist is refused, and the rest of the setting with it", async () => {
  const loop = await GenerationLoop.load();
  for (const method of ["Greedy", "topk", "top_k", "", null, 0, ["greedy"]]) {
    assert.throws(
      () => {
        loop.sampling = wrong({ method, temperature: 2 });
      },
      refusal("invalid-setting", /^sampling method is .*allowed: greedy, temperature, top-k, top-p$/),
    );
  }
  assert.equal(loop.sampling.temperature, 1);
});

test("names of options that do not exist are refused, wherever options are taken", async () => {
  const loop = await GenerationLoop.load();
  const unknown = (/** @type {string} */ name) =>
    refusal("unknown-option", new RegExp(`no option "${name}"`));
  assert.throws(() => {
    loop.sampling = wrong({ top_k: 3 });
  }, unknown("top_k"));
  await assert.rejects(GenerationLoop.load({ sampling: wrong({ top_k: 3 }) }), unknown("top_k"));
  await assert.rejects(GenerationLoop.load(wrong({ max_tokens: 3 })), unknown("max_tokens"));
  await assert.rejects(GenerationLoop.load(wrong({ temperature: 3 })), unknown("temperature"));
  await assert.rejects(loop.generate("abc", wrong({ sginal: null })).next(), unknown("sginal"));
  assert.equal(loop.passes, 0);
});

test("options that are no object are refused", async () => {
  const loop = await GenerationLoop.load();
  for (const value of [null, undefined, "greedy", 5, [], () => undefined]) {
    assert.throws(
      () => {
        loop.sampling = wrong(value);
      },
      refusal("invalid-setting", /^sampling/),
    );
    if (value === undefined) continue;
    await assert.rejects(GenerationLoop.load(wrong(value)), refusal("invalid-setting", /^load options is/));
    await assert.rejects(
      loop.generate("a", wrong(value)).next(),
      refusal("invalid-setting", /^generate options is/),
    );
  }
});

test("a filter that cuts nothing changes nothing", async () => {
  /** @param {Partial<Sampling>} sampling @returns {Promise<(string | number[])[]>} */
  const outcome = async (sampling) => {
    const loop = await GenerationLoop.load({
      model: "untrained",
      seed: 7,
      maxTokens: null,
      sampling: { temperature: 1.1, ...sampling },
    });
    const { tokens, log } = complete(loop, "once upon");
    loop.dispose();
    return [JSON.stringify(log.map(({ draw, token, candidates }) => ({ draw, token, candidates }))), tokens];
  };
  const plainly = await outcome({ method: "temperature" });
  for (const topK of [0, 64, 65, 1e9, Number.MAX_SAFE_INTEGER]) {
    assert.deepEqual(await outcome({ method: "top-k", topK }), plainly, `top-k ${topK}`);
  }
  assert.deepEqual(await outcome({ method: "top-p", topP: 1 }), plainly);
  // One token fewer is another distribution.
  assert.notDeepEqual(await outcome({ method: "top-k", topK: 63 }), plainly);
  assert.notDeepEqual(await outcome({ method: "top-p", topP: 0.999 }), plainly);
});

test("greedy, temperature 0, top-k 1 and top-p 0 choose the same tokens", async () => {
  const texts = [];
  for (const sampling of /** @type {Partial<Sampling>[]} */ ([
    { method: "greedy" },
    { method: "temperature", temperature: 0 },
    { method: "top-k", temperature: 2, topK: 1 },
    { method: "top-p", temperature: 2, topP: 0 },
  ])) {
    const loop = await GenerationLoop.load({ seed: 2, sampling });
    texts.push(complete(loop, "the cat").text);
  }
  assert.equal(new Set(texts).size, 1);
});

test("a token that was cut is never drawn", async () => {
  for (const sampling of /** @type {Partial<Sampling>[]} */ ([
    { method: "top-k", topK: 2, temperature: 9 },
    { method: "top-p", topP: 0.3, temperature: 9 },
  ])) {
    const loop = await on(random({ ...SHAPES.default, eos_token_id: null }, 5), { seed: 1, sampling });
    for (const { token } of complete(loop, "abc").log) assert.ok(token.samplingProbability > 0);
    assert.ok(loop.log.some(({ token, candidates }) => token.id !== candidates[0].id));
  }
});

test("extreme temperatures give probabilities", async () => {
  const loop = await GenerationLoop.load({ seed: 1, sampling: { method: "temperature" } });
  for (const temperature of [Number.MIN_VALUE, 1e-37, 1e-3, 1e3, 1e300, Number.MAX_VALUE]) {
    loop.sampling = { temperature };
    const { candidates, token } = loop.prefill("the cat");
    const sum = candidates.reduce((total, { samplingProbability }) => total + samplingProbability, 0);
    assert.ok(Math.abs(sum - 1) < 1e-9, `${temperature}: ${sum}`);
    assert.ok(token.samplingProbability > 0);
  }
});

test("numbers in decimal text are numbers", async () => {
  const loop = await GenerationLoop.load({
    sampling: wrong({ method: "top-k", temperature: "0.5", topK: "12" }),
  });
  assert.deepEqual(loop.sampling, { method: "top-k", temperature: 0.5, topK: 12, topP: 0.9 });
});
