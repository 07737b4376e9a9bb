/** For readers who asked for less motion, nothing on the page lights up by itself. */

import { expect, test } from "./fixtures.js";
import { matches, preferring } from "./preferences.js";
import { Widget } from "./widget.js";

test.use(preferring({ lessMotion: true }));

test("no line of the source lights up when a pass is made; the link to the widget works", async ({
  page,
}) => {
  await page.goto("/");
  expect(await matches(page, "(prefers-reduced-motion: reduce)")).toBe(true);
  const widget = await Widget.on(page);
  await page.evaluate(() => {
    const seen = Object.assign(window, { seen: 0 });
    new MutationObserver((records) => {
      seen.seen += records.length;
    }).observe(/** @type {Element} */ (document.querySelector("#source")), {
      attributes: true,
      subtree: true,
    });
  });
  await widget.step(3);
  await expect(widget.generatedCells).toHaveCount(3);
  expect(await page.evaluate(() => /** @type {any} */ (window).seen)).toBe(0);
  await page.locator('#source [data-item="sample"] [data-step]').click();
  await expect(widget.why).toBeInViewport({ ratio: 0.3 });
});
