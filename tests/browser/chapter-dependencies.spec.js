/** The chain of passes as a drawing: its cells, its arrows and its sentence, through runs of the widget above. */

import { boxOf, Chapter, cellsOf, seen } from "./drawings.js";
import { expect, test } from "./fixtures.js";

/**
 * The drawing has what the element says, as far as there is room.
 * @param {Chapter} chapter
 */
async function agrees(chapter) {
  const { log, prompt, most } = await chapter.moment();
  const kind = log.length > 0 ? "prompt" : "waiting";
  expect(await cellsOf(chapter.promptCells)).toEqual(prompt.map(({ text }) => seen(text)));
  await expect(chapter.dependencies.locator(`.prompt > li .token.${kind}`)).toHaveCount(prompt.length);
  const tokens = log.map(({ token }) => seen(token.text));
  const shown = tokens.length > 24 ? [...tokens.slice(0, 11), ...tokens.slice(-12)] : tokens;
  expect(await cellsOf(chapter.passes)).toEqual(shown);
  const numbers = await chapter.passes.locator("text").allTextContents();
  const indices = log.map(({ index }) => String(index));
  expect(numbers).toEqual(tokens.length > 24 ? [...indices.slice(0, 11), ...indices.slice(-12)] : indices);
  await expect(chapter.dependencies.locator(".generated > li")).toHaveCount(Math.min(most, 24));
}

test("each token hangs on the one before, from the first pass to the last", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await agrees(chapter);
  expect(await chapter.sentence("dependencies")).toContain("all 11 tokens can go in at once");
  await chapter.step();
  await agrees(chapter);
  expect(await chapter.sentence("dependencies")).toContain("Pass 1 needed the prompt and nothing else");
  for (const passes of [1, 1, 10]) {
    await chapter.step(passes);
    await agrees(chapter);
    const { log, stop } = await chapter.moment();
    const [before, newest] = log.slice(-2).map(({ token }) => seen(token.text));
    expect(await chapter.sentence("dependencies")).toBe(
      `Pass ${log.length} needed “${before}”, which pass ${log.length - 1} brought. ` +
        (stop
          ? `It brought “${newest}”, the last.`
          : `Pass ${log.length + 1} cannot begin without “${newest}”, which this one brought.`),
    );
  }
  expect((await chapter.moment()).stop?.reason).toBe("stop-string");
  // For those who hear it: what went in, and what came out.
  const { log } = await chapter.moment();
  const third = chapter.passes.nth(2);
  await expect(third).toContainText(/Pass 3: . in,/);
  expect(log[2].token.text).toBe("y");
  await expect(third).toHaveText(/Pass 3: b in,\s*3\s*y\s*out/);
});

test("the past, Back, Reset and another prompt are followed", async ({ page }) => {
  const chapter = await Chapter.on(page);
  const { widget } = chapter;
  await chapter.step(7);
  for (const at of ["3", "0", "7"]) {
    await widget.moment.fill(at);
    await chapter.settled();
    await expect(chapter.passes).toHaveCount(Number(at));
    await agrees(chapter);
  }
  await widget.button("Back").click();
  await chapter.settled();
  await expect(chapter.passes).toHaveCount(6);
  await widget.button("Reset").click();
  await widget.prompt.fill("a dog");
  await chapter.settled();
  await expect(chapter.promptCells).toHaveCount(5);
  await agrees(chapter);
});

test("of a long run the first and the last are there, and what is left out is counted", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await chapter.set({ model: "untrained", stop: "", maxTokens: null });
  await chapter.step(24);
  await expect(chapter.gaps).toHaveCount(0);
  await agrees(chapter);
  await chapter.step();
  await agrees(chapter);
  await expect(chapter.gaps).toHaveText(/2\s*more\s*passes 12 to 13 are left out here/);
  await chapter.step(92);
  await agrees(chapter);
  await expect(chapter.gaps).toHaveText(/94\s*more\s*passes 12 to 105 are left out here/);

  await chapter.set({ prompt: "the cat sat by the tree and the dog ran", maxTokens: 60 });
  await chapter.settled();
  await expect(chapter.promptCells).toHaveCount(24);
  await expect(chapter.gaps.first()).toHaveText(/16\s*more\s*tokens 12 to 27 are left out here/);
});

test("on a narrow screen it wraps between passes, never inside one", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const chapter = await Chapter.on(page);
  await chapter.set({ model: "untrained", stop: "" });
  await chapter.step(21);
  const rows = new Set();
  for (const pass of await chapter.passes.all()) {
    const [item, arrow, cell] = [
      await boxOf(pass),
      await boxOf(pass.locator("svg")),
      await boxOf(pass.locator(".token")),
    ];
    expect(Math.abs(arrow.y - cell.y)).toBeLessThan(4);
    expect(cell.x).toBeGreaterThanOrEqual(arrow.x + arrow.width - 1);
    expect(item.x + item.width).toBeLessThanOrEqual(360);
    rows.add(item.y);
  }
  expect(rows.size).toBeGreaterThan(2);
});
