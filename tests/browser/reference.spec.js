/** Whatever the reference of the element says, done once: settings, properties, methods, events and the slot, each by its name. */

import { propertyOf } from "../../scripts/manifest/facts.js";
import { de } from "../../www/words/de.js";
import { en } from "../../www/words/en.js";
import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { coverAll, documented, put, subject } from "./reference.js";

/** @typedef {import("./reference.js").Subject} Subject */

/**
 * A setting with a value that is not its default, and what that does.
 * @typedef {object} Setting
 * @property {string} text as an attribute has it
 * @property {unknown} [value] as a property takes it; none where the property is not the element's own
 * @property {unknown} [reads] what the property says then, if that is not what it took
 * @property {Record<string, string>} [beside] attributes without which it would show nothing
 * @property {boolean} [language]
 * @property {(subject: Subject) => Promise<void>} shows
 */

/** @type {Record<string, Setting>} */
const SETTINGS = {
  prompt: {
    text: "hi",
    value: "hi",
    shows: async ({ widget }) => {
      await expect(widget.prompt).toHaveValue("hi");
      await expect(widget.promptCells).toHaveCount(2);
    },
  },
  model: {
    text: "untrained",
    value: "untrained",
    shows: ({ widget }) => expect(widget.models).toContainText("Random numbers"),
  },
  sampling: {
    text: "temperature",
    value: "temperature",
    shows: async ({ make }) => expect((await make(1))[0].draw).toBeGreaterThanOrEqual(0),
  },
  temperature: {
    text: "0",
    value: "0",
    reads: 0,
    beside: { sampling: "temperature" },
    // It means greedy, which draws nothing.
    shows: async ({ make }) => expect((await make(1))[0].draw).toBeNull(),
  },
  "top-k": {
    text: "3",
    value: 3,
    beside: { sampling: "top-k" },
    shows: async ({ make }) => expect(await kept(await make(1))).toBe(3),
  },
  "top-p": {
    text: "0",
    value: 0,
    beside: { sampling: "top-p" },
    shows: async ({ make }) => expect(await kept(await make(1))).toBe(1),
  },
  seed: {
    text: "11",
    value: 11n,
    reads: 11,
    beside: { sampling: "temperature" },
    shows: async ({ make }) => {
      const { log } = await run({ seed: 11, sampling: { method: "temperature" } });
      expect((await make(2)).map(({ draw }) => draw)).toEqual(log.slice(0, 2).map(({ draw }) => draw));
    },
  },
  stop: {
    text: "qq|the",
    value: ["qq", "the"],
    shows: async ({ make }) => {
      const { stop } = await run({ stop: ["qq", "the"] });
      expect(stop?.reason).toBe("stop-string");
      expect((await make(99)).at(-1).stop).toEqual(stop);
    },
  },
  "max-tokens": {
    text: "13",
    value: 13,
    shows: async ({ make }) => {
      const log = await make(99);
      expect(log).toHaveLength(2);
      expect(log[1].stop).toEqual({ reason: "max-tokens" });
    },
  },
  cache: {
    text: "off",
    value: false,
    shows: async ({ make }) => {
      const [, decode] = await make(2);
      expect([decode.tokensIn, decode.cacheBytes]).toEqual([12, 0]);
    },
  },
  hide: {
    text: "log legend",
    value: ["log", "legend"],
    shows: async ({ widget }) => {
      await expect(widget.why).toBeVisible();
      await expect(widget.root.locator("[part=log], [part=legend]")).toHaveCount(0);
    },
  },
  autoplay: {
    text: "",
    value: true,
    shows: ({ widget }) => expect(widget.generatedCells).not.toHaveCount(0),
  },
  predict: {
    text: "",
    value: true,
    shows: ({ widget }) => expect(widget.root.locator("[part=predict]")).toBeVisible(),
  },
  lang: {
    text: "de",
    language: true,
    shows: ({ widget }) => expect(widget.root.locator("[part=log]")).toContainText(de.log.label),
  },
};

