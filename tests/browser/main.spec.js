/** The page from its first second to the end of a run, by its controls alone. */

import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { shown, Widget } from "./widget.js";

test.beforeEach(({ page }) => page.goto("/"));

test("nothing has been processed when the page opens", async ({ page }) => {
  const widget = await Widget.on(page);
  await expect(page).toHaveTitle("One token per forward pass");
  await expect(widget.promptCells).toHaveCount(11);
  for (const cell of await widget.promptCells.all()) await expect(cell).toContainClass("waiting");
  await expect(widget.generatedCells).toHaveCount(0);
  await expect(widget.primary).toHaveText("Prefill 11 tokens");
  await expect(widget.primary).toBeEnabled();
  await expect(widget.button("Back")).toBeDisabled();
  await expect(widget.button("Reset")).toBeDisabled();
  expect(await widget.log()).toEqual([]);
});

test("a first visit: one click, and a readable sentence ends at its full stop", async ({ page }) => {
  const widget = await Widget.on(page);
  await expect(widget.model("trained")).toBeChecked();
  await widget.speed.selectOption("instant");
  await widget.button("Run").click();
  await expect(widget.outcome).toContainText("Stopped: the stop string “.” was completed.");
  const text = (await widget.symbols()).join("").replaceAll("␣", " ");
  expect(text.length).toBeLessThan(21);
  expect(text).toMatch(/^[a-z ]+\.$/);
  // Words as English has them: at most one space in a row, and a vowel in each.
  const words = `the cat sat${text}`.slice(0, -1).split(" ");
  expect(words.length).toBeGreaterThan(3);
  for (const word of words) expect(word).toMatch(/^[a-z]*[aeiouy][a-z]*$/);
});

test("prefill takes the whole prompt in one pass, decode one token", async ({ page }) => {
  const widget = await Widget.on(page);
  const { log } = await run();

  await widget.primary.click();
  await expect(widget.primary).toHaveText("Decode 1 token");
  await expect(widget.promptCells).toHaveCount(11);
  for (const cell of await widget.promptCells.all()) await expect(cell).toContainClass("prompt");
  await expect(widget.generatedCells).toHaveCount(1);
  const [first] = shown(log);
  expect(await widget.log()).toEqual([
    {
      pass: 1,
      phase: "prefill",
      "tokens in": 11,
      context: 11,
      FLOPs: 173_184,
      "total so far": 173_184,
      "without cache": 173_184,
      token: first,
    },
  ]);

  await widget.primary.click();
  await expect(widget.generatedCells).toHaveCount(2);
  const newest = widget.root.locator("[part=strip] ol .newest");
  await expect(newest).toHaveCount(1);
  await expect(widget.generatedCells.last()).toContainClass("newest");
  const rows = await widget.log();
  expect(rows).toHaveLength(2);
  expect(rows[1]).toMatchObject({
    pass: 2,
    phase: "decode",
    "tokens in": 1,
    context: 12,
    FLOPs: 15_872,
    "total so far": 189_056,
  });
});

test("a run to 32 tokens has 21 passes, and the totals of the closed formula", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.use("untrained");
  await widget.set("Stop string", "");
  await widget.set("Length limit", "32");
  await widget.method("greedy").check();
  await widget.run();

  const rows = await widget.log();
  expect(rows).toHaveLength(21);
  expect(rows.map((row) => row.phase)).toEqual(["prefill", ...Array(20).fill("decode")]);
  expect(rows.at(-1)).toMatchObject({ pass: 21, context: 31, "total so far": 514_944 });
  expect(rows.reduce((sum, row) => sum + row.FLOPs, 0)).toBe(514_944);
  expect(rows.reduce((sum, row) => sum + row["without cache"], 0)).toBe(7_606_144);
  await expect(widget.outcome).toHaveText(
    "Stopped: the length limit of 32 tokens was reached. 21 forward passes: 1 prefill, 20 decodes.",
  );
  await expect(widget.root).toContainText("pass 21 of at most 21");
  await expect(widget.primary).toHaveText("Start over");
});

