/** What a reader does who is in no hurry to do it right: changes of mind, slips, and keys for other things. */

import { expect, test } from "./fixtures.js";
import { Widget } from "./widget.js";

test("a value that was refused stays in its field, with its reason, until it is mended or given up", async ({
  page,
}) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.set("Seed", "abc");
  await expect(widget.field("Seed")).toHaveValue("abc");
  await expect(widget.field("Seed")).toHaveAttribute("aria-invalid", "true");
  await expect(widget.complaints).toHaveText(/seed is "abc"; allowed: a whole number/);
  // The seed that it had is as good as any other.
  await widget.set("Seed", "7");
  await expect(widget.complaints).toHaveCount(0);
  await expect(widget.field("Seed")).toHaveAttribute("aria-invalid", "false");

  await widget.set("Seed", "-1");
  await expect(widget.complaints).toHaveCount(1);
  await widget.step();
  await widget.button("Reset").click();
  await expect(widget.complaints).toHaveCount(0);
  await expect(widget.field("Seed")).toHaveValue("7");

  await widget.method("top-k").check();
  await widget.set("Top k", "3.7");
  await expect(widget.complaints).toHaveCount(1);
  await widget.method("greedy").check();
  await expect(widget.complaints).toHaveCount(0);
});

test("typing a prompt ends the run that is going on, and begins none", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await page.evaluate(() => {
    const passes = /** @type {number[]} */ ([]);
    Object.assign(window, { passes });
    window.addEventListener("generation-pass", (event) => {
      passes.push(/** @type {CustomEvent} */ (event).detail.tokensIn);
    });
  });
  await widget.speed.selectOption("fast");
  await widget.button("Run").click();
  await expect(widget.generatedCells).not.toHaveCount(0);
  await widget.prompt.press("End");
  await widget.prompt.pressSequentially(" on");
  await expect(widget.button("Run")).toBeVisible();
  await expect(widget.primary).toHaveText("Prefill 14 tokens");
  expect(
    await page.evaluate(() => /** @type {any} */ (window).passes.filter((/** @type {number} */ n) => n > 1)),
  ).toEqual([11]);
});

test("a prompt that cannot be processed is said aloud, and so is the end of that", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.prompt.fill("café");
  await expect(widget.status).toContainText('"é" (U+00E9) at 4');
  await widget.prompt.fill("cafe");
  await expect(widget.status).toHaveText("The prompt can be processed.");
});

test("stop strings are read as the vocabulary reads the prompt", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.use("untrained");
  await widget.set("Stop string", "N");
  await expect(widget.field("Stop string")).toHaveValue("n");
  await widget.run();
  await expect(widget.outcome).toContainText("the stop string “n” was completed");
  await widget.set("Stop string", "é");
  await expect(widget.complaints).toContainText('"é" (U+00E9) at 1');
  await expect(widget.outcome).toContainText("the stop string “n” was completed");
});

test("two stop strings and one with their letters are not the same", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.use("untrained");
  await widget.set("Stop string", "n,f");
  await widget.set("Stop string", "n|f");
  await expect(widget.field("Stop string")).toHaveValue("n|f");
  await widget.run();
  await expect(widget.outcome).toContainText("the stop string “n” was completed");
});

test("the focus goes on to what can be done, not to nowhere", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.step(2);
  for (const name of ["Back", "Back", "Reset"]) {
    if (name === "Reset") await widget.step();
    await widget.button(name).focus();
    await page.keyboard.press("Enter");
  }
  await expect(widget.primary).toHaveText("Prefill 11 tokens");
  await expect(widget.primary).toBeFocused();
});

test("keys with modifiers, and keys that are no characters, reach the page", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await page.evaluate(() => {
    const keys = /** @type {string[]} */ ([]);
    Object.assign(window, { keys });
    window.addEventListener("keydown", ({ key }) => keys.push(key));
  });
  await widget.prompt.focus();
  for (const key of ["s", "Control+j", "Escape"]) await page.keyboard.press(key);
  expect(await page.evaluate(() => /** @type {any} */ (window).keys)).toEqual(["Control", "j", "Escape"]);
  await expect(widget.prompt).toHaveValue(/s/);
});

test("a listener that has another model load gets a promise that resolves", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  await Widget.on(page);
  const readied = await page.evaluate(async () => {
    const element = /** @type {any} */ (document.createElement("generation-loop"));
    element.addEventListener("generation-error", () => {
      element.model = "untrained";
    });
    element.model = { config: {}, weights: {} };
    document.body.append(element);
    await element.ready.catch(() => undefined);
    return (await element.ready) === element;
  });
  expect(readied).toBe(true);
});

test("a pasted book is counted, not drawn", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.prompt.fill("a".repeat(20_000));
  await expect(widget.primary).toHaveText("Prefill 20,000 tokens");
  await expect(widget.primary).toBeDisabled();
  await expect(widget.promptCells).toHaveCount(129);
  await expect(widget.promptCells.last()).toHaveText("and 19,872 more");
});
