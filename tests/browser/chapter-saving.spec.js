/** What the cache saves and costs: totals and bars against the log of the widget above. */

import { boxOf, Chapter, whole } from "./drawings.js";
import { expect, test } from "./fixtures.js";

/** How wide a bar is, of both of its parts. @param {import("@playwright/test").Locator} row */
async function widthOf(row) {
  const parts = await Promise.all([0, 1].map((part) => boxOf(row.locator("rect").nth(part))));
  return Math.max(...parts.map(({ x, width }) => x + width)) - Math.min(...parts.map(({ x }) => x));
}

/**
 * @param {Chapter} chapter
 * @param {{ cached: number, uncached: number }} totals
 */
async function shows(chapter, { cached, uncached }) {
  const [first, second] = [
    chapter.saving.locator("dl > div").first(),
    chapter.saving.locator("dl > div").last(),
  ];
  await expect(first.locator("dd")).toHaveText(whole(cached));
  await expect(second.locator("dd")).toHaveText(
    new RegExp(`^\\s*${whole(uncached)}\\s*${(uncached / cached).toFixed(1)} times as many\\s*$`),
  );
  // A pixel of line on each side is no part of the scale.
  expect((await widthOf(first)) / (await widthOf(second))).toBeCloseTo(cached / uncached, 2);
}

/** @param {readonly import("../../www/pass.js").Pass[]} log */
const totalsOf = (log) => ({
  cached: log.reduce((sum, { flops }) => sum + flops, 0),
  uncached: log.reduce((sum, { flopsWithoutCache }) => sum + flopsWithoutCache, 0),
});

test("before a run it is the whole of it: 514,944 with the cache, 7,606,144 without", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await shows(chapter, { cached: 514_944, uncached: 7_606_144 });
  expect(await chapter.sentence("saving")).toBe(
    "From 11 tokens to the limit of 32, 21 passes cost 514,944 FLOPs with the cache and 7,606,144 without: 14.8 times as many.",
  );
  await expect(chapter.saving.locator(".kept")).toContainText(
    "= 2,816 bytes for 11 tokens after the prefill.",
  );
});

test("in a run it is what the log has so far, forth and back, to the same end", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await chapter.set({ model: "untrained", stop: "" });
  await chapter.step();
  await shows(chapter, { cached: 173_184, uncached: 173_184 });
  for (const passes of [1, 4, 15]) {
    await chapter.step(passes);
    const { log } = await chapter.moment();
    await shows(chapter, totalsOf(log));
    const { cacheBytes, contextLength } = log[log.length - 1];
    await expect(chapter.saving.locator(".kept")).toContainText(
      `2 · ${contextLength} · 16 · 4 = ${whole(cacheBytes)} bytes for ${contextLength} tokens.`,
    );
  }
  await shows(chapter, { cached: 514_944, uncached: 7_606_144 });
  await chapter.widget.moment.fill("4");
  await chapter.settled();
  const { log } = await chapter.moment();
  expect(log).toHaveLength(4);
  await shows(chapter, totalsOf(log));
  await expect(chapter.saving.locator(".title")).toHaveText("FLOPs of your run so far, 4 passes");
  await chapter.widget.button("Reset").click();
  await chapter.settled();
  await shows(chapter, { cached: 514_944, uncached: 7_606_144 });
});

test("a run that a stop string ended says what it came to, and what its limit would have", async ({
  page,
}) => {
  const chapter = await Chapter.on(page);
  await chapter.widget.run();
  await chapter.settled();
  const { log, stop } = await chapter.moment();
  expect(stop?.reason).toBe("stop-string");
  await shows(chapter, totalsOf(log));
  expect(await chapter.sentence("saving")).toContain("21 passes cost 514,944");
});

test("with the cache off for a while, both totals stay, and the run's own is named", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await chapter.step(2);
  await chapter.set({ cache: false });
  await chapter.step();
  const { log } = await chapter.moment();
  const paid = log.reduce((sum, { flops }) => sum + flops, 0);
  await expect(chapter.saving.locator(".title")).toContainText(`it cost ${whole(paid)}`);
  await expect(chapter.saving.locator(".kept")).toHaveText(
    "The cache was off in this pass: nothing is kept.",
  );
  const cached = log.map((pass) => (pass.index === 3 ? pass.flops / pass.tokensIn : pass.flops));
  await shows(chapter, {
    cached: cached.reduce((sum, flops) => sum + flops, 0),
    uncached: totalsOf(log).uncached,
  });
});

test("another prompt has another end", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await chapter.widget.prompt.fill("a");
  await chapter.settled();
  expect(await chapter.sentence("saving")).toMatch(/^From 1 token to the limit of 32, 31 passes cost /);
});
