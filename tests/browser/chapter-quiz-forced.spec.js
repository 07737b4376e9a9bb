/** Predictions and questions for readers whose system sets all colours. */

import { QUESTIONS } from "../../www/chapter/questions.js";
import { expect, test } from "./fixtures.js";
import { matches, preferring } from "./preferences.js";
import { Quiz } from "./quiz.js";

test.use(preferring({ forcedColours: true }));

test("in forced colours the right option has an edge, and only that one; the phases keep theirs", async ({
  page,
}) => {
  const quiz = await Quiz.on(page);
  expect(await matches(page, "(forced-colors: active)")).toBe(true);
  const [question] = QUESTIONS;
  await quiz.answer(question, false);
  const widths = await quiz
    .question(question)
    .form.locator(".option")
    .evaluateAll((options) => options.map((option) => getComputedStyle(option).borderInlineStartWidth));
  expect(widths).toEqual(question.options.map(({ right }) => (right ? "3px" : "0px")));

  const predict = page.locator("#predict");
  await predict.getByRole("textbox").fill("201");
  await predict.getByRole("button").click();
  const edge = (/** @type {string} */ phase) =>
    predict
      .locator(`.phase.${phase}`)
      .first()
      .evaluate((node) => getComputedStyle(node).borderBottomStyle);
  expect(await edge("prefill")).toBe("solid");
  expect(await edge("decode")).toBe("double");
});
