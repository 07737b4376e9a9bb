/** What all drawings of the reader's run have in common: without scripts, while a run goes on, when a prompt is refused. */

import { random } from "../unit/checkpoints.js";
import { modelFile } from "../unit/files.js";
import { expectNoViolations } from "./axe.js";
import { Chapter, DRAWINGS } from "./drawings.js";
import { expect, test } from "./fixtures.js";
import { pageScrolls } from "./layout.js";
import { filesOf, LARGE } from "./models.js";
import { Widget } from "./widget.js";

for (const width of [320, 1280]) {
  test(`at ${width} pixels they have the same words and the same size without scripts, and none moves in a run`, async ({
    page,
    browser,
    baseURL,
  }) => {
    await page.setViewportSize({ width, height: 720 });
    const chapter = await Chapter.on(page);
    const heights = await chapter.heights();
    const still = await browser.newPage({
      ...{ baseURL, javaScriptEnabled: false, viewport: { width, height: 720 } },
    });
    await still.goto("/");
    for (const id of DRAWINGS) {
      const place = still.locator(`#${id}`);
      const drawn = await chapter.text(id);
      expect(drawn.length).toBeGreaterThan(100);
      // Nothing can be run in this page, and so what is for screen readers only is taken out here.
      const markup = await place.innerHTML();
      const text = await page.evaluate((markup) => {
        const { body } = new DOMParser().parseFromString(markup, "text/html");
        for (const hidden of body.querySelectorAll(".sr, .choices")) hidden.remove();
        return body.textContent?.replace(/\s+/g, "");
      }, markup);
      expect(text, id).toBe(drawn);
      // Without scripts there is nothing to choose, which not every browser tells its styles.
      const { height } = /** @type {{ height: number }} */ (await place.boundingBox());
      const expected = Number(heights.find(([name]) => name === id)?.[1]);
      if (id === "roofline") expect(height).toBeLessThanOrEqual(expected);
      else expect(height, id).toBeCloseTo(expected, 0);
    }
    await still.close();

    // From the first pass to the last.
    for (const passes of [1, 1, 1, 7, 3]) {
      await chapter.step(passes);
      expect(await chapter.heights(), `${passes} more`).toEqual(heights);
    }
    expect((await chapter.moment()).stop?.reason).toBe("stop-string");
    await chapter.set({ stop: "", model: "untrained" });
    await chapter.step(21);
    expect((await chapter.moment()).stop?.reason).toBe("max-tokens");
    expect(await chapter.heights()).toEqual(heights);
    expect(await pageScrolls(page)).toBe(false);
  });
}

test("what is in the place is as large as what comes into it", async ({ page }) => {
  // Until the script has come, and after it.
  await page.route(/\.js$/, async (route) => {
    await page.waitForTimeout(500);
    await route.continue();
  });
  await page.goto("/", { waitUntil: "commit" });
  await expect(page.locator("#saving .kept")).toBeAttached();
  await expect(page.locator("#loop > ol")).toHaveCSS("display", "grid");
  await expect(page.locator("#roofline .choices")).toBeEmpty();
  const heights = (/** @type {string[]} */ ids) =>
    ids.map((id) => document.getElementById(id)?.getBoundingClientRect().height);
  const before = await page.evaluate(heights, DRAWINGS);
  const chapter = new Chapter(page, await Widget.on(page));
  await chapter.settled();
  await expect(page.getByRole("radio", { name: "your run" })).toBeAttached();
  expect(await page.evaluate(heights, DRAWINGS)).toEqual(before);
});

test("what is off the screen is drawn when the reader comes near, as it is then", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.step(3);
  await expect(widget.generatedCells).toHaveCount(3);
  const title = page.locator("#saving .title");
  await page.waitForTimeout(300);
  await expect(title).toHaveText("FLOPs of a run of 21 passes");
  await title.scrollIntoViewIfNeeded();
  await expect(title).toHaveText("FLOPs of your run so far, 3 passes");
  // And it stays what it was while the reader is away again.
  await widget.primary.scrollIntoViewIfNeeded();
  await page.waitForTimeout(300);
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(4);
  await page.waitForTimeout(300);
  await expect(title).toHaveText("FLOPs of your run so far, 3 passes");
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await expect(title).toHaveText("FLOPs of your run so far, 4 passes");
});

