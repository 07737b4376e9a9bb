import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { blank, DEFAULT_SHAPE, random, SHAPES } from "./checkpoints.js";
import { bits, complete, on, refusal, wrong } from "./loops.js";

/** @typedef {import("./checkpoints.js").Model} Model */

const SMALL = { ...DEFAULT_SHAPE, n_layer: 2, n_head: 2, n_embd: 4, n_inner: 8, n_positions: 8 };

/** @param {(model: Model) => void} change */
function load(change) {
  const model = random(SMALL, 4);
  change(model);
  return GenerationLoop.load({ model, seed: 0 });
}

/** @param {Model} model @param {number[]} [prompt] */
async function logitBits(model, prompt = [1, 2]) {
  const loop = await on(model);
  const run = complete(loop, prompt);
  loop.dispose();
  return run.logits;
}

/** Whether a tensor is the one by which the blocks are counted. @param {string} name */
const counts = (name) => name.endsWith(".ln_1.weight");

/** @param {string} name */
async function assertMissed(name) {
  await assert.rejects(
    load(({ weights }) => delete weights[name]),
    { code: "missing-tensor", message: `tensor ${name.replace("transformer.", "")} is missing` },
  );
}

test("every missing tensor is named", async () => {
  for (const name of Object.keys(random(SMALL).weights)) if (!counts(name)) await assertMissed(name);
});

test("so is the first one of a block that is there otherwise", async () => {
  for (const name of Object.keys(random(SMALL).weights)) if (counts(name)) await assertMissed(name);
});

test("a tensor of another shape is named with both shapes", async () => {
  for (const [name, shape, numbers, found] of /** @type {[string, any, number, string][]} */ ([
    ["wte.weight", [65, 4], 260, "shape [65, 4]; expected [64, 4]"],
    ["wte.weight", [4, 64], 256, "shape [4, 64]; expected [64, 4]"],
    ["wte.weight", [256], 256, "shape [256]; expected [64, 4]"],
    ["wte.weight", [64, 4, 1], 256, "shape [64, 4, 1]; expected [64, 4]"],
    ["wte.weight", [], 0, "shape []; expected [64, 4]"],
    // A side that no shape has.
    ["wte.weight", [-64, -4], 256, "shape [4294967295, 4294967295]; expected [64, 4]"],
    ["wte.weight", [64.5, 4], 256, "shape [4294967295, 4]; expected [64, 4]"],
    ["wte.weight", [Number.NaN, 4], 256, "shape [4294967295, 4]; expected [64, 4]"],
    ["h.1.attn.c_attn.weight", [12, 4], 48, "shape [12, 4]; expected [4, 12]"],
    ["h.0.mlp.c_fc.weight", [8, 4], 32, "shape [8, 4]; expected [4, 8]"],
    ["ln_f.bias", [3], 3, "shape [3]; expected [4]"],
    ["wte.weight", [64, 4], 255, "255 numbers; expected 256, which fill its shape"],
    ["wte.weight", [64, 4], 257, "257 numbers; expected 256, which fill its shape"],
    ["ln_f.bias", [4], 0, "0 numbers; expected 4, which fill its shape"],
  ])) {
    const message = `tensor ${name} has ${found}`;
    await assert.rejects(
      load(({ weights }) => {
        weights[`transformer.${name}`] = { shape, data: new Float32Array(numbers) };
      }),
      { code: "tensor-shape", message },
    );
  }
});

test("what is no tensor is named", async () => {
  for (const tensor of [
    ...[null, undefined, 5, "x", [], {}, { shape: [4] }, { data: new Float32Array(4) }],
    ...[
      new Float64Array(4),
      new Uint8Array(16),
      new ArrayBuffer(16),
      "1234",
      ["1", "2", "3", "4"],
      [1, 2, 3, 4n],
    ].map((data) => ({ shape: [4], data })),
    // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
    { shape: [4], data: [1, 2, , 4] },
    ...["4", [4n], ["4"], [null], new Float64Array([4])].map((shape) => ({
      shape,
      data: new Float32Array(4),
    })),
  ]) {
    await assert.rejects(
      load(({ weights }) => {
        weights["transformer.ln_f.bias"] = wrong(tensor);
      }),
      refusal(
        "tensor-shape",
        /^tensor transformer\.ln_f\.bias is .*; allowed: \{ shape: number\[\], data: Float32Array \}$/,
      ),
    );
  }
});

