/** "Predict": nothing is told before a number is committed to, and then the engine counts. */

import { mistakeIn, questionOf } from "../../www/chapter/prediction.js";
import { counted } from "../../www/chapter/scripted.js";
import { expect, test } from "./fixtures.js";
import { pageScrolls } from "./layout.js";
import { expectNoViolationsIn } from "./part.js";

/** @typedef {import("../../www/chapter/scripted.js").Plan} Plan */

/** The part as a reader finds it. */
class Predict {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.root = page.locator("#predict");
    this.field = this.root.getByRole("textbox", { name: "Your answer, in passes" });
    this.commit = this.root.getByRole("button", { name: "Commit, and see the answer" });
    this.error = this.root.getByRole("alert");
    this.status = this.root.getByRole("status");
    this.table = this.root.getByRole("table");
    this.another = this.root.getByRole("button", { name: "Another one" });
    this.question = this.root.locator(".asked");
  }

  /** @param {import("@playwright/test").Page} page */
  static async on(page) {
    await page.goto("/");
    const predict = new Predict(page);
    await expect(predict.field).toBeVisible();
    return predict;
  }

  /** @param {string} text */
  async answer(text) {
    await this.field.fill(text);
    await this.commit.click();
  }

  /** Rows below the heads, as texts. */
  rows() {
    return this.table
      .locator("tbody tr")
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())));
  }

  /** What the question on the screen asks for. @returns {Promise<Plan>} */
  async plan() {
    const text = String(await this.question.textContent());
    const [prompt, reply = 0] = (text.match(/\d[\d,]*/g) ?? []).map((found) =>
      Number(found.replaceAll(",", "")),
    );
    /** @type {Plan} */
    const plan = { prompt, reply, end: text.includes("length limit") ? "max-tokens" : "end-of-text" };
    expect(questionOf(plan)).toBe(text);
    return plan;
  }
}

test("the right number is right, and the passes are told one by one", async ({ page }) => {
  const predict = await Predict.on(page);
  await expect(predict.question).toHaveText(
    "A prompt of 1,000 tokens, a reply of 200 tokens, and then end-of-text: how many forward passes?",
  );
  // Not a word of it before.
  await expect(predict.root).not.toContainText(/20\d passes|prefill|decode/);
  await expect(predict.status).toHaveText("");
  await predict.answer("201");
  await expect(predict.status).toHaveText("201 passes: right.");
  expect(await predict.rows()).toEqual([
    ["1", "prefill", "1,000", "token 1"],
    ["199", "decode", "1", "tokens 2 to 200"],
    ["1", "decode", "1", "end-of-text"],
    ["201", "in all"],
  ]);
  await expect(predict.root).toContainText("After a prompt of one token, the same run takes 201 passes too.");
  await expect(predict.root).toContainText("Right so far: 1 of 1");
});

for (const [answer, words] of /** @type {const} */ ([
  ["200", "201 passes, not 200. One pass is missing: the last one, which brings end-of-text"],
  ["1,200", "201 passes, not 1,200. A pass for every token of the prompt is too many."],
  ["199", "201 passes, not 199. Two passes are missing."],
  ["0", "201 passes, not 0. Without a pass there is no token."],
  ["500", "201 passes, not 500. 299 passes too many."],
])) {
  test(`to ${answer} it says which step is wrong`, async ({ page }) => {
    const predict = await Predict.on(page);
    await predict.answer(answer);
    await expect(predict.status).toContainText(words);
    expect((await predict.rows()).at(-1)).toEqual(["201", "in all"]);
    await expect(predict.root).toContainText("Right so far: 0 of 1");
  });
}

test("what is no number of passes is refused by its name, and commits nothing", async ({ page }) => {
  const predict = await Predict.on(page);
  for (const text of [
    ...["", "abc", "-1", "1.5", "1e99", "1000001", "0x10"],
    "<img src=x onerror='window.harmed = true'>",
    "x".repeat(5000),
  ]) {
    await predict.answer(text);
    const found = text === "" ? "empty" : `“${text.slice(0, 40)}${text.length > 40 ? "…" : ""}”`;
    await expect(predict.error).toHaveText(
      `Your answer is ${found}; allowed: a whole number from 0 to 1,000,000.`,
    );
    await expect(predict.field).toHaveAttribute("aria-invalid", "true");
    await expect(predict.field).toHaveAccessibleDescription(/Your answer is .*; allowed/);
    await expect(predict.field).toHaveValue(text);
    await expect(predict.status).toHaveText("");
    await expect(predict.table).toHaveCount(0);
  }
  expect(await page.evaluate(() => "harmed" in window)).toBe(false);
  await predict.answer("201");
  await expect(predict.status).toHaveText("201 passes: right.");
  await expect(predict.error).toHaveText("");
  await expect(predict.field).toHaveAttribute("aria-invalid", "false");
  // What was refused was no try.
  await expect(predict.root).toContainText("Right so far: 1 of 1");
});

