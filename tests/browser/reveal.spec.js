/** What the panels show when they are opened, pointed at or tried: where the cost of a pass went, and what came of it. */

import { GenerationLoop } from "../../www/engine.js";
import { bytesReadOf, flopsOf } from "../../www/flops.js";
import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { percent, symbol, Widget } from "./widget.js";

/** @param {string} text */
const number = (text) => Number(text.replaceAll(",", ""));

const whole = (/** @type {number} */ value) => value.toLocaleString("en");

const SAMPLING = /** @type {const} */ ({ method: "top-k", topK: 8 });

/**
 * A widget on a page of its own, with some passes made.
 * @param {import("@playwright/test").Page} page
 * @param {object} [properties]
 * @param {number} [passes]
 */
async function add(page, properties = {}, passes = 0) {
  await page.goto("/tests/pages/empty.html");
  await page.locator("main").evaluate(
    async (main, { properties, passes }) => {
      const element = /** @type {any} */ (document.createElement("generation-loop"));
      Object.assign(element, { model: "untrained", seed: 7, stop: "", sampling: "top-k", ...properties });
      main.append(element);
      await element.ready;
      for (let pass = 0; pass < passes; pass += 1) element.step();
      await element.updateComplete;
    },
    { properties, passes },
  );
  const widget = await Widget.on(page);
  await expect(widget.generatedCells).toHaveCount(passes);
  return widget;
}

test("a row of the log opens into seven operations, and their sum is its cost", async ({ page }) => {
  const widget = await add(page, {}, 3);
  // One that computes everything again.
  await widget.cache.uncheck();
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(4);
  const loop = await GenerationLoop.load({ model: "untrained", seed: 7, sampling: SAMPLING });
  loop.prefill("the cat sat");
  loop.decodeStep();
  loop.decodeStep();
  loop.cache = false;
  loop.decodeStep();
  const rows = await widget.log();
  const opened = widget.root.locator("[part=log] .operations");
  for (const pass of loop.log) {
    const button = widget.button(`Pass ${pass.index}: what it cost, operation by operation`);
    await expect(button).toHaveAttribute("aria-expanded", "false");
    await button.click();
    await expect(button).toHaveAttribute("aria-expanded", "true");
    // One at a time, below its row.
    await expect(opened).toHaveCount(1);
    const below = await widget.table.evaluate((table) => {
      const rows = [...table.querySelectorAll("tbody > tr")];
      const at = rows.findIndex((row) => row.classList.contains("opened"));
      return rows[at - 1].querySelector("button")?.textContent;
    });
    expect(below).toBe(String(pass.index));

    const lines = await opened.locator("li").evaluateAll((items) =>
      items.map((item) => {
        const [formula, flops, share] = [...item.querySelectorAll("code")].map(
          (code) => code.textContent ?? "",
        );
        const bar = item.querySelector("rect")?.getBoundingClientRect().width ?? Number.NaN;
        const room = item.querySelector("svg")?.getBoundingClientRect().width ?? Number.NaN;
        return { formula, flops, share, bar: bar / room };
      }),
    );
    expect(lines).toHaveLength(7);
    expect(lines.map(({ flops }) => number(flops.replace("= ", "")))).toEqual(
      pass.operations.map(({ flops }) => flops),
    );
    const sum = lines.reduce((sum, { flops }) => sum + number(flops.replace("= ", "")), 0);
    expect(sum).toBe(pass.flops);
    expect(sum).toBe(rows[pass.index - 1].FLOPs);
    await expect(opened).toContainText(`Sum: ${whole(pass.flops)} FLOPs`);
    for (const [at, { formula, share, bar }] of lines.entries()) {
      const { flops } = pass.operations[at];
      expect(share).toBe(percent(flops / pass.flops));
      expect(bar).toBeCloseTo(flops / pass.flops, 2);
      // The formula with its numbers, multiplied out.
      const product = formula
        .split(" = ")[1]
        .split(" · ")
        .map((factor) => number(factor.replace("²", "")) ** (factor.endsWith("²") ? 2 : 1))
        .reduce((product, factor) => product * factor, 1);
      expect(product, formula).toBe(flops);
    }
  }
  loop.dispose();
  // It is gone where its pass is not there yet, and there again with it; pressed again, it closes.
  await widget.moment.fill("3");
  await expect(opened).toHaveCount(0);
  await widget.moment.fill("4");
  await expect(opened).toHaveCount(1);
  await widget.openPass(4);
  await expect(opened).toHaveCount(0);
});