/** How many candidates the method left, of the last pass. @param {any[]} log */
const kept = (log) =>
  log.at(-1).candidates.filter((/** @type {any} */ { samplingProbability: p }) => p > 0).length;

coverAll("attribute", documented.attributes, SETTINGS);

for (const [name, { text, value, reads = value, beside = {}, language, shows }] of Object.entries(SETTINGS)) {
  const property = propertyOf(name);

  test(`attribute ${name}`, async ({ page }) => {
    const it = await put(page, { attributes: { ...beside, [name]: text }, language });
    if (value !== undefined) expect(await it.read(property)).toEqual(reads);
    await shows(it);
  });

  if (value !== undefined) {
    test(`property ${property}`, async ({ page }) => {
      const it = await put(page, { attributes: beside, properties: { [property]: value } });
      expect(await it.read(property)).toEqual(reads);
      await shows(it);
    });
  }
}

/** What can only be read. @type {Record<string, (subject: Subject) => Promise<void>>} */
const PROPERTIES = {
  ready: async ({ widget }) => {
    const same = await widget.root.evaluate(
      async (element) => (await Reflect.get(element, "ready")) === element,
    );
    expect(same).toBe(true);
    await expect(widget.primary).toBeEnabled();
  },
  moment: async ({ read, make, page }) => {
    const early = await page.evaluate(() => Reflect.get(document.createElement("generation-loop"), "moment"));
    expect(early).toBeNull();
    await make(2);
    const moment = await read("moment");
    expect(Object.keys(moment).sort()).toEqual([
      "config",
      "log",
      "most",
      "next",
      "prompt",
      "running",
      "stop",
    ]);
    expect(moment).toMatchObject({ stop: null, next: "decode", most: 21, running: false });
    expect([moment.log.length, moment.prompt.length, moment.config.vocab_size]).toEqual([2, 11, 64]);
  },
  updateComplete: async ({ widget }) => {
    const cells = await widget.root.evaluate(async (node) => {
      const element = /** @type {any} */ (node);
      element.prompt = "hi";
      await element.updateComplete;
      return element.shadowRoot.querySelectorAll("[part=strip] li").length;
    });
    await expect(widget.root.locator("[part=strip] li")).toHaveCount(cells);
    await expect(widget.promptCells).toHaveCount(2);
  },
};

const settings = documented.attributes.flatMap(({ fieldName = [] }) => fieldName);
const readOnly = documented.members.filter(
  ({ kind, name, static: isStatic }) => kind === "field" && !isStatic && !settings.includes(name),
);
coverAll("property that can only be read", readOnly, PROPERTIES);
for (const [name, shows] of Object.entries(PROPERTIES)) {
  test(`property ${name}`, async ({ page }) => shows(await put(page)));
}

/** @type {Record<string, (subject: Subject) => Promise<void>>} */
const METHODS = {
  prefill: async ({ make, call, read }) => {
    await make(3);
    expect(await call("prefill")).toBeNull();
    const { log } = await read("moment");
    expect(log.map((/** @type {any} */ { phase, tokensIn }) => [phase, tokensIn])).toEqual([["prefill", 11]]);
  },
  step: async ({ make, call, read }) => {
    expect([await call("step"), await call("step")]).toEqual([null, null]);
    const { log } = await read("moment");
    expect(log.map((/** @type {any} */ { phase }) => phase)).toEqual(["prefill", "decode"]);
    await make(99);
    expect(await call("step")).toBe("stopped");
  },
  run: async ({ widget, call, read }) => {
    await widget.speed.selectOption("instant");
    expect(await call("run")).toBeNull();
    await widget.stopped();
    expect(await read("moment")).toMatchObject({ next: "restart", running: false });
  },
  pause: async ({ widget, call, read }) => {
    await call("run");
    await expect(widget.generatedCells).not.toHaveCount(0);
    expect(await call("pause")).toBeNull();
    expect(await read("moment")).toMatchObject({ next: "decode", running: false });
  },
  back: async ({ make, call, read }) => {
    await make(2);
    expect(await call("back")).toBeNull();
    expect((await read("moment")).log).toHaveLength(1);
  },
  reset: async ({ make, call, read }) => {
    await make(2);
    const seed = await read("seed");
    expect(await call("reset")).toBeNull();
    expect(await read("moment")).toMatchObject({ log: [], next: "prefill" });
    expect(await read("seed")).toBe(seed);
  },
  addWords: async ({ page, widget }) => {
    await page.evaluate(async () => {
      const { de } = await import(/** @type {any} */ ("/dist/words/de.js"));
      const element = /** @type {any} */ (document.querySelector("generation-loop"));
      element.constructor.addWords("nl", { ...de, log: { ...de.log, label: "Logboek" } });
      element.lang = "nl";
    });
    await expect(widget.root.locator("[part=log]")).toContainText("Logboek");
  },
};

