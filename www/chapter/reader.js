/**
 * The reader's run in the widget above, for the drawings that live from it: the latest moment for each of them, at most one draw
 * to a frame, and none of what nobody is near to. Where there is no widget, or none that works, what the page has in their
 * places stays.
 */

import { isPossible } from "./job.js";

/** @typedef {import("../run.js").Moment} Moment */

/**
 * What a drawing is given.
 * @typedef {object} Reading
 * @property {Moment} now what is on the widget's screen
 * @property {Moment | null} moment the latest whose prompt can be processed: `now`, unless the reader is writing another
 */

/**
 * @typedef {object} Drawing
 * @property {(reading: Reading) => void} draw
 * @property {boolean} near
 * @property {Reading | null} drawn
 */

/** What is said in place of a drawing's own words while the prompt in the widget cannot be processed. */
export const REFUSED =
  "The prompt in the widget above cannot be processed as it stands. This is still of the one before.";

/** How near is near: as far away as a screen is high. */
const NEAR = "100% 0px";

/** @type {Map<Element, Drawing>} */
const drawings = new Map();
/** @type {Reading | null} */
let reading = null;
let frame = 0;
/** @type {IntersectionObserver | undefined} */
let sight;

/**
 * Draws into a place, now and whenever there is another moment.
 * @param {HTMLElement} place
 * @param {(reading: Reading) => void} draw after what stood in the place was taken out of it
 */
export function follow(place, draw) {
  sight ??= begin();
  drawings.set(place, {
    draw: (reading) => {
      if (drawings.get(place)?.drawn === null) place.replaceChildren();
      draw(reading);
    },
    near: false,
    drawn: null,
  });
  sight.observe(place);
}

function begin() {
  // The first of the page, which may not be there yet, or be defined later.
  const widget = () => /** @type {any} */ (document.querySelector("generation-loop"));
  document.addEventListener("generation-moment", (event) => {
    if (event.target === widget()) take(/** @type {CustomEvent<Moment>} */ (event).detail);
  });
  // Paper has no way to come near.
  window.addEventListener("beforeprint", () => drawAll(true));
  const moment = widget()?.moment;
  if (moment) take(moment);
  return new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const drawing = drawings.get(target);
        if (drawing) drawing.near = isIntersecting;
      }
      plan();
    },
    { rootMargin: NEAR },
  );
}

/** @param {Moment} now */
function take(now) {
  reading = { now, moment: isPossible(now) ? now : (reading?.moment ?? null) };
  plan();
}

function plan() {
  if (frame === 0) frame = requestAnimationFrame(() => drawAll(false));
}

/** @param {boolean} far whether those too that nobody is near to */
function drawAll(far) {
  cancelAnimationFrame(frame);
  frame = 0;
  if (reading === null) return;
  for (const drawing of drawings.values()) {
    if (drawing.drawn === reading || !(drawing.near || far)) continue;
    try {
      drawing.draw(reading);
      drawing.drawn = reading;
    } catch (error) {
      // One that fails does not take the others with it.
      reportError(error);
    }
  }
}
