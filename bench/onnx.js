/**
 * onnxruntime-web on the CPU: its WebAssembly build, one thread, SIMD. The model is the graph of `make_onnx.py`.
 */

/** @typedef {import("onnxruntime-web/wasm").Tensor} Tensor */

export const name = "onnxruntime-web";

/** Where pasts would take more than this, the oldest are dropped, in bytes. */
const MOST_KEPT = 2 ** 27;

/** A folder with `ort.wasm.min.mjs`, `ort-wasm-simd-threaded.mjs` and `ort-wasm-simd-threaded.wasm`. */
let base = new URL("../node_modules/onnxruntime-web/dist/", import.meta.url).href;

/**
 * Says where onnxruntime-web is; call it before the first load.
 * @param {string} baseUrl address of its folder `dist`, with a slash at the end
 */
export function configure(baseUrl) {
  base = new URL(baseUrl, import.meta.url).href;
}

/**
 * @param {import("./readable.js").Config} config
 * @param {unknown} _weights are in the graph too
 * @param {ArrayBuffer} onnxBytes
 */
export async function load(config, _weights, onnxBytes) {
  /** @type {typeof import("onnxruntime-web/wasm")} */
  const ort = await import(/* @vite-ignore */ `${base}ort.wasm.min.mjs`);
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = base;
  const session = await ort.InferenceSession.create(new Uint8Array(onnxBytes), {
    executionProviders: ["wasm"],
    graphOptimizationLevel: "all",
    // A plan for memory helps where shapes repeat; here every past is longer than the one before.
    enableMemPattern: false,
  });
  const { n_layer, n_head, n_embd, vocab_size } = config;
  const size = n_embd / n_head;
  const layers = Array.from({ length: n_layer }, (_, layer) => layer);
  const past = layers.map((layer) => `past_${layer}`);
  const present = layers.map((layer) => `present_${layer}`);
  const empty = layers.map(() => new ort.Tensor("float32", new Float32Array(0), [2, 1, n_head, 0, size]));

  let length = 0;
  /** Keys and values of every layer after so many tokens: going back to a length that was there costs nothing. */
  const pasts = new Map([[0, /** @type {Tensor[]} */ (empty)]]);

  const integers = (/** @type {number} */ count) =>
    new ort.Tensor("int64", new BigInt64Array(count), [1, count]);
  /** @type {Record<string, Tensor>} decode steps use the same two tensors again and again */
  const feeds = { input_ids: integers(1), position_ids: integers(1) };

  /** @param {number[]} ids @returns {Promise<Float32Array>} */
  async function forward(ids) {
    if (feeds.input_ids.size !== ids.length) {
      feeds.input_ids = integers(ids.length);
      feeds.position_ids = integers(ids.length);
    }
    const [tokens, positions] = [feeds.input_ids.data, feeds.position_ids.data];
    for (let i = 0; i < ids.length; i++) {
      tokens[i] = BigInt(ids[i]);
      positions[i] = BigInt(length + i);
    }
    const before = /** @type {Tensor[]} */ (pasts.get(length));
    for (const layer of layers) feeds[past[layer]] = before[layer];
    const results = await session.run(feeds);
    length += ids.length;
    pasts.set(
      length,
      present.map((output) => results[output]),
    );
    trim();
    const logits = /** @type {Float32Array} */ (results.logits.data);
    return logits.subarray(logits.length - vocab_size);
  }

  /** Drops the oldest pasts, but for the empty one and the newest, where all would take too much. */
  function trim() {
    const bytesPerToken = 8 * n_layer * n_embd;
    let bytes = 0;
    for (const kept of pasts.keys()) bytes += kept * bytesPerToken;
    for (const kept of pasts.keys()) {
      if (bytes <= MOST_KEPT) return;
      if (kept === 0 || kept === length) continue;
      pasts.delete(kept);
      bytes -= kept * bytesPerToken;
    }
  }

  /** The first `keep` tokens of a past. @param {Tensor} tensor @param {number} keep */
  function shortened(tensor, keep) {
    const from = /** @type {Float32Array} */ (tensor.data);
    const [, , , tokens] = tensor.dims;
    const rows = 2 * n_head;
    const to = new Float32Array(rows * keep * size);
    for (let row = 0; row < rows; row++) {
      to.set(from.subarray(row * tokens * size, (row * tokens + keep) * size), row * keep * size);
    }
    return new ort.Tensor("float32", to, [2, 1, n_head, keep, size]);
  }

  /** @param {number} keep */
  function rewind(keep) {
    if (keep >= length) return;
    const now = /** @type {Tensor[]} */ (pasts.get(length));
    if (!pasts.has(keep)) {
      pasts.set(
        keep,
        now.map((tensor) => shortened(tensor, keep)),
      );
    }
    for (const kept of pasts.keys()) if (kept > keep) pasts.delete(kept);
    length = keep;
  }

  return {
    /** Starts anew with these tokens; logits of the last. @param {number[]} ids */
    prefill(ids) {
      rewind(0);
      return forward(ids);
    },
    /** One more token; its logits. @param {number} id */
    decode: (id) => forward([id]),
    rewind,
    dispose: () => session.release(),
  };
}
