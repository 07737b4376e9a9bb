/** What the files of a model can come from, and what errors call them. */

import { GenerationError } from "./errors.js";

/**
 * What bytes can come from; text is an address.
 * @typedef {string | Blob | ArrayBuffer | Uint8Array} BytesFrom
 */

/**
 * @param {unknown} value
 * @returns {value is BytesFrom}
 */
export function isBytes(value) {
  return (
    typeof value === "string" ||
    value instanceof Blob ||
    value instanceof ArrayBuffer ||
    value instanceof Uint8Array
  );
}

/**
 * An address in full, null where it has no meaning.
 * @param {string} address
 * @param {string} [base] where it begins from: the page, if nothing is said
 */
export function absolute(address, base = globalThis.document?.baseURI ?? globalThis.location?.href) {
  try {
    return new URL(address, base).href;
  } catch {
    return null;
  }
}

/**
 * How an error calls it.
 * @param {BytesFrom} from
 * @param {string} name if it has none of its own
 */
export function nameOf(from, name) {
  if (typeof from === "string") return from;
  return from instanceof Blob && "name" in from ? String(from.name) : name;
}

/**
 * Has errors name the file.
 * @template T
 * @param {string | null} file
 * @param {() => T | Promise<T>} read
 * @returns {Promise<T>}
 */
export async function inFile(file, read) {
  try {
    return await read();
  } catch (error) {
    if (file === null || !(error instanceof GenerationError) || error.code === "trapped") throw error;
    throw new GenerationError(error.code, `${file}: ${error.message}`, { cause: error });
  }
}
