/** Tokens and events as people read them, in the words of a language. */

/** @typedef {import("./words.js").Words} Words */

/**
 * How a token looks. The text itself keeps its real characters.
 * @param {string} text what the token adds to the text; empty for end-of-text
 */
export function symbolOf(text) {
  if (text === "") return "eos";
  if (text === " ") return "␣";
  return text === "\n" ? "⏎" : text;
}

/**
 * How a token is spoken; null where its symbol speaks for itself.
 * @param {string} text
 * @param {Words} words
 */
export function nameOf(text, words) {
  return words.spoken[text] ?? null;
}

/**
 * A token in a sentence.
 * @param {string} text
 * @param {Words} words
 */
export function spoken(text, words) {
  return nameOf(text, words) ?? symbolOf(text);
}

/**
 * What a model is called where the reader sees it.
 * @param {string} name as `nameOfModel` has it
 * @param {Words} words
 */
export function modelInWords(name, words) {
  return Object.hasOwn(words.weights, name) ? words.weights[name] : name;
}

/**
 * Why a run ended, in words.
 * @param {import("./pass.js").Stop} stop
 * @param {number} tokens prompt and generated tokens together
 * @param {Words} words
 */
export function stopInWords({ reason, match = "" }, tokens, words) {
  const text = [...match].map(symbolOf).join("");
  return words.stop[reason](reason === "stop-string" ? text : words.count(tokens, words.unit.token));
}

/**
 * @param {import("./pass.js").Pass} pass
 * @param {Words} words
 */
export function passInWords({ index, phase, token: { text, probability } }, words) {
  return words.announce.pass(index, words.phase[phase], spoken(text, words), words.percent(probability));
}

/**
 * @param {number} passes
 * @param {Words} words
 */
export function passesInWords(passes, words) {
  const decodes = passes === 1 ? "" : `, ${words.count(passes - 1, words.unit.decode)}`;
  return words.outcome.total(words.count(passes, words.unit.forward), decodes);
}

/**
 * What became of the guesses for a pass.
 * @param {import("./predictions.js").Outcome} outcome
 * @param {Words} words
 */
export function outcomeInWords({ pass, token, flops }, words) {
  const verdict = (/** @type {boolean} */ right) => (right ? words.predict.right : words.predict.wrong);
  const cost = words.whole(pass.flops);
  const parts = [];
  if (token !== null) {
    const came = spoken(pass.token.text, words);
    parts.push(verdict(token.right), words.predict.said(spoken(token.guess, words), came));
  }
  if (flops !== null) {
    parts.push(verdict(flops.right), words.predict.cost(words.whole(Number(flops.guess)), cost));
  }
  return parts.join(" ");
}
