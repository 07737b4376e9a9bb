/** Back and forth in a run: every panel shows the moment that was gone to, and from there it goes on, the same way or another. */

import { GenerationLoop } from "../../www/engine.js";
import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { shown, Widget } from "./widget.js";

/** How each pass of a run is made, and what is chosen when it is over: by property of the element. */
const STEPS = [
  { sampling: "greedy" },
  { sampling: "top-k", topK: 5 },
  { sampling: "temperature", temperature: 1.5 },
  { sampling: "top-p", topP: 0.8, temperature: 0.7, cache: false },
  { sampling: "greedy", cache: true },
  { sampling: "top-k", topK: 3, temperature: 1 },
];
const LAST = STEPS.length;

/** A run of six passes, which the limit ends. */
const RUN = { model: "untrained", seed: 7, stop: "", maxTokens: 11 + LAST };

/** All but the timeline, which says how many passes there are besides. */
const PANELS = [
  "prompt",
  "model",
  "settings",
  "strip",
  "controls",
  "outcome",
  "log",
  "distribution",
  "cost",
  "cache",
];

/**
 * Puts an element on the page that has made so many passes, each in its own way.
 * @param {import("@playwright/test").Page} page
 * @param {number} passes
 */
async function add(page, passes) {
  await page.goto("/tests/pages/empty.html");
  await page.evaluate(() => {
    const heard = /** @type {string[]} */ ([]);
    Object.assign(window, { heard });
    window.addEventListener("generation-pass", (event) => {
      heard.push(`pass ${/** @type {CustomEvent} */ (event).detail.index}`);
    });
    window.addEventListener("generation-stop", () => heard.push("stop"));
  });
  await page.locator("main").evaluate(make, { RUN, STEPS, passes });
  return Widget.on(page);
}

/**
 * @param {Element} main
 * @param {{ RUN: object, STEPS: object[], passes: number }} options
 */
async function make(main, { RUN, STEPS, passes }) {
  const element = /** @type {any} */ (document.createElement("generation-loop"));
  Object.assign(element, RUN);
  main.append(element);
  await element.ready;
  for (const settings of STEPS.slice(0, passes)) {
    Object.assign(element, settings);
    element.step();
  }
  // As if it had gone on.
  for (const settings of STEPS) Object.assign(element, settings);
  await element.updateComplete;
}

/**
 * What each panel has in it, drawings and labels too; measured times are left out.
 * @param {Widget} widget
 * @returns {Promise<Record<string, string>>}
 */
function contents({ root }) {
  return root.evaluate(async (node, panels) => {
    const element = /** @type {any} */ (node);
    await element.updateComplete;
    return Object.fromEntries(
      panels.map((part) => {
        const panel = element.shadowRoot.querySelector(`[part=${part}]`);
        const markup = panel.outerHTML.replace(/<!--.*?-->/gs, "").replace(/\s+/g, " ");
        return [part, markup.replace(/(Time: )[^<]*/, "$1…")];
      }),
    );
  }, PANELS);
}

/** What the page has heard since it was asked last. @param {import("@playwright/test").Page} page */
const heard = (page) => page.evaluate(() => /** @type {any} */ (window).heard.splice(0));

/** The name of what has the focus inside the widget; null where nothing has. @param {Widget} widget */
const focused = ({ root }) =>
  root.evaluate((element) => element.shadowRoot?.activeElement?.localName ?? null);

/** @param {Widget} widget @param {number} at @param {number} [passes] */
async function isAt(widget, at, passes = LAST) {
  const words = at === 0 ? "the prompt" : `pass ${at} of ${passes}`;
  await expect(widget.timeline.locator(".place")).toHaveText(words);
  await expect(widget.moment).toHaveValue(String(at));
  await expect(widget.moment).toHaveAttribute("aria-valuetext", words);
  await expect(widget.generatedCells).toHaveCount(at);
}

