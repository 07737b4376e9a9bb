/** Elements that come, move, go and come back, alone and in numbers. */

import { forced } from "./forced.js";
import { instancesOf, watchInstances } from "./instances.js";
import { expect, test } from "./packed.js";
import { Widget } from "./widget.js";

test.beforeEach(async ({ page }) => {
  await watchInstances(page);
  await page.goto("/tests/pages/empty.html");
  await page.evaluate(() => customElements.whenDefined("generation-loop").then(() => undefined));
});

/**
 * Puts one element on the page and counts its passes.
 * @param {import("@playwright/test").Page} page
 * @param {Record<string, unknown>} [settings]
 */
async function addCounted(page, settings = { seed: 7 }) {
  await page.locator("main").evaluate(async (main, settings) => {
    const element = /** @type {any} */ (document.createElement("generation-loop"));
    Object.assign(element, { model: "untrained", stop: "", maxTokens: null }, settings);
    main.append(element);
    await element.ready;
    Object.assign(window, { element, passes: [], stops: 0, errors: 0 });
    element.addEventListener("generation-pass", (/** @type {CustomEvent} */ { detail }) => {
      Reflect.get(window, "passes").push(detail.index);
    });
    element.addEventListener("generation-stop", () => {
      Reflect.set(window, "stops", Reflect.get(window, "stops") + 1);
    });
    element.addEventListener("generation-error", () => {
      Reflect.set(window, "errors", Reflect.get(window, "errors") + 1);
    });
  }, settings);
  return Widget.on(page);
}

/**
 * Takes the element off the page and puts it back after a task in which it was gone.
 * @param {import("@playwright/test").Page} page
 * @param {Record<string, unknown>} [meanwhile] properties set in between
 */
function removeAndAdd(page, meanwhile = {}) {
  return page.locator("main").evaluate(async (main, meanwhile) => {
    const element = Reflect.get(window, "element");
    element.remove();
    await new Promise((resolve) => setTimeout(resolve));
    Object.assign(element, meanwhile);
    main.append(element);
    await element.ready;
  }, meanwhile);
}

test("ten elements added at once all generate, on one instance", async ({ page }) => {
  const results = await page.locator("main").evaluate((main) => {
    const elements = Array.from({ length: 10 }, (_, index) => {
      const element = /** @type {any} */ (document.createElement("generation-loop"));
      const settings = { model: "untrained", seed: index, sampling: "temperature", stop: "", maxTokens: 20 };
      Object.assign(element, settings);
      return element;
    });
    main.append(...elements);
    return Promise.all(
      elements.map(async (element) => {
        await element.ready;
        let text = "";
        let reason = "";
        element.addEventListener("generation-pass", (/** @type {CustomEvent} */ { detail }) => {
          text += detail.token.text;
          reason = detail.stop?.reason ?? "";
        });
        while (reason === "") element.step();
        return text;
      }),
    );
  });
  expect(results).toHaveLength(10);
  expect(new Set(results).size).toBe(10);
  expect(await instancesOf(page)).toBe(1);
});

test("an element that comes, goes and comes again before it has loaded", async ({ page }) => {
  await page.locator("main").evaluate(async (main) => {
    const element = /** @type {any} */ (document.createElement("generation-loop"));
    main.append(element);
    element.remove();
    main.append(element);
    await Promise.resolve();
    element.remove();
    await new Promise((resolve) => setTimeout(resolve));
    main.append(element);
    await element.ready;
  });
  const widget = await Widget.on(page);
  await expect(page.locator(".widget")).toHaveCount(1);
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
  expect(await instancesOf(page)).toBe(1);
});

test("moved in the middle of a run, it keeps its one surface and runs on", async ({ page }) => {
  const widget = await addCounted(page);
  await widget.speed.selectOption("instant");
  await page.evaluate(async () => {
    const element = Reflect.get(window, "element");
    const stopped = new Promise((resolve) => element.addEventListener("generation-stop", resolve));
    element.addEventListener("generation-pass", (/** @type {CustomEvent} */ { detail }) => {
      // To the end of its parent, then into a box that is new to the page.
      if (detail.index === 2) element.parentElement.append(element);
      if (detail.index === 4) document.body.appendChild(document.createElement("aside")).append(element);
    });
    element.run();
    await stopped;
  });
  await expect(page.locator("aside .widget")).toHaveCount(1);
  await expect(page.locator(".widget")).toHaveCount(1);
  const passes = await page.evaluate(() => Reflect.get(window, "passes"));
  expect(passes).toEqual(passes.map((/** @type {number} */ _, /** @type {number} */ index) => index + 1));
  expect(await page.evaluate(() => Reflect.get(window, "stops"))).toBe(1);
  await expect(widget.generatedCells).toHaveCount(passes.length);

  // The move is done with: another model does not begin to run because of it.
  await page.evaluate(
    (model) => {
      const element = Reflect.get(window, "element");
      element.model = model;
      return element.ready.then(() => undefined);
    },
    forced("abc", 11),
  );
  await expect(widget.primary).toHaveText("Prefill 11 tokens");
  await expect(widget.button("Run")).toBeVisible();
  expect(await page.evaluate(() => Reflect.get(window, "passes"))).toHaveLength(passes.length);
});

