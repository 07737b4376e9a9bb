/** Where no worker can be started, a large model runs on the page's own thread, and the card says what that means. */

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/run.js";
import { expect, test } from "./fixtures.js";
import { keepPasses, keptPasses, LARGE, randomFiles, referencePasses } from "./models.js";
import { Widget } from "./widget.js";

const PROMPT = [1, 2, 3];
const FILES = randomFiles(LARGE, 6);
const SAYS_SO = "No worker can be started here: the page stands still while a pass is made.";

/** @param {import("@playwright/test").Page} page */
async function loaded(page) {
  const widget = await Widget.on(page);
  await expect(widget.models).not.toContainText(SAYS_SO);
  await widget.prompt.fill(PROMPT.join(" "));
  await widget.open(FILES);
  await expect(widget.model("model.safetensors")).toBeChecked();
  await expect(widget.models).toContainText(SAYS_SO);
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(1);
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(3);
  await widget.use("trained");
  await expect(widget.models).not.toContainText(SAYS_SO);
  return widget;
}

test("a browser without workers", async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, "Worker"));
  await page.goto("/tests/pages/plain.html");
  const widget = await loaded(page);
  await widget.open(FILES);
  await expect(widget.model("model.safetensors")).toBeChecked();
  await keepPasses(widget);
  await widget.set("Length limit", "12");
  await widget.run();
  expect(await keptPasses(widget)).toEqual(
    await referencePasses(widget, PROMPT, { seed: 7, maxTokens: 12 }, 9),
  );
});

test("a browser that refuses them", async ({ page }) => {
  await page.addInitScript(() => {
    Reflect.set(
      window,
      "Worker",
      class {
        constructor() {
          throw new DOMException("not here", "SecurityError");
        }
      },
    );
  });
  await page.goto("/tests/pages/plain.html");
  await loaded(page);
});

test("a site that has the widget's file, and not the worker's beside it", async ({ page, complaints }) => {
  complaints.allow(/404|worker\.js/);
  await page.route("**/dist/worker.js", (route) => route.fulfill({ status: 404, body: "not here" }));
  await page.goto("/tests/pages/plain.html");
  await loaded(page);
});

test("a policy that demands trusted types", async ({ page, complaints }) => {
  complaints.allow(/Trusted/i, /worker/i);
  await page.goto("/tests/pages/csp-trusted-types.html");
  await loaded(page);
});

test("a policy that has no place for workers", async ({ page, complaints }) => {
  complaints.allow(/Content.Security.Policy/i, /worker/i);
  await page.goto("/tests/pages/csp-without-worker.html");
  await loaded(page);
});

test("one file, opened from disk, with nothing beside it", async ({ page, complaints }, testInfo) => {
  complaints.allow(/Content.Security.Policy/i, /worker/i);
  const alone = testInfo.outputPath("generation-loop.html");
  copyFileSync(join(root, "dist/generation-loop.html"), alone);
  await page.goto(pathToFileURL(alone).href);
  await loaded(page);
});
