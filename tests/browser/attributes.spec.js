/** The element's settings, by attribute and by property: what they mean, in which order they come, and what is refused. */

import { run } from "./expected.js";
import { forced } from "./forced.js";
import { expect, test } from "./packed.js";
import { shown, Widget } from "./widget.js";

/** Every setting, with a value that is not its default, as an attribute has it. */
const ATTRIBUTES = {
  prompt: "hi",
  model: "untrained",
  sampling: "top-p",
  temperature: "0.5",
  "top-k": "3",
  "top-p": "0.4",
  seed: "12",
  stop: "ab|\\n",
  "max-tokens": "6",
  cache: "off",
  hide: "legend log",
  autoplay: "",
};

/** The same as properties read them back. */
const VALUES = {
  prompt: "hi",
  model: /** @type {const} */ ("untrained"),
  sampling: "top-p",
  temperature: 0.5,
  topK: 3,
  topP: 0.4,
  seed: 12,
  stop: ["ab", "\n"],
  maxTokens: 6,
  cache: false,
  hide: ["legend", "log"],
  autoplay: true,
};

const DEFAULTS = {
  prompt: "the cat sat",
  model: "trained",
  sampling: "greedy",
  temperature: 1,
  topK: 8,
  topP: 0.9,
  stop: ["."],
  maxTokens: 32,
  cache: true,
  hide: [],
  autoplay: false,
};

test.beforeEach(({ page }) => page.goto("/tests/pages/empty.html"));

/**
 * Puts an element on the page in the place of the one before, with attributes before or after that, and waits for it.
 * @param {import("@playwright/test").Page} page
 * @param {{ before?: object, after?: object, properties?: object }} settings
 */
async function add(page, { before = {}, after = {}, properties = {} }) {
  await page.locator("main").evaluate(
    async (main, { before, after, properties }) => {
      await customElements.whenDefined("generation-loop");
      const element = /** @type {any} */ (document.createElement("generation-loop"));
      for (const [name, value] of Object.entries(before)) element.setAttribute(name, value);
      Object.assign(element, properties);
      main.replaceChildren(element);
      await element.ready;
      for (const [name, value] of Object.entries(after)) element.setAttribute(name, value);
      await element.updateComplete;
    },
    { before, after, properties },
  );
  return Widget.on(page);
}

/**
 * @param {Widget} widget
 * @returns {Promise<Record<string, any>>}
 */
function values({ root }) {
  return root.evaluate((element) => {
    const { prompt, model, sampling, temperature, topK, topP, seed, stop, maxTokens, cache, hide, autoplay } =
      /** @type {any} */ (element);
    return { prompt, model, sampling, temperature, topK, topP, seed, stop, maxTokens, cache, hide, autoplay };
  });
}

test("without attributes every setting has its default, and the seed in use is told", async ({ page }) => {
  const { seed, ...others } = await values(await add(page, {}));
  expect(others).toEqual(DEFAULTS);
  expect(Number.isSafeInteger(seed)).toBe(true);
});

for (const when of /** @type {const} */ (["before", "after"])) {
  test(`attributes in any order, set ${when} the element is on the page`, async ({ page }) => {
    const { sampling, temperature, topK, topP, hide, autoplay, ...options } = VALUES;
    const { log } = await run({ ...options, sampling: { method: "top-p", temperature, topK, topP } });
    const entries = Object.entries(ATTRIBUTES);
    for (const order of [entries, entries.toReversed()]) {
      const widget = await add(page, { [when]: Object.fromEntries(order) });
      expect(await values(widget)).toEqual(VALUES);
      await expect(widget.promptCells).toHaveCount(2);
      await expect(widget.table).toBeHidden();
      await expect(widget.root.getByRole("list", { name: "Legend" })).toBeHidden();
      // Whoever sets `autoplay` later has missed the beginning.
      if (when === "after") await widget.run();
      await widget.stopped();
      expect(await widget.symbols()).toEqual(shown(log));
    }
  });
}

test("an attribute that goes away leaves the default", async ({ page }) => {
  const widget = await add(page, { before: { ...ATTRIBUTES, autoplay: "off" } });
  await widget.root.evaluate((element) => {
    for (const name of element.getAttributeNames()) element.removeAttribute(name);
  });
  const { seed, ...others } = await values(widget);
  expect(others).toEqual(DEFAULTS);
  expect(Number.isSafeInteger(seed)).toBe(true);
  await expect(widget.primary).toHaveText("Prefill 11 tokens");
  await expect(widget.table).toBeVisible();
});

