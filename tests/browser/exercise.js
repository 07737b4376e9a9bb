/** The exercise on the chapter's page, found as a reader finds it. */

import { expect } from "@playwright/test";

export class ExercisePart {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.page = page;
    this.root = page.locator("#exercise");
    this.tokens = this.root.getByRole("textbox", { name: "Tokens yielded" });
    this.passes = this.root.getByRole("textbox", { name: "Forward passes" });
    /** What is said of the prediction. */
    this.verdict = this.root.locator(".prediction").getByRole("status");
    this.code = this.root.getByRole("textbox", { name: "Your code" });
    this.run = this.button("Run my code");
    /** What is said of a run. */
    this.status = this.root.locator(".work").getByRole("status");
    this.checks = this.root.locator(".checks").getByRole("listitem");
    this.failed = this.checks.and(page.locator(".failed"));
  }

  /** @param {string} name */
  button(name) {
    return this.root.getByRole("button", { name, exact: true });
  }

  /** The part on a fresh page, its editor open. @param {import("@playwright/test").Page} page */
  static async open(page) {
    await page.goto("/");
    const part = new ExercisePart(page);
    await part.button("Open the editor").click();
    await expect(part.code).toBeFocused();
    return part;
  }

  /**
   * Writes a program over what is there.
   * @param {string} source
   */
  async write(source) {
    await this.code.focus();
    await this.page.keyboard.press("ControlOrMeta+A");
    // As when it is typed at one stroke. What a driver inserts is split into lines by the browser, by each in its own way.
    await this.code.evaluate((field, data) => {
      const how = { inputType: "insertText", data, bubbles: true, cancelable: true, composed: true };
      field.dispatchEvent(new InputEvent("beforeinput", how));
    }, source);
  }

  /**
   * Runs a program to its verdicts.
   * @param {string} source
   */
  async judge(source) {
    await this.write(source);
    await this.run.click();
    await this.finished();
  }

  async finished() {
    await expect(this.status).toContainText(
      / of 10 checks pass|All 10 checks pass|cannot be run|did not start/,
      // A program may take seconds by itself, and this machine has other work.
      { timeout: 60_000 },
    );
  }

  /**
   * @param {string} tokens
   * @param {string} passes
   */
  async predict(tokens, passes) {
    await this.tokens.fill(tokens);
    await this.passes.fill(passes);
    await this.button("Commit").click();
  }
}
