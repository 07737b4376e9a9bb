/** What the panels below the strip show of a pass: where its token came from, and its row in the log. */

import { GenerationLoop } from "../../www/engine.js";
import { en } from "../../www/words/en.js";
import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { percent, symbol, Widget } from "./widget.js";

test.beforeEach(({ page }) => page.goto("/"));

/**
 * What each candidate of a pass should say, by the heads of its columns.
 * @param {import("../../www/pass.js").Pass} pass
 * @param {number} temperature
 */
function columnsOf(pass, temperature) {
  const warm = new Map(
    pass
      .under({ method: "temperature", temperature })
      ?.list.map(({ id, samplingProbability }) => [id, samplingProbability]),
  );
  return pass.candidates.map(({ id, probability, samplingProbability }, rank) => ({
    model: percent(probability),
    "after temperature": percent(warm.get(id) ?? Number.NaN),
    "drawn from": rank < pass.kept ? percent(samplingProbability) : "cut",
  }));
}

/**
 * The slice of the cumulative bar that is the drawn token's.
 * @param {import("../../www/pass.js").Pass} pass
 */
function sliceOf({ candidates, token }) {
  const rank = candidates.findIndex(({ id }) => id === token.id);
  const from = candidates
    .slice(0, rank)
    .reduce((sum, { samplingProbability }) => sum + samplingProbability, 0);
  return { from, to: from + candidates[rank].samplingProbability };
}

test("before the first pass all panels say what will be there", async ({ page }) => {
  const widget = await Widget.on(page);
  await expect(widget.candidates).toHaveCount(0);
  await expect(widget.root).toContainText("Each pass ends with one probability for each of 64 tokens.");
  await expect(widget.root).toContainText("Nothing has been processed yet.");
  await expect(widget.costs).toContainText(en.cost.empty);
  await expect(widget.columns).toContainText("0 of 31 columns, 0 new");
  await expect(widget.columns).toContainText("no weights are at hand at this moment");
  await expect(widget.moment).toBeDisabled();
  await expect(widget.timeline).toContainText("the prompt");
});

test("candidates are sorted, and the cut ones grey", async ({ page }) => {
  const widget = await Widget.on(page);
  // Its least likely token is likely enough to be seen.
  await widget.use("untrained");
  await widget.method("top-k").check();
  await widget.set("Top k", "4");
  await widget.step();
  await expect(widget.why).toContainText("pass 1: 4 candidates left");
  await expect(widget.sentence).toHaveText(/^u = 0\.\d{4} falls between [01]\.\d{4} and [01]\.\d{4}: \S+$/);
  await widget.button("Show all 64").click();
  await expect(widget.candidates).toHaveCount(64);
  const list = await widget.stages();
  expect(list.map(({ cut }) => cut)).toEqual(Array.from({ length: 64 }, (_, rank) => rank >= 4));
  // A bar for the model, and one after the temperature.
  for (const bar of [0, 1]) {
    const widths = list.map(({ widths }) => widths[bar]);
    expect(widths).toEqual(widths.toSorted((a, b) => b - a));
    expect(widths[0]).toBeGreaterThan(widths[3]);
    expect(widths[63]).toBeGreaterThan(0);
  }

  const drawn = list.filter((bar) => bar.drawn);
  expect(drawn).toHaveLength(1);
  expect(drawn[0].cut).toBe(false);
  expect(drawn[0].spoken).toMatch(/, taken$/);
  expect(list.filter(({ spoken }) => /taken/.test(spoken))).toEqual(drawn);
  expect(drawn[0].symbol).toBe((await widget.symbols())[0]);
  await expect(widget.sentence).toHaveText(new RegExp(`: ${drawn[0].symbol}$`));
  // Grey, and not by its class alone.
  const fills = await widget.candidates.evaluateAll((items) =>
    [items[0], items[63]].map(
      (item) => getComputedStyle(/** @type {Element} */ (item.querySelector("rect"))).fillOpacity,
    ),
  );
  expect(Number(fills[1])).toBeLessThan(Number(fills[0]));
});

