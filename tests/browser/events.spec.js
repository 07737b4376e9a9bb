/** The element as a script uses it: its methods, its events, and what a listener may do in the middle of them. */

import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { shown, Widget } from "./widget.js";

/**
 * What the page heard, in order.
 * @typedef {{ type: string, detail: any, from: string }[]} Heard
 */

test.beforeEach(async ({ page }) => {
  await page.goto("/tests/pages/empty.html");
  // Inside the shadow of another element: events must come out of there too.
  await page.locator("main").evaluate(async (main) => {
    const host = main.appendChild(document.createElement("section"));
    const element = /** @type {any} */ (document.createElement("generation-loop"));
    Object.assign(element, { model: "untrained", seed: 7, stop: "" });
    host.attachShadow({ mode: "open" }).append(element);
    await element.ready;
    const page = /** @type {any} */ (window);
    page.element = element;
    page.heard = [];
    for (const type of ["generation-pass", "generation-stop", "generation-error"]) {
      document.addEventListener(type, (event) => {
        const { detail } = /** @type {CustomEvent} */ (event);
        const plain =
          detail instanceof Error ? { code: Reflect.get(detail, "code"), message: detail.message } : detail;
        page.heard.push({
          type,
          detail: JSON.parse(JSON.stringify(plain)),
          from: event.composedPath()[0] === element ? "element" : "",
        });
      });
    }
  });
});

/** @param {import("@playwright/test").Page} page @returns {Promise<Heard>} */
const heard = (page) => page.evaluate(() => /** @type {any} */ (window).heard);

/**
 * Calls methods of the element, one after the other; an error is its code.
 * @param {import("@playwright/test").Page} page
 * @param {...string} names
 * @returns {Promise<any[]>}
 */
function call(page, ...names) {
  return page.evaluate((names) => {
    const { element } = /** @type {any} */ (window);
    return names.map((name) => {
      try {
        return element[name]();
      } catch (error) {
        return /** @type {any} */ (error).code ?? String(error);
      }
    });
  }, names);
}

/**
 * Runs to the end at full speed while a listener does something, and waits for the end.
 * @param {import("@playwright/test").Page} page
 * @param {Widget} widget
 */
async function runInstantly(page, widget) {
  await widget.speed.selectOption("instant");
  await page.evaluate(() => {
    const { element } = /** @type {any} */ (window);
    const stopped = new Promise((resolve) =>
      element.addEventListener("generation-stop", resolve, { once: true }),
    );
    element.run();
    return stopped.then(() => undefined);
  });
}

test("methods make passes, and each is heard with its record", async ({ page }) => {
  const widget = await Widget.on(page);
  const { log } = await run({ model: "untrained", stop: [] });
  expect(await call(page, "prefill", "step", "step")).toEqual(Array(3).fill(undefined));
  const events = await heard(page);
  expect(events.map(({ type, from }) => [type, from])).toEqual(Array(3).fill(["generation-pass", "element"]));
  const withoutTime = (/** @type {any} */ { milliseconds, ...pass }) => pass;
  expect(events.map(({ detail }) => withoutTime(detail))).toEqual(
    log.slice(0, 3).map((pass) => withoutTime(JSON.parse(JSON.stringify(pass)))),
  );
  expect(await widget.symbolsAfter(3)).toEqual(shown(log).slice(0, 3));

  await call(page, "back", "back");
  await expect(widget.generatedCells).toHaveCount(1);
  await call(page, "step");
  expect(await widget.symbolsAfter(2)).toEqual(shown(log).slice(0, 2));
  // Prefill is the first pass of a new run, wherever the old one was.
  await call(page, "prefill");
  await expect(widget.generatedCells).toHaveCount(1);
  await call(page, "reset");
  await expect(widget.generatedCells).toHaveCount(0);
  await call(page, "back");
  await expect(widget.primary).toHaveText("Prefill 11 tokens");
  expect((await heard(page)).map(({ type }) => type)).toEqual(Array(5).fill("generation-pass"));
});

