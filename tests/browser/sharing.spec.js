/** What a reader takes away of a run, and links: opened, they are the run; what is no link of ours runs nothing. */

import { readFileSync } from "node:fs";
import { GenerationLoop } from "../../www/engine.js";
import { expect, test } from "./fixtures.js";
import { shown, Widget } from "./widget.js";

/**
 * A run whose method changes on its way, as a link and as the tokens that it has: the same in both browsers, so a link made in one
 * opens in the other.
 */
const LINK =
  "#generation-loop?prompt=a+cat&model=untrained&sampling=top-k&temperature=0.8&top-k=5&top-p=0.9&seed=11&stop=.%7C%5Cn&max-tokens=20&cache=on&hide=cost&predict=off&pass=4&then=3_temperature_1.5_5_0.9_off";

/** The same run by the engine alone. */
async function expected() {
  const loop = await GenerationLoop.load({ model: "untrained", seed: 11, stop: [".", "\n"], maxTokens: 20 });
  loop.sampling = { method: "top-k", temperature: 0.8, topK: 5 };
  loop.prefill("a cat");
  loop.decodeStep();
  Object.assign(loop, { sampling: { method: "temperature", temperature: 1.5 }, cache: false });
  loop.decodeStep();
  loop.decodeStep();
  return loop;
}

/**
 * What a page would have copied; a test cannot look into every browser's clipboard.
 * @param {import("@playwright/test").Page} page
 */
async function clipboardOf(page) {
  await page.addInitScript(() => {
    const copied = /** @type {string[]} */ ([]);
    Object.assign(globalThis, { copied });
    const writeText = async (/** @type {string} */ text) => void copied.push(text);
    Object.defineProperty(navigator, "clipboard", { value: { writeText } });
  });
  return () => page.evaluate(() => /** @type {any} */ (globalThis).copied.at(-1));
}

/**
 * The reader follows a link within the page.
 * @param {import("@playwright/test").Page} page
 * @param {string} hash
 */
async function turnTo(page, hash) {
  await page.evaluate((fragment) => {
    location.hash = fragment;
  }, hash);
}

/**
 * Presses a button that saves a file, and reads what is saved: from the page, for not every browser lets a test have the file.
 * @param {import("@playwright/test").Page} page
 * @param {Widget} widget
 * @param {string} button
 * @param {string} name of the file
 */
async function saved(page, widget, button, name) {
  await page.evaluate(() => {
    const { createObjectURL } = URL;
    URL.createObjectURL = (blob) => {
      Object.assign(globalThis, { saved: blob });
      return createObjectURL(blob);
    };
  });
  const isChromium = page.context().browser()?.browserType().name() === "chromium";
  const downloads = isChromium ? page.waitForEvent("download") : null;
  await widget.button(button).click();
  await expect(widget.share).toContainText(name);
  const text = await page.evaluate(() => /** @type {any} */ (globalThis).saved.text());
  const download = await downloads;
  if (download !== null) {
    expect(download.suggestedFilename()).toBe(name);
    // A file's text comes without the mark that a spreadsheet needs, read by either.
    expect(readFileSync(await download.path(), "utf8").replace(/^\ufeff/, "")).toBe(text);
  }
  return text;
}

test("a link opens exactly its run: settings, methods, pass, hidden panels", async ({ page }) => {
  const copied = await clipboardOf(page);
  await page.goto(`/tests/pages/plain.html${LINK}`);
  const widget = await Widget.on(page);
  const loop = await expected();
  expect(await widget.symbolsAfter(4)).toEqual(shown(loop.log));
  expect((await widget.log()).map((row) => row.FLOPs)).toEqual(loop.log.map(({ flops }) => flops));
  await expect(widget.prompt).toHaveValue("a cat");
  await expect(widget.model("untrained")).toBeChecked();
  await expect(widget.method("temperature")).toBeChecked();
  await expect(widget.field("Temperature")).toHaveValue("1.5");
  await expect(widget.field("Seed")).toHaveValue("11");
  await expect(widget.field("Length limit")).toHaveValue("20");
  await expect(widget.cache).not.toBeChecked();
  await expect(widget.costs).toHaveCount(0);
  // The link made of it is the link that it came from, and the next pass is that of the run.
  await widget.button("Copy a link to this run").click();
  await expect(widget.share).toContainText("Copied.");
  await expect(widget.status).toHaveText("Copied.");
  expect(new URL(await copied()).hash).toBe(LINK);
  await widget.step();
  loop.decodeStep();
  expect(await widget.symbolsAfter(5)).toEqual(shown(loop.log));
  await expect(widget.share).not.toContainText("Copied.");
});

