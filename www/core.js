/** The core behind the engine, in its own words: models and what they become, texts, candidates, and what a pass has written. */

import {
  core,
  ensured,
  freed,
  freshInstanceIfFree,
  giveFloats,
  giveNumbers,
  giveText,
  guarded,
  instance,
  leftNumbers,
  leftText,
  recorded,
  SMALL_VOCABULARY,
  trapped,
} from "./boundary.js";
import { configFrom, NO_FILE, openCheckpoint } from "./checkpoint.js";
import { GenerationError, shown } from "./errors.js";
import { isAddress, METHODS, MODELS, samplingFrom } from "./settings.js";
import { shippedConfig, trained } from "./shipped.js";
import { absolute, inFile } from "./sources.js";
import { Vocabulary } from "./vocabulary.js";

/** @typedef {import("./checkpoint.js").Checkpoint} Checkpoint */
/** @typedef {import("./checkpoint.js").OpenCheckpoint} OpenCheckpoint */
/** @typedef {import("./flops.js").Config} Config */
/** @typedef {import("./settings.js").Sampling} Sampling */

/**
 * The text of a model's token ids, and back. Needs the core.
 * @param {Config} config
 */
export function vocabularyOf({ vocab_size, eos_token_id }) {
  return new Vocabulary(vocab_size, eos_token_id, {
    encode: guarded((text) => {
      giveText(text);
      ensured(core.encode(vocab_size));
      return leftNumbers();
    }),
    piece: guarded((id) => {
      core.piece(id, vocab_size);
      return leftText();
    }),
    normalised: guarded((text) => {
      giveText(text);
      core.normalised();
      return leftText();
    }),
  });
}

/**
 * Where a model's configuration and weights are; null for the random numbers, which are made and not read.
 * @param {unknown} model
 * @returns {Promise<Checkpoint> | Checkpoint | null}
 * @throws {GenerationError} `unknown-model`
 */
export function checkpointOf(model) {
  if (model === "untrained") return null;
  if (model === "trained") return trained();
  if (isAddress(model)) {
    const address = absolute(model);
    if (address !== null) {
      const folder = new URL(address);
      if (!folder.pathname.endsWith("/")) folder.pathname += "/";
      return {
        config: new URL("config.json", folder).href,
        weights: new URL("model.safetensors", folder).href,
      };
    }
  }
  if (typeof model === "object" && model !== null) return /** @type {Checkpoint} */ (model);
  const allowed = `${MODELS.join(", ")}, the address of a folder, or { config, weights }`;
  throw new GenerationError("unknown-model", `model is ${shown(model)}; allowed: ${allowed}`);
}

/**
 * @param {unknown} model
 * @param {import("./checkpoint.js").Loading} loading
 * @returns {Promise<OpenCheckpoint>}
 */
export async function openModel(model, loading) {
  const source = checkpointOf(model);
  // No wait for a model in memory: whoever gave it may change it afterwards.
  const checkpoint = source instanceof Promise ? await source : source;
  return checkpoint === null
    ? {
        config: configFrom(shippedConfig),
        configFile: null,
        ...NO_FILE,
        tensors: null,
        read: () => Promise.reject(),
      }
    : openCheckpoint(checkpoint, loading);
}

/**
 * Reads the weights into a session. Whatever can be known before the first number is read, is: names, shapes, memory.
 * @template T
 * @param {OpenCheckpoint} checkpoint
 * @param {(handle: number, parameters: number) => T} adopt makes what the session belongs to from then on; `parameters`
 *   is the number of weights
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export async function openSession(checkpoint, adopt, signal) {
  const { config, configFile, weightsFile, tensors } = checkpoint;
  freshInstanceIfFree();
  const hadFailed = instance.failed;
  const inCore = (/** @type {string | null} */ file, /** @type {() => any} */ call) =>
    inFile(file, () => {
      signal?.throwIfAborted();
      // What was begun before the instance failed is lost with it.
      if (instance.failed && !hadFailed) throw trapped();
      return guarded(call)();
    });
  // Nobody may replace the instance while it is waited for bytes.
  instance.live += 1;
  /** @type {number | undefined} */
  let held;
  try {
    const [handle, parameters] = await inCore(configFile, () => modelOf(config));
    held = handle;
    if (tensors !== null) {
      await inCore(configFile, () => ensureBlocks(checkpoint));
      const wanted = await inCore(weightsFile, () => wantedOf(handle, checkpoint));
      for (const index of wanted) {
        const data = await checkpoint.read(index);
        await inCore(weightsFile, () => {
          giveTensor(tensors[index]);
          giveFloats(data);
          ensured(core.insert(handle));
        });
      }
      await checkpoint.finish();
    }
    await inCore(weightsFile, () => ensured(core.start(handle, Number(tensors === null))));
    held = undefined; // it belongs to the loop
    return adopt(handle, parameters);
  } finally {
    checkpoint.close();
    instance.live -= 1;
    if (held !== undefined) freed(held);
  }
}

