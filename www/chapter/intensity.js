/**
 * What holds a pass up on a machine, by the roofline: FLOPs per byte that it reads against FLOPs that the machine makes while it
 * reads one. The formulas are those of `flops.js`; it knows no DOM.
 */

import { bytesReadOf, totalOf } from "../flops.js";

/** @typedef {import("../flops.js").Config} Config */

/** @typedef {import("./chips.js").Chip} Machine */

/**
 * @typedef {object} Work
 * @property {number} tokensIn S
 * @property {number} flops
 * @property {number} bytes
 * @property {number} intensity FLOPs per byte
 */

/** @typedef {"run" | "gpt2" | "page"} CaseId */

/**
 * What is compared: of which model, and its passes, each with a name.
 * @typedef {object} Case
 * @property {Config} config
 * @property {{ phase: "prefill" | "decode", name: string, work: Work }[]} passes
 */

/** Tokens of a prompt that is a page long. */
export const PAGE = 512;

/** The smallest model that was published as GPT-2. @type {Readonly<Config>} */
export const GPT2_SMALL = Object.freeze({
  n_layer: 12,
  n_head: 12,
  n_embd: 768,
  n_inner: 3072,
  vocab_size: 50257,
  n_positions: 1024,
  layer_norm_epsilon: 1e-5,
  tie_word_embeddings: true,
  eos_token_id: 50256,
});

/**
 * What a pass computes and reads.
 * @param {Config} config
 * @param {number} tokensIn S
 * @param {number} contextLength T
 * @returns {Work}
 */
export function workOf(config, tokensIn, contextLength) {
  const { weights, cache } = bytesReadOf(config, contextLength);
  const flops = totalOf(config, tokensIn, contextLength);
  const bytes = weights + cache;
  return { tokensIn, flops, bytes, intensity: flops / bytes };
}

/**
 * The prefill of a run and its newest decode, or the first that would come: in the reader's model or in the other one, with the
 * reader's tokens or with a page.
 * @param {import("../run.js").Moment} moment
 * @param {CaseId} chosen
 * @returns {Case}
 */
export function caseOf({ config, prompt, log, stop }, chosen) {
  if (chosen === "page") {
    return {
      config: GPT2_SMALL,
      passes: [
        { phase: "prefill", name: "in one pass", work: workOf(GPT2_SMALL, PAGE, PAGE) },
        { phase: "decode", name: "the first", work: workOf(GPT2_SMALL, 1, PAGE + 1) },
      ],
    };
  }
  const shape = chosen === "run" ? config : GPT2_SMALL;
  const last = log.at(-1);
  const decode = last?.phase === "decode" ? last : undefined;
  const length = log[0]?.tokensIn ?? prompt.length;
  const next = workOf(shape, decode?.tokensIn ?? 1, decode?.contextLength ?? length + 1);
  return {
    config: shape,
    passes: [
      { phase: "prefill", name: last ? "pass 1" : "to come", work: workOf(shape, length, length) },
      { phase: "decode", name: decode ? `pass ${decode.index}` : stop ? "not made" : "to come", work: next },
    ],
  };
}

/** FLOPs per byte at which a machine is busy with both. @param {Machine} machine */
export function ridgeOf({ flops, bandwidth }) {
  return flops / bandwidth;
}

/**
 * Where a pass of that intensity stands on a machine.
 * @param {Machine} machine
 * @param {number} intensity
 * @returns {{ flops: number, share: number, bound: "memory" | "arithmetic" }} FLOPs a second at most, as a share of the machine's
 */
export function reachOf(machine, intensity) {
  const flops = Math.min(machine.flops, intensity * machine.bandwidth);
  const bound = intensity < ridgeOf(machine) ? "memory" : "arithmetic";
  return { flops, share: flops / machine.flops, bound };
}

/**
 * Seconds that a pass takes at least.
 * @param {Machine} machine
 * @param {Work} work
 */
export function leastTimeOf(machine, { flops, bytes }) {
  return Math.max(flops / machine.flops, bytes / machine.bandwidth);
}

/**
 * The shortest prompt whose prefill is arithmetic-bound, found by trying.
 * @param {Config} config
 * @param {Machine} machine
 * @param {number} [bytesOfNumber] of 4, or of fewer
 */
export function tokensToRidge(config, machine, bytesOfNumber = 4) {
  const reaches = (/** @type {number} */ length) =>
    (workOf(config, length, length).intensity * 4) / bytesOfNumber >= ridgeOf(machine);
  let high = 1;
  while (!reaches(high)) high *= 2;
  let low = high / 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (reaches(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * Powers of ten that hold all of the values with some room on both sides.
 * @param {readonly number[]} values above 0
 * @returns {[from: number, to: number]} exponents
 */
export function decadesOf(values) {
  const logs = values.map((value) => Math.log10(value));
  return [Math.floor(Math.min(...logs) - 0.2), Math.ceil(Math.max(...logs) + 0.2)];
}

/**
 * How far along a logarithmic axis a value is.
 * @param {number} value
 * @param {readonly [number, number]} decades
 */
export function along(value, [from, to]) {
  return (Math.log10(value) - from) / (to - from);
}

const PREFIXES = ["n", "µ", "m", "", "k", "M", "G", "T", "P", "E"];

/**
 * A measure to three digits: `2.04 T`, `15.4 n`.
 * @param {number} value above 0
 * @param {string} unit
 */
export function measured(value, unit) {
  const rounded = Number(value.toPrecision(3));
  const thousands = Math.min(Math.max(Math.floor(Math.log10(rounded) / 3), -3), 6);
  // Digits after the point are kept where they were measured, and never more than three in all.
  return `${Number((rounded / 1000 ** thousands).toPrecision(3))}\u00a0${PREFIXES[thousands + 3]}${unit}`;
}
