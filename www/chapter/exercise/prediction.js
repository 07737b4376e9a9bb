/** What the reader says will happen, read and compared with what happens. */

import { countOn, EXAMPLE, reference } from "./model.js";
import { counted } from "./trace.js";

/** More than any answer could be. */
const MOST = 1000;
const ALLOWED = `a whole number from 0 to ${MOST.toLocaleString("en")}`;

/**
 * A number as it was typed.
 * @param {string} text
 * @returns {{ value: number } | { error: string }}
 */
export function readCount(text) {
  const typed = text.trim();
  if (typed === "") return { error: `Nothing is written here. Write ${ALLOWED}.` };
  const value = Number(typed);
  if (/^\d+$/.test(typed) && value <= MOST) return { value };
  const short = typed.length > 24 ? `${[...typed].slice(0, 24).join("")}…` : typed;
  return { error: `“${short}” is not ${ALLOWED}.` };
}

/**
 * What the loop does, found by running it, beside what was said of it.
 * @param {{ tokens: number, passes: number }} said
 */
export function compare(said) {
  const { prompt, maxNew } = EXAMPLE;
  const { tokens, passes } = reference(countOn, prompt, maxNew);
  const isRight = { tokens: said.tokens === tokens.length, passes: said.passes === passes };
  return {
    isRight,
    message: [opening(isRight), truth(tokens, passes), ...reasons(said, tokens, passes)].join(" "),
  };
}

/** @param {{ tokens: boolean, passes: boolean }} isRight */
function opening({ tokens, passes }) {
  if (tokens && passes) return "Both are right.";
  if (tokens) return "The tokens are right, the passes are not.";
  return passes ? "The passes are right, the tokens are not." : "Neither is right.";
}

/**
 * @param {readonly number[]} tokens
 * @param {number} passes
 */
function truth(tokens, passes) {
  const made = counted(passes, "pass", "passes");
  return `It yields ${counted(tokens.length, "token")}, ${tokens.join(", ")}, in ${made}: one for each token, and one that gives end-of-text.`;
}

/**
 * What may have led to a wrong answer.
 * @param {{ tokens: number, passes: number }} said
 * @param {readonly number[]} tokens
 * @param {number} passes
 */
function* reasons(said, tokens, passes) {
  if (said.tokens === EXAMPLE.maxNew) yield "The number maxNew is a limit: the model ends before it.";
  if (said.tokens === tokens.length + 1) yield "End-of-text is not yielded.";
  if (said.passes === tokens.length && said.passes !== passes)
    yield "That the text is over is something the model has to compute, too.";
}