test("a run tells of its end exactly once, after its last pass", async ({ page }) => {
  const widget = await Widget.on(page);
  await runInstantly(page, widget);
  await widget.stopped();
  const events = await heard(page);
  expect(events.map(({ type }) => type)).toEqual([...Array(21).fill("generation-pass"), "generation-stop"]);
  expect(events.at(-1)?.detail).toEqual({ reason: "max-tokens" });
  expect(events.at(-2)?.detail.stop).toEqual({ reason: "max-tokens" });

  // A step beyond the end is refused, and no second end.
  expect(await call(page, "step")).toEqual(["stopped"]);
  const later = (await heard(page)).slice(events.length);
  expect(later.map(({ type, detail }) => [type, detail.code])).toEqual([["generation-error", "stopped"]]);
  await expect(widget.outcome).toContainText(later[0].detail.message);
  await expect(widget.outcome).toContainText("Stopped:");
  // The widget is as usable as before.
  await widget.primary.click();
  await expect(widget.outcome).toHaveText("");
});

test("a stop string is named in the end that is told", async ({ page }) => {
  const { text } = await run({ model: "untrained", stop: [] });
  const widget = await Widget.on(page);
  await page.evaluate(
    (stop) => {
      /** @type {any} */ (window).element.stop = stop;
    },
    [text.slice(3, 5)],
  );
  await runInstantly(page, widget);
  expect((await heard(page)).at(-1)).toMatchObject({
    type: "generation-stop",
    detail: { reason: "stop-string", match: text.slice(3, 5) },
  });
});

test("what is refused is heard as an error with its code", async ({ page }) => {
  const widget = await Widget.on(page);
  await page.evaluate(() => {
    /** @type {any} */ (window).element.prompt = "é";
  });
  const refused = "unsupported-characters";
  expect(await call(page, "step", "prefill", "run")).toEqual([refused, refused, refused]);
  const events = await heard(page);
  expect(events.map(({ type, detail }) => [type, detail.code])).toEqual(
    Array(3).fill(["generation-error", refused]),
  );
  expect(events[0].detail.message).toContain("é");
  await widget.prompt.fill("a cat");
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(1);
});

test("before it is ready, a method says so", async ({ page }) => {
  const codes = await page.evaluate(async () => {
    const early = /** @type {any} */ (document.createElement("generation-loop"));
    const codes = ["prefill", "step", "run", "back", "reset", "pause"].map((name) => {
      try {
        return early[name]();
      } catch (error) {
        return /** @type {any} */ (error).code;
      }
    });
    document.querySelector("main")?.append(early);
    await early.ready;
    early.step();
    return codes;
  });
  expect(codes.slice(0, 5)).toEqual(Array(5).fill("not-ready"));
  // There is nothing to pause, which is what was asked for.
  expect(codes[5]).toBeUndefined();
});