for (const sampling of /** @type {const} */ ([
  { method: "temperature", temperature: 0.7 },
  { method: "top-k", temperature: 1.5, topK: 5 },
  { method: "top-p", temperature: 2, topP: 0.8 },
])) {
  test(`what is shown is what the engine computed: ${sampling.method}`, async ({ page }) => {
    const widget = await Widget.on(page);
    await widget.use("untrained");
    await widget.method(sampling.method).check();
    await widget.set("Temperature", String(sampling.temperature));
    if ("topK" in sampling) await widget.set("Top k", String(sampling.topK));
    if ("topP" in sampling) await widget.set("Top p", String(sampling.topP));
    const loop = await GenerationLoop.load({ model: "untrained", seed: 7, sampling });
    for (const pass of [loop.prefill("the cat sat"), loop.decodeStep(), loop.decodeStep()]) {
      await widget.step();
      await expect(widget.generatedCells).toHaveCount(pass.index);
      if (pass.index === 1) await widget.button("Show all 64").click();
      await expect(widget.candidates).toHaveCount(64);
      const list = await widget.stages();
      expect(list.map(({ symbol }) => symbol)).toEqual(pass.candidates.map(symbol));
      expect(list.map(({ numbers }) => numbers)).toEqual(columnsOf(pass, sampling.temperature));
      expect(list.map(({ cut }) => cut)).toEqual(pass.candidates.map((_, rank) => rank >= pass.kept));
      expect(list.map(({ drawn }) => drawn)).toEqual(pass.candidates.map(({ id }) => id === pass.token.id));
      await expect(widget.why).toContainText(
        `pass ${pass.index}: ${pass.kept} candidate${pass.kept === 1 ? "" : "s"} left`,
      );

      // The draw, and the slice that holds it, in words and as they are drawn.
      const draw = Number(pass.draw);
      const { from, to } = sliceOf(pass);
      expect(draw).toBeGreaterThanOrEqual(from - 1e-6);
      expect(draw).toBeLessThan(to + 1e-6);
      await expect(widget.sentence).toHaveText(
        `u = ${draw.toFixed(4)} falls between ${from.toFixed(4)} and ${to.toFixed(4)}: ${symbol(pass.token)}`,
      );
      const seen = await widget.why.locator(".sum").evaluate((sum) => {
        // Their own places: with Firefox the rectangle on the screen has the line around it too.
        const taken = /** @type {SVGRectElement} */ (sum.querySelector(".taken"));
        const { width } = sum.getBoundingClientRect();
        const [begin, long] = [taken.x, taken.width].map((length) => length.baseVal.value / width);
        return {
          taken: sum.querySelectorAll(".taken").length,
          from: begin,
          to: begin + long,
          line: Number.parseFloat(sum.querySelector("line")?.getAttribute("x1") ?? "") / 100,
        };
      });
      expect(seen.taken).toBe(1);
      expect(seen.from).toBeCloseTo(from, 3);
      expect(seen.to).toBeCloseTo(to, 3);
      expect(seen.line).toBeCloseTo(draw, 6);
    }
    loop.dispose();
  });
}

test("greedy cuts nothing and takes the first", async ({ page }) => {
  const widget = await Widget.on(page);
  const { log } = await run();
  await widget.step();
  await expect(widget.candidates).toHaveCount(10);
  const list = await widget.stages();
  expect(list.filter(({ cut }) => cut)).toEqual([]);
  expect(list.map(({ drawn }) => drawn)).toEqual([true, ...Array(9).fill(false)]);
  expect(list[0].spoken).toMatch(/, taken$/);
  // No temperature, no cut and no draw: one column, and a sentence that says so.
  expect(list.map(({ numbers }) => numbers)).toEqual(
    log[0].candidates.slice(0, 10).map(({ probability }) => ({ model: percent(probability) })),
  );
  await expect(widget.why).toContainText("pass 1: most likely taken");
  await expect(widget.sentence).toHaveText(
    `The most likely token is taken: “${symbol(log[0].token)}”. Nothing is drawn.`,
  );
  await expect(widget.why.locator(".sum line")).toHaveCount(0);
});

test("ten candidates and the drawn one, or all of them", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.method("temperature").check();
  await widget.set("Temperature", "100");
  await widget.set("Stop string", "");
  await widget.set("Length limit", "none");
  // So hot that most tokens are not among the ten most likely.
  let unlikely = 0;
  for (let pass = 1; pass <= 5; pass += 1) {
    await widget.step();
    await expect(widget.generatedCells).toHaveCount(pass);
    const list = await widget.stages();
    const place = list.findIndex(({ drawn }) => drawn);
    expect(place).toBeGreaterThanOrEqual(0);
    expect(list).toHaveLength(place === 10 ? 11 : 10);
    unlikely += place === 10 ? 1 : 0;
  }
  expect(unlikely).toBeGreaterThan(0);

  const toggle = widget.why.getByRole("button", { name: /^Show/ });
  await expect(toggle).toHaveAttribute("aria-expanded", "false");
  await toggle.click();
  await expect(widget.candidates).toHaveCount(64);
  await expect(toggle).toHaveAttribute("aria-expanded", "true");
  await widget.step();
  await expect(widget.candidates).toHaveCount(64);
  await toggle.click();
  await expect(toggle).toHaveAttribute("aria-expanded", "false");
  expect(await widget.candidates.count()).toBeLessThanOrEqual(11);
});

test("the log keeps its newest row in view", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.use("untrained");
  await widget.set("Stop string", "");
  await widget.set("Length limit", "none");
  await widget.run();
  const rows = widget.table.locator("tbody").getByRole("row");
  const { log } = await run({ model: "untrained", stop: [], maxTokens: null });
  await expect(rows).toHaveCount(log.length);
  await widget.panes.first().scrollIntoViewIfNeeded();
  await expect(rows.last()).toBeInViewport({ ratio: 0.9 });
  await expect(rows.first()).not.toBeInViewport();

  // A reader who looks at earlier rows is not pulled away by what is no pass.
  await rows.first().scrollIntoViewIfNeeded();
  await widget.button("Show all 64").click();
  await expect(widget.candidates).toHaveCount(64);
  await expect(rows.first()).toBeInViewport();
});
