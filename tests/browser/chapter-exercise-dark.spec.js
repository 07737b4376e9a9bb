/** The exercise in the dark. */

import { SOLUTION } from "../../www/chapter/exercise/texts.js";
import { expectNoViolations } from "./axe.js";
import { ExercisePart } from "./exercise.js";
import { expect, test } from "./fixtures.js";
import { matches, preferring } from "./preferences.js";

test.use(preferring({ dark: true, lessMotion: true }));

test("axe finds nothing in the dark, and what is written in the editor can be read", async ({ page }) => {
  const part = await ExercisePart.open(page);
  expect(await matches(page, "(prefers-color-scheme: dark)")).toBe(true);
  await part.predict("5", "");
  await part.button("Show a solution").click();
  await part.judge(`${SOLUTION.replace("yield token;", "")}// comment, "text"`);
  await expect(part.failed).not.toHaveCount(0);
  await expectNoViolations(page);
  const lightness = await part.code.evaluate((field) => {
    const colours = [...field.querySelectorAll("span"), field].map((node) => getComputedStyle(node).color);
    return colours.map((colour) => Math.max(...(colour.match(/\d+/g) ?? []).slice(0, 3).map(Number)));
  });
  expect(lightness.length).toBeGreaterThan(5);
  expect(Math.min(...lightness)).toBeGreaterThan(128);
});
