/** A text as GPT-2 would cut it, drawn while the page is built. */

import { encode, vocabulary } from "../../www/chapter/gpt2.js";
import { counted, cutOf, heard } from "../../www/chapter/tokens.js";
import { Problem } from "../run.js";
import { escaped, refuseOthers } from "./elements.js";

/** `<cut-tokens>the cat sat</cut-tokens>` @type {import("./elements.js").Maker} */
export function cutTokens(written) {
  refuseOthers(written, []);
  const { text } = written;
  if (text === "") throw new Problem("has no text in it");
  const cut = cutOf(text, encode, vocabulary);
  if (cut.pieces.length < cut.tokens) throw new Problem(`has ${cut.tokens} tokens, more than are drawn`);
  const pieces = cut.pieces.map(
    (piece) =>
      `<li><span class="piece" aria-hidden="true">${escaped(piece.symbol)}</span><span class="heard">${escaped(heard(piece))},</span><span class="id">${piece.id}</span></li>`,
  );
  return `<p class="count">${counted(cut)}</p>
<ol class="pieces" role="list" aria-label="Tokens with their ids">${pieces.join("")}</ol>`;
}
