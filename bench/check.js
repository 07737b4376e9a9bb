/**
 * Whether all contestants compute the same: `node bench/check.js [folder]` compares their logits on a prefill of 11 and of 31
 * tokens, on 5 decode steps after each, and after going back. The folder is one that `make_onnx.py` wrote.
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { GenerationLoop } from "../www/engine.js";
import { floats, readHeader } from "../www/safetensors.js";
import * as candle from "./candle.js";
import * as careful from "./careful.js";
import * as onnx from "./onnx.js";
import * as readable from "./readable.js";

const STEPS = 5;
const TOLERANCE = 1e-4;

const folder = process.argv[2] ? resolve(process.argv[2]) : join(import.meta.dirname, "models/default");
const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
const file = readFileSync(join(folder, "model.safetensors"));
const graph = Uint8Array.from(readFileSync(join(folder, "model.onnx"))).buffer;

/** @returns {Promise<import("./readable.js").Weights>} */
async function tensors() {
  let place = 0;
  const take = async (/** @type {number} */ length) => {
    place += length;
    return Uint8Array.from(file.subarray(place - length, place));
  };
  const entries = await readHeader({ take, size: file.length, close: () => undefined });
  /** @type {import("./readable.js").Weights} */
  const weights = {};
  for (const { name, dtype, shape, begin, end } of entries) {
    weights[name] = { shape, data: floats(dtype, await take(end - begin)) };
  }
  return weights;
}

const loop = await GenerationLoop.load({ model: { config, weights: file }, maxTokens: null });
const weights = await tensors();

/** The loop picks the tokens; the others follow it. @param {number} length */
function reference(length) {
  const prompt = Array.from({ length }, (_, i) => (i * i * 7 + i * 13 + length) % config.vocab_size);
  loop.prefill(prompt);
  const logits = [loop.logits()];
  for (let step = 0; step < STEPS; step++) {
    loop.decodeStep();
    logits.push(loop.logits());
  }
  return { prompt, logits, sampled: loop.tokens.slice(length) };
}

/** @param {ArrayLike<number>} found @param {Float32Array} expected */
function difference(found, expected) {
  assert.equal(found.length, expected.length);
  // NaN stays NaN, and fails.
  return expected.reduce((worst, logit, id) => Math.max(worst, Math.abs(found[id] - logit)), 0);
}

const references = [11, 31].map(reference);
const largest = Math.max(
  ...references.flatMap(({ logits }) =>
    logits.map((list) => list.reduce((a, b) => Math.max(a, Math.abs(b)), 0)),
  ),
);
console.log(
  `logits go up to ${largest.toFixed(1)}; largest differences from generation-loop's, at most ${TOLERANCE}:`,
);

// cargo builds candle, which takes a minute: README.md says how.
if (!existsSync(candle.wasm)) console.log(`${candle.name} is not compared: it has not been built`);
const built = existsSync(candle.wasm) ? [candle] : [];

for (const contestant of [readable, careful, onnx, ...built]) {
  const model = await contestant.load(config, weights, graph);
  const worst = { prefill: 0, decode: 0, rewind: 0 };
  /** @param {keyof typeof worst} kind @param {ArrayLike<number>} found @param {Float32Array} expected */
  const compare = (kind, found, expected) => {
    worst[kind] = Math.max(worst[kind], difference(found, expected));
  };
  for (const { prompt, logits, sampled } of references) {
    compare("prefill", await model.prefill(prompt), logits[0]);
    for (let step = 1; step <= STEPS; step++) {
      compare("decode", await model.decode(sampled[step - 1]), logits[step]);
    }
    // Back to a length that was there, and to one inside the prompt.
    model.rewind(prompt.length + 2);
    compare("rewind", await model.decode(sampled[2]), logits[3]);
    model.rewind(prompt.length - 1);
    compare("rewind", await model.decode(prompt[prompt.length - 1]), logits[0]);
    compare("rewind", await model.decode(sampled[0]), logits[1]);
  }
  await model.dispose();
  const parts = Object.entries(worst).map(([kind, value]) => `${kind} ${value.toExponential(1)}`);
  console.log(`${contestant.name.padEnd(20)} ${parts.join(", ")}`);
  assert.ok(Math.max(...Object.values(worst)) < TOLERANCE, contestant.name);
}
loop.dispose();
