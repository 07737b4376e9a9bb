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
 * Real clicks on the loud button. `work` is the main thread's time from the click to the laid-out page that shows its pass:
 * where it is shorter than a frame, the next frame shows it. `shown` is the browser's own event timing, from the click to
 * that frame on the screen: in steps of 8 ms, with the wait for the frame to begin, and only from 16 ms on.
 * @param {import("@playwright/test").Page} page
 */
async function clicks(page) {
  // A sentence would end too soon for all clicks.
  await page.evaluate(async () => {
    const element = /** @type {any} */ (document.querySelector("generation-loop"));
    element.model = "untrained";
    await element.ready;
  });
  await page.evaluate(() => {
    const times = { work: /** @type {number[]} */ ([]), shown: /** @type {number[]} */ ([]) };
    Object.assign(globalThis, { times });
    const element = /** @type {any} */ (document.querySelector("generation-loop"));
    let start = 0;
    const begin = () => {
      start = performance.now();
    };
    window.addEventListener("click", begin, { capture: true });
    // On its way back up, the click has been with the element.
    window.addEventListener("click", async () => {
      await element.updateComplete;
      element.shadowRoot.querySelector(".panels").getBoundingClientRect();
      times.work.push(performance.now() - start);
    });
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === "click") times.shown.push(duration);
    }).observe(/** @type {any} */ ({ type: "event", durationThreshold: 16, buffered: true }));
  });
  const button = page.locator("generation-loop").getByRole("button", { name: /^(Prefill|Decode)/ });
  for (let click = 0; click < CLICKS; click += 1) await button.click();
  await page.waitForTimeout(200);
  const { work, shown } = /** @type {{ work: number[], shown: number[] }} */ (await page.evaluate("times"));
  while (shown.length < CLICKS) shown.push(FRAME);
  return { work, shown };
}

/** @param {import("@playwright/test").Browser} browser @param {string} origin */
async function measure(browser, origin) {
  const times = [];
  const work = [];
  const shown = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${origin}/tests/pages/blank.html`);
    times.push(await firstLogits(page));
    await page.goto(origin);
    const ofPage = await clicks(page);
    work.push(...ofPage.work);
    shown.push(...ofPage.shown);
    await context.close();
  }
  console.log(`Chromium ${browser.version()}, ${ROUNDS} fresh contexts, ${CLICKS} clicks in each`);
  console.log(`fetch to first logits: ${summary(times)}; budget 50 ms`);
  const late = work.filter((ms) => ms > FRAME).length;
  console.log(`click to laid out:     ${summary(work)}; ${late} of ${work.length} longer than a frame`);
  console.log(`click to screen:       ${summary(shown)}, by the browser's event timing`);
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
