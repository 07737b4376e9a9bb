/** The keys of a page and those of the element: shortcuts of the page around it, and several elements by keyboard alone. */

import { expectNoViolations } from "./axe.js";
import { expect, test } from "./packed.js";
import { Widget } from "./widget.js";

/**
 * A page whose scripts hear every key, as deep and as early as they can, and an element that asks for predictions.
 * @param {import("@playwright/test").Page} page
 */
async function pageWithShortcuts(page) {
  await page.goto("/tests/pages/empty.html");
  await page.locator("main").evaluate(async (main) => {
    await customElements.whenDefined("generation-loop");
    main.innerHTML = '<generation-loop predict seed="7" sampling="top-p"></generation-loop>';
    /** @type {Record<string, string[]>} */
    const heard = { bubble: [], capture: [] };
    Reflect.set(window, "heard", heard);
    for (const type of ["keydown", "keypress", "keyup"]) {
      for (const target of [window, document, document.body, main]) {
        const name = target === window ? "window" : target.constructor.name;
        // What a bookmarked search does: the key is its own, and nothing else comes of it.
        target.addEventListener(type, (event) => {
          if (/** @type {KeyboardEvent} */ (event).key.length > 1) return;
          heard.bubble.push(`${name} ${type} ${/** @type {KeyboardEvent} */ (event).key}`);
          event.preventDefault();
        });
        // Before the element can do anything; a page can see that it is in a field, and leaves it alone.
        target.addEventListener(
          type,
          (event) => {
            const [inside] = event.composedPath();
            const inField = inside instanceof Element && inside.matches("input, textarea, select");
            if (inField) heard.capture.push(`${name} ${type}`);
            else event.preventDefault();
          },
          true,
        );
      }
    }
  });
  return Widget.on(page);
}

test("every field takes the letters that the page has shortcuts for, and the page does not hear them", async ({
  page,
}) => {
  const widget = await pageWithShortcuts(page);
  const fields = widget.root.locator('textarea, input[type="text"]');
  const names = [];
  for (const field of await fields.all()) {
    const name = (await field.getAttribute("aria-label")) ?? (await field.getAttribute("id")) ?? "";
    names.push(name);
    await field.selectText();
    await field.press("s");
    await field.pressSequentially("/? ");
    await field.press("Shift+S");
    await expect(field, name).toHaveValue("s/? S");
    // Left as it was, for what is refused here is not the matter.
    await field.press("Escape");
  }
  // The prompt, two guesses, temperature, top p, seed, limit, stop strings.
  expect(names).toHaveLength(8);
  const { bubble, capture } = await page.evaluate(() => Reflect.get(window, "heard"));
  expect(bubble).toEqual([]);
  for (const type of ["keydown", "keypress", "keyup"]) expect(capture).toContain(`window ${type}`);
});

test("characters that need a key held down are characters too, and shortcuts are not", async ({ page }) => {
  const widget = await pageWithShortcuts(page);
  await widget.prompt.evaluate((field) => {
    // As keyboards without a key of their own for these send them: with AltGr, or with Option.
    for (const keys of [
      { key: "@", ctrlKey: true, altKey: true, modifierAltGraph: true },
      { key: "ł", altKey: true, modifierAltGraph: true },
      { key: "/", shiftKey: true },
      { key: "k", ctrlKey: true },
      { key: "k", metaKey: true },
    ]) {
      const options = { ...keys, bubbles: true, composed: true, cancelable: true };
      for (const type of ["keydown", "keypress", "keyup"])
        field.dispatchEvent(new KeyboardEvent(type, options));
    }
  });
  const heard = await page.evaluate(() => Reflect.get(window, "heard").bubble);
  const ofWindow = heard.filter((/** @type {string} */ name) => name.startsWith("window keydown"));
  expect(ofWindow).toEqual(["window keydown k", "window keydown k"]);
});

test("where no text is typed, the page's shortcuts work", async ({ page }) => {
  const widget = await pageWithShortcuts(page);
  for (const control of [widget.primary, widget.method("greedy"), widget.cache, widget.panes.first()]) {
    await control.focus();
    await page.evaluate(() => {
      Reflect.get(window, "heard").bubble.length = 0;
    });
    await page.keyboard.press("s");
    const heard = await page.evaluate(() => Reflect.get(window, "heard").bubble);
    for (const type of ["keydown", "keyup"]) expect(heard).toContain(`window ${type} s`);
  }
});

