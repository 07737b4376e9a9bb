/** The accessibility checker, for one part of the chapter: all of the page again and again would take too long. */

import { AxeBuilder } from "@axe-core/playwright";
import { expect } from "./fixtures.js";

/**
 * Everything that axe knows, best practice too.
 * @param {import("@playwright/test").Page} page
 * @param {string} id of the part's place
 */
export async function expectNoViolationsIn(page, id) {
  const axe = new AxeBuilder({ page }).include(`#${id}`).options({ resultTypes: ["violations"] });
  const { violations, passes } = await axe.analyze();
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.flat().join(" ")}`),
  );
  expect(found).toEqual([]);
  // It has looked at something.
  expect(passes.map(({ id }) => id)).toContain("color-contrast");
}