test("arrow keys go back and forth, and every panel shows the moment as it was then", async ({ page }) => {
  /** @type {Record<string, string>[]} */
  const fresh = [];
  for (let passes = 0; passes <= LAST; passes += 1) fresh.push(await contents(await add(page, passes)));
  // Each moment is another.
  expect(new Set(fresh.map(({ log }) => log)).size).toBe(LAST + 1);
  expect(new Set(fresh.map(({ distribution }) => distribution)).size).toBe(LAST + 1);
  expect(new Set(fresh.map(({ cache }) => cache)).size).toBe(LAST + 1);

  const widget = await add(page, LAST);
  await heard(page);
  await widget.primary.focus();
  let at = LAST;
  for (const [key, delta] of [
    ...Array(LAST + 1).fill(["ArrowLeft", -1]),
    ...Array(LAST + 1).fill(["ArrowRight", 1]),
    ["ArrowLeft", -1],
    ["ArrowRight", 1],
  ]) {
    await page.keyboard.press(key);
    at = Math.min(Math.max(at + delta, 0), LAST);
    await isAt(widget, at);
    expect(await contents(widget), `${key} to ${at}`).toEqual(fresh[at]);
    await expect(widget.primary).toBeFocused();
  }
  // To look is not to make.
  expect(await heard(page)).toEqual([]);
});

test("the slider goes to any moment, and a button to the newest", async ({ page }) => {
  const fresh = [];
  for (const passes of [0, 2, 5, LAST]) fresh.push(await contents(await add(page, passes)));
  const [start, second, fifth, end] = fresh;
  const widget = await add(page, LAST);
  const newest = widget.button("To the newest");
  await expect(newest).toBeHidden();
  for (const [value, expected] of /** @type {const} */ ([
    ["2", second],
    ["0", start],
    ["5", fifth],
    ["6", end],
    ["2", second],
  ])) {
    await widget.moment.fill(value);
    await isAt(widget, Number(value));
    expect(await contents(widget), value).toEqual(expected);
  }
  // One key is one pass: the slider's own arrows are not the widget's as well.
  await widget.moment.press("ArrowLeft");
  await isAt(widget, 1);
  await widget.moment.press("ArrowRight");
  await isAt(widget, 2);
  await widget.moment.press("End");
  await isAt(widget, LAST);
  await widget.moment.press("Home");
  await isAt(widget, 0);
  await newest.click();
  await isAt(widget, LAST);
  expect(await contents(widget)).toEqual(end);
  await expect(newest).toBeHidden();
});

test("numbers and drawings of a moment follow the settings of now, and the passes stay as they were", async ({
  page,
}) => {
  const widget = await add(page, LAST);
  const tokens = await widget.symbols();
  const log = await widget.log();
  await widget.moment.fill("3");
  await isAt(widget, 3);
  const before = await contents(widget);
  await widget.method("temperature").check();
  await widget.set("Temperature", "1.5");
  // That is how pass 3 was made: no preview, but its draw.
  await expect(widget.sentence).toHaveText(/^u = 0\.\d{4} falls between/);
  await widget.set("Temperature", "4");
  await expect(widget.sentence).toContainText("The same pass under the new setting");
  const after = await contents(widget);
  for (const part of ["strip", "outcome", "log", "cost", "cache"])
    expect(after[part], part).toBe(before[part]);
  await widget.button("To the newest").click();
  expect(await widget.symbolsAfter(LAST)).toEqual(tokens);
  expect(await widget.log()).toEqual(log);
});

