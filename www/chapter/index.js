/** The parts of the chapter: each starts where the page has its place for it. The page itself loads the widget. */

import { arithmetic } from "./arithmetic.js";
import { contents } from "./contents.js";
import { dependencies } from "./dependencies.js";
import { embedding } from "./embed.js";
import { exercise } from "./exercise/index.js";
import { lab } from "./lab.js";
import { loop } from "./loop.js";
import { predict } from "./predict.js";
import { questions } from "./quiz.js";
import { roofline } from "./roofline.js";
import { saving } from "./saving.js";
import { scale } from "./scale.js";
import { source } from "./source.js";
import { tokenizer } from "./tokenizer.js";

/**
 * By the id of the place on the page, what makes the part in it.
 * @type {Readonly<Record<string, (place: HTMLElement) => void>>}
 */
const PARTS = {
  arithmetic,
  contents,
  dependencies,
  embedding,
  exercise,
  lab,
  loop,
  predict,
  questions,
  roofline,
  saving,
  scale,
  source,
  tokenizer,
};

// The drawings follow the widget from the beginning, so it does not wait until the reader is near.
customElements
  .whenDefined("generation-loop")
  .then(() => /** @type {any} */ (document.getElementById("widget"))?.ready)
  // What went wrong stands in its place.
  .catch(() => undefined);

for (const [id, start] of Object.entries(PARTS)) {
  const place = document.getElementById(id);
  if (place !== null) start(place);
}
