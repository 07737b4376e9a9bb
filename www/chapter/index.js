/** The parts of the chapter: each starts where the page has its place for it. The page itself loads the widget. */

import { start as arithmetic } from "./arithmetic.js";
import { contents } from "./contents.js";
import { startLab } from "./lab.js";
import { start as predict } from "./predict.js";
import { start as questions } from "./quiz.js";
import { startScale } from "./scale.js";
import { start as source } from "./source.js";
import { start as tokenizer } from "./tokenizer.js";

/**
 * By the id of the place on the page, what makes the part in it.
 * @type {Readonly<Record<string, (place: HTMLElement) => void>>}
 */
const PARTS = {
  arithmetic,
  contents,
  lab: startLab,
  predict,
  questions,
  scale: startScale,
  source,
  tokenizer,
};

for (const [id, start] of Object.entries(PARTS)) {
  const place = document.getElementById(id);
  if (place !== null) start(place);
}
