/** Numbers and tokens as people read them. The one place where anything is rounded for the eye. */

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/**
 * All digits, with separators.
 * @param {number} value
 */
export function whole(value) {
  return WHOLE.format(value);
}

/**
 * A count with its noun: "1 token", "11 tokens".
 * @param {number} value
 * @param {string} noun in the singular
 * @param {string} [plural]
 */
export function count(value, noun, plural = `${noun}s`) {
  return `${whole(value)} ${value === 1 ? noun : plural}`;
}

/**
 * Bytes in megabytes of a million, with one decimal.
 * @param {number} bytes
 */
export function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}

/**
 * A probability in per cent, with one decimal; what is not zero never reads as zero, what is not certain never as 100.
 * @param {number} probability 0 to 1
 */
export function percent(probability) {
  if (probability === 0) return "0%";
  if (probability < 0.001) return "<0.1%";
  if (probability === 1) return "100%";
  if (probability > 0.999) return ">99.9%";
  return `${(probability * 100).toFixed(1)}%`;
}

/**
 * How a token looks and how it is spoken. The text itself keeps its real characters.
 * @param {string} text what the token adds to the text; empty for end-of-text
 * @returns {{ symbol: string, name: string | null }} `name` is null where the symbol speaks for itself
 */
export function glyph(text) {
  if (text === "") return { symbol: "eos", name: "end of text" };
  if (text === " ") return { symbol: "␣", name: "space" };
  if (text === "\n") return { symbol: "⏎", name: "newline" };
  return { symbol: text, name: SPOKEN.get(text) ?? null };
}

/** Punctuation that most screen readers pass over. */
const SPOKEN = new Map([
  [".", "full stop"],
  [",", "comma"],
  ["!", "exclamation mark"],
  ["?", "question mark"],
  ["'", "apostrophe"],
  ['"', "quotation mark"],
  ["-", "hyphen"],
  [":", "colon"],
  [";", "semicolon"],
  ["(", "opening parenthesis"],
  [")", "closing parenthesis"],
  ["[", "opening bracket"],
  ["]", "closing bracket"],
  ["_", "underscore"],
]);

/**
 * A token in a sentence.
 * @param {string} text
 */
export function spoken(text) {
  const { symbol, name } = glyph(text);
  return name ?? symbol;
}

/**
 * Why a run ended, in words.
 * @param {import("./pass.js").Stop} stop
 * @param {number} tokens prompt and generated tokens together
 */
export function stopInWords(stop, tokens) {
  switch (stop.reason) {
    case "end-of-text":
      return "the model sampled the end-of-text token";
    case "stop-string":
      return `the stop string “${[...(stop.match ?? "")].map((character) => glyph(character).symbol).join("")}” was completed`;
    case "max-tokens":
      return `the length limit of ${count(tokens, "token")} was reached`;
    case "context-full":
      return `the model’s context of ${count(tokens, "token")} is full`;
  }
}

/** @param {import("./pass.js").Pass} pass */
export function passInWords({ index, phase, token: { text, probability } }) {
  return `Pass ${index}, ${phase}: ${spoken(text)}, ${percent(probability)}.`;
}

/** @param {number} passes */
export function passesInWords(passes) {
  const parts = passes === 1 ? "1 prefill" : `1 prefill, ${count(passes - 1, "decode")}`;
  return `${count(passes, "forward pass", "forward passes")}: ${parts}.`;
}
