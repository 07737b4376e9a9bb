/** The drawings for readers whose system sets all colours. */

import { Chapter } from "./drawings.js";
import { expect, test } from "./fixtures.js";
import { matches, preferring } from "./preferences.js";

test.use(preferring({ forcedColours: true }));

/**
 * @param {import("@playwright/test").Locator} locator
 * @param {string} property
 */
const style = (locator, property) =>
  locator.evaluate((node, property) => getComputedStyle(node).getPropertyValue(property), property);

test("in forced colours the lit step, both kinds of token, points and bars have edges", async ({ page }) => {
  const chapter = await Chapter.on(page);
  expect(await matches(page, "(forced-colors: active)")).toBe(true);
  await chapter.step(3);
  const paper = await style(page.locator("body"), "background-color");
  const lit = chapter.loop.locator("[aria-current]");
  expect(await style(lit, "border-top-style")).toBe("double");
  expect(await style(lit.locator(".mark"), "visibility")).toBe("visible");
  expect(await style(chapter.promptCells.first().locator(".token"), "border-bottom-style")).toBe("solid");
  expect(await style(chapter.passes.first().locator(".token"), "border-bottom-style")).toBe("double");
  for (const [what, property] of /** @type {const} */ ([
    ["#loop svg path", "stroke"],
    ["#dependencies .first svg path", "stroke"],
    ["#dependencies .ahead svg path", "stroke"],
    ["#dependencies .ahead text", "fill"],
    ["#dependencies .prompt .token", "border-top-color"],
    ["#batching .weights", "border-top-color"],
    ["#roofline .roof", "stroke"],
    ["#roofline .prefill circle", "stroke"],
    ["#roofline .decode circle", "stroke"],
    ["#roofline g text", "fill"],
    ["#saving .prefill", "stroke"],
    ["#saving .again", "stroke"],
  ])) {
    expect(await style(page.locator(what).first(), property), what).not.toBe(paper);
  }
  // One is a disc, the other a ring.
  expect(await style(page.locator("#roofline .prefill circle"), "fill")).not.toBe(paper);
  expect(await style(page.locator("#roofline .decode circle").first(), "fill")).toBe(paper);
});