test("removed in the middle of a run, it does no more work", async ({ page }) => {
  await addCounted(page);
  const heard = await page.locator("main").evaluate(async (main) => {
    const element = Reflect.get(window, "element");
    const other = /** @type {any} */ (document.createElement("generation-loop"));
    Object.assign(other, { model: "untrained", stop: "" });
    main.append(other);
    await other.ready;
    // Both at a step per timer; the other one's run takes longer than what could be left of this one's.
    for (const { shadowRoot } of [element, other]) {
      const speed = shadowRoot.querySelector("select");
      speed.value = "fast";
      speed.dispatchEvent(new Event("change"));
    }
    const stopped = new Promise((resolve) => other.addEventListener("generation-stop", resolve));
    element.run();
    other.run();
    element.remove();
    await stopped;
    return { passes: Reflect.get(window, "passes"), errors: Reflect.get(window, "errors") };
  });
  expect(heard).toEqual({ passes: [1], errors: 0 });
});

test("removed and added again, it shows the same run and goes on with it", async ({ page }) => {
  const widget = await addCounted(page, { seed: 7, sampling: "temperature", temperature: 0.7 });
  await widget.step(3);
  await widget.method("top-k").check();
  await widget.cache.uncheck();
  await widget.step(2);
  await widget.cache.check();
  await widget.step();
  const symbols = await widget.symbolsAfter(6);
  const log = await widget.log();

  await removeAndAdd(page);
  expect(await widget.symbolsAfter(6)).toEqual(symbols);
  expect(await widget.log()).toEqual(log);
  await expect(widget.method("top-k")).toBeChecked();
  await expect(widget.primary).toHaveText("Decode 1 token");
  // It was made again, not made anew: nobody hears of it.
  expect(await page.evaluate(() => Reflect.get(window, "passes"))).toEqual([1, 2, 3, 4, 5, 6]);

  await widget.step();
  const next = await widget.symbolsAfter(7);
  await widget.button("Back").click();
  await removeAndAdd(page);
  await widget.step();
  expect(await widget.symbolsAfter(7)).toEqual(next);
});

test("a seed that nobody chose is the same after it was away", async ({ page }) => {
  const widget = await addCounted(page, { sampling: "temperature", temperature: 100 });
  await page.evaluate(() => {
    const element = Reflect.get(window, "element");
    // So hot that two seeds hardly agree on six tokens; the end may come before that.
    while (Reflect.get(window, "passes").length < 6 && Reflect.get(window, "stops") === 0) element.step();
  });
  const seed = await widget.field("Seed").inputValue();
  const log = await widget.log();
  await removeAndAdd(page);
  expect(await widget.log()).toEqual(log);
  expect(await widget.field("Seed").inputValue()).toBe(seed);
});

test("removed by the listener of its very first pass, it is ready when it is back, and not before", async ({
  page,
}) => {
  await page.locator("main").evaluate(async (main) => {
    const element = /** @type {any} */ (document.createElement("generation-loop"));
    Object.assign(element, { autoplay: true, seed: 7, stop: "" });
    const passed = new Promise((resolve) => {
      element.addEventListener(
        "generation-pass",
        () => {
          element.remove();
          resolve(undefined);
        },
        { once: true },
      );
    });
    main.append(element);
    await passed;
    await new Promise((resolve) => setTimeout(resolve));
    main.append(element);
    await element.ready;
    element.pause();
    element.step();
  });
  const widget = await Widget.on(page);
  await expect(widget.generatedCells.nth(1)).toBeVisible();
});

test("removed while it runs and added again, it runs on; paused meanwhile, it does not", async ({ page }) => {
  const widget = await addCounted(page);
  await widget.speed.selectOption("slow");
  await widget.button("Run").click();
  await removeAndAdd(page);
  await expect(widget.button("Pause")).toBeVisible();
  await page.locator("main").evaluate(async (main) => {
    const element = Reflect.get(window, "element");
    element.remove();
    await new Promise((resolve) => setTimeout(resolve));
    element.pause();
    main.append(element);
    await element.ready;
  });
  await expect(widget.button("Run")).toBeVisible();
  await expect(widget.primary).toBeEnabled();
});

test("what was changed while it was away counts when it is back", async ({ page }) => {
  const widget = await addCounted(page);
  await widget.step(3);
  await removeAndAdd(page, { prompt: "a cat", maxTokens: 9 });
  await expect(widget.primary).toHaveText("Prefill 5 tokens");
  await expect(widget.generatedCells).toHaveCount(0);

  await widget.run();
  await expect(widget.generatedCells).toHaveCount(4);
  // A run of one model is no run of another.
  await removeAndAdd(page, { model: forced("abc", 5) });
  await expect(widget.primary).toHaveText("Prefill 5 tokens");
  await expect(widget.generatedCells).toHaveCount(0);
  await widget.run();
});

test("500 elements made and removed leave no memory behind", async ({ page }) => {
  const sizes = await page.locator("main").evaluate(async (main) => {
    /** @type {number[]} */
    const sizes = [];
    for (let made = 1; made <= 500; made += 1) {
      const element = /** @type {any} */ (document.createElement("generation-loop"));
      Object.assign(element, { hide: "settings legend log distribution", maxTokens: null, stop: "" });
      main.append(element);
      await element.ready;
      element.step();
      element.step();
      element.remove();
      // What the element frees, it frees at the end of the task.
      await Promise.resolve();
      const [{ exports }] = Reflect.get(window, "instances");
      if (made % 50 === 0) sizes.push(exports.memory.buffer.byteLength);
    }
    return sizes;
  });
  expect(sizes).toEqual(Array(10).fill(sizes[0]));
  expect(await instancesOf(page)).toBe(1);
});

test("the module loaded twice, from two addresses", async ({ page }) => {
  await page.goto("/tests/pages/twice.html");
  const body = page.locator("body");
  await expect(body).toHaveAttribute("data-copies", "true");
  await expect(body).toHaveAttribute("data-winner", "true,false");
  const widget = await Widget.on(page);
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(1);
});
