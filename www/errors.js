/**
 * The one error that this project throws on purpose. `code` never changes once released; the wording may.
 */
export class GenerationError extends Error {
  /**
   * @param {string} code a short name for programs: `"invalid-setting"`, `"stopped"`, …
   * @param {string} message names the value and what is allowed
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.name = "GenerationError";
    this.code = code;
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