test("the table of the cost is what the engine counts, with the cache and without", async ({ page }) => {
  const widget = await add(page, {}, 4);
  // Passes without the cache are there with what they would cost with it.
  await widget.cache.uncheck();
  await widget.step(2);
  await widget.cache.check();
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(8);
  const { log } = await run({ model: "untrained", stop: [], sampling: SAMPLING });
  await widget.button("Show as a table").click();
  const table = widget.costs.getByRole("table");
  const cells = await table.evaluate((table) =>
    [...table.querySelectorAll("tbody [role=row]")].map((row) =>
      [...row.querySelectorAll("[role=cell]")].map((cell) => cell.textContent?.trim() ?? ""),
    ),
  );
  const totals = [0, 0];
  expect(cells).toEqual(
    log.slice(0, 8).map(({ index, flops, flopsWithoutCache }) => {
      totals[0] += flops;
      totals[1] += flopsWithoutCache;
      return [String(index), ...[flops, flopsWithoutCache, ...totals].map(whole)];
    }),
  );
  await expect(table.getByRole("columnheader")).toHaveText([
    "pass",
    "with cache",
    "without cache",
    "total so far, with cache",
    "total so far, without cache",
  ]);
  // The charts say the same, and what is paid in the newest pass.
  await widget.button("Show as a chart").click();
  const charts = widget.costs.locator("figure > [role=img]");
  await expect(charts).toHaveCount(2);
  const ratio = (log[7].flopsWithoutCache / log[7].flops).toFixed(1).replace(".0", "");
  await expect(charts.first()).toHaveAccessibleName(
    new RegExp(
      `^FLOPs of each pass; prefill ${whole(log[0].flops)}; with cache ${whole(log[7].flops)}; ` +
        `without cache ${whole(log[7].flopsWithoutCache)}, ${ratio}(\\.0)?×$`,
    ),
  );
  await expect(charts.last()).toHaveAccessibleName(
    new RegExp(`with cache ${whole(totals[0])}; without cache ${whole(totals[1])}, `),
  );
});

test("what the last pass read, by its closed formula", async ({ page }) => {
  const widget = await add(page, {}, 0);
  const config = await GenerationLoop.load({ model: "untrained" }).then((loop) => {
    const { config } = loop;
    loop.dispose();
    return config;
  });
  for (let pass = 1; pass <= 3; pass += 1) {
    await widget.step();
    await expect(widget.generatedCells).toHaveCount(pass);
    const length = 10 + pass;
    const { weights, cache } = bytesReadOf(config, length);
    const flops = flopsOf(config, { phase: pass === 1 ? "prefill" : "decode", length });
    const last = widget.costs.locator(".last");
    await expect(last).toContainText(`pass ${pass} ${pass === 1 ? "prefill" : "decode"}`);
    await expect(last).toContainText(
      `${whole(weights)} weights + ${whole(cache)} KV cache = ${whole(weights + cache)}`,
    );
    await expect(last).toContainText(
      `${whole(flops)} / ${whole(weights + cache)} = ${(flops / (weights + cache)).toFixed(1)}`,
    );
    await expect(last).toContainText(`worked for ${pass === 1 ? "11 tokens" : "1 token"}.`);
    await expect(last).toContainText(/Time: (\d+(\.\d+)? ms|shorter than one step)/);
  }
});

/**
 * The columns of the cache that are in full colour, in each of its rows.
 * @param {Widget} widget
 * @returns {Promise<number[][]>}
 */
