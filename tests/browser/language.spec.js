/** The language of a widget: where it comes from, what changes with it, and what does not. */

import { de } from "../../www/words/de.js";
import { en } from "../../www/words/en.js";
import { expectNoViolations } from "./axe.js";
import { run, runThatEndsBy } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { cutOff, pageScrolls } from "./layout.js";
import { shown, Widget } from "./widget.js";

const PAGE = "/tests/pages/empty.html";

/** One widget on a page, where its words are of any language: what others find by them is found by its part. */
class Speaker extends Widget {
  /** @param {import("@playwright/test").Locator} root */
  constructor(root) {
    super(root);
    this.speed = root.locator("[part=controls] select");
    this.table = root.locator("[part=log] table");
    this.generatedCells = root.locator(".cells li.generated");
    this.opened = root.locator("[part=log] .operations");
  }

  /**
   * @param {import("@playwright/test").Page} page
   * @param {number} [index]
   */
  static async on(page, index = 0) {
    const widget = new Speaker(page.locator("generation-loop").nth(index));
    await expect(widget.primary).toBeVisible();
    return widget;
  }
}

/** A page that speaks German too. @param {import("@playwright/test").Page} page */
async function openPage(page) {
  await page.goto(PAGE);
  await page.addScriptTag({ url: "/dist/words/de.js", type: "module" });
}

/**
 * Puts elements on the page, made of markup, and waits for them.
 * @param {import("@playwright/test").Page} page
 * @param {string} markup
 */
async function add(page, markup) {
  await openPage(page);
  await page.locator("main").evaluate(async (main, markup) => {
    main.innerHTML = markup;
    await Promise.all(
      [...main.querySelectorAll("generation-loop")].map((node) => /** @type {any} */ (node).ready),
    );
  }, markup);
  return Speaker.on(page);
}

/** What a widget is marked as, and one of its words. @param {Widget} widget */
const spoken = ({ root }) =>
  root.evaluate((element) => [
    element.shadowRoot?.querySelector(".frame")?.getAttribute("lang"),
    element.shadowRoot?.querySelector("[part=model] legend")?.textContent?.trim(),
  ]);

const ENGLISH = ["en", "Model"];
const GERMAN = ["de", "Modell"];

/** Every text and label of a widget. @param {Widget} widget */
const texts = ({ root }) =>
  root.evaluate((element) => {
    const root = /** @type {ShadowRoot} */ (element.shadowRoot);
    const found = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      // What was written before is no word of the widget's.
      if (walker.currentNode.parentElement?.closest("q") === null)
        found.push(walker.currentNode.textContent ?? "");
    }
    for (const node of root.querySelectorAll("*")) {
      for (const { name, value } of node.attributes) {
        if (/^(aria-label|title|placeholder|data-.*)$/.test(name)) found.push(value);
      }
    }
    return found.map((text) => text.trim().replace(/\s+/g, " ")).filter((text) => text !== "");
  });

/** Texts of a table that stand alone. @param {object} table @returns {string[]} */
const strings = (table) =>
  Object.values(table).flatMap((group) =>
    Object.values(group)
      .filter((word) => typeof word === "string")
      .flatMap((word) => word.split("|"))
      .filter((word) => word.length > 1),
  );

