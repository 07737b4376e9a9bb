/** Files of the safetensors format, whole and broken, from models and from headers written by hand. */

import { readFileSync } from "node:fs";

/** @typedef {import("./checkpoints.js").Model} Model */
/** @typedef {{ dtype: string, shape: number[], bytes: Uint8Array }} RawTensor */
/** @typedef {Uint8Array<ArrayBuffer>} Bytes */

/** @param {...(Uint8Array | readonly number[])} parts @returns {Bytes} */
export function joined(...parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let place = 0;
  for (const part of parts) {
    bytes.set(part, place);
    place += part.length;
  }
  return bytes;
}

/** A length as the format writes it. @param {number | bigint} length @returns {Bytes} */
export function eightBytes(length) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  return bytes;
}

/**
 * A file of a header, which may be wrong, and what comes after it.
 * @param {string | Uint8Array | object} header
 * @param {Uint8Array} [data]
 */
export function assembled(header, data = new Uint8Array(0)) {
  const text = typeof header === "string" ? header : JSON.stringify(header);
  const bytes = header instanceof Uint8Array ? header : new TextEncoder().encode(text);
  return joined(eightBytes(bytes.length), bytes, data);
}

/**
 * A file of tensors, in their order.
 * @param {Record<string, RawTensor>} tensors
 * @param {Record<string, unknown>} [extra] what else is in the header
 */
export function fileOf(tensors, extra = {}) {
  let end = 0;
  const entries = Object.entries(tensors).map(([name, { dtype, shape, bytes }]) => {
    const begin = end;
    end += bytes.length;
    return [name, { dtype, shape, data_offsets: [begin, end] }];
  });
  const data = Object.values(tensors).map(({ bytes }) => bytes);
  return assembled({ ...extra, ...Object.fromEntries(entries) }, joined(...data));
}

/**
 * The tensors of a model, as 32-bit floats.
 * @param {Pick<Model, "weights">} model
 * @returns {Record<string, RawTensor>}
 */
export function rawTensors({ weights }) {
  return Object.fromEntries(
    Object.entries(weights).map(([name, { shape, data }]) => [
      name,
      { dtype: "F32", shape, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) },
    ]),
  );
}

/** A model as a file. @param {Pick<Model, "weights">} model */
export function modelFile(model) {
  return fileOf(rawTensors(model));
}

/**
 * A file taken apart.
 * @param {Uint8Array} file
 * @returns {{ length: number, text: string, header: Record<string, any>, data: Uint8Array }}
 */
export function parts(file) {
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const text = new TextDecoder().decode(file.subarray(8, 8 + length));
  return { length, text, header: JSON.parse(text), data: file.subarray(8 + length) };
}

/**
 * The same file with another header, of the right length.
 * @param {Uint8Array} file
 * @param {(header: Record<string, any>, text: string) => object | string | void} change in place, or returns another one
 */
export function withHeader(file, change) {
  const { header, text, data } = parts(file);
  return assembled(change(header, text) ?? header, data);
}

/** A model that was made with `transformers`, and what it said there. @param {string} name */
export function golden(name) {
  const folder = new URL(`../golden/models/${name}/`, import.meta.url);
  const json = (/** @type {string} */ file) => JSON.parse(readFileSync(new URL(file, folder), "utf8"));
  return {
    config: json("config.json"),
    file: new Uint8Array(readFileSync(new URL("model.safetensors", folder))),
    expected: json("expected.json"),
  };
}

/**
 * The tensors of a file of 32-bit floats by name.
 * @param {Uint8Array} file
 * @returns {Record<string, import("./checkpoints.js").Tensor>}
 */
export function namedTensors(file) {
  const { header, data } = parts(file);
  const entries = Object.entries(header).filter(([name]) => name !== "__metadata__");
  return Object.fromEntries(
    entries.map(([name, { shape, data_offsets: span }]) => [
      name,
      { shape, data: new Float32Array(data.slice(...span).buffer) },
    ]),
  );
}
