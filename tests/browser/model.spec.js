/** Which weights are used: the two that are inside as one switch, and what the switch changes and what not. */

import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { randomFiles } from "./models.js";
import { shown, Widget } from "./widget.js";

test.beforeEach(({ page }) => page.goto("/"));

/** Columns of the log that the shape alone decides. */
const COSTS = ["pass", "phase", "tokens in", "context", "FLOPs", "total so far", "without cache"];

/** @param {Widget} widget */
async function costs(widget) {
  const rows = await widget.log();
  return rows.map((row) => COSTS.map((column) => row[column]));
}

const ALWAYS = "The cost follows from the shape alone: what the weights are does not change it.";

test("the trained weights are in use, and the card says what they are", async ({ page }) => {
  const widget = await Widget.on(page);
  await expect(widget.model("trained")).toBeChecked();
  await expect(widget.model("untrained")).not.toBeChecked();
  await expect(widget.models.getByRole("radio")).toHaveCount(2);
  await expect(widget.models.getByRole("group", { name: "Model" })).toBeVisible();
  await expect(widget.models).toContainText(
    /GPT-2 architecture: 2 blocks, 2 heads, width 16,\s+64 tokens; 10,688 parameters\. Trained on short sentences from a small grammar of plain English\./,
  );
  await expect(widget.comparison).toHaveText(ALWAYS);
});

test("the other weights cost the same to the last digit, and the log says so", async ({ page }) => {
  const widget = await Widget.on(page);
  const { log } = await run({ stop: [] });
  // As long as neither model ends the run before the limit does.
  const passes = log.length - 1;
  expect(passes).toBeGreaterThan(5);
  await widget.set("Stop string", "");
  await widget.set("Length limit", String(11 + passes));
  await widget.run();
  const trained = await costs(widget);
  const symbols = await widget.symbols();
  expect(trained).toHaveLength(passes);
  await expect(widget.outcome).toContainText(`the length limit of ${11 + passes} tokens was reached`);
  await expect(widget.comparison).toHaveText(ALWAYS);

  await widget.use("untrained");
  await expect(widget.model("untrained")).toBeChecked();
  // From the prompt again: the line has nothing to compare yet.
  expect(await widget.log()).toEqual([]);
  await expect(widget.comparison).toHaveText(ALWAYS);
  await widget.step();
  await expect(widget.comparison).toHaveText(
    "The trained weights cost the same in pass 1: FLOPs follow from the shape alone.",
  );
  await widget.run();
  expect(await costs(widget)).toEqual(trained);
  expect(await widget.symbols()).not.toEqual(symbols);
  await expect(widget.comparison).toHaveText(
    `The trained weights cost the same in passes 1 to ${passes}: FLOPs follow from the shape alone.`,
  );

  await widget.use("trained");
  await widget.run();
  expect(await widget.symbols()).toEqual(symbols);
  expect(await costs(widget)).toEqual(trained);
  await expect(widget.comparison).toHaveText(
    `The untrained weights cost the same in passes 1 to ${passes}: FLOPs follow from the shape alone.`,
  );
});

test("without the cache the costs are the same as well, and of another length as far as both went", async ({
  page,
}) => {
  const widget = await Widget.on(page);
  await widget.cache.uncheck();
  await widget.step(3);
  const trained = await costs(widget);
  await widget.use("untrained");
  await expect(widget.cache).not.toBeChecked();
  await widget.step(5);
  await expect(widget.generatedCells).toHaveCount(5);
  expect((await costs(widget)).slice(0, 3)).toEqual(trained);
  await expect(widget.comparison).toContainText("The trained weights cost the same in passes 1 to 3:");
});

test("of a run that cost something else nothing is said", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.step(2);
  await widget.use("untrained");
  await widget.prompt.fill("a cat");
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
  await expect(widget.comparison).toHaveText(ALWAYS);
  // Another shape: not one number is the same.
  await widget.prompt.fill("the cat sat");
  await widget.open(randomFiles());
  await expect(widget.models).toContainText("1 block");
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(1);
  await expect(widget.comparison).toHaveText(ALWAYS);
});

test("a model is not compared with itself", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.step(2);
  await widget.use("untrained");
  await widget.use("trained");
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(1);
  await expect(widget.comparison).not.toContainText("The trained weights");
});

test("prompt, settings and seed stay as they were", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.prompt.fill("a cat");
  await widget.method("top-p").check();
  await widget.set("Temperature", "0.5");
  await widget.set("Top p", "0.7");
  await widget.button("New seed").click();
  await expect(widget.field("Seed")).not.toHaveValue("7");
  await widget.set("Length limit", "13");
  await widget.set("Stop string", "zq|!");
  await widget.speed.selectOption("instant");
  const seed = await widget.field("Seed").inputValue();
  const options = {
    prompt: "a cat",
    sampling: { method: /** @type {const} */ ("top-p"), temperature: 0.5, topP: 0.7 },
    ...{ seed, maxTokens: 13, stop: ["zq", "!"] },
  };
  for (const model of /** @type {const} */ (["untrained", "trained", "untrained"])) {
    await widget.use(model);
    await expect(widget.prompt).toHaveValue("a cat");
    await expect(widget.primary).toHaveText("Prefill 5 tokens");
    await expect(widget.method("top-p")).toBeChecked();
    await expect(widget.field("Temperature")).toHaveValue("0.5");
    await expect(widget.field("Top p")).toHaveValue("0.7");
    await expect(widget.field("Seed")).toHaveValue(seed);
    await expect(widget.field("Length limit")).toHaveValue("13");
    await expect(widget.field("Stop string")).toHaveValue("zq|!");
    await expect(widget.speed).toHaveValue("instant");
    await widget.run();
    expect(await widget.symbols()).toEqual(shown((await run({ ...options, model })).log));
  }
  // And the seed is the element's, for whoever asks.
  expect(await widget.root.evaluate((element) => String(Reflect.get(element, "seed")))).toBe(seed);
});

test("by keyboard: one stop, arrows choose, and the focus stays", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.prompt.focus();
  await page.keyboard.press("Tab");
  await expect(widget.model("trained")).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(widget.models).toContainText("Random numbers: it has never seen a text.");
  await expect(widget.model("untrained")).toBeChecked();
  await expect(widget.model("untrained")).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(widget.models).toContainText("Trained on short sentences");
  await expect(widget.model("trained")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(widget.ownFiles).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(widget.method("greedy")).toBeFocused();
});

test("a run that goes on ends with its model", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.speed.selectOption("slow");
  await widget.button("Run").click();
  await expect(widget.generatedCells).toHaveCount(1);
  await widget.use("untrained");
  await expect(widget.button("Run")).toBeVisible();
  await expect(widget.primary).toHaveText("Prefill 11 tokens");
  await expect(widget.generatedCells).toHaveCount(0);
});

test("by attribute and property it is the same switch", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.root.evaluate((element) => element.setAttribute("model", "untrained"));
  await expect(widget.model("untrained")).toBeChecked();
  const name = await widget.root.evaluate(async (node) => {
    const element = /** @type {any} */ (node);
    element.model = "trained";
    await element.ready;
    return element.model;
  });
  expect(name).toBe("trained");
  await expect(widget.model("trained")).toBeChecked();
  // What the reader chooses, the page can read.
  await widget.use("untrained");
  expect(await widget.root.evaluate((element) => Reflect.get(element, "model"))).toBe("untrained");
});
