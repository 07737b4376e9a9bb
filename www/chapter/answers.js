/** What a reader has answered: one option a question, once. Kept by the tab, where the browser lets it. */

/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} Store */
/** @typedef {Readonly<Record<string, string>>} Answers by the id of a question the id of an option */
/** @typedef {readonly { id: string, options: readonly { id: string }[] }[]} Known */

/** Under which name the tab keeps them. */
export const KEY = "generation-loop.answers";

/**
 * The answers that were kept. What somebody else has put there is no answer.
 * @param {Known} questions
 * @param {() => Store} storage a browser that keeps nothing throws when it is asked
 * @returns {Answers}
 */
export function keptAnswers(questions, storage) {
  /** @type {unknown} */
  let kept;
  try {
    kept = JSON.parse(storage().getItem(KEY) ?? "null");
  } catch {
    return {};
  }
  if (typeof kept !== "object" || kept === null) return {};
  const found = new Map(Object.entries(kept));
  return Object.fromEntries(
    questions.flatMap(({ id, options }) =>
      options.some((option) => option.id === found.get(id)) ? [[id, found.get(id)]] : [],
    ),
  );
}

/**
 * Keeps them; none at all leaves nothing behind.
 * @param {Answers} answers
 * @param {() => Store} storage
 * @returns {boolean} whether the browser took them
 */
export function keep(answers, storage) {
  try {
    if (Object.keys(answers).length === 0) storage().removeItem(KEY);
    else storage().setItem(KEY, JSON.stringify(answers));
    return true;
  } catch {
    return false;
  }
}
