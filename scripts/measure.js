/**
 * `npm run measure`: how soon a reader sees something, in headless Chromium, from what `npm run build` made. Medians over
 * fresh browser contexts, so that nothing is cached; the machine's load moves them.
 */

import { chromium } from "@playwright/test";
import { runIfMain } from "./run.js";
import { serve } from "./serve.js";
import { findBrowsers } from "./setup.js";

const ROUNDS = 21;
const CLICKS = 15;

/** Length of a frame at 60 a second, in milliseconds. */
const FRAME = 16;

/** @param {number[]} values */
function summary(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(1);
  return `median ${at(0.5)} ms, fastest tenth ${at(0.1)} ms, slowest ${at(1)} ms`;
}

/** From the request for the engine to the logits of its first pass. */
async function firstLogits(/** @type {import("@playwright/test").Page} */ page) {
  return page.evaluate(async () => {
    const start = performance.now();
    const { GenerationLoop } = await import(/* @vite-ignore */ `${location.origin}/dist/engine.js`);
    const loop = await GenerationLoop.load({ seed: 7 });
    loop.prefill("the cat sat");
    if (loop.logits().length !== 64) throw new Error("no logits");
    return performance.now() - start;
  });
}

/**
 * Clicks on the loud button, and how long those took that the browser did not paint in the frame at hand: its own event
 * timing reports a click only from 16 ms on.
 */
async function slowClicks(/** @type {import("@playwright/test").Page} */ page) {
  await page.evaluate(() => {
    /** @type {number[]} */
    const durations = [];
    Object.assign(globalThis, { durations });
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === "click") durations.push(duration);
    }).observe(/** @type {any} */ ({ type: "event", durationThreshold: 16, buffered: true }));
  });
  const button = page.locator("generation-loop").getByRole("button", { name: /^(Prefill|Decode)/ });
  for (let click = 0; click < CLICKS; click += 1) await button.click();
  await page.waitForTimeout(200);
  /** @type {number[]} */
  const durations = await page.evaluate("durations");
  return durations.filter((duration) => duration > FRAME);
}

/** @param {import("@playwright/test").Browser} browser @param {string} origin */
async function measure(browser, origin) {
  const times = [];
  const slow = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${origin}/tests/pages/blank.html`);
    times.push(await firstLogits(page));
    await page.goto(origin);
    slow.push(...(await slowClicks(page)));
    await context.close();
  }
  const clicks = ROUNDS * CLICKS;
  console.log(`Chromium ${browser.version()}, ${ROUNDS} fresh contexts`);
  console.log(`fetch to first logits:  ${summary(times)}; budget 50 ms`);
  console.log(
    `click to painted frame: ${clicks - slow.length} of ${clicks} within ${FRAME} ms; ${slow.join(", ")}`,
  );
}

await runIfMain(import.meta.url, async () => {
  const { chromium: found } = await findBrowsers();
  const server = await serve();
  const browser = await chromium.launch({ executablePath: found?.path });
  try {
    await measure(browser, server.origin);
  } finally {
    await browser.close();
    await server.close();
  }
});
