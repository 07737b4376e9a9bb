/** Whatever the reference says of the element's looks, done once: each part styled from outside, each custom property set. */

import { en } from "../../www/words/en.js";
import { expect, test } from "./fixtures.js";
import { coverAll, documented, put } from "./reference.js";

/** @typedef {import("@playwright/test").Locator} Locator */
/** @typedef {import("./widget.js").Widget} Widget */

/** A colour that nothing has by itself. */
const COLOUR = "rgb(1, 2, 3)";

/** Something that stands in the panel, whatever the panel is called. @type {Record<string, (widget: Widget) => Locator>} */
const PARTS = {
  prompt: ({ prompt }) => prompt,
  model: ({ root }) => root.getByLabel("Open your own…"),
  settings: (widget) => widget.method("top-k"),
  strip: ({ promptCells }) => promptCells.first(),
  legend: ({ root }) => root.getByRole("list", { name: en.strip.legend }),
  controls: ({ speed }) => speed,
  primary: ({ primary }) => primary,
  predict: ({ root }) => root.getByText(en.predict.label),
  timeline: ({ root }) => root.getByRole("slider", { name: en.timeline.label }),
  outcome: ({ root }) => root.getByText(en.outcome.stopped),
  log: ({ table }) => table,
  distribution: ({ root }) => root.getByText(en.distribution.label),
  cost: (widget) => widget.button(en.cost.asTable),
  both: (widget) => widget.button(en.both.run),
  cache: ({ root }) => root.locator("#cache-title"),
  share: ({ root }) => root.getByRole("group", { name: en.share.label }),
};

coverAll("part", documented.cssParts, PARTS);
for (const [name, inside] of Object.entries(PARTS)) {
  test(`part ${name}`, async ({ page }) => {
    const { widget, make } = await put(page, { properties: { predict: true } });
    await make(99);
    await page.addStyleTag({ content: `generation-loop::part(${name}) { outline: 3px solid ${COLOUR} }` });
    // An outline is not inherited: what has it is the part itself, and the nearest that has it is around what stands in it.
    const found = await inside(widget)
      .first()
      .evaluate((node, colour) => {
        for (let at = /** @type {Element | null} */ (node); at !== null; at = at.parentElement) {
          if (getComputedStyle(at).outlineColor === colour) return at.getAttribute("part");
        }
        return null;
      }, COLOUR);
    expect(found).toBe(name);
  });
}

/**
 * @typedef {object} Look
 * @property {string} [value] none for a colour
 * @property {(widget: Widget) => Locator} on
 * @property {string} css the property of it that follows
 * @property {string} [is] what that is then, if not the value itself
 * @property {number} [passes] made before
 * @property {Record<string, string>} [attributes]
 */

/** @type {(css: string, on: Look["on"], more?: Partial<Look>) => Look} */
const colour = (css, on, more) => ({ css, on, ...more });
const surface = (/** @type {Widget} */ { root }) => root.locator(".widget");
const prompted = (/** @type {Widget} */ { promptCells }) => promptCells.first();
const generated = (/** @type {Widget} */ { generatedCells }) => generatedCells.first();

/** By their names without what they all begin with. @type {Record<string, Look>} */
const LOOKS = {
  paper: colour("background-color", surface),
  ink: colour("color", surface),
  muted: colour("color", ({ root }) => root.locator("[part=prompt] .count")),
  hairline: colour("border-top-color", surface),
  edge: colour("border-top-color", ({ prompt }) => prompt),
  waiting: colour("background-color", prompted),
  accent: colour("background-color", ({ primary }) => primary),
  "accent-ink": colour("color", ({ primary }) => primary),
  prompt: colour("background-color", prompted, { passes: 1 }),
  "prompt-ink": colour("color", prompted, { passes: 1 }),
  "prompt-edge": colour("border-bottom-color", prompted, { passes: 1 }),
  generated: colour("background-color", generated, { passes: 1 }),
  "generated-ink": colour("color", generated, { passes: 1 }),
  "generated-edge": colour("border-bottom-color", generated, { passes: 1 }),
  alarm: colour("color", ({ root }) => root.locator("[part=prompt] .error"), { attributes: { prompt: "é" } }),
  font: { value: "Georgia, serif", css: "font-family", on: surface },
  mono: { value: "Courier, monospace", css: "font-family", on: ({ prompt }) => prompt },
  radius: { value: "9px", css: "border-top-left-radius", on: ({ prompt }) => prompt },
  density: { value: "2", css: "row-gap", is: "32px", on: surface },
};

const PREFIX = "--generation-loop-";
const ROOM = `${PREFIX}room`;
coverAll("custom property", documented.cssProperties, {
  ...Object.fromEntries(Object.entries(LOOKS).map(([name, look]) => [PREFIX + name, look])),
  [ROOM]: null,
});

for (const [name, { value = COLOUR, on, css, is = value, passes = 0, attributes }] of Object.entries(LOOKS)) {
  test(`custom property ${PREFIX}${name}`, async ({ page }) => {
    const { widget, make } = await put(page, { attributes });
    await make(passes);
    await expect(on(widget)).not.toHaveCSS(css, is);
    await page.addStyleTag({ content: `generation-loop { ${PREFIX}${name}: ${value} }` });
    await expect(on(widget)).toHaveCSS(css, is);
  });
}

test(`custom property ${ROOM}`, async ({ page }) => {
  await page.goto("/tests/pages/blank.html");
  await page.addStyleTag({ url: "/dist/generation-loop.css" });
  const height = await page.evaluate((room) => {
    const element = document.body.appendChild(document.createElement("generation-loop"));
    element.style.setProperty(room, "1234px");
    return element.getBoundingClientRect().height;
  }, ROOM);
  expect(height).toBe(1234);
});
