/**
 * The one error that this project throws on purpose. `code` never changes once released; the wording may.
 */
export class GenerationError extends Error {
  // Defined and not assigned: a page may have frozen the prototype, whose name is another.
  name = "GenerationError";

  /**
   * @param {string} code a short name for programs: `"invalid-setting"`, `"stopped"`, …
   * @param {string} message names the value and what is allowed
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }

  /**
   * One of any copy of this class: a page may have two libraries, and what reads files is a file of its own.
   * @param {unknown} value
   */
  static [Symbol.hasInstance](value) {
    return value instanceof Error && value.name === "GenerationError";
  }
}

/**
 * Whether an error says that the WebAssembly instance has failed.
 * @param {unknown} error
 */
export function isTrap(error) {
  return error instanceof GenerationError && error.code === "trapped";
}

/**
 * A value as an error message shows it: strings in quotes, everything else as JavaScript writes it.
 * @param {unknown} value
 */
export function shown(value) {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return String(value);
}

/**
 * A file that stands beside the library and is fetched when it is first wanted.
 * @template T
 * @param {string} file
 * @param {Promise<T>} imported
 * @returns {Promise<T>}
 * @throws {GenerationError} (as a rejection) `fetch-failed`
 */
export async function onDemand(file, imported) {
  try {
    return await imported;
  } catch (cause) {
    const message = `${file} cannot be fetched; it must stand beside the script that was loaded`;
    throw new GenerationError("fetch-failed", message, { cause });
  }
}