/**
 * Everything in an element that takes the focus, in the order of the page, as the keyboard goes through it; and what scrolls.
 * @param {Widget} widget
 */
function stopsOf({ root }) {
  return root.evaluate((element) => {
    const inside = /** @type {ShadowRoot} */ (element.shadowRoot);
    const all = [...inside.querySelectorAll("*")].filter((node) => node.checkVisibility());
    const can =
      "a[href], button:enabled, select:enabled, textarea:enabled, input:enabled, summary, [tabindex='0']";
    const stops = all.filter((node) => {
      if (!node.matches(can) || node.getAttribute("tabindex") === "-1") return false;
      // Of a group of choices it is the chosen one.
      return !(node instanceof HTMLInputElement) || node.type !== "radio" || node.checked;
    });
    const scrolls = (/** @type {Element} */ node) => {
      const { overflowX, overflowY } = getComputedStyle(node);
      const isOpen = (/** @type {string} */ overflow) => overflow === "auto" || overflow === "scroll";
      return (
        (isOpen(overflowX) && node.scrollWidth > node.clientWidth) ||
        (isOpen(overflowY) && node.scrollHeight > node.clientHeight)
      );
    };
    Reflect.set(element, "stops", stops);
    return {
      stops: stops.length,
      unreachable: all.filter((node) => scrolls(node) && !stops.includes(node)).map((node) => node.className),
      panes: all.filter(scrolls).length,
    };
  });
}

/**
 * Where the focus is: which element, which of its stops, and whether that can be seen.
 * @param {import("@playwright/test").Page} page
 */
function focusOf(page) {
  return page.evaluate(() => {
    const host = document.activeElement;
    const focused = host?.shadowRoot?.activeElement;
    if (!focused) return `on ${host?.id || host?.localName}`;
    // A round button is not drawn, and neither is the field for files; their labels are.
    const drawn = focused.matches("[type=radio], [type=file]") ? focused.nextElementSibling : focused;
    const { outlineStyle, outlineWidth } = getComputedStyle(/** @type {Element} */ (drawn));
    const isSeen = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1;
    const { top, bottom } = /** @type {Element} */ (drawn).getBoundingClientRect();
    const isInView = bottom > 0 && top < innerHeight;
    const place = [...document.querySelectorAll("generation-loop")].indexOf(/** @type {any} */ (host));
    const stop = Reflect.get(/** @type {any} */ (host), "stops").indexOf(focused);
    const fault = isSeen && isInView ? "" : `, ${focused.outerHTML.slice(0, 80)} not seen`;
    return `element ${place + 1}, stop ${stop + 1}${fault}`;
  });
}

test("two on a page: axe finds nothing, and Tab reaches everything in order, and comes out again", async ({
  page,
}) => {
  await page.setViewportSize({ width: 700, height: 800 });
  await page.goto("/tests/pages/empty.html");
  await page.locator("main").evaluate((main) => {
    main.innerHTML = `<h1>Two elements</h1><a id="before" href="#before">Before</a>
      <h2>The first</h2><generation-loop sampling="top-p" seed="7" stop="" max-tokens="none"></generation-loop>
      <h2>The second</h2><generation-loop predict seed="8" stop="" max-tokens="40"></generation-loop>
      <a id="after" href="#after">After</a>`;
  });
  const widgets = [await Widget.on(page, 0), await Widget.on(page, 1)];
  for (const widget of widgets) await widget.run();
  await widgets[0].button("Show all 64").click();
  await widgets[1].openPass(2);
  await expectNoViolations(page);

  /** @type {string[]} */
  const expected = ["on before"];
  for (const [index, widget] of widgets.entries()) {
    const { stops, unreachable, panes } = await stopsOf(widget);
    expect(unreachable).toEqual([]);
    expect(panes).toBeGreaterThan(0);
    expect(stops).toBeGreaterThan(20);
    for (let stop = 1; stop <= stops; stop += 1) expected.push(`element ${index + 1}, stop ${stop}`);
  }
  expected.push("on after");
  await page.locator("#before").focus();
  for (const key of ["Tab", "Shift+Tab"]) {
    const order = [await focusOf(page)];
    while (order.length < expected.length) {
      await page.keyboard.press(key);
      order.push(await focusOf(page));
    }
    expect(order).toEqual(key === "Tab" ? expected : expected.toReversed());
  }
});
