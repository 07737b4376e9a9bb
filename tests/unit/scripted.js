/** A real model whose weights force what it writes, so that stops, streams and errors are tested through whole passes. */

import { blank, DEFAULT_SHAPE } from "./checkpoints.js";

/** The built-in vocabulary, from id 1 on; id 0 is the end of the text. */
export const CHARACTERS = ` abcdefghijklmnopqrstuvwxyz0123456789.,!?'"-:;()[]+*/=<>&%$#@_\n`;

export const END_OF_TEXT = 0;

/**
 * @param {string} text
 * @returns {number[]}
 */
export function idsOf(text) {
  return Array.from(text, (character) => {
    const index = CHARACTERS.indexOf(character);
    if (index < 0) throw new Error(`the vocabulary has no ${JSON.stringify(character)}`);
    return index + 1;
  });
}

/**
 * @typedef {object} ScriptOptions
 * @property {number} [vocab] size of the vocabulary; text comes out of 64 only
 * @property {number} [n_positions] length of the context; by default what prompt and output need, and one more
 * @property {number} [prompt] number of tokens in the prompt that is answered
 * @property {number | null} [eos] id of the end of the text
 * @property {number} [nanFrom] from this output on (counted from 0) no logit is a number
 * @property {number} [infiniteAt] at this output the logit of id 1 overflows
 * @property {number} [poison] an id after which, once it went in, no logit is a number
 */

/**
 * A model that answers a prompt with `output`, greedily: ids, or a text of the built-in vocabulary.
 *
 * Its block adds nothing to the residual stream and its token embeddings are zero, so that what is left is the position,
 * one-hot; the head reads the forced id from it.
 * @param {readonly number[] | string} output
 * @param {ScriptOptions} [options]
 * @returns {import("./checkpoints.js").Model}
 */
export function scripted(output, options = {}) {
  const ids = typeof output === "string" ? idsOf(output) : output;
  const { vocab = 64, prompt = 1, eos = END_OF_TEXT, nanFrom, infiniteAt, poison } = options;
  const { n_positions = prompt + ids.length + 1 } = options;
  // One dimension more than positions: the final LayerNorm takes the mean away, so that one id forced at *all* dimensions
  // would get logit 0 like every other.
  const d = n_positions + 1;
  const model = blank({
    ...DEFAULT_SHAPE,
    n_layer: 1,
    n_head: 1,
    n_embd: d,
    n_inner: 1,
    vocab_size: vocab,
    n_positions,
    eos_token_id: eos,
  });
  /** @param {string} name */
  const data = (name) => model.weights[name].data;
  data("transformer.ln_f.weight").fill(1);
  const filler = Math.min(27, vocab - 1);
  for (let position = 0; position < n_positions; position += 1) {
    data("transformer.wpe.weight")[position * d + position] = 1;
    data("lm_head.weight")[(ids[position - prompt + 1] ?? filler) * d + position] = 1;
  }
  if (nanFrom !== undefined) data("transformer.wpe.weight")[(prompt - 1 + nanFrom) * d] = Number.NaN;
  if (infiniteAt !== undefined) data("lm_head.weight")[d + prompt - 1 + infiniteAt] = 3e38;
  if (poison !== undefined) data("transformer.wte.weight")[poison * d] = Number.POSITIVE_INFINITY;
  return model;
}