/**
 * A model of another depth: said as such, and not by the first tensor that is missing or too much.
 * @param {OpenCheckpoint} checkpoint
 */
function ensureBlocks({ config, tensors }) {
  const blocks = new Set();
  for (const { name } of tensors ?? []) {
    const block = /^(?:transformer\.)?h\.(\d+)\.(?!attn\.(?:masked_)?bias$)/.exec(name)?.[1];
    if (block !== undefined) blocks.add(block);
  }
  if (blocks.size === 0 || blocks.size === config.n_layer) return;
  const expected = `${blocks.size}, the number of blocks in the weights`;
  throw new GenerationError("invalid-config", `n_layer is ${config.n_layer}; expected ${expected}`);
}

/**
 * Which tensors are to be read, once all that can be known of them before that is known to be right.
 * @param {number} handle
 * @param {OpenCheckpoint} checkpoint
 */
function wantedOf(handle, { tensors, ensureReadable }) {
  const all = tensors ?? [];
  const wanted = [...all.keys()].filter((index) => {
    giveTensor(all[index]);
    return ensured(core.announce(handle)) === WANTED;
  });
  ensured(core.ensure_complete(handle));
  ensureReadable(wanted);
  return wanted;
}

/** What the core says to a tensor that is not to be ignored. */
const WANTED = 2;

/** @param {{ name: string, shape: readonly number[] }} tensor */
function giveTensor({ name, shape }) {
  giveText(name);
  giveNumbers(shape);
}

/**
 * A model with no weights yet: its handle, and how many weights it will have.
 * @param {Config} config
 */
function modelOf(config) {
  giveNumbers([
    config.n_layer,
    config.n_head,
    config.n_embd,
    config.n_inner,
    config.vocab_size,
    config.n_positions,
    config.layer_norm_epsilon,
    Number(config.tie_word_embeddings),
    ...(config.eos_token_id === null ? [] : [config.eos_token_id]),
  ]);
  return [ensured(core.open()), recorded()[0]];
}

/**
 * A method as the core takes it.
 * @param {Sampling} sampling
 */
export function methodOf({ method, temperature, topK, topP }) {
  return /** @type {const} */ ([METHODS.indexOf(method), temperature, topK, topP]);
}

/**
 * Makes the candidates of a pass when they are asked for: under its own method, or under another. It holds neither the loop nor
 * its session: a record may outlive both.
 * @param {Float32Array | number[]} logits
 * @param {import("./settings.js").Sampling} sampling
 * @param {Vocabulary} vocabulary
 * @returns {(other?: Partial<import("./settings.js").Sampling>) => import("./pass.js").Candidates | null} null: the logits are
 *   no longer kept
 */
export function candidatesOf(logits, sampling, vocabulary) {
  /** @type {Float32Array | number[] | null} */
  let kept = logits;
  return (other) => {
    if (kept === null) return null;
    const flat = candidatesUnder(kept, other === undefined ? sampling : samplingFrom(other, sampling));
    const list = [];
    for (let place = 1; place < flat.length; place += 3) {
      const id = flat[place];
      const text = vocabulary.piece(id);
      list.push(
        Object.freeze({ id, text, probability: flat[place + 1], samplingProbability: flat[place + 2] }),
      );
    }
    // Those of a large vocabulary would soon be all of the memory.
    if (kept.length > SMALL_VOCABULARY) kept = null;
    return { kept: flat[0], list: Object.freeze(list) };
  };
}

const candidatesUnder = guarded(
  (/** @type {Float32Array | number[]} */ logits, /** @type {Sampling} */ sampling) => {
    giveFloats(logits);
    ensured(core.candidates(...methodOf(sampling)));
    return leftNumbers();
  },
);

/** @type {readonly import("./pass.js").Stop["reason"][]} */
const REASONS = ["end-of-text", "stop-string", "max-tokens", "context-full"];

/**
 * The pass that the core has just written.
 * @param {number} milliseconds
 * @param {Vocabulary} vocabulary
 * @param {readonly string[]} stopStrings
 * @returns {import("./pass.js").PassFields}
 */
export function writtenPass(milliseconds, vocabulary, stopStrings) {
  const record = recorded();
  const draw = record[7];
  const id = record[8];
  return {
    index: record[0],
    phase: record[1] === 1 ? "prefill" : "decode",
    tokensIn: record[2],
    contextLength: record[3],
    flops: record[4],
    flopsWithoutCache: record[5],
    cacheBytes: record[6],
    draw: Number.isNaN(draw) ? null : draw,
    stop: record[11] === 0 ? null : stopOf(REASONS[record[11] - 1], stopStrings[record[12]]),
    milliseconds,
    token: Object.freeze({
      id,
      probability: record[9],
      samplingProbability: record[10],
      // At the end, for it may be a call into the core, which writes into the record.
      text: vocabulary.piece(id),
    }),
  };
}

/**
 * @param {import("./pass.js").Stop["reason"]} reason
 * @param {string} match
 */
function stopOf(reason, match) {
  return Object.freeze(reason === "stop-string" ? { reason, match } : { reason });
}
