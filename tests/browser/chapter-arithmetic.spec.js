/** The arithmetic: formulas that are typeset, and values below them that are the widget's own, in every moment of a run. */

import { GenerationLoop } from "../../www/engine.js";
import { expectNoViolations } from "./axe.js";
import { run } from "./expected.js";
import { expect, RUNS_SCRIPTS, test } from "./fixtures.js";
import { randomFiles, SMALL } from "./models.js";
import { Widget } from "./widget.js";

/** A value of the section, as it is read. @param {import("@playwright/test").Page} page @param {string} name */
const value = (page, name) => page.locator(`#arithmetic [data-value="${name}"]`);

/** What a written-out product is worth, and what stands after it. @param {string} text */
function sides(text) {
  const [written, result] = text.replaceAll(",", "").split(/\s=\s/);
  expect(written).toMatch(/^[\d\s×+()²]+$/);
  return [
    Function(`return ${written.replaceAll("×", "*").replaceAll("²", "**2")}`)(),
    Number(result.split(" ")[0]),
  ];
}

/**
 * All values of the section are what the log's rows say.
 * @param {import("@playwright/test").Page} page
 * @param {import("./widget.js").Row[]} log
 */
async function expectValuesOf(page, log) {
  const last = log[log.length - 1];
  const number = last.FLOPs.toLocaleString("en");
  if (last.phase === "decode") {
    await expect(value(page, "decode-what")).toContainText(
      `Pass ${last.pass} of your run, T = ${last.context}`,
    );
    await expect(value(page, "decode-total")).toHaveText(number);
    expect(sides((await value(page, "decode").textContent()) ?? "")).toEqual([last.FLOPs, last.FLOPs]);
  }
  await expect(value(page, "prefill-what")).toHaveText(`Pass 1 of your run, S = ${log[0]["tokens in"]}:`);
  expect(sides((await value(page, "prefill").textContent()) ?? "")).toEqual([log[0].FLOPs, log[0].FLOPs]);
  const column = (/** @type {number} */ index) =>
    page
      .locator(`.operations tbody tr > :nth-child(${index})`)
      .evaluateAll((cells) =>
        cells.reduce((sum, { textContent }) => sum + Number(textContent.replaceAll(",", "")), 0),
      );
  expect(await column(3)).toBe(log[0].FLOPs);
  if (last.phase === "decode") expect(await column(4)).toBe(last.FLOPs);
}

test("before a run the values are the prompt's; after each pass they are the log's", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.prompt.fill("a dog ran");
  await expect(value(page, "prefill-what")).toHaveText("The prompt as it stands, S = 9:");
  const flops = GenerationLoop.flops(SHAPE, { phase: "prefill", length: 9 });
  expect(sides((await value(page, "prefill").textContent()) ?? "")).toEqual([flops, flops]);

  for (let pass = 1; pass <= 4; pass += 1) {
    await widget.step();
    await expect(widget.generatedCells).toHaveCount(pass);
    await expect(value(page, "cache-what")).toContainText(`After pass ${pass} `);
    await expectValuesOf(page, await widget.log());
    await expect(value(page, "probability")).toContainText(`over ${pass} token`);
  }
  const bytes = sides((await value(page, "cache").textContent()) ?? "");
  await expect(widget.columns).toContainText(`${bytes[1].toLocaleString("en")} bytes`);

  // Without the cache a decode costs what a prefill would.
  await widget.cache.uncheck();
  await widget.step();
  await expect(value(page, "cache-what")).toContainText("the cache is off");
  const log = await widget.log();
  expect(log[4].FLOPs).toBe(log[4]["without cache"]);
  await expectValuesOf(page, log);

  // In the past they are those of the past.
  await widget.moment.fill("2");
  await expect(value(page, "decode-what")).toContainText("Pass 2 of your run");
  await expectValuesOf(page, await widget.log());
});

const SHAPE = { ...SMALL, n_layer: 2, n_head: 2, n_embd: 16, n_inner: 64, vocab_size: 64 };

test("the probability is the product of the log's, the temperatures are those of the pass", async ({
  page,
}) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.step(2);
  const { log } = await run();
  const product = log[0].token.probability * log[1].token.probability;
  await expect(value(page, "probability")).toHaveText(
    new RegExp(`^Your run so far: .* ≈ ${product.toFixed(3)}, over 2 tokens\\.$`),
  );
  const { candidates } = log[1];
  const squares = candidates.reduce((sum, { probability }) => sum + probability ** 2, 0);
  const sharp = log[1].token.probability ** 2 / squares;
  await expect(value(page, "temperatures")).toContainText(
    `Pass 2 of your run: “${log[1].token.text}” has ${sharp.toFixed(3)} at 0.5, ${log[1].token.probability.toFixed(3)} at 1`,
  );
});