test("without the cache the tokens are the same, and each pass costs all again", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.use("untrained");
  await widget.set("Stop string", "");
  await widget.run();
  const tokens = await widget.symbols();

  await widget.primary.click();
  await widget.cache.uncheck();
  await widget.run();
  expect(await widget.symbols()).toEqual(tokens);
  const rows = await widget.log();
  expect(rows.map((row) => row.FLOPs)).toEqual(rows.map((row) => row["without cache"]));
  expect(rows.map((row) => row["tokens in"])).toEqual(rows.map((row) => row.context));
  expect(rows.at(-1)?.["total so far"]).toBe(7_606_144);
});

test("the cache can be switched in the middle of a run", async ({ page }) => {
  const widget = await Widget.on(page);
  const { log } = await run({ stop: [] });
  await widget.set("Stop string", "");
  await widget.step(2);
  await widget.cache.uncheck();
  await widget.step();
  await widget.cache.check();
  await widget.step();
  expect(await widget.symbolsAfter(4)).toEqual(shown(log).slice(0, 4));
  const costs = (await widget.log()).map((row) => row.FLOPs);
  expect(costs.slice(1)).toEqual([log[1].flops, log[2].flopsWithoutCache, log[3].flops]);
});

test("back to the prompt and forward again brings the same tokens", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.method("temperature").check();
  await widget.step(4);
  const tokens = await widget.symbolsAfter(4);
  const rows = await widget.log();

  for (let left = 3; left >= 0; left -= 1) {
    await widget.button("Back").click();
    await expect(widget.generatedCells).toHaveCount(left);
  }
  await expect(widget.promptCells.first()).toContainClass("waiting");
  await expect(widget.primary).toHaveText("Prefill 11 tokens");
  await widget.step(4);
  expect(await widget.symbolsAfter(4)).toEqual(tokens);
  expect(await widget.log()).toEqual(rows);
});

test("a run can be paused, taken further by hand and by itself, and started over", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.set("Stop string", "");
  const { log } = await run({ stop: [] });

  await widget.speed.selectOption("fast");
  await widget.button("Run").click();
  await expect(widget.primary).toBeDisabled();
  await expect(widget.generatedCells.nth(1)).toBeVisible();
  await widget.button("Pause").click();
  await expect(widget.button("Run")).toBeVisible();
  const paused = await widget.generatedCells.count();
  expect(paused).toBeLessThan(21);

  await widget.primary.click();
  await expect(widget.generatedCells).toHaveCount(paused + 1);
  await widget.button("Run").click();
  // A speed chosen in the middle of a run counts at once.
  await widget.speed.selectOption("instant");
  await widget.stopped();
  expect(await widget.symbols()).toEqual(shown(log));

  await widget.primary.click();
  await expect(widget.primary).toHaveText("Prefill 11 tokens");
  await expect(widget.outcome).not.toContainText("Stopped:");
  expect(await widget.log()).toEqual([]);

  // Run after the end begins anew as well; slowly, so that the new run is seen before it ends.
  await widget.run();
  await widget.speed.selectOption("slow");
  await widget.button("Run").click();
  await expect(widget.outcome).not.toContainText("Stopped:");
  await widget.speed.selectOption("instant");
  await widget.stopped();
  expect(await widget.symbols()).toEqual(shown(log));
});

test("another prompt is another run", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.step(3);
  await widget.prompt.fill("a cat");
  await expect(widget.generatedCells).toHaveCount(0);
  await expect(widget.primary).toHaveText("Prefill 5 tokens");
  await expect(widget.promptCells).toHaveCount(5);
  await expect(widget.promptCells.first()).toContainClass("waiting");
  expect(await widget.log()).toEqual([]);
  const { log } = await run({ prompt: "a cat" });
  await widget.step(2);
  expect(await widget.symbolsAfter(2)).toEqual(shown(log).slice(0, 2));
});
