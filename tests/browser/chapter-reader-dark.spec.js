/** The drawings for readers who want it dark, and nothing to move. */

import { expectNoViolations } from "./axe.js";
import { Chapter } from "./drawings.js";
import { expect, test } from "./fixtures.js";
import { matches, preferring } from "./preferences.js";

test.use(preferring({ dark: true, lessMotion: true }));

test("axe finds nothing in the dark before a run", async ({ page }) => {
  await Chapter.on(page);
  expect(await matches(page, "(prefers-color-scheme: dark)")).toBe(true);
  await expectNoViolations(page);
});

test("axe finds nothing in the dark in a run, with another model's points", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await chapter.step(3);
  await page.getByRole("radio", { name: /prompt of 512 tokens/ }).check();
  await expectNoViolations(page);
});

test("with less motion a pass is where it ends at once", async ({ page }) => {
  const chapter = await Chapter.on(page);
  expect(await matches(page, "(prefers-reduced-motion: reduce)")).toBe(true);
  await chapter.loop.scrollIntoViewIfNeeded();
  const lit = await chapter.loop.evaluate(async (place) => {
    /** @type {(string | undefined)[]} */
    const lit = [];
    const observer = new MutationObserver(() =>
      lit.push(place.querySelector("[aria-current] b")?.textContent ?? undefined),
    );
    observer.observe(place, { subtree: true, attributes: true });
    const element = /** @type {any} */ (document.querySelector("generation-loop"));
    element.step();
    await new Promise((resolve) => setTimeout(resolve, 400));
    return lit;
  });
  expect(new Set(lit)).toEqual(new Set(["Sample"]));
  // What the pass went through is marked all the same.
  await expect(chapter.loop.locator(".through b")).toHaveText(["Prefill", "Sample"]);
  const moving = await page.evaluate(() => document.getAnimations().length);
  expect(moving).toBe(0);
});
