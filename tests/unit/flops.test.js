import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { DEFAULT_SHAPE, SHAPES } from "./checkpoints.js";
import { refusal, wrong } from "./loops.js";

const { flops } = GenerationLoop;

/** @param {number} length */
const prefill = (length, config = DEFAULT_SHAPE) => flops(config, { phase: "prefill", length });
/** @param {number} length */
const decode = (length, config = DEFAULT_SHAPE) => flops(config, { phase: "decode", length });

test("the default model costs what the table says", () => {
  assert.equal(prefill(11), 173_184);
  assert.equal(prefill(31), 567_424);
  assert.equal(decode(12), 15_872);
  assert.equal(decode(32), 18_432);
  assert.equal(prefill(1), 14_464);
  assert.equal(decode(1), 14_464);
});

test("eleven tokens to thirty-two: 21 passes, 514,944 with the cache and 7,606,144 without", () => {
  const lengths = Array.from({ length: 20 }, (_, index) => 12 + index);
  const sum = (/** @type {number[]} */ costs) => costs.reduce((total, cost) => total + cost, 0);
  assert.equal(prefill(11) + sum(lengths.map((length) => decode(length))), 514_944);
  assert.equal(prefill(11) + sum(lengths.map((length) => prefill(length))), 7_606_144);
});

test("the identities hold for every shape and length", () => {
  for (const shape of Object.values(SHAPES)) {
    assert.equal(prefill(1, shape), decode(1, shape));
    for (let length = 1; length <= 64; length += 1) {
      assert.equal(prefill(length, shape), length * decode(length, shape));
    }
  }
});

test("the formula, written out", () => {
  const { n_layer: l, n_embd: d, n_inner: f, vocab_size: v } = { ...DEFAULT_SHAPE, n_layer: 5, n_inner: 3 };
  const config = { ...DEFAULT_SHAPE, n_layer: l, n_inner: f };
  for (const s of [1, 2, 77]) {
    assert.equal(prefill(s, config), l * (8 * s * d ** 2 + 4 * s ** 2 * d + 4 * s * d * f) + 2 * s * d * v);
    assert.equal(decode(s, config), l * (8 * d ** 2 + 4 * s * d + 4 * d * f) + 2 * d * v);
  }
});

test("only the four sizes that matter are read", () => {
  const { n_layer, n_embd, n_inner, vocab_size } = DEFAULT_SHAPE;
  assert.equal(prefill(11, wrong({ n_layer, n_embd, n_inner, vocab_size })), 173_184);
  assert.equal(prefill(11, { ...DEFAULT_SHAPE, n_head: 16, n_positions: 2 }), 173_184);
});

test("what is no size, phase or length is named", () => {
  for (const key of ["n_layer", "n_embd", "n_inner", "vocab_size"]) {
    for (const value of [0, -1, 1.5, Number.NaN, "2", null, undefined, 2n]) {
      const config = wrong({ ...DEFAULT_SHAPE, [key]: value });
      assert.throws(
        () => prefill(1, config),
        refusal("invalid-config", new RegExp(`^${key} is .*; allowed: a whole`)),
      );
    }
  }
  for (const config of [null, 5, "gpt2", []]) {
    assert.throws(() => prefill(1, wrong(config)), refusal("invalid-config"));
  }
  for (const phase of ["Prefill", "", undefined, null, 1]) {
    const pass = wrong({ phase, length: 1 });
    assert.throws(() => flops(DEFAULT_SHAPE, pass), refusal("invalid-setting", /^phase is /));
  }
  for (const length of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "3", null, undefined]) {
    const pass = wrong({ phase: "decode", length });
    assert.throws(
      () => flops(DEFAULT_SHAPE, pass),
      refusal("invalid-setting", /^length is .*; allowed: a whole/),
    );
  }
  for (const pass of [undefined, null, "prefill", 3]) {
    assert.throws(() => flops(DEFAULT_SHAPE, wrong(pass)), refusal("invalid-setting", /^phase is undefined/));
  }
});
