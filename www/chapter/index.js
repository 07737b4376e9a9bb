/** The parts of the chapter: each starts where the page has its place for it. The page itself loads the widget. */

import { dependencies } from "./dependencies.js";
import { loop } from "./loop.js";
import { roofline } from "./roofline.js";
import { saving } from "./saving.js";

/**
 * By the id of the place on the page, what makes the part in it.
 * @type {Readonly<Record<string, (place: HTMLElement) => void>>}
 */
const PARTS = { loop, dependencies, roofline, saving };

for (const [id, start] of Object.entries(PARTS)) {
  const place = document.getElementById(id);
  if (place !== null) start(place);
}
