/**
 * `node scripts/room.js` measures the room that the widget takes, panel by panel and width by width, in Chromium, and writes
 * `www/generation-loop.css` with it: the style sheet by which a page keeps that room free from its first paint. It is run by hand when
 * the widget's height has changed, which a test notices; `dist/` must be built.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { METHODS, PANELS } from "../www/settings.js";
import { Problem, root, runIfMain } from "./run.js";
import { serve } from "./serve.js";
import { findBrowsers } from "./setup.js";

/** Least widths of an element, in pixels; up to the next one it is at most as high as here. */
const WIDTHS = [
  280, 300, 320, 340, 360, 390, 420, 450, 480, 500, 520, 560, 600, 640, 670, 700, 850, 880, 920, 960, 1040,
  1120, 1200, 1290, 1340, 1390,
];

/** In a wide element these stand in two columns: how high they are together, no sum says. */
const IN_COLUMNS = ["log", "distribution", "cost", "cache"];

/** All choices of some, the empty one first, and none before a smaller one. @param {readonly string[]} names */
function choices(names) {
  const all = Array.from({ length: 2 ** names.length }, (_, bits) =>
    names.filter((_, index) => bits & (1 << index)),
  );
  return all.sort((one, other) => one.length - other.length);
}

/** What is measured: with everything, without each panel, without each choice of those in columns, with the questions, and by method. */
const SCREENS = [
  ...choices(IN_COLUMNS).map((hide) => ({ hide })),
  ...PANELS.filter((panel) => !IN_COLUMNS.includes(panel)).map((panel) => ({ hide: [panel] })),
  { predict: true },
  ...METHODS.map((sampling) => ({ sampling })),
].map((screen) => ({ hide: /** @type {string[]} */ ([]), predict: false, sampling: METHODS[0], ...screen }));

/** @typedef {(typeof SCREENS)[number] & { heights: number[] }} Measured heights by index of the width */

/** @returns {Promise<Measured[]>} */
async function measure() {
  const { chromium: found } = await findBrowsers();
  if (found === null) throw new Problem("Chromium is needed to measure.");
  const server = await serve();
  const browser = await chromium.launch({ executablePath: found.path });
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
    await page.goto(`${server.origin}/tests/pages/empty.html`);
    return await page.locator("main").evaluate(
      async (main, { screens, widths }) => {
        await customElements.whenDefined("generation-loop");
        const measured = [];
        for (const { hide, predict, sampling } of screens) {
          const element = /** @type {any} */ (document.createElement("generation-loop"));
          Object.assign(element, { hide, predict, sampling, seed: 7 });
          const box = document.createElement("div");
          box.append(element);
          main.replaceChildren(box);
          await element.ready;
          const heights = [];
          for (const width of widths) {
            box.style.width = `${width}px`;
            heights.push(Math.ceil(element.getBoundingClientRect().height));
          }
          measured.push({ hide, predict, sampling, heights });
        }
        return measured;
      },
      { screens: SCREENS, widths: WIDTHS },
    );
  } finally {
    await browser.close();
    await server.close();
  }
}

/** @param {readonly string[]} hide */
const withoutThese = (hide) => hide.map((panel) => `[hide*="${panel}"]`).join("");

/**
 * Rules for elements of one width and more.
 * @param {readonly Measured[]} measured
 * @param {number} index of the width
 */
function rulesAt(measured, index) {
  const heightOf = (/** @type {readonly string[]} */ hide, predict = false, sampling = METHODS[0]) =>
    measured.find(
      (screen) =>
        screen.predict === predict && screen.sampling === sampling && String(screen.hide) === String(hide),
    )?.heights[index] ?? Number.NaN;
  const whole = heightOf([]);
  const bare = heightOf(IN_COLUMNS);
  const singles = PANELS.filter((panel) => !IN_COLUMNS.includes(panel));
  const parts = singles.map((panel) => [panel, whole - heightOf([panel])]);
  const rest = bare - parts.reduce((sum, [, height]) => sum + Number(height), 0);
  const declarations = [
    `--rest: ${rest}px`,
    ...parts.map(([panel, height]) => `--${panel}: ${height}px`),
    `--predict: ${heightOf([], true) - whole}px`,
    // Each method has fields of its own, in the settings.
    ...METHODS.map((method) => `--${method}: ${heightOf([], false, method) - whole}px`),
  ];
  const rules = [`generation-loop::before { ${declarations.join("; ")} }`];
  for (const hide of choices(IN_COLUMNS)) {
    rules.push(`generation-loop${withoutThese(hide)}::before { --columns: ${heightOf(hide) - bare}px }`);
  }
  return rules;
}

/** @param {readonly Measured[]} measured */
export function styleSheet(measured) {
  const singles = PANELS.filter((panel) => !IN_COLUMNS.includes(panel));
  const sum = ["rest", "columns", "method", ...singles].map((name) => `var(--${name})`).join(" + ");
  const lines = [
    "/*",
    " * Made by scripts/room.js. A page that links it keeps the room of its widgets free from the first paint: nothing moves when they",
    " * come. It follows an element's width, and what it hides. `--generation-loop-room` is the height for a page that knows better: with",
    " * type or density of its own, or with words of another language.",
    " */",
    "@media (scripting: enabled) {",
    // Of no weight: a page's own rules hide it, and the element's own width is the least that it can be in a row with others.
    ":where(generation-loop:not([hidden])) { display: flow-root; min-width: 0; container-type: inline-size; contain-intrinsic-inline-size: min(20rem, 84vw) }",
    // A strut without width: whatever is in the element, before it is defined and after, stands beside it.
    `generation-loop::before { content: ""; float: left; width: 0; height: var(--generation-loop-room, calc(${sum})) }`,
    `generation-loop[predict]:not([predict="false"], [predict="off"])::before { height: var(--generation-loop-room, calc(${sum} + var(--predict))) }`,
  ];
  /** @type {string[]} */
  let before = [];
  for (const [index, width] of WIDTHS.entries()) {
    const rules = rulesAt(measured, index);
    const news = rules.filter((rule) => !before.includes(rule));
    before = rules;
    if (news.length === 0) continue;
    lines.push(...(index === 0 ? news : [`@container (min-width: ${width}px) {`, ...news, "}"]));
  }
  lines.push(`generation-loop::before { --method: 0px }`);
  for (const method of METHODS) {
    lines.push(`generation-loop[sampling="${method}"]::before { --method: var(--${method}) }`);
  }
  for (const panel of singles) lines.push(`generation-loop[hide*="${panel}"]::before { --${panel}: 0px }`);
  // After the methods, for it is as strong as they are.
  lines.push(`generation-loop[hide*="settings"]::before { --method: 0px }`);
  return `${[...lines, "}"].join("\n")}\n`;
}

await runIfMain(import.meta.url, async () => {
  writeFileSync(join(root, "www/generation-loop.css"), styleSheet(await measure()));
});
