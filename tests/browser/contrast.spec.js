/** For readers whose system sets all colours: what colour says must be said otherwise, too. */

import { expect, test } from "./fixtures.js";
import { matches, preferring } from "./preferences.js";
import { Widget } from "./widget.js";

test.use(preferring({ forcedColours: true }));

/**
 * @param {import("@playwright/test").Locator} locator
 * @param {string} property
 */
const style = (locator, property) =>
  locator.evaluate((node, property) => getComputedStyle(node).getPropertyValue(property), property);

test("in forced colours cells, bars and the choice can be told apart", async ({ page }) => {
  await page.goto("/");
  expect(await matches(page, "(forced-colors: active)")).toBe(true);
  const widget = await Widget.on(page);
  await widget.method("top-k").check();
  await widget.set("Stop string", "");
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
  await widget.button("Show all 64").click();
  await expect(widget.candidates).toHaveCount(64);

  const paper = await style(widget.root.locator(".widget"), "background-color");
  // Prompt cells have one line below, generated ones two.
  expect(await style(widget.promptCells.first(), "border-bottom-style")).toBe("solid");
  expect(await style(widget.generatedCells.first(), "border-bottom-style")).toBe("double");
  for (const cells of [widget.promptCells, widget.generatedCells]) {
    expect(await style(cells.first(), "border-top-width")).not.toBe("0px");
    expect(await style(cells.first(), "border-top-color")).not.toBe(paper);
  }
  const bars = widget.candidates.locator("rect.probability");
  await expect(bars).toHaveCount(64);
  const kept = await style(bars.first(), "fill");
  const drawn = await style(widget.why.locator(".drawn rect.probability"), "fill");
  expect(kept).not.toBe(paper);
  expect(drawn).not.toBe(paper);
  expect(await style(bars.last(), "fill")).not.toBe(paper);
  expect(await style(bars.last(), "fill")).not.toBe(drawn);
  // The slice that the draw fell into, the others, and the draw.
  const slices = widget.why.locator(".sum rect");
  expect(await slices.count()).toBeGreaterThan(1);
  const [taken, other] = [
    slices.and(widget.why.locator(".taken")),
    widget.why.locator(".sum rect:not(.taken)"),
  ];
  await expect(taken).toHaveCount(1);
  const line = await style(widget.why.locator(".sum line"), "stroke");
  for (const colour of [await style(taken, "fill"), await style(other.first(), "fill"), line])
    expect(colour).not.toBe(paper);
  expect(await style(taken, "fill")).not.toBe(await style(other.first(), "fill"));
  expect(await style(taken, "fill")).not.toBe(line);
  expect(
    await style(widget.root.locator("[part=settings] [type=radio]:checked + span"), "outline-style"),
  ).toBe("solid");
});

test("in forced colours buttons, fields and the focus have edges", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  const paper = await style(widget.root.locator(".widget"), "background-color");
  for (const control of [
    widget.primary,
    widget.button("Run"),
    widget.prompt,
    widget.field("Seed"),
    widget.speed,
  ]) {
    expect(await style(control, "border-top-style")).toBe("solid");
    expect(await style(control, "border-top-color")).not.toBe(paper);
  }
  await widget.prompt.focus();
  await page.keyboard.press("Tab");
  const chosen = widget.root.locator("[part=settings] [type=radio]:checked + span");
  expect(await style(chosen, "outline-style")).toBe("solid");
  expect(await style(chosen, "outline-color")).not.toBe(paper);
});
