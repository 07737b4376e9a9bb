/**
 * Instances of WebAssembly as they are made: how many, and their memories. Nothing may be loaded before this is imported.
 *
 * Both ways of making one are watched, for the engine uses both: the first instance is instantiated, the next ones, after
 * a failure, are constructed.
 */

/** @typedef {{ memory: WebAssembly.Memory } & Record<string, (...args: number[]) => unknown>} Exports */

/** @type {Exports[]} */
export const instances = [];

/** @param {WebAssembly.Instance} instance */
function seen(instance) {
  const exports = /** @type {Exports} */ (/** @type {unknown} */ (instance.exports));
  // Node makes some for its own purposes.
  if ("wasmsession_prefill" in exports) instances.push(exports);
}

const { Instance, instantiate } = WebAssembly;

WebAssembly.instantiate = /** @type {typeof WebAssembly.instantiate} */ (
  async (/** @type {any} */ source, /** @type {any} */ imports) => {
    const made = /** @type {any} */ (await instantiate(source, imports));
    seen(made.instance ?? made);
    return made;
  }
);

WebAssembly.Instance = class extends Instance {
  /** @param {WebAssembly.Module} module @param {WebAssembly.Imports} [imports] */
  constructor(module, imports) {
    super(module, imports);
    seen(this);
  }
};

/** Bytes of the newest one's memory. */
export function memoryBytes() {
  return instances.at(-1)?.memory.buffer.byteLength ?? 0;
}
