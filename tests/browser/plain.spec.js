/** The package as it is, without a bundler: on a plain page, from disk, in a worker. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/run.js";
import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { shown, Widget } from "./widget.js";

test("a plain page with one script", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.run();
  expect(await widget.symbols()).toEqual(shown((await run()).log));
});

test("one file, opened from disk", async ({ page, context }) => {
  /** @type {string[]} */
  const requests = [];
  context.on("request", (request) => requests.push(request.url()));
  await context.setOffline(true);
  const address = pathToFileURL(join(root, "dist/generation-loop.html")).href;
  await page.goto(address);
  const widget = await Widget.on(page);
  await widget.run();
  const seed = await widget.field("Seed").inputValue();
  expect(await widget.symbols()).toEqual(shown((await run({ seed })).log));
  // What is fetched elsewhere when it is first wanted, is inside here.
  await widget.button("Log as CSV").click();
  await expect(widget.share).toContainText("Saved as generation-loop.csv");
  expect(requests.filter((url) => /^(https?|wss?):/.test(url))).toEqual([]);
  // A link to the run opens from disk too.
  const link = `${address}#generation-loop?prompt=a+cat&seed=3&pass=2`;
  await page.goto("about:blank");
  await page.goto(link);
  await expect(widget.generatedCells).toHaveCount(2);
  await expect(widget.prompt).toHaveValue("a cat");
});

test("a page from disk with the one file in a frame, and a link to the same run", async ({
  page,
  context,
}) => {
  await context.setOffline(true);
  await page.goto(pathToFileURL(join(root, "tests/pages/from-disk.html")).href);
  const { log } = await run({ prompt: "a dog", sampling: { method: "top-k" }, seed: 12 });
  const framed = new Widget(page.frameLocator("iframe").locator("generation-loop"));
  await framed.run();
  expect(await framed.symbols()).toEqual(shown(log));
  await page.getByRole("link").click();
  const alone = await Widget.on(page);
  await alone.run();
  expect(await alone.symbols()).toEqual(shown(log));
});

test("the engine in a module worker", async ({ page }) => {
  await page.goto("/tests/pages/worker.html");
  await expect(page.locator("#flops")).toHaveText("173184");
  const { log } = await run();
  await expect(page.locator("#token")).toHaveText(log[0].token.text);
});

test("the hidden attribute hides it, whatever the page's style says of blocks", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.root.evaluate((element) => element.toggleAttribute("hidden", true));
  await expect(widget.root).toBeHidden();
  await widget.root.evaluate((element) => element.toggleAttribute("hidden", false));
  await expect(widget.primary).toBeVisible();
});
