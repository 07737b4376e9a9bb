/** The accessibility checker. */

import { AxeBuilder } from "@axe-core/playwright";
import { expect } from "./fixtures.js";

/**
 * Everything that axe knows, best practice too.
 * @param {import("@playwright/test").Page} page
 */
export async function expectNoViolations(page) {
  // By its types, the page of another version of Playwright: the one that axe's package was installed with.
  const builder = new AxeBuilder({ page: /** @type {any} */ (page) });
  const { violations } = await builder.options({ resultTypes: ["violations"] }).analyze();
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.flat().join(" ")}`),
  );
  expect(found).toEqual([]);
}
