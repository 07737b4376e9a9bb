/** The parts of the chapter: each starts where the page has its place for it. The page itself loads the widget. */

import { startLab } from "./lab.js";
import { startScale } from "./scale.js";

/**
 * By the id of the place on the page, what makes the part in it.
 * @type {Readonly<Record<string, (place: HTMLElement) => void>>}
 */
const PARTS = { lab: startLab, scale: startScale };

for (const [id, start] of Object.entries(PARTS)) {
  const place = document.getElementById(id);
  if (place !== null) start(place);
}