test("a link holds the moment on the screen, and the text goes as far", async ({ page }) => {
  const copied = await clipboardOf(page);
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.step(5);
  const symbols = await widget.symbols();
  await widget.moment.fill("2");
  await widget.button("Copy the text").click();
  await expect(widget.share).toContainText("Copied.");
  expect(await copied()).toBe(`the cat sat${symbols.slice(0, 2).join("").replaceAll("␣", " ")}`);
  await widget.button("Copy a link to this run").click();
  await expect.poll(copied).toContain("#generation-loop?");
  const link = await copied();
  // In place: the page is not loaded anew.
  await turnTo(page, new URL(link).hash);
  expect(await widget.symbolsAfter(2)).toEqual(symbols.slice(0, 2));
  await expect(widget.moment).toHaveAttribute("max", "2");
});

/** What is no link of ours, and what is said of it. @type {Record<string, [hash: string, message: RegExp]>} */
const WRONG = {
  "a key that nobody knows": ["seed=7&foo=1", /"foo" is "1"; allowed: prompt, model,/],
  "a method that there is not": ["seed=7&sampling=best", /sampling is "best"; allowed: greedy, temperature/],
  "no number": ["seed=7&temperature=warm", /temperature is "warm"; allowed: a finite number/],
  "a seed too large": ["seed=9007199254740993", /seed is "9007199254740993"; allowed:/],
  "no seed": ["prompt=abc", /seed is missing/],
  "markup as a panel": ["seed=7&hide=%3Cimg+src=x+onerror=alert(1)%3E", /hide is "<img src=x onerror=alert/],
  "the address of a model": [
    "seed=7&model=https://example.org/",
    /model is "https:\/\/example.org\/"; allowed: trained, untrained/,
  ],
  "a key twice": ["seed=7&seed=8", /a second seed/],
  "no text": ["seed=7&prompt=%E0%A4", /UTF-8 after percent signs/],
  "longer than any": [
    `seed=7&prompt=${"a".repeat(100_000)}`,
    /has 1000\d\d characters; allowed: at most 8192/,
  ],
  "more passes than its run has": [
    "prompt=the+cat+sat&seed=7&pass=100",
    /its run ends after \d+ passes, and it holds more/,
  ],
  "a pass of a prompt that cannot be": ["prompt=%C3%A9&seed=7&pass=1", /"é"/],
  "a limit beyond the context": ["seed=7&max-tokens=1000", /1000/],
};

for (const [name, [hash, message]] of Object.entries(WRONG)) {
  test(`refused as a whole: ${name}`, async ({ page }) => {
    await page.goto(`/tests/pages/plain.html#generation-loop?${hash}`);
    const widget = await Widget.on(page);
    await expect(widget.outcome).toContainText("the link was not opened:");
    await expect(widget.outcome).toHaveText(message);
    // The page's own run, and no pass of it.
    await expect(widget.prompt).toHaveValue("the cat sat");
    await expect(widget.field("Seed")).toHaveValue("7");
    await expect(widget.method("greedy")).toBeChecked();
    await expect(widget.field("Length limit")).toHaveValue("32");
    await expect(widget.model("trained")).toBeChecked();
    await expect(widget.generatedCells).toHaveCount(0);
    await expect(widget.root.locator("img")).toHaveCount(0);
    await widget.step(2);
    await expect(widget.outcome).not.toContainText("link");
  });
}

test("a wrong link that comes later leaves the run as it is", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.step(3);
  await turnTo(page, "#generation-loop?seed=x");
  await expect(widget.outcome).toContainText('the link was not opened: seed is "x"');
  await expect(widget.generatedCells).toHaveCount(3);
  // Other fragments are the page's.
  await turnTo(page, "#section-2");
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(4);
});

test("markup in a prompt stays text, on the screen and in the picture", async ({ page }) => {
  const prompt = "<img src=x onerror=alert(1)>&";
  await page.goto(
    `/tests/pages/plain.html#generation-loop?prompt=${encodeURIComponent(prompt)}&seed=7&pass=2`,
  );
  const widget = await Widget.on(page);
  await expect(widget.generatedCells).toHaveCount(2);
  await expect(widget.prompt).toHaveValue(prompt);
  await expect(widget.root.locator("img")).toHaveCount(0);
  const text = await saved(page, widget, "Picture (SVG)", "generation-loop.svg");
  expect(text).not.toContain("<img");
});

