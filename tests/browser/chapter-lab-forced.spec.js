/** The lab's drawing where the reader's system sets all colours. */

import { expect, test } from "./fixtures.js";
import { matches, preferring } from "./preferences.js";

test.use(preferring({ forcedColours: true }));

test("in forced colours the bars have edges, and texts the system's colour", async ({ page }) => {
  await page.goto("/");
  expect(await matches(page, "(forced-colors: active)")).toBe(true);
  const lab = page.locator("#lab");
  await lab.getByRole("button", { name: "Halve the reply" }).click();
  const styles = await lab.getByRole("img").evaluate((drawing) => {
    const style = (/** @type {string} */ selector, /** @type {"fill" | "stroke"} */ property) =>
      [...drawing.querySelectorAll(selector)].map((node) => getComputedStyle(node)[property]);
    const probe = (/** @type {string} */ color) => {
      const node = document.createElement("i");
      node.style.color = color;
      document.body.append(node);
      const computed = getComputedStyle(node).color;
      node.remove();
      return computed;
    };
    return {
      text: probe("CanvasText"),
      edges: style("rect", "stroke"),
      marks: style("line.prefill, line.decode", "stroke"),
      texts: style("text", "fill"),
    };
  });
  for (const colour of [...styles.edges, ...styles.marks, ...styles.texts]) expect(colour).toBe(styles.text);
  expect(styles.edges).toHaveLength(4);
});