function lit({ columns }) {
  return columns
    .locator(".columns")
    .first()
    .evaluate((box) => {
      const chart = /** @type {SVGSVGElement} */ (box.querySelector("svg[viewBox]"));
      const { width, height } = chart.viewBox.baseVal;
      const paths = /** @type {SVGPathElement[]} */ ([...chart.querySelectorAll("path.lit")]);
      const filled = (/** @type {number} */ x, /** @type {number} */ y) =>
        paths.some((path) => path.isPointInFill(new DOMPoint(x, y)));
      return Array.from({ length: height / 24 }, (_, row) =>
        [...Array(width).keys()].filter((column) => filled(column + 0.5, row * 24 + 9)),
      );
    });
}

test("as many columns of the cache light up as tokens went in", async ({ page }) => {
  const widget = await add(page);
  expect(await lit(widget)).toEqual([[], []]);
  const range = (/** @type {number} */ from, /** @type {number} */ to) =>
    Array.from({ length: to - from }, (_, index) => from + index);
  for (let pass = 1; pass <= 4; pass += 1) {
    await widget.step();
    await expect(widget.generatedCells).toHaveCount(pass);
    const tokensIn = pass === 1 ? 11 : 1;
    const context = 10 + pass;
    expect((await widget.log())[pass - 1]["tokens in"]).toBe(tokensIn);
    // A row for each block.
    const columns = range(context - tokensIn, context);
    expect(await lit(widget)).toEqual([columns, columns]);
    await expect(widget.columns).toContainText(`${context} of 31 columns, ${tokensIn} new`);
    await expect(widget.columns).toContainText(
      `2 · 2 · ${context} · 16 · 4 = ${whole(8 * 2 * context * 16)} bytes`
        .replaceAll(" ", "\u00a0")
        .replace("\u00a0=\u00a0", " = "),
    );
  }
  // Without the cache every one is computed anew.
  await widget.cache.uncheck();
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(5);
  expect((await widget.log())[4]["tokens in"]).toBe(15);
  expect(await lit(widget)).toEqual([range(0, 15), range(0, 15)]);
  await expect(widget.columns).toContainText("The cache is off");
  // A moment of the past is lit as it was.
  await widget.moment.fill("2");
  expect(await lit(widget)).toEqual([[11], [11]]);
});

test("attention is the engine's, column by column, as numbers and as bars", async ({ page }) => {
  const widget = await add(page, {}, 3);
  // A twin, in the page.
  const twin = await page.evaluate(async () => {
    const { GenerationLoop } = /** @type {typeof import("../../www/engine.js")} */ (
      await import(/** @type {any} */ ("/dist/engine.js"))
    );
    const loop = await GenerationLoop.load({
      model: "untrained",
      seed: 7,
      sampling: { method: "top-k", topK: 8 },
    });
    /** @type {number[][]} */
    const attention = [];
    loop.prefill("the cat sat");
    attention.push([...loop.attention()]);
    for (let pass = 2; pass <= 3; pass += 1) {
      loop.decodeStep();
      attention.push([...loop.attention()]);
    }
    loop.dispose();
    return attention;
  });
  const names = ["block 1, head 1", "block 1, head 2", "block 2, head 1", "block 2, head 2"];
  const items = widget.columns.getByRole("list").last().getByRole("listitem");
  const column = widget.columns.getByRole("combobox", { name: "Column" });
  const symbols = [...(await widget.promptSymbols()), ...(await widget.symbols())];
  for (const pass of [3, 1]) {
    await widget.moment.fill(String(pass));
    const weights = twin[pass - 1];
    const tokens = 10 + pass;
    expect(weights).toHaveLength(4 * tokens);
    await expect(items).toHaveCount(4);
    const rows = names.map((_, row) => weights.slice(row * tokens, (row + 1) * tokens));
    const tallest = Math.max(...weights);
    await expect(widget.columns).toContainText(`the tallest bar is ${percent(tallest)}`);
    // The largest of each row, before any column is chosen.
    for (const [row, name] of names.entries()) {
      const most = rows[row].indexOf(Math.max(...rows[row]));
      await expect(items.nth(row)).toContainText(name);
      await expect(items.nth(row).locator("code")).toHaveText(`${symbols[most]} ${percent(rows[row][most])}`);
      const three = rows[row].toSorted((a, b) => b - a).slice(0, 3);
      const spoken = await items.nth(row).locator(".sr").textContent();
      expect(spoken?.match(/[<>]?[\d.]+%/g)).toEqual(three.map(percent));
    }
    for (let place = 0; place < tokens; place += 1) {
      await column.selectOption({ index: place + 1 });
      await expect(items.locator("code")).toHaveText(
        rows.map((row) => `${symbols[place]} ${percent(row[place])}`),
      );
    }
    await column.selectOption({ index: 0 });

    const wrong = await widget.columns
      .locator(".columns svg[viewBox]")
      .last()
      .evaluate(
        (chart, { rows, tallest }) => {
          const paths = /** @type {SVGPathElement[]} */ ([...chart.querySelectorAll("path.lit")]);
          const filled = (/** @type {number} */ x, /** @type {number} */ y) =>
            paths.some((path) => path.isPointInFill(new DOMPoint(x, y)));
          return rows.flatMap((weights, row) =>
            weights.flatMap((weight, column) => {
              // In whole pixels, rounded up from a tenth of one.
              const bar = Math.max(Math.ceil((28 * weight) / tallest - 0.1), 0);
              const top = row * 36 + 28 - bar;
              const right = filled(column + 0.5, top + 0.5) === bar > 0 && !filled(column + 0.5, top - 0.5);
              return right ? [] : [{ row, column, weight }];
            }),
          );
        },
        { rows, tallest },
      );
    expect(wrong).toEqual([]);
  }
});

