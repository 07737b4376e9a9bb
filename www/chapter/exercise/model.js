/** The mock model of the exercise, and the loop that the exercise asks for, as a reference. */

/** @typedef {(tokens: readonly number[]) => number} Model */

/** What a model gives when the text is over. */
export const END_OF_TEXT = 0;

/**
 * The model that the page shows: it counts on, up to a length of 8.
 * @type {Model}
 */
export const countOn = (tokens) => (tokens.length < 8 ? tokens.length + 1 : END_OF_TEXT);

/** The call that the reader predicts, and that the first checks make. */
export const EXAMPLE = Object.freeze({ prompt: Object.freeze([1, 2, 3]), maxNew: 20 });

/**
 * What a right program yields, and in how many passes.
 * @param {Model} model
 * @param {readonly number[]} prompt
 * @param {number} maxNew
 */
export function reference(model, prompt, maxNew) {
  /** @type {number[]} */
  const tokens = [];
  let passes = 0;
  while (tokens.length < maxNew) {
    const token = model([...prompt, ...tokens]);
    passes += 1;
    if (token === END_OF_TEXT) break;
    tokens.push(token);
  }
  return { tokens, passes };
}
