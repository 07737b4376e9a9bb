/** The package as others get it, on pages of theirs: from their own origin and from another, in numbers, and without a trace. */

import { run } from "./expected.js";
import { LARGE, randomFiles, watchWorkers, workersOf } from "./models.js";
import { expect, test } from "./packed.js";
import { tracesOf, watchTraces } from "./traces.js";
import { shown, Widget } from "./widget.js";

/**
 * A page of the tests' origin that gets the package from another one.
 * @param {import("@playwright/test").Page} page
 * @param {string} src
 * @param {string} html what is on it
 */
async function pageThatFetches(page, src, html) {
  await page.goto("/tests/pages/blank.html");
  await page.evaluate(
    ({ html, src }) => {
      document.body.innerHTML = html;
      const script = document.createElement("script");
      Object.assign(script, { type: "module", src });
      document.head.append(script);
    },
    { html, src },
  );
}

test("from the page's own origin, settings from before the script", async ({ page }) => {
  await page.goto("/tests/pages/properties.html");
  await expect(page.locator("body")).toHaveAttribute("data-ready", "true");
  const widget = await Widget.on(page);
  const { log } = await run({
    ...{ prompt: "a cat", sampling: { method: "top-k", topK: 0, temperature: 0.5 }, seed: 0 },
    ...{ stop: ["!", "?"], maxTokens: null, cache: false },
  });
  await widget.run();
  expect(await widget.symbols()).toEqual(shown(log));
});

test("from another origin, with all that is fetched when it is first wanted", async ({
  page,
  packed,
  complaints,
}) => {
  complaints.allow(new RegExp(`request to ${packed.away}/dist/`));
  await watchWorkers(page);
  await pageThatFetches(
    page,
    `${packed.away}/dist/generation-loop.js`,
    '<generation-loop seed="7"></generation-loop>',
  );
  const widget = await Widget.on(page);
  await widget.run();
  expect(await widget.symbols()).toEqual(shown((await run()).log));
  await widget.button("Log as CSV").click();
  await expect(widget.share).toContainText("Saved as generation-loop.csv");
  // A large model runs in a worker, though no worker may be from another origin.
  await widget.open(randomFiles(LARGE, 6));
  await expect(widget.model("model.safetensors")).toBeChecked();
  expect(await workersOf(page)).toHaveLength(1);
  await expect(widget.models).not.toContainText("No worker can be started here");
  await widget.prompt.fill("1 2 3");
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
});

for (const form of ["modules", "split"]) {
  test(`the ${form} from another origin, without a bundler`, async ({ page, packed, complaints }) => {
    complaints.allow(new RegExp(`request to ${packed.away}/dist/`));
    await watchTraces(page);
    await pageThatFetches(
      page,
      `${packed.away}/dist/${form}/index.js`,
      '<generation-loop seed="7"></generation-loop>',
    );
    const widget = await Widget.on(page);
    await widget.run();
    expect(await widget.symbols()).toEqual(shown((await run()).log));
    await widget.button("Log as CSV").click();
    await expect(widget.share).toContainText("Saved as generation-loop.csv");
    expect(await tracesOf(page)).toMatchObject({ compiles: 1, instances: 1 });
  });
}

test("ten in one tick: one compilation, and each has a run of its own", async ({ page }) => {
  await watchTraces(page);
  await page.goto("/tests/pages/many.html");
  const texts = await page.evaluate(() =>
    Promise.all(
      [...document.querySelectorAll("generation-loop")].map(async (node) => {
        const element = /** @type {any} */ (await Reflect.get(node, "ready"));
        while (element.moment.stop === null) element.step();
        return element.moment.log.map((/** @type {any} */ { token }) => token.text).join("");
      }),
    ),
  );
  const expected = [];
  for (let seed = 0; seed < 10; seed += 1) {
    expected.push((await run({ sampling: { method: "top-p" }, seed, stop: [], maxTokens: 20 })).text);
  }
  expect(texts).toEqual(expected);
  expect(await tracesOf(page)).toMatchObject({ compiles: 1, instances: 1 });
});

test("on and off the page again in one tick, on the page in the end: it loads once, and runs", async ({
  page,
}) => {
  await watchTraces(page);
  await page.goto("/tests/pages/empty.html");
  await page.locator("main").evaluate(async (main) => {
    await customElements.whenDefined("generation-loop");
    const element = document.createElement("generation-loop");
    for (let time = 0; time < 3; time += 1) {
      main.append(element);
      element.remove();
    }
    main.append(element);
  });
  const widget = await Widget.on(page);
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
  expect(await tracesOf(page)).toMatchObject({ compiles: 1, instances: 1, pending: 0 });
});