test("pointing at a token says why it came, and where its column is", async ({ page }) => {
  const widget = await add(page);
  /** What there was to see when each came. */
  const seen = [];
  for (let pass = 1; pass <= 4; pass += 1) {
    await widget.step();
    await expect(widget.generatedCells).toHaveCount(pass);
    seen.push({ stages: await widget.stages(), sentence: await widget.sentence.textContent() });
  }
  const outline = widget.columns.locator("rect.pointed");
  const pointed = widget.root.locator(".cell.pointed");
  const newest = seen[3];
  for (const place of [0, 2, 1, 3]) {
    const cell = widget.generatedCells.nth(place);
    await cell.hover();
    await expect(widget.why).toContainText(`pass ${place + 1}: 8 candidates left`);
    expect(await widget.stages()).toEqual(seen[place].stages);
    expect(await widget.sentence.textContent()).toBe(seen[place].sentence);
    await expect(pointed).toHaveCount(1);
    await expect(cell).toHaveClass(/pointed/);
    // The newest is not in the cache yet.
    await expect(outline).toHaveCount(place === 3 ? 0 : 2);
    for (const rect of await outline.all()) await expect(rect).toHaveAttribute("x", String(11 + place));
  }
  // A token of the prompt came from nowhere: it has a column, and the newest pass is still explained.
  await widget.promptCells.nth(4).hover();
  await expect(outline).toHaveCount(2);
  await expect(outline.first()).toHaveAttribute("x", "4");
  expect(await widget.stages()).toEqual(newest.stages);
  // The other way: from the column to the token.
  const chart = widget.columns.locator(".columns svg[viewBox]").first();
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  await page.mouse.move(Number(box?.x) + (12.5 / 31) * Number(box?.width), Number(box?.y) + 5);
  await expect(widget.generatedCells.nth(1)).toHaveClass(/pointed/);
  expect(await widget.stages()).toEqual(seen[1].stages);
  // Whoever points at nothing sees the newest.
  await page.mouse.move(0, 0);
  await expect(pointed).toHaveCount(0);
  await expect(outline).toHaveCount(0);
  expect(await widget.stages()).toEqual(newest.stages);
  expect(await widget.sentence.textContent()).toBe(newest.sentence);

  // And by keys alone.
  const column = widget.columns.getByRole("combobox", { name: "Column" });
  await column.selectOption({ index: 12 });
  await expect(widget.generatedCells.nth(0)).toHaveClass(/pointed/);
  expect(await widget.stages()).toEqual(seen[0].stages);
  await column.selectOption({ index: 0 });
  await expect(pointed).toHaveCount(0);
});

