/** The code: it is the project's own, its lines lead into the widget, and those that ran light up. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/run.js";
import { expectNoViolations } from "./axe.js";
import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { Widget } from "./widget.js";

/** Lines that are lit. @param {import("@playwright/test").Page} page */
const lit = (page) => page.locator("#source .ran");

/** @param {import("@playwright/test").Page} page @param {string} item @param {string} step */
const line = (page, item, step) => page.locator(`#source [data-item="${item}"] [data-step="${step}"]`);

/** The steps of the lines that are lit, by function. @param {import("@playwright/test").Page} page */
const litSteps = (page) =>
  lit(page).evaluateAll((lines) =>
    lines.map(
      (node) =>
        `${node.closest("[data-item]")?.getAttribute("data-item")}: ${node.getAttribute("data-step")}`,
    ),
  );

test("the text of each listing is that of the lines it names", async ({ page }) => {
  await page.goto("/");
  const listings = await page.locator("figure.source").evaluateAll((figures) =>
    figures.map((figure) => ({
      item: figure.getAttribute("data-item"),
      file: figure.getAttribute("data-file") ?? "",
      first: figure.getAttribute("data-first"),
      last: figure.getAttribute("data-last"),
      code: figure.querySelector("pre code")?.textContent,
      place: figure.querySelector(".place")?.textContent,
    })),
  );
  expect(listings.map(({ item }) => item)).toEqual([
    "prefill",
    "decode_step",
    "sample",
    "find_stop",
    "record",
    "generate",
    "stream",
  ]);
  for (const { file, first, last, code, place } of listings) {
    const lines = readFileSync(join(root, file), "utf8").split("\n");
    expect(code).toBe(
      lines
        .slice(Number(first) - 1, Number(last))
        .map((text) => `${text}\n`)
        .join(""),
    );
    expect(place).toBe(`${file}, lines ${first} to ${last}`);
  }
});

test("a line of it is a line on the screen", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto("/");
  for (const item of ["decode_step", "stream"]) {
    const listing = page.locator(`#source [data-item="${item}"] .line`);
    const tops = await listing.evaluateAll((lines) => lines.map((node) => node.getBoundingClientRect().top));
    const heights = await listing.evaluateAll((lines) =>
      lines.map((node) => node.getBoundingClientRect().height),
    );
    expect(new Set(tops).size).toBe(tops.length);
    for (const [index, height] of heights.entries()) {
      const isStep = (await listing.nth(index).getAttribute("data-step")) !== null;
      // A step is a target, with room for a finger or a pointer.
      expect(height).toBeGreaterThan(isStep ? 31 : 15);
      expect(height).toBeLessThan(isStep ? 46 : 24);
    }
  }
});

test("the lines that ran in a pass light up, and go out", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await expect(lit(page)).toHaveCount(0);
  await widget.step();
  await expect(line(page, "prefill", "prefill")).toHaveClass(/ran/);
  expect(await litSteps(page)).toEqual([
    "prefill: prefill",
    "prefill: sample",
    "prefill: record",
    "sample: sample",
    "record: token",
    "record: record",
  ]);
  await expect(lit(page)).toHaveCount(0);

  await widget.step();
  await expect(line(page, "decode_step", "decode")).toHaveClass(/ran/);
  await expect(line(page, "decode_step", "again")).not.toHaveClass(/ran/);
  await expect(line(page, "prefill", "prefill")).not.toHaveClass(/ran/);

  await widget.cache.uncheck();
  await widget.step();
  await expect(line(page, "decode_step", "again")).toHaveClass(/ran/);
  await expect(line(page, "decode_step", "decode")).not.toHaveClass(/ran/);
  // What the widget does not call is not lit.
  await expect(page.locator('#source [data-file^="www/"] .ran')).toHaveCount(0);
});

test("the end of a run lights the line that found it", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  const { stop, log } = await run();
  await widget.step(log.length);
  await expect(line(page, "find_stop", String(stop?.reason))).toHaveClass(/ran/);
  await expect(page.locator('#source [data-item="find_stop"] .ran')).toHaveCount(1);
});

test("a line is a link that says where it leads, and goes there", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.step(2);
  await page.mouse.move(0, 0);
  for (const [item, step, part, says] of [
    ["prefill", "prefill", "strip", "→ the tokens"],
    ["decode_step", "decode", "cache", "→ the KV cache"],
    ["sample", "sample", "distribution", "→ the distribution"],
    ["decode_step", "record", "log", "→ the step log"],
    ["find_stop", "stop-string", "outcome", "→ how the run ended"],
  ]) {
    const link = line(page, item, step);
    await expect(link).toHaveAttribute("href", "#widget");
    await expect(link.locator(".text")).toHaveAttribute("data-leads", says);
    const shown = await link.locator(".text").evaluate((node) => getComputedStyle(node, "::after").content);
    // Browsers tell it as it is shown, or as the style sheet has it.
    expect([`"${says}"`, "attr(data-leads)"]).toContain(shown);
    await link.focus();
    await expect(widget.root).toHaveAttribute("data-lit", part);
    await expect(widget.root.locator(`[part=${part}]`)).not.toBeInViewport({ ratio: 0.5 });
    await link.press("Enter");
    await expect(widget.root.locator(`[part=${part}]`)).toBeInViewport({ ratio: 0.3 });
    await expect(widget.root).toHaveAttribute("data-lit", part);
    await expect(widget.root.locator(`[part=${part}]`)).toHaveCSS("outline-style", "solid");
    expect(new URL(page.url()).hash).toBe("#widget");
  }
  // And is left in peace again.
  await expect(widget.root).not.toHaveAttribute("data-lit");
});

test("a line that is pointed at lights its part up, and only then", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await line(page, "prefill", "sample").hover();
  await expect(widget.root).toHaveAttribute("data-lit", "distribution");
  await page.mouse.move(0, 0);
  await expect(widget.root).not.toHaveAttribute("data-lit");
});

test("axe finds nothing with lines that are lit, and a small screen does not scroll sideways", async ({
  page,
}) => {
  // The checker looks at every element of a long page.
  test.slow();
  await page.setViewportSize({ width: 320, height: 700 });
  await page.goto("/");
  const widget = await Widget.on(page);
  await page.locator("#source summary").click();
  await widget.step(2);
  await expect(lit(page)).not.toHaveCount(0);
  // As they are for a moment, for as long as it takes to look.
  await lit(page).evaluateAll((lines) => {
    for (const node of lines) node.classList.add("ran");
  });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await expectNoViolations(page);
});
