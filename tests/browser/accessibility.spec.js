/** The widget for those who do not see it or do not point at it: checked by axe, run by keys alone, heard. */

import { expectNoViolations } from "./axe.js";
import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { shown, Widget } from "./widget.js";

test("axe finds nothing before the first pass, with a prompt that cannot be read", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.prompt.fill("The café");
  await expect(widget.prompt).toHaveAttribute("aria-invalid", "true");
  await expectNoViolations(page);
});

test("axe finds nothing in the middle of a run, with a setting that was refused", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.method("top-k").check();
  await widget.step(2);
  await widget.set("Seed", "abc");
  await expect(widget.generatedCells).toHaveCount(2);
  await expect(widget.complaints).toHaveCount(1);
  await expectNoViolations(page);
});

test("axe finds nothing at the end of a run, with all candidates", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.method("top-p").check();
  await widget.run();
  await widget.button("Show all 64").click();
  await expect(widget.candidates).toHaveCount(64);
  await expectNoViolations(page);
});

test("axe finds nothing in the past, with a run to recall, operations, a table of costs, a column that is pointed at, and predictions", async ({
  page,
}) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.method("top-k").check();
  await widget.run();
  await widget.button("Reset").click();
  await widget.run();
  await widget.moment.press("ArrowLeft");
  await widget.root.evaluate((element) => element.toggleAttribute("predict", true));
  await expect(widget.root.locator("[part=predict]")).toBeVisible();
  await widget.openPass(1);
  await widget.button("Show as a table").click();
  await widget.columns.getByRole("combobox", { name: "Column" }).selectOption({ index: 2 });
  await expect(widget.timeline.getByRole("button", { name: "Recall it" })).toBeVisible();
  await expectNoViolations(page);
  // A setting that is tried on it.
  await widget.set("Top k", "3");
  await expect(widget.sentence).toContainText("under the new setting");
  await expectNoViolations(page);
});

test("axe finds nothing on a page with several widgets", async ({ page }) => {
  await page.goto("/tests/pages/several.html");
  // One in the middle, one at the end, one before its first pass.
  const [first, second] = [await Widget.on(page, 0), await Widget.on(page, 1), await Widget.on(page, 2)];
  await first.step();
  await second.run();
  await expectNoViolations(page);
});

test("axe finds nothing where WebAssembly cannot start", async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, "WebAssembly"));
  await page.goto("/tests/pages/plain.html");
  await expect(page.getByRole("button", { name: "Load the model again" })).toBeVisible();
  await expectNoViolations(page);
});

/**
 * What has the focus, inside the element too, and whether that can be seen.
 * @param {import("@playwright/test").Page} page
 */
function focus(page) {
  return page.evaluate(() => {
    const root = document.activeElement?.shadowRoot;
    const focused = root?.activeElement ?? document.activeElement;
    if (focused === null) return { name: "", ringed: false };
    // The round button of a choice is not drawn, and neither is the field for files; their labels are.
    const drawn = focused.matches("[type=radio], [type=file]") ? focused.nextElementSibling : focused;
    const { outlineStyle, outlineWidth } = getComputedStyle(/** @type {Element} */ (drawn));
    const label =
      focused.getAttribute("aria-label") ?? root?.querySelector(`label[for="${focused.id}"]`)?.textContent;
    const labelled = root?.getElementById(focused.getAttribute("aria-labelledby") ?? "")?.textContent;
    return {
      name: (label ?? labelled ?? focused.closest("label")?.textContent ?? focused.textContent ?? "").trim(),
      ringed: outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1,
    };
  });
}

