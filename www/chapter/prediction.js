/** How many passes does a reply take: the questions, what can be answered to them, and which step a wrong answer has missed. */

import { count, quoted, whole } from "./wording.js";

/** @typedef {import("./scripted.js").Plan} Plan */

/** The question that everybody gets first. @type {Readonly<Plan>} */
export const FIRST = Object.freeze({ prompt: 1000, reply: 200, end: "end-of-text" });

/** The largest answer that is taken. */
const MOST = 1_000_000;

/** How the runs that are asked for end, one question after another: what is new comes soon. */
const ENDS = /** @type {const} */ (["max-tokens", "at once", "end-of-text", "max-tokens", "end-of-text"]);

/**
 * Another question. One of the two lengths is small and the other large, so that no two mistakes come to the same number.
 * @param {number} asked questions so far
 * @param {() => number} random from [0, 1)
 * @returns {Plan}
 */
export function another(asked, random) {
  const between = (/** @type {number} */ least, /** @type {number} */ most, /** @type {number} */ step) =>
    least + step * Math.floor(random() * ((most - least) / step + 1));
  const end = ENDS[(asked - 1) % ENDS.length];
  if (end === "at once") return { prompt: between(100, 2000, 10), reply: 0, end: "end-of-text" };
  return random() < 0.5
    ? { prompt: between(10, 60, 5), reply: between(100, 400, 10), end }
    : { prompt: between(500, 2000, 10), reply: between(5, 100, 5), end };
}

/** @param {Plan} plan */
export function questionOf({ prompt, reply, end }) {
  const begin = `A prompt of ${count(prompt, "token")}`;
  const ask = "how many forward passes?";
  if (reply === 0) return `${begin}, and the model says end-of-text at once, without a reply: ${ask}`;
  if (end === "end-of-text")
    return `${begin}, a reply of ${count(reply, "token")}, and then end-of-text: ${ask}`;
  return `${begin}, and a reply that the length limit cuts off after ${count(reply, "token")}, before any end-of-text: ${ask}`;
}

/**
 * A number of passes from what was typed: digits, with or without commas between thousands.
 * @param {string} text
 * @returns {{ answer: number } | { error: string }}
 */
export function answerFrom(text) {
  const typed = text.trim();
  const answer = /^(?:\d+|\d{1,3}(?:,\d{3})+)$/.test(typed) ? Number(typed.replaceAll(",", "")) : Number.NaN;
  if (answer <= MOST) return { answer };
  const found = typed === "" ? "empty" : quoted(typed);
  return { error: `Your answer is ${found}; allowed: a whole number from 0 to ${whole(MOST)}.` };
}

/**
 * Which step a wrong answer has dropped or added.
 * @param {Plan} plan
 * @param {number} answer
 * @param {number} passes how many there were
 * @returns {string}
 */
export function mistakeIn(plan, answer, passes) {
  const known = mistakesIn(plan).find(([numbers]) => numbers.includes(answer));
  if (known) return known[1];
  const off = count(Math.abs(answer - passes), "pass", "passes");
  const which = `${off} too ${answer > passes ? "many" : "few"}.`;
  const last = plan.end === "end-of-text" ? ", and end-of-text is one" : "";
  return `${which} Count the passes by what they bring: each brings one token${last}.`;
}

/**
 * The usual ones, each with the numbers that it comes to.
 * @param {Plan} plan
 * @returns {[numbers: number[], text: string][]}
 */
function mistakesIn({ prompt, reply, end }) {
  const atOnce = `The prefill takes all ${count(prompt, "token")} in at once, in one pass`;
  const each = `A pass for every token of the prompt is too many. ${atOnce}.`;
  const together = [-1, 0, 1].map((more) => prompt + reply + more);
  if (reply === 0) {
    return [
      [[0], "The prefill is missing. Only a pass can say that the next token is end-of-text."],
      [[2], "One pass too many: the prefill itself brings end-of-text, and no decode follows it."],
      [together, each],
    ];
  }
  /** @type {[number[], string][]} */
  const usual = [
    [[0], "Without a pass there is no token. The prefill brings the first, and each decode one more."],
    [[1], "The prefill alone brings one token. Each further token takes a decode of its own."],
    [[2], "A pass for the prompt and one for the reply: but one pass brings one token, not a whole reply."],
    [together, each],
    [[prompt], `That is the length of the prompt, which does not matter. ${atOnce}.`],
  ];
  if (end === "max-tokens") {
    return [
      [
        [reply - 1],
        "One pass is missing: the prefill. It brings the first token, and decodes bring the others.",
      ],
      [
        [reply + 1],
        "One pass too many. The prefill is no pass on top of the reply’s, for it brings the first token; and no pass brings end-of-text here, for the limit ends the run.",
      ],
      ...usual,
    ];
  }
  return [
    [
      [reply],
      "One pass is missing: the last one, which brings end-of-text; or, if you thought of decodes alone, the prefill, which brings the first token.",
    ],
    [
      [reply - 1],
      `Two passes are missing. Decodes bring tokens 2 to ${whole(reply)}; but before them the prefill brings token 1, and after them one more decode brings end-of-text.`,
    ],
    [
      [reply + 2],
      "One pass too many. The prefill is no pass before the reply: it brings the reply’s first token.",
    ],
    ...usual,
  ];
}
