/** The four ways in which a run ends, each reached through the page's controls. */

import { run, runThatEndsBy } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { shown, Widget } from "./widget.js";

/** The page's widget, on weights whose text is as long as it may be. @param {import("@playwright/test").Page} page */
async function untrained(page) {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.use("untrained");
  return widget;
}

/**
 * The end that all four have in common.
 * @param {Widget} widget
 * @param {number} passes
 * @param {number} outside tokens at the end that are no part of the text
 */
async function expectEnd(widget, passes, outside) {
  const words = passes === 1 ? "1 forward pass: 1 prefill" : `${passes} forward passes: 1 prefill`;
  await expect(widget.outcome).toContainText(words);
  expect(await widget.log()).toHaveLength(passes);
  const hollow = await widget.generatedCells.evaluateAll((cells) =>
    cells.map((cell) => cell.classList.contains("outside")),
  );
  expect(hollow).toEqual(Array.from({ length: passes }, (_, index) => index >= passes - outside));
  await expect(widget.primary).toHaveText("Start over");
  await expect(widget.button("Run")).toBeEnabled();
}

test("max-tokens: the limit, exactly", async ({ page }) => {
  const widget = await untrained(page);
  await widget.set("Stop string", "");
  for (const limit of [12, 13, 20]) {
    await widget.set("Length limit", String(limit));
    await expect(widget.root).toContainText(`at most ${limit === 12 ? "1 pass" : `${limit - 11} passes`}`);
    await widget.run();
    await expect(widget.outcome).toContainText(`the length limit of ${limit} tokens was reached`);
    await expectEnd(widget, limit - 11, 0);
  }
});

for (const length of [1, 2]) {
  test(`stop-string: one of ${length === 1 ? "one character" : "two characters"}`, async ({ page }) => {
    const widget = await untrained(page);
    const { log, text } = await run({ model: "untrained", stop: [] });
    // What first comes as late as this is no part of the tokens before it.
    const start = [...text].findIndex((_, at) => at >= 3 && text.indexOf(text.slice(at, at + length)) === at);
    const stop = text.slice(start, start + length);
    await widget.set("Stop string", stop);
    await widget.run();
    await expect(widget.outcome).toContainText(
      `the stop string “${stop.replaceAll(" ", "␣")}” was completed`,
    );
    await expectEnd(widget, start + length, length);
    expect(await widget.symbols()).toEqual(shown(log).slice(0, start + length));
    await expect(widget.generatedCells.last()).toContainText("ended the run");
  });
}

test("stop-string: the first of several", async ({ page }) => {
  const widget = await untrained(page);
  const { text } = await run({ model: "untrained", stop: [] });
  await widget.set("Stop string", `${text[9]}|${text[4]}`);
  await widget.run();
  const passes = Math.min(text.indexOf(text[9]), text.indexOf(text[4])) + 1;
  await expect(widget.outcome).toContainText(`the stop string “${text[passes - 1].replace(" ", "␣")}”`);
  await expectEnd(widget, passes, 1);
});

test("stop-string: what stands in the prompt ends nothing", async ({ page }) => {
  const widget = await untrained(page);
  const { text } = await run({ model: "untrained", stop: [] });
  // The last of the prompt and the first of the text: together they would be one.
  await widget.set("Stop string", `the|t${text[0]}`);
  await widget.step();
  await expect(widget.primary).toHaveText("Decode 1 token");
  await expect(widget.outcome).toHaveText("");
});

test("context-full: no limit and no stop string", async ({ page }) => {
  const widget = await untrained(page);
  const sampling = /** @type {const} */ ({ method: "temperature", temperature: 100 });
  const { log, seed } = await runThatEndsBy("context-full", {
    model: "untrained",
    stop: [],
    maxTokens: null,
    sampling,
  });
  await widget.method("temperature").check();
  await widget.set("Temperature", "100");
  await widget.set("Seed", String(seed));
  await widget.set("Stop string", "");
  await widget.set("Length limit", "none");
  await widget.run();
  await expect(widget.outcome).toContainText("the model’s context of 128 tokens is full");
  await expectEnd(widget, 117, 0);
  expect(await widget.symbols()).toEqual(shown(log));
});

test("end-of-text: the model says so itself", async ({ page }) => {
  const widget = await untrained(page);
  // So hot that every token is about as likely as the others, whatever the weights are.
  const sampling = /** @type {const} */ ({ method: "temperature", temperature: 100 });
  const { log, seed } = await runThatEndsBy("end-of-text", { model: "untrained", stop: [], sampling });
  await widget.set("Stop string", "");
  await widget.method("temperature").check();
  await widget.set("Temperature", "100");
  await widget.set("Seed", String(seed));
  await widget.run();
  await expect(widget.outcome).toContainText("the model sampled the end-of-text token");
  await expectEnd(widget, log.length, 1);
  const symbols = await widget.symbols();
  expect(symbols).toEqual(shown(log));
  // It has a cell, which is hollow; among the tokens of the text there is no sign of it.
  expect(symbols.indexOf("eos")).toBe(log.length - 1);
  await expect(widget.generatedCells.last()).toContainText("end of text, ended the run");
});

test("back from the end is before it, and forward ends the run again", async ({ page }) => {
  const widget = await untrained(page);
  const { text } = await run({ model: "untrained", stop: [] });
  await widget.set("Stop string", text[5]);
  const passes = text.indexOf(text[5]) + 1;
  await widget.run();
  await expectEnd(widget, passes, 1);

  await widget.button("Back").click();
  await expect(widget.outcome).toHaveText("");
  await expect(widget.primary).toHaveText("Decode 1 token");
  await expect(widget.root.locator("ol .outside")).toHaveCount(0);
  await widget.step();
  await widget.stopped();
  await expectEnd(widget, passes, 1);
});