test("in German no English word is left, before, during and after a run", async ({ page }) => {
  const { seed } = await runThatEndsBy("max-tokens", { stop: [], sampling: { method: "top-k" } });
  const widget = await add(
    page,
    `<generation-loop lang="de" sampling="top-k" seed="${seed}" stop=""></generation-loop>`,
  );
  const german = strings(de);
  const english = strings(en).filter((word) => !german.includes(word));
  const check = async () => {
    const found = await texts(widget);
    expect(found.filter((text) => english.includes(text))).toEqual([]);
    expect(found.filter((text) => german.includes(text)).length).toBeGreaterThan(40);
    const all = found.join("\n");
    expect(all).not.toMatch(/\b(?:the|of|with|pass|passes|at most|and|weights|falls between)\b/i);
    // Nouns of both languages, and small in one only.
    expect(all).not.toMatch(/\b(?:blocks?|heads?|tokens?|columns?|context|bytes)\b/);
  };
  await check();
  await expect(widget.primary).toHaveText("Prefill: 11 Tokens");
  await expect(widget.root).toContainText("11 von höchstens 31 Tokens");
  await expect(widget.root).toContainText("höchstens 21 Durchläufe");
  await widget.step();
  await expect(widget.primary).toHaveText("Decode: 1 Token");
  await check();
  await expect(widget.speed).toHaveAccessibleName("Tempo");
  await widget.speed.selectOption("sofort");
  await widget.button("Start").click();
  await expect(widget.outcome).toHaveText(
    "Beendet: Die Höchstlänge von 32 Tokens ist erreicht. 21 Durchläufe: 1 Prefill, 20 Decodes.",
  );
  await expect(widget.root.locator("[part=primary]")).toHaveText("Von vorn");
  await expect(widget.root).toContainText("Durchlauf 21 von höchstens 21");
  await expect(widget.why).toContainText("Durchlauf 21: noch 8 Kandidaten");
  await expect(widget.sentence).toHaveText(/^u = 0,\d{4} fällt zwischen [01],\d{4} und [01],\d{4}: \S+$/);
  await check();
  await widget.button("Alle 64 zeigen").click();
  await check();
  // What can be opened, gone back to, tried and recalled.
  await widget.table.getByRole("button").first().click();
  await expect(widget.opened.locator("li")).toHaveCount(7);
  await check();
  await widget.button("Als Tabelle zeigen").click();
  await check();
  await widget.moment.press("ArrowLeft");
  await expect(widget.timeline).toContainText("Durchlauf 20 von 21");
  await check();
  await widget.method("Greedy").check();
  await expect(widget.sentence).toContainText("mit der neuen Einstellung");
  await check();
  await widget.primary.click();
  await expect(widget.timeline).toContainText("Voriger Lauf:");
  await check();
});

test("numbers are German ones, in the log and beside the bars", async ({ page }) => {
  const widget = await add(page, '<generation-loop lang="de" seed="7"></generation-loop>');
  await widget.step();
  const [row] = await widget.log();
  expect([row.FLOPs, row.Phase, row["Nr."]]).toEqual(["173.184", "Prefill", 1]);
  const number = /^[<>]?\d{1,2},\d\u00a0%$/;
  expect((await widget.stages()).map(({ numbers }) => Object.keys(numbers))).toEqual(
    Array(10).fill(["Modell"]),
  );
  for (const { numbers } of await widget.stages()) expect(numbers.Modell).toMatch(number);
  await widget.method("Top-k").check();
  await widget.step();
  await expect(widget.sentence).toHaveText(/^u = 0,\d{4} /);
  for (const { numbers } of await widget.stages()) {
    expect(Object.keys(numbers)).toEqual(["Modell", "nach Temperatur", "gezogen aus"]);
    expect(numbers.Modell).toMatch(number);
    expect(numbers["nach Temperatur"]).toMatch(number);
    if (numbers["gezogen aus"] !== "entfällt") expect(numbers["gezogen aus"]).toMatch(number);
  }
  await expect(widget.costs).toContainText("173.184");
  await expect(widget.columns).toContainText(/\d,\d\u00a0%/);
  for (const part of ["log", "distribution", "cost", "cache"])
    await expect(widget.root.locator(`[part=${part}]`)).not.toContainText(/\d\.\d%|\d,\d{3}(?!\d)/);
});

test("the page's language is the widget's, and the nearest one counts", async ({ page }) => {
  await openPage(page);
  const seen = await page.locator("main").evaluate(async (main) => {
    await customElements.whenDefined("generation-loop");
    /** @type {unknown[]} */
    const seen = [];
    /** @param {Element} parent @param {string | null} lang */
    const put = async (parent, lang) => {
      const element = /** @type {any} */ (document.createElement("generation-loop"));
      if (lang !== null) element.lang = lang;
      parent.append(element);
      await element.ready;
      seen.push(element.shadowRoot.querySelector(".frame").lang);
      return element;
    };
    const section = main.appendChild(document.createElement("section"));
    document.documentElement.lang = "de-AT";
    await put(section, null);
    await put(section, "en");
    await put(section, "");
    section.lang = "en";
    await put(section, null);
    await put(section, "de");
    // Through a shadow tree, and another one in it, whose languages are those of their hosts.
    const inner = section.attachShadow({ mode: "closed" }).appendChild(document.createElement("div"));
    const innermost = inner.attachShadow({ mode: "open" }).appendChild(document.createElement("div"));
    await put(innermost, null);
    inner.lang = "de";
    await put(innermost, null);
    document.documentElement.removeAttribute("lang");
    await put(main, null);
    return seen;
  });
  expect(seen).toEqual(["de-AT", "en", "en", "en", "de", "en", "de", "en"]);
});

