/** The lab of the chapter: four numbers, and how long a reply takes with them. */

import { expectNoViolations } from "./axe.js";
import { expect, test } from "./fixtures.js";
import { pageScrolls } from "./layout.js";

/** The lab, found as a reader finds it. @param {import("@playwright/test").Page} page */
function labOn(page) {
  const root = page.locator("#lab");
  return {
    root,
    field: (/** @type {string} */ label) => root.getByRole("textbox", { name: label, exact: true }),
    slider: (/** @type {string} */ label) => root.getByRole("slider", { name: `${label}, slider` }),
    button: (/** @type {string} */ name) => root.getByRole("button", { name, exact: true }),
    endOfText: root.getByRole("checkbox"),
    unit: root.getByRole("combobox", { name: "Unit of the first pass" }),
    formula: root.locator(".formula"),
    errors: root.locator(".quantity .error:not(:empty)"),
    stale: root.getByText("Still of the last good input:"),
    chart: root.getByRole("img"),
    conclusion: root.getByRole("status"),
    /** @param {string} term */
    result: (term) => root.locator("dl > div").filter({ hasText: term }).getByRole("definition"),
    /** What is drawn of each bar, in pixels. */
    bars: () =>
      root.locator("svg").evaluate((drawing) => {
        const boxes = (/** @type {string} */ kind) =>
          [...drawing.querySelectorAll(`rect.${kind}`)].map((rect) => rect.getBoundingClientRect());
        const { left, width } = drawing.getBoundingClientRect();
        const decodes = boxes("decode");
        return boxes("prefill").map((prefill, row) => ({
          start: prefill.left - left,
          prefill: prefill.width,
          gap: decodes[row].left - prefill.right,
          decode: decodes[row].width,
          room: width,
        }));
      }),
  };
}

const PROMPT = "Prompt tokens";
const REPLY = "Reply tokens";
const FIRST = "Time of the first pass, for this prompt";
const EACH = "Time of each decode pass";

test.beforeEach(({ page }) => page.goto("/"));

test("begins with 0.3 + 199 × 0.02 = 4.28 s, most of it decode", async ({ page }) => {
  const lab = labOn(page);
  for (const [label, value] of [
    [PROMPT, "1000"],
    [REPLY, "200"],
    [FIRST, "0.3"],
    [EACH, "20"],
  ]) {
    await expect(lab.field(label)).toHaveValue(value);
    await expect(lab.slider(label)).toHaveValue(value);
  }
  await expect(lab.formula).toContainText(/0\.3 s.*\(200 − 1\) × 0\.02 s.*199 decode passes.*4\.28 s/s);
  await expect(lab.result("Time to first token")).toHaveText("0.3 s");
  await expect(lab.result("Time per output token")).toHaveText("20 ms (50 a second)");
  await expect(lab.result("Total")).toHaveText("4.28 s");
  await expect(lab.result("Share that is decode")).toHaveText("93%");
  await expect(lab.root).toContainText("a token of the reply 20 ms, 66.7 times as long");
  await expect(lab.chart).toHaveAccessibleName(
    /As it is: first token after 0\.3\s?s, last token after 4\.28\s?s\./,
  );
  await expect(lab.errors).toHaveCount(0);
});

test("the line of time begins at zero, and its parts are as long as their times", async ({ page }) => {
  const lab = labOn(page);
  const [bar, ...others] = await lab.bars();
  expect(others).toEqual([]);
  expect(bar.start).toBeCloseTo(0, 0);
  expect(bar.gap).toBeCloseTo(0, 0);
  expect(bar.prefill / bar.room).toBeCloseTo(0.3 / 4.28, 2);
  expect(bar.decode / bar.room).toBeCloseTo(3.98 / 4.28, 2);
  await expect(lab.chart.locator(".tick").first()).toHaveText("0 s");
  // Few enough to be seen one by one.
  await expect(lab.chart.locator(".between")).toHaveCount(0);
  await lab.field(REPLY).fill("10");
  await expect(lab.chart.locator(".between")).toHaveCount(8);
});

