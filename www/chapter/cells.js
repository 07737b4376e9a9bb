/** How tokens stand in the chapter's drawings and sentences. */

import { html, nothing } from "lit";
import { nameOf, symbolOf } from "../format.js";
import { words } from "./phrases.js";

/** @typedef {import("./phrases.js").Phrase} Phrase */

/**
 * What a token looks like; what screen readers pass over is said in words.
 * @param {string} text
 */
function glyph(text) {
  const [symbol, name] = [symbolOf(text), nameOf(text, words)];
  if (name === null) return symbol;
  return html`<span aria-hidden="true">${symbol}</span><span class="sr">${name}</span>`;
}

/**
 * @param {string} text
 * @param {"waiting" | "prompt" | "generated"} kind
 */
export function cell(text, kind) {
  return html`<span class=${`token ${kind}${symbolOf(text).length > 1 ? " long" : ""}`}>${glyph(text)}</span>`;
}

/** @param {Phrase} phrase */
export function phrased(phrase) {
  return phrase.map((part) => (typeof part === "string" ? part : html`“${glyph(part.token)}”`));
}

/**
 * A drawing's sentence, in the room that it has kept for it.
 * @param {Phrase} phrase
 * @param {boolean} [old] whether it tells of what is no longer so
 */
export function said(phrase, old = false) {
  return html`<p class=${old ? "said note" : "said"}>${phrase.length > 0 ? phrased(phrase) : nothing}</p>`;
}
