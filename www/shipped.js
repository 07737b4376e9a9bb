/** What is in the package: the trained weights, and what the WebAssembly exports. */

import { GenerationError } from "./errors.js";
import { inflated } from "./inflate.js";
import { multiples, config as shippedConfig, tensors as shippedTensors } from "./pkg/trained.js";

export { shippedConfig };

/**
 * The functions of a WebAssembly instance, all of them of numbers, and its memory.
 * @typedef {typeof import("./pkg/generation_loop_bg.wasm")} Core
 */

/** @param {unknown} cause */
export function unavailable(cause) {
  const refused = cause instanceof Error ? cause.message : String(cause);
  const why =
    typeof WebAssembly === "undefined"
      ? "this browser has no WebAssembly"
      : typeof DecompressionStream === "undefined"
        ? "this browser has no DecompressionStream"
        : cause instanceof WebAssembly.CompileError || cause instanceof EvalError
          ? `the browser refused it (${refused}). A page's Content-Security-Policy must have 'wasm-unsafe-eval' in script-src`
          : refused;
  return new GenerationError("wasm-unavailable", `WebAssembly cannot start: ${why}`, { cause });
}

/** @type {Promise<import("./checkpoint.js").Checkpoint> | undefined} */
let trainedCheckpoint;

/** The trained weights, expanded once for all. */
export function trained() {
  trainedCheckpoint ??= expanded().catch((cause) => {
    trainedCheckpoint = undefined;
    throw unavailable(cause);
  });
  return trainedCheckpoint;
}

/**
 * The trained weights, from the 8 bits that each of them needs.
 * @returns {Promise<import("./checkpoint.js").Checkpoint>}
 */
async function expanded() {
  const numbers = new Int8Array(await inflated(multiples));
  let place = 0;
  const weights = shippedTensors.map(([name, shape, exponent]) => {
    const begin = place;
    place += shape.reduce((product, side) => product * side, 1);
    const data = Float32Array.from(numbers.subarray(begin, place), (multiple) => multiple * 2 ** exponent);
    return [name, { shape, data }];
  });
  return { config: shippedConfig, weights: Object.fromEntries(weights) };
}
