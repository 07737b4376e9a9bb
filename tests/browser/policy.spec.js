/** The element under the policies of strict hosts. */

import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { shown, Widget } from "./widget.js";

test("it works, bars and all, where only the site's own scripts and styles may be", async ({ page }) => {
  const response = await page.goto("/tests/pages/csp.html");
  expect(response?.headers()["content-security-policy"]).toBe(
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'",
  );
  const widget = await Widget.on(page);
  await widget.run();
  const { log } = await run({ sampling: { method: "top-k" } });
  expect(await widget.symbols()).toEqual(shown(log));
  await expect(page.locator("#passes")).toHaveText(String(log.length));
  await expect(page.locator("#end")).toHaveText(`It stopped: ${log.at(-1)?.stop?.reason}.`);

  // Its least likely token is likely enough to be seen.
  await widget.use("untrained");
  await widget.step();
  await expect(widget.candidates).toHaveCount(10);
  await widget.button("Show all 64").click();
  await expect(widget.candidates).toHaveCount(64);
  const stages = await widget.stages();
  // What the model says, and what the temperature makes of it: the same, at 1.
  for (const { widths } of stages) expect(widths).toEqual([widths[0], widths[0]]);
  const widths = stages.map(({ widths }) => widths[0]);
  expect(Math.min(...widths)).toBeGreaterThan(0);
  expect(widths[0]).toBeGreaterThan(2 * widths[63]);
  // The slices of the draw, the charts of the cost and the columns of the cache are as wide as they say.
  for (const part of ["distribution .sum", "cost figure svg svg", "cache .columns svg"]) {
    const [panel, ...rest] = part.split(" ");
    const drawing = widget.root.locator(`[part=${panel}] ${rest.join(" ")}`).last();
    expect((await drawing.boundingBox())?.width, part).toBeGreaterThan(100);
  }
  // And it has its own style: a cell is a box of a size, whatever is in it.
  const cell = await widget.generatedCells.first().boundingBox();
  expect(cell?.width).toBeGreaterThan(20);
  expect(cell?.height).toBeGreaterThan(30);
});

test("where WebAssembly is forbidden it says so in its place, and what the page put there stays", async ({
  page,
  complaints,
}) => {
  // Each browser tells the console of what it forbade.
  complaints.allow(/wasm-unsafe-eval|Content.Security.Policy/i);
  const response = await page.goto("/tests/pages/csp-without-wasm.html");
  expect(response?.headers()["content-security-policy"]).not.toContain("wasm");
  const element = page.locator("generation-loop");
  const message = element.locator("p.error");
  await expect(message).toContainText("WebAssembly cannot start: the browser refused it");
  await expect(message).toContainText("Content-Security-Policy must have 'wasm-unsafe-eval' in script-src");
  await expect(element.getByRole("status")).toContainText("wasm-unsafe-eval");
  await expect(page.getByText("This needs a browser with JavaScript and WebAssembly.")).toBeVisible();
  await expect(page.locator("#end")).toHaveText("It failed: wasm-unavailable.");

  // Trying again changes nothing here, and harms nothing.
  await page.locator("#end").evaluate((output) => output.replaceChildren());
  await element.getByRole("button", { name: "Load the model again" }).click();
  await expect(page.locator("#end")).toHaveText("It failed: wasm-unavailable.");
  await expect(message).toContainText("WebAssembly cannot start");
});

test("it works where a policy demands trusted types", async ({ page, complaints }) => {
  const response = await page.goto("/tests/pages/csp-trusted-types.html");
  expect(response?.headers()["content-security-policy"]).toContain("require-trusted-types-for");
  const widget = await Widget.on(page);
  await widget.run();
  expect(await widget.symbols()).toEqual(shown((await run()).log));
  // The policy is at work: what is of no trusted type is refused, and the console told.
  complaints.allow(/Trusted/i);
  const refused = await page.evaluate(() => {
    try {
      document.createElement("div").innerHTML = "<b>a</b>";
      return false;
    } catch {
      return true;
    }
  });
  expect(refused).toBe(true);
});
