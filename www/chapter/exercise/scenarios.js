/** The calls under which a program is judged: the example, its edges, and other models by chance, the same every time. */

import { countOn, END_OF_TEXT, EXAMPLE } from "./model.js";

/**
 * One call of the reader's function.
 * @typedef {object} Scenario
 * @property {"example" | "limit" | "stop" | "other"} group which of the checks it is made for
 * @property {string} about the model in a few words, where it is not the one on the page
 * @property {import("./model.js").Model} model
 * @property {readonly number[]} prompt
 * @property {number} maxNew
 * @property {number} [stopAfter] after so many tokens nobody wants more
 */

/** Whoever reads a message can make the same call again: the seed is no secret and does not change. */
const SEED = 1706;

/**
 * Numbers in [0, 1) by mulberry32: enough for test data.
 * @param {number} seed
 */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A model whose next token depends on every token before it, so that one that is left out shows.
 * @param {number} salt
 * @param {number} length where it ends; Infinity for never
 * @returns {import("./model.js").Model}
 */
function mixing(salt, length) {
  return (tokens) => {
    if (tokens.length >= length) return END_OF_TEXT;
    let mixed = salt;
    for (const token of tokens) mixed = (Math.imul(mixed, 31) + token + 7) >>> 0;
    return 1 + (mixed % 90);
  };
}

/**
 * All of them, the example first.
 * @param {number} [seed]
 * @returns {Scenario[]}
 */
export function scenarios(seed = SEED) {
  const random = randomFrom(seed);
  const whole = (/** @type {number} */ from, /** @type {number} */ to) =>
    from + Math.floor(random() * (to - from + 1));
  const somePrompt = () => Array.from({ length: whole(1, 5) }, () => whole(1, 90));
  const salt = () => whole(1, 2 ** 30);

  const { prompt, maxNew } = EXAMPLE;
  /** @type {(limit: number) => Scenario} */
  const limited = (limit) => ({ group: "limit", about: "", model: countOn, prompt, maxNew: limit });
  const never = somePrompt();
  const atOnce = somePrompt();
  /** @type {Scenario[]} */
  const others = Array.from({ length: 3 }, () => {
    const start = somePrompt();
    const length = start.length + whole(2, 9);
    return {
      group: "other",
      about: `a model that ends after ${length} tokens`,
      model: mixing(salt(), length),
      prompt: start,
      maxNew: whole(10, 30),
    };
  });
  return [
    { group: "example", about: "", model: countOn, prompt, maxNew },
    limited(2),
    // As many tokens as the model has: the pass that would give end-of-text is not wanted any more.
    limited(5),
    limited(0),
    { group: "stop", about: "", model: countOn, prompt, maxNew, stopAfter: 2 },
    { group: "other", about: "", model: countOn, prompt: [7, 7, 7, 7, 7, 7], maxNew },
    { group: "other", about: "a model that ends at once", model: () => END_OF_TEXT, prompt: atOnce, maxNew },
    {
      group: "other",
      about: "a model that never ends",
      model: mixing(salt(), Number.POSITIVE_INFINITY),
      prompt: never,
      maxNew: whole(6, 12),
    },
    ...others,
  ];
}

/**
 * The call as it is written.
 * @param {Pick<Scenario, "prompt" | "maxNew">} scenario
 */
export function callOf({ prompt, maxNew }) {
  return `generate([${prompt.join(", ")}], ${maxNew})`;
}
