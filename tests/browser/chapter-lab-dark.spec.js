/** The lab and the real models on a dark page. */

import { expectNoViolations } from "./axe.js";
import { expect, test } from "./fixtures.js";
import { matches, preferring } from "./preferences.js";

test.use(preferring({ dark: true }));

test("axe finds nothing in the dark, with something halved, refused and unfolded", async ({ page }) => {
  await page.goto("/");
  expect(await matches(page, "(prefers-color-scheme: dark)")).toBe(true);
  const [lab, scale] = [page.locator("#lab"), page.locator("#scale")];
  await lab.getByRole("button", { name: "Halve the reply" }).click();
  await lab.getByRole("textbox", { name: "Prompt tokens" }).fill("-1");
  await scale.getByRole("textbox", { name: "Prompt tokens" }).fill("1e99");
  await scale.getByText("What is counted, and where the figures are from").click();
  await expect(page.getByText("Still of the last good input:")).toHaveCount(2);
  await expectNoViolations(page);
});
