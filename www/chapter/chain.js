/** What each pass of the reader's run hangs on: the places of a drawing that has room for some, and a sentence. It knows no DOM. */

import { tokensIn } from "./phrases.js";

/** @typedef {import("../run.js").Moment} Moment */

/** Tokens of a kind that there is room for; of more, the first and the last are shown. */
const ROOM = 24;

/** Of more, so many first ones. */
const FIRST = 11;

/**
 * A place in a row: an item by its number from 0, or what is left out there.
 * @typedef {{ item: number } | { from: number, to: number }} Place
 */

/**
 * Places for a row of so many: as many places as items up to {@link ROOM}, and never more.
 * @param {number} items
 * @returns {Place[]}
 */
export function placesOf(items) {
  const all = Array.from({ length: Math.min(items, ROOM) }, (_, item) => ({ item }));
  if (items <= ROOM) return all;
  const to = items - (ROOM - FIRST - 1);
  return [
    ...all.slice(0, FIRST),
    { from: FIRST, to },
    ...all.slice(FIRST + 1).map((_, more) => ({ item: to + more })),
  ];
}

/**
 * Places of the passes: those that are to come have theirs from the beginning, as far as there is room, so that nothing moves.
 * @param {number} made
 * @param {number} most
 */
export function passPlacesOf(made, most) {
  return placesOf(Math.max(made, Math.min(most, ROOM)));
}

/**
 * What the newest pass hung on, and what the next one waits for.
 * @param {Moment} moment
 * @returns {import("./phrases.js").Phrase}
 */
export function needOf({ log, prompt, stop }) {
  const last = log.at(-1);
  if (!last) {
    return [
      `Pass 1 needs the prompt and nothing else: all ${tokensIn(prompt.length)} can go in at once. `,
      "Every later pass needs the token of the one before.",
    ];
  }
  const token = { token: last.token.text };
  const after = stop
    ? [" It brought ", token, ", the last."]
    : [` Pass ${last.index + 1} cannot begin without `, token, ", which this one brought."];
  if (last.phase === "prefill") {
    return [`Pass 1 needed the prompt and nothing else: ${tokensIn(prompt.length)}, at once.`, ...after];
  }
  const before = { token: log[log.length - 2].token.text };
  return [`Pass ${last.index} needed `, before, `, which pass ${last.index - 1} brought.`, ...after];
}
