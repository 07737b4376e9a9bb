/** For readers who want it dark, and nothing to move. */

import { random } from "../unit/checkpoints.js";
import { modelFile } from "../unit/files.js";
import { expectNoViolations } from "./axe.js";
import { expect, test } from "./fixtures.js";
import { SMALL } from "./models.js";
import { matches, preferring } from "./preferences.js";
import { slowServer } from "./server.js";
import { Widget } from "./widget.js";

test.use(preferring({ dark: true, lessMotion: true }));

test("axe finds nothing on the dark page, in the middle of a run", async ({ page }) => {
  await page.goto("/");
  expect(await matches(page, "(prefers-color-scheme: dark)")).toBe(true);
  const widget = await Widget.on(page);
  await widget.method("top-k").check();
  await widget.step(3);
  await expect(widget.generatedCells).toHaveCount(3);
  await widget.button("Show all 64").click();
  await widget.set("Seed", "abc");
  await expect(widget.complaints).toHaveCount(1);
  await expectNoViolations(page);
});

test("axe finds nothing on the dark page, while a model loads and with one of the reader's own", async ({
  page,
  complaints,
}) => {
  const server = await slowServer({ config: SMALL, weights: modelFile(random(SMALL)) });
  complaints.allow(new RegExp(`request to ${server.address}`));
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.root.evaluate((element, address) => element.setAttribute("model", address), server.address);
  await expect(widget.models).toContainText("MB");
  await expectNoViolations(page);
  server.letGo();
  await expect(widget.model(server.address)).toBeChecked();
  await expectNoViolations(page);
  await server.close();
});

test("page and widget are dark together, and light where the page asks for that", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  /** From 0, black, to 255, white. @param {import("@playwright/test").Locator} locator */
  const brightness = (locator) =>
    locator.evaluate((node) => {
      const parts = getComputedStyle(node).backgroundColor.match(/\d+/g)?.slice(0, 3).map(Number) ?? [];
      return parts.reduce((sum, part) => sum + part, 0) / 3;
    });
  const surface = widget.root.locator(".widget");
  expect(await brightness(page.locator("body"))).toBeLessThan(64);
  expect(await brightness(surface)).toBeLessThan(64);
  expect(await brightness(widget.promptCells.first())).toBeLessThan(96);

  // A page without a word on it is light, and what stands on it too.
  await page.goto("/tests/pages/plain.html");
  await Widget.on(page);
  expect(await brightness(surface)).toBeGreaterThan(192);
});

test("nothing moves", async ({ page }) => {
  await page.goto("/");
  expect(await matches(page, "(prefers-reduced-motion: reduce)")).toBe(true);
  const widget = await Widget.on(page);
  const moving = await widget.root.evaluate(async (node) => {
    const element = /** @type {any} */ (node);
    /** What runs at once after each pass. @type {number[]} */
    const moving = [];
    for (const method of ["step", "step", "step", "back", "reset"]) {
      element[method]();
      await element.updateComplete;
      // Styles are worked out when somebody asks.
      element.shadowRoot.querySelector(".cells").getBoundingClientRect();
      moving.push(element.shadowRoot.getAnimations().length);
    }
    return moving;
  });
  expect(moving).toEqual([0, 0, 0, 0, 0]);
  await widget.run();
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
});