for (const how of /** @type {const} */ (["before", "after", "properties"])) {
  test(`each 0 counts, ${how === "properties" ? "by property" : `by attribute, ${how} the element is there`}`, async ({
    page,
  }) => {
    for (const [attribute, property, sampling, kept] of /** @type {const} */ ([
      ["top-k", "topK", "top-k", 64],
      ["top-p", "topP", "top-p", 1],
      ["temperature", "temperature", "temperature", 1],
      ["seed", "seed", "temperature", 64],
    ])) {
      const zero = how === "properties" ? { sampling, [property]: 0 } : { sampling, [attribute]: "0" };
      const widget = await add(page, { [how]: zero });
      expect((await values(widget))[property], property).toBe(0);
      const candidates = await widget.root.evaluate((element) => {
        const loop = /** @type {any} */ (element);
        /** @type {any} */
        let pass;
        loop.addEventListener("generation-pass", (/** @type {any} */ event) => {
          pass = event.detail;
        });
        loop.step();
        return pass.candidates.filter((/** @type {any} */ one) => one.samplingProbability > 0).length;
      });
      expect(candidates, `candidates with ${property} 0`).toBe(kept);
      if (property === "seed") {
        const { log } = await run({ sampling: { method: "temperature" }, seed: 0 });
        expect(await widget.symbolsAfter(1)).toEqual(shown(log).slice(0, 1));
      }
    }
  });
}

const MEANINGLESS = /** @type {const} */ ([
  ["temperature", "abc", "temperature", 1],
  ["temperature", "-0.1", "temperature", 1],
  ["temperature", "Infinity", "temperature", 1],
  ["top-k", "3.7", "topK", 8],
  ["top-p", "1.1", "topP", 0.9],
  ["seed", "", "seed", null],
  ["seed", "1.5", "seed", null],
  ["seed", "9007199254740993", "seed", null],
  ["sampling", "beam", "sampling", "greedy"],
  ["model", "of another name", "model", "trained"],
  ["max-tokens", "1000", "maxTokens", 32],
  ["max-tokens", "abc", "maxTokens", 32],
  ["stop", ".|", "stop", ["."]],
  ["cache", "maybe", "cache", true],
  ["autoplay", "perhaps", "autoplay", false],
  ["hide", "nonsense", "hide", []],
]);

for (const when of /** @type {const} */ (["before", "after"])) {
  test(`what means nothing, set ${when} the element is there, is the default, with one warning`, async ({
    page,
    complaints,
  }) => {
    complaints.allow(/^warning: <generation-loop> /);
    const results = await page.locator("main").evaluate(
      async (main, { cases, when }) => {
        await customElements.whenDefined("generation-loop");
        const results = [];
        for (const [attribute, value, property] of cases) {
          const element = /** @type {any} */ (document.createElement("generation-loop"));
          if (when === "before") element.setAttribute(attribute, value);
          main.replaceChildren(element);
          await element.ready;
          if (when === "after") element.setAttribute(attribute, value);
          const now = element[property];
          // With what it has now, it works.
          let passes = 0;
          element.addEventListener("generation-pass", () => {
            passes += 1;
          });
          element.step();
          element.step();
          results.push({ now, passes });
        }
        return results;
      },
      { cases: MEANINGLESS.map(([attribute, value, property]) => [attribute, value, property]), when },
    );
    for (const [index, [attribute, value, property, fallback]] of MEANINGLESS.entries()) {
      const { now, passes } = results[index];
      const name = `${attribute}="${value}"`;
      if (property === "seed") expect(Number.isSafeInteger(now), name).toBe(true);
      else expect(now, name).toEqual(fallback);
      expect(passes, name).toBe(2);
    }
    const warnings = MEANINGLESS.map(([attribute]) => `warning: <generation-loop> ${attribute}: `);
    await expect.poll(() => complaints.all.length).toBe(warnings.length);
    for (const [index, warning] of warnings.entries()) {
      expect(complaints.all[index]).toContain(warning);
      expect(complaints.all[index]).toContain("The default is used.");
    }
  });
}

test("properties that mean nothing are the default, with one warning each", async ({ page, complaints }) => {
  complaints.allow(/^warning: <generation-loop> /);
  const properties = { temperature: [], topK: {}, topP: true, seed: -1, prompt: 7, stop: [""], maxTokens: 0 };
  const { seed, ...others } = await values(await add(page, { properties }));
  expect(others).toEqual(DEFAULTS);
  expect(Number.isSafeInteger(seed)).toBe(true);
  await expect.poll(() => complaints.all.length).toBe(7);
  const named = complaints.all.map((complaint) =>
    complaint.replace(/^warning: <generation-loop> ([a-z-]+): .*$/, "$1"),
  );
  expect(named.sort()).toEqual(["max-tokens", "prompt", "seed", "stop", "temperature", "top-k", "top-p"]);
});