test("listeners that step, reset and remove in the middle of a pass, on one page", async ({ page }) => {
  await page.goto("/tests/pages/empty.html");
  const heard = await page.locator("main").evaluate(async (main) => {
    await customElements.whenDefined("generation-loop");
    return Promise.all(
      ["step", "reset", "remove"].map(async (what) => {
        const element = /** @type {any} */ (document.createElement("generation-loop"));
        Object.assign(element, { seed: 7, stop: "", maxTokens: 20, model: "untrained" });
        main.append(element);
        await element.ready;
        /** @type {(number | string)[]} */
        const heard = [];
        element.addEventListener("generation-pass", (/** @type {any} */ { detail }) => {
          heard.push(detail.index);
          if (what === "step" ? detail.stop === null : heard.length === 3) element[what]();
        });
        try {
          while (heard.length < 5) {
            element.step();
            // What goes away with an element, goes at the end of the task.
            await Promise.resolve();
          }
        } catch (error) {
          heard.push(/** @type {any} */ (error).code);
        }
        return heard;
      }),
    );
  });
  expect(heard).toEqual([
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
    [1, 2, 3, 1, 2],
    [1, 2, 3, "not-ready"],
  ]);
});

test("removed in the middle of a run, it leaves no timer, no frame, no listener, and nobody hears of it", async ({
  page,
}) => {
  await watchTraces(page);
  await page.goto("/tests/pages/empty.html");
  // The driver of the browser has listeners of its own from the first call on.
  await page
    .locator("main")
    .evaluate(() => customElements.whenDefined("generation-loop").then(() => undefined));
  const { listeners, observed } = await tracesOf(page);
  for (const speed of ["slow", "fast", "instant"]) {
    const heard = await page.locator("main").evaluate(async (main, speed) => {
      const element = /** @type {any} */ (document.createElement("generation-loop"));
      Object.assign(element, { seed: 7, stop: "", maxTokens: null, model: "untrained" });
      main.append(element);
      await element.ready;
      const select = element.shadowRoot.querySelector("select");
      select.value = speed;
      select.dispatchEvent(new Event("change"));
      const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      /** @type {string[]} */
      const heard = [];
      const types = ["generation-pass", "generation-stop", "generation-error", "generation-moment"];
      for (const type of types) element.addEventListener(type, () => heard.push(type));
      element.run();
      await element.updateComplete;
      await frame();
      element.remove();
      const untilThen = heard.length;
      for (let frames = 0; frames < 3; frames += 1) await frame();
      return { untilThen: untilThen > 0, later: heard.slice(untilThen), moment: element.moment };
    }, speed);
    expect(heard, speed).toEqual({ untilThen: true, later: [], moment: null });
    expect(await tracesOf(page), speed).toMatchObject({ pending: 0, listeners, observed });
  }
});

test("on the page around it, it leaves no trace", async ({ page }) => {
  await page.goto("/tests/pages/blank.html");
  const look = () =>
    page.evaluate(() => {
      const attributes = (/** @type {Element} */ { attributes }) =>
        [...attributes].map(({ name, value }) => `${name}=${value}`);
      return {
        globals: Object.getOwnPropertyNames(window).sort(),
        // What others look up there, and what nearly every value inherits.
        extended: [
          Symbol,
          Object.prototype,
          Array.prototype,
          Node.prototype,
          Element.prototype,
          Event.prototype,
        ].flatMap((owner) => Reflect.ownKeys(owner).map(String)),
        adopted: document.adoptedStyleSheets.length,
        sheets: document.styleSheets.length,
        head: document.head.innerHTML,
        attributes: [document.documentElement, document.body].flatMap(attributes),
        children: [...document.body.children].map(({ localName }) => localName),
        title: document.title,
        address: location.href,
        history: history.length,
        state: history.state,
        kept: [document.cookie, localStorage.length, sessionStorage.length],
        focus: document.activeElement?.localName,
        scroll: scrollY,
        fonts: document.fonts.size,
        named: performance.getEntriesByType("mark").length + performance.getEntriesByType("measure").length,
      };
    });
  await page.evaluate(() => {
    document.body.innerHTML = "<h1>A page</h1><main></main>";
    document.title = "A page";
  });
  const before = await look();
  await page.evaluate(async () => {
    await import(/** @type {any} */ ("/dist/generation-loop.js"));
    const element = /** @type {any} */ (document.createElement("generation-loop"));
    Object.assign(element, { seed: 7, sampling: "top-p" });
    document.querySelector("main")?.append(element);
    await element.ready;
    while (element.moment.stop === null) element.step();
    element.back();
    await element.updateComplete;
  });
  const widget = await Widget.on(page);
  await widget.button("Log as CSV").click();
  await expect(widget.share).toContainText("Saved as generation-loop.csv");
  await widget.root.evaluate((element) => element.remove());
  expect(await look()).toEqual(before);
});