test("an element that is moved speaks as its new place does, with the run that it had", async ({ page }) => {
  const widget = await add(
    page,
    '<section></section><section lang="de"></section><generation-loop></generation-loop>',
  );
  await widget.step(3);
  const tokens = await widget.symbolsAfter(3);
  expect(await spoken(widget)).toEqual(ENGLISH);
  for (const [index, words] of [
    [1, GERMAN],
    [0, ENGLISH],
  ]) {
    await widget.root.evaluate((element, index) => {
      document.querySelectorAll("section")[Number(index)].append(element);
    }, index);
    await expect.poll(() => spoken(widget)).toEqual(words);
    expect(await widget.symbols()).toEqual(tokens);
  }
});

test("a language that nobody has written words in is English, and its numbers too", async ({ page }) => {
  for (const lang of ["fr", "de_", "x", "zh-Hant-TW", "?!"]) {
    const widget = await add(page, `<generation-loop lang="${lang}" seed="7"></generation-loop>`);
    await widget.step();
    expect(await spoken(widget), lang).toEqual(lang === "de_" ? GERMAN : ENGLISH);
    expect((await widget.log())[0].FLOPs, lang).toBe(lang === "de_" ? "173.184" : 173_184);
  }
});

test("two widgets of two languages stand on one page, and neither takes the other's", async ({ page }) => {
  const english = await add(
    page,
    '<generation-loop seed="7"></generation-loop><generation-loop seed="7" lang="de"></generation-loop>',
  );
  const german = await Speaker.on(page, 1);
  for (let pass = 0; pass < 3; pass += 1) {
    await english.step();
    await german.step();
  }
  expect(await spoken(english)).toEqual(ENGLISH);
  expect(await spoken(german)).toEqual(GERMAN);
  await expect(english.status).toHaveText(/^Pass 3, decode: \S+, [<>]?\d+\.\d%\.$/);
  await expect(german.status).toHaveText(/^Durchlauf 3, Decode: \S+, [<>]?\d+,\d\s%\.$/);
  expect(await german.symbols()).toEqual(await english.symbols());
  expect((await english.log())[0].FLOPs).toBe(173_184);
  expect((await german.log())[0].FLOPs).toBe("173.184");
});

test("in the middle of a run the language changes, and nothing else", async ({ page }) => {
  const { log } = await run({ stop: [], seed: 7, maxTokens: null, sampling: { method: "top-k" } });
  const widget = await add(
    page,
    '<generation-loop sampling="top-k" seed="7" stop="" max-tokens="none"></generation-loop>',
  );
  const lang = (/** @type {string | null} */ value) =>
    widget.root.evaluate((element, value) => {
      if (value === null) element.removeAttribute("lang");
      else element.setAttribute("lang", value);
    }, value);
  await widget.speed.selectOption("steady");
  await widget.button("Run").click();
  await expect(widget.generatedCells).not.toHaveCount(0);
  await widget.button("Pause").focus();

  await lang("de");
  await expect(widget.button("Pause")).toBeFocused();
  expect(await spoken(widget)).toEqual(GERMAN);
  await expect(widget.status).toHaveText("Läuft.");
  await expect(widget.status).toHaveAttribute("lang", "de");
  // It goes on.
  const cells = widget.root.locator(".cells .generated");
  const before = await cells.count();
  await expect.poll(() => cells.count()).toBeGreaterThan(before);
  await widget.button("Pause").click();
  await expect(widget.status).toHaveText("Angehalten.");
  const passes = await cells.count();
  expect((await widget.log()).map((row) => row.FLOPs)).toEqual(
    log.slice(0, passes).map(({ flops }) => flops.toLocaleString("de")),
  );
  await expect(widget.speed).toHaveValue("steady");

  // A value that was refused, and all candidates.
  await widget.set("Seed", "abc");
  await widget.button("Alle 64 zeigen").click();
  const tokens = await widget.symbols();
  await lang(null);
  expect(await spoken(widget)).toEqual(ENGLISH);
  await expect(widget.field("Seed")).toHaveValue("abc");
  await expect(widget.complaints).toHaveCount(1);
  await expect(widget.candidates).toHaveCount(64);
  await expect(widget.button("Show the first 10")).toBeVisible();
  expect((await widget.log()).map((row) => row.FLOPs)).toEqual(
    log.slice(0, passes).map(({ flops }) => flops),
  );
  expect(tokens).toEqual(shown(log).slice(0, passes));
  await widget.set("Seed", "7");
  await lang("de");
  await widget.button("Start").click();
  await lang("en");
  await widget.run();
  expect(await widget.symbols()).toEqual(shown(log));
});

