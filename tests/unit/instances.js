/**
 * Instances of WebAssembly as they are made: how many, and their memories. Nothing may be loaded before this is imported.
 */

/** @typedef {{ memory: WebAssembly.Memory } & Record<string, (...args: number[]) => any>} Exports */

/** @type {Exports[]} */
export const instances = [];

/** The last decode step of the newest one: whose it was, and where it left its logits. */
const decoded = { handle: 0, logits: 0 };

WebAssembly.Instance = class extends WebAssembly.Instance {
  /** @param {WebAssembly.Module} module @param {WebAssembly.Imports} [imports] */
  constructor(module, imports) {
    super(module, imports);
    const exports = /** @type {Exports} */ (/** @type {unknown} */ (super.exports));
    // Node makes some for its own purposes.
    if (!("decode_step" in exports)) return;
    /** @param {number} handle */
    const decode_step = (handle) => {
      decoded.handle = handle;
      decoded.logits = exports.decode_step(handle);
      return decoded.logits;
    };
    const noting = /** @type {Exports} */ (/** @type {unknown} */ ({ ...exports, decode_step }));
    Object.defineProperty(this, "exports", { value: noting });
    instances.push(noting);
  }
};

/**
 * Makes whatever points at the logits of the last decode step point far outside the memory, so that the next one of the same
 * loop traps. Other loops are not touched.
 */
export function ruinLastDecoded() {
  const words = new Uint32Array(instances[instances.length - 1].memory.buffer);
  for (
    let place = words.indexOf(decoded.logits);
    place !== -1;
    place = words.indexOf(decoded.logits, place + 1)
  ) {
    words[place] = 0xffff_fff0;
  }
}

/** Frees the session of the last decode step behind its loop's back, so that the next call of the same loop traps. */
export function freeLastDecoded() {
  instances[instances.length - 1].free(decoded.handle);
}

/** Bytes of the newest one's memory. */
export function memoryBytes() {
  return instances.at(-1)?.memory.buffer.byteLength ?? 0;
}
