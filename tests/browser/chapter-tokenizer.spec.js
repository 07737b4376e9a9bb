/** The look at a sub-word tokenizer: nothing of it comes before it is asked for, and then it is GPT-2's own. */

import { expectNoViolations } from "./axe.js";
import { expect, RUNS_SCRIPTS, test } from "./fixtures.js";
import { Widget } from "./widget.js";

/** @param {import("@playwright/test").Page} page */
function parts(page) {
  const place = page.locator("#tokenizer");
  return {
    place,
    text: place.getByRole("textbox"),
    show: place.getByRole("button", { name: "Show how GPT-2 would cut it" }),
    hide: place.getByRole("button", { name: "Hide how GPT-2 would cut it" }),
    take: place.getByRole("button", { name: "Take the widget’s prompt" }),
    count: place.getByRole("status"),
    pieces: place.locator(".piece"),
    ids: place.locator(".id"),
    error: place.getByRole("alert"),
  };
}

/** @param {import("@playwright/test").Page} page */
async function open(page) {
  await page.goto("/");
  await page.locator("#tokens > summary").click();
  await Widget.on(page);
  const found = parts(page);
  await found.show.click();
  await expect(found.count).toHaveText("11 characters are 3 tokens here.");
  return found;
}

test("it is loaded when it is asked for, and not before", async ({ page }) => {
  /** @type {string[]} */
  const requests = [];
  page.context().on("request", (request) => requests.push(request.url()));
  await page.goto("/");
  await page.locator("#tokens > summary").click();
  await Widget.on(page);
  const { text, show, count, pieces, ids, hide } = parts(page);
  await expect(text).toHaveValue("the cat sat");
  await text.scrollIntoViewIfNeeded();
  await page.waitForLoadState("networkidle");
  const before = requests.length;
  expect(requests.filter((url) => /cutter|gpt2/.test(url))).toEqual([]);
  await expect(pieces).toHaveCount(0);
  await show.click();
  await expect(count).toHaveText("11 characters are 3 tokens here.");
  expect(requests.slice(before).every((url) => /cutter/.test(url))).toBe(true);
  await expect(pieces).toHaveText(["the", "␣cat", "␣sat"]);
  await expect(ids).toHaveText(["1169", "3797", "3332"]);
  // The button keeps the focus, and takes it away again.
  await expect(hide).toBeFocused();
  await hide.press("Enter");
  await expect(pieces).toHaveCount(0);
  await expect(show).toBeFocused();
});

test("it follows the widget's prompt, until the reader writes", async ({ page }) => {
  const { text, count, pieces, take } = await open(page);
  const widget = new Widget(page.locator("generation-loop"));
  await widget.prompt.fill("The café");
  await expect(text).toHaveValue("The café");
  await expect(count).toHaveText("8 characters are 2 tokens here.");
  await expect(pieces).toHaveText(["The", "␣café"]);

  await expect(take).toHaveCount(0);
  await text.fill("my own\ntext");
  await expect(pieces).toHaveText(["my", "␣own", "⏎", "text"]);
  await widget.prompt.fill("a dog");
  await expect(text).toHaveValue("my own\ntext");
  await take.click();
  await expect(text).toHaveValue("a dog");
  await expect(count).toHaveText("5 characters are 2 tokens here.");
});

test("a character that it has no token for is bytes", async ({ page }) => {
  const { text, count, pieces, place } = await open(page);
  await text.fill("🦜");
  await expect(count).toHaveText(/^1 character is \d tokens here\.$/);
  expect((await pieces.allTextContents()).join(" ")).toBe("F0 9F A6 9C");
  await expect(place).toContainText("are bytes");
});

test("text is text, and no text is said", async ({ page }) => {
  const { text, count, pieces, place } = await open(page);
  await text.fill("<b>x</b><|endoftext|>");
  await expect(count).toHaveText(/^21 characters are \d+ tokens here\.$/);
  await expect(pieces.first()).toHaveText("<");
  await expect(place.locator("b")).toHaveCount(0);
  await text.fill("");
  await expect(count).toHaveText("There is no text, so there are no tokens. Write something above.");
  await expect(pieces).toHaveCount(0);
  await text.fill(" ");
  await expect(count).toHaveText("1 character is 1 token here.");
});