test("an instant run of the whole context is drawn while it goes on, once a frame at most", async ({
  page,
}) => {
  // All of the page is on the screen.
  await page.setViewportSize({ width: 1280, height: 6000 });
  const chapter = await Chapter.on(page);
  await chapter.set({ model: "untrained", stop: "", maxTokens: null });
  await chapter.widget.speed.selectOption("instant");
  const { frames, draws } = await page.evaluate(async () => {
    const element = /** @type {any} */ (document.querySelector("generation-loop"));
    let frames = 0;
    let draws = 0;
    const observer = new MutationObserver(() => {
      draws += 1;
    });
    const sentence = /** @type {Element} */ (document.querySelector("#dependencies .said"));
    observer.observe(sentence, { childList: true, characterData: true, subtree: true });
    const stopped = new Promise((resolve) => element.addEventListener("generation-stop", resolve));
    let over = false;
    const count = () => {
      frames += 1;
      if (!over) requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    element.run();
    await stopped;
    await element.updateComplete;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    over = true;
    return { frames, draws };
  });
  expect(draws).toBeGreaterThan(3);
  expect(draws).toBeLessThanOrEqual(frames + 1);
  expect((await chapter.moment()).log).toHaveLength(117);
  await expect(chapter.line("Stop")).toHaveText("the model’s context of 128 tokens is full");
  expect(await chapter.sentence("dependencies")).toMatch(/^Pass 117 needed .*, the last\.$/);
  await expect(chapter.saving.locator(".title")).toHaveText("FLOPs of your run so far, 117 passes");
  expect((await chapter.numbers())["tokens in"]).toEqual(["11", "1"]);
});

test("while a prompt is refused, the last good drawing stays and says so", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await chapter.step(3);
  const before = await chapter.numbers();
  await chapter.widget.prompt.fill("a~b~c");
  await chapter.settled();
  for (const id of ["dependencies", "roofline", "saving"]) {
    expect(await chapter.sentence(id)).toMatch(/^The prompt in the widget above cannot be processed/);
  }
  // Of the run before, and not of what cannot be.
  expect(await chapter.numbers()).toEqual(before);
  await expect(chapter.promptCells).toHaveCount(11);
  await expect(chapter.line("Tokenise")).toHaveText("2 of 5 not in the vocabulary");
  await chapter.widget.prompt.fill("abc");
  await chapter.settled();
  await expect(chapter.promptCells).toHaveCount(3);
  expect(await chapter.sentence("dependencies")).toContain("all 3 tokens");
});

test("where the widget cannot start, what the page has in the places stays", async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, "WebAssembly"));
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Load the model again" })).toBeVisible();
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await expect(page.locator("#loop [aria-current] b")).toHaveText("Tokenise");
  await expect(page.locator("#saving .said")).toContainText("514,944");
  await expect(page.locator("#roofline tbody tr")).toHaveCount(7);
  await expectNoViolations(page);
});

test("another widget on the page is none of theirs", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await chapter.step();
  await page.evaluate(async () => {
    const other = /** @type {any} */ (document.createElement("generation-loop"));
    other.prompt = "another";
    document.body.append(other);
    await other.ready;
    other.step();
    await other.updateComplete;
  });
  await chapter.settled();
  await expect(chapter.line("Tokenise")).toHaveText("11 tokens");
  await expect(chapter.promptCells).toHaveCount(11);
});

test("a model of the reader's own, with ids for tokens, is followed too", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 720 });
  const chapter = await Chapter.on(page);
  await chapter.widget.open(filesOf({ config: LARGE, weights: modelFile(random(LARGE, 1, 0.1)) }));
  await expect(chapter.widget.models).toContainText("2,000 tokens");
  await chapter.widget.prompt.fill("12 7 1412");
  for (let pass = 1; pass <= 2; pass += 1) {
    await chapter.widget.step();
    await expect(chapter.widget.generatedCells).toHaveCount(pass);
  }
  await chapter.settled();
  const { log } = await chapter.moment();
  await expect(chapter.promptCells).toHaveText(["#12", "#7", "#1412"]);
  await expect(chapter.passes.nth(1)).toContainText(log[1].token.text);
  expect((await chapter.numbers()).FLOPs).toEqual(log.map(({ flops }) => flops.toLocaleString("en")));
  expect(await pageScrolls(page)).toBe(false);
});

test("axe finds nothing before a run", async ({ page }) => {
  await Chapter.on(page);
  await expectNoViolations(page);
});

test("axe finds nothing in a run, with another model's points", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await chapter.step(3);
  await page.getByRole("radio", { name: /prompt of 512 tokens/ }).check();
  await expectNoViolations(page);
});

test("axe finds nothing after a run", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await chapter.widget.run();
  await chapter.settled();
  await expectNoViolations(page);
});

test("axe finds nothing with a refused prompt", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await chapter.step();
  await chapter.widget.prompt.fill("a~b");
  await chapter.settled();
  await expectNoViolations(page);
});

test("nothing in them speaks by itself", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await chapter.step(2);
  await expect(
    page.locator(DRAWINGS.map((id) => `#${id} :is([aria-live], [role=status], [role=alert], output)`).join()),
  ).toHaveCount(0);
});
