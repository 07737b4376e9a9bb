/** "Check yourself": one answer a question, a reason behind each option, and a score that stays with the reader. */

import { KEY } from "../../www/chapter/answers.js";
import { QUESTIONS } from "../../www/chapter/questions.js";
import { scoreLine } from "../../www/chapter/score.js";
import { expect, test } from "./fixtures.js";
import { pageScrolls } from "./layout.js";
import { expectNoViolationsIn } from "./part.js";
import { everyOther, Quiz } from "./quiz.js";

const TOTAL = QUESTIONS.length;
const [FIRST, SECOND] = QUESTIONS;

test("a right answer is right, and shows the reason behind every option", async ({ page }) => {
  const quiz = await Quiz.on(page);
  const { form, option, verdict, check } = quiz.question(FIRST);
  for (const { text, reason } of FIRST.options) {
    await expect(option(text)).not.toBeChecked();
    // Not hidden: not there.
    await expect(form).not.toContainText(reason);
  }
  const right = FIRST.options.find(({ right }) => right);
  await option(String(right?.text)).check();
  await expect(verdict).toHaveText("");
  await check.click();
  await expect(verdict).toHaveText("Right.");
  for (const { text, reason, right } of FIRST.options) {
    await expect(option(text)).toHaveAccessibleDescription(
      right ? `Right, your answer. ${reason}` : `Not right. ${reason}`,
    );
  }
  await expect(quiz.status).toHaveText(
    `Right. ${right?.reason} 1 of ${TOTAL} right, ${TOTAL - 1} not answered yet.`,
  );
  await expect(quiz.score).toHaveText(`1 of ${TOTAL} right, ${TOTAL - 1} not answered yet`);
  await expect(form.locator(".option.right")).toHaveCount(1);
});

test("a wrong answer stands, and the right option is marked", async ({ page }) => {
  const quiz = await Quiz.on(page);
  const { form, option, check, verdict } = quiz.question(SECOND);
  const given = SECOND.options.findIndex(({ right }) => !right);
  const other = SECOND.options.findIndex(({ right }) => right);
  const { text, reason } = SECOND.options[given];
  await option(text).check();
  await check.click();
  await expect(verdict).toHaveText("Not right.");
  await expect(option(text)).toHaveAccessibleDescription(`Not right, your answer. ${reason}`);
  await expect(form.locator(".option.right label")).toHaveText(SECOND.options[other].text);
  await expect(quiz.status).toContainText(`Not right. ${reason}`);
  // Too late; as a reader would, who does not ask whether it is allowed.
  await form.locator("label").nth(other).click({ force: true });
  await option(SECOND.options[other].text).click({ force: true });
  await expect(option(text)).toBeChecked();
  await expect(option(SECOND.options[other].text)).not.toBeChecked();
  await form.getByRole("button", { name: "Answered" }).click({ force: true });
  await expect(quiz.score).toHaveText(`0 of ${TOTAL} right, ${TOTAL - 1} not answered yet`);
});

test("without a choice there is an error and no answer, and a choice takes it away", async ({ page }) => {
  const quiz = await Quiz.on(page);
  const { form, check, option, error, verdict } = quiz.question(FIRST);
  await check.click();
  await expect(error).toHaveText(`Nothing is chosen; allowed: one of the ${FIRST.options.length} options.`);
  await expect(form.getByRole("group")).toHaveAccessibleDescription(/^Nothing is chosen/);
  await expect(verdict).toHaveText("");
  await expect(quiz.score).toHaveText(`0 of ${TOTAL} right, ${TOTAL} not answered yet`);
  // That of one question is no concern of another.
  await quiz.question(SECOND).option(SECOND.options[0].text).check();
  await expect(error).not.toHaveText("");
  await option(FIRST.options[0].text).check();
  await expect(error).toHaveText("");
});