test("weights that are missing altogether, or none at all", async () => {
  for (const weights of [undefined, null, {}, [], 5]) {
    await assert.rejects(GenerationLoop.load({ model: wrong({ config: SMALL, weights }) }), {
      code: "missing-tensor",
      message: "tensor h.0.ln_1.weight is missing",
    });
  }
  for (const config of [undefined, null, 5, []]) {
    await assert.rejects(
      GenerationLoop.load({ model: wrong({ config, weights: random(SMALL).weights }) }),
      refusal("invalid-config"),
    );
  }
  // Text is the address of a file, and not what is in it.
  await assert.rejects(
    GenerationLoop.load({ model: { config: "{}", weights: random(SMALL).weights } }),
    refusal("fetch-failed", /^\{\}: it cannot be fetched/),
  );
});

test("a tensor that GPT-2 does not have is named; the masks of old files are ignored", async () => {
  const extra = { shape: [1], data: new Float32Array(1) };
  for (const name of [
    "h.1.ln_3.weight",
    "transformer.transformer.wte.weight",
    "WTE.weight",
    "",
    "wte",
    "h.0.attn.c_k.bias",
  ]) {
    await assert.rejects(
      load(({ weights }) => {
        weights[name] = extra;
      }),
      { code: "unknown-tensor", message: `tensor ${name} is not part of a GPT-2 of this configuration` },
    );
  }
  const masked = random(SMALL, 4);
  masked.weights["transformer.h.0.attn.bias"] = { shape: [1, 1, 2, 2], data: new Float32Array(4) };
  masked.weights["h.1.attn.masked_bias"] = extra;
  assert.deepEqual(await logitBits(masked), await logitBits(random(SMALL, 4)));
});

test("the same tensor under both of its names is refused", async () => {
  await assert.rejects(
    load(({ weights }) => {
      weights["wte.weight"] = weights["transformer.wte.weight"];
    }),
    { code: "duplicate-tensor", message: "tensor wte.weight was given twice" },
  );
});

test("names do as well without the prefix, and lists as well as typed arrays", async () => {
  const model = random(SMALL, 4);
  const short = Object.entries(model.weights).map(([name, { shape, data }]) => [
    name.replace("transformer.", ""),
    { shape, data: [...data] },
  ]);
  const other = { config: model.config, weights: Object.fromEntries(short) };
  assert.deepEqual(await logitBits(other), await logitBits(model));
});

test("settings that change the arithmetic are refused by name and value", async () => {
  for (const [key, value, allowed] of /** @type {[string, unknown, string][]} */ ([
    ["activation_function", "gelu", "gelu_new, gelu_pytorch_tanh"],
    ["activation_function", "relu", "gelu_new, gelu_pytorch_tanh"],
    ["scale_attn_weights", false, "true"],
    ["scale_attn_by_inverse_layer_idx", true, "false"],
    ["add_cross_attention", true, "false"],
  ])) {
    const message = `${key} is ${typeof value === "string" ? `"${value}"` : value}; allowed: ${allowed}`;
    await assert.rejects(
      load(({ config }) => {
        config[key] = value;
      }),
      { code: "invalid-config", message },
    );
  }
  const same = await load(({ config }) =>
    Object.assign(config, {
      activation_function: "gelu_new",
      attn_pdrop: 0.1,
      model_type: "gpt2",
      architectures: [],
    }),
  );
  assert.equal(same.passes, 0);
});