test("properties set before the definition arrives", async ({ page }) => {
  await page.goto("/tests/pages/properties.html");
  await expect(page.locator("body")).toHaveAttribute("data-ready", "true");
  const widget = await Widget.on(page);
  expect(await values(widget)).toEqual({
    ...DEFAULTS,
    prompt: "a cat",
    sampling: "top-k",
    topK: 0,
    temperature: 0.5,
    seed: 0,
    stop: ["!", "?"],
    maxTokens: null,
    cache: false,
    hide: ["legend"],
  });
  await expect(widget.primary).toHaveText("Prefill 5 tokens");

  // And the accessors live: what the page sets now is seen.
  await widget.root.evaluate((element) => {
    Object.assign(element, { prompt: "hi", hide: [], topK: 5 });
  });
  await expect(widget.primary).toHaveText("Prefill 2 tokens");
  await expect(widget.field("Top k")).toHaveValue("5");
  await expect(widget.root.getByRole("list", { name: "Legend" })).toBeVisible();
});

test("a seed as BigInt or text is the same seed", async ({ page }) => {
  const widget = await add(page, {});
  for (const seed of ["60", "60n", '"60"']) {
    await widget.root.evaluate((element, seed) => {
      const value = seed === "60n" ? BigInt(60) : JSON.parse(seed);
      Object.assign(element, { seed: 1 });
      Object.assign(element, { seed: value });
    }, seed);
    expect((await values(widget)).seed, seed).toBe(60);
    await expect(widget.field("Seed")).toHaveValue("60");
  }
});

test('autoplay="false" and autoplay="off" do not play', async ({ page }) => {
  // The last one tells when the others would have begun.
  await page.locator("main").evaluate((main) => {
    main.innerHTML = ["false", "off", ""]
      .map((value) => `<generation-loop autoplay="${value}"></generation-loop>`)
      .join("");
  });
  await expect((await Widget.on(page, 2)).generatedCells).not.toHaveCount(0);
  for (const index of [0, 1]) {
    const quiet = await Widget.on(page, index);
    await expect(quiet.primary).toHaveText("Prefill 11 tokens");
    await expect(quiet.generatedCells).toHaveCount(0);
  }
});

test("autoplay plays once, and is no setting of a run", async ({ page }) => {
  const widget = await add(page, { before: { autoplay: "", prompt: "hi", "max-tokens": "4", seed: "1" } });
  await widget.stopped();
  await widget.button("Reset").click();
  await widget.root.evaluate((element) => {
    const { parentElement } = element;
    element.remove();
    return new Promise((resolve) => setTimeout(() => resolve(parentElement?.append(element))));
  });
  await expect(widget.primary).toHaveText("Prefill 2 tokens");
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(1);
});

test("hide leaves out the panels that it names and no other", async ({ page }) => {
  const panels = ["model", "settings", "legend", "timeline", "log", "distribution", "cost", "cache"];
  for (const hidden of [
    ["model"],
    ["settings"],
    ["legend"],
    ["log"],
    ["distribution"],
    ["timeline"],
    ["cost"],
    ["cache"],
    ["log", "distribution"],
    ["log", "distribution", "cost", "cache"],
    panels,
  ]) {
    const widget = await add(page, { before: { hide: hidden.join(" ") } });
    for (const part of panels) {
      await expect(widget.root.locator(`[part=${part}]`)).toBeVisible({ visible: !hidden.includes(part) });
    }
    await widget.step();
    await expect(widget.generatedCells).toHaveCount(1);
  }
});

test('stop="" is none, and others are read as they are written', async ({ page }) => {
  const { log, text } = await run({ stop: [], maxTokens: null });
  const widget = await add(page, { before: { stop: "", "max-tokens": "none" } });
  await widget.run();
  await expect(widget.generatedCells).toHaveCount(log.length);
  const [, a, , b] = [...text].filter((character) => /[a-z]/.test(character));
  const place = [...text].findIndex((character) => character === a || character === b);
  await widget.root.evaluate((element, stop) => element.setAttribute("stop", stop), `${b}|${a}|\\n`);
  expect((await values(widget)).stop).toEqual([b, a, "\n"]);
  await expect(widget.field("Stop string")).toHaveValue(`${b}|${a}|\\n`);
  await widget.run();
  await expect(widget.outcome).toContainText(`the stop string “${text[place]}”`);
  await expect(widget.generatedCells).toHaveCount(place + 1);
});

test("a context shorter than the default limit is the limit, and nobody is warned of it", async ({
  page,
}) => {
  const widget = await add(page, { properties: { model: forced("abc", 11), seed: 7 } });
  await expect(widget.field("Length limit")).toHaveValue("15");
  await widget.run();
  await expect(widget.generatedCells).toHaveCount(4);
});
