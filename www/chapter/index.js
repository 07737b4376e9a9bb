/** The parts of the chapter: each starts where the page has its place for it. The page itself loads the widget. */

import { start as exercise } from "./exercise/index.js";

/**
 * By the id of the place on the page, what makes the part in it.
 * @type {Readonly<Record<string, (place: HTMLElement) => void>>}
 */
const PARTS = {
  exercise,
};

for (const [id, start] of Object.entries(PARTS)) {
  const place = document.getElementById(id);
  if (place !== null) start(place);
}
