/** Where the element of the package can stand and go to: what opens and closes, shows and hides, moves, copies and replaces it. */

import { run } from "./expected.js";
import { expect, test } from "./packed.js";
import { shown, Widget } from "./widget.js";

const ATTRIBUTES = 'prompt="a cat" model="untrained" sampling="top-k" seed="7" stop="" max-tokens="15"';

/** The tokens of a run with these. */
const symbols = async () =>
  shown(
    (
      await run({
        ...{ prompt: "a cat", model: "untrained", sampling: { method: "top-k" } },
        ...{ seed: 7, stop: [], maxTokens: 15 },
      })
    ).log,
  );

/**
 * A page with this on it, and `element`, the first element, which keeps the numbers of its passes as `passes`.
 * @param {import("@playwright/test").Page} page
 * @param {string} html
 */
async function pageWith(page, html) {
  await page.goto("/tests/pages/empty.html");
  await page.locator("main").evaluate(async (main, html) => {
    await customElements.whenDefined("generation-loop");
    main.innerHTML = html;
    const element = document.querySelector("generation-loop");
    if (element !== null) Reflect.get(window, "keep")(element);
  }, html);
}

test.beforeEach(({ page }) =>
  page.addInitScript(() => {
    const keep = (/** @type {any} */ element) => {
      element.passes = [];
      element.addEventListener("generation-pass", (/** @type {any} */ { detail }) =>
        element.passes.push(detail.index),
      );
      Reflect.set(window, "element", element);
      return element;
    };
    Reflect.set(window, "keep", keep);
  }),
);

/** @param {import("@playwright/test").Page} page @returns {Promise<number[]>} */
const passes = (page) => page.evaluate(() => Reflect.get(window, "element").passes);

const numbers = Array.from({ length: 10 }, (_, index) => index + 1);

/**
 * Runs to the end, and is moved by `move` after the second pass, in the listener.
 * @param {import("@playwright/test").Page} page
 * @param {(element: any) => void} move in the page
 */
async function runAndMove(page, move) {
  const widget = await Widget.on(page);
  await widget.speed.selectOption("fast");
  await page.evaluate(`(async () => {
    const { element } = window;
    const stopped = new Promise((resolve) => element.addEventListener("generation-stop", resolve));
    element.addEventListener("generation-pass", ({ detail }) => {
      if (detail.index === 2) (${move})(element);
    });
    element.run();
    await stopped;
  })()`);
  return widget;
}

for (const [where, move] of /** @type {[string, (element: any) => void][]} */ ([
  [
    "the shadow of another element",
    (element) =>
      document
        .querySelector("main")
        ?.appendChild(document.createElement("section"))
        .attachShadow({ mode: "open" })
        .append(element),
  ],
  [
    "a fragment and out of it",
    (element) => {
      const fragment = new DocumentFragment();
      fragment.append(element, document.createElement("hr"));
      document.querySelector("main")?.append(fragment);
    },
  ],
  [
    "another place, without leaving the page",
    (element) => {
      const place = /** @type {any} */ (document.body.appendChild(document.createElement("aside")));
      // Not every browser has it yet.
      if (place.moveBefore) place.moveBefore(element, null);
      else place.append(element);
    },
  ],
  [
    "where another stood",
    (element) => {
      const other = document.createElement("p");
      document.querySelector("main")?.append(other);
      other.replaceWith(element);
    },
  ],
])) {
  test(`moved to ${where} in the middle of a run, it runs on`, async ({ page }) => {
    await pageWith(page, `<generation-loop ${ATTRIBUTES}></generation-loop>`);
    const widget = await runAndMove(page, move);
    expect(await passes(page)).toEqual(numbers);
    expect(await widget.symbols()).toEqual(await symbols());
    await expect(page.locator("generation-loop .widget")).toHaveCount(1);
  });
}

/**
 * Whether the element has its own style: with it, the tokens stand side by side in boxes of a size.
 * @param {Widget} widget
 */
async function expectStyled({ root }) {
  await expect(root.locator(".widget")).toHaveCSS("display", "grid");
  const [width] = await root
    .locator(".widget")
    .evaluateAll((found) => found.map((widget) => widget.getBoundingClientRect().width));
  expect(width).toBeGreaterThan(200);
  const cells = root.locator("[part=strip] li");
  const boxes = await cells.evaluateAll((cells) =>
    cells.slice(0, 2).map((cell) => {
      const { top, height } = cell.getBoundingClientRect();
      return { top, isOfASize: height > 30 };
    }),
  );
  const [{ top }] = boxes;
  expect(boxes).toEqual(Array(2).fill({ top, isOfASize: true }));
}