test("a whole run by keys alone, with the focus in sight", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  /** @type {string[]} */
  const names = [];
  const tab = async (key = "Tab") => {
    await page.keyboard.press(key);
    const { name, ringed } = await focus(page);
    expect(ringed, `the focus ring of ${name}`).toBe(true);
    names.push(name);
    return name;
  };
  /** @param {RegExp} wanted */
  const tabTo = async (wanted) => {
    for (let presses = 0; presses < 20; presses += 1) if (wanted.test(await tab())) return;
    throw new Error(`no ${wanted} after ${names.join(", ")}`);
  };

  await tabTo(/^Prompt/);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("a cat");
  await tabTo(/^greedy/);
  // A group of choices is one stop; inside it, arrows choose.
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(widget.method("top-k")).toBeChecked();
  expect((await focus(page)).ringed).toBe(true);
  await tabTo(/^Temperature$/);
  await tabTo(/^Temperature, slider/);
  await tabTo(/^Top k$/);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("3");
  await tabTo(/^Top k, slider/);
  await expect(widget.root.getByRole("slider", { name: "Top k, slider" })).toHaveValue("3");
  await tabTo(/^Seed/);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("12");
  await tabTo(/^New seed/);
  await tabTo(/^Length limit/);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("9");
  await tabTo(/^Stop string/);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.press("Delete");
  await tabTo(/^KV cache/);
  await page.keyboard.press("Space");
  await expect(widget.cache).not.toBeChecked();
  await page.keyboard.press("Space");
  await tabTo(/^Prefill 5 tokens/);
  await page.keyboard.press("Enter");
  await expect(widget.primary).toHaveText("Decode 1 token");
  await page.keyboard.press("Space");
  await expect(widget.generatedCells).toHaveCount(2);
  expect((await focus(page)).name).toBe("Decode 1 token");
  await tabTo(/^Run/);
  await page.keyboard.press("Enter");
  await widget.stopped();
  const { log } = await run({
    prompt: "a cat",
    sampling: { method: "top-k", topK: 3 },
    seed: 12,
    maxTokens: 9,
    stop: [],
  });
  expect(await widget.symbols()).toEqual(shown(log));

  await tabTo(/^Speed/);
  await tabTo(/^Back/);
  await tabTo(/^Reset/);
  // The run is over; a moment of it is an arrow away, and back.
  await tabTo(/^Moment/);
  await page.keyboard.press("ArrowLeft");
  await expect(widget.generatedCells).toHaveCount(log.length - 1);
  await tabTo(/^To the newest/);
  await page.keyboard.press("Enter");
  await expect(widget.generatedCells).toHaveCount(log.length);
  // The button has nothing more to do, and what has the focus now can be seen and pressed.
  expect((await focus(page)).name).toBe("Start over");
  await tabTo(/^Moment/);
  // What scrolls can be reached, and scrolled; a row of the log can be opened and closed.
  await tabTo(/^Step log/);
  for (const { index } of log) await tabTo(new RegExp(`^Pass ${index}: what it cost`));
  await page.keyboard.press("Enter");
  const operations = widget.root.locator(".operations li");
  await expect(operations).toHaveCount(7);
  expect((await focus(page)).name).toMatch(new RegExp(`^Pass ${log.length}:`));
  await page.keyboard.press("Space");
  await expect(operations).toHaveCount(0);
  await tabTo(/^Why this token/);
  const pane = widget.why.locator("[tabindex='0']");
  await page.keyboard.press("End");
  await expect.poll(() => pane.evaluate((node) => node.scrollTop)).toBeGreaterThanOrEqual(0);
  await tabTo(/^Show all/);
  await page.keyboard.press("Enter");
  await expect(widget.candidates).toHaveCount(64);
  await tab("Shift+Tab");
  await page.keyboard.press("End");
  await expect.poll(() => pane.evaluate((node) => node.scrollTop)).toBeGreaterThan(100);
  await tab();
  // The cost as numbers, and which column of the cache is looked at.
  await tabTo(/^Show as a table/);
  await page.keyboard.press("Enter");
  await expect(widget.costs.getByRole("row")).toHaveCount(log.length + 1);
  expect(await tab("Shift+Tab")).toMatch(/^Cost/);
  await tabTo(/^Show as a chart/);
  await tabTo(/^KV cache/);
  await tabTo(/^Column/);
  await page.keyboard.press("ArrowDown");
  await expect(widget.columns.locator("rect.pointed")).not.toHaveCount(0);
});

test("a long run is announced once when it starts and once when it ends", async ({ page }) => {
  await page.goto("/tests/pages/empty.html");
  await page.locator("main").evaluate(async (main) => {
    const element = /** @type {any} */ (document.createElement("generation-loop"));
    Object.assign(element, { model: "untrained", seed: 7, stop: "", maxTokens: 61 });
    main.append(element);
    await element.ready;
  });
  const widget = await Widget.on(page);
  await widget.speed.selectOption("instant");
  const said = await widget.root.evaluate(async (node) => {
    const element = /** @type {any} */ (node);
    const status = element.shadowRoot.querySelector("[role=status]");
    /** @type {string[]} */
    const said = [];
    const observer = new MutationObserver(() => said.push(status.textContent));
    observer.observe(status, { childList: true, characterData: true, subtree: true });
    // A pass to a frame: an announcement for each would be seen.
    element.addEventListener("generation-pass", () => {
      const end = performance.now() + 7;
      while (performance.now() < end);
    });
    const stopped = new Promise((resolve) => element.addEventListener("generation-stop", resolve));
    element.run();
    await stopped;
    await element.updateComplete;
    await new Promise(requestAnimationFrame);
    return said;
  });
  expect(said).toHaveLength(2);
  expect(said[0]).toBe("Running.");
  expect(said[1]).toContain("Stopped: the length limit of 61 tokens was reached. 50 forward passes");

  // Nothing else on the widget speaks by itself: neither the counters nor the log.
  await expect(
    widget.root.locator("[aria-live], [role=status], [role=alert], [role=log], output"),
  ).toHaveCount(1);
});

test("a single step is announced with its token, an error with its words", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  // Its first tokens are letters, which are spoken as they are written.
  await widget.use("untrained");
  const { log } = await run({ model: "untrained" });
  await expect(widget.status).toHaveText("Loaded: untrained.");
  await widget.step();
  await expect(widget.status).toHaveText(
    new RegExp(`^Pass 1, prefill: ${log[0].token.text}, \\d+\\.\\d%\\.$`),
  );
  await widget.step();
  await expect(widget.status).toHaveText(new RegExp(`^Pass 2, decode: ${log[1].token.text}, `));
  await widget.button("Back").click();
  await expect(widget.status).toHaveText("Back to pass 1.");
  await widget.button("Reset").click();
  await expect(widget.status).toHaveText("Back to the prompt.");
  await widget.set("Seed", "abc");
  await expect(widget.status).toContainText('seed is "abc"');
});
