/** Files and answers that are no model, each with what a reader should be told of it. */

import { random } from "../unit/checkpoints.js";
import { eightBytes, fileOf, joined, modelFile, parts, rawTensors, withHeader } from "../unit/files.js";
import { SMALL } from "./models.js";

const model = random(SMALL, 4, 0.5);
const file = modelFile(model);
const tensors = rawTensors(model);
const { data, length } = parts(file);

/** The last tensor of the file, [64, 4], and the one before it. */
const HEAD = "lm_head.weight";
const BEGIN = data.length - 1024;

/** The file with another entry of its last tensor. @param {(entry: any) => void} change */
const headChanged = (change) => withHeader(file, (header) => void change(header[HEAD]));

/** @param {string} left */
const without = (left) =>
  fileOf(Object.fromEntries(Object.entries(tensors).filter(([name]) => name !== left)));

/** @param {string} name @param {Partial<typeof tensors[string]>} change */
const changed = (name, change) => fileOf({ ...tensors, [name]: { ...tensors[name], ...change } });

const WEIGHTS = "model.safetensors: not a safetensors file that can be read: ";
const longer = headChanged((head) =>
  Object.assign(head, { shape: [65, 4], data_offsets: [BEGIN, data.length + 16] }),
);
const cut = file.subarray(0, file.length - 100);
const LFS =
  "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
const HTML = "<!doctype html>\n<html><title>Sign in</title></html>\n";

/** What is wrong, the file of weights, and what is said; where the configuration is wrong, that. */
/** @type {[what: string, weights: Uint8Array | string, message: string, config?: unknown][]} */
export const REFUSED = [
  [
    "a header of 0 bytes",
    joined(eightBytes(0), file.subarray(8)),
    `${WEIGHTS}its header would have 0 bytes; allowed: 2 to `,
  ],
  [
    "a header of 1 byte",
    joined(eightBytes(1), file.subarray(8)),
    `${WEIGHTS}its header would have 1 bytes; allowed: 2 to `,
  ],
  [
    "a header longer than the file",
    joined(eightBytes(file.length - 7), file.subarray(8)),
    `${WEIGHTS}it ends after ${file.length} bytes, inside its header of ${file.length - 7}`,
  ],
  [
    "a header of 2^63 bytes",
    joined(eightBytes(2n ** 63n), file.subarray(8)),
    `${WEIGHTS}its header would have 9223372036854776000 bytes; allowed: 2 to `,
  ],
  [
    "reversed offsets",
    headChanged((head) => head.data_offsets.reverse()),
    `${WEIGHTS}tensor ${HEAD} ends at ${BEGIN}, before it begins at ${data.length}`,
  ],
  [
    "offsets past the end",
    longer,
    `${WEIGHTS}it has ${longer.length} bytes; its header describes ${longer.length + 16}`,
  ],
  [
    "overlapping offsets",
    headChanged((head) => Object.assign(head, { data_offsets: [BEGIN - 4, data.length - 4] })),
    `${WEIGHTS}tensor ${HEAD} begins at ${BEGIN - 4}; expected ${BEGIN}, where the tensor before it ends`,
  ],
  [
    "a gap between offsets",
    headChanged((head) => Object.assign(head, { data_offsets: [BEGIN + 4, data.length + 4] })),
    `${WEIGHTS}tensor ${HEAD} begins at ${BEGIN + 4}; expected ${BEGIN}, where the tensor before it ends`,
  ],
  [
    "a shape that is not the span",
    headChanged((head) => Object.assign(head, { shape: [64, 5] })),
    `${WEIGHTS}tensor ${HEAD} has 1024 bytes; expected 1280 for F32 of shape [64, 5]`,
  ],
  [
    "a type that is not the span",
    headChanged((head) => Object.assign(head, { dtype: "F16" })),
    `${WEIGHTS}tensor ${HEAD} has 1024 bytes; expected 512 for F16 of shape [64, 4]`,
  ],
  [
    "no token embeddings",
    without("transformer.wte.weight"),
    "model.safetensors: tensor wte.weight is missing",
  ],
  ["no head, where it is not tied", without(HEAD), "model.safetensors: tensor lm_head.weight is missing"],
  [
    "a tensor the wrong way round",
    changed("transformer.h.0.attn.c_attn.weight", { shape: [12, 4] }),
    "model.safetensors: tensor h.0.attn.c_attn.weight has shape [12, 4]; expected [4, 12]",
  ],
  [
    "64-bit floats",
    changed(HEAD, { dtype: "F64", bytes: new Uint8Array(2048) }),
    `model.safetensors: tensor ${HEAD} is F64; expected F32, F16, BF16`,
  ],
  [
    "whole numbers",
    changed(HEAD, { dtype: "I32" }),
    `model.safetensors: tensor ${HEAD} is I32; expected F32, F16, BF16`,
  ],
  [
    "a Git LFS pointer",
    LFS,
    `${WEIGHTS}it is a Git LFS pointer, which stands for the file; get the file itself`,
  ],
  ["a web page", HTML, `${WEIGHTS}it is a web page`],
  ["an empty file", "", `${WEIGHTS}it is empty`],
  ["a file that is cut", cut, `${WEIGHTS}it has ${cut.length} bytes; its header describes ${file.length}`],
  [
    "a file that is cut inside its header",
    file.subarray(0, 8 + length - 10),
    `${WEIGHTS}it ends after ${8 + length - 10} bytes, inside its header of ${length}`,
  ],
  [
    "a tensor twice",
    withHeader(file, (_, text) => text.replace("{", `{"${HEAD}":null,`)),
    `${WEIGHTS}its header has ${HEAD} twice`,
  ],
  [
    "a tensor under two names",
    fileOf({ ...tensors, "wte.weight": tensors["transformer.wte.weight"] }),
    "model.safetensors: tensor wte.weight was given twice",
  ],
  [
    "a tensor of something else",
    fileOf({ ...tensors, "score.weight": tensors["transformer.ln_f.bias"] }),
    "model.safetensors: tensor score.weight is not part of a GPT-2 of this configuration",
  ],
  [
    "heads that do not divide the width",
    file,
    "config.json: n_head is 3; allowed: a divisor of n_embd, which is 4",
    { ...SMALL, n_head: 3 },
  ],
  [
    "a block more than the file has",
    file,
    "config.json: n_layer is 2; expected 1, the number of blocks in the weights",
    { ...SMALL, n_layer: 2 },
  ],
  [
    "far more blocks than the file has",
    file,
    "config.json: n_layer is 1000; expected 1, the number of blocks in the weights",
    { ...SMALL, n_layer: 1000 },
  ],
  [
    "more positions than the file has",
    file,
    "model.safetensors: tensor wpe.weight has shape [48, 4]; expected [49, 4]",
    { ...SMALL, n_positions: 49 },
  ],
  ["a vocabulary larger than the file's", file, "[64, 4]; expected [65, 4]", { ...SMALL, vocab_size: 65 }],
  [
    "another activation",
    file,
    'config.json: activation_function is "relu"; allowed: gelu_new, gelu_pytorch_tanh',
    { ...SMALL, activation_function: "relu" },
  ],
  ["an empty configuration file", file, "config.json: not a config.json that can be read: it is empty", ""],
  [
    "a web page for a configuration",
    file,
    "config.json: not a config.json that can be read: it is a web page",
    HTML,
  ],
  [
    "a configuration without a width",
    file,
    "config.json: n_embd is undefined; allowed: a number",
    { ...SMALL, n_embd: undefined },
  ],
];

