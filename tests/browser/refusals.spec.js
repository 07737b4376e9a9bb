/** What a reader is told of files that are no model: the file, the tensor, and both values; and what then stays. */

import { ANSWERS, REFUSED } from "./broken.js";
import { expect, test } from "./fixtures.js";
import { filesOf, SMALL, serveFolder } from "./models.js";
import { Widget } from "./widget.js";

test("whatever is wrong with chosen files is said, and the run beside it stays", async ({ page }) => {
  test.setTimeout(120_000);
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.step(3);
  const symbols = await widget.symbolsAfter(3);
  const rows = await widget.log();
  for (const [what, weights, message, config = SMALL] of REFUSED) {
    await widget.open(filesOf({ config, weights }));
    await expect.soft(widget.outcome, what).toContainText(message);
    await expect.soft(widget.status, what).toContainText(message);
    await expect(widget.model("trained"), what).toBeChecked();
    const { model, ready } = await widget.root.evaluate(async (node) => {
      const element = /** @type {any} */ (node);
      return { model: element.model, ready: (await element.ready) === element };
    });
    expect({ model, ready }, what).toEqual({ model: "trained", ready: true });
    expect(await widget.symbols(), what).toEqual(symbols);
    expect(await widget.log(), what).toEqual(rows);
  }
  // And on from there; the last message goes with the next step.
  await widget.step();
  expect((await widget.symbolsAfter(4)).slice(0, 3)).toEqual(symbols);
  await expect(widget.outcome).toHaveText("");
});

test("whatever a server answers instead of a model is said with its address", async ({
  page,
  complaints,
}) => {
  // Chromium tells the console of a file that is not there.
  complaints.allow(/404/);
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.step(2);
  const symbols = await widget.symbolsAfter(2);
  for (const [index, [what, files, message]] of ANSWERS.entries()) {
    await serveFolder(page, `/m/${index}/`, files);
    await widget.root.evaluate((element, address) => element.setAttribute("model", address), `/m/${index}`);
    await expect.soft(widget.outcome, what).toContainText(message);
    await expect.soft(widget.outcome, what).toContainText(/http:\/\/127\.0\.0\.1:\d+\/m\//);
    expect(await widget.symbols(), what).toEqual(symbols);
  }
});
