/** The accessibility checker. */

import { AxeBuilder } from "@axe-core/playwright";
import { expect } from "./fixtures.js";

/**
 * Everything that axe knows, best practice too.
 * @param {import("@playwright/test").Page} page
 */
export async function expectNoViolations(page) {
  const { violations } = await new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).analyze();
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.flat().join(" ")}`),
  );
  expect(found).toEqual([]);
}