test("what is said aloud is said in German", async ({ page }) => {
  const widget = await add(page, '<generation-loop lang="de" seed="7"></generation-loop>');
  const says = async (/** @type {string | RegExp} */ words, lang = "de") => {
    await expect(widget.status).toHaveText(words);
    await expect(widget.status).toHaveAttribute("lang", lang);
  };
  await widget.step();
  await says(/^Durchlauf 1, Prefill: \S+, [<>]?\d+,\d\s%\.$/);
  await widget.step();
  await says(/^Durchlauf 2, Decode: \S+, [<>]?\d+,\d\s%\.$/);
  await widget.button("Zurück").click();
  await says("Zurück zu Durchlauf 1.");
  await widget.button("Zurücksetzen").click();
  await says("Zurück zum Prompt.");
  await widget.prompt.fill("café");
  // Errors are in English, and said to be.
  await says(/"é" \(U\+00E9\) at 4/, "en");
  await widget.prompt.fill("the cat");
  await says("Der Prompt kann verarbeitet werden.");
  await widget.speed.selectOption("langsam");
  await widget.button("Start").click();
  await says("Läuft.");
  await widget.button("Pause").click();
  await says("Angehalten.");
  await widget.model("untrainiert").check();
  await says("„untrainiert“ ist geladen.");
  await widget.set("Höchstlänge", "9");
  await widget.speed.selectOption("sofort");
  await widget.button("Start").click();
  await says("Beendet: Die Höchstlänge von 9 Tokens ist erreicht. 2 Durchläufe: 1 Prefill, 1 Decode.");
});

test("errors stay in English and are marked as such, but not among English", async ({ page }) => {
  const widget = await add(page, '<generation-loop lang="de" seed="7"></generation-loop>');
  await widget.set("Seed", "abc");
  await widget.prompt.fill("café");
  const errors = widget.root.locator(".error");
  await expect(errors).toHaveCount(2);
  for (const lang of ["de", "en"]) {
    await widget.root.evaluate((element, lang) => element.setAttribute("lang", lang), lang);
    for (const error of await errors.all()) {
      expect(await error.getAttribute("lang")).toBe(lang === "de" ? "en" : null);
    }
  }
  await expect(widget.status).not.toHaveText("");
  // A note in their place is no error.
  await widget.root.evaluate((element) => element.setAttribute("lang", "de"));
  await widget.prompt.fill("The Cat");
  const note = widget.root.locator("[part=prompt] .note");
  await expect(note).toHaveText(de.prompt.plain);
  expect(await note.getAttribute("lang")).toBe(null);
});

test("numbers are typed as they are read, or with a point", async ({ page }) => {
  const widget = await add(page, '<generation-loop lang="de" sampling="top-p" seed="7"></generation-loop>');
  const values = () =>
    widget.root.evaluate((element) => {
      const { temperature, topP, maxTokens } = /** @type {any} */ (element);
      return { temperature, topP, maxTokens };
    });
  await expect(widget.field("Top-p")).toHaveValue("0,9");
  await widget.set("Top-p", "0,25");
  await widget.set("Temperatur", "1.5");
  await expect(widget.field("Temperatur")).toHaveValue("1,5");
  await widget.set("Höchstlänge", "keine");
  expect(await values()).toEqual({ temperature: 1.5, topP: 0.25, maxTokens: null });
  await expect(widget.field("Höchstlänge")).toHaveValue("keine");
  await expect(widget.field("Höchstlänge")).toHaveAttribute("title", /2 bis 128, oder „keine“$/);
  await widget.set("Temperatur", "0,x");
  await expect(widget.field("Temperatur")).toHaveValue("0,x");
  await expect(widget.complaints).toHaveCount(1);
  await expect(widget.field("Stoppsequenz")).toHaveValue(".");
});