/** Answers of a server, and what is said of each. @type {[what: string, files: Parameters<typeof import("./models.js").serveFolder>[2], message: string][]} */
export const ANSWERS = [
  [
    "no configuration",
    { "model.safetensors": { status: 200, body: file } },
    "/m/0/config.json: its server answered 404 Not Found",
  ],
  [
    "no weights",
    { "config.json": { status: 200, body: SMALL } },
    "/m/1/model.safetensors: its server answered 404 Not Found",
  ],
  [
    "a web page for the configuration",
    { "config.json": { status: 200, body: HTML, type: "text/html" } },
    "/m/2/config.json: not a config.json that can be read: it is a web page",
  ],
  [
    "a web page for the weights",
    {
      "config.json": { status: 200, body: SMALL },
      "model.safetensors": { status: 200, body: HTML, type: "text/html" },
    },
    "/m/3/model.safetensors: not a safetensors file that can be read: it is a web page",
  ],
  [
    "a Git LFS pointer",
    { "config.json": { status: 200, body: SMALL }, "model.safetensors": { status: 200, body: LFS } },
    "it is a Git LFS pointer, which stands for the file; get the file itself",
  ],
  [
    "a file that is cut",
    { "config.json": { status: 200, body: SMALL }, "model.safetensors": { status: 200, body: cut } },
    `it ends after ${data.length - 100} bytes of tensors; its header describes ${data.length}`,
  ],
  [
    "a file with more at its end",
    {
      "config.json": { status: 200, body: SMALL },
      "model.safetensors": { status: 200, body: joined(file, [0]) },
    },
    "/m/6/model.safetensors: not a safetensors file that can be read: ",
  ],
  [
    "an empty file",
    { "config.json": { status: 200, body: SMALL }, "model.safetensors": { status: 200, body: "" } },
    "/m/7/model.safetensors: not a safetensors file that can be read: it is empty",
  ],
  [
    "a tensor of a wrong shape",
    {
      "config.json": { status: 200, body: { ...SMALL, n_inner: 9 } },
      "model.safetensors": { status: 200, body: file },
    },
    "/m/8/model.safetensors: tensor h.0.mlp.c_fc.weight has shape [4, 8]; expected [4, 9]",
  ],
];