test("arrows are the reader's own in fields, choices and sliders", async ({ page }) => {
  const widget = await add(page, LAST);
  await widget.moment.fill("3");
  const still = async (/** @type {string} */ what) => {
    await expect(widget.timeline.locator(".place"), what).toHaveText(`pass 3 of ${LAST}`);
    await expect(widget.generatedCells, what).toHaveCount(3);
  };
  for (const control of [
    widget.field("Seed"),
    widget.field("Temperature"),
    widget.field("Length limit"),
    widget.field("Stop string"),
    widget.prompt,
    widget.speed,
    widget.cache,
    widget.root.getByRole("slider", { name: "Temperature, slider" }),
    widget.method("top-k"),
    widget.columns.getByRole("combobox", { name: "Column" }),
  ]) {
    for (const key of ["ArrowLeft", "ArrowRight", "ArrowRight"]) {
      await control.press(key);
      await still(`${key} on ${control}`);
    }
  }
  // They do there what they do everywhere.
  await widget.prompt.press("End");
  await widget.prompt.press("ArrowLeft");
  expect(await widget.prompt.evaluate((field) => /** @type {any} */ (field).selectionStart)).toBe(10);
  await expect(widget.method("greedy")).not.toBeChecked();

  // With a modifier they are the browser's, and outside the widget nobody's.
  for (const key of ["Shift+ArrowLeft", "Control+ArrowLeft"]) {
    await widget.button("Run").press(key);
    await still(key);
  }
  // Firefox takes the focus from what has it, and not from the element around it.
  await page.evaluate(() => {
    const { activeElement } = document;
    /** @type {HTMLElement | null | undefined} */ (activeElement?.shadowRoot?.activeElement)?.blur();
  });
  await page.keyboard.press("ArrowLeft");
  await still("outside");
  for (const [control, at] of /** @type {const} */ ([
    [widget.button("Run"), 2],
    [widget.button("New seed"), 1],
    [widget.why.locator("[tabindex='0']"), 0],
  ])) {
    await control.press("ArrowLeft");
    await isAt(widget, at);
  }
});

test("a pane that scrolls sideways scrolls, and one that does not goes to the moment before", async ({
  page,
}) => {
  await page.setViewportSize({ width: 400, height: 800 });
  const widget = await add(page, 0);
  await widget.set("Length limit", "none");
  await widget.run();
  const { log } = await run({
    model: "untrained",
    stop: [],
    maxTokens: null,
    sampling: { method: "top-k", topK: 3 },
  });
  const passes = log.length;
  await isAt(widget, passes, passes);
  const pane = widget.columns.locator("[tabindex='0']");
  const left = () => pane.evaluate((node) => node.scrollLeft);
  expect(await pane.evaluate((node) => node.scrollWidth - node.clientWidth)).toBeGreaterThan(100);
  await pane.press("ArrowRight");
  await expect.poll(left).toBeGreaterThan(0);
  await pane.press("ArrowLeft");
  await expect.poll(left).toBe(0);
  await pane.press("ArrowLeft");
  await isAt(widget, passes, passes);
  await widget.panes.first().press("ArrowLeft");
  await isAt(widget, passes - 1, passes);
});

test("a step where nothing has changed goes on through what was made, and the page hears nothing twice", async ({
  page,
}) => {
  const widget = await add(page, LAST - 1);
  const tokens = await widget.symbols();
  await heard(page);
  // As the second pass was made, and only that.
  await widget.moment.fill("1");
  await widget.method("top-p").check();
  await widget.set("Top p", "0.9");
  await widget.method("top-k").check();
  await widget.set("Top k", "5");
  await widget.step();
  await isAt(widget, 2, LAST - 1);
  await expect(widget.status).toHaveText(`pass 2 of ${LAST - 1}`);
  expect(await widget.symbols()).toEqual(tokens.slice(0, 2));
  expect(await heard(page)).toEqual([]);
  await expect(widget.timeline.locator("q")).toHaveCount(0);
  await widget.button("To the newest").click();
  expect(await widget.symbolsAfter(LAST - 1)).toEqual(tokens);
  // From the newest, a step makes a pass again.
  await widget.step();
  await isAt(widget, LAST);
  expect(await heard(page)).toEqual([`pass ${LAST}`, "stop"]);
});

test("a number that the method does not use is no change: the step goes on through what was made", async ({
  page,
}) => {
  const widget = await add(page, 0);
  await widget.method("top-k").check();
  await widget.step(3);
  await isAt(widget, 3, 3);
  await heard(page);
  await widget.moment.fill("1");
  await widget.method("top-p").check();
  await widget.set("Top p", "0.5");
  await widget.method("top-k").check();
  // The panel says so: nothing is tried on the pass that is shown.
  await expect(widget.sentence).toHaveText(/^u = /);
  await widget.step();
  await isAt(widget, 2, 3);
  expect(await heard(page)).toEqual([]);
});

