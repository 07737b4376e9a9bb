/** How many questions were answered right. */

import { whole } from "./wording.js";

/** @typedef {import("./answers.js").Answers} Answers */
/** @typedef {readonly { id: string, options: readonly { id: string, right?: boolean }[] }[]} Marked */

/**
 * @param {Marked} questions
 * @param {Answers} answers
 * @returns {{ right: number, answered: number, total: number }}
 */
export function scoreOf(questions, answers) {
  const given = questions.flatMap(({ id, options }) => options.filter((option) => option.id === answers[id]));
  return {
    right: given.filter(({ right }) => right === true).length,
    answered: given.length,
    total: questions.length,
  };
}

/** @param {ReturnType<typeof scoreOf>} score */
export function scoreInWords({ right, answered, total }) {
  const open = total - answered;
  return `${whole(right)} of ${whole(total)} right${open === 0 ? "" : `, ${whole(open)} not answered yet`}`;
}

/**
 * A line that makes sense where the reader puts it.
 * @param {ReturnType<typeof scoreOf>} score
 */
export function scoreLine(score) {
  return `One token per forward pass, questions: ${scoreInWords(score)}.`;
}
