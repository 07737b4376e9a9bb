/** The exercise: the prediction, the editor, and learners' programs through the real page under its policy. */

import { verdicts } from "../../www/chapter/exercise/checks.js";
import { callsFrom } from "../../www/chapter/exercise/judge.js";
import { HINTS, SKELETON, SOLUTION } from "../../www/chapter/exercise/texts.js";
import { HOSTILE, REFUSED } from "../unit/exercise-hostile.js";
import { PROGRAMS } from "../unit/exercise-programs.js";
import { expectNoViolations } from "./axe.js";
import { ExercisePart } from "./exercise.js";
import { expect, RUNS_SCRIPTS, test } from "./fixtures.js";

/** The titles of checks, by their names. */
const TITLES = Object.fromEntries(verdicts(callsFrom([]), "").map(({ id, title }) => [id, title]));

for (const { name, source, failed, says = {}, inPage } of [...PROGRAMS, ...HOSTILE]) {
  if (!inPage) continue;
  test(`the page's verdict on a program: ${name}`, async ({ page }) => {
    /** @type {string[]} */
    const documents = [];
    page.on("request", (request) => documents.push(new URL(request.url()).pathname));
    const part = await ExercisePart.open(page);
    documents.length = 0;
    await part.judge(source);
    const titles = await part.failed.locator(".title").allTextContents();
    expect(titles.sort()).toEqual(failed.map((id) => TITLES[id]).sort());
    if (failed.length === 0) await expect(part.status).toHaveText("All 10 checks pass.");
    for (const [id, pattern] of Object.entries(says)) {
      await expect(part.checks.filter({ hasText: TITLES[id] }).locator(".message")).toHaveText(pattern);
    }
    // The sandbox asks for its own files and for nothing that the code names.
    expect(documents.filter((path) => !path.startsWith("/assets/"))).toEqual([]);
    expect(await page.evaluate(() => Object.keys({ ...localStorage, ...sessionStorage }))).toEqual([]);
    expect(new URL(page.url()).pathname).toBe("/");
  });
}

test("code that cannot be read is told its place, and what was found before stays, marked as old", async ({
  page,
}) => {
  const part = await ExercisePart.open(page);
  await part.judge(SOLUTION);
  const old = part.root.getByText("the code as it was when it last ran");
  await expect(old).toHaveCount(0);
  const [{ source, says }] = REFUSED;
  await part.judge(source);
  await expect(part.status).toHaveText(new RegExp(`It cannot be run\\. ${says.source.slice(1)}`));
  await expect(part.checks).toHaveCount(10);
  await expect(old).toBeVisible();
  await part.judge(SOLUTION);
  await expect(old).toHaveCount(0);
});

test("work that the engine cannot interrupt is ended by the page, and the next program runs", async ({
  page,
}) => {
  const part = await ExercisePart.open(page);
  await part.judge(`Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);\n${SOLUTION}`);
  await expect(part.failed.locator(".message")).toHaveText(/ended after 5 seconds without an answer/);
  await part.judge(SOLUTION);
  await expect(part.status).toHaveText("All 10 checks pass.");
});

test("what the code logs is shown, as text and in bounds", async ({ page }) => {
  const part = await ExercisePart.open(page);
  await part.judge(
    `console.log("<img src=x onerror=alert(1)>");\nfor (let i = 0; i < 1000; i++) console.log("line", i, "x".repeat(1000));\n${SOLUTION}`,
  );
  const log = part.root.locator(".log").first();
  await expect(log).toContainText("<img src=x onerror=alert(1)>");
  await expect(log).toContainText("… and 981 more");
  expect((await log.textContent())?.length).toBeLessThan(5000);
  await expect(part.root.locator("img")).toHaveCount(0);
});

test("the order of passes and tokens is shown", async ({ page }) => {
  const part = await ExercisePart.open(page);
  await part.judge(SOLUTION);
  const shown = part.root.locator(".happenings li");
  await expect(shown).toHaveText([
    "pass 1",
    "4",
    "pass 2",
    "5",
    "pass 3",
    "6",
    "pass 4",
    "7",
    "pass 5",
    "8",
    "pass 6: end-of-text",
  ]);
});

test("the prediction is judged once it is committed", async ({ page }) => {
  await page.goto("/");
  const part = new ExercisePart(page);
  await part.tokens.fill("5");
  await part.passes.fill("6");
  await expect(part.verdict).toHaveText("");
  await part.button("Commit").click();
  await expect(part.verdict).toContainText("Your answer: 5 and 6. Both are right.");
  await expect(part.verdict).toContainText("5 tokens, 4, 5, 6, 7, 8, in 6 passes");
  await part.predict("5", "5");
  await expect(part.verdict).toContainText("The tokens are right, the passes are not.");
  await expect(part.verdict).toContainText("That the text is over is something the model has to compute");
  await part.predict("20", "20");
  await expect(part.verdict).toContainText("Neither is right.");
  await expect(part.verdict).toContainText("maxNew is a limit");
});

