/** Predictions and questions for readers who want it dark. */

import { QUESTIONS } from "../../www/chapter/questions.js";
import { expect, test } from "./fixtures.js";
import { expectNoViolationsIn } from "./part.js";
import { matches, preferring } from "./preferences.js";
import { everyOther, Quiz } from "./quiz.js";

test.use(preferring({ dark: true, lessMotion: true }));

const predict = async (/** @type {import("@playwright/test").Page} */ page, /** @type {string} */ answer) => {
  const part = page.locator("#predict");
  await part.getByRole("textbox").fill(answer);
  await part.getByRole("button").click();
  return part;
};

test("axe finds nothing on the dark page, with errors", async ({ page }) => {
  const quiz = await Quiz.on(page);
  expect(await matches(page, "(prefers-color-scheme: dark)")).toBe(true);
  await quiz.question(QUESTIONS[0]).check.click();
  const part = await predict(page, "abc");
  await expect(part.getByRole("alert")).not.toHaveText("");
  for (const part of ["predict", "questions"]) await expectNoViolationsIn(page, part);
});

test("axe finds nothing on the dark page, with every answer open", async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  const quiz = await Quiz.on(page, everyOther(QUESTIONS));
  const part = await predict(page, "200");
  await expect(part.getByRole("table")).toBeVisible();
  await quiz.copy.click();
  await expect(quiz.line).toBeVisible();
  for (const part of ["predict", "questions"]) await expectNoViolationsIn(page, part);
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
});
