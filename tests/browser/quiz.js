/** "Check yourself" as a reader finds it. */

import { KEY } from "../../www/chapter/answers.js";
import { QUESTIONS } from "../../www/chapter/questions.js";
import { expect } from "./fixtures.js";

/** @typedef {import("../../www/chapter/questions.js").Question} Question */

/**
 * What a tab keeps where these were answered, every other one rightly.
 * @param {readonly Question[]} questions
 */
export function everyOther(questions) {
  return Object.fromEntries(
    questions.map(({ id, options }, index) => {
      const rightly = index % 2 === 0;
      return [id, options.find(({ right = false }) => right === rightly)?.id];
    }),
  );
}

export class Quiz {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.root = page.locator("#questions");
    /** For those who do not see what changed. */
    this.status = this.root.locator(".unseen").and(this.root.getByRole("status"));
    this.score = this.root.locator(".score strong");
    this.copy = this.root.getByRole("button", { name: "Copy my score as text" });
    this.copied = this.root.locator(".score").getByRole("status");
    /** The line, where the clipboard did not take it. */
    this.line = this.root.getByRole("textbox", { name: /copied by hand/ });
    this.startOver = this.root.getByRole("button", { name: "Start over" });
  }

  /**
   * @param {import("@playwright/test").Page} page
   * @param {object} [kept] by the tab from an earlier visit: to click through all questions takes long
   */
  static async on(page, kept) {
    if (kept !== undefined) await keepInTab(page, kept);
    await page.goto("/");
    const quiz = new Quiz(page);
    await expect(quiz.root.getByRole("group")).toHaveCount(QUESTIONS.length);
    return quiz;
  }

  /** @param {Question} question */
  question({ id, ask }) {
    const form = this.root.locator(`[data-question=${id}]`);
    return {
      form,
      option: (/** @type {string} */ text) =>
        form.getByRole("group", { name: ask }).getByRole("radio", { name: text, exact: true }),
      check: form.getByRole("button", { name: "Check answer" }),
      verdict: form.locator(".verdict"),
      error: form.getByRole("alert"),
    };
  }

  /**
   * @param {Question} question
   * @param {boolean} rightly
   */
  async answer(question, rightly) {
    const { option, check, verdict } = this.question(question);
    const given = question.options.find(({ right = false }) => right === rightly);
    await option(String(given?.text)).check();
    await check.click();
    await expect(verdict).toHaveText(rightly ? "Right." : "Not right.");
  }
}

/**
 * Puts something into the tab once, before the page is there.
 * @param {import("@playwright/test").Page} page
 * @param {object} kept
 */
async function keepInTab(page, kept) {
  await page.addInitScript(
    ([key, text]) => {
      // The blank page that comes first may keep nothing; and a reload finds what the page has kept since.
      if (
        location.protocol === "http:" &&
        performance.getEntriesByType("navigation")[0].toJSON().type !== "reload"
      )
        sessionStorage.setItem(key, text);
    },
    [KEY, JSON.stringify(kept)],
  );
}