const callable = documented.members.filter(({ kind, static: isStatic }) => kind === "method" || isStatic);
coverAll("method", callable, METHODS);
for (const [name, shows] of Object.entries(METHODS)) {
  test(`method ${name}`, async ({ page }) => shows(await put(page)));
}

test("methods that need a model say so before there is one", async ({ page }) => {
  await page.goto("/tests/pages/empty.html");
  const codes = await page.evaluate(async () => {
    await customElements.whenDefined("generation-loop");
    const early = /** @type {any} */ (document.createElement("generation-loop"));
    return ["prefill", "step", "run", "back", "reset", "pause"].map((name) => {
      try {
        return early[name]() ?? "nothing";
      } catch (error) {
        return /** @type {any} */ (error).code;
      }
    });
  });
  expect(codes).toEqual([...Array(5).fill("not-ready"), "nothing"]);
});

/** What makes an event come, and what it tells. @type {Record<string, { make: (subject: Subject) => Promise<unknown>, tells: object }>} */
const EVENTS = {
  "generation-pass": {
    make: ({ make }) => make(1),
    tells: { index: 1, phase: "prefill", tokensIn: 11, stop: null, token: { id: expect.any(Number) } },
  },
  "generation-stop": { make: ({ make }) => make(99), tells: { reason: "stop-string", match: "." } },
  "generation-error": {
    make: async ({ make, call }) => {
      await make(99);
      await call("step");
    },
    tells: { name: "GenerationError", code: "stopped" },
  },
  "generation-moment": {
    make: ({ make }) => make(1),
    tells: { next: "decode", running: false, log: [{ index: 1 }] },
  },
};

coverAll("event", documented.events, EVENTS);
for (const [name, { make, tells }] of Object.entries(EVENTS)) {
  test(`event ${name}`, async ({ page }) => {
    const it = await put(page);
    // On the document, to which it bubbles.
    const told = page.evaluate(
      (name) =>
        new Promise((resolve) =>
          document.addEventListener(name, (event) => {
            const { detail } = /** @type {CustomEvent} */ (event);
            const plain = detail instanceof Error ? { ...detail, message: detail.message } : detail;
            resolve({ detail: JSON.parse(JSON.stringify(plain)), composed: event.composed });
          }),
        ),
      name,
    );
    await make(it);
    expect(await told).toMatchObject({ detail: tells, composed: true });
  });
}

/** @type {Record<string, (page: import("@playwright/test").Page, complaints: import("./fixtures.js").Complaints) => Promise<void>>} */
const SLOTS = {
  "": async (page, complaints) => {
    const content = "Read this instead.";
    await put(page, { content });
    await expect(page.getByText(content)).toBeHidden();
    complaints.allow(/404/);
    await put(page, { content, attributes: { model: "/nowhere/" } });
    await expect(page.getByText(content)).toBeVisible();
    await expect(subject(page).widget.root.getByRole("button", { name: en.waiting.again })).toBeVisible();
  },
};

coverAll("slot", documented.slots, SLOTS);
for (const [name, shows] of Object.entries(SLOTS)) {
  test(`slot "${name}"`, async ({ page, complaints }) => shows(page, complaints));
}
