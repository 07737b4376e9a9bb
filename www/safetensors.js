/**
 * The safetensors format: 8 bytes with the length of a header, the header (JSON: type, shape and place of every tensor), then
 * the numbers. Everything that a file states is checked before anything of its size is allocated; the tensors must fill
 * the file from the header to the end, without gaps and overlaps.
 *
 * Source: https://huggingface.co/docs/safetensors (format).
 */

import { GenerationError, shown } from "./errors.js";

/**
 * One tensor of a file. `begin` and `end` count bytes from the end of the header.
 * @typedef {object} TensorEntry
 * @property {string} name
 * @property {string} dtype
 * @property {number[]} shape
 * @property {number} begin
 * @property {number} end
 */

/**
 * Bytes in order.
 * @typedef {object} ByteSource
 * @property {(length: number, onBytes?: (had: number) => void) => Promise<Uint8Array<ArrayBuffer>>} take the next bytes, fewer
 *   only at the end; a copy. `onBytes` hears how many have arrived, where they arrive little by little
 * @property {number | null} size of the whole; null where only the end will tell
 * @property {() => void} close no more is wanted
 */

/** Bytes of one number, by the format's names for types. @type {ReadonlyMap<string, number>} */
const SIZES = new Map(
  Object.entries({
    1: "BOOL U8 I8 F8_E4M3 F8_E5M2",
    2: "U16 I16 F16 BF16",
    4: "U32 I32 F32",
    8: "U64 I64 F64",
  }).flatMap(([size, names]) => names.split(" ").map((name) => /** @type {const} */ ([name, Number(size)]))),
);

/** Types that {@link floats} reads. */
const FLOATS = ["F32", "F16", "BF16"];

/** Longest header, in bytes: the limit of the format's own library. */
const LONGEST_HEADER = 100_000_000;

/**
 * The tensors of a file, in the order of their bytes.
 * @param {ByteSource} source at its beginning; afterwards it stands at the first tensor
 * @returns {Promise<TensorEntry[]>}
 * @throws {GenerationError} (as a rejection) `invalid-safetensors`, with what was found
 */
export async function readHeader({ take, size }) {
  const first = await take(8);
  if (first.length < 8) {
    refuse(first.length === 0 ? "it is empty" : `it has ${first.length} bytes; a header begins with 8`);
  }
  const length = Number(new DataView(first.buffer).getBigUint64(0, true));
  if (length < 2 || length > LONGEST_HEADER) {
    const text = foreign(new Uint8Array([...first, ...(await take(100))]));
    refuse(text ?? `its header would have ${length} bytes; allowed: 2 to ${LONGEST_HEADER}`);
  }
  const refuseEnd = (/** @type {number} */ end) =>
    refuse(`it ends after ${end} bytes, inside its header of ${length}`);
  // Where the size is known, nothing is read for a header that is not all there.
  if (size !== null && size < 8 + length) refuseEnd(size);
  const bytes = await take(length);
  if (bytes.length < length) refuseEnd(8 + bytes.length);
  const entries = entriesOf(bytes);
  const total = entries.at(-1)?.end ?? 0;
  if (size !== null && size !== 8 + length + total) {
    refuse(`it has ${size} bytes; its header describes ${8 + length + total}`);
  }
  return entries;
}

/**
 * @param {Uint8Array} bytes
 * @returns {TensorEntry[]}
 */
function entriesOf(bytes) {
  let text = "";
  let header;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    header = JSON.parse(text);
  } catch (error) {
    refuse(`its header is not JSON: ${/** @type {Error} */ (error).message}`);
  }
  if (!isObject(header)) refuse(`its header is ${shown(header)}; allowed: a JSON object`);
  const names = Object.keys(header);
  const seen = new Set();
  for (const name of namesIn(text)) {
    if (seen.has(name)) refuse(`its header has ${name} twice`);
    seen.add(name);
  }
  const entries = names.filter((name) => name !== "__metadata__").map((name) => entryOf(name, header[name]));
  // An empty tensor stands before one that begins at the same place.
  entries.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let filled = 0;
  for (const { name, begin, end } of entries) {
    if (begin !== filled) {
      refuse(`tensor ${name} begins at ${begin}; expected ${filled}, where the tensor before it ends`);
    }
    filled = end;
  }
  return entries;
}

/**
 * @param {string} name
 * @param {unknown} value
 * @returns {TensorEntry}
 */
