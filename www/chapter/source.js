/** The loop's source and the widget, side by side: a line shows its part of the widget, and a pass lights up the lines that ran. */

import { ranIn, STEPS } from "./steps.js";

/** @typedef {import("../element.js").GenerationLoopElement} Widget */

/** How long lines that ran are lit, in milliseconds. */
const LIT = 900;

/** How long a part is lit that a reader has gone to. */
const SHOWN = 2500;

/** @param {HTMLElement} place that the listings are in */
export function source(place) {
  const widget = /** @type {Widget | null} */ (document.querySelector("generation-loop"));
  if (widget === null) return;
  const lines = [.../** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll("[data-step]"))];
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let fading;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let leaving;

  /** Lights a part of the widget up, or none. @param {string | null} part */
  function light(part) {
    clearTimeout(leaving);
    leaving = undefined;
    if (part === null) delete widget?.dataset.lit;
    else if (widget) widget.dataset.lit = part;
  }

  /** The same, but not while a part is shown that a reader went to: what passes under the pointer then is chance. @param {string | null} part */
  function hint(part) {
    if (leaving === undefined) light(part);
  }

  for (const line of lines) {
    const { part } = STEPS[line.dataset.step ?? ""];
    line.addEventListener("pointerenter", () => hint(part));
    line.addEventListener("pointerleave", () => hint(null));
    line.addEventListener("focus", () => light(part));
    line.addEventListener("blur", () => hint(null));
    line.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      // As the link would, but to the part: some browsers go to the widget later than this could go on from there.
      event.preventDefault();
      if (location.hash !== "#widget") history.pushState(null, "", "#widget");
      goTo(part);
    });
  }

  /** @param {string} part */
  function goTo(part) {
    const { shadowRoot } = /** @type {Widget} */ (widget);
    focus(/** @type {Widget} */ (widget));
    light(part);
    leaving = setTimeout(() => light(null), SHOWN);
    const target = shadowRoot?.querySelector(`[part~="${part}"]`) ?? widget;
    target?.scrollIntoView({ block: "center", behavior: calm.matches ? "auto" : "smooth" });
  }

  // The widget calls the loop pass by pass: of the sources, that is the Rust one.
  const inRust = lines.filter((line) => line.closest('[data-file^="crate/"]') !== null);
  /** @param {HTMLElement} line */
  const itemOf = (line) => line.closest("[data-item]")?.getAttribute("data-item") ?? "";
  widget.addEventListener("generation-pass", (event) => {
    if (calm.matches) return;
    const { detail } = /** @type {CustomEvent<import("../pass.js").Pass>} */ (event);
    for (const line of inRust) {
      line.classList.toggle("ran", ranIn(line.dataset.step ?? "", itemOf(line), detail));
    }
    clearTimeout(fading);
    fading = setTimeout(() => {
      for (const line of inRust) line.classList.remove("ran");
    }, LIT);
  });
}

/** Has the keyboard go on from there, though it is no place to stop at. @param {HTMLElement} element */
function focus(element) {
  element.tabIndex = -1;
  element.addEventListener("blur", () => element.removeAttribute("tabindex"), { once: true });
  element.focus({ preventScroll: true });
}
