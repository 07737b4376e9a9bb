/** A run by itself: the page stays alive while it goes, and it ends when it is told to. */

import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { Widget } from "./widget.js";

test.beforeEach(async ({ page }) => {
  await page.goto("/tests/pages/empty.html");
  await page.locator("main").evaluate(async (main) => {
    const element = /** @type {any} */ (document.createElement("generation-loop"));
    Object.assign(element, { model: "untrained", prompt: "a", seed: 7, stop: "", maxTokens: null });
    main.append(element);
    await element.ready;
  });
});

test("frames keep coming during an instant run of the whole context", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.speed.selectOption("instant");
  const seen = await widget.root.evaluate(async (node) => {
    const element = /** @type {any} */ (node);
    let frames = 0;
    let passes = 0;
    let over = false;
    /** How many passes each frame brought. @type {number[]} */
    const each = [];
    element.addEventListener("generation-pass", () => {
      passes += 1;
    });
    const stopped = new Promise((resolve) => element.addEventListener("generation-stop", resolve));
    const tick = () => {
      if (over) return;
      frames += 1;
      each.push(passes);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    // A pass of a slow device: a few of them fill what a run may take of a frame.
    element.addEventListener("generation-pass", () => {
      const end = performance.now() + 2;
      while (performance.now() < end);
    });
    element.run();
    await stopped;
    over = true;
    return { frames, passes, each };
  });
  const { log } = await run({ model: "untrained", prompt: "a", stop: [], maxTokens: null });
  expect(seen.passes).toBe(log.length);
  expect(seen.frames).toBeGreaterThan(5);
  // Each frame showed more of the run than the one before, and none of them all of it.
  expect(new Set(seen.each).size).toBeGreaterThan(5);
});

for (const speed of ["instant", "fast"]) {
  test(`pause ends a run that is ${speed}, within the step`, async ({ page }) => {
    const widget = await Widget.on(page);
    await widget.speed.selectOption(speed);
    const passes = await widget.root.evaluate(async (node) => {
      const element = /** @type {any} */ (node);
      let passes = 0;
      // A pass of a slow device: an instant run of a fast one may be over within its first frame.
      element.addEventListener("generation-pass", () => {
        const end = performance.now() + 2;
        while (performance.now() < end);
      });
      const paused = new Promise((resolve) => {
        element.addEventListener("generation-pass", () => {
          passes += 1;
          // From outside of the step, where a reader's click comes from.
          if (passes === 2) {
            setTimeout(() => {
              element.pause();
              resolve(passes);
            });
          }
        });
      });
      element.run();
      const atPause = await paused;
      // Whatever was scheduled has had its turn when as much time has gone by as the first passes took.
      for (let frame = 0; frame < 12; frame += 1) await new Promise(requestAnimationFrame);
      return { atPause, later: passes };
    });
    expect(passes.later).toBe(passes.atPause);
    await expect(widget.outcome).toHaveText("");
    await expect(widget.generatedCells).toHaveCount(passes.later);
    await expect(widget.button("Run")).toBeEnabled();
    await expect(widget.status).toHaveText("Paused.");
  });
}

test("a run that is slower or faster is the same run", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.set("Length limit", "6");
  await widget.run();
  const symbols = await widget.symbols();
  await widget.primary.click();
  await widget.speed.selectOption("fast");
  await widget.button("Run").click();
  await expect(widget.generatedCells).toHaveCount(5);
  await widget.stopped();
  expect(await widget.symbols()).toEqual(symbols);
  await widget.primary.click();
  await widget.step(5);
  expect(await widget.symbolsAfter(5)).toEqual(symbols);
});
