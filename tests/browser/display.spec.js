/** Where things stand: on narrow, enlarged and wide pages, on pages from right to left, and while a run goes on. */

import { expect, test } from "./fixtures.js";
import { cutOff, pageScrolls } from "./layout.js";
import { Widget } from "./widget.js";

for (const [what, width, height] of /** @type {const} */ ([
  ["a screen of 320 pixels", 320, 640],
  ["a screen of 1280 pixels at 200 per cent", 640, 400],
  ["a wide screen", 1280, 800],
])) {
  test(`nothing is cut off on ${what}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.goto("/");
    const widget = await Widget.on(page);
    const check = async (/** @type {string} */ state) => {
      expect(await cutOff(widget), state).toEqual([]);
      expect(await pageScrolls(page), state).toBe(false);
    };
    await check("before");
    await widget.use("untrained");
    await check("with the other weights");
    for (const method of ["top-k", "top-p"]) {
      await widget.method(method).check();
      await check(method);
    }
    await widget.set("Stop string", "");
    await widget.set("Seed", "9007199254740991");
    await widget.set("Length limit", "none");
    await widget.run();
    await widget.button("Show all 64").click();
    await expect(widget.candidates).toHaveCount(64);
    await check("after a run of the whole context");
    await widget.openPass(1);
    await widget.openPass(117);
    await expect(widget.root.locator(".operations")).toHaveCount(1);
    await check("with the operations of a pass");
    await widget.button("Show as a table").click();
    await check("with the costs as a table");
    await widget.moment.press("ArrowLeft");
    await widget.method("top-k").check();
    await widget.step();
    await expect(widget.timeline).toContainText("Previous run:");
    await check("with a run to recall");
    // A word without a gap, and messages of all kinds.
    await widget.set("Temperature", "x".repeat(60));
    await widget.prompt.fill("é".repeat(60));
    await expect(widget.complaints).toHaveCount(1);
    await check("with errors");
    // The loud button can be pressed where the page has been scrolled to.
    await widget.prompt.fill("hi");
    await widget.primary.click();
    await expect(widget.generatedCells).toHaveCount(1);
  });
}

test("the panels stand side by side where there is room, and one above the other where not", async ({
  page,
}) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  const tops = () =>
    Promise.all(
      ["log", "distribution", "cost", "cache"].map(async (part) =>
        Number((await widget.root.locator(`[part=${part}]`).boundingBox())?.y),
      ),
    );
  await page.setViewportSize({ width: 1280, height: 800 });
  const wide = await tops();
  expect(wide[0]).toBe(wide[1]);
  expect(wide[2]).toBeGreaterThan(wide[1]);
  await page.setViewportSize({ width: 700, height: 800 });
  const narrow = await tops();
  expect(narrow).toEqual([...new Set(narrow)].toSorted((a, b) => a - b));
});

for (const width of [1280, 900, 640, 360]) {
  test(`nothing moves from before the first pass to the end of a run, at ${width} px`, async ({ page }) => {
    // High enough for all of it: nothing is scrolled.
    await page.setViewportSize({ width, height: 4000 });
    await page.goto("/tests/pages/plain.html");
    const widget = await Widget.on(page);
    await widget.use("untrained");
    await widget.set("Stop string", "");
    const places = async () => {
      const parts = await widget.root.locator("[part]").all();
      return Promise.all(
        parts.map(async (part) => [
          await part.getAttribute("part"),
          JSON.stringify(await part.boundingBox()),
        ]),
      );
    };
    const before = await places();
    expect(before.length).toBeGreaterThan(10);
    await widget.step();
    await expect(widget.candidates).not.toHaveCount(0);
    expect(await places()).toEqual(before);
    await widget.step(2);
    expect(await places()).toEqual(before);
    await widget.run();
    await expect(widget.outcome).toContainText("Stopped");
    expect(await places()).toEqual(before);
  });
}

test("a page from right to left: the tokens keep their order", async ({ page }) => {
  await page.setViewportSize({ width: 500, height: 800 });
  await page.goto("/tests/pages/rtl.html");
  const widget = await Widget.on(page);
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
  const boxes = await Promise.all(
    (await widget.promptCells.all()).slice(0, 3).map((cell) => cell.boundingBox()),
  );
  const places = boxes.map((box) => box?.x ?? Number.NaN);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(await cutOff(widget)).toEqual([]);
  expect(await pageScrolls(page)).toBe(false);
  await widget.run();
});

test("what moves comes to rest", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  const moving = await widget.root.evaluate(async (node) => {
    const element = /** @type {any} */ (node);
    element.step();
    await element.updateComplete;
    // Styles are worked out when somebody asks.
    element.shadowRoot.querySelector(".cells").getBoundingClientRect();
    return element.shadowRoot.getAnimations().length;
  });
  expect(moving).toBeGreaterThan(0);
  await expect
    .poll(() => widget.root.evaluate((element) => element.shadowRoot?.getAnimations().length))
    .toBe(0);
});
