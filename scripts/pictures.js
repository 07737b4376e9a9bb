/**
 * `node scripts/pictures.js` makes the pictures in `docs/` from what `npm run build` made: the widget in
 * the middle of a run, wide and narrow, light and dark.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { root } from "./run.js";
import { serve } from "./serve.js";
import { findBrowsers } from "./setup.js";

/** Passes made before the picture is taken. */
const PASSES = 12;

const docs = join(root, "docs");
mkdirSync(docs, { recursive: true });
const server = await serve();
const { chromium: found } = await findBrowsers();
const browser = await chromium.launch({ executablePath: found?.path });
// High enough for the whole widget.
for (const [width, height] of [
  [1280, 1900],
  [360, 4000],
]) {
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.goto(server.origin);
    await page.evaluate(async (passes) => {
      const element = /** @type {any} */ (document.querySelector("generation-loop"));
      await element.ready;
      for (let pass = 0; pass < passes; pass += 1) element.step();
      await element.updateComplete;
    }, PASSES);
    await page.screenshot({ path: join(docs, `widget-${width}-${colorScheme}.png`) });
    await page.close();
  }
}
await browser.close();
await server.close();
