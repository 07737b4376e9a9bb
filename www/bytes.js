/** Where the bytes of a checkpoint come from: an address, a file of the reader's, or memory. Nothing is ever sent. */

import { GenerationError } from "./errors.js";

/** @typedef {import("./safetensors.js").ByteSource} ByteSource */
/** @typedef {import("./sources.js").BytesFrom} BytesFrom */

/**
 * @param {BytesFrom} from
 * @param {AbortSignal} [signal]
 * @returns {Promise<ByteSource>}
 * @throws {GenerationError} (as a rejection) `fetch-failed`; the signal's reason once it is aborted
 */
export async function openBytes(from, signal) {
  if (typeof from === "string") return ofStream(await fetched(from, signal), signal);
  /** @type {(begin: number, end: number) => Promise<Uint8Array<ArrayBuffer>>} */
  const part = async (begin, end) =>
    new Uint8Array(
      from instanceof Blob ? await contentOf(from.slice(begin, end)) : viewOf(from).slice(begin, end),
    );
  let place = 0;
  return {
    size: from instanceof Blob ? from.size : from.byteLength,
    async take(length) {
      signal?.throwIfAborted();
      const taken = await part(place, place + length);
      place += taken.length;
      return taken;
    },
    close() {},
  };
}

/**
 * A plain view: the `slice` of Node's own subclass copies nothing.
 * @param {ArrayBuffer | Uint8Array} memory
 */
function viewOf(memory) {
  // Also one that was transferred away, of which there can be no view.
  if (memory.byteLength === 0) return new Uint8Array(0);
  return memory instanceof ArrayBuffer
    ? new Uint8Array(memory)
    : new Uint8Array(memory.buffer, memory.byteOffset, memory.byteLength);
}

/** @param {Blob} blob */
async function contentOf(blob) {
  try {
    return await blob.arrayBuffer();
  } catch (cause) {
    const why = /** @type {Error} */ (cause).message;
    throw new GenerationError("read-failed", `it cannot be read (${why}); choose it again`, { cause });
  }
}

/**
 * @param {string} address
 * @param {AbortSignal} [signal]
 */
async function fetched(address, signal) {
  let response;
  try {
    response = await fetch(address, { signal });
  } catch (cause) {
    signal?.throwIfAborted();
    const why = /** @type {Error} */ (cause).message;
    throw new GenerationError(
      "fetch-failed",
      `it cannot be fetched (${why}); its server must allow this page to read it (CORS), and the page's Content-Security-Policy must have it in connect-src`,
      { cause },
    );
  }
  // An error page is no file, whatever it looks like.
  if (!response.ok) {
    response.body?.cancel().catch(() => undefined);
    throw new GenerationError(
      "fetch-failed",
      `its server answered ${response.status} ${response.statusText}`.trim(),
    );
  }
  return response.body ?? new Blob([]).stream();
}

/**
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} stream
 * @param {AbortSignal} [signal]
 * @returns {ByteSource}
 */
function ofStream(stream, signal) {
  const reader = stream.getReader();
  let rest = new Uint8Array(0);
  return {
    // Not the Content-Length: where the transfer was compressed, that is another number.
    size: null,
    async take(length, onBytes) {
      const parts = [rest];
      let had = rest.length;
      onBytes?.(Math.min(had, length));
      while (had < length) {
        const { value, done } = await next(reader, signal);
        if (done) break;
        parts.push(value);
        had += value.length;
        onBytes?.(Math.min(had, length));
      }
      // No more than has come is allocated, whatever length was asked for.
      const taken = new Uint8Array(Math.min(length, had));
      let place = 0;
      for (const part of parts) {
        const fits = part.subarray(0, taken.length - place);
        taken.set(fits, place);
        place += fits.length;
        rest = part.slice(fits.length);
      }
      return taken;
    },
    close: () => void reader.cancel().catch(() => undefined),
  };
}

/**
 * @param {ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>} reader
 * @param {AbortSignal} [signal]
 */
async function next(reader, signal) {
  signal?.throwIfAborted();
  try {
    return await reader.read();
  } catch (cause) {
    signal?.throwIfAborted();
    const why = /** @type {Error} */ (cause).message;
    throw new GenerationError("fetch-failed", `the connection broke off (${why})`, { cause });
  }
}
