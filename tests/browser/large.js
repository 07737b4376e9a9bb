/** A widget with a model that is just large enough for a worker. */

import { expect } from "./fixtures.js";
import { keepPasses, keptPasses, LARGE, randomFiles, referencePasses } from "./models.js";
import { Widget } from "./widget.js";

export const PROMPT = [12, 7, 412, 1999];
export const FILES = randomFiles(LARGE, 5);

/** @param {import("@playwright/test").Page} page */
export async function loaded(page) {
  const widget = await Widget.on(page);
  await widget.prompt.fill(PROMPT.join(" "));
  await widget.open(FILES);
  await expect(widget.model("model.safetensors")).toBeChecked();
  await expect(widget.primary).toHaveText("Prefill 4 tokens");
  await keepPasses(widget);
  return widget;
}

/**
 * What the element told of, beside what the engine computes on the page's own thread.
 * @param {Widget} widget
 * @param {object} options
 * @param {number} passes
 */
export async function expectSame(widget, options, passes) {
  await expect(widget.generatedCells).toHaveCount(passes);
  const kept = await keptPasses(widget);
  const expected = await referencePasses(widget, PROMPT, options, passes);
  expect(kept).toHaveLength(expected.length);
  expect(kept).toEqual(expected);
}