test("a prediction that is no number is refused beside its field, and the last one stays", async ({
  page,
}) => {
  await page.goto("/");
  const part = new ExercisePart(page);
  await part.button("Commit").click();
  await expect(part.root.locator(".error:visible")).toHaveCount(2);
  await expect(part.tokens).toBeFocused();
  await expect(part.tokens).toHaveAccessibleDescription(
    "Nothing is written here. Write a whole number from 0 to 1,000.",
  );
  await expect(part.verdict).toHaveText("");
  await part.predict("0", "0");
  await expect(part.verdict).toContainText("Your answer: 0 and 0. Neither is right.");
  for (const bad of ["-1", "5.5", "1e3", "1001", "9".repeat(400), "<img src=x onerror=alert(1)>", "５"]) {
    await part.predict("5", bad);
    await expect(part.passes).toHaveAttribute("aria-invalid", "true");
    await expect(part.passes).toHaveAccessibleDescription(
      /^“.{1,25}” is not a whole number from 0 to 1,000\.$/,
    );
    await expect(part.tokens).toHaveAttribute("aria-invalid", "false");
    await expect(part.verdict).toContainText("Your last answer that could be read: 0 and 0.");
  }
  await expect(part.root.locator("img")).toHaveCount(0);
});

test("hints come one after the other, and the solution passes all checks", async ({ page }) => {
  const part = await ExercisePart.open(page);
  const hints = part.root.getByRole("list", { name: "Hints" }).getByRole("listitem");
  for (const [place, hint] of HINTS.entries()) {
    await expect(hints).toHaveCount(place);
    await part.button(`Hint ${place + 1} of 3`).click();
    await expect(hints.nth(place)).toHaveText(hint);
  }
  await part.button("Hide the hints").click();
  await expect(hints).toHaveCount(0);

  await part.write("const mine = 1;");
  await part.button("Show a solution").click();
  await expect(part.root.getByLabel("A solution")).toHaveText(SOLUTION);
  await part.button("Put it into the editor").click();
  await part.run.click();
  await part.finished();
  await expect(part.status).toHaveText("All 10 checks pass.");
  // The reader's own code was kept.
  await part.button("Bring my code back").click();
  await expect(part.code).toHaveText("const mine = 1;");
  await part.button("Start over").click();
  await expect(part.code).toContainText("TODO");
  await expect(part.checks).toHaveCount(0);
  await part.button("Bring my code back").click();
  await expect(part.code).toHaveText("const mine = 1;");
  await expect(part.code).toBeFocused();
});

test("editor and sandbox are fetched when they are asked for, and not before", async ({ page }) => {
  /** @type {string[]} */
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto("/");
  await page.waitForLoadState("networkidle");
  const isHeavy = (/** @type {string} */ path) => /editor|runner|emscripten|plain/.test(path);
  expect(asked.filter(isHeavy)).toEqual([]);
  const part = new ExercisePart(page);
  await expect(part.root.getByLabel("The code to begin with")).toHaveText(SKELETON);
  await part.button("Open the editor").click();
  await expect(part.code).toBeFocused();
  expect(asked.filter(isHeavy).length).toBeGreaterThan(0);
});

test("the place is as high before the scripts as after", async ({ browser, browserName, baseURL }) => {
  test.skip(browserName !== "chromium", RUNS_SCRIPTS);
  for (const width of [1280, 768, 600, 360]) {
    const heights = [];
    for (const javaScriptEnabled of [false, true]) {
      const page = await browser.newPage({ baseURL, javaScriptEnabled, viewport: { width, height: 800 } });
      await page.goto("/");
      const part = new ExercisePart(page);
      if (javaScriptEnabled) await expect(part.button("Open the editor")).toBeVisible();
      heights.push((await part.root.boundingBox())?.height);
      await page.close();
    }
    expect(heights[1], `at ${width} px`).toBe(heights[0]);
  }
});

test("nothing scrolls sideways on a small screen", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 700 });
  const part = await ExercisePart.open(page);
  await part.predict("9".repeat(60), "x".repeat(60));
  await part.button("Show a solution").click();
  await part.judge(`const ${"long".repeat(40)} = 1;\n${SOLUTION.replace("yield token", "yield 'y'")}`);
  await expect(part.failed).not.toHaveCount(0);
  const { scrollWidth, clientWidth } = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return { scrollWidth, clientWidth };
  });
  expect(scrollWidth).toBe(clientWidth);
});

