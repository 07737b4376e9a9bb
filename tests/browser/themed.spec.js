/** The widget in another site's clothes: custom properties and parts, under that site's policy. */

import { expectNoViolations } from "./axe.js";
import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { shown, Widget } from "./widget.js";

const PAGE = "/tests/pages/themed.html";

/** All that `::part()` can name. */
const PARTS = [
  ...["prompt", "model", "settings", "strip", "legend", "controls", "primary", "timeline", "outcome", "log"],
  ...["distribution", "cost", "both", "cache", "share"],
];

/** Those of the panels that the page leaves out. */
const HIDDEN = ["model", "settings", "legend", "timeline", "cost", "both", "cache", "share"];

const [BOTTLE, CREAM, AMBER, INK] = [
  "rgb(18, 51, 43)",
  "rgb(246, 234, 208)",
  "rgb(244, 185, 66)",
  "rgb(36, 23, 3)",
];

/** What a style sheet of the page's cannot be asked for: what became of it inside. @param {Widget} widget */
const heightOf = (widget) =>
  widget.root.locator(".widget").evaluate((node) => node.getBoundingClientRect().height);

test("every part can be named", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  for (const part of PARTS) await expect(widget.root.locator(`[part=${part}]`), part).toHaveCount(1);
});

test("colours, type, corners and density by custom properties, single parts by name", async ({ page }) => {
  const response = await page.goto(PAGE);
  expect(response?.headers()["content-security-policy"]).toBe(
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; font-src 'self'",
  );
  const widget = await Widget.on(page);
  await widget.step(2);
  await expect(widget.root.locator(".widget")).toHaveCSS("background-color", BOTTLE);
  await expect(widget.primary).toHaveCSS("background-color", AMBER);
  await expect(widget.primary).toHaveCSS("color", INK);
  await expect(widget.button("Run")).toHaveCSS("color", CREAM);
  await expect(widget.button("Run")).toHaveCSS("font-family", /^Newsreader,/);
  await expect(widget.generatedCells.first()).toHaveCSS("font-family", /^"?Courier Prime"?,/);
  await expect(widget.generatedCells.first()).toHaveCSS("background-color", "rgb(106, 65, 21)");
  for (const cornered of [widget.button("Run"), widget.primary, widget.prompt, widget.speed]) {
    await expect(cornered).toHaveCSS("border-radius", "0px");
  }
  // By ::part(), over what the custom properties say.
  await expect(widget.primary).toHaveCSS("font-family", /^"?Courier Prime"?,/);
  await expect(widget.primary).toHaveCSS("border-bottom", `4px double rgb(122, 82, 8)`);
  await expect(widget.root.locator("[part=strip]")).toHaveCSS("padding-top", "12px");

  const dense = await heightOf(widget);
  await widget.root.evaluate((element) => element.style.setProperty("--generation-loop-density", "2"));
  expect(await heightOf(widget)).toBeGreaterThan(dense + 40);
  await widget.root.evaluate((element) => element.style.setProperty("--generation-loop-radius", "9px"));
  await expect(widget.button("Run")).toHaveCSS("border-radius", "9px");
});

test("the panels that it leaves out are not there, and the run is the one of its attributes", async ({
  page,
}) => {
  await page.goto(PAGE);
  const widget = await Widget.on(page);
  for (const part of PARTS) {
    await expect(widget.root.locator(`[part=${part}]`), part).toHaveCount(HIDDEN.includes(part) ? 0 : 1);
  }
  await widget.run();
  const sampling = { method: /** @type {const} */ ("top-k"), temperature: 0.9 };
  expect(await widget.symbols()).toEqual(shown((await run({ sampling, seed: 21, maxTokens: 29 })).log));
});

/**
 * What a reader sees, and how to come there.
 * @type {[what: string, width: number, go: (widget: Widget) => Promise<void>][]}
 */
const SCREENS = [
  ["before a run", 1280, async () => {}],
  [
    "in the middle of one, with the operations of a pass",
    1280,
    async (widget) => {
      await widget.step(4);
      await widget.openPass(1);
    },
  ],
  ["after one", 360, (widget) => widget.run()],
  [
    "with a prompt that is refused",
    360,
    async (widget) => {
      await widget.prompt.fill("é");
      await expect(widget.root.locator(".error").first()).toBeVisible();
    },
  ],
];

for (const [what, width, go] of SCREENS) {
  test(`contrast enough ${what}, at ${width} pixels, and nothing runs over`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goto(PAGE);
    await go(await Widget.on(page));
    await expectNoViolations(page);
    const { scrollWidth, clientWidth } = await page
      .locator("html")
      .evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }));
    expect(scrollWidth).toBe(clientWidth);
  });
}

test("it reads without the widget too", async ({ page, complaints }) => {
  complaints.allow(/404|generation-loop\.js/);
  await page.route("**/dist/generation-loop.js", (route) => route.fulfill({ status: 404, body: "not here" }));
  await page.goto(PAGE);
  await expect(page.getByText("The machine needs a browser with JavaScript and WebAssembly.")).toBeVisible();
  await expectNoViolations(page);
});