for (const [what, passes] of /** @type {const} */ ([
  ["step", 21],
  ["reset", 1],
  ["back", 2],
  ["prefill", 3],
  ["pause", 2],
  ["remove", 2],
])) {
  test(`a listener may ${what} in the middle of a pass`, async ({ page }) => {
    const widget = await Widget.on(page);
    const { log } = await run({ model: "untrained", stop: [] });
    await widget.speed.selectOption("instant");
    const result = await page.evaluate(
      async ({ what, at }) => {
        const { element } = /** @type {any} */ (window);
        const { promise, resolve } = /** @type {any} */ (Promise).withResolvers();
        const host = element.getRootNode();
        /** @type {number[]} */
        const passes = [];
        let acted = false;
        element.addEventListener("generation-pass", (/** @type {any} */ { detail }) => {
          passes.push(detail.index);
          if (what === "step") {
            if (detail.stop === null) element.step();
          } else if (detail.index === at && !acted) {
            acted = true;
            element[what]();
          }
          resolve();
        });
        element.run();
        await promise;
        // Three frames on, whatever was scheduled has had its turn.
        for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
        if (what === "remove") host.append(element);
        await element.ready;
        return passes;
      },
      { what, at: passes },
    );
    await expect(widget.primary).toBeEnabled();
    const places = Array.from({ length: 21 }, (_, index) => index + 1);
    if (what === "step") {
      // The listener steps inside its own event, and the run finds nothing left to do.
      expect(result).toEqual(places);
      await widget.stopped();
      expect(await widget.symbols()).toEqual(shown(log));
    } else if (what === "remove") {
      expect(result.slice(0, passes)).toEqual(places.slice(0, passes));
      await widget.stopped();
      expect(await widget.symbols()).toEqual(shown(log));
    } else {
      expect(result).toEqual([...places.slice(0, passes), ...(what === "prefill" ? [1] : [])]);
      const left = { reset: 0, back: passes - 1, prefill: 1, pause: passes }[what];
      await expect(widget.generatedCells).toHaveCount(left);
      await expect(widget.button("Run")).toBeEnabled();
      // And on from there, to the same end as ever.
      await runInstantly(page, widget);
      await widget.stopped();
      expect(await widget.symbols()).toEqual(shown(log));
    }
    const stops = (await heard(page)).filter(({ type }) => type === "generation-stop");
    expect(stops).toHaveLength(1);
  });
}

test("a listener may start the next run at the end of one", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.speed.selectOption("instant");
  await page.evaluate(async () => {
    const { element } = /** @type {any} */ (window);
    const { promise, resolve } = /** @type {any} */ (Promise).withResolvers();
    let ends = 0;
    element.addEventListener("generation-stop", () => {
      ends += 1;
      if (ends < 3) element.run();
      else resolve();
    });
    element.run();
    await promise;
  });
  await widget.stopped();
  const types = (await heard(page)).map(({ type }) => type);
  expect(types).toEqual(
    Array(3)
      .fill([...Array(21).fill("generation-pass"), "generation-stop"])
      .flat(),
  );
});

test("a listener may pause and run, or reset and run, in one go", async ({ page }) => {
  const widget = await Widget.on(page);
  const { log } = await run({ model: "untrained", stop: [] });
  await widget.speed.selectOption("fast");
  const passes = await page.evaluate(async () => {
    const { element } = /** @type {any} */ (window);
    const select = element.shadowRoot.querySelector("select");
    /** @type {number[]} */
    const passes = [];
    let resets = 0;
    element.addEventListener("generation-pass", (/** @type {any} */ { detail }) => {
      passes.push(detail.index);
      if (detail.index === 2) {
        element.pause();
        element.run();
      }
      if (detail.index === 4 && resets === 0) {
        resets += 1;
        element.reset();
        element.run();
        select.value = "instant";
        select.dispatchEvent(new Event("change"));
      }
    });
    const stopped = new Promise((resolve) => element.addEventListener("generation-stop", resolve));
    element.run();
    await stopped;
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    return passes;
  });
  // One after the other, each once: there is never a second run beside the first.
  const whole = Array.from({ length: 21 }, (_, index) => index + 1);
  expect(passes).toEqual([1, 2, 3, 4, ...whole]);
  expect(await widget.symbols()).toEqual(shown(log));
  await expect(widget.button("Run")).toBeEnabled();
  expect((await heard(page)).filter(({ type }) => type === "generation-stop")).toHaveLength(1);
});

test("a listener that throws harms neither the run nor the other listeners", async ({ page, complaints }) => {
  complaints.allow(/a listener of the page's/);
  const widget = await Widget.on(page);
  await page.evaluate(() => {
    /** @type {any} */ (window).element.addEventListener("generation-pass", () => {
      throw new Error("a listener of the page's");
    });
  });
  await runInstantly(page, widget);
  await widget.stopped();
  expect(await heard(page)).toHaveLength(22);
});
