/** What a reader sees while there is no run yet, where WebAssembly cannot start, and when it fails in the middle. */

import { run } from "./expected.js";
import { forced } from "./forced.js";
import { instancesOf, ruinLastDecoded, watchInstances } from "./instances.js";
import { expect, test } from "./packed.js";
import { shown, Widget } from "./widget.js";

const FALLBACK = "This needs a browser with JavaScript and WebAssembly.";

test("what stands inside the element shows until it is ready", async ({ page }) => {
  await page.addInitScript(() => {
    const { compile } = WebAssembly;
    const released = new Promise((resolve) => Reflect.set(window, "release", resolve));
    Reflect.set(WebAssembly, "compile", async (/** @type {any[]} */ ...args) => {
      await released;
      return Reflect.apply(compile, WebAssembly, args);
    });
  });
  await page.goto("/tests/pages/plain.html");
  await expect(page.locator("generation-loop:defined")).toBeVisible();
  await expect(page.getByText(FALLBACK)).toBeVisible();
  await expect(page.getByRole("button")).toHaveCount(0);
  const early = await page.evaluate(() => {
    const element = /** @type {any} */ (document.querySelector("generation-loop"));
    return Promise.race([element.ready.then(() => "ready"), Promise.resolve("not yet")]);
  });
  expect(early).toBe("not yet");

  await page.evaluate(() => Reflect.get(window, "release")());
  await Widget.on(page);
  await expect(page.getByText(FALLBACK)).toBeHidden();
});

test("a browser without WebAssembly is told so, and can try again", async ({ page }) => {
  await page.addInitScript(() => {
    Reflect.set(window, "kept", WebAssembly);
    Reflect.deleteProperty(window, "WebAssembly");
  });
  await page.goto("/tests/pages/plain.html");
  const element = page.locator("generation-loop");
  await expect(element).toContainText("this browser has no WebAssembly");
  await expect(page.getByText(FALLBACK)).toBeVisible();
  await expect(element.getByRole("status")).toContainText("this browser has no WebAssembly");
  const code = await element.evaluate((node) =>
    /** @type {any} */ (node).ready.then(
      () => "ready",
      (/** @type {any} */ error) => error.code,
    ),
  );
  expect(code).toBe("wasm-unavailable");

  // A browser may allow it after all, as some do for a single site.
  await page.evaluate(() => Reflect.set(window, "WebAssembly", Reflect.get(window, "kept")));
  await element.getByRole("button", { name: "Load the model again" }).click();
  const widget = await Widget.on(page);
  expect(
    await element.evaluate((node) =>
      /** @type {any} */ (node).ready.then((/** @type {any} */ it) => it === node),
    ),
  ).toBe(true);
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(1);
});

test("a model that cannot be loaded is told of, the one before it stays, and a right one follows", async ({
  page,
}) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.step(2);
  const { log } = await run();
  expect(await widget.symbolsAfter(2)).toEqual(shown(log).slice(0, 2));
  const { config, weights } = forced("abc", 11);
  const told = await widget.root.evaluate(
    async (node, model) => {
      const element = /** @type {any} */ (node);
      /** @type {string[]} */
      const told = [];
      element.addEventListener("generation-error", (/** @type {CustomEvent} */ { detail }) =>
        told.push(detail.code),
      );
      element.model = model;
      await element.ready.catch((/** @type {any} */ error) => told.push(error.code));
      return { told, model: element.model, ready: (await element.ready) === element };
    },
    { config, weights: { ...weights, "lm_head.weight": { shape: [1, 1], data: [0] } } },
  );
  expect(told).toEqual({ told: ["tensor-shape", "tensor-shape"], model: "trained", ready: true });
  await expect(widget.outcome).toContainText("tensor lm_head.weight has shape [1, 1]; expected [64, 16]");
  await expect(widget.status).toContainText("lm_head.weight");
  await expect(page.getByText(FALLBACK)).toBeHidden();
  await widget.step();
  expect(await widget.symbolsAfter(3)).toEqual(shown(log).slice(0, 3));
  await expect(widget.outcome).toHaveText("");

  await widget.root.evaluate(
    (node, model) => {
      Object.assign(node, { model, maxTokens: null });
      return /** @type {any} */ (node).ready.then(() => undefined);
    },
    { config, weights },
  );
  await expect(widget.model("your own")).toBeChecked();
  await widget.run();
  await expect(widget.generatedCells.nth(2)).toHaveText("c");
});