test("numbers of the configuration that no model can have are named with what is allowed", async () => {
  for (const [key, value, message] of /** @type {[keyof Model["config"], unknown, RegExp][]} */ ([
    ["n_head", 3, /^n_head is 3; allowed: a divisor of n_embd, which is 4$/],
    ["n_head", 0, /^n_head is 0; allowed: a whole number from 1/],
    ["n_layer", 0, /^n_layer is 0; allowed: a whole number from 1/],
    ["n_layer", 1.5, /^n_layer is 1.5; allowed: a whole number/],
    ["n_layer", 1, /^n_layer is 1; expected 2, the number of blocks in the weights$/],
    ["n_layer", 3, /^n_layer is 3; expected 2, the number of blocks in the weights$/],
    ["n_layer", 1024, /^n_layer is 1024; expected 2, the number of blocks in the weights$/],
    ["n_layer", 1025, /^n_layer is 1025; allowed: a whole number from 1 to 1024$/],
    ["n_layer", 2 ** 24, /^n_layer is 16777216; allowed: a whole number from 1 to 1024$/],
    ["n_embd", -4, /^n_embd is -4; allowed: a whole number/],
    ["n_embd", Number.NaN, /^n_embd is NaN; allowed/],
    ["vocab_size", 0, /^vocab_size is 0; allowed: a whole number from 1/],
    ["vocab_size", 2 ** 31, /^vocab_size is 2147483648; allowed/],
    ["n_positions", 1, /^n_positions is 1; allowed: a whole number from 2/],
    ["n_positions", 1e300, /^n_positions is 1e\+300; allowed: a whole number/],
    ["layer_norm_epsilon", -1, /^layer_norm_epsilon is -1; allowed: a finite number, at least 0/],
    ["layer_norm_epsilon", Number.NaN, /^layer_norm_epsilon is NaN; allowed/],
    ["eos_token_id", 64, /^eos_token_id is 64; allowed: 0 to 63, below vocab_size$/],
    ["eos_token_id", -1, /^eos_token_id is -1; allowed/],
    ["tie_word_embeddings", "yes", /^tie_word_embeddings is "yes"; allowed: true, false$/],
    ["vocab_size", "64", /^vocab_size is "64"; allowed: a number$/],
    ["n_head", null, /^n_head is null; allowed: a number$/],
    ["n_embd", undefined, /^n_embd is undefined; allowed: a number$/],
    ["n_positions", [8], /^n_positions is a list; allowed: a number$/],
    ["eos_token_id", [0, 1], /^eos_token_id is a list; allowed: a number$/],
    ["layer_norm_epsilon", true, /^layer_norm_epsilon is true; allowed: a number$/],
  ])) {
    await assert.rejects(
      load(({ config }) => Object.assign(config, { [key]: value })),
      refusal("invalid-config", message),
    );
  }
});

test("sizes that fit no memory are refused before anything is allocated", async () => {
  for (const size of [
    { n_embd: 2 ** 20, n_head: 1 },
    { n_inner: 2 ** 20, n_embd: 2 ** 12 },
  ]) {
    await assert.rejects(
      load(({ config }) => Object.assign(config, size)),
      refusal(
        "out-of-memory",
        /^\d{11,} more bytes of memory could not be had; at most 4294967295 can be addressed$/,
      ),
    );
  }
});

test("sizes that the tensors do not have are named by the tensor", async () => {
  for (const [key, value, message] of /** @type {const} */ ([
    ["vocab_size", 65, "tensor wte.weight has shape [64, 4]; expected [65, 4]"],
    ["n_positions", 9, "tensor wpe.weight has shape [8, 4]; expected [9, 4]"],
    ["n_inner", 9, "tensor h.0.mlp.c_fc.weight has shape [4, 8]; expected [4, 9]"],
    ["n_embd", 8, "tensor h.0.ln_1.weight has shape [4]; expected [8]"],
  ])) {
    await assert.rejects(
      load(({ config }) => Object.assign(config, { [key]: value })),
      { code: "tensor-shape", message },
    );
  }
});

