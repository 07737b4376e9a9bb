/** Prefill and decode under a machine's roof: the table against the formulas, the points against the axes. */

import { GPT2_SMALL } from "../../www/chapter/intensity.js";
import { bytesReadOf, totalOf } from "../../www/flops.js";
import { Chapter, whole } from "./drawings.js";
import { expect, test } from "./fixtures.js";

const PEAK = 312e12;
const BANDWIDTH = 2.039e12;

/** @param {import("../../www/flops.js").Config} config @param {number} context */
const bytes = (config, context) => {
  const { weights, cache } = bytesReadOf(config, context);
  return weights + cache;
};

/**
 * Table and picture say what the passes are.
 * @param {Chapter} chapter
 * @param {{ tokensIn: number, flops: number, bytes: number }[]} works
 */
async function agrees(chapter, works) {
  const numbers = await chapter.numbers();
  expect(numbers["tokens in"]).toEqual(works.map(({ tokensIn }) => whole(tokensIn)));
  expect(numbers.FLOPs).toEqual(works.map(({ flops }) => whole(flops)));
  expect(numbers["bytes read"]).toEqual(works.map((work) => whole(work.bytes)));
  const intensities = works.map((work) => work.flops / work.bytes);
  expect(numbers["FLOPs per byte"].map(Number)).toEqual(intensities);
  expect(numbers["bound by"]).toEqual(
    intensities.map((value) => (value < PEAK / BANDWIDTH ? "memory" : "arithmetic")),
  );
  // Where the points are, measured against the lines of the grid.
  const picture = await chapter.roofline.locator(".picture").evaluate((svg) => {
    const middle = (/** @type {Element} */ node) => {
      const box = node.getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    const lines = [...svg.querySelectorAll(".grid")].map(middle);
    const texts = [...svg.querySelectorAll("text:not([class])")].map((node) => node.textContent ?? "");
    return {
      lines,
      texts,
      points: ["prefill", "decode"].map((phase) =>
        middle(/** @type {Element} */ (svg.querySelector(`.${phase} circle`))),
      ),
    };
  });
  const at = (/** @type {string} */ text) => picture.lines[picture.texts.indexOf(text)];
  const [one, hundred] = [at("1").x, at("100").x];
  const [low, high] = [at("1\u00a0T").y, at("100\u00a0T").y];
  works.forEach((_, index) => {
    const { x, y } = picture.points[index];
    const reach = Math.min(PEAK, intensities[index] * BANDWIDTH);
    expect(x).toBeCloseTo(one + ((hundred - one) * Math.log10(intensities[index])) / 2, 0);
    expect(y).toBeCloseTo(low + ((high - low) * Math.log10(reach / 1e12)) / 2, 0);
  });
}

/** @param {import("../../www/run.js").Moment} moment */
function worksOf({ config, log }) {
  const [first, last] = [log[0], log[log.length - 1]];
  return [first, last].map(({ tokensIn, contextLength, flops }) => ({
    tokensIn,
    flops,
    bytes: bytes(config, contextLength),
  }));
}

test("the passes of the run are those of the element, forth and back", async ({ page }) => {
  const chapter = await Chapter.on(page);
  let { config } = await chapter.moment();
  await agrees(chapter, [
    { tokensIn: 11, flops: 173_184, bytes: bytes(config, 11) },
    { tokensIn: 1, flops: 15_872, bytes: bytes(config, 12) },
  ]);
  await expect(chapter.roofline.locator("thead")).toContainText("to come");
  for (const passes of [2, 3, 1]) {
    await chapter.step(passes);
    await agrees(chapter, worksOf(await chapter.moment()));
  }
  await expect(chapter.roofline.locator("thead")).toHaveText(/prefill\s*pass 1\s*decode\s*pass 6/);
  await chapter.widget.moment.fill("3");
  await chapter.settled();
  await agrees(chapter, worksOf(await chapter.moment()));
  await expect(chapter.roofline.locator("thead")).toHaveText(/decode\s*pass 3/);
  await chapter.widget.button("Reset").click();
  await chapter.widget.prompt.fill("a");
  await chapter.settled();
  ({ config } = await chapter.moment());
  await agrees(chapter, [
    { tokensIn: 1, flops: totalOf(config, 1, 1), bytes: bytes(config, 1) },
    { tokensIn: 1, flops: totalOf(config, 1, 2), bytes: bytes(config, 2) },
  ]);
});

test("without the cache a decode reads as much, and computes for every token", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await chapter.set({ model: "untrained", stop: "", cache: false });
  await chapter.step(4);
  await agrees(chapter, worksOf(await chapter.moment()));
  expect((await chapter.numbers())["FLOPs per byte"]).toEqual(["5.5", "7"]);
});

test("another model costs more time and stands in the same places; a longer prompt goes over the ridge", async ({
  page,
}) => {
  const chapter = await Chapter.on(page);
  await chapter.step(3);
  const works = (/** @type {number} */ length, /** @type {number} */ context) =>
    [
      [length, length],
      [1, context],
    ].map(([tokensIn, contextLength]) => ({
      tokensIn,
      flops: totalOf(GPT2_SMALL, tokensIn, contextLength),
      bytes: bytes(GPT2_SMALL, contextLength),
    }));
  const first = chapter.roofline.getByRole("radio", { name: "your run" });
  await expect(first).toBeChecked();
  const before = await chapter.numbers();
  await first.focus();
  await page.keyboard.press("ArrowDown");
  await expect(chapter.roofline.getByRole("radio", { name: "GPT-2 small, your tokens" })).toBeChecked();
  await agrees(chapter, works(11, 13));
  const after = await chapter.numbers();
  expect(after["FLOPs per byte"]).toEqual(before["FLOPs per byte"]);
  expect(before["time, at least"][0]).toMatch(/\sns$/);
  expect(after["time, at least"][0]).toMatch(/\sµs$/);

  await page.keyboard.press("ArrowDown");
  await agrees(chapter, works(512, 513));
  const sentence = await chapter.sentence("roofline");
  expect(sentence).toMatch(/The prefill has 256 FLOPs .* arithmetic-bound/);
  expect(sentence).toMatch(/The decode has 0\.5 FLOPs .* memory-bound/);
  // A pass of the reader's changes nothing in it, and is there when the reader comes back.
  await chapter.step();
  await agrees(chapter, works(512, 513));
  await first.check();
  await agrees(chapter, worksOf(await chapter.moment()));
  expect(await chapter.sentence("roofline")).toMatch(/The prefill has 5\.5 FLOPs .* memory-bound/);
});

test("it says with how many tokens a prefill would reach the ridge", async ({ page }) => {
  const chapter = await Chapter.on(page);
  const ridge = PEAK / BANDWIDTH;
  await expect(chapter.roofline.locator("> .note")).toContainText(
    `with ${Math.ceil(2 * ridge)} tokens; with ${Math.ceil(ridge)} tokens where a number has 2 bytes`,
  );
});
