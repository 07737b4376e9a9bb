/**
 * candle, Hugging Face's framework in Rust, compiled to WebAssembly with SIMD; one thread. The model is `candle/src/lib.rs`.
 */

export const name = "candle";

/** What cargo makes of `candle/`; `README.md` says how. */
export let wasm = new URL(
  "../target/candle/wasm32-unknown-unknown/release/candle_gpt2.wasm",
  import.meta.url,
);

/**
 * Says where the WebAssembly is; call it before the first load.
 * @param {string | URL} url relative to this file
 */
export function configure(url) {
  wasm = new URL(url, import.meta.url);
}

/** @returns {Promise<BufferSource>} */
async function bytes() {
  if (wasm.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return new Uint8Array(await readFile(wasm));
  }
  const answer = await fetch(wasm);
  if (!answer.ok) throw new Error(`${wasm} cannot be fetched: ${answer.status}`);
  return answer.arrayBuffer();
}

/** An instance for each model: its memory goes with it. */
async function instantiate() {
  const module = await WebAssembly.compile(await bytes());
  /** @type {Record<string, Record<string, () => never>>} */
  const imports = {};
  // candle takes random numbers from JavaScript, through wasm-bindgen. Nothing here asks for any.
  for (const { module: from, name: what } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][what] = () => {
      throw new Error(`${what} is not there`);
    };
  }
  return /** @type {any} */ ((await WebAssembly.instantiate(module, imports)).exports);
}

/**
 * @param {import("./readable.js").Config} config
 * @param {import("./readable.js").Weights} weights
 */
export async function load(config, weights) {
  const { n_layer, n_head, n_embd, n_inner, vocab_size, n_positions, layer_norm_epsilon } = config;
  let candle = await instantiate();
  // A view of memory ends as soon as memory grows, so each is made where it is used.
  const loader = candle.loader();
  for (const [tensor, { shape, data }] of Object.entries(weights)) {
    const text = new TextEncoder().encode(tensor);
    const nameAt = candle.tensor_name(loader, text.length);
    new Uint8Array(candle.memory.buffer, nameAt, text.length).set(text);
    const dataAt = candle.tensor_data(loader, data.length);
    new Float32Array(candle.memory.buffer, dataAt, data.length).set(data);
    const [columns, rows = 0] = [...shape].reverse();
    candle.add_tensor(loader, rows, columns);
  }
  const shape = [n_layer, n_head, n_embd, n_inner, vocab_size, n_positions];
  const session = candle.session(loader, ...shape, layer_norm_epsilon);

  /** @param {number[]} ids */
  function forward(ids) {
    const idsAt = candle.tokens(session, ids.length);
    new Uint32Array(candle.memory.buffer, idsAt, ids.length).set(ids);
    const logitsAt = candle.forward(session);
    return new Float32Array(candle.memory.buffer, logitsAt, vocab_size);
  }

  /** @param {number} length */
  const rewind = (length) => candle.rewind(session, length);

  return {
    /** Starts anew with these tokens; logits of the last, overwritten by the next pass. @param {number[]} ids */
    prefill(ids) {
      rewind(0);
      return forward(ids);
    },
    /** One more token; its logits, overwritten by the next pass. @param {number} id */
    decode: (id) => forward([id]),
    rewind,
    dispose() {
      candle = null;
    },
  };
}
