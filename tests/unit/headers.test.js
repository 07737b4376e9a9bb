/** Headers that lie, and what is said of them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { assembled, eightBytes, fileOf, joined, parts, rawTensors, withHeader } from "./files.js";
import { memoryBytes } from "./instances.js";
import { assertRefused, BEFORE, BEGIN, data, file, HEAD, headChanged, headerLength, model } from "./small.js";

test("a header's length that cannot be is refused before anything is allocated", async () => {
  for (const [length, shown] of /** @type {[number | bigint, string][]} */ ([
    [0, "0"],
    [1, "1"],
    [2 ** 31, "2147483648"],
    [2 ** 32 + 2, "4294967298"],
    // As a Number shows them.
    [2n ** 63n, "9223372036854776000"],
    [2n ** 64n - 1n, "18446744073709552000"],
  ])) {
    const lying = joined(eightBytes(length), file.subarray(8));
    const [core, buffers] = [memoryBytes(), process.memoryUsage().arrayBuffers];
    await assertRefused(lying, `its header would have ${shown} bytes; allowed: 2 to 100000000`);
    assert.equal(memoryBytes(), core);
    assert.ok(process.memoryUsage().arrayBuffers - buffers < 1e6);
  }
});

test("a header's length that takes all of the file, or a byte more or less", async () => {
  /** @param {number} length */
  const withLength = (length) => joined(eightBytes(length), file.subarray(8));
  for (const length of [file.length - 8, headerLength - 1, headerLength + 1]) {
    await assertRefused(withLength(length), /^model\.safetensors: .*: its header is not JSON: ./);
  }
  // Now the tensors happen to be text that JSON allows there.
  const text = joined(file.subarray(8, 8 + headerLength), new Uint8Array(data.length).fill(0x20));
  await assertRefused(
    joined(eightBytes(text.length), text),
    `it has ${file.length} bytes; its header describes ${file.length + data.length}`,
  );
});

test("a header that is cut is said to be, also where it is shorter than its own length would take", async () => {
  for (const [length, bytes] of [
    [2, 1],
    [4, 1],
    [8, 7],
    [9, 8],
  ]) {
    await assertRefused(
      joined(eightBytes(length), new Uint8Array(bytes).fill(0x20)),
      `it ends after ${8 + bytes} bytes, inside its header of ${length}`,
    );
  }
});

test("a header that is not a JSON object", async () => {
  for (const [header, shown] of [
    ["[]", "a list"],
    ["null", "null"],
    ['"x"', '"x"'],
    ["12", "12"],
    [`${"[".repeat(500_000)}${"]".repeat(500_000)}`, "a list"],
  ]) {
    await assertRefused(assembled(header), `its header is ${shown}; allowed: a JSON object`);
  }
  for (const header of ["{]", "{}{}", '{"a":}', "  ", "\0\0", "{'a': 1}", '{"a": 01}', '{"a": NaN}', "{,}"]) {
    await assertRefused(assembled(header), /^model\.safetensors: .*: its header is not JSON: ./);
  }
  // Not UTF-8, inside a string that JSON would allow.
  await assertRefused(
    assembled(joined([0x7b, 0x22], [0xff, 0xc0], [0x22, 0x3a, 0x31, 0x7d])),
    /: its header is not JSON: /,
  );
});

test("offsets that are reversed, past the end, overlap or leave a gap are named with their tensor", async () => {
  await assertRefused(
    headChanged((head) => head.data_offsets.reverse()),
    `tensor ${HEAD} ends at ${BEGIN}, before it begins at ${data.length}`,
  );
  await assertRefused(
    headChanged((head) => {
      head.data_offsets = [BEGIN + 4, data.length + 4];
    }),
    `tensor ${HEAD} begins at ${BEGIN + 4}; expected ${BEGIN}, where the tensor before it ends`,
  );
  await assertRefused(
    headChanged((head) => {
      head.data_offsets = [BEGIN - 4, data.length - 4];
    }),
    `tensor ${HEAD} begins at ${BEGIN - 4}; expected ${BEGIN}, where the tensor before it ends`,
  );
  // The same bytes for two, which begin together.
  await assertRefused(
    withHeader(file, (header) => {
      header["wte.weight"] = header[HEAD];
    }),
    /tensor (lm_head|wte)\.weight begins at \d+; expected \d+, where the tensor before it ends$/,
  );
  // Past the end of the file.
  const longer = headChanged((head) => {
    head.data_offsets = [BEGIN, data.length + 4];
    head.shape = [25];
  });
  await assertRefused(longer, `it has ${longer.length} bytes; its header describes ${longer.length + 4}`);
  await assertRefused(
    joined(file, [0]),
    `it has ${file.length + 1} bytes; its header describes ${file.length}`,
  );
});

test("a shape that is not the span is refused with both, also where its product is beyond 2^32 or 2^53", async () => {
  const side = 2 ** 53 - 1;
  for (const [dtype, shape, bytes] of /** @type {[string, number[], string][]} */ ([
    ["F32", [6, 5], "120"],
    ["F32", [24, 0], "0"],
    ["F32", [], "4"],
    ["F16", [6, 4], "48"],
    ["F64", [6, 4], "192"],
    ["F32", [2 ** 16, 2 ** 16], "17179869184"],
    // 96 again to whoever counts in 32 bits, or in 64.
    ["U8", [2 ** 32 + 96], "4294967392"],
    ["U8", [32, 49 * 5531, 93_251 * 22_809_539], "18446744073709552000"],
    ["F32", [2 ** 32, 2 ** 32], "73786976294838210000"],
    ["F32", new Array(30).fill(side), "Infinity"],
    ["F32", [...new Array(30).fill(side), 0], "NaN"],
  ])) {
    const span = `has 96 bytes; expected ${bytes} for ${dtype} of shape [${shape.join(", ")}]`;
    await assertRefused(
      headChanged((head) => Object.assign(head, { dtype, shape })),
      `tensor ${HEAD} ${span}`,
    );
  }
});

