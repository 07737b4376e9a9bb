/** What a page pays for the element before a reader meets it: nothing moves, and nothing is fetched or compiled too early. */

import { run } from "./expected.js";
import { expect, test } from "./packed.js";
import { tracesOf, watchTraces } from "./traces.js";
import { shown, Widget } from "./widget.js";

/** The element of `shift.html`, as it is there. */
const ELEMENT = '<generation-loop seed="7"></generation-loop>';
const BEFORE = "<h1>Nothing moves</h1>\n  <p>What stands before it.</p>";
const SHEET = '<link rel="stylesheet" href="../../dist/generation-loop.css">';

/** How the page is written. @type {Record<string, [old: string, other: string][]>} */
const PAGES = {
  "text before and after": [],
  "first on the page": [[BEFORE, ""]],
  "some panels hidden": [[ELEMENT, '<generation-loop seed="7" hide="log cost cache"></generation-loop>']],
  "all panels hidden": [
    [
      ELEMENT,
      '<generation-loop hide="model settings legend timeline log distribution cost cache share"></generation-loop>',
    ],
  ],
  "what the page put there": [
    [
      ELEMENT,
      `<generation-loop seed="7"><p>This needs a browser with JavaScript.</p>
        <p>It shows how a language model writes,<br>one token per forward pass.</p><p>Until then, read on.</p></generation-loop>`,
    ],
  ],
  "just below the screen": [
    ["<p>What stands before it.</p>", '<p class="screen">What stands before it.</p>'],
  ],
};

/**
 * Opens `shift.html`, written in another way, with a script that takes its time.
 * @param {import("@playwright/test").Page} page
 * @param {readonly (readonly [old: string, other: string])[]} changes
 * @returns {Promise<{ value: number, moved: string[] }>} how much has moved, and what, once the element is there
 */
