/** What a loop can make of a text as its prompt, and why of another it can make none. It knows no DOM. */

import { GenerationError, isTrap } from "./errors.js";

/**
 * A prompt as far as it was understood.
 * @typedef {object} PromptState
 * @property {string} text as the vocabulary sees it
 * @property {{ text: string, supported: boolean }[]} tokens one for each character
 * @property {string | null} error why it cannot be processed
 * @property {"plain" | null} note what the normaliser changed: characters into their plain forms
 */

/** @typedef {import("./run.js").Loop} Loop */

/**
 * @param {Loop} loop
 * @param {string} text
 * @param {number} limit tokens that a run can hold
 * @returns {Omit<PromptState, "error"> & { ids: number[] | undefined, refused: GenerationError | null }} no ids where there is
 *   no reading of it at all
 */
export function readPrompt(loop, text, limit) {
  const read = asTextOrIds(loop, text);
  const { length } = read.tokens;
  if (read.refused !== null || length < limit) return read;
  const name = loop.maxTokens === null ? "n_positions" : "max-tokens";
  const room = `at most ${limit - 1} leave room for a new one (${name} is ${limit})`;
  const refused = new GenerationError("prompt-too-long", `the prompt has ${length} tokens; ${room}`);
  return { ...read, refused };
}

/**
 * @param {Loop} loop
 * @param {string} text
 * @returns {ReturnType<typeof readPrompt>}
 */
function asTextOrIds(loop, text) {
  try {
    return { ids: loop.encode(text), refused: null, ...asText(loop, text) };
  } catch (error) {
    const refused = known(error);
    return refused.code === "no-character-table"
      ? asIds(loop, text)
      : { ids: undefined, refused, ...asText(loop, text) };
  }
}

/**
 * The prompt in a vocabulary of characters.
 * @param {Loop} loop
 * @param {string} typed
 */
function asText(loop, typed) {
  const text = loop.normalise(typed);
  /** @type {PromptState["note"]} */
  const note = text === typed ? null : "plain";
  // Each character is tried once, however often it stands there.
  const supported = new Map(
    [...new Set(text)].map((character) => [character, refusalOf(loop, character) === null]),
  );
  const tokens = [...text].map((character) => ({
    text: character,
    supported: supported.get(character) ?? false,
  }));
  return { text, tokens, note };
}

/**
 * The prompt in a vocabulary that has no characters: ids.
 * @param {Loop} loop
 * @param {string} text
 */
function asIds(loop, text) {
  const last = loop.config.vocab_size - 1;
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const isId = (/** @type {string} */ word) =>
    /^#?\d{1,15}$/.test(word) && Number(word.replace("#", "")) <= last;
  const ids = words.map((word) => Number(word.replace("#", "")));
  const wrong = words.filter((word) => !isId(word));
  const allowed = `this model has no table of characters: its prompt is token ids from 0 to ${last}, as in "1 2 3"`;
  const refused =
    words.length === 0
      ? new GenerationError("empty-prompt", `the prompt is empty; ${allowed}`)
      : wrong.length === 0
        ? null
        : new GenerationError(
            "token-out-of-range",
            `not a token: ${wrong.slice(0, 5).join(", ")}; ${allowed}`,
          );
  const tokens = words.map((word) => ({ text: word.replace(/^#?/, "#"), supported: isId(word) }));
  return { text, tokens, note: null, ids, refused };
}

/**
 * Why the model cannot read a text; null if it can.
 * @param {Loop} loop
 * @param {string} text
 */
export function refusalOf(loop, text) {
  try {
    loop.encode(text);
    return null;
  } catch (error) {
    return known(error);
  }
}

/**
 * A refusal. Anything else is none, and goes on its way.
 * @param {unknown} error
 */
function known(error) {
  if (!(error instanceof GenerationError) || isTrap(error)) throw error;
  return error;
}
