/** The chapter's drawings of the reader's run, beside the widget that it is made in. */

import { expect } from "./fixtures.js";
import { Widget } from "./widget.js";

/** By the ids of their places. */
export const DRAWINGS = ["loop", "dependencies", "roofline", "saving"];

export class Chapter {
  /** @param {import("@playwright/test").Page} page @param {Widget} widget */
  constructor(page, widget) {
    this.page = page;
    this.widget = widget;
    this.loop = page.locator("#loop");
    /** The step that is lit. */
    this.lit = this.loop.locator("[aria-current=step] b");
    this.dependencies = page.locator("#dependencies");
    this.promptCells = page.locator("#dependencies .prompt > li");
    this.passes = page.locator("#dependencies .generated > li:not(.ahead, .gap)");
    this.gaps = page.locator("#dependencies .gap");
    this.roofline = page.locator("#roofline");
    this.saving = page.locator("#saving");
  }

  /**
   * The page, with its widget ready and its drawings drawn.
   * @param {import("@playwright/test").Page} page
   */
  static async on(page) {
    await page.goto("/");
    const chapter = new Chapter(page, await Widget.on(page));
    await chapter.settled();
    return chapter;
  }

  /** Once all drawings show the moment of now, wherever the reader looks. */
  async settled() {
    await this.page.evaluate(async () => {
      const element = /** @type {any} */ (document.querySelector("generation-loop"));
      await element.updateComplete;
      // As for paper: whatever is near or far.
      window.dispatchEvent(new Event("beforeprint"));
    });
  }

  /** What the widget says of its screen. */
  moment() {
    return this.page.evaluate(() => {
      const { moment } = /** @type {any} */ (document.querySelector("generation-loop"));
      return /** @type {import("../../www/run.js").Moment} */ (JSON.parse(JSON.stringify(moment)));
    });
  }

  /** Sets properties of the element. @param {Record<string, unknown>} properties */
  async set(properties) {
    await this.page.evaluate(async (properties) => {
      const element = /** @type {any} */ (document.querySelector("generation-loop"));
      Object.assign(element, properties);
      await element.ready;
      await element.updateComplete;
    }, properties);
  }

  /** @param {number} passes */
  async step(passes = 1) {
    await this.page.evaluate(async (passes) => {
      const element = /** @type {any} */ (document.querySelector("generation-loop"));
      for (let pass = 0; pass < passes; pass += 1) element.step();
      await element.updateComplete;
    }, passes);
    await this.settled();
  }

  /** A reader's sight of a drawing: as an eye has it, without what only screen readers have. @param {string} id */
  async text(id) {
    const text = await this.page.locator(`#${id}`).evaluate((place) => {
      const copy = /** @type {HTMLElement} */ (place.cloneNode(true));
      for (const hidden of copy.querySelectorAll(".sr, .choices")) hidden.remove();
      return copy.textContent ?? "";
    });
    return text.replace(/\s+/g, "");
  }

  /** How high each drawing is. */
  heights() {
    return this.page.evaluate(
      (ids) => ids.map((id) => [id, document.getElementById(id)?.getBoundingClientRect().height]),
      DRAWINGS,
    );
  }

  /** What a line of the job says, by the name of the step. @param {string} name */
  line(name) {
    return this.loop.locator("li", { has: this.page.locator(`b:text-is("${name}")`) }).locator(".line");
  }

  /** A drawing's sentence, without what stands for screen readers. @param {string} id */
  sentence(id) {
    return this.page.locator(`#${id} .said`).evaluate((node) => {
      const copy = /** @type {HTMLElement} */ (node.cloneNode(true));
      for (const hidden of copy.querySelectorAll(".sr")) hidden.remove();
      return copy.textContent?.trim() ?? "";
    });
  }

  /** The rows of the roofline's table, by their heads. */
  async numbers() {
    const rows = await this.roofline
      .locator("tbody tr")
      .evaluateAll((rows) =>
        rows.map((row) => [...row.children].map((node) => node.textContent?.trim() ?? "")),
      );
    return Object.fromEntries(rows.map(([head, prefill, decode]) => [head, [prefill, decode]]));
  }
}

/** Whole numbers as they are shown. @param {number} value */
export const whole = (value) => value.toLocaleString("en");

/** How tokens look. @param {string} text */
export const seen = (text) => text.replace(/^$/, "eos").replace(" ", "␣").replace("\n", "⏎");

/**
 * What each cell in a list shows.
 * @param {import("@playwright/test").Locator} items
 */
export const cellsOf = (items) =>
  items.evaluateAll((nodes) =>
    nodes.map((node) => {
      const cell = node.querySelector(".token");
      return (cell?.querySelector("[aria-hidden]") ?? cell)?.textContent?.trim();
    }),
  );

/** @param {import("@playwright/test").Locator} locator */
export async function boxOf(locator) {
  const box = await locator.boundingBox();
  expect(box).not.toBeNull();
  return /** @type {NonNullable<typeof box>} */ (box);
}