test("a slider and its field are one value, and the field takes more", async ({ page }) => {
  const lab = labOn(page);
  await lab.slider(REPLY).press("ArrowRight");
  await expect(lab.field(REPLY)).toHaveValue("210");
  await expect(lab.result("Total")).toHaveText("4.48 s");
  await lab.field(EACH).fill("50");
  await expect(lab.slider(EACH)).toHaveValue("50");
  await expect(lab.result("Total")).toHaveText("10.8 s");
  // Beyond the slider's end: the field is what counts.
  await lab.field(REPLY).fill("100,000");
  await expect(lab.slider(REPLY)).toHaveValue("1000");
  await expect(lab.field(REPLY)).toHaveValue("100,000");
  await expect(lab.formula).toContainText("5,000.25 s");
});

test("half the prompt and half the reply stand below the original, on the same axis", async ({ page }) => {
  const lab = labOn(page);
  await lab.button("Halve the prompt").click();
  await expect(lab.button("Halve the prompt")).toHaveAttribute("aria-pressed", "true");
  await expect(lab.conclusion).toHaveText(
    "With 500 prompt tokens instead of 1,000 the reply takes 4.13 s instead of 4.28 s, which saves 3.5%. The first token comes after 0.15 s instead of 0.3 s; the stream after it is as long as before.",
  );
  const [original, prompt] = await lab.bars();
  expect(prompt.prefill).toBeCloseTo(original.prefill / 2, 0);
  expect(prompt.decode).toBeCloseTo(original.decode, 0);
  expect(prompt.start).toBeCloseTo(original.start, 0);

  await lab.button("Halve the reply").focus();
  await page.keyboard.press("Enter");
  await expect(lab.button("Halve the prompt")).toHaveAttribute("aria-pressed", "false");
  await expect(lab.conclusion).toContainText("2.28 s instead of 4.28 s, which saves 46.7%");
  const [before, reply] = await lab.bars();
  expect(before).toEqual(original);
  expect(reply.prefill).toBeCloseTo(before.prefill, 0);
  expect(reply.decode / before.decode).toBeCloseTo(99 / 199, 2);

  // What is halved stays halved when the numbers change, until it is asked for no more.
  await lab.field(EACH).fill("40");
  await expect(lab.conclusion).toContainText("4.26 s instead of 8.26 s");
  await lab.button("Halve the reply").click();
  await expect(lab.conclusion).toBeEmpty();
  expect(await lab.bars()).toHaveLength(1);
});

test("nothing moves when something is halved or refused", async ({ page }) => {
  const lab = labOn(page);
  const height = async () => (await lab.root.boundingBox())?.height;
  const before = await height();
  await lab.button("Halve the prompt").click();
  expect(await height()).toBe(before);
  await lab.field(PROMPT).fill("many");
  await expect(lab.errors).toHaveCount(1);
  expect(await height()).toBe(before);
});

for (const [label, name, allowed] of [
  [PROMPT, "Prompt tokens", "a whole number from 1 to 1,000,000"],
  [REPLY, "Reply tokens", "a whole number from 1 to 1,000,000"],
  [FIRST, "Time of the first pass", "a number from 0 to 3,600 s"],
  [EACH, "Time of each decode pass", "a number from 0 to 60,000 ms"],
]) {
  test(`${name}: what cannot be used is named, and the last good result stays`, async ({ page }) => {
    const lab = labOn(page);
    for (const text of ["", "-1", "1e99", "NaN", "<b>x</b>"]) {
      await lab.field(label).fill(text);
      const found = text === "" ? "is empty" : `is “${text}”`;
      await expect(lab.errors).toHaveText([`${name} ${found}; allowed: ${allowed}`]);
      await expect(lab.field(label)).toHaveAttribute("aria-invalid", "true");
      await expect(lab.field(label)).toHaveAccessibleDescription(`${name} ${found}; allowed: ${allowed}`);
      // Nothing is repaired.
      await expect(lab.field(label)).toHaveValue(text);
      await expect(lab.result("Total")).toHaveText("4.28 s");
      await expect(lab.stale).toContainText(
        "1,000 prompt tokens, 200 reply tokens, 0.3 s for the first pass, 20 ms for each decode",
      );
    }
    await lab.field(label).fill("2");
    await expect(lab.errors).toHaveCount(0);
    await expect(lab.stale).toHaveCount(0);
    await expect(lab.field(label)).toHaveAttribute("aria-invalid", "false");
  });
}

