/** Models whose passes would hold up the page: they run in a worker, and the widget is the same otherwise. */

import { expect, test } from "./fixtures.js";
import { expectSame, FILES, loaded, PROMPT } from "./large.js";
import { keepPasses, keptPasses, watchWorkers, workersOf } from "./models.js";
import { Widget } from "./widget.js";

test.beforeEach(({ page }) => watchWorkers(page));

for (const [name, address] of /** @type {const} */ ([
  ["the package", "/tests/pages/plain.html"],
  ["the chapter's page", "/"],
])) {
  test(`in ${name} it runs in a worker, bit for bit as on the page's own thread`, async ({
    page,
    browserName,
  }) => {
    await page.goto(address);
    const widget = await loaded(page);
    expect((await workersOf(page)).map(({ terminated }) => terminated)).toEqual([false]);
    if (browserName === "chromium") expect(page.workers()).toHaveLength(1);
    await expect(widget.models).toContainText(/2 blocks, 4 heads, width 192,\s+2,000 tokens/);
    await expect(widget.models).not.toContainText("the page stands still");
    await widget.method("temperature").check();
    await widget.set("Temperature", "2");
    await widget.set("Length limit", "24");
    await widget.run();
    await expect(widget.outcome).toContainText("the length limit of 24 tokens was reached");
    await expectSame(
      widget,
      { seed: 7, maxTokens: 24, sampling: { method: "temperature", temperature: 2 } },
      20,
    );
    expect((await workersOf(page)).map(({ terminated }) => terminated)).toEqual([false]);
  });
}

test("a step returns before its pass is made; the button says so, and cannot be pressed", async ({
  page,
}) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await loaded(page);
  const seen = await widget.root.evaluate(async (node) => {
    const element = /** @type {any} */ (node);
    const passed = new Promise((resolve) =>
      element.addEventListener("generation-pass", resolve, { once: true }),
    );
    const primary = element.shadowRoot.querySelector("[part=primary]");
    element.step();
    const before = element.passes.length;
    await element.updateComplete;
    const busy = [primary.textContent.trim(), primary.disabled || primary.ariaDisabled === "true"];
    // A reader who presses it all the same.
    primary.click();
    await passed;
    await element.updateComplete;
    return { before, busy, after: primary.textContent.trim(), passes: element.passes.length };
  });
  expect(seen).toEqual({ before: 0, busy: ["Making pass 1…", true], after: "Decode 1 token", passes: 1 });
  await expect(widget.generatedCells).toHaveCount(1);
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(2);
});

test("passes by keyboard, one after the other, keep the focus on the button", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await loaded(page);
  await widget.primary.focus();
  for (let pass = 1; pass <= 3; pass += 1) {
    await page.keyboard.press("Enter");
    await expect(widget.generatedCells).toHaveCount(pass);
    await expect(widget.primary).toBeFocused();
  }
  await expect(widget.button("Run")).toBeVisible();
  await expect(widget.status).toContainText(/^Pass 3, decode: #\d+, /);
});

test("Pause, Reset and Back in the middle of a pass", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await loaded(page);
  // A pass is asked for and the rest done in one go, so that it is still being made.
  const inOneGo = (/** @type {string[]} */ ...names) =>
    widget.root.evaluate(async (node, names) => {
      const element = /** @type {any} */ (node);
      for (const name of names) element[name]();
      await element.updateComplete;
    }, names);
  await inOneGo("step", "reset");
  await expect(widget.primary).toHaveText("Prefill 4 tokens");
  await inOneGo("step");
  await expect(widget.generatedCells).toHaveCount(1);
  await inOneGo("step");
  await expect(widget.generatedCells).toHaveCount(2);
  // The last pass, and the one that is being made.
  await inOneGo("step", "back");
  await expect(widget.generatedCells).toHaveCount(1);
  await expect(widget.primary).toHaveText("Decode 1 token");
  await inOneGo("run", "pause");
  await expect(widget.button("Run")).toBeVisible();
  await expect(widget.primary).toHaveText("Decode 1 token");
  // The pass that was being made is kept.
  await expect(widget.generatedCells).toHaveCount(2);
  await inOneGo("run", "reset");
  await expect(widget.primary).toHaveText("Prefill 4 tokens");
  await expect(widget.generatedCells).toHaveCount(0);
  // Passes that came too late are not told of.
  expect((await keptPasses(widget)).map((pass) => Reflect.get(pass, "index"))).toEqual([1, 2, 2]);

  await widget.root.evaluate((element) => Reflect.set(element, "passes", []));
  await keepPasses(widget);
  await widget.set("Length limit", "12");
  await widget.run();
  await expectSame(widget, { seed: 7, maxTokens: 12 }, 8);
});

test("Back before the first pass has come takes that back too", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await loaded(page);
  await widget.root.evaluate((node) => {
    const element = /** @type {any} */ (node);
    element.step();
    element.back();
  });
  await widget.root.evaluate(async (node) => {
    // As long as a pass takes, and more.
    const element = /** @type {any} */ (node);
    for (let frame = 0; frame < 30; frame += 1) await new Promise(requestAnimationFrame);
    await element.updateComplete;
  });
  expect(await widget.status.textContent()).toBe("Back to the prompt.");
  await expect(widget.generatedCells).toHaveCount(0);
});

test("the worker ends with its element, with its model, and a page that goes on has none", async ({
  page,
}) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await loaded(page);
  await widget.step();
  await widget.use("untrained");
  expect((await workersOf(page)).map(({ terminated }) => terminated)).toEqual([true]);
  await widget.open(FILES);
  await expect(widget.model("model.safetensors")).toBeChecked();
  await widget.step(3);
  await expect(widget.generatedCells).toHaveCount(3);
  const symbols = await widget.symbols();
  // In the middle of a pass; and it is back at the same place.
  await widget.root.evaluate(async (node) => {
    const element = /** @type {any} */ (node);
    Reflect.set(window, "box", element.parentElement);
    Reflect.set(window, "kept", element);
    element.remove();
    await new Promise((resolve) => setTimeout(resolve));
  });
  expect((await workersOf(page)).map(({ terminated }) => terminated)).toEqual([true, true]);
  await page.evaluate(async () => {
    const element = Reflect.get(window, "kept");
    Reflect.get(window, "box").append(element);
    await element.ready;
  });
  expect((await workersOf(page)).map(({ terminated }) => terminated)).toEqual([true, true, false]);
  expect(await widget.symbolsAfter(3)).toEqual(symbols);
  await widget.step();
  expect((await widget.symbolsAfter(4)).slice(0, 3)).toEqual(symbols);
});

test("a worker model beside a small one: each at its own pace", async ({ page }) => {
  await page.goto("/tests/pages/several.html");
  const [large, small] = [await Widget.on(page, 0), await Widget.on(page, 1)];
  await large.prompt.fill(PROMPT.join(" "));
  await large.open(FILES);
  await expect(large.model("model.safetensors")).toBeChecked();
  await keepPasses(large);
  await large.set("Length limit", "16");
  await large.speed.selectOption("instant");
  await large.button("Run").click();
  await small.run();
  // Off the screen it waits.
  await large.outcome.scrollIntoViewIfNeeded();
  await large.stopped();
  await expectSame(large, { seed: 7, maxTokens: 16 }, 12);
  await expect(small.model("trained")).toBeChecked();
});