const EXPECTED = "expected the name of a type, a list of sides and two places";

test("what does not describe a tensor is shown", async () => {
  const dtype = "F32";
  const shape = [6, 4];
  const data_offsets = [BEGIN, data.length];
  const span = `[${BEGIN}, ${data.length}]`;
  const nothing = "dtype undefined, shape undefined and data_offsets undefined";
  for (const [entry, found] of /** @type {[unknown, string][]} */ ([
    ...[null, 5, "F32", [], {}, true].map((entry) => [entry, nothing]),
    [{ shape, data_offsets }, `dtype undefined, shape [6, 4] and data_offsets ${span}`],
    [{ dtype: 32, shape, data_offsets }, `dtype 32, shape [6, 4] and data_offsets ${span}`],
    [{ dtype: ["F32"], shape, data_offsets }, `dtype a list, shape [6, 4] and data_offsets ${span}`],
    ...[
      [null, "null"],
      ["[6,4]", '"[6,4]"'],
      [24, "24"],
      [{ 0: 6 }, "an object"],
      [["6", 4], '["6", 4]'],
      [[6.5, 4], "[6.5, 4]"],
      [[-6, -4], "[-6, -4]"],
      [[2 ** 53, 4], "[9007199254740992, 4]"],
      [[null], "[null]"],
      [[[6, 4]], "[a list]"],
      // Of a long list no more than the beginning.
      [[...new Array(1000).fill(1), -1], "[1, 1, 1, 1, 1, 1, 1, 1]"],
    ].map(([other, text]) => [
      { dtype, shape: other, data_offsets },
      `dtype "F32", shape ${text} and data_offsets ${span}`,
    ]),
    ...[
      [null, "null"],
      [[BEGIN], `[${BEGIN}]`],
      [[BEGIN, data.length, 0], `[${BEGIN}, ${data.length}, 0]`],
      [["0", "96"], '["0", "96"]'],
      [[-1, 95], "[-1, 95]"],
      [[0.5, 96.5], "[0.5, 96.5]"],
      [[0, 2 ** 53], "[0, 9007199254740992]"],
      [{}, "an object"],
    ].map(([other, text]) => [
      { dtype, shape, data_offsets: other },
      `dtype "F32", shape [6, 4] and data_offsets ${text}`,
    ]),
  ])) {
    await assertRefused(
      withHeader(file, (header) => void Object.assign(header, { [HEAD]: entry })),
      `tensor ${HEAD} has ${found}; ${EXPECTED}`,
    );
  }
});

test("what describes no tensor and is nested without end", async () => {
  for (const depth of [100, 5000, 100_000]) {
    const nested = "[".repeat(depth) + "]".repeat(depth);
    await assertRefused(
      assembled(`{"x":${nested}}`),
      `tensor x has dtype undefined, shape undefined and data_offsets undefined; ${EXPECTED}`,
    );
    await assertRefused(
      assembled(`{"x":{"dtype":"F32","shape":${nested},"data_offsets":[0,0]}}`),
      `tensor x has dtype "F32", shape [a list] and data_offsets [0, 0]; ${EXPECTED}`,
    );
  }
});

const KNOWN =
  "known types: BOOL, U8, I8, F8_E4M3, F8_E5M2, U16, I16, F16, BF16, U32, I32, F32, U64, I64, F64";

test("a type that the format does not have is named", async () => {
  for (const dtype of ["F31", "f32", "", "float32", "F32 "]) {
    await assertRefused(
      headChanged((head) => Object.assign(head, { dtype })),
      `tensor ${HEAD} is ${dtype}; ${KNOWN}`,
    );
  }
});

test("a type named as what every object has is no type either", async () => {
  for (const dtype of ["constructor", "toString", "__proto__"]) {
    await assertRefused(
      headChanged((head) => Object.assign(head, { dtype })),
      `tensor ${HEAD} is ${dtype}; ${KNOWN}`,
    );
  }
});

test("a tensor that is there twice is named, with the same place or another", async () => {
  const entry = JSON.stringify(parts(file).header[BEFORE]);
  const other = JSON.stringify({ dtype: "F32", shape: [4], data_offsets: [0, 16] });
  for (const twice of [entry, other, "null", "{}"]) {
    for (const name of [`"${BEFORE}"`, '"transformer.ln_\\u0066.bias"', '"transformer.ln_f.bi\\u0061s"']) {
      await assertRefused(
        withHeader(file, (_, text) => text.replace("{", `{${name}:${twice},`)),
        `its header has ${BEFORE} twice`,
      );
    }
  }
  const tensors = rawTensors(model);
  await assertRefused(
    fileOf({ ...tensors, "wte.weight": tensors["transformer.wte.weight"] }),
    "tensor wte.weight was given twice",
    { code: "duplicate-tensor" },
  );
});
