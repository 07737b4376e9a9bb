import assert from "node:assert/strict";
import { test } from "node:test";
import { generator } from "./checkpoints.js";
import { fileOf, joined, rawTensors, withHeader } from "./files.js";
import { on, wrong } from "./loops.js";
import { assertRefused, assertSame, file, HEAD, model, SHAPE } from "./small.js";

test("bytes, a view into more of them, a buffer, a blob and a file are the same model", async () => {
  const larger = joined([1, 2, 3], file, [4, 5, 6, 7]);
  for (const weights of [
    file,
    larger.subarray(3, 3 + file.length),
    Buffer.from(file),
    file.buffer,
    new Blob([file]),
    new File([file], "my.safetensors"),
  ]) {
    await assertSame(weights);
  }
});

test("an error calls a file by its own name", async () => {
  const weights = new File([file.subarray(0, 5)], "my.safetensors");
  await assertRefused(weights, "it has 5 bytes; a header begins with 8", { name: "my.safetensors" });
});

test("metadata may say anything, or be absent", async () => {
  for (const metadata of [
    ...[undefined, {}, { format: "pt" }, { n: 5 }, 5, null, []],
    { "lm_head.weight": '{}[]\\"{', "{": { "wte.weight": {} } },
  ]) {
    await assertSame(fileOf(rawTensors(model), metadata === undefined ? {} : { __metadata__: metadata }));
  }
  await assertRefused(
    withHeader(file, (_, text) => text.replace("{", '{"__metadata__":{},"__metadata__":{},')),
    "its header has __metadata__ twice",
  );
});

test("metadata of many megabytes", async () => {
  await assertSame(fileOf(rawTensors(model), { __metadata__: { notes: "x".repeat(2 ** 24) } }));
});

test("a name with escapes is the name that it spells", async () => {
  await assertSame(withHeader(file, (_, text) => text.replaceAll("weight", "\\u0077eight")));
  await assertRefused(
    withHeader(file, (_, text) => text.replace(`"${HEAD}"`, '"lm_head.weight\\n\\""')),
    'tensor lm_head.weight\n" is not part of a GPT-2 of this configuration',
    { code: "unknown-tensor" },
  );
});

test("masks of old files are ignored, whatever their type and place", async () => {
  const tensors = Object.entries(rawTensors(model));
  for (const [dtype, size] of /** @type {const} */ ([
    ["U8", 1],
    ["BOOL", 1],
    ["F32", 4],
    ["I64", 8],
    ["F8_E4M3", 1],
  ])) {
    const masks = Object.entries({
      "transformer.h.0.attn.bias": { dtype, shape: [1, 1, 3, 3], bytes: new Uint8Array(9 * size).fill(255) },
      "h.0.attn.masked_bias": { dtype, shape: [], bytes: new Uint8Array(size).fill(255) },
      "h.7.attn.bias": { dtype, shape: [0], bytes: new Uint8Array(0) },
    });
    for (const place of [0, 5, tensors.length]) {
      await assertSame(fileOf(Object.fromEntries(tensors.toSpliced(place, 0, ...masks))));
    }
  }
});

test("tensors may come in any order, in the header and in the file, with the prefix and without", async () => {
  const next = generator(8);
  for (let round = 0; round < 20; round += 1) {
    const shuffled = Object.entries(rawTensors(model))
      .map(([name, tensor]) => ({
        name: next() < 0.5 ? name.replace("transformer.", "") : name,
        tensor,
        key: next(),
      }))
      .sort((a, b) => a.key - b.key);
    const inFile = fileOf(Object.fromEntries(shuffled.map(({ name, tensor }) => [name, tensor])));
    await assertSame(inFile);
    await assertSame(withHeader(inFile, (header) => Object.fromEntries(Object.entries(header).reverse())));
  }
});

test("spaces after the header's JSON are part of it", async () => {
  for (const spaces of [1, 7, 8, 5000])
    await assertSame(withHeader(file, (_, text) => text + " ".repeat(spaces)));
});

test("types that are not read are refused by tensor, type and what is read", async () => {
  for (const [dtype, size] of /** @type {const} */ ([
    ["F64", 8],
    ["I32", 4],
    ["U16", 2],
    ["BOOL", 1],
    ["F8_E5M2", 1],
  ])) {
    const tensors = rawTensors(model);
    tensors["transformer.wte.weight"] = { dtype, shape: [6, 4], bytes: new Uint8Array(24 * size) };
    await assertRefused(
      fileOf(tensors),
      `tensor transformer.wte.weight is ${dtype}; expected F32, F16, BF16`,
      { code: "tensor-type" },
    );
  }
});

test("weights of another kind are refused", async () => {
  for (const weights of [new DataView(file.buffer), new Float32Array(4), new SharedArrayBuffer(8), 5, true]) {
    await assert.rejects(on(wrong({ config: SHAPE, weights })), { name: "GenerationError" });
  }
});