test("where the editor does not load, a plain field stands in for it", async ({ page, complaints }) => {
  complaints.allow(/editor-|404|Failed to fetch|error loading/i);
  await page.route("**/assets/editor-*.js", (route) => route.fulfill({ status: 404, body: "not here" }));
  const part = await ExercisePart.open(page);
  await expect(part.root).toContainText("The editor did not load");
  await expect(part.root).toContainText("A plain field stands in its place.");
  await expect(part.code).toHaveValue(SKELETON);
  await part.code.fill(SOLUTION);
  await part.code.press("ControlOrMeta+Enter");
  await part.finished();
  await expect(part.status).toHaveText("All 10 checks pass.");
  await part.code.fill("x");
  await expect(part.root).toContainText("the code as it was when it last ran");
  await expectNoViolations(page);
});

test("where the sandbox does not load, that is said, and a second try can succeed", async ({
  page,
  complaints,
}) => {
  complaints.allow(/404/);
  await page.route("**/assets/*.wasm", (route) => route.fulfill({ status: 404, body: "not here" }));
  const part = await ExercisePart.open(page);
  await part.judge(SOLUTION);
  await expect(part.status).toHaveText(
    /^The sandbox did not start: 404 for .*\. Run it again to try once more\.$/,
  );
  await page.unrouteAll();
  await part.run.click();
  await expect(part.status).toHaveText("All 10 checks pass.");
});

test("it works under the strictest policy that it needs", async ({ page }) => {
  const policy = [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src data:",
    "connect-src 'self'",
    "worker-src 'self'",
  ].join("; ");
  // A worker has the policy of its own file.
  await page.route(/\/$|\/assets\/worker-/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
  });
  const part = await ExercisePart.open(page);
  await part.judge(SOLUTION);
  await expect(part.status).toHaveText("All 10 checks pass.");
  await expect(page.locator("style")).toHaveCount(0);
  // Styled all the same.
  const family = await part.code.evaluate((field) => getComputedStyle(field).fontFamily);
  expect(family).toContain("monospace");
  const background = await part.code.evaluate((field) => getComputedStyle(field).caretColor);
  expect(background).toBe(await page.locator("body").evaluate((body) => getComputedStyle(body).color));
});

test("all of it by keys alone", async ({ page }) => {
  await page.goto("/");
  const part = new ExercisePart(page);
  await part.tokens.focus();
  await page.keyboard.type("5");
  await page.keyboard.press("Tab");
  await expect(part.passes).toBeFocused();
  await page.keyboard.type("6");
  await page.keyboard.press("Enter");
  await expect(part.verdict).toContainText("Both are right.");
  await page.keyboard.press("Tab");
  await expect(part.button("Commit")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(part.root.getByLabel("The code to begin with")).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(part.code).toBeFocused();
  // Typed as one would: brackets and indents are the reader's own, or the editor's.
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("async function* generate(prompt, maxNew) {\nyield 4;\n}\n");
  await page.keyboard.press("ControlOrMeta+Enter");
  await part.finished();
  await expect(part.status).toContainText("of 10 checks pass");
  await expect(part.code).toBeFocused();
  // Tab is not kept.
  await page.keyboard.press("Tab");
  await expect(part.run).toBeFocused();
  for (const name of ["Hint 1 of 3", "Show a solution"]) {
    await page.keyboard.press("Tab");
    await expect(part.button(name)).toBeFocused();
  }
  await page.keyboard.press("Space");
  await expect(part.button("Hide the solution")).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(part.root.getByLabel("A solution")).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await part.run.focus();
  await page.keyboard.press("Enter");
  await expect(part.status).toHaveText("All 10 checks pass.");
  await page.keyboard.press("Shift+Tab");
  await expect(part.code).toBeFocused();
});

test("a run is said once as it begins and once as it ends", async ({ page }) => {
  const part = await ExercisePart.open(page);
  await part.write(SOLUTION);
  const said = await part.status.evaluateHandle((status) => {
    /** @type {string[]} */
    const said = [];
    new MutationObserver(() => said.push(status.textContent?.trim() ?? "")).observe(status, {
      childList: true,
      characterData: true,
      subtree: true,
    });
    return said;
  });
  await part.run.click();
  await part.finished();
  expect(await said.jsonValue()).toEqual(["Running your code.", "All 10 checks pass."]);
});

test("axe finds nothing, with errors, hints, a solution and checks open", async ({ page }) => {
  const part = await ExercisePart.open(page);
  await part.predict("4", "x");
  await part.button("Hint 1 of 3").click();
  await part.button("Show a solution").click();
  await part.judge(`console.log("hello");\n${SOLUTION.replace("yield token;", "")}`);
  await expect(part.failed).not.toHaveCount(0);
  await part.root.locator("summary").click();
  await part.write(`${SOLUTION}// changed`);
  await expectNoViolations(page);
});
