/** One small model as a file, and what becomes of files that are made from it. */

import assert from "node:assert/strict";
import { DEFAULT_SHAPE, random } from "./checkpoints.js";
import { modelFile, parts, withHeader } from "./files.js";
import { complete, on } from "./loops.js";

/** @typedef {import("../../www/engine.js").Checkpoint["weights"]} Weights */

export const SHAPE = {
  ...DEFAULT_SHAPE,
  ...{ n_layer: 1, n_head: 2, n_embd: 4, n_inner: 8, vocab_size: 6, n_positions: 8, eos_token_id: null },
};

export const model = random(SHAPE, 4);
export const file = modelFile(model);
export const { length: headerLength, data } = parts(file);

/** The last tensor of the file, [6, 4], and the one before it. */
export const HEAD = "lm_head.weight";
export const BEFORE = "transformer.ln_f.bias";

/** Where the last one begins. */
export const BEGIN = data.length - 96;

/** The file with another entry of its last tensor. @param {(entry: any) => void} change */
export const headChanged = (change) => withHeader(file, (header) => void change(header[HEAD]));

/** @param {Weights} weights */
export async function logitsOf(weights) {
  const loop = await on({ config: SHAPE, weights });
  const { logits } = complete(loop, [1, 2]);
  loop.dispose();
  return logits;
}

const expected = await logitsOf(model.weights);

/** @param {Weights} weights */
export async function assertSame(weights) {
  assert.deepEqual(await logitsOf(weights), expected);
}

/** What every refusal of the format begins with. */
export const UNREADABLE = "not a safetensors file that can be read: ";

/**
 * @param {Weights} weights
 * @param {string | RegExp} found what the message says after its beginning; an expression is for all of it
 * @param {{ code?: string, name?: string }} [more]
 */
export async function assertRefused(weights, found, more = {}) {
  const { code = "invalid-safetensors", name = "model.safetensors" } = more;
  const beginning = `${name}: ${code === "invalid-safetensors" ? UNREADABLE : ""}`;
  const message = typeof found === "string" ? beginning + found : found;
  await assert.rejects(on({ config: SHAPE, weights }), { name: "GenerationError", code, message });
}
