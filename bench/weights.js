/** Weights as contestants take them: read from a file, or small random numbers. */

import { floats, readHeader } from "../www/safetensors.js";

/** @typedef {Record<string, { shape: number[], data: Float32Array }>} Weights */

/**
 * @param {string} folder with a `model.safetensors`
 * @returns {Promise<Weights>}
 */
export async function weightsIn(folder) {
  const bytes = new Uint8Array(await (await fetch(`${folder}/model.safetensors`)).arrayBuffer());
  let place = 0;
  const take = async (/** @type {number} */ length) => {
    place += length;
    return bytes.slice(place - length, place);
  };
  const entries = await readHeader({ take, size: bytes.length, close() {} });
  /** @type {Weights} */
  const weights = {};
  for (const { name, dtype, shape, begin, end } of entries) {
    weights[name.replace("transformer.", "")] = { shape, data: floats(dtype, await take(end - begin)) };
  }
  return weights;
}

/**
 * Small random numbers in every place, the same each time.
 * @param {import("./formulas.js").Config} config
 */
export function randomWeights({
  n_layer: layers,
  n_embd: d,
  n_inner: f,
  vocab_size: v,
  n_positions: p,
  tie_word_embeddings,
}) {
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff - 0.5;
  };
  /** @type {Weights} */
  const weights = {};
  const add = (/** @type {string} */ name, /** @type {number[]} */ ...shape) => {
    const isGain = name.includes("ln_") && name.endsWith("weight");
    const data = new Float32Array(shape.reduce((product, side) => product * side, 1));
    for (let place = 0; place < data.length; place += 1) data[place] = isGain ? 1 : 0.1 * random();
    weights[name] = { shape, data };
  };
  add("wte.weight", v, d);
  add("wpe.weight", p, d);
  for (let layer = 0; layer < layers; layer += 1) {
    const linear = (/** @type {string} */ name, /** @type {number} */ k, /** @type {number} */ n) => {
      add(`h.${layer}.${name}.weight`, k, n);
      add(`h.${layer}.${name}.bias`, n);
    };
    for (const norm of ["ln_1", "ln_2"]) {
      add(`h.${layer}.${norm}.weight`, d);
      add(`h.${layer}.${norm}.bias`, d);
    }
    linear("attn.c_attn", d, 3 * d);
    linear("attn.c_proj", d, d);
    linear("mlp.c_fc", d, f);
    linear("mlp.c_proj", f, d);
  }
  add("ln_f.weight", d);
  add("ln_f.bias", d);
  if (!tie_word_embeddings) add("lm_head.weight", v, d);
  return weights;
}