test("moved into another document and home again, it keeps its looks and its run", async ({ page }) => {
  await pageWith(page, `<generation-loop ${ATTRIBUTES}></generation-loop><iframe title="Another"></iframe>`);
  const widget = await Widget.on(page);
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
  await page.evaluate(() => {
    const [frame] = document.querySelectorAll("iframe");
    Object.assign(frame, { width: 900, height: 900 });
    frame.contentDocument?.body.append(Reflect.get(window, "element"));
  });
  const inside = new Widget(page.frameLocator("iframe").locator("generation-loop"));
  await inside.step();
  await expect(inside.generatedCells).toHaveCount(3);
  await expectStyled(inside);
  await inside.button("Run").click();
  await inside.stopped();
  await page.locator("main").evaluate((main) => main.append(Reflect.get(window, "element")));
  await expectStyled(widget);
  expect(await widget.symbols()).toEqual(await symbols());
  expect(await passes(page)).toEqual(numbers);
});

test("replaced in the middle of a run, it is silent; what replaces it has a run of its own", async ({
  page,
}) => {
  await pageWith(page, `<generation-loop ${ATTRIBUTES}></generation-loop>`);
  const old = await Widget.on(page);
  await old.speed.selectOption("fast");
  await page.evaluate((attributes) => {
    const { element } = /** @type {any} */ (window);
    element.addEventListener("generation-pass", (/** @type {any} */ { detail }) => {
      if (detail.index !== 2) return;
      const range = document.createRange().createContextualFragment(`<generation-loop ${attributes}>`);
      element.replaceWith(range);
    });
    element.run();
  }, ATTRIBUTES);
  await expect.poll(() => passes(page)).toEqual([1, 2]);
  const widget = await Widget.on(page);
  await expect(widget.generatedCells).toHaveCount(0);
  await widget.run();
  expect(await widget.symbols()).toEqual(await symbols());
  expect(await passes(page)).toEqual([1, 2]);
});

test("a clone has the attributes, the page's content, and a run of its own", async ({ page }) => {
  await pageWith(page, `<generation-loop ${ATTRIBUTES} hide="legend"><p>Wait.</p></generation-loop>`);
  await (await Widget.on(page)).step(3);
  await expect((await Widget.on(page)).generatedCells).toHaveCount(3);
  // What a page sets as a property is no attribute, and does not go along.
  await page.locator("main").evaluate((main) => {
    const { element } = /** @type {any} */ (window);
    element.maxTokens = 12;
    main.prepend(element.cloneNode(true));
  });
  const second = await Widget.on(page, 0);
  await expect(second.generatedCells).toHaveCount(0);
  await expect(second.root).toHaveAttribute("hide", "legend");
  await expect(second.root.locator("> p").first()).toHaveText("Wait.");
  await second.run();
  expect(await second.symbols()).toEqual(await symbols());
  const first = await Widget.on(page, 1);
  await expect(first.generatedCells).toHaveCount(0);
  await first.run();
  await expect(first.generatedCells).toHaveCount(7);
});

for (const [how, instantiate] of Object.entries({
  importNode: (/** @type {HTMLTemplateElement} */ template) => document.importNode(template.content, true),
  cloneNode: (/** @type {HTMLTemplateElement} */ template) => template.content.cloneNode(true),
  "its own content": (/** @type {HTMLTemplateElement} */ template) => template.content,
})) {
  test(`in a template it is asleep; instantiated by ${how}, it runs`, async ({ page }) => {
    await pageWith(page, `<template><generation-loop ${ATTRIBUTES} autoplay></generation-loop></template>`);
    const asleep = await page.locator("template").evaluate((template) => {
      const { content } = /** @type {HTMLTemplateElement} */ (template);
      return content.querySelector("generation-loop")?.shadowRoot ?? null;
    });
    expect(asleep).toBe(null);
    await page.evaluate(`document.querySelector("main").append(
      (${instantiate})(document.querySelector("template")),
    )`);
    const widget = await Widget.on(page);
    await widget.speed.selectOption("instant");
    await widget.stopped();
    expect(await widget.symbols()).toEqual(await symbols());
    await expectStyled(widget);
  });
}