test("a long text is counted whole and drawn in part, and the page goes on meanwhile", async ({ page }) => {
  const { text, count, pieces, place } = await open(page);
  await page.evaluate(() => {
    const seen = Object.assign(window, { longest: 0 });
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      seen.longest = Math.max(seen.longest, now - last);
      last = now;
    }, 10);
  });
  // As a paste brings it: typing so much is not what is tried here.
  const paste = (/** @type {string} */ long) =>
    text.evaluate((/** @type {HTMLTextAreaElement} */ field, long) => {
      field.value = long;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }, long);
  await paste("a cat ".repeat(16_667));
  await expect(count).toHaveText("100,002 characters are 33,335 tokens here.");
  await expect(pieces).toHaveCount(400);
  await expect(place.locator(".more")).toHaveText("and 32,935 more");
  // The slowest text there is: no space to begin anew at. A newer one need not wait for it.
  await paste("a".repeat(100_000));
  await expect(count).toHaveText("Cutting…");
  await text.fill("b c");
  await expect(count).toHaveText("3 characters are 2 tokens here.");
  expect(await page.evaluate(() => /** @type {any} */ (window).longest)).toBeLessThan(1500);
});

test("where it cannot be loaded, that is said in its place, and can be tried again", async ({
  page,
  complaints,
}) => {
  complaints.allow(/Failed to load|cutter|404|NetworkError/i);
  let missing = true;
  await page
    .context()
    .route("**/cutter-worker*.js", (route) =>
      missing ? route.fulfill({ status: 404, body: "not here" }) : route.continue(),
    );
  await page.goto("/");
  await page.locator("#tokens > summary").click();
  await Widget.on(page);
  const { show, error, count } = parts(page);
  await show.click();
  await expect(error).toContainText("The tokenizer could not be loaded");
  missing = false;
  await show.click();
  await expect(count).toHaveText("11 characters are 3 tokens here.");
  await expect(error).toHaveCount(0);
});

test("axe finds nothing, closed and open, and nothing scrolls sideways on a small screen", async ({
  page,
}) => {
  // The checker looks at every element of a long page.
  test.slow();
  await page.setViewportSize({ width: 320, height: 700 });
  await page.goto("/");
  await page.locator("#tokens > summary").click();
  await Widget.on(page);
  const { text, show, count } = parts(page);
  await expectNoViolations(page);
  await show.click();
  await text.fill("an antidisestablishmentarianism 🦜 ".repeat(8));
  await expect(count).toContainText("tokens here");
  await expectNoViolations(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
});

test("what stands there before it starts has the size of what comes", async ({
  page,
  browser,
  browserName,
  origin,
}) => {
  test.skip(browserName !== "chromium", RUNS_SCRIPTS);
  for (const width of [1280, 360]) {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height: 800 } });
    const still = await context.newPage();
    await still.goto(`${origin}/`);
    await still.locator("#tokens > summary").click();
    const place = still.locator("#tokenizer");
    await expect(place).toContainText("11 characters are 3 tokens here.");
    await expect(place.locator(".piece")).toHaveText(["the", "␣cat", "␣sat"]);
    const before = (await place.boundingBox())?.height ?? 0;
    await context.close();

    await page.setViewportSize({ width, height: 800 });
    await page.goto("/");
    await page.locator("#tokens > summary").click();
    await Widget.on(page);
    const { show, count } = parts(page);
    await expect(show).toBeVisible();
    const after = async () => (await page.locator("#tokenizer").boundingBox())?.height ?? 0;
    expect(await after()).toBe(before);
    await show.click();
    await expect(count).toContainText("3 tokens");
    expect(await after()).toBe(before);
  }
});
