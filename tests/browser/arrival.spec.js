/** How an element comes onto a page: by a link from far away, on the move, among settings that come late, in the page's own layout. */

import { expect, test } from "./fixtures.js";
import { Widget } from "./widget.js";

/** @typedef {import("@playwright/test").Page} Page */

const LINK = "generation-loop?prompt=a+cat&seed=3&pass=2";

/** The style sheet of the widget's room, and one of the page's own. @param {Page} page @param {string} own */
async function styled(page, own) {
  await page.evaluate(async (own) => {
    const link = Object.assign(document.createElement("link"), {
      rel: "stylesheet",
      href: "/dist/generation-loop.css",
    });
    const style = Object.assign(document.createElement("style"), { textContent: own });
    await new Promise((resolve) => {
      link.onload = resolve;
      document.head.append(style, link);
    });
  }, own);
}

test.beforeEach(({ page }) => page.goto("/tests/pages/empty.html"));

for (const script of ["generation-loop.js", "lazy.js"]) {
  test(`a link takes the reader to the widget, however far down: ${script}`, async ({ page }) => {
    await page.route("**/tests/pages/lazy.html*", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace("lazy.js", script) });
    });
    await page.goto(`/tests/pages/lazy.html#${LINK}`);
    const widget = await Widget.on(page);
    await expect(widget.generatedCells).toHaveCount(2);
    await expect(widget.root).toBeInViewport();
    // Who has moved on is left alone.
    await page.evaluate(() => scrollTo(0, 10));
    await expect(widget.root).not.toBeInViewport();
    await widget.root.evaluate((element) => element.parentElement?.append(element));
    await expect(widget.root).not.toBeInViewport();
  });
}

test("a link that is refused after the element was moved leaves the page's own settings", async ({
  page,
}) => {
  const tooMany = LINK.replace("pass=2", "pass=31&max-tokens=7");
  const prompt = await page.locator("main").evaluate(async (main, link) => {
    await customElements.whenDefined("generation-loop");
    location.hash = link;
    const element = /** @type {any} */ (document.createElement("generation-loop"));
    element.prompt = "the page";
    main.append(element);
    // Twice: what reads links is still on its way.
    main.append(element);
    main.append(element);
    await element.ready;
    return element.prompt;
  }, tooMany);
  expect(prompt).toBe("the page");
});

test("what the page sets while the run of a link comes goes before it", async ({ page }) => {
  await page.locator("main").evaluate(async (main, link) => {
    await customElements.whenDefined("generation-loop");
    location.hash = link;
    const element = /** @type {any} */ (document.createElement("generation-loop"));
    main.append(element);
    // As soon as its settings are there, and before its model is.
    while (element.prompt !== "a cat") await new Promise((resolve) => setTimeout(resolve));
    element.prompt = "the page";
    await element.ready;
  }, LINK);
  const widget = await Widget.on(page);
  await expect(widget.prompt).toHaveValue("the page");
  await expect(widget.root.locator(".error")).toHaveCount(0);
});

test("a model that is set while the element is nowhere is the one that it comes back with", async ({
  page,
}) => {
  const parameters = await page.locator("main").evaluate(async (main) => {
    await customElements.whenDefined("generation-loop");
    const element = /** @type {any} */ (document.createElement("generation-loop"));
    main.append(element);
    const models = [];
    for (const [wait, model] of /** @type {const} */ ([
      [false, "untrained"],
      [true, "trained"],
    ])) {
      if (wait) await element.ready;
      element.remove();
      element.model = model;
      main.append(element);
      await element.ready;
      await element.updateComplete;
      models.push(element.renderRoot.querySelector("[part=model] input:checked").value);
    }
    return models;
  });
  expect(parameters).toEqual(["untrained", "trained"]);
});

test("the page's own rules hide it", async ({ page }) => {
  await styled(page, ".gone { display: none }");
  await page.locator("main").evaluate((main) => {
    main.innerHTML = '<generation-loop class="gone"></generation-loop>';
  });
  await expect(page.locator("generation-loop")).toBeHidden();
});

for (const [layout, own] of Object.entries({
  grid: "main { display: grid; grid-template-columns: 250px 1fr }",
  flex: "main { display: flex } aside { flex: 0 0 250px } generation-loop { flex: 1 }",
})) {
  test(`beside a column of the page it takes what is left: ${layout}`, async ({ page }) => {
    await page.setViewportSize({ width: 800, height: 700 });
    await styled(page, `body { margin: 0 } ${own}`);
    await page.locator("main").evaluate((main) => {
      main.innerHTML = "<aside>Contents</aside><generation-loop></generation-loop>";
      return /** @type {any} */ (main.lastElementChild).ready;
    });
    const widget = await Widget.on(page);
    const box = await widget.root.boundingBox();
    expect(box?.width).toBeGreaterThan(400);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(800);
  });
}

test("where it cannot start, the room is let go", async ({ page, complaints }) => {
  complaints.allow(/404/);
  await styled(page, "");
  await page.locator("main").evaluate(async (main) => {
    main.innerHTML = '<generation-loop model="/nowhere/">A still.</generation-loop>';
    await /** @type {any} */ (main.firstElementChild).ready.catch(() => undefined);
  });
  const element = page.locator("generation-loop");
  await expect(element.locator("p.error")).toBeVisible();
  await expect.poll(async () => (await element.boundingBox())?.height).toBeLessThan(300);
  // And kept again once it can.
  await element.getByRole("button", { name: "Use the trained model" }).click();
  await expect((await Widget.on(page)).primary).toBeVisible();
});