test.describe("on a screen that is touched", () => {
  test.use({ hasTouch: true });
  test("a tap on a token says why it came, until another is tapped", async ({ page, browserName }) => {
    // Not seen there yet: whether Firefox on a phone does the same is to be tried on one.
    test.skip(browserName === "firefox", "the taps that are made here do not reach the page in Firefox");
    const widget = await add(page, {}, 4);
    for (const place of [1, 2]) {
      await widget.generatedCells.nth(place).tap();
      await expect(widget.why).toContainText(`pass ${place + 1}: 8 candidates left`);
      await expect(widget.generatedCells.nth(place)).toHaveClass(/pointed/);
    }
  });
});

test("a setting that is changed is shown on the pass that was made, and the text stays", async ({ page }) => {
  const widget = await add(page, {}, 3);
  const tokens = await widget.symbols();
  const log = await widget.log();
  const before = { stages: await widget.stages(), sentence: await widget.sentence.textContent() };
  const loop = await GenerationLoop.load({ model: "untrained", seed: 7, sampling: SAMPLING });
  loop.prefill("the cat sat");
  loop.decodeStep();
  const pass = loop.decodeStep();
  await widget.button("Show all 64").click();
  const drawn = symbol(pass.token);
  for (const [method, label, value, sampling] of /** @type {const} */ ([
    ["top-k", "Top k", "2", { method: "top-k", topK: 2 }],
    ["top-p", "Top p", "0.5", { method: "top-p", topP: 0.5 }],
    ["temperature", "Temperature", "3", { method: "temperature", temperature: 3 }],
  ])) {
    await widget.method(method).check();
    await widget.set(label, value);
    await expect(widget.sentence).toHaveText(
      "The same pass under the new setting, which applies from the next token on. The token drawn stays.",
    );
    await expect(widget.why.locator(".sum line")).toHaveCount(0);
    const under = pass.under(sampling);
    await expect(widget.why).toContainText(`pass 3: ${under?.kept} candidate`);
    const stages = await widget.stages();
    expect(stages.map(({ numbers }) => numbers["drawn from"])).toEqual(
      under?.list.map(({ samplingProbability }, rank) =>
        rank < under.kept ? percent(samplingProbability) : "cut",
      ),
    );
    const warm = pass.under({
      method: "temperature",
      temperature: "temperature" in sampling ? sampling.temperature : 1,
    });
    const warmed = new Map(warm?.list.map(({ id, samplingProbability }) => [id, samplingProbability]));
    expect(stages.map(({ numbers }) => numbers["after temperature"])).toEqual(
      under?.list.map(({ id }) => percent(warmed.get(id) ?? Number.NaN)),
    );
    expect(stages.filter((stage) => stage.drawn).map(({ symbol }) => symbol)).toEqual([drawn]);
    expect(await widget.symbols()).toEqual(tokens);
    expect(await widget.log()).toEqual(log);
  }
  // Greedy would have taken the first; the token that came is marked still.
  await widget.method("greedy").check();
  await expect(widget.sentence).toContainText("The same pass under the new setting");
  expect((await widget.stages()).filter((stage) => stage.drawn).map(({ symbol }) => symbol)).toEqual([drawn]);
  expect(await widget.symbols()).toEqual(tokens);
  // Back to how it was made: nothing is tried.
  await widget.method("temperature").check();
  await widget.set("Temperature", "1");
  await widget.method("top-k").check();
  await widget.set("Top k", "8");
  await widget.button("Show the first 10").click();
  expect(await widget.sentence.textContent()).toBe(before.sentence);
  expect(await widget.stages()).toEqual(before.stages);

  // The next token comes as was chosen.
  await widget.method("greedy").check();
  await widget.step();
  loop.sampling = { method: "greedy" };
  loop.decodeStep();
  expect(await widget.symbolsAfter(4)).toEqual(loop.log.map(({ token }) => symbol(token)));
  await expect(widget.sentence).toContainText("The most likely token is taken");
  loop.dispose();
});

