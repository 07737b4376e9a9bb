/** A text cut into sub-word tokens: how many there are, and the pieces as they are shown. It knows no tokenizer of its own. */

/**
 * A token as it is drawn.
 * @typedef {object} Piece
 * @property {number} id
 * @property {string | null} text null where the token is only some bytes of a character
 * @property {string} symbol with its spaces visible; of bytes, their two digits each
 */

/**
 * @typedef {object} Cut
 * @property {number} characters of the text
 * @property {number} tokens
 * @property {Piece[]} pieces the first of them
 */

/**
 * A vocabulary: what each id stands for, as text, or as bytes that are none.
 * @typedef {readonly (string | readonly number[])[]} Vocabulary
 */

/** The most tokens that are drawn. */
export const MOST_DRAWN = 400;

/**
 * @param {string} text
 * @param {(text: string) => number[]} encode
 * @param {Vocabulary} vocabulary
 * @param {number} [most]
 * @returns {Cut}
 */
export function cutOf(text, encode, vocabulary, most = MOST_DRAWN) {
  const ids = encode(text);
  return {
    characters: charactersOf(text),
    tokens: ids.length,
    pieces: ids.slice(0, most).map((id) => pieceOf(id, vocabulary[id])),
  };
}

/** Characters as a reader counts them in plain text: a pair of surrogates is one. @param {string} text */
export function charactersOf(text) {
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters;
}

/**
 * @param {number} id
 * @param {string | readonly number[]} value
 * @returns {Piece}
 */
function pieceOf(id, value) {
  if (typeof value === "string") return { id, text: value, symbol: visible(value) };
  const digits = value.map((byte) => byte.toString(16).toUpperCase().padStart(2, "0"));
  return { id, text: null, symbol: digits.join(" ") };
}

/** @param {string} text */
function visible(text) {
  // A control character has a picture of its own, 0x2400 after it.
  return text.replace(/[\0- \x7f\xa0]/g, (character) => {
    const code = character.charCodeAt(0);
    if (character === " ") return "␣";
    if (character === "\n") return "⏎";
    if (character === "\t") return "⇥";
    if (code === 0xa0) return "⍽";
    return code === 0x7f ? "␡" : String.fromCharCode(0x2400 + code);
  });
}

/** How a piece is read aloud. @param {Piece} piece */
export function heard({ text }) {
  if (text === null) return "part of a character";
  return text.replaceAll(" ", " space ").replaceAll("\n", " newline ").replaceAll("\t", " tab ").trim();
}

/**
 * How many there are, in a sentence.
 * @param {Pick<Cut, "characters" | "tokens">} cut
 */
export function counted({ characters, tokens }) {
  const of = (/** @type {number} */ number, /** @type {string} */ noun) =>
    `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
  return `${of(characters, "character")} ${characters === 1 ? "is" : "are"} ${of(tokens, "token")} here.`;
}
