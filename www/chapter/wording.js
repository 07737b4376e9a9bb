/** Numbers in the chapter's sentences, in English as the page is. */

/** All digits, with separators. */
export const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 }).format;

/** To as many digits as a sentence has use for; the sentence says "about". */
export const rounded = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 }).format;

/**
 * A count with its noun: "1 token", "1,000 tokens".
 * @param {number} value
 * @param {string} one
 * @param {string} [many]
 */
export function count(value, one, many = `${one}s`) {
  return `${whole(value)} ${value === 1 ? one : many}`;
}

/**
 * A reader's text as a message quotes it: one that is very long would bury what the message says.
 * @param {string} text
 */
export function quoted(text) {
  const characters = Array.from(text);
  return `“${characters.slice(0, LONGEST).join("")}${characters.length > LONGEST ? "…" : ""}”`;
}

/** Characters of it. */
const LONGEST = 40;
