/**
 * `node scripts/pictures.js` makes the pictures in `docs/` from what `npm run build` made: the widget before
 * a run, in the middle of it and after its end, wide and narrow, light and dark; the beginning of the chapter; and the widget as
 * another site's.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { root } from "./run.js";
import { serve } from "./serve.js";
import { findBrowsers } from "./setup.js";

/** What is shown, and how many passes were made before; a run ends by itself. */
const STATES = Object.entries({ default: 0, "mid-run": 12, finished: Infinity });

/**
 * Makes the passes of the widget on a page.
 * @param {import("@playwright/test").Page} page
 * @param {number} most
 */
const make = (page, most) =>
  page.evaluate(async (passes) => {
    const element = /** @type {any} */ (document.querySelector("generation-loop"));
    await element.ready;
    for (let pass = 0; pass < passes && element.moment.stop === null; pass += 1) element.step();
    await element.updateComplete;
  }, most);

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
    for (const [state, most] of STATES) {
      await page.goto(server.origin);
      await make(page, most);
      if (state === "mid-run" && width === 1280) {
        await page.evaluate(() => scrollTo(0, 0));
        const clip = { x: 0, y: 0, width, height: 1400 };
        await page.screenshot({ path: join(docs, `chapter-${colorScheme}.png`), clip });
      }
      const path = join(docs, `widget-${state}-${width}-${colorScheme}.png`);
      await page.locator("generation-loop").first().screenshot({ path });
    }
    await page.close();
  }
}
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.emulateMedia({ reducedMotion: "reduce" });
await page.goto(`${server.origin}/tests/pages/themed.html`);
await make(page, 9);
await page.screenshot({ path: join(docs, "themed-1280.png"), fullPage: true });
await browser.close();
await server.close();