function entryOf(name, value) {
  const { dtype, shape, data_offsets: span } = isObject(value) ? value : {};
  const counts = (/** @type {unknown} */ list) =>
    Array.isArray(list) && list.every((number) => Number.isSafeInteger(number) && number >= 0);
  if (typeof dtype !== "string" || !counts(shape) || !counts(span) || span.length !== 2) {
    const found = `dtype ${shown(dtype)}, shape ${listed(shape)} and data_offsets ${listed(span)}`;
    refuse(`tensor ${name} has ${found}; expected the name of a type, a list of sides and two places`);
  }
  const [begin, end] = span;
  if (begin > end) refuse(`tensor ${name} ends at ${end}, before it begins at ${begin}`);
  const size = SIZES.get(dtype);
  if (size === undefined) refuse(`tensor ${name} is ${dtype}; known types: ${[...SIZES.keys()].join(", ")}`);
  // Beyond 2^53 a product is not exact, but never small again.
  const expected = shape.reduce(
    (/** @type {number} */ product, /** @type {number} */ side) => product * side,
    size,
  );
  if (end - begin !== expected) {
    refuse(
      `tensor ${name} has ${end - begin} bytes; expected ${expected} for ${dtype} of shape [${shape.join(", ")}]`,
    );
  }
  return { name, dtype, shape, begin, end };
}

/**
 * A list as a message shows it.
 * @param {unknown} value
 */
function listed(value) {
  return Array.isArray(value) ? `[${value.slice(0, 8).map(shown).join(", ")}]` : shown(value);
}

/**
 * The keys of a JSON object as written: `JSON.parse` keeps only the last of two that are the same.
 * @param {string} json valid
 */
function namesIn(json) {
  const names = [];
  let depth = 0;
  for (const [token, string, colon] of json.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/g)) {
    if (string === undefined) depth += token === "{" || token === "[" ? 1 : -1;
    else if (colon !== undefined && depth === 1) names.push(JSON.parse(string));
  }
  return names;
}

/**
 * Numbers of a tensor as 32-bit floats; half precision is exact in them.
 * @param {string} dtype F32, F16 or BF16
 * @param {Uint8Array<ArrayBuffer>} bytes little-endian, from the beginning of their buffer
 */
export function floats(dtype, bytes) {
  if (dtype === "F32") return new Float32Array(bytes.buffer);
  const halves = new Uint16Array(bytes.buffer);
  if (dtype === "F16") {
    halfTable ??= Float32Array.from({ length: 65_536 }, (_, bits) => half(bits));
    const table = halfTable;
    return Float32Array.from(halves, (bits) => table[bits]);
  }
  // BF16 is the upper half of the same number in 32 bits.
  const numbers = new Float32Array(halves.length);
  const words = new Uint32Array(numbers.buffer);
  for (let i = 0; i < halves.length; i++) words[i] = halves[i] << 16;
  return numbers;
}

/**
 * @param {TensorEntry} entry
 * @throws {GenerationError} `tensor-type`
 */
export function ensureFloats({ name, dtype }) {
  if (FLOATS.includes(dtype)) return;
  throw new GenerationError("tensor-type", `tensor ${name} is ${dtype}; expected ${FLOATS.join(", ")}`);
}

/** Every 16-bit float in 32 bits. @type {Float32Array | undefined} */
let halfTable;

/** @param {number} bits */
function half(bits) {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size =
    exponent === 31
      ? fraction === 0
        ? Number.POSITIVE_INFINITY
        : Number.NaN
      : exponent === 0
        ? fraction * 2 ** -24
        : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

/**
 * What a file is that is no safetensors, if its beginning says so.
 * @param {Uint8Array} bytes
 */
function foreign(bytes) {
  const line = /^[\x20-\x7e]{8,}/.exec(new TextDecoder().decode(bytes.subarray(0, 100)))?.[0];
  return standIn(bytes) ?? (line === undefined ? null : `it begins with ${shown(line.slice(0, 40))}`);
}

/**
 * What servers give in the place of a file, if this is that.
 * @param {Uint8Array} bytes its beginning
 */
export function standIn(bytes) {
  const text = new TextDecoder().decode(bytes.subarray(0, 100));
  if (text.startsWith("version https://git-lfs")) {
    return "it is a Git LFS pointer, which stands for the file; get the file itself";
  }
  return /^\s*<(?:!doctype|html|\?xml)/i.test(text) ? "it is a web page" : null;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, any>}
 */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * @param {string} message
 * @returns {never}
 */
export function refuse(message) {
  throw new GenerationError("invalid-safetensors", `not a safetensors file that can be read: ${message}`);
}