async function shiftOf(page, changes) {
  await page.unrouteAll();
  await page.route("**/shift.html", async (route) => {
    const response = await route.fetch();
    let body = await response.text();
    for (const [old, other] of changes) {
      expect(body).toContain(old);
      body = body.replace(old, other);
    }
    await route.fulfill({
      response,
      body: body.replace("</title>", "</title><style>.screen { height: 100vh }</style>"),
    });
  });
  await page.route("**/dist/generation-loop.js", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  await page.goto("/tests/pages/shift.html");
  await page.locator("generation-loop:defined").waitFor({ state: "attached" });
  return page.evaluate(async () => {
    await Reflect.get(/** @type {Element} */ (document.querySelector("generation-loop")), "ready");
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    await new Promise((resolve) => setTimeout(resolve));
    return Reflect.get(window, "shift");
  });
}

test.describe("layout", () => {
  test.skip(({ browserName }) => browserName !== "chromium", "only Chromium tells of layout shifts");

  test.beforeEach(({ page }) =>
    page.addInitScript(() => {
      const shift = { value: 0, moved: /** @type {string[]} */ ([]) };
      Reflect.set(window, "shift", shift);
      new PerformanceObserver((list) => {
        for (const entry of /** @type {any[]} */ (list.getEntries())) {
          shift.value += entry.value;
          for (const { node, previousRect, currentRect } of entry.sources) {
            const name = node?.textContent?.trim().slice(0, 30) ?? "";
            shift.moved.push(`${node?.nodeName} ${name} from ${previousRect.y} to ${currentRect.y}`);
          }
        }
      }).observe({ type: "layout-shift", buffered: true });
    }),
  );

  for (const width of [360, 700, 1280]) {
    // On the high screen, what stands after the element is in sight.
    for (const height of [800, 4000]) {
      test(`nothing moves when the element comes, at ${width} × ${height}`, async ({ page }) => {
        await page.setViewportSize({ width, height });
        for (const [name, changes] of Object.entries(PAGES)) {
          expect(await shiftOf(page, changes), name).toEqual({ value: 0, moved: [] });
        }
      });
    }
  }

  for (const width of [360, 1280]) {
    test(`nothing moves when one that is far down is reached and loads, at ${width}`, async ({ page }) => {
      await page.setViewportSize({ width, height: 800 });
      await page.goto("/tests/pages/lazy.html");
      await page.locator("generation-loop").first().scrollIntoViewIfNeeded();
      await Widget.on(page, 0);
      // As a reader comes to the second one; both are on the screen for a while.
      await page.getByText("Between the two.").scrollIntoViewIfNeeded();
      await Widget.on(page, 1);
      await settle(page);
      expect(await page.evaluate(() => Reflect.get(window, "shift"))).toEqual({ value: 0, moved: [] });
    });
  }

  test("without the style sheet, what stands after the element moves", async ({ page }) => {
    await page.setViewportSize({ width: 700, height: 4000 });
    const { value, moved } = await shiftOf(page, [[SHEET, ""]]);
    expect(value).toBeGreaterThan(0);
    expect(moved.join()).toContain("What stands after it.");
  });
});

/**
 * What a page asks for, by the end of the address, as it comes.
 * @param {import("@playwright/test").Page} page
 */
function requestsOf(page) {
  /** @type {string[]} */
  const requests = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname.replace(/^.*\//, "")));
  return requests;
}

/** Time for whatever might be on its way. @param {import("@playwright/test").Page} page */
const settle = (page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    await new Promise((resolve) => setTimeout(resolve, 200));
  });

test("far down it costs nothing; come near, it loads once for all, and works", async ({ page }) => {
  await watchTraces(page);
  const requests = requestsOf(page);
  await page.goto("/tests/pages/lazy.html");
  await settle(page);
  expect(requests.filter((name) => name !== "favicon.ico").sort()).toEqual([
    "generation-loop.css",
    "lazy.css",
    "lazy.html",
    "lazy.js",
  ]);
  expect(await tracesOf(page)).toMatchObject({ compiles: 0, instances: 0 });
  expect(await page.evaluate(() => customElements.get("generation-loop") ?? null)).toBe(null);

  requests.length = 0;
  await page.locator("generation-loop").first().scrollIntoViewIfNeeded();
  const first = await Widget.on(page, 0);
  await first.run();
  expect(await first.symbols()).toEqual(shown((await run()).log));
  await page.getByText("The end.").scrollIntoViewIfNeeded();
  const second = await Widget.on(page, 1);
  await second.step();
  await expect(second.generatedCells).toHaveCount(1);
  expect(requests).toEqual(["generation-loop.js"]);
  expect(await tracesOf(page)).toMatchObject({ compiles: 1, instances: 1 });
});

test("an element that a program adds later, bare and without the style sheet, is seen too", async ({
  page,
}) => {
  const requests = requestsOf(page);
  await page.goto("/tests/pages/blank.html");
  await page.evaluate(async () => {
    document.body.innerHTML = "<main><p style='height: 500vh'>A long text.</p></main>";
    await import(/** @type {any} */ ("/dist/lazy.js"));
    await new Promise(requestAnimationFrame);
    document.querySelector("main")?.append(document.createElement("generation-loop"));
  });
  await settle(page);
  expect(requests).not.toContain("generation-loop.js");
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await (await Widget.on(page)).step();
  expect(requests.filter((name) => name === "generation-loop.js")).toHaveLength(1);
});

test("a page that defines the element itself meanwhile has one definition, and no error", async ({
  page,
}) => {
  await page.goto("/tests/pages/lazy.html");
  await page.evaluate(() => import(/** @type {any} */ ("/dist/modules/index.js")).then(() => undefined));
  await page.locator("generation-loop").first().scrollIntoViewIfNeeded();
  const widget = await Widget.on(page);
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(1);
});

/**
 * The same page with the whole script.
 * @param {import("@playwright/test").Page} page
 */
async function wholePage(page) {
  await watchTraces(page);
  await page.route("**/lazy.html", async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace("lazy.js", "generation-loop.js");
    await route.fulfill({ response, body });
  });
  await page.goto("/tests/pages/lazy.html");
  await page.locator("generation-loop:defined").first().waitFor({ state: "attached" });
  await settle(page);
  expect(await tracesOf(page)).toMatchObject({ compiles: 0, instances: 0 });
}

test("with the whole script, too, an element far down compiles nothing until it is near", async ({
  page,
}) => {
  await wholePage(page);
  await page.locator("generation-loop").first().scrollIntoViewIfNeeded();
  const widget = await Widget.on(page);
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(1);
  expect(await tracesOf(page)).toMatchObject({ compiles: 1, instances: 1 });
});

test("who waits for an element far down has it load where it is, and no other", async ({ page }) => {
  await wholePage(page);
  const moments = await page.evaluate(async () => {
    const [first, second] = /** @type {any[]} */ ([...document.querySelectorAll("generation-loop")]);
    await second.ready;
    second.step();
    return [first.moment, second.moment.log.length];
  });
  expect(moments).toEqual([null, 1]);
  expect(await tracesOf(page)).toMatchObject({ compiles: 1, instances: 1 });
  await page.locator("generation-loop").first().scrollIntoViewIfNeeded();
  await Widget.on(page, 0);
});
