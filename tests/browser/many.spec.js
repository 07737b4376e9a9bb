/** A hundred elements on one page at a time, and what is left of them when they have gone. */

import { expect, test } from "./packed.js";
import { tracesOf, watchTraces } from "./traces.js";

/** @typedef {{ heap: number, nodes: number, listeners: number, documents: number, wasm: number }} Memory */

/**
 * Puts elements on the page at once, makes passes on each in turn, and takes them away. The shown ones among them have all panels.
 * @param {import("@playwright/test").Page} page
 * @param {number} elements
 * @param {number} passes of each
 */
function comeAndGo(page, elements, passes) {
  return page.locator("main").evaluate(
    async (main, { elements, passes }) => {
      const all = Array.from({ length: elements }, (_, seed) => {
        const element = /** @type {any} */ (document.createElement("generation-loop"));
        const hide = seed % 5 === 0 ? "" : "settings log distribution cost cache";
        return Object.assign(element, { seed, hide, model: "untrained", sampling: "temperature", stop: "" });
      });
      main.append(...all);
      await Promise.all(all.map(({ ready }) => ready));
      for (let pass = 0; pass < passes; pass += 1) {
        for (const element of all) if (element.moment.stop === null) element.step();
        await Promise.all(all.map(({ updateComplete }) => updateComplete));
      }
      const made = all.map(({ moment }) => moment.log.length);
      const texts = all.map(({ moment }) =>
        moment.log.map((/** @type {any} */ { token }) => token.id).join(),
      );
      for (const element of all) element.remove();
      // What an element frees, it frees at the end of the task.
      await new Promise((resolve) => setTimeout(resolve));
      return { made, texts: new Set(texts).size };
    },
    { elements, passes },
  );
}

test.beforeEach(async ({ page }) => {
  await watchTraces(page);
  await page.addInitScript(() => {
    /** @type {WeakRef<WebAssembly.Memory>[]} */
    const memories = [];
    Reflect.set(window, "memories", memories);
    Reflect.set(
      WebAssembly,
      "Instance",
      new Proxy(WebAssembly.Instance, {
        construct(original, args) {
          const instance = Reflect.construct(original, args);
          memories.push(new WeakRef(instance.exports.memory));
          return instance;
        },
      }),
    );
  });
  await page.goto("/tests/pages/empty.html");
  await page.evaluate(() => customElements.whenDefined("generation-loop").then(() => undefined));
});

/**
 * What the page holds, once it has forgotten what it can.
 * @param {import("@playwright/test").Page} page
 * @param {import("@playwright/test").CDPSession} session
 * @returns {Promise<Memory>}
 */
async function memoryOf(page, session) {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50))));
  // What is freed by what is freed takes another time.
  for (let time = 0; time < 3; time += 1) await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const of = (/** @type {string} */ name) =>
    metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  const wasm = await page.evaluate(() =>
    Reflect.get(window, "memories").reduce(
      (/** @type {number} */ sum, /** @type {WeakRef<WebAssembly.Memory>} */ memory) =>
        sum + (memory.deref()?.buffer.byteLength ?? 0),
      0,
    ),
  );
  return {
    heap: of("JSHeapUsedSize"),
    nodes: of("Nodes"),
    listeners: of("JSEventListeners"),
    documents: of("Documents"),
    wasm,
  };
}

test("a hundred in turn: each has a run of its own, on one instance, and nothing is left of them", async ({
  page,
  browserName,
}) => {
  test.slow();
  // The driver of the browser has listeners of its own from the first call on.
  await comeAndGo(page, 1, 1);
  const before = await tracesOf(page);
  expect(before.pending).toBe(0);
  const { made, texts } = await comeAndGo(page, 100, 5);
  // An end-of-text may come early, and seldom does.
  expect(made.filter((passes) => passes === 5).length).toBeGreaterThan(90);
  expect(texts).toBeGreaterThan(50);
  const after = await tracesOf(page);
  expect(after).toEqual({ ...before, compiles: 1, instances: 1, scheduled: after.scheduled });

  // Only Chromium tells of its memory.
  if (browserName !== "chromium") return;
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  // The first hundred made room for themselves in the WebAssembly, which never shrinks, and had all of the library run once.
  const { heap, ...exact } = await memoryOf(page, session);
  await comeAndGo(page, 100, 5);
  const { heap: heapThen, ...exactThen } = await memoryOf(page, session);
  expect(heapThen).toBeLessThan(1.1 * heap);
  expect(exactThen).toEqual(exact);
});
