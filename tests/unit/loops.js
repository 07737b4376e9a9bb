/** What many tests do with a loop. */

import { GenerationLoop } from "../../www/engine.js";

/** @typedef {import("../../www/engine.js").Pass} Pass */

/**
 * The bits of numbers: two NaN are equal by them, and two zeros are not.
 * @param {Float32Array} numbers
 * @returns {number[]}
 */
export function bits(numbers) {
  return [...new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length)];
}

/**
 * A pass as plain data, without the one number that is no part of any equality.
 * @param {Pass} pass
 */
export function plain(pass) {
  const { milliseconds, ...rest } = pass.toJSON();
  return rest;
}

/**
 * From the prompt to the stop; logits of every pass.
 * @param {GenerationLoop} loop
 * @param {string | Iterable<number>} prompt
 * @param {(loop: GenerationLoop) => void} [afterPass]
 */
export function complete(loop, prompt, afterPass = () => undefined) {
  loop.prefill(prompt);
  const logits = [bits(loop.logits())];
  afterPass(loop);
  while (loop.stop === null) {
    loop.decodeStep();
    logits.push(bits(loop.logits()));
    afterPass(loop);
  }
  return { tokens: loop.tokens, text: loop.text, stop: loop.stop, log: loop.log.map(plain), logits };
}

/**
 * All that can be asked of a loop, as plain data.
 * @param {GenerationLoop} loop
 */
export function everything(loop) {
  const { tokens, text, passes, stop, config, seed, sampling, stopStrings, maxTokens, cache } = loop;
  return {
    ...{ tokens, text, passes, stop, config, seed, sampling, stopStrings, maxTokens, cache },
    log: loop.log.map(plain),
    logits: bits(loop.logits()),
  };
}

/**
 * A loop on a model of one's own, without a limit but the context.
 * @param {import("../../www/engine.js").Checkpoint} model
 * @param {Omit<import("../../www/engine.js").LoadOptions, "model">} [options]
 */
export function on(model, options = {}) {
  return GenerationLoop.load({ model, maxTokens: null, seed: 0, ...options });
}

/**
 * What a stream yields, all of it.
 * @param {AsyncIterable<{ id: number, text: string }>} stream
 */
export async function collect(stream) {
  const tokens = [];
  for await (const token of stream) tokens.push(token);
  return { tokens, text: tokens.map((token) => token.text).join("") };
}

/**
 * What `assert.throws` and `assert.rejects` compare with: an error of this project.
 * @param {string} code
 * @param {RegExp} [message]
 */
export function refusal(code, message = /./) {
  return { name: "GenerationError", code, message };
}

/**
 * A value that the types forbid.
 * @param {unknown} value
 * @returns {any}
 */
export function wrong(value) {
  return value;
}