test("a number that was committed to stands", async ({ page }) => {
  const predict = await Predict.on(page);
  await predict.answer("200");
  await expect(predict.table).toBeVisible();
  await expect(predict.field).not.toBeEditable();
  await predict.field.press("Enter");
  // As a reader would, who does not wait until it is allowed.
  await predict.commit.click({ force: true });
  await expect(predict.status).toContainText("201 passes, not 200.");
  await expect(predict.root).toContainText("Right so far: 0 of 1");
});

test("another one has other numbers and other ends, each counted by a run; the score goes on", async ({
  page,
}) => {
  const predict = await Predict.on(page);
  await predict.answer("200");
  const ends = new Set();
  let right = 0;
  for (let asked = 2; asked <= 7; asked += 1) {
    await predict.another.click();
    await expect(predict.table).toHaveCount(0);
    await expect(predict.field).toBeFocused();
    await expect(predict.field).toHaveValue("");
    const plan = await predict.plan();
    ends.add(plan.reply === 0 ? "at once" : plan.end);
    const { passes, stretches } = await counted(plan);
    // Every other answer is one too many.
    const answer = passes + (asked % 2);
    right += Number(answer === passes);
    await predict.answer(String(answer));
    await expect(predict.table).toBeVisible();
    if (answer === passes) await expect(predict.status).toContainText(": right.");
    else await expect(predict.status).toContainText(mistakeIn(plan, answer, passes));
    const rows = await predict.rows();
    expect(rows.slice(0, -1).map(([count, phase]) => [Number(count.replaceAll(",", "")), phase])).toEqual(
      stretches.map(({ passes, phase }) => [passes, phase]),
    );
    expect(rows[0][2]).toBe(plan.prompt.toLocaleString("en"));
    expect(rows.some(([, , , brought]) => brought === "end-of-text")).toBe(plan.end === "end-of-text");
    await expect(predict.root).toContainText(`Right so far: ${right} of ${asked}`);
  }
  expect([...ends].sort()).toEqual(["at once", "end-of-text", "max-tokens"]);
  // For the visit, and no longer.
  await page.reload();
  await expect(predict.question).toContainText("A prompt of 1,000 tokens");
  await expect(predict.field).toHaveValue("");
  await expect(predict.root).not.toContainText("Right so far");
});

test("it can be done by keys alone, and the focus is never lost", async ({ page }) => {
  const predict = await Predict.on(page);
  await predict.field.focus();
  await page.keyboard.type("1200");
  await page.keyboard.press("Enter");
  await expect(predict.status).toContainText("201 passes, not 1,200.");
  await expect(predict.field).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(predict.commit).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(predict.another).toBeFocused();
  await page.keyboard.press("Space");
  await expect(predict.field).toBeFocused();
  await page.keyboard.type("nothing");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await expect(predict.error).toContainText("“nothing”");
  await expect(predict.commit).toBeFocused();
});

test("axe finds nothing with an error", async ({ page }) => {
  const predict = await Predict.on(page);
  await predict.answer("abc");
  await expect(predict.error).not.toHaveText("");
  await expectNoViolationsIn(page, "predict");
});

test("axe finds nothing with the answer open", async ({ page }) => {
  const predict = await Predict.on(page);
  await predict.answer("200");
  await expect(predict.table).toBeVisible();
  await expectNoViolationsIn(page, "predict");
});

test("nothing is wider than a narrow screen", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const predict = await Predict.on(page);
  await predict.answer("x".repeat(80));
  expect(await pageScrolls(page)).toBe(false);
  await predict.answer("1000");
  await expect(predict.table).toBeVisible();
  expect(await pageScrolls(page)).toBe(false);
  for (const control of [predict.field, predict.commit, predict.another]) {
    expect((await control.boundingBox())?.height).toBeGreaterThanOrEqual(32);
  }
});

test("where the engine cannot start it says so, and tells no number instead", async ({
  page,
  complaints,
}) => {
  complaints.allow(/WebAssembly/);
  await page.addInitScript(() => {
    WebAssembly.compile = () => Promise.reject(new Error("not today"));
  });
  const predict = await Predict.on(page);
  await predict.answer("201");
  await expect(predict.error).toHaveText(
    "The passes could not be counted: WebAssembly cannot start: not today",
  );
  await expect(predict.status).toHaveText("");
  await expect(predict.table).toHaveCount(0);
  // What was typed is not to blame, and can be sent again.
  await expect(predict.field).toHaveAttribute("aria-invalid", "false");
  await expect(predict.field).toBeEditable();
  await expect(predict.field).toHaveValue("201");
});
