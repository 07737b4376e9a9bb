/** TypeScript to JavaScript, and the place of what cannot be read. */

import { transform } from "sucrase";

/** @typedef {import("./trace.js").Problem} Problem */

/**
 * The program as JavaScript. Plain JavaScript stays as it is, to the column; from TypeScript the annotations go.
 * @param {string} source
 * @param {(code: string) => Problem | null} refusal why code cannot be compiled
 * @returns {{ code: string } | { problem: Problem }}
 */
export function translate(source, refusal) {
  if (refusal(source) === null) return { code: source };
  let code;
  try {
    ({ code } = transform(source, { transforms: ["typescript"], disableESTransforms: true }));
  } catch (error) {
    return { problem: withPlace(/** @type {Error} */ (error)) };
  }
  const problem = refusal(code);
  return problem === null ? { code } : { problem: placedIn(source, code, problem) };
}

/**
 * The translator writes the place behind its message.
 * @param {Error} error
 * @returns {Problem}
 */
function withPlace(error) {
  const [, message, line, column] = /^(.*?) ?\((\d+):(\d+)\)$/s.exec(error.message) ?? [];
  if (message === undefined) return { name: "SyntaxError", message: error.message };
  return { name: "SyntaxError", message: plain(message), line: Number(line), column: Number(column) };
}

/** @param {string} message */
function plain(message) {
  return message.replace(/^Error transforming.*?: /, "");
}

/**
 * A problem of the translated text, placed in the reader's. Lines stay where they are; columns do only where nothing was
 * taken out.
 * @param {string} source
 * @param {string} code
 * @param {Problem} problem
 * @returns {Problem}
 */
export function placedIn(source, code, problem) {
  const { line, column, ...rest } = problem;
  if (line === undefined) return problem;
  const isSame = source.split("\n")[line - 1] === code.split("\n")[line - 1];
  return isSame ? { ...rest, line, column } : { ...rest, line };
}