test("a slider that is moved puts right what was wrong", async ({ page }) => {
  const lab = labOn(page);
  await lab.field(PROMPT).fill("none");
  await expect(lab.errors).toHaveCount(1);
  await lab.slider(PROMPT).press("ArrowRight");
  await expect(lab.field(PROMPT)).toHaveValue("1050");
  await expect(lab.errors).toHaveCount(0);
});

test("end-of-text takes a pass more, and may be all that comes", async ({ page }) => {
  const lab = labOn(page);
  await lab.field(REPLY).fill("0");
  await expect(lab.errors).toHaveText(["Reply tokens is “0”; allowed: a whole number from 1 to 1,000,000"]);
  await lab.field(REPLY).fill("200");
  await lab.endOfText.check();
  await expect(lab.formula).toContainText(/\(200 \+ 1 − 1\) × 0\.02 s.*200 decode passes.*4\.3 s/s);
  await expect(lab.chart).toHaveAccessibleName(/end-of-text after 4\.3\s?s/);
  await lab.field(REPLY).fill("0");
  await expect(lab.errors).toHaveCount(0);
  await expect(lab.result("Total")).toHaveText("0.3 s");
  await expect(lab.chart).toHaveAccessibleName(/As it is: end-of-text after 0\.3\s?s\./);
  // Without it, a reply of no token is none.
  await lab.endOfText.uncheck();
  await expect(lab.errors).toHaveCount(1);
  await expect(lab.stale).toContainText("0 reply tokens and end-of-text");
});

test("no time at all is drawn and said, not divided by", async ({ page }) => {
  const lab = labOn(page);
  await lab.field(FIRST).fill("0");
  await expect(lab.result("Share that is decode")).toHaveText("100%");
  await lab.field(EACH).fill("0");
  await expect(lab.result("Share that is decode")).toHaveText("none: nothing takes time");
  await expect(lab.result("Total")).toHaveText("0 s");
  await lab.button("Halve the reply").click();
  await expect(lab.conclusion).toContainText("nothing changes");
  expect(await lab.root.innerHTML()).not.toMatch(/NaN|Infinity/);
});

test("the first pass keeps its time in milliseconds", async ({ page }) => {
  const lab = labOn(page);
  await lab.unit.selectOption("ms");
  await expect(lab.field(FIRST)).toHaveValue("300");
  await expect(lab.slider(FIRST)).toHaveValue("300");
  await expect(lab.result("Total")).toHaveText("4.28 s");
  await lab.slider(FIRST).press("ArrowRight");
  await expect(lab.field(FIRST)).toHaveValue("350");
  await expect(lab.result("Total")).toHaveText("4.33 s");
});

test("axe finds nothing, with something halved and something refused", async ({ page }) => {
  const lab = labOn(page);
  await lab.button("Halve the reply").click();
  await lab.field(PROMPT).fill("-1");
  await expect(lab.errors).toHaveCount(1);
  await expectNoViolations(page);
});

test("on a screen of 320 pixels nothing is cut off, and all can be touched", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 700 });
  const lab = labOn(page);
  await lab.button("Halve the prompt").click();
  for (const [label, text] of [
    [REPLY, "1000000"],
    [EACH, "59999.123"],
  ])
    await lab.field(label).fill(text);
  expect(await pageScrolls(page)).toBe(false);
  for (const control of await lab.root.locator("button, select, input:not([type=checkbox]), .check").all()) {
    const box = await control.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(32);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(320);
  }
  const texts = await lab.chart.evaluate((drawing) =>
    [...drawing.querySelectorAll("text")]
      .map((text) => text.getBoundingClientRect())
      .map(({ left, right }) => ({ left, right })),
  );
  for (const { left, right } of texts) {
    expect(left).toBeGreaterThanOrEqual(0);
    expect(right).toBeLessThanOrEqual(320);
  }
});
