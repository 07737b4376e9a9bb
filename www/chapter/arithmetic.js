/** The values below the chapter's formulas, which follow the reader's run. */

import { probabilityOf, temperaturesOf, valuesOf } from "./formulas.js";

/** @typedef {import("../element.js").GenerationLoopElement} Widget */

/** A larger vocabulary would be sorted anew for each pass and temperature. */
const MOST_SORTED = 1024;

/** @param {HTMLElement} place the section that the values stand in */
export function arithmetic(place) {
  const widget = /** @type {Widget | null} */ (document.querySelector("generation-loop"));
  if (widget === null) return;
  /** By name, with what stood there when the page came. */
  const spots = [...place.querySelectorAll("[data-value]")].map((spot) => ({
    spot,
    name: spot.getAttribute("data-value") ?? "",
    first: spot.textContent ?? "",
  }));
  let isWaiting = false;

  function show() {
    isWaiting = false;
    const { moment } = /** @type {Widget} */ (widget);
    if (!moment) return;
    const values = valuesAt(moment);
    place.toggleAttribute("data-old", values === null);
    if (values === null) return;
    for (const { spot, name, first } of spots) {
      const text = values[name] ?? first;
      // What is the same is left alone, and so is what the reader has selected in it.
      if (spot.textContent !== text) spot.textContent = text;
    }
  }

  widget.addEventListener("generation-moment", () => {
    // A run without a pause makes many passes to a frame.
    if (!isWaiting) requestAnimationFrame(show);
    isWaiting = true;
  });
  show();
}

/**
 * What stands below the formulas at a moment; null where the prompt is none that can be taken through.
 * @param {import("../run.js").Moment} moment
 * @returns {Record<string, string> | null}
 */
export function valuesAt({ config, prompt, log, most }) {
  const isPossible =
    log.length > 0 || (prompt.length > 0 && most > 0 && prompt.every(({ supported }) => supported));
  if (!isPossible) return null;
  const values = valuesOf({ config, tokens: prompt.length, log });
  const last = log[log.length - 1];
  if (last === undefined) return values;
  values.probability = `Your run so far: ${probabilityOf(log)}.`;
  const asked = config.vocab_size > MOST_SORTED ? { ...last, under: () => null } : last;
  values.temperatures = `Pass ${last.index} of your run: ${temperaturesOf(asked)}.`;
  return values;
}
