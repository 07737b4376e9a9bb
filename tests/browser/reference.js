/** What is documented of the element, and an element on a page to show it on. */

import { readFileSync } from "node:fs";
import { root } from "../../scripts/run.js";
import { expect, test } from "./fixtures.js";
import { Widget } from "./widget.js";

const manifest = JSON.parse(readFileSync(`${root}/dist/custom-elements.json`, "utf8"));

/** The element as the manifest of the package has it. @type {import("../../scripts/manifest/facts.js").Facts} */
export const documented = manifest.modules
  .flatMap((/** @type {any} */ module) => module.declarations)
  .find((/** @type {any} */ declaration) => declaration.tagName === "generation-loop");

/**
 * Fails where something is documented and has no test here, and the other way about.
 * @param {string} what
 * @param {readonly { name: string }[]} entries
 * @param {object} tests by name
 */
export function coverAll(what, entries, tests) {
  test(`every documented ${what} has its test`, () => {
    expect(Object.keys(tests).sort()).toEqual(entries.map(({ name }) => name).sort());
  });
}

/**
 * @typedef {object} Subject
 * @property {import("@playwright/test").Page} page
 * @property {Widget} widget
 * @property {(passes: number) => Promise<any[]>} make makes so many passes, or fewer if the run ends; all there are then, as plain data
 * @property {(name: string) => Promise<any>} read a property
 * @property {(name: string) => Promise<string | null>} call a method; the code of its error, if it has thrown
 */

/**
 * Puts an element on a page of its own, with attributes and properties, and waits until it is ready.
 * @param {import("@playwright/test").Page} page
 * @param {{ attributes?: Record<string, string>, properties?: Record<string, unknown>, content?: string, language?: boolean }} [of]
 *   `language`: whether the page loads the German words too
 * @returns {Promise<Subject>}
 */
export async function put(page, { attributes = {}, properties = {}, content = "", language = false } = {}) {
  await page.goto("/tests/pages/empty.html");
  await page.locator("main").evaluate(
    async (main, { attributes, properties, content, language }) => {
      if (language) await import(/** @type {any} */ ("/dist/words/de.js"));
      await customElements.whenDefined("generation-loop");
      const element = document.createElement("generation-loop");
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      Object.assign(element, properties);
      if (content !== "")
        element.append(Object.assign(document.createElement("p"), { textContent: content }));
      main.replaceChildren(element);
      // One that cannot be ready is looked at as it is.
      await Reflect.get(element, "ready").catch(() => undefined);
    },
    { attributes, properties, content, language },
  );
  return subject(page);
}

/** @param {import("@playwright/test").Page} page @returns {Subject} */
export function subject(page) {
  const root = page.locator("generation-loop");
  return {
    page,
    widget: new Widget(root),
    make: (passes) =>
      root.evaluate((node, passes) => {
        const element = /** @type {any} */ (node);
        for (let made = 0; made < passes && element.moment.stop === null; made += 1) element.step();
        return JSON.parse(JSON.stringify(element.moment.log));
      }, passes),
    read: (name) => root.evaluate((element, name) => Reflect.get(element, name), name),
    call: (name) =>
      root.evaluate((element, name) => {
        try {
          Reflect.get(element, name).call(element);
          return null;
        } catch (error) {
          return String(Reflect.get(/** @type {object} */ (error), "code"));
        }
      }, name),
  };
}
