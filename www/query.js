/**
 * Settings in an address, as a link to a run has them in its fragment and the page for frames in its query: how they are written, taken
 * apart and complained of. It knows no DOM.
 */

import { shown } from "./errors.js";
import { stopAsText } from "./settings.js";

/** An address of nothing but nonsense must not fill a screen: so many problems, … */
export const MOST_PROBLEMS = 5;

/** … and so many characters of a value. */
const MOST_SHOWN = 40;

/** @param {boolean} on */
const onOff = (on) => (on ? "on" : "off");

/**
 * How a value is written where it is not simply its text.
 * @type {Readonly<Record<string, (value: any) => string>>}
 */
const WRITTEN = {
  seed: (seed) => String(seed ?? ""),
  stop: (strings) => stopAsText(strings),
  maxTokens: (limit) => String(limit ?? "none"),
  hide: (panels) => panels.join(" "),
  cache: onOff,
  autoplay: onOff,
  predict: onOff,
};

/** A setting as its attribute has it. @param {string} name @param {unknown} value */
export const textOf = (name, value) => (WRITTEN[name] ?? String)(value);

/**
 * The parts of a query, in order: name and text of each, or neither where it cannot be read.
 * @param {string} query what follows the question mark
 * @returns {Generator<{ part: string, pair: [name: string, text: string] | null }>}
 */
export function* partsOf(query) {
  for (const part of query.split("&")) {
    if (part === "") continue;
    try {
      // Not by URLSearchParams, which passes over what is broken: a letter less is another prompt.
      const [name = "", text = ""] = /^([^=]*)=?(.*)$/s.exec(part)?.slice(1).map(decoded) ?? [];
      yield { part, pair: [name, text] };
    } catch {
      yield { part, pair: null };
    }
  }
}

/** What a part that cannot be read should have been. */
export const READABLE = "allowed: UTF-8 after percent signs";

/** As a form would have written it. @param {string} text */
const decoded = (text) => decodeURIComponent(text.replaceAll("+", " "));

/** A text as an error shows it, and not too much of it. @param {string} text */
export const short = (text) => shown(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);

/**
 * What is wrong with a text, in one line however long the text is.
 * @param {string} name
 * @param {string} text
 * @param {unknown} error of its reading
 */
export function complaint(name, text, error) {
  // What is allowed stands at the end of the message; the value before it may be as long as a book.
  return `${name} is ${short(text)}; ${/** @type {Error} */ (error).message.split("; ").at(-1)}`;
}