test("names of models and of a load under way are words too", async ({ page }) => {
  const widget = await add(page, '<generation-loop lang="de"></generation-loop>');
  await expect(widget.models).toContainText("Trainiert mit kurzen, einfachen englischen Sätzen");
  await widget.step(2);
  await widget.model("untrainiert").check();
  await expect(widget.models).toContainText("Zufallszahlen");
  await widget.step(2);
  await expect(widget.comparison).toHaveText(
    "Mit den Gewichten „trainiert“ kosten die Durchläufe 1 bis 2 dasselbe: FLOPs folgen allein aus der Form.",
  );
  await widget.root.evaluate((element) => element.setAttribute("lang", "en"));
  await expect(widget.comparison).toHaveText(
    "The trained weights cost the same in passes 1 to 2: FLOPs follow from the shape alone.",
  );
});

test("what waits for a model, or has failed to get one, is German as well", async ({ page }) => {
  await openPage(page);
  const element = page.locator("generation-loop");
  await page.locator("main").evaluate(async (main) => {
    await customElements.whenDefined("generation-loop");
    const element = /** @type {any} */ (document.createElement("generation-loop"));
    element.lang = "de";
    element.model = { config: {}, weights: {} };
    main.append(element);
    await element.updateComplete;
    main.dataset.first = element.shadowRoot.textContent;
    await element.ready.catch(() => undefined);
  });
  expect(await page.locator("main").getAttribute("data-first")).toContain(de.waiting.loading);
  await expect(element.getByRole("button", { name: "Modell erneut laden" })).toBeVisible();
  await expect(element.locator(".frame")).toHaveAttribute("lang", "de");
  await expect(element.locator(".error")).toHaveAttribute("lang", "en");
  await element.getByRole("button", { name: "Trainiertes Modell verwenden" }).click();
  await expect(element.locator("[part=primary]")).toHaveText("Prefill: 11 Tokens");
});

for (const [width, height] of [
  [320, 640],
  [640, 400],
  [1280, 800],
]) {
  test(`nothing German is cut off on a screen of ${width} pixels`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.goto("/");
    const widget = await Speaker.on(page);
    await widget.root.evaluate((element) => element.setAttribute("lang", "de"));
    for (const method of ["Greedy", "Top-k", "Top-p"]) {
      await widget.method(method).check();
      expect(await cutOff(widget), method).toEqual([]);
    }
    await widget.set("Stoppsequenz", "");
    await widget.set("Höchstlänge", "keine");
    await widget.model("untrainiert").check();
    await widget.speed.selectOption("sofort");
    await widget.button("Start").click();
    await expect(widget.outcome).toContainText("Der Kontext des Modells von 128 Tokens ist voll");
    await widget.button("Alle 64 zeigen").click();
    expect(await cutOff(widget)).toEqual([]);
    expect(await pageScrolls(page)).toBe(false);
    // Each head of the log has the room that its column has.
    const heads = await widget.table.evaluate(
      (table) =>
        [...table.querySelectorAll("th")].filter((head) => head.scrollWidth > head.clientWidth + 1).length,
    );
    expect(heads).toBe(0);
  });
}

test("axe finds nothing on a page of two languages", async ({ page }) => {
  const widget = await add(
    page,
    '<h1>Two languages</h1><section><h2>English</h2><generation-loop seed="7"></generation-loop></section>' +
      '<section lang="de"><h2>Deutsch</h2><generation-loop seed="7"></generation-loop></section>',
  );
  await widget.step(2);
  await (await Speaker.on(page, 1)).step(2);
  await expectNoViolations(page);
});

test("words that come after the widget are taken, and without them it speaks English", async ({ page }) => {
  await page.goto(PAGE);
  await page.locator("main").evaluate(async (main) => {
    main.innerHTML = '<generation-loop lang="de"></generation-loop>';
    await /** @type {any} */ (main.firstChild).ready;
  });
  const widget = await Speaker.on(page);
  await expect(widget.primary).toHaveText("Prefill 11 tokens");
  await expect(widget.root.locator(".frame")).toHaveAttribute("lang", "en");
  await page.addScriptTag({ url: "/dist/words/de.js", type: "module" });
  await expect(widget.primary).toHaveText("Prefill: 11 Tokens");
  await expect(widget.root.locator(".frame")).toHaveAttribute("lang", "de");
});