test("put back into a template in the middle of a run, it rests; taken out, it goes on", async ({ page }) => {
  await pageWith(page, `<generation-loop ${ATTRIBUTES}></generation-loop><template></template>`);
  const widget = await Widget.on(page);
  await widget.speed.selectOption("fast");
  await page.evaluate(async () => {
    const { element } = /** @type {any} */ (window);
    const template = /** @type {HTMLTemplateElement} */ (document.querySelector("template"));
    const inside = new Promise((resolve) =>
      element.addEventListener("generation-pass", (/** @type {any} */ { detail }) => {
        if (detail.index === 2) resolve(template.content.append(element));
      }),
    );
    element.run();
    await inside;
    await new Promise((resolve) => setTimeout(resolve, 200));
  });
  expect(await passes(page)).toEqual([1, 2]);
  await page.locator("main").evaluate((main) => main.append(Reflect.get(window, "element")));
  await widget.stopped();
  expect(await widget.symbols()).toEqual(await symbols());
  await expectStyled(widget);
});

for (const [where, html, show] of /** @type {[string, string, (main: any) => void][]} */ ([
  [
    "in closed details",
    `<details><summary>More</summary><generation-loop ${ATTRIBUTES} autoplay></generation-loop></details>`,
    (main) => main.querySelector("details").toggleAttribute("open"),
  ],
  [
    "in a box that is not displayed",
    `<section style="display: none"><generation-loop ${ATTRIBUTES} autoplay></generation-loop></section>`,
    (main) => main.querySelector("section").removeAttribute("style"),
  ],
  [
    "in a closed dialog",
    `<dialog><generation-loop ${ATTRIBUTES} autoplay></generation-loop></dialog>`,
    (main) => main.querySelector("dialog").showModal(),
  ],
  [
    "itself hidden",
    `<generation-loop hidden ${ATTRIBUTES} autoplay></generation-loop>`,
    (main) => main.querySelector("generation-loop").removeAttribute("hidden"),
  ],
])) {
  test(`${where} it waits, and runs once it is shown`, async ({ page }) => {
    await pageWith(page, html);
    await page.waitForTimeout(300);
    expect(await passes(page)).toEqual([]);
    await page.evaluate(`(${show})(document.querySelector("main"))`);
    const widget = await Widget.on(page);
    await widget.speed.selectOption("instant");
    await widget.stopped();
    expect(await widget.symbols()).toEqual(await symbols());
    await expectStyled(widget);
  });
}

test("closed in the middle of a run, details hold it, and opened let it go on", async ({ page }) => {
  await pageWith(
    page,
    `<details open><summary>More</summary><generation-loop ${ATTRIBUTES}></generation-loop></details>`,
  );
  const widget = await Widget.on(page);
  const details = page.locator("details");
  await details.evaluate((details) => {
    const { element } = /** @type {any} */ (window);
    element.addEventListener("generation-pass", (/** @type {any} */ { detail }) => {
      if (detail.index === 2) details.removeAttribute("open");
    });
    element.run();
  });
  await expect(details).not.toHaveAttribute("open");
  // The browser tells of it with a frame, and another pass may come before; a second has four.
  await page.waitForTimeout(1000);
  expect((await passes(page)).length).toBeLessThan(5);
  await page.getByText("More").click();
  await widget.speed.selectOption("instant");
  await widget.stopped();
  expect(await passes(page)).toEqual(numbers);
});