test("the first widget of a page follows links, the others have none to copy", async ({ page }) => {
  await page.goto(`/tests/pages/several.html${LINK}`);
  const [first, second] = [await Widget.on(page, 0), await Widget.on(page, 1)];
  await expect(first.generatedCells).toHaveCount(4);
  await expect(second.generatedCells).toHaveCount(0);
  await expect(first.button("Copy a link to this run")).toBeVisible();
  await expect(second.button("Copy a link to this run")).toHaveCount(0);
  await expect(second.button("Copy the text")).toBeVisible();
});

test("where the page hides sharing, nothing is shared and no link is followed", async ({ page }) => {
  await page.goto(`/tests/pages/empty.html${LINK}`);
  await page.locator("main").evaluate((main) => {
    main.innerHTML = '<generation-loop hide="share" seed="7"></generation-loop>';
  });
  const widget = await Widget.on(page);
  await expect(widget.share).toHaveCount(0);
  await expect(widget.prompt).toHaveValue("the cat sat");
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
});

test("the log as CSV and the run as JSON are the engine's", async ({ page }) => {
  await page.goto(`/tests/pages/plain.html${LINK}`);
  const widget = await Widget.on(page);
  await expect(widget.generatedCells).toHaveCount(4);
  const loop = await expected();
  /** @type {string} */
  const csv = await saved(page, widget, "Log as CSV", "generation-loop.csv");
  const lines = csv.split("\r\n");
  expect(lines).toHaveLength(6);
  const heads = lines[0].split(",");
  for (const [index, { phase, flops, draw }] of loop.log.entries()) {
    // Texts stand in quotation marks, with those inside doubled.
    const cells = [...lines[index + 1].matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g)].map(([, cell]) => cell);
    expect(cells).toHaveLength(heads.length);
    const row = Object.fromEntries(heads.map((head, column) => [head, cells[column]]));
    expect(row).toMatchObject({
      pass: String(index + 1),
      phase,
      FLOPs: String(flops),
      "draw u [0;1)": String(draw),
    });
  }
  const run = JSON.parse(await saved(page, widget, "Run as JSON", "generation-loop.json"));
  expect(run.tokens).toEqual([...loop.tokens]);
  expect(run.text).toBe(loop.text);
  expect(run.seed).toBe(11);
  expect(run.log.map((/** @type {any} */ pass) => pass.flops)).toEqual(loop.log.map(({ flops }) => flops));
});

test("the picture is one that browsers draw, in the words of the page", async ({ page }) => {
  await page.goto(`/tests/pages/plain.html${LINK}`);
  await page.addScriptTag({ url: "/dist/words/de.js", type: "module" });
  await page.locator("generation-loop").evaluate((element) => element.setAttribute("lang", "de"));
  const widget = new Widget(page.locator("generation-loop"));
  await expect(widget.button("Bild (SVG)")).toBeVisible();
  const text = await saved(page, widget, "Bild (SVG)", "generation-loop.svg");
  const size = await page.evaluate(async (svg) => {
    const drawing = new DOMParser().parseFromString(svg, "image/svg+xml");
    return {
      error: drawing.querySelector("parsererror")?.textContent,
      lang: drawing.documentElement.getAttribute("lang"),
      texts: [...drawing.querySelectorAll("text")].map((node) => node.textContent),
    };
  }, text);
  expect(size.error).toBeUndefined();
  expect(size.lang).toBe("de");
  expect(size.texts).toEqual(expect.arrayContaining(["Prefill", "Summe"]));
});

test("where the browser does not let the page copy, the text is there to take", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
  });
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.step(2);
  await widget.button("Copy the text").click();
  const field = widget.share.getByRole("textbox");
  await expect(field).toHaveValue(/^the cat sat/);
  await field.focus();
  const selected = () =>
    field.evaluate((input) => {
      const { selectionStart, selectionEnd, value } = /** @type {HTMLInputElement} */ (input);
      return selectionStart === 0 && selectionEnd === value.length;
    });
  await expect.poll(selected).toBe(true);
  await widget.step();
  await expect(field).toHaveCount(0);
});

test("where the file for it is missing, the widget says which, and the run goes on", async ({
  page,
  complaints,
}) => {
  complaints.allow(/404|sharing\.js/, /disallowed MIME type/, /error loading dynamically imported module/);
  await page.route("**/dist/sharing.js", (route) => route.fulfill({ status: 404, body: "not here" }));
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.step(2);
  await widget.button("Log as CSV").click();
  await expect(widget.outcome).toContainText("sharing.js cannot be fetched; it must stand beside the script");
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(3);
});
