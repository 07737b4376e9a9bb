/**
 * Reads the files of a model: `config.json` and `model.safetensors`. Most readers never have one, so this and what it needs
 * is a file of its own, fetched with the first.
 */

import { openBytes } from "./bytes.js";
import { GenerationError } from "./errors.js";
import { ensureFloats, floats, readHeader, refuse, standIn } from "./safetensors.js";
import { inFile, nameOf } from "./sources.js";

/** @typedef {import("./sources.js").BytesFrom} BytesFrom */
/** @typedef {import("./checkpoint.js").Loading} Loading */
/** @typedef {import("./checkpoint.js").OpenCheckpoint} OpenCheckpoint */

/** Longest `config.json`, in bytes: a hundred times any there is. */
const LONGEST_CONFIG = 1_000_000;

/**
 * What stands in a `config.json`.
 * @param {BytesFrom} from
 * @param {AbortSignal} [signal]
 * @returns {Promise<unknown>}
 * @throws {GenerationError} (as a rejection) `invalid-config`, `fetch-failed`, `read-failed`
 */
export async function readJson(from, signal) {
  const source = await openBytes(from, signal);
  const bytes = await source.take(LONGEST_CONFIG);
  source.close();
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    const found = bytes.length === 0 ? "it is empty" : standIn(bytes);
    const why = found ?? /** @type {Error} */ (error).message;
    throw new GenerationError("invalid-config", `not a config.json that can be read: ${why}`);
  }
}

/**
 * @param {BytesFrom} weights
 * @param {Loading} loading
 * @returns {Promise<Omit<OpenCheckpoint, "config" | "configFile">>}
 */
export async function openFile(weights, { signal, onProgress }) {
  const weightsFile = nameOf(weights, "model.safetensors");
  const source = await inFile(weightsFile, () => openBytes(weights, signal));
  try {
    const entries = await inFile(weightsFile, () => readHeader(source));
    const total = entries.at(-1)?.end ?? 0;
    let place = 0;
    /** @param {number} length */
    const next = async (length) => {
      const bytes = await source.take(length, (more) => onProgress?.({ loaded: place + more, total }));
      if (bytes.length < length) {
        refuse(`it ends after ${place + bytes.length} bytes of tensors; its header describes ${total}`);
      }
      place += length;
      onProgress?.({ loaded: place, total });
      return bytes;
    };
    return {
      weightsFile,
      tensors: entries,
      ensureReadable(indices) {
        for (const index of indices) ensureFloats(entries[index]);
      },
      read: (index) =>
        inFile(weightsFile, async () => {
          const { begin, end } = entries[index];
          // What is ignored is read past.
          if (begin > place) await next(begin - place);
          return floats(entries[index].dtype, await next(end - begin));
        }),
      finish: () =>
        inFile(weightsFile, async () => {
          if (place < total) await next(total - place);
          if ((await source.take(1)).length > 0) {
            refuse(`there are more bytes than the ${total} of tensors that its header describes`);
          }
        }),
      close: source.close,
    };
  } catch (error) {
    source.close();
    throw error;
  }
}
