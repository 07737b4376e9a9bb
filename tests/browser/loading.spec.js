/** Loads that take their time, are cancelled or fail: how they are shown, and that the run beside them goes on. */

import { random } from "../unit/checkpoints.js";
import { modelFile } from "../unit/files.js";
import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { filesOf, LARGE, SMALL, watchWorkers, workersOf } from "./models.js";
import { slowServer } from "./server.js";
import { shown, Widget } from "./widget.js";

/** 1.4 MB, whose passes are made on the page's own thread all the same: what is large is what is looked up. */
const MEDIUM = { ...SMALL, n_embd: 8, vocab_size: 20_000, n_inner: 8, n_positions: 16 };

/** Each is loaded in another place. */
const MODELS = {
  "on the page's own thread": { config: MEDIUM, weights: modelFile(random(MEDIUM, 1, 0.1)) },
  "in a worker": { config: LARGE, weights: modelFile(random(LARGE, 1, 0.1)) },
};

/**
 * @param {Widget} widget
 * @param {string} address
 */
const begin = ({ root }, address) =>
  root.evaluate((element, value) => {
    Object.assign(element, { model: value });
    const failed = Reflect.get(element, "ready").then(
      () => "loaded",
      (/** @type {any} */ error) => error.name,
    );
    Reflect.set(element, "outcomeOfLoad", failed);
  }, address);

for (const [where, model] of Object.entries(MODELS)) {
  test(`a load ${where} shows how far it is, and cancelled it leaves everything as it was`, async ({
    page,
    complaints,
  }) => {
    const server = await slowServer(model);
    complaints.allow(new RegExp(`request to ${server.address}`));
    await watchWorkers(page);
    await page.goto("/tests/pages/plain.html");
    const widget = await Widget.on(page);
    await widget.use("untrained");
    const { log } = await run({ model: "untrained" });
    await widget.step(3);
    const rows = await widget.log();
    await begin(widget, server.address);
    await expect(widget.models).toContainText(
      new RegExp(`Loading http.*/m/: \\d\\.\\d of ${(model.weights.length / 1e6).toFixed(1)} MB`),
    );
    await expect(widget.progress).toHaveAccessibleName(`Loading ${server.address}`);
    await expect(widget.ownFiles).toHaveCount(0);
    // About half of it has come.
    await expect
      .poll(() => widget.progress.evaluate((bar) => /** @type {HTMLProgressElement} */ (bar).position))
      .toBeGreaterThan(0.3);
    expect(
      await widget.progress.evaluate((bar) => /** @type {HTMLProgressElement} */ (bar).position),
    ).toBeLessThan(0.7);

    // The run beside it goes on meanwhile.
    await expect(widget.model("untrained")).toBeChecked();
    await widget.step();
    expect(await widget.symbolsAfter(4)).toEqual(shown(log).slice(0, 4));
    await widget.button("Back").click();

    await widget.button("Cancel").focus();
    await page.keyboard.press("Enter");
    await expect(widget.progress).toHaveCount(0);
    await expect(widget.status).toHaveText("Loading was cancelled.");
    await expect(widget.outcome).toHaveText("");
    await expect.poll(() => server.closed()).toBe(1);
    expect((await workersOf(page)).filter(({ terminated }) => !terminated)).toEqual([]);
    const after = await widget.root.evaluate(async (node) => {
      const element = /** @type {any} */ (node);
      const outcome = await element.outcomeOfLoad;
      return { outcome, model: element.model, ready: (await element.ready) === element };
    });
    expect(after).toEqual({ outcome: "AbortError", model: "untrained", ready: true });
    expect(await widget.log()).toEqual(rows);
    await expect(widget.model("untrained")).toBeChecked();
    await widget.step(2);
    expect(await widget.symbolsAfter(5)).toEqual(shown(log).slice(0, 5));
    // The same again, to its end this time.
    server.letGo();
    await begin(widget, server.address);
    await expect(widget.model(server.address)).toBeChecked();
    await expect(widget.primary).toHaveText("Prefill 3 tokens");
    await server.close();
  });
}

test("Cancel keeps the focus in the widget", async ({ page, complaints }) => {
  const server = await slowServer(MODELS["on the page's own thread"]);
  complaints.allow(new RegExp(`request to ${server.address}`));
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await begin(widget, server.address);
  await widget.button("Cancel").focus();
  await page.keyboard.press("Enter");
  await expect(widget.progress).toHaveCount(0);
  // From there the next stop is beside it, and not at the top of the page.
  await expect(widget.models.locator(":focus")).toHaveCount(1);
  await server.close();
});

test("choosing files by keyboard keeps the focus in the widget", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.ownFiles.focus();
  await widget.open(filesOf({ config: LARGE, weights: MODELS["in a worker"].weights }));
  await expect(widget.model("model.safetensors")).toBeChecked();
  await expect(widget.models.locator(":focus")).toHaveCount(1);
});

