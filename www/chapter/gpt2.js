/** GPT-2's tokenizer. */

import vocabulary from "gpt-tokenizer/bpeRanks/r50k_base";
import { encode as encodeText } from "gpt-tokenizer/encoding/r50k_base";

/** What marks the end of a text is text too, where a reader has typed it. */
const AS_TEXT = { disallowedSpecial: /** @type {Set<string>} */ (new Set()) };

/** @param {string} text */
export function encode(text) {
  return encodeText(text, AS_TEXT);
}

export { vocabulary };