test("what the configuration leaves out has Hugging Face's defaults", async () => {
  const model = random({ ...SMALL, n_inner: 16, tie_word_embeddings: true, eos_token_id: null }, 4);
  const { n_inner, layer_norm_epsilon, tie_word_embeddings, eos_token_id, ...rest } = model.config;
  const bare = await on({ config: wrong(rest), weights: model.weights });
  assert.deepEqual(bare.config, { ...model.config });
  assert.ok(Object.isFrozen(bare.config));
  assert.deepEqual(complete(bare, [1, 2]).logits, await logitBits(model));
  const nulls = { ...rest, n_inner: null, eos_token_id: null };
  assert.deepEqual(await logitBits({ config: wrong(nulls), weights: model.weights }), await logitBits(model));
});

test("a head that is tied, given twice, different, or missing", async () => {
  const tied = random({ ...SMALL, tie_word_embeddings: true, eos_token_id: null }, 4);
  const wte = tied.weights["transformer.wte.weight"];
  const withHead = { config: tied.config, weights: { ...tied.weights, "lm_head.weight": wte } };
  const untied = { config: { ...tied.config, tie_word_embeddings: false }, weights: withHead.weights };
  const expected = await logitBits(tied);
  assert.deepEqual(await logitBits(withHead), expected);
  assert.deepEqual(await logitBits(untied), expected);

  const other = { shape: wte.shape, data: wte.data.map((number) => -number) };
  const different = { ...tied.weights, "lm_head.weight": other };
  // A head that is there is the head, whatever the configuration says.
  const read = await logitBits({ config: tied.config, weights: different });
  assert.notDeepEqual(read, expected);
  assert.deepEqual(await logitBits({ config: untied.config, weights: different }), read);
  await assert.rejects(on({ config: untied.config, weights: tied.weights }), {
    code: "missing-tensor",
    message: "tensor lm_head.weight is missing",
  });
});

test("the model is a copy: what becomes of the caller's arrays and objects changes nothing", async () => {
  const model = random({ ...SMALL, eos_token_id: null }, 4);
  const expected = await logitBits(random({ ...SMALL, eos_token_id: null }, 4));
  const loading = on(model);
  // Even before it is there.
  for (const { data, shape } of Object.values(model.weights)) {
    data.fill(Number.NaN);
    shape.length = 0;
  }
  model.config.n_head = 99;
  const loop = await loading;
  assert.equal(loop.config.n_head, 2);
  assert.deepEqual(complete(loop, [1, 2]).logits, expected);
});

test("a view into a larger buffer is read where it begins", async () => {
  const model = random({ ...SMALL, eos_token_id: null }, 4);
  const expected = await logitBits(model);
  for (const tensor of Object.values(model.weights)) {
    const larger = new Float32Array(tensor.data.length + 7).fill(Number.NaN);
    larger.set(tensor.data, 3);
    tensor.data = larger.subarray(3, 3 + tensor.data.length);
  }
  assert.deepEqual(await logitBits(model), expected);
});

test("weights whose buffer was transferred away are refused by name", async () => {
  await assert.rejects(
    load(({ weights }) => {
      const { data } = weights["transformer.ln_f.bias"];
      structuredClone(data.buffer, { transfer: [data.buffer] });
    }),
    refusal("tensor-shape", /^tensor ln_f\.bias has 0 numbers; expected 4, which fill its shape$/),
  );
});

test("half a position more or less: the causal mask hides what comes later", async () => {
  for (const shape of Object.values(SHAPES)) {
    const loop = await on(random({ ...shape, eos_token_id: null }, 6));
    loop.prefill([1, 2, 3, 4]);
    const whole = bits(loop.logits());
    // The same first four tokens, now fed one by one, after a longer run with others behind them.
    loop.prefill([1, 2, 3, 4, 0, 0]);
    loop.prefill([1, 2, 3, 4]);
    assert.deepEqual(bits(loop.logits()), whole);
    loop.dispose();
  }
});

test("a blank model is uniform", async () => {
  const loop = await on(blank({ ...SMALL, eos_token_id: null }), { sampling: { method: "temperature" } });
  const { candidates } = loop.prefill([1]);
  assert.deepEqual([...loop.logits()], new Array(64).fill(0));
  assert.deepEqual(
    candidates.map(({ id, probability }) => [id, probability]),
    Array.from({ length: 64 }, (_, id) => [id, 1 / 64]),
  );
});