test("another method from the past is a branch; the run that was there is offered, and comes back", async ({
  page,
}) => {
  const widget = await add(page, LAST);
  const tokens = await widget.symbols();
  const log = await widget.log();
  await heard(page);
  await widget.moment.fill("2");
  await widget.method("temperature").check();
  await widget.set("Temperature", "3");
  await isAt(widget, 2);
  await widget.step();
  await isAt(widget, 3, 3);
  expect(await heard(page)).toEqual(["pass 3"]);
  await widget.step();
  await isAt(widget, 4, 4);

  // A twin without a screen.
  const loop = await GenerationLoop.load({ model: "untrained", seed: 7, maxTokens: 11 + LAST });
  loop.prefill("the cat sat");
  loop.sampling = { method: "top-k", topK: 5 };
  loop.decodeStep();
  loop.sampling = { method: "temperature", temperature: 3 };
  loop.decodeStep();
  loop.decodeStep();
  const branch = shown(loop.log);
  expect(await widget.symbols()).toEqual(branch);
  expect((await widget.log()).map((row) => row.FLOPs)).toEqual(loop.log.map(({ flops }) => flops));
  loop.dispose();
  expect(branch).not.toEqual(tokens.slice(0, 4));

  // What was there before, with its prompt.
  const text = (/** @type {string[]} */ symbols) => `the cat sat${symbols.join("").replaceAll("␣", " ")}`;
  const previous = widget.timeline.locator("q");
  const recall = widget.button("Recall it");
  await expect(previous).toHaveText(text(tokens), { useInnerText: false });
  await heard(page);
  await recall.click();
  await isAt(widget, LAST);
  expect(await widget.symbols()).toEqual(tokens);
  expect(await widget.log()).toEqual(log);
  await expect(widget.outcome).toContainText("the length limit of 17 tokens was reached");
  expect(await heard(page)).toEqual([]);
  // Neither is lost: the branch is the previous one now.
  await expect(previous).toHaveText(text(branch));
  await recall.click();
  await isAt(widget, 4, 4);
  expect(await widget.symbols()).toEqual(branch);
  await expect(previous).toHaveText(text(tokens));
});

test("a run that ended with its prompt, its seed or its limit comes back with them", async ({ page }) => {
  const widget = await add(page, 4);
  const tokens = await widget.symbols();
  const log = await widget.log();
  const recall = widget.button("Recall it");
  for (const [label, value, before] of [
    ["Seed", "8", "7"],
    ["Length limit", "20", "17"],
    ["Stop string", "q", ""],
    ["Prompt", "a dog", "the cat sat"],
  ]) {
    const field = label === "Prompt" ? widget.prompt : widget.field(label);
    await (label === "Prompt" ? widget.prompt.fill(value) : widget.set(label, value));
    await isAt(widget, 0, 0);
    await widget.step();
    await isAt(widget, 1, 1);
    await recall.click();
    await isAt(widget, 4, 4);
    await expect(field, label).toHaveValue(before);
    expect(await widget.symbols(), label).toEqual(tokens);
    expect(await widget.log(), label).toEqual(log);
    // And the other way.
    await recall.click();
    await isAt(widget, 1, 1);
    await expect(field, label).toHaveValue(value);
    await recall.click();
    await isAt(widget, 4, 4);
  }
  // With the seed that it had it goes on as it would have.
  await widget.method("greedy").check();
  await widget.step();
  expect(await widget.symbolsAfter(5)).toEqual([...tokens, (await widget.symbols())[4]]);
});

test("Back in the past forgets nothing, from the newest it forgets the last", async ({ page }) => {
  const widget = await add(page, LAST);
  await widget.moment.fill("3");
  await widget.button("Back").click();
  await isAt(widget, 2);
  await expect(widget.status).toHaveText("Back to pass 2.");
  await widget.button("To the newest").click();
  await widget.button("Back").click();
  await isAt(widget, LAST - 1, LAST - 1);
});

