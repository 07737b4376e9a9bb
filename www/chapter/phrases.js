/** Words and counts of the chapter's sentences about the reader's run. They know no DOM. */

import { wordsFor } from "../words.js";

/** The chapter is in English, whatever the widget speaks. */
export const words = wordsFor("en");

/**
 * A sentence with tokens in it: each stands between quotation marks.
 * @typedef {readonly (string | { token: string })[]} Phrase
 */

/** @param {number} value */
export const tokensIn = (value) => words.count(value, words.unit.token);

/** @param {number} value */
export const passesIn = (value) => words.count(value, words.unit.pass);
