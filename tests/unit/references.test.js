/** Files made with Hugging Face's `transformers`, and the logits that it had from them. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileOf, golden, namedTensors, rawTensors, withHeader } from "./files.js";
import { bits, on } from "./loops.js";

const NAMES = readdirSync(new URL("../golden/models/", import.meta.url));
const TIED = NAMES.filter((name) => golden(name).config.tie_word_embeddings);

/**
 * The logits of a prompt's last token.
 * @param {import("../../www/engine.js").GenerationLoop} loop
 * @param {number[]} prompt
 */
function logitsOf(loop, prompt) {
  loop.prefill(prompt);
  return loop.logits();
}

/**
 * @param {Float32Array} found
 * @param {number[]} expected
 */
function furthest(found, expected) {
  assert.equal(found.length, expected.length);
  return found.reduce((most, number, index) => Math.max(most, Math.abs(number - expected[index])), 0);
}

/** @param {ReturnType<typeof golden>} model @param {Uint8Array} weights */
async function bitsOf({ config, expected }, weights) {
  const loop = await on({ config, weights });
  const found = bits(logitsOf(loop, expected.prompt));
  loop.dispose();
  return found;
}

test("there are six models, three of them tied", () => {
  assert.equal(NAMES.length, 6);
  assert.equal(TIED.length, 3);
});

for (const name of NAMES) {
  test(`${name}: every row of logits is the reference's to 1e-4`, async () => {
    const { config, file, expected } = golden(name);
    const loop = await on({ config, weights: file });
    const { prompt, prefill_logits: rows, decode } = expected;
    for (const [index, row] of rows.entries()) {
      assert.ok(furthest(logitsOf(loop, prompt.slice(0, index + 1)), row) < 1e-4, `token ${index}`);
    }
    const tokens = [...prompt];
    for (const { token, logits } of decode) {
      tokens.push(token);
      // A full context leaves no room for a new token.
      if (tokens.length === config.n_positions) break;
      assert.ok(furthest(logitsOf(loop, tokens), logits) < 1e-4, `${tokens.length} tokens`);
    }
    loop.dispose();
  });
}

test("a square matrix is not read the other way round: its transpose is another model", async () => {
  for (const name of NAMES) {
    const { config, file, expected } = golden(name);
    const weights = namedTensors(file);
    const { data } = weights["transformer.h.0.attn.c_proj.weight"];
    const d = config.n_embd;
    const before = data.slice();
    for (let i = 0; i < d; i += 1) for (let j = 0; j < d; j += 1) data[i * d + j] = before[j * d + i];
    assert.notDeepEqual(data, before);
    const transposed = await on({ config, weights });
    const found = logitsOf(transposed, expected.prompt);
    assert.ok(furthest(found, expected.prefill_logits.at(-1)) > 0.01, name);
    transposed.dispose();
  }
});

for (const name of TIED) {
  test(`${name}: the head alone, given again, given otherwise, and without embeddings`, async () => {
    const model = golden(name);
    const tensors = namedTensors(model.file);
    const wte = tensors["transformer.wte.weight"];
    assert.ok(!("lm_head.weight" in tensors));
    const alone = await bitsOf(model, model.file);

    const again = fileOf(rawTensors({ weights: { ...tensors, "lm_head.weight": wte } }));
    assert.deepEqual(await bitsOf(model, again), alone);

    const head = { shape: wte.shape, data: wte.data.map((number) => number / 2 - 0.125) };
    const otherwise = fileOf(rawTensors({ weights: { "lm_head.weight": head, ...tensors } }));
    const found = await bitsOf(model, otherwise);
    assert.notDeepEqual(found, alone);
    const untied = { ...model, config: { ...model.config, tie_word_embeddings: false } };
    assert.deepEqual(await bitsOf(untied, otherwise), found);

    const without = fileOf(rawTensors({ weights: { "lm_head.weight": wte, ...omitted(tensors) } }));
    for (const { config } of [model, untied]) {
      await assert.rejects(on({ config, weights: without }), {
        ...{ code: "missing-tensor", message: "model.safetensors: tensor wte.weight is missing" },
      });
    }
    await assert.rejects(on({ config: untied.config, weights: model.file }), {
      ...{ code: "missing-tensor", message: "model.safetensors: tensor lm_head.weight is missing" },
    });
  });
}

test("a tied head of another shape, or of a type that is not read, is refused", async () => {
  const { config, file } = golden("tied-narrow");
  const tensors = rawTensors({ weights: namedTensors(file) });
  for (const [head, code, found] of /** @type {const} */ ([
    [
      { dtype: "F32", shape: [63, 8], bytes: new Uint8Array(4 * 63 * 8) },
      ...["tensor-shape", "tensor lm_head.weight has shape [63, 8]; expected [64, 8]"],
    ],
    [
      { dtype: "F64", shape: [64, 8], bytes: new Uint8Array(8 * 64 * 8) },
      ...["tensor-type", "tensor lm_head.weight is F64; expected F32, F16, BF16"],
    ],
  ])) {
    const weights = fileOf(/** @type {any} */ ({ ...tensors, "lm_head.weight": head }));
    await assert.rejects(on({ config, weights }), { code, message: `model.safetensors: ${found}` });
  }
});

test("a file of transformers as it was saved by others: its metadata changed, its header longer", async () => {
  const model = golden("default");
  const expected = await bitsOf(model, model.file);
  const other = withHeader(model.file, (header) => {
    header.__metadata__ = { format: "pt", total_parameters: 11_264 };
  });
  assert.notEqual(other.length, model.file.length);
  assert.deepEqual(await bitsOf(model, other), expected);
});

/** @param {Record<string, import("./checkpoints.js").Tensor>} tensors */
function omitted({ "transformer.wte.weight": _, ...others }) {
  return others;
}
