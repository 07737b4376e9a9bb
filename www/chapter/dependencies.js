/** Why it cannot be parallel: the prompt hangs on nothing, and each token after it on the one before. */

import { html, render } from "lit";
import { spoken } from "../format.js";
import { cell, said } from "./cells.js";
import { needOf, passPlacesOf, placesOf } from "./chain.js";
import { tokensIn, words } from "./phrases.js";
import { follow, REFUSED } from "./reader.js";

/** @typedef {import("../run.js").Moment} Moment */

/** @param {HTMLElement} place */
export function dependencies(place) {
  follow(place, ({ now, moment }) => {
    if (moment !== null) render(drawing(moment, moment !== now), place);
  });
}

/** As it is before a run. @param {Moment} moment */
export const still = (moment) => drawing(moment, false);

/**
 * @param {Moment} moment
 * @param {boolean} old
 */
function drawing(moment, old) {
  const { config, prompt, log, most } = moment;
  // Tokens of a larger vocabulary are numbers, and all of them have the room of one.
  const size = prompt.some(({ text }) => text.length > 1) || config.vocab_size !== 64 ? "ids" : "";
  const kind = log.length > 0 ? "prompt" : "waiting";
  return html`
    <p class="note">The prompt: all of it is there, so pass 1 takes it in at once.</p>
    <ol role="list" class=${`prompt ${size} ${kind}`} aria-label="Prompt: ${tokensIn(prompt.length)}">
      ${placesOf(prompt.length).map((at) =>
        "item" in at ? html`<li>${cell(prompt[at.item].text, kind)}</li>` : gap(at, "token"),
      )}
    </ol>
    <p class="note">What is generated: each pass waits for the token of the one before.</p>
    <ol role="list" class=${`generated ${size}`} aria-label="Passes">
      ${passPlacesOf(log.length, most).map((at) => ("item" in at ? pass(moment, at.item) : gap(at, "pass")))}
    </ol>
    ${said(old ? [REFUSED] : needOf(moment), old)}
  `;
}

/**
 * @param {Moment} moment
 * @param {number} index
 */
function pass({ log, prompt, stop }, index) {
  const made = log[index];
  const arrow = html`<svg width="26" height="38" aria-hidden="true"><text x="12" y="13" text-anchor="middle">${index + 1}</text><path d="M0 21H24M18 16l6 5-6 5"></path></svg>`;
  const first = index === 0 ? "first" : "";
  if (!made)
    return html`<li class=${`ahead ${first} ${stop === null ? "" : "never"}`} aria-hidden="true">${arrow}<span class="token"></span></li>`;
  const takes = index === 0 ? tokensIn(prompt.length) : spoken(log[index - 1].token.text, words);
  return html`<li class=${first}>
    <span class="sr">Pass ${index + 1}: ${takes} in,</span>
    ${arrow}${cell(made.token.text, "generated")}
    <span class="sr">out</span>
  </li>`;
}

/**
 * What is left out is counted.
 * @param {{ from: number, to: number }} range
 * @param {"token" | "pass"} unit
 */
function gap({ from, to }, unit) {
  const left = words.whole(to - from);
  const which = `${unit === "pass" ? "passes" : "tokens"} ${from + 1} to ${to}`;
  return html`<li class="gap">
    <span aria-hidden="true">⋯<br>${left}<br>more</span>
    <span class="sr">${which} are left out here</span>
  </li>`;
}
