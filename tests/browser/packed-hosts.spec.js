/** Pages of others around the element of the package: what their styles and scripts say of everything is not said of it. */

import { run } from "./expected.js";
import { expect, test } from "./packed.js";
import { shown, Widget } from "./widget.js";

/**
 * A page with a script of its own before the element comes, and a style sheet.
 * @param {import("@playwright/test").Page} page
 * @param {{ style?: string, script?: () => void, html?: string }} host
 */
async function pageWith(page, { style = "", script, html = "" }) {
  if (script !== undefined) await page.addInitScript(script);
  await page.goto("/tests/pages/blank.html");
  await page.evaluate(
    ({ style, html }) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      document.adoptedStyleSheets.push(sheet);
      document.body.innerHTML = `${html}<div id="around"><generation-loop seed="7"></generation-loop></div>`;
      const loader = document.createElement("script");
      Object.assign(loader, { type: "module", src: "/dist/generation-loop.js" });
      document.head.append(loader);
    },
    { style, html },
  );
  return Widget.on(page);
}

/** Where every cell, word and number of the widget stands, in its own frame. @param {Widget} widget */
const places = ({ root }) =>
  root.evaluate(async (element) => {
    const frame = /** @type {ShadowRoot} */ (element.shadowRoot);
    // What has just come rises a little.
    await Promise.all(frame.getAnimations().map(({ finished }) => finished));
    const from = element.getBoundingClientRect();
    const selector = "[part], .cell, .title, th, td, code, label, button, small, .note, .columns li";
    return [...frame.querySelectorAll(selector)].map((node) => {
      const { x, y, width, height } = node.getBoundingClientRect();
      const { textTransform, textShadow } = getComputedStyle(node);
      const box = [x - from.x, y - from.y, width, height].map((number) => Math.round(2 * number) / 2);
      return [node.className || node.localName, ...box, textTransform, textShadow].join(" ");
    });
  });

/** What a page may say of its text, which elements in it inherit. */
const TEXT = `
  letter-spacing: 0.3em; word-spacing: 1em; text-indent: 3em; text-transform: uppercase; white-space: pre;
  word-break: break-all; text-align: justify; text-shadow: 2px 2px red; line-height: 2.5; font: italic 26px serif;
`;

for (const where of ["body", "#around"]) {
  test(`the style of the text around it is not its own, ${where}`, async ({ page }) => {
    const plain = await pageWith(page, {});
    await plain.step(3);
    const expected = await places(plain);
    expect(expected.length).toBeGreaterThan(100);
    const styled = await pageWith(page, {
      style: `${where} { ${TEXT} -webkit-text-fill-color: transparent }`,
    });
    await styled.step(3);
    expect(await places(styled)).toEqual(expected);
    const strip = styled.promptCells.first();
    const { color, fill } = await strip.evaluate((node) => {
      const style = getComputedStyle(node);
      return { color: style.color, fill: style.webkitTextFillColor };
    });
    expect(fill).toBe(color);
  });
}

test("a rule for everything on the page is not one for it", async ({ page }) => {
  const plain = await pageWith(page, {});
  await plain.step(2);
  const expected = await places(plain);
  const colour = await plain.root
    .locator(".title")
    .first()
    .evaluate((node) => getComputedStyle(node).color);
  const styled = await pageWith(page, {
    style:
      "* { color: #333; font: 20px / 1.8 serif; text-align: center } body { background: #17181b; color-scheme: dark }",
  });
  await styled.step(2);
  expect(await places(styled)).toEqual(expected);
  const dark = await styled.root
    .locator(".title")
    .first()
    .evaluate((node) => getComputedStyle(node).color);
  expect([colour, dark]).toEqual(["rgb(28, 29, 31)", "rgb(232, 230, 225)"]);
});

test("a page that makes it a flexible box gives it all of its width", async ({ page }) => {
  const widget = await pageWith(page, { style: "#around > * { display: flex }" });
  const inside = await widget.root.locator(".frame").boundingBox();
  const outside = await widget.root.boundingBox();
  expect(inside?.width).toBe(outside?.width);
  expect(outside?.width).toBeGreaterThan(1000);
});

test("what spaces text out for a reader keeps the names of rows apart", async ({ page }) => {
  const widget = await pageWith(page, {});
  await widget.step(3);
  await widget.root.evaluate((element) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }",
    );
    element.shadowRoot?.adoptedStyleSheets.push(sheet);
  });
  const rows = await widget.root.locator(".columns [role] li").evaluateAll((nodes) =>
    nodes.map((node) => {
      const range = document.createRange();
      range.selectNodeContents(/** @type {Node} */ (node.querySelector("code")));
      const { bottom } = range.getBoundingClientRect();
      return { bottom, next: node.getBoundingClientRect().bottom };
    }),
  );
  expect(rows).toHaveLength(4);
  // A little of the line below may be its own space; its letters are not.
  for (const { bottom, next } of rows) expect(bottom).toBeLessThanOrEqual(next + 10);
});

test("a prompt of thousands of characters leaves room for what is wrong with it", async ({ page }) => {
  const widget = await pageWith(page, {});
  await widget.prompt.fill("x".repeat(3000));
  await expect(widget.root).toContainText("at most");
  const height = (await widget.prompt.boundingBox())?.height ?? 0;
  expect(height).toBeLessThanOrEqual((page.viewportSize()?.height ?? 0) / 2);
});

/** What scripts on pages do to everybody's objects. @type {Record<string, { script?: () => void, html?: string }>} */
const SCRIPTS = {
  "a list maker from before functions in it": {
    script: () => {
      // As old libraries have it: without the second argument, and only by length.
      Array.from = (/** @type {any} */ list) => Array.prototype.slice.call(list);
    },
  },
  "lists and objects that write themselves": {
    script: () => {
      const toJSON = { value: () => "no", enumerable: true, configurable: true };
      Object.defineProperty(String.prototype, "toJSON", toJSON);
      Object.defineProperty(Array.prototype, "extra", { value: () => 0, enumerable: true });
    },
  },
  "frozen prototypes": {
    script: () => {
      for (const one of [Object, Array, Function, Error, Promise, String, Map, Set]) {
        Object.freeze(one);
        Object.freeze(one.prototype);
      }
    },
  },
  "a form by the name of a property of the document's": { html: '<form name="hidden"></form>' },
};

for (const [name, host] of Object.entries(SCRIPTS)) {
  test(`a page with ${name}`, async ({ page }) => {
    const widget = await pageWith(page, host);
    await widget.run();
    expect(await widget.symbols()).toEqual(shown((await run({ seed: 7 })).log));
    await expect(widget.field("Seed")).toHaveValue("7");
  });
}
