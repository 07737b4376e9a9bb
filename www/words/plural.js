/** Counted things, in languages that tell one from many and no more. */

/**
 * @param {string} one
 * @param {string} many
 */
export const plural = (one, many) => (/** @type {string} */ shown, /** @type {number} */ value) =>
  `${shown} ${value === 1 ? one : many}`;