test("a prompt that cannot be taken through leaves the last values, and says so", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  const note = page.locator("#arithmetic .old");
  await widget.prompt.fill("a dog");
  await expect(value(page, "prefill-what")).toContainText("S = 5:");
  await expect(note).toBeHidden();
  for (const bad of ["", "é", "a".repeat(40)]) {
    await widget.prompt.fill(bad);
    await expect(note).toBeVisible();
    await expect(value(page, "prefill-what")).toContainText("S = 5:");
  }
  await widget.prompt.fill("a");
  await expect(note).toBeHidden();
  await expect(value(page, "prefill-what")).toContainText("S = 1:");
});

test("a reader's own model has its own numbers", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.open(randomFiles());
  await expect(value(page, "sizes")).toHaveText("L = 1, D = 4, F = 8, V = 64");
  await widget.step(2);
  await expect(value(page, "decode-what")).toContainText("Pass 2");
  await expectValuesOf(page, await widget.log());
});

test("nothing below moves when a pass is made", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  const height = () => page.locator("#arithmetic").evaluate((node) => node.getBoundingClientRect().height);
  const before = await height();
  await widget.step(3);
  await expect(value(page, "decode-what")).toContainText("Pass 3");
  expect(Math.abs((await height()) - before)).toBeLessThan(1);
});

test("axe finds nothing, and a small screen does not scroll sideways", async ({ page }) => {
  // The checker looks at every element of a long page.
  test.slow();
  await page.setViewportSize({ width: 320, height: 700 });
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.step(2);
  await expect(value(page, "decode-what")).toContainText("Pass 2");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await expectNoViolations(page);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("formulas are typeset, with their TeX, and nothing has a style of its own", async ({ page }) => {
    const response = await page.goto("/");
    const html = (await response?.text()) ?? "";
    expect(html).not.toMatch(/\sstyle=/);
    expect(html).not.toMatch(
      /<(math-tex|source-code|engine-number|engine-value|still-run|run-text|cut-tokens)/,
    );
    expect(html.match(/<math[ >]/g)?.length).toBeGreaterThan(20);
    expect(html).toContain(
      '<annotation encoding="application/x-tex">\\mathrm{prefill}(S)=L\\,(8SD^2+4S^2D+4SDF)+2SDV',
    );
    const sums = page.locator("#arithmetic math[display=block]");
    await expect(sums).toHaveCount(7);
    for (const sum of await sums.all()) {
      const box = await sum.boundingBox();
      expect(box?.height).toBeGreaterThan(15);
    }
    // Raised and smaller: it is set as mathematics.
    const power = page.locator("#arithmetic math[display=block] msup").first();
    const base = await power.locator("> *").nth(0).boundingBox();
    const raised = await power.locator("> *").nth(1).boundingBox();
    expect((raised?.y ?? 0) + (raised?.height ?? 0)).toBeLessThan((base?.y ?? 0) + (base?.height ?? 0));
  });

  test("the values are those of the default prompt, and the numbers of the prose the engine's", async ({
    page,
    browserName,
  }) => {
    test.skip(browserName !== "chromium", RUNS_SCRIPTS);
    await page.goto("/");
    await expect(value(page, "prefill")).toHaveText(/ = 173,184$/);
    await expect(value(page, "decode")).toHaveText(/ = 15,872$/);
    const { log, text } = await run();
    await expect(value(page, "probability")).toContainText(`“the cat sat”, run greedily: `);
    await expect(value(page, "probability")).toContainText(`over ${log.length} tokens.`);
    await expect(page.locator("#arithmetic")).toContainText(
      "that is 21 passes and 514,944 FLOPs. Without the cache it would be 7,606,144, 14.8 times as many.",
    );
    // The run that is drawn.
    const still = page.locator(".still-run");
    await expect(still).toBeVisible();
    await expect(still.locator(".cell.prompt")).toHaveCount(11);
    await expect(still.locator(".cell.generated")).toHaveCount(4);
    await expect(still.locator("tbody td:nth-child(5)")).toHaveText(
      log.slice(0, 4).map(({ flops }) => flops.toLocaleString("en")),
    );
    await expect(page.locator("generation-loop q")).toHaveText(`the cat sat${text}`);
  });
});

test("with JavaScript the drawn run is not there", async ({ page }) => {
  await page.goto("/");
  await Widget.on(page);
  await expect(page.locator(".still-run")).toHaveCount(0);
});
