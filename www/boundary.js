/**
 * The boundary to the WebAssembly core, whose functions take and give numbers only: lists and text go through its memory, as
 * `crate/src/wasm.rs` says. One instance serves every loop of the page; what happens when it fails is here too.
 */

import { GenerationError } from "./errors.js";
import { compiled } from "./module.js";
import { unavailable } from "./shipped.js";

/** @typedef {import("./shipped.js").Core} Core */

// After a trap the memory of an instance cannot be trusted: the loop that met it is dead, and a fresh instance takes over as
// soon as no other loop needs the old one.
/** @type {{ epoch: number, failed: boolean, live: number, ready: Promise<void> | undefined }} */
export const instance = { epoch: 0, failed: false, live: 0, ready: undefined };

/** The functions of the instance. @type {Core} */
export let core;

/** @type {WebAssembly.Module} */
let module;

// Views of its memory, which are of length 0 once it has grown. None of them leaves this file.
let record = new Float64Array(0);
let floats = new Float32Array(0);

/**
 * Loops that nobody disposed. One that is gone must not keep its memory, nor an instance that failed in use for ever.
 * @type {FinalizationRegistry<{ epoch: number, handle: number }>}
 */
export const undisposed = new FinalizationRegistry(({ epoch, handle }) => {
  if (epoch !== instance.epoch) return;
  instance.live -= 1;
  freed(handle);
});

/**
 * Compiles the module and starts it, once for all.
 * @returns {Promise<void>}
 * @throws {GenerationError} (as a rejection) `wasm-unavailable`
 */
export function coreReady() {
  instance.ready ??= compiled()
    .then((made) => {
      module = made;
      instantiate();
    })
    .catch((cause) => {
      instance.ready = undefined;
      throw unavailable(cause);
    });
  return instance.ready;
}

function instantiate() {
  core = /** @type {Core} */ (/** @type {unknown} */ (new WebAssembly.Instance(module).exports));
  record = new Float64Array(0);
  floats = new Float32Array(0);
}

/** After a trap, and once no loop needs the instance that failed, starts another. */
export function freshInstanceIfFree() {
  if (!instance.failed || instance.live > 0) return;
  instantiate();
  instance.epoch += 1;
  instance.failed = false;
  instance.live = 0;
}

/**
 * Frees what a handle stands for. What belongs to an instance that failed goes with it: trying would hide the failure behind
 * another.
 * @param {number} handle
 */
export function freed(handle) {
  if (!instance.failed) core.free(handle);
}

/**
 * What was thrown in a call, as this project's error. What is not one is a trap, or came of one.
 * @param {unknown} error
 * @returns {GenerationError}
 */
export function translated(error) {
  if (error instanceof GenerationError) return error;
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
 * A function that calls the core, with this project's errors.
 * @template {any[]} A
 * @template T
 * @param {(...values: A) => T} call
 * @returns {(...values: A) => T}
 */
export function guarded(call) {
  return (...values) => {
    try {
      return call(...values);
    } catch (error) {
      throw translated(error);
    }
  };
}

/**
 * What a function of the core gave that gives 0 where it failed.
 * @param {number} outcome
 * @throws {GenerationError} what went wrong
 */
export function ensured(outcome) {
  // A place beyond 2 GiB comes as a negative number.
  if (outcome !== 0) return outcome >>> 0;
  const text = leftText();
  const { 2: hasGap, 3: number } = recorded();
  const space = text.indexOf(" ");
  const message = text.slice(space + 1);
  throw new GenerationError(text.slice(0, space), hasGap ? message.replace("\0", String(number)) : message);
}

/**
 * Writes numbers where the core's next call takes them.
 * @param {ArrayLike<number>} list
 */
export function giveNumbers(list) {
  const begin = ensured(core.numbers(list.length));
  new Float64Array(core.memory.buffer, begin, list.length).set(list);
}

/** @param {ArrayLike<number>} list of 32-bit numbers */
export function giveFloats(list) {
  const begin = ensured(core.floats(list.length));
  allFloats().set(list, begin / Float32Array.BYTES_PER_ELEMENT);
}

/**
 * As UTF-16: on the way to UTF-8 half a surrogate pair would turn into another character.
 * @param {string} text
 */
export function giveText(text) {
  const begin = ensured(core.units(text.length));
  const units = new Uint16Array(core.memory.buffer, begin, text.length);
  for (let place = 0; place < text.length; place += 1) units[place] = text.charCodeAt(place);
}

/** The whole memory as 32-bit numbers. */
function allFloats() {
  if (floats.length === 0) floats = new Float32Array(core.memory.buffer);
  return floats;
}

/** The numbers of the core's record, where they stand: to be read before the next call. */
export function recorded() {
  if (record.length === 0) record = new Float64Array(core.memory.buffer, core.record() >>> 0, RECORD);
  return record;
}

/** Numbers in the record. */
const RECORD = 13;

/** What the last call left; a copy. @returns {number[]} */
export function leftNumbers() {
  const { 0: begin, 1: length } = recorded();
  const numbers = new Float64Array(core.memory.buffer, begin, length);
  // To spread a typed array takes ten times as long.
  const copy = new Array(length);
  for (let place = 0; place < length; place += 1) copy[place] = numbers[place];
  return copy;
}

export function leftFloats() {
  const { 0: begin, 1: length } = recorded();
  return new Float32Array(core.memory.buffer, begin, length).slice();
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

export function leftText() {
  const { 0: begin, 1: length } = recorded();
  return DECODER.decode(new Uint8Array(core.memory.buffer, begin, length));
}

/**
 * Tokens of a small vocabulary. Its logits are copied into plain arrays, for a typed one takes longer to make than to fill, and
 * are kept, for they take no more memory than what is made of them.
 */
export const SMALL_VOCABULARY = 1024;

/**
 * Logits from their place in the memory; a copy.
 * @param {number} place
 * @param {number} size
 * @returns {Float32Array | number[]}
 */
export function logitsAt(place, size) {
  const floats = allFloats();
  const begin = place / Float32Array.BYTES_PER_ELEMENT;
  if (size > SMALL_VOCABULARY) return floats.slice(begin, begin + size);
  const copy = new Array(size);
  for (let id = 0; id < size; id += 1) copy[id] = floats[begin + id];
  return copy;
}
