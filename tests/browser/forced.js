/** A model that writes what a test needs, in the form in which it can be sent to a page. */

import { scripted } from "../unit/scripted.js";

/**
 * @param {string | readonly number[]} output what it writes: text, or ids
 * @param {number} prompt tokens in the prompt that it answers
 */
export function forced(output, prompt) {
  const { config, weights } = scripted(output, { prompt });
  const plain = Object.entries(weights).map(([name, { shape, data }]) => [name, { shape, data: [...data] }]);
  return { config, weights: Object.fromEntries(plain) };
}