test("in a dialog: keys stay with it, and Escape closes the dialog", async ({ page }) => {
  await pageWith(
    page,
    `<dialog aria-label="A dialog"><generation-loop ${ATTRIBUTES}></generation-loop></dialog>`,
  );
  await page.locator("dialog").evaluate((dialog) => /** @type {HTMLDialogElement} */ (dialog).showModal());
  const widget = await Widget.on(page);
  await widget.prompt.focus();
  await page.keyboard.press("Enter");
  await expect(widget.generatedCells).toHaveCount(1);
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("on the whole screen all of it can be reached, on its own paper", async ({ page }) => {
  await pageWith(page, `<button>All</button><generation-loop ${ATTRIBUTES}></generation-loop>`);
  const widget = await Widget.on(page);
  await page.evaluate(() =>
    document.querySelector("main > button")?.addEventListener("click", () => {
      Reflect.get(window, "element").requestFullscreen();
    }),
  );
  await page.getByRole("button", { name: "All" }).click();
  await expect.poll(() => page.evaluate(() => document.fullscreenElement?.localName)).toBe("generation-loop");
  await widget.step();
  const paper = await widget.root
    .locator(".widget")
    .evaluate((node) => getComputedStyle(node).backgroundColor);
  await expect(widget.root).toHaveCSS("background-color", paper);
  const last = widget.share.getByRole("button").last();
  await widget.root.hover();
  await page.mouse.wheel(0, 10_000);
  await expect(last).toBeInViewport();
  await page.evaluate(() => document.exitFullscreen());
  await widget.run();
  expect(await widget.symbols()).toEqual(await symbols());
});

/** Boxes that are as wide as their content. */
const SNUG = {
  dialog: "<dialog open></dialog>",
  float: '<div style="float: left"></div>',
  "inline block": '<div style="display: inline-block"></div>',
  "absolute box": '<div style="position: absolute"></div>',
  "flexible row": '<div style="display: flex"></div>',
  "flexible column, centred":
    '<div style="display: flex; flex-direction: column; align-items: center"></div>',
  "grid, centred": '<div style="display: grid; place-items: center"></div>',
  "cell of a table": "<table><tr><td></td></tr></table>",
};

for (const [width, least, sheet] of /** @type {const} */ ([
  [1280, 300, false],
  [1280, 300, true],
  [360, 260, false],
])) {
  const withSheet = sheet ? ", with the page's style sheet for it" : "";
  test(`in boxes as wide as their content it has a width, and the page none too much, at ${width} px${withSheet}`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 800 });
    await pageWith(page, "");
    if (sheet) await page.addStyleTag({ url: "/dist/generation-loop.css" });
    const widths = await page.locator("main").evaluate(async (main, snug) => {
      /** @type {[string, { before: number, after: number, over: number }][]} */
      const widths = [];
      for (const [name, html] of snug) {
        main.innerHTML = html;
        let box = main.querySelector("*");
        while (box?.firstElementChild) box = box.firstElementChild;
        const element = /** @type {any} */ (document.createElement("generation-loop"));
        element.textContent = "Wait.";
        box?.append(element);
        const widthOf = () => element.getBoundingClientRect().width;
        await element.updateComplete;
        const before = widthOf();
        await element.ready;
        const over = document.documentElement.scrollWidth - document.documentElement.clientWidth;
        widths.push([name, { before, after: widthOf(), over }]);
      }
      return widths;
    }, Object.entries(SNUG));
    for (const [name, { before, after, over }] of widths) {
      expect(after, name).toBeGreaterThan(least);
      expect(before, `${name}, before it is ready`).toBe(after);
      expect(over, name).toBe(0);
    }
  });
}

test("gone to another page and back, it goes on where it was", async ({
  browserName,
  playwright,
  launchOptions,
  packed,
}) => {
  test.skip(browserName !== "chromium", "only Chromium can be driven to a page that was kept");
  const browser = await playwright.chromium.launch({
    ...launchOptions,
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
  });
  const page = await browser.newPage();
  await page.goto(`${packed.origin}/tests/pages/empty.html`);
  await page.locator("main").evaluate(async (main) => {
    main.innerHTML = '<generation-loop stop="" max-tokens="none" model="untrained"></generation-loop>';
    const element = /** @type {any} */ (main.firstElementChild);
    Object.assign(window, { element, passes: 0 });
    element.addEventListener("generation-pass", () => {
      Reflect.set(window, "passes", Reflect.get(window, "passes") + 1);
    });
    addEventListener("pageshow", ({ persisted }) => Reflect.set(window, "kept", persisted));
    await element.ready;
    element.run();
  });
  await expect.poll(() => page.evaluate(() => Reflect.get(window, "passes"))).toBeGreaterThan(1);
  const passesThen = await page.evaluate(() => Reflect.get(window, "passes"));
  await page.goto(`${packed.origin}/tests/pages/blank.html`);
  await page.waitForTimeout(1000);
  // A page that comes back as it was is none that Playwright waits for.
  const session = await page.context().newCDPSession(page);
  const look = async () => {
    const expression = "JSON.stringify([window.kept, window.passes, window.element?.moment.running])";
    const { result } = await session.send("Runtime.evaluate", { expression });
    return JSON.parse(result.value);
  };
  await page.evaluate(() => void setTimeout(() => history.back()));
  await expect.poll(async () => (await look())[0]).toBe(true);
  const [, passesNow] = await look();
  // In the second that it was away, none was made.
  expect(passesNow).toBeLessThan(passesThen + 3);
  await expect.poll(async () => (await look())[1]).toBeGreaterThan(passesNow);
  await browser.close();
});