test("all of them: the score, a reload, and a new start", async ({ page }) => {
  const quiz = await Quiz.on(page, everyOther(QUESTIONS.slice(2)));
  const right = Math.ceil((TOTAL - 2) / 2);
  await expect(quiz.score).toHaveText(`${right} of ${TOTAL} right, 2 not answered yet`);
  const requests = /** @type {string[]} */ ([]);
  page.on("request", (request) => requests.push(request.url()));
  await quiz.answer(FIRST, false);
  await quiz.answer(SECOND, true);
  await expect(quiz.score).toHaveText(`${right + 1} of ${TOTAL} right`);
  // Nothing of it goes anywhere, not even home.
  expect(requests).toEqual([]);

  await page.reload();
  await expect(quiz.score).toHaveText(`${right + 1} of ${TOTAL} right`);
  await expect(quiz.root.locator(".reason")).toHaveCount(
    QUESTIONS.reduce((sum, { options }) => sum + options.length, 0),
  );
  await expect(quiz.status).toHaveText("");
  await expect(quiz.root).toContainText("kept in this tab, in its session storage");

  await quiz.startOver.click();
  await expect(quiz.startOver).toBeFocused();
  await expect(quiz.status).toHaveText("Started over: no question is answered.");
  await expect(quiz.score).toHaveText(`0 of ${TOTAL} right, ${TOTAL} not answered yet`);
  await expect(quiz.root.locator("input:checked")).toHaveCount(0);
  expect(await page.evaluate((key) => sessionStorage.getItem(key), KEY)).toBeNull();
  // And they can be answered again.
  await quiz.answer(FIRST, true);
  await expect(quiz.score).toHaveText(`1 of ${TOTAL} right, ${TOTAL - 1} not answered yet`);
});

test("a choice that was not checked is no answer, and a reload forgets it", async ({ page }) => {
  const quiz = await Quiz.on(page);
  const { option } = quiz.question(FIRST);
  await option(FIRST.options[0].text).check();
  await page.reload();
  await expect(option(FIRST.options[0].text)).toBeVisible();
  await expect(quiz.score).toHaveText(`0 of ${TOTAL} right, ${TOTAL} not answered yet`);
});

test("what somebody else has put into the tab is no answer, and harms nothing", async ({ page }) => {
  const markup = "<img src=x onerror='window.harmed = true'>";
  const quiz = await Quiz.on(page, { [FIRST.id]: markup, [markup]: markup, toString: "rest" });
  await expect(quiz.score).toHaveText(`0 of ${TOTAL} right, ${TOTAL} not answered yet`);
  await quiz.answer(FIRST, true);
  await expect(quiz.score).toHaveText(`1 of ${TOTAL} right, ${TOTAL - 1} not answered yet`);
  expect(await page.evaluate(() => "harmed" in window)).toBe(false);
});

test("a browser that keeps nothing is told of, and all else works", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, "sessionStorage", {
      get() {
        throw new DOMException("The operation is insecure.", "SecurityError");
      },
    });
  });
  const quiz = await Quiz.on(page);
  await expect(quiz.root).toContainText("This browser keeps nothing for the page");
  await quiz.answer(FIRST, true);
  await quiz.answer(SECOND, false);
  await expect(quiz.score).toHaveText(`1 of ${TOTAL} right, ${TOTAL - 2} not answered yet`);
  await quiz.startOver.click();
  await expect(quiz.score).toHaveText(`0 of ${TOTAL} right, ${TOTAL} not answered yet`);
});

test("the score goes to the clipboard when the reader asks for it, and only then", async ({ page }) => {
  await page.addInitScript(() => {
    const written = /** @type {string[]} */ ([]);
    Object.assign(window, { written });
    Object.defineProperty(navigator, "clipboard", {
      value: { writeText: async (/** @type {string} */ text) => void written.push(text) },
    });
  });
  const quiz = await Quiz.on(page);
  const written = () => page.evaluate(() => /** @type {any} */ (window).written);
  await quiz.answer(FIRST, true);
  await quiz.answer(SECOND, false);
  expect(await written()).toEqual([]);
  await quiz.copy.click();
  const line = scoreLine({ right: 1, answered: 2, total: TOTAL });
  await expect(quiz.copied).toHaveText(`Copied: ${line}`);
  expect(await written()).toEqual([line]);
  await expect(quiz.copy).toBeFocused();
  await expect(quiz.line).toHaveCount(0);
  // What was copied is no longer the score.
  await quiz.answer(QUESTIONS[2], true);
  await expect(quiz.copied).toHaveText("");
});

