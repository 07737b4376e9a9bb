/** What a reader can choose for a run, and what becomes of it. */

import { GenerationLoop } from "../../www/engine.js";
import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { shown, Widget } from "./widget.js";

test.beforeEach(({ page }) => page.goto("/"));

/** @param {string} text */
const containing = (text) => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));

const NUMBERS = ["Temperature", "Top k", "Top p"];

test("each method shows just the numbers that it uses", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.set("Stop string", "");
  for (const [method, used] of /** @type {const} */ ([
    ["greedy", []],
    ["temperature", ["Temperature"]],
    ["top-k", ["Temperature", "Top k"]],
    ["top-p", ["Temperature", "Top p"]],
  ])) {
    await widget.method(method).check();
    for (const label of NUMBERS) {
      const visible = used.some((name) => name === label);
      await expect(widget.field(label)).toBeVisible({ visible });
      await expect(widget.root.getByRole("slider", { name: `${label}, slider` })).toBeVisible({ visible });
    }
    await widget.run();
    const { log } = await run({ stop: [], sampling: { method } });
    expect(await widget.symbols()).toEqual(shown(log));
    await widget.primary.click();
  }
});

test("a slider and its field are one value", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.method("top-k").check();
  const slider = widget.root.getByRole("slider", { name: "Top k, slider" });
  await expect(widget.field("Top k")).toHaveValue("8");
  await slider.press("ArrowRight");
  await expect(widget.field("Top k")).toHaveValue("9");
  await widget.set("Top k", "3");
  await expect(slider).toHaveValue("3");
  await widget.step();
  await expect(widget.why).toContainText("pass 1: 3 candidates left");
  await expect(widget.sentence).toHaveText(/^u = 0\.\d{4} falls between /);
});

test("one seed repeats its run, another leads elsewhere", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.use("untrained");
  await widget.set("Stop string", "");
  await widget.method("temperature").check();
  const runs = [];
  for (const seed of ["7", "8", "7", "0"]) {
    await widget.set("Seed", seed);
    await widget.run();
    runs.push(await widget.symbols());
    await widget.button("Reset").click();
    await expect(widget.generatedCells).toHaveCount(0);
  }
  expect(runs[0]).toEqual(runs[2]);
  expect(new Set(runs.map((symbols) => symbols.join(""))).size).toBe(3);
});

test("New seed picks and shows another, and starts over", async ({ page }) => {
  const widget = await Widget.on(page);
  await expect(widget.field("Seed")).toHaveValue("7");
  await widget.step();
  await widget.button("New seed").click();
  await expect(widget.field("Seed")).not.toHaveValue("7");
  await expect(widget.generatedCells).toHaveCount(0);
  const seed = await widget.field("Seed").inputValue();
  expect(seed).toMatch(/^\d{1,16}$/);

  // The seed that is shown is the one that is used.
  await widget.method("temperature").check();
  await widget.step(3);
  const sampling = /** @type {const} */ ({ method: "temperature" });
  const { log } = await run({ sampling, seed, stop: [] });
  expect(await widget.symbolsAfter(3)).toEqual(shown(log).slice(0, 3));
});

test("the same settings lead to the same run after a reload", async ({ page }) => {
  const once = async () => {
    const widget = await Widget.on(page);
    await widget.method("top-p").check();
    await widget.set("Seed", "12345");
    await widget.set("Stop string", "");
    await widget.run();
    return { symbols: await widget.symbols(), log: await widget.log() };
  };
  const before = await once();
  await page.reload();
  expect(await once()).toEqual(before);
});

test("a method chosen in the middle of a run applies from the next token on", async ({ page }) => {
  const widget = await Widget.on(page);
  const loop = await GenerationLoop.load({ seed: 7 });
  loop.prefill("the cat sat");
  loop.decodeStep();
  loop.sampling = { method: "top-k", topK: 5 };
  loop.decodeStep();
  loop.decodeStep();

  await widget.set("Stop string", "");
  await widget.step(2);
  const before = await widget.symbolsAfter(2);
  await widget.method("top-k").check();
  await widget.set("Top k", "5");
  expect(await widget.symbols()).toEqual(before);
  await widget.step(2);
  expect(await widget.symbolsAfter(4)).toEqual(shown(loop.log));
  loop.dispose();
});

test("another seed, limit or stop string is another run", async ({ page }) => {
  const widget = await Widget.on(page);
  for (const [label, value] of [
    ["Seed", "8"],
    ["Length limit", "20"],
    ["Stop string", "!"],
  ]) {
    await widget.step(2);
    await expect(widget.generatedCells).toHaveCount(2);
    await widget.set(label, value);
    await expect(widget.primary).toHaveText("Prefill 11 tokens");
    await expect(widget.field(label)).toHaveValue(value);
    expect(await widget.log()).toEqual([]);
  }
});

test("leaving a field as it was leaves the run as it is", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.step(2);
  for (const label of ["Seed", "Length limit", "Stop string"]) {
    await widget.field(label).focus();
    await widget.field(label).press("Tab");
  }
  await expect(widget.generatedCells).toHaveCount(2);
});

for (const [label, right, refused] of /** @type {const} */ ([
  [
    "Seed",
    "3",
    [
      ["abc", 'seed is "abc"; allowed: a whole number from 0 to 9007199254740991'],
      ["-1", 'seed is "-1"'],
      ["9007199254740993", 'seed is "9007199254740993"'],
    ],
  ],
  [
    "Length limit",
    "30",
    [
      ["1", 'max-tokens is "1"; allowed: a whole number from 2'],
      ["1000", "max-tokens is 1000; allowed: 2 to 128"],
      ["", 'max-tokens is ""'],
    ],
  ],
  ["Stop string", "!", [[".|", "stop string 2 is empty"]]],
  [
    "Temperature",
    "0.5",
    [
      ["-1", 'temperature is "-1"; allowed: a finite number, at least 0'],
      ["1e999", 'temperature is "1e999"'],
    ],
  ],
])) {
  test(`a wrong ${label.toLowerCase()} is refused beside its field, and the run stays`, async ({ page }) => {
    const widget = await Widget.on(page);
    await widget.method("temperature").check();
    await widget.step(2);
    const before = await widget.symbolsAfter(2);
    for (const [value, message] of refused) {
      await widget.set(label, value);
      await expect(widget.complaints).toHaveCount(1);
      await expect(widget.complaints).toContainText(message);
      await expect(widget.field(label)).toHaveAttribute("aria-invalid", "true");
      await expect(widget.field(label)).toHaveAccessibleDescription(containing(message));
      expect(await widget.symbols()).toEqual(before);
    }
    await widget.step();
    await expect(widget.generatedCells).toHaveCount(3);

    // The next value that is right takes the message away.
    await widget.set(label, right);
    await expect(widget.complaints).toHaveCount(0);
    await expect(widget.field(label)).toHaveAttribute("aria-invalid", "false");
  });
}

test("temperature 0 takes the most likely token", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.set("Stop string", "");
  await widget.method("temperature").check();
  await widget.set("Temperature", "0");
  await widget.run();
  const { log } = await run({ stop: [], sampling: { method: "greedy" } });
  expect(await widget.symbols()).toEqual(shown(log));
});
