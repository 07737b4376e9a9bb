/** Text and token ids of one model: the built-in table where it has 64 tokens, `#412` for id 412 in any other vocabulary. */

import { GenerationError, shown } from "./errors.js";

/**
 * The core's part.
 * @typedef {object} Tables
 * @property {(text: string) => number[]} encode
 * @property {(id: number) => string} piece
 * @property {(text: string) => string} normalised
 */

/** So many texts are made at once: those of a small vocabulary are there for records that outlive whatever made them. */
const MOST_MADE_AT_ONCE = 1024;

export class Vocabulary {
  #tables;
  /** @type {string[]} */
  #pieces = [];

  /**
   * @param {number} size
   * @param {number | null} endOfText its id, if there is one
   * @param {Tables} tables
   */
  constructor(size, endOfText, tables) {
    this.size = size;
    this.#tables = tables;
    if (endOfText !== null) this.#pieces[endOfText] = "";
    for (let id = 0; id < Math.min(size, MOST_MADE_AT_ONCE); id += 1) this.piece(id);
  }

  /**
   * The text that a token adds; empty for end-of-text.
   * @param {number} id
   */
  piece(id) {
    this.#pieces[id] ??= this.#tables.piece(id);
    return this.#pieces[id];
  }

  /**
   * Token ids of a text, normalised first.
   * @param {string} text
   * @returns {number[]}
   */
  encode(text) {
    return this.#tables.encode(text);
  }

  /**
   * The text of token ids.
   * @param {readonly number[]} ids
   * @returns {string}
   * @throws {GenerationError} `token-out-of-range`
   */
  decode(ids) {
    return ids
      .map((id) => {
        if (Number.isInteger(id) && id >= 0 && id < this.size) return this.piece(id);
        throw new GenerationError(
          "token-out-of-range",
          `token id ${id} is outside the vocabulary; allowed: 0 to ${this.size - 1}`,
        );
      })
      .join("");
  }

  /**
   * A text as the vocabulary sees it: small letters, straight quotes, plain spaces and line ends.
   * @param {string} text
   * @returns {string}
   */
  normalise(text) {
    // Around half a surrogate pair, which has no UTF-8.
    return text.replace(/\P{Surrogate}+/gu, this.#tables.normalised);
  }
}

/**
 * @param {unknown} text
 * @returns {string}
 * @throws {GenerationError} `invalid-setting`
 */
export function textFrom(text) {
  if (typeof text === "string") return text;
  throw new GenerationError("invalid-setting", `text is ${shown(text)}; allowed: a string`);
}