for (const [how, value] of /** @type {const} */ ([
  ["is refused", "refusing"],
  ["is not there", undefined],
])) {
  test(`where the clipboard ${how} the line stands there to be selected`, async ({ page }) => {
    await page.addInitScript((value) => {
      const refusing = { writeText: () => Promise.reject(new DOMException("No.", "NotAllowedError")) };
      Object.defineProperty(navigator, "clipboard", { value: value && refusing });
    }, value);
    const quiz = await Quiz.on(page);
    await quiz.answer(FIRST, true);
    await quiz.copy.click();
    const line = scoreLine({ right: 1, answered: 1, total: TOTAL });
    await expect(quiz.line).toHaveValue(line);
    await expect(quiz.line).toBeFocused();
    await expect(quiz.line).not.toBeEditable();
    const selected = await quiz.line.evaluate((node) => {
      const field = /** @type {HTMLInputElement} */ (node);
      return field.value.slice(Number(field.selectionStart), Number(field.selectionEnd));
    });
    expect(selected).toBe(line);
  });
}

test("it can be done by keys alone: choose, check, and walk through the reasons", async ({ page }) => {
  const quiz = await Quiz.on(page);
  const { form, option, check, verdict } = quiz.question(FIRST);
  const [first, second, third] = FIRST.options.map(({ text }) => option(text));
  await first.focus();
  await page.keyboard.press("Space");
  await expect(first).toBeChecked();
  await page.keyboard.press("ArrowDown");
  await expect(second).toBeChecked();
  await page.keyboard.press("Tab");
  await expect(check).toBeFocused();
  await page.keyboard.press("Space");
  await expect(verdict).toHaveText("Not right.");
  const answered = form.getByRole("button", { name: "Answered" });
  await expect(answered).toBeFocused();
  // Once more is once too often, and changes nothing.
  await page.keyboard.press("Space");
  await expect(quiz.score).toHaveText(`0 of ${TOTAL} right, ${TOTAL - 1} not answered yet`);
  // Back to the options: arrows go through them, and the answer stays.
  await page.keyboard.press("Shift+Tab");
  await expect(second).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(second).toBeChecked();
  await expect(third).not.toBeChecked();
  await expect(third).toHaveAccessibleDescription(/^Right\. /);
  await answered.focus();
  await page.keyboard.press("Tab");
  await expect(quiz.question(SECOND).option(SECOND.options[0].text)).toBeFocused();
  // Enter in an option is its button too.
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  await expect(quiz.question(SECOND).verdict).toHaveText("Right.");
  await expect(quiz.question(SECOND).option(SECOND.options[0].text)).toBeFocused();
});

test("axe finds nothing with an error", async ({ page }) => {
  const quiz = await Quiz.on(page);
  await quiz.question(FIRST).check.click();
  await expect(quiz.question(FIRST).error).not.toHaveText("");
  await expectNoViolationsIn(page, "questions");
});

test("axe finds nothing with everything open", async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  const quiz = await Quiz.on(page, everyOther(QUESTIONS));
  await quiz.copy.click();
  await expect(quiz.line).toBeVisible();
  await expectNoViolationsIn(page, "questions");
});

test("nothing is wider than a narrow screen, and targets are large enough", async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await page.setViewportSize({ width: 320, height: 640 });
  const quiz = await Quiz.on(page, everyOther(QUESTIONS.slice(1)));
  await quiz.question(FIRST).check.click();
  await quiz.copy.click();
  await expect(quiz.line).toBeVisible();
  expect(await pageScrolls(page)).toBe(false);
  const heights = await quiz.root
    .locator("button, .option label, input[readonly]")
    .evaluateAll((targets) => targets.map((target) => target.getBoundingClientRect().height));
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(32);
});