test("Run from the past goes on from there: through what was made, and on", async ({ page }) => {
  const { log } = await run({ model: "untrained", stop: [], sampling: { method: "top-k" }, maxTokens: 20 });
  const widget = await add(page, 0);
  await widget.set("Length limit", "20");
  await widget.set("Top k", "8");
  await widget.step(5);
  await isAt(widget, 5, 5);
  await heard(page);
  await widget.moment.fill("1");
  await isAt(widget, 1, 5);
  await widget.run();
  await isAt(widget, log.length, log.length);
  expect(await widget.symbols()).toEqual(shown(log));
  expect(await heard(page)).toEqual([...log.slice(5).map(({ index }) => `pass ${index}`), "stop"]);
  await expect(widget.timeline.locator("q")).toHaveCount(0);

  // Of a run that is over it is shown once more, and nothing is made.
  await widget.moment.fill("4");
  await expect(widget.outcome).not.toContainText("Stopped:");
  await widget.run();
  await isAt(widget, log.length, log.length);
  expect(await heard(page)).toEqual([]);

  // With another method it is a branch.
  await widget.moment.fill("4");
  await widget.method("greedy").check();
  await widget.run();
  const branch = await widget.symbols();
  expect(branch.slice(0, 4)).toEqual(shown(log).slice(0, 4));
  expect(branch).not.toEqual(shown(log));
  expect((await heard(page))[0]).toBe("pass 5");
  await widget.button("Recall it").click();
  expect(await widget.symbolsAfter(log.length)).toEqual(shown(log));
});

test("going to a moment ends a run that is going on", async ({ page }) => {
  const widget = await add(page, 0);
  await widget.set("Length limit", "none");
  await widget.speed.selectOption("steady");
  await widget.button("Run").click();
  await expect(widget.generatedCells).not.toHaveCount(0);
  await widget.root.locator("[part=log] [tabindex='0']").press("ArrowLeft");
  await expect(widget.button("Run")).toBeVisible();
  await expect(widget.button("To the newest")).toBeVisible();
  const place = await widget.timeline.locator(".place").textContent();
  // Longer than from one pass to the next.
  await page.waitForTimeout(600);
  await expect(widget.timeline.locator(".place")).toHaveText(String(place));
});

test("a moment is announced, and once", async ({ page }) => {
  const widget = await add(page, LAST);
  const said = await widget.root.evaluateHandle((node) => {
    const status = /** @type {Element} */ (node.shadowRoot?.querySelector(".sr[role=status]"));
    const said = /** @type {(string | null)[]} */ ([]);
    new MutationObserver(() => said.push(status.textContent)).observe(status, {
      childList: true,
      characterData: true,
      subtree: true,
    });
    return said;
  });
  const announced = async (/** @type {string} */ words) => {
    await expect(widget.status).toHaveText(words);
    expect(await said.evaluate((said) => said.splice(0))).toEqual([words]);
  };
  await widget.primary.focus();
  await page.keyboard.press("ArrowLeft");
  await announced(`pass 5 of ${LAST}`);
  await widget.moment.fill("0");
  await announced("the prompt");
  await widget.primary.press("ArrowRight");
  await announced(`pass 1 of ${LAST}`);
  await widget.button("To the newest").click();
  await announced(`pass ${LAST} of ${LAST}`);
});

test("a run that is recalled is announced, and the focus is not lost", async ({ page }) => {
  const widget = await add(page, LAST);
  await widget.button("Reset").click();
  await expect(widget.status).toHaveText("Back to the prompt.");
  await widget.button("Recall it").press("Enter");
  await isAt(widget, LAST);
  await expect.soft(widget.status).not.toHaveText("Back to the prompt.");
  // There is no other run to recall: the button is gone.
  await expect(widget.button("Recall it")).toHaveCount(0);
  expect(await focused(widget), "what has the focus").not.toBeNull();
});

test("arrows from a row of the log that goes away keep the focus in the widget", async ({ page }) => {
  const widget = await add(page, LAST);
  await widget.table.getByRole("button").last().press("ArrowLeft");
  await isAt(widget, LAST - 1);
  expect(await focused(widget), "what has the focus").not.toBeNull();
  await page.keyboard.press("ArrowLeft");
  await isAt(widget, LAST - 2);
});

test("the end of a run that is shown once more is announced", async ({ page }) => {
  const widget = await add(page, 0);
  await widget.run();
  await widget.moment.fill("2");
  await widget.run();
  await expect(widget.status).toContainText("Stopped: the length limit of 17 tokens was reached.");
});
