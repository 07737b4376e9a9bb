/** The chapter as a page: what it weighs, that nothing shifts, its outline, and what is left of it without scripts and on paper. */

import { gzipSync } from "node:zlib";
import { expectNoViolations } from "./axe.js";
import { expect, RUNS_SCRIPTS, test } from "./fixtures.js";
import { Widget } from "./widget.js";

/** What is fetched before anything was asked for, in bytes after gzip. */
const HEAVIEST = 200_000;

/** What the contents lead to, in order. */
const SECTIONS = [
  "job",
  "run",
  "parallel",
  "workloads",
  "arithmetic",
  "code",
  "passes",
  "reply-time",
  "check",
  "try-it",
  "embed",
  "sources",
];

/** To its end and back, as a reader goes. @param {import("@playwright/test").Page} page */
async function leaf(page) {
  await page.evaluate(async () => {
    const { documentElement: all } = document;
    for (let top = 0; top < all.scrollHeight; top += innerHeight / 2) {
      scrollTo(0, top);
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20)));
    }
    scrollTo(0, 0);
  });
}

test("before anything is asked for it is light, also for one who reads to the end", async ({ page }) => {
  /** @type {Promise<number>[]} */
  const weights = [];
  page.on("response", (response) => {
    if (response.url().startsWith("http")) {
      weights.push(response.body().then((body) => gzipSync(body, { level: 9 }).length));
    }
  });
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.step(2);
  await leaf(page);
  const all = await Promise.all(weights);
  expect(all.length).toBeGreaterThan(2);
  expect(all.reduce((sum, weight) => sum + weight, 0)).toBeLessThan(HEAVIEST);
});

for (const [width, height] of [
  [1280, 900],
  // High enough for the widget and what stands below it.
  [1280, 4000],
  [700, 5000],
  [360, 740],
]) {
  test(`nothing shifts while it loads and is read, ${width} by ${height} pixels`, async ({
    page,
    browserName,
  }) => {
    test.skip(browserName !== "chromium", "Firefox does not tell of layout shifts");
    await page.setViewportSize({ width, height });
    await page.addInitScript(() => {
      const shifts = /** @type {string[]} */ ([]);
      Object.assign(globalThis, { shifts });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          const { value, hadRecentInput, sources } = /** @type {any} */ (entry);
          if (hadRecentInput) continue;
          const places = sources.map(
            (/** @type {any} */ { node }) => node?.closest?.("[id]")?.id ?? node?.nodeName,
          );
          shifts.push(`${value.toFixed(4)} ${places.join(" ")}`);
        }
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto("/");
    await Widget.on(page);
    await leaf(page);
    expect(await page.evaluate(() => /** @type {any} */ (globalThis).shifts)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
  });
}

test("the contents lead to every section, and say which is read", async ({ page }) => {
  await page.goto("/");
  const contents = page.getByRole("navigation", { name: "Contents" });
  const links = contents.getByRole("link");
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))).toEqual(
    SECTIONS.map((id) => `#${id}`),
  );
  for (const id of SECTIONS) {
    const heading = page.locator(`#${id} h2`);
    await expect(heading).toHaveCount(1);
    // The heading links to itself, for who wants to pass it on.
    await expect(heading.getByRole("link")).toHaveAttribute("href", `#${id}`);
  }
  for (const id of ["arithmetic", "passes", "try-it"]) {
    await contents.locator(`a[href="#${id}"]`).click();
    await expect(page.locator(`#${id} h2`)).toBeInViewport();
    await expect(contents.locator("[aria-current]")).toHaveAttribute("href", `#${id}`);
    // Under the contents, not behind them.
    const [bar, heading] = await Promise.all([
      contents.boundingBox(),
      page.locator(`#${id} h2`).boundingBox(),
    ]);
    expect(heading?.y).toBeGreaterThanOrEqual((bar?.y ?? 0) + (bar?.height ?? 0));
  }
});

test("headings go down by one level at a time", async ({ page }) => {
  await page.goto("/");
  const levels = await page.evaluate(() =>
    [...document.querySelectorAll("h1, h2, h3, h4")].map(({ localName }) => Number(localName[1])),
  );
  expect(levels.filter((level) => level === 1)).toHaveLength(1);
  for (const [index, level] of levels.entries()) {
    expect(level - (levels[index - 1] ?? 0), `heading ${index + 1}`).toBeLessThanOrEqual(1);
  }
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  test(`axe finds nothing on the whole page, ${colorScheme}`, async ({ page }) => {
    test.slow();
    await page.emulateMedia({ colorScheme });
    await page.goto("/");
    const widget = await Widget.on(page);
    await widget.step(3);
    await leaf(page);
    await page.locator("#tokens > summary").click();
    await expectNoViolations(page);
  });
}

test("without scripts there is the prose, the maths, and a still of a run", async ({
  browser,
  browserName,
  origin,
}) => {
  test.skip(browserName !== "chromium", RUNS_SCRIPTS);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${origin}/`);
  for (const id of SECTIONS) await expect(page.locator(`#${id} h2`)).toBeVisible();
  expect(await page.locator("math").count()).toBeGreaterThan(10);
  await expect(page.locator("generation-loop")).toContainText("The model needs JavaScript and WebAssembly.");
  await expect(page.locator("generation-loop table")).toContainText("173,184");
  await expect(page.locator("#code pre").first()).toContainText("pub fn prefill");
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await context.close();
});

test("on paper the contents are left out, and nothing is wider than the sheet", async ({
  page,
  browserName,
}) => {
  test.skip(browserName !== "chromium", "Firefox as its users have it cannot be told to print");
  await page.setViewportSize({ width: 720, height: 1000 });
  await page.emulateMedia({ media: "print" });
  await page.goto("/");
  await Widget.on(page);
  await expect(page.getByRole("navigation", { name: "Contents" })).toBeHidden();
  await expect(page.locator("#arithmetic math").first()).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
});
