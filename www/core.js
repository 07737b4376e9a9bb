/**
 * The WebAssembly core behind the engine: starting it, opening a session, and what happens when it fails. The only importer
 * of the generated `pkg/`.
 */

import { configFrom, tensorsFrom } from "./checkpoint.js";
import { GenerationError, shown } from "./errors.js";
import init, {
  __wbg_reset_state,
  candidates,
  normalised,
  WasmConfig,
  WasmSession,
  WasmTensors,
} from "./pkg/generation_loop.js";
import deflatedWasm from "./pkg/wasm.js";

export { normalised, WasmSession };

/** @typedef {import("./checkpoint.js").Checkpoint} Checkpoint */
/** @typedef {import("./flops.js").Config} Config */

/** The shape of the shipped weights. @type {Config} */
const DEFAULT_CONFIG = Object.freeze({
  n_layer: 2,
  n_head: 2,
  n_embd: 16,
  n_inner: 64,
  vocab_size: 64,
  n_positions: 128,
  layer_norm_epsilon: 1e-5,
  tie_word_embeddings: false,
  eos_token_id: 0,
});

// One WebAssembly instance serves every loop of the page. After a trap its memory cannot be trusted: the loop that met it
// is dead, and a fresh instance takes over as soon as no other loop needs the old one.
/** @type {{ epoch: number, failed: boolean, live: number, ready: Promise<void> | undefined }} */
export const instance = { epoch: 0, failed: false, live: 0, ready: undefined };

/** Loops that nobody disposed: one that is gone must not keep an instance that failed in use for ever. */
export const undisposed = new FinalizationRegistry((/** @type {number} */ epoch) => {
  if (epoch === instance.epoch) instance.live -= 1;
});

/**
 * Compiles the module and starts it, once for all.
 * @returns {Promise<void>}
 * @throws {GenerationError} (as a rejection) `wasm-unavailable`
 */
export function coreReady() {
  instance.ready ??= inflated(deflatedWasm)
    .then((bytes) => init({ module_or_path: bytes }))
    .then(
      () => undefined,
      (cause) => {
        instance.ready = undefined;
        throw unavailable(cause);
      },
    );
  return instance.ready;
}

/**
 * @param {string} base64
 * @returns {Promise<ArrayBuffer>}
 */
async function inflated(base64) {
  const deflated = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).arrayBuffer();
}

/** @param {unknown} cause */
function unavailable(cause) {
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

/** After a trap, and once no loop needs the instance that failed, starts another. */
export function freshInstanceIfFree() {
  if (!instance.failed || instance.live > 0) return;
  __wbg_reset_state();
  instance.epoch += 1;
  instance.failed = false;
  instance.live = 0;
}

/**
 * What the core threw, as this project's error. What does not carry a code of the core's is a trap, or came of one.
 * @param {unknown} error
 * @returns {GenerationError}
 */
export function translated(error) {
  if (error instanceof GenerationError) return error;
  const { code, message } = /** @type {{ code?: unknown, message?: string }} */ (error ?? {});
  if (typeof code === "string" && message !== undefined) return new GenerationError(code, message);
  instance.failed = true;
  return trapped(error);
}

/** @param {unknown} [cause] */
export function trapped(cause) {
  const detail = cause instanceof Error ? ` (${cause.message})` : "";
  return new GenerationError(
    "trapped",
    `the WebAssembly instance has failed${detail}; load the model again`,
    { cause },
  );
}

/**
 * What the caller asked for, read and copied; nothing of it is in the core yet.
 * @param {"untrained" | Checkpoint} model
 * @returns {{ config: Config, tensors: import("./checkpoint.js").NamedTensor[] | null }} no tensors: random weights
 */
export function modelFrom(model) {
  if (model === "untrained") return { config: DEFAULT_CONFIG, tensors: null };
  if (typeof model !== "object" || model === null) {
    throw new GenerationError(
      "unknown-model",
      `model is ${shown(model)}; allowed: "untrained" or { config, weights }`,
    );
  }
  const config = configFrom(model.config);
  const tensors = tensorsFrom(model.weights);
  // The core lists the tensors of every block before it sees the first one.
  if (config.n_layer > tensors.length) {
    throw new GenerationError(
      "invalid-config",
      `n_layer is ${config.n_layer}; allowed: the number of blocks in weights, which has ${tensors.length} tensors`,
    );
  }
  return { config, tensors };
}

/**
 * @param {ReturnType<typeof modelFrom>} model
 * @returns {WasmSession}
 */
export function openSession({ config, tensors }) {
  /** @type {WasmConfig | undefined} */
  let shape;
  /** @type {WasmTensors | undefined} */
  let map;
  try {
    shape = new WasmConfig(
      config.n_layer,
      config.n_head,
      config.n_embd,
      config.n_inner,
      config.vocab_size,
      config.n_positions,
      config.layer_norm_epsilon,
      config.tie_word_embeddings,
      config.eos_token_id,
    );
    if (tensors === null) return WasmSession.untrained(shape);
    map = new WasmTensors(shape);
    for (const { name, shape, data } of tensors) map.insert(name, shape, data);
    const complete = map;
    map = undefined; // it becomes the session
    return complete.into_session();
  } catch (error) {
    throw translated(error);
  } finally {
    // What was in use when the instance failed cannot be freed: trying would hide the failure behind another.
    if (!instance.failed) {
      map?.free();
      shape?.free();
    }
  }
}

/**
 * Makes the candidates of a pass when they are asked for. It holds neither the loop nor its session: a record may outlive both.
 * @param {Float32Array} logits
 * @param {import("./settings.js").Sampling} sampling
 * @param {readonly string[]} pieces
 * @returns {() => import("./pass.js").Candidates}
 */
export function candidatesOf(logits, { method, temperature, topK, topP }, pieces) {
  return () => {
    let flat;
    try {
      flat = candidates(logits, method, temperature, topK, topP);
    } catch (error) {
      throw translated(error);
    }
    const list = Array.from({ length: (flat.length - 1) / 3 }, (_, index) => {
      const [id, probability, samplingProbability] = flat.subarray(3 * index + 1, 3 * index + 4);
      return Object.freeze({ id, text: pieces[id], probability, samplingProbability });
    });
    return { kept: flat[0], list: Object.freeze(list) };
  };
}

/**
 * What a session says of its last pass.
 * @param {WasmSession} session
 * @param {number} milliseconds
 * @param {readonly string[]} pieces the texts of all tokens
 * @returns {import("./pass.js").PassFields}
 */
export function lastPassOf(session, milliseconds, pieces) {
  const id = session.pass_token_id();
  const reason = /** @type {import("./pass.js").Stop["reason"] | undefined} */ (session.stop_reason());
  const match = session.stop_match();
  return {
    index: session.passes(),
    phase: session.pass_is_prefill() ? "prefill" : "decode",
    tokensIn: session.pass_tokens_in(),
    contextLength: session.pass_context_length(),
    flops: session.pass_flops(),
    flopsWithoutCache: session.pass_flops_without_cache(),
    cacheBytes: session.pass_cache_bytes(),
    draw: session.pass_draw() ?? null,
    token: Object.freeze({
      id,
      text: pieces[id],
      probability: session.pass_token_probability(),
      samplingProbability: session.pass_token_sampling_probability(),
    }),
    stop: reason === undefined ? null : Object.freeze(match === undefined ? { reason } : { reason, match }),
    milliseconds,
  };
}