test("where the first model cannot be loaded, what the page put there stays, and a right one follows", async ({
  page,
}) => {
  await page.goto("/tests/pages/empty.html");
  const { config, weights } = forced("abc", 11);
  const codes = await page.locator("main").evaluate(
    async (main, { model, fallback }) => {
      const element = /** @type {any} */ (document.createElement("generation-loop"));
      element.append(document.createElement("p"));
      element.firstChild.textContent = fallback;
      /** @type {string[]} */
      const codes = [];
      element.addEventListener("generation-error", (/** @type {CustomEvent} */ { detail }) =>
        codes.push(detail.code),
      );
      element.model = model;
      main.append(element);
      await element.ready.catch((/** @type {any} */ error) => codes.push(error.code));
      return codes;
    },
    { model: { config: { ...config, n_head: 1000 }, weights }, fallback: FALLBACK },
  );
  expect(codes).toEqual(["invalid-config", "invalid-config"]);
  const element = page.locator("generation-loop");
  await expect(element).toContainText("n_head is 1000; allowed: a divisor of n_embd, which is 16");
  await expect(page.getByText(FALLBACK)).toBeVisible();
  // Again it is the same.
  await element.getByRole("button", { name: "Load the model again" }).click();
  await expect(element).toContainText("n_head is 1000");

  await element.evaluate(
    (node, model) => {
      Object.assign(node, { model, maxTokens: null });
      return /** @type {any} */ (node).ready.then(() => undefined);
    },
    { config, weights },
  );
  const widget = await Widget.on(page);
  await expect(page.getByText(FALLBACK)).toBeHidden();
  await widget.run();
  await expect(widget.generatedCells.nth(2)).toHaveText("c");
});

test("a WebAssembly failure in the middle of a run: the element says so, and loads again", async ({
  page,
}) => {
  await watchInstances(page);
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
  await ruinLastDecoded(page);
  const told = await widget.root.evaluate((node) => {
    const element = /** @type {any} */ (node);
    /** @type {string[]} */
    const told = [];
    element.addEventListener("generation-error", (/** @type {CustomEvent} */ { detail }) =>
      told.push(detail.code),
    );
    try {
      element.step();
    } catch (error) {
      told.push(/** @type {any} */ (error).code);
    }
    return told;
  });
  expect(told).toEqual(["trapped", "trapped"]);
  await expect(widget.root).toContainText("the WebAssembly instance has failed");
  await expect(widget.status).toContainText("the WebAssembly instance has failed");
  await expect(page.getByText(FALLBACK)).toBeVisible();
  await expect(widget.primary).toBeHidden();

  await widget.button("Load the model again").click();
  await expect(widget.primary).toBeVisible();
  expect(await instancesOf(page)).toBe(2);
  // At the prompt, for what failed once might fail again on the way back to where it was.
  const { log } = await run({ seed: 7 });
  await expect(widget.primary).toHaveText("Prefill 11 tokens");
  await expect(widget.outcome).toHaveText("");
  await widget.step(3);
  expect(await widget.symbolsAfter(3)).toEqual(shown(log).slice(0, 3));
});

test("a failure of one element leaves the others at work", async ({ page }) => {
  await watchInstances(page);
  await page.goto("/tests/pages/several.html");
  const [broken, other] = [await Widget.on(page, 0), await Widget.on(page, 1)];
  await other.step(2);
  await broken.step(2);
  await expect(broken.generatedCells).toHaveCount(2);
  await ruinLastDecoded(page);
  await broken.button("Run").click();
  await expect(broken.root).toContainText("the WebAssembly instance has failed");

  await other.run();
  const sampling = /** @type {const} */ ({ method: "top-p" });
  const { log } = await run({ prompt: "a cat", sampling, stop: [], maxTokens: 24 });
  expect(await other.symbols()).toEqual(shown(log));
  await broken.button("Load the model again").click();
  await broken.step(3);
  await expect(broken.generatedCells).toHaveCount(3);
});
