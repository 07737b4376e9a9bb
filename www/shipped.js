/** What is in the package as text: the WebAssembly and the trained weights. The only importer of the generated `pkg/`. */

import { GenerationError } from "./errors.js";
import { multiples, config as shippedConfig, tensors as shippedTensors } from "./pkg/trained.js";
import { deflatedWasm } from "./pkg/wasm.js";

export { shippedConfig };

/**
 * The functions of a WebAssembly instance, all of them of numbers, and its memory.
 * @typedef {typeof import("./pkg/generation_loop_bg.wasm")} Core
 */

/** @returns {Promise<WebAssembly.Module>} */
export async function compiled() {
  return WebAssembly.compile(await inflated(deflatedWasm));
}

/**
 * @param {string} base64
 * @returns {Promise<ArrayBuffer>}
 */
async function inflated(base64) {
  const binary = atob(base64);
  const deflated = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place += 1) deflated[place] = binary.charCodeAt(place);
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).arrayBuffer();
}

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