test("a run that nobody can see waits, and goes on where it was", async ({ page }) => {
  const widget = await add(page, { maxTokens: null });
  await widget.root.evaluate((element) => {
    const room = document.createElement("p");
    room.textContent = "The end.";
    room.style.marginTop = "4000px";
    element.after(room);
  });
  await widget.speed.selectOption("fast");
  const passes = () => widget.generatedCells.count();
  const away = async () => {
    await page.getByText("The end.").scrollIntoViewIfNeeded();
    await expect(widget.root).not.toBeInViewport();
    // The browser tells of it with a frame.
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100))),
    );
  };
  const back = () => page.evaluate(() => scrollTo(0, 0));

  // Begun out of sight.
  await away();
  await widget.root.evaluate((element) => /** @type {any} */ (element).run());
  await page.waitForTimeout(500);
  expect(await passes()).toBe(0);
  await expect(widget.button("Pause")).toHaveCount(1);
  await back();
  await expect.poll(passes).toBeGreaterThan(2);

  // Gone out of sight.
  await away();
  const before = await passes();
  await page.waitForTimeout(500);
  expect(await passes()).toBe(before);
  await back();
  await expect.poll(passes).toBeGreaterThan(before);

  // And at the speed without a pace, from the page's own methods: one step is made at once, wherever it is.
  await widget.button("Pause").click();
  await widget.speed.selectOption("instant");
  await away();
  const last = await passes();
  await widget.root.evaluate((element) => /** @type {any} */ (element).step());
  await expect(widget.generatedCells).toHaveCount(last + 1);
  await widget.root.evaluate((element) => /** @type {any} */ (element).run());
  await page.waitForTimeout(300);
  expect(await passes()).toBe(last + 1);
  await back();
  await widget.stopped();
  const { log } = await run({ model: "untrained", stop: [], maxTokens: null, sampling: SAMPLING });
  expect(await widget.symbols()).toEqual(log.map(({ token }) => symbol(token)));
});

test("a run waits while its page is hidden", async ({ page }) => {
  const widget = await add(page, { maxTokens: null });
  const hide = (/** @type {boolean} */ hidden) =>
    page.evaluate((hidden) => {
      const value = hidden ? "hidden" : "visible";
      Object.defineProperty(document, "visibilityState", { configurable: true, value });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  await widget.speed.selectOption("fast");
  await widget.button("Run").click();
  await expect(widget.generatedCells).not.toHaveCount(0);
  await hide(true);
  const before = await widget.generatedCells.count();
  await page.waitForTimeout(500);
  expect(await widget.generatedCells.count()).toBe(before);
  await hide(false);
  await expect.poll(() => widget.generatedCells.count()).toBeGreaterThan(before);
});

test("a run made both ways: two totals, the same tokens, and the reader is where they were", async ({
  page,
}) => {
  const widget = await add(page, { sampling: "greedy" }, 4);
  await widget.moment.fill("2");
  const before = await widget.symbols();
  const button = widget.button("Run both: with the cache and without");
  await button.focus();
  await page.keyboard.press("Enter");
  const both = widget.root.locator("[part=both]");
  await expect(both).toContainText("21 forward passes, made both ways: 514,944 FLOPs with the cache");
  await expect(both).toContainText("7,606,144 without, 15 times as many");
  await expect(both).toContainText("Every token and every logit is the same, bit for bit.");
  await expect(widget.status).toHaveText("Every token and every logit is the same, bit for bit.");
  await expect(button).toBeFocused();
  expect(await widget.symbols()).toEqual(before);
  await expect(widget.timeline.locator(".place")).toHaveText("pass 2 of 4");
  await expect(widget.cache).toBeChecked();
  // Of other settings it says nothing.
  await widget.set("Length limit", "20");
  await expect(both).not.toContainText("FLOPs");
});