test("another model chosen meanwhile is the one that counts", async ({ page, complaints }) => {
  const server = await slowServer(MODELS["on the page's own thread"]);
  complaints.allow(new RegExp(`request to ${server.address}`));
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await begin(widget, server.address);
  await expect(widget.models).toContainText("MB");
  await widget.use("untrained");
  await expect(widget.progress).toHaveCount(0);
  server.letGo();
  await expect.poll(() => server.closed()).toBe(1);
  await widget.step();
  await expect(widget.model("untrained")).toBeChecked();
  await expect(widget.generatedCells).toHaveCount(1);
  await server.close();
});

test("an element that is removed in the middle of a load asks for no more", async ({ page, complaints }) => {
  const server = await slowServer(MODELS["in a worker"]);
  complaints.allow(new RegExp(`request to ${server.address}`));
  await watchWorkers(page);
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await begin(widget, server.address);
  await expect(widget.models).toContainText("MB");
  await widget.root.evaluate((element) => element.remove());
  await expect.poll(() => server.closed()).toBe(1);
  expect((await workersOf(page)).filter(({ terminated }) => !terminated)).toEqual([]);
  await server.close();
});

test("a first load that is cancelled says so, and can be begun again", async ({ page, complaints }) => {
  const server = await slowServer(MODELS["on the page's own thread"]);
  complaints.allow(new RegExp(`request to ${server.address}`));
  await page.goto("/tests/pages/empty.html");
  await page.locator("main").evaluate((main, address) => {
    main.innerHTML = `<generation-loop model="${address}" prompt="1 2 3"></generation-loop>`;
  }, server.address);
  const widget = new Widget(page.locator("generation-loop"));
  await expect(widget.progress).toBeVisible();
  await widget.button("Cancel").click();
  await expect(widget.root).toContainText("loading was cancelled");
  await expect(widget.status).toContainText("loading was cancelled");
  server.letGo();
  await widget.button("Load the model again").click();
  await expect(widget.primary).toHaveText("Prefill 3 tokens");
  await server.close();
});

/** Shapes that need more memory than there can be, in bytes. */
const HUGE = [
  { shape: { n_layer: 48, n_embd: 16_384, n_head: 16, n_inner: 65_536 }, least: 600e9 },
  { shape: { n_layer: 1, n_embd: 16_384, n_head: 16, n_inner: 65_536 }, least: 12e9 },
  { shape: { n_layer: 1, n_embd: 8192, n_head: 16, n_inner: 40_000 }, least: 3e9 },
  { shape: { n_layer: 1, n_embd: 8192, n_head: 8192, n_inner: 8, n_positions: 1_000_000 }, least: 32e9 },
];

test("a model that needs more memory than there can be is refused at once, with the bytes", async ({
  page,
  complaints,
}) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.step(3);
  const rows = await widget.log();
  for (const { shape, least } of HUGE) {
    // Of the weights no more than the beginning comes: whoever waited for them would wait for ever.
    const server = await slowServer({ config: { ...SMALL, ...shape }, weights: modelFile(random(SMALL)) });
    complaints.allow(new RegExp(`request to ${server.address}`));
    const { code, message } = await widget.root.evaluate((element, address) => {
      Object.assign(element, { model: address });
      return Reflect.get(element, "ready").catch((/** @type {any} */ { code, message }) => ({
        code,
        message,
      }));
    }, server.address);
    expect(code, message).toBe("out-of-memory");
    expect(message).toContain(`${server.address}config.json: `);
    expect(message).toContain("bytes of memory could not be had");
    expect(Number(/(\d{10,13}) (?:more )?bytes/.exec(message)?.[1])).toBeGreaterThanOrEqual(least);
    await expect(widget.outcome).toContainText(message);
    await expect(widget.model("trained")).toBeChecked();
    expect(await widget.log()).toEqual(rows);
    await server.close();
  }
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(4);
});

test("a load that fails beside a run that goes on does not end it", async ({ page, complaints }) => {
  complaints.allow(/404/);
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.use("untrained");
  const { log } = await run({ model: "untrained" });
  await widget.speed.selectOption("fast");
  await widget.button("Run").click();
  await expect(widget.generatedCells).not.toHaveCount(0);
  await widget.root.evaluate(
    (element) => Object.assign(element, { model: "/tests/not/there/" }) && undefined,
  );
  await expect(widget.status).toContainText("config.json: its server answered 404");
  await widget.open(filesOf({ weights: "" }));
  await expect(widget.status).toContainText("model.safetensors: not a safetensors file");
  await widget.stopped();
  expect(await widget.symbols()).toEqual(shown(log));
});
