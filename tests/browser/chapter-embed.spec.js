/** "Put it on your own page": what is chosen is on the widget beside it and in what is pasted, and nothing else of the page stirs. */

import { expect, test } from "./fixtures.js";
import { pageScrolls } from "./layout.js";
import { expectNoViolationsIn } from "./part.js";
import { Widget } from "./widget.js";

/** @typedef {import("@playwright/test").Page} Page */

const SCRIPT =
  '<link rel="stylesheet" href="generation-loop.css">\n<script type="module" src="generation-loop.js"></script>\n';

/** @param {import("@playwright/test").Locator} place */
const textOf = async (place) => (await place.textContent()) ?? "";

/** The corner, found as a reader finds it, its widget loaded. @param {Page} page */
async function cornerOn(page) {
  const root = page.locator("#embedding");
  await root.scrollIntoViewIfNeeded();
  const preview = new Widget(
    root.getByRole("group", { name: "The widget with these settings" }).locator("generation-loop"),
  );
  await expect(preview.primary).toBeVisible();
  // The widget has fields of the same names.
  const choices = root.locator(".choices");
  const snippet = (/** @type {string} */ name) => root.getByRole("group", { name, exact: true });
  return {
    root,
    choices,
    preview,
    tag: snippet("The tag"),
    frame: snippet("The iframe"),
    link: snippet("The link"),
    field: (/** @type {string} */ label) => choices.getByRole("textbox", { name: label, exact: true }),
    choice: (/** @type {string} */ label) => choices.getByRole("combobox", { name: label, exact: true }),
    check: (/** @type {string} */ label, group = "Panels") =>
      choices.getByRole("group", { name: group }).getByRole("checkbox", { name: label, exact: true }),
    button: (/** @type {string} */ name) => root.getByRole("button", { name, exact: true }),
    errors: choices.locator(".error"),
    kept: root.locator(".kept"),
    /** What the iframe is, as a browser reads it. */
    iframe: async () => {
      const html = await textOf(snippet("The iframe"));
      return page.evaluate((html) => {
        const frame = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
        return Object.fromEntries([...(frame?.attributes ?? [])].map(({ name, value }) => [name, value]));
      }, html);
    },
  };
}

/**
 * What the page would have copied; a test cannot look into every browser's clipboard.
 * @param {Page} page
 * @param {boolean} [refuses]
 */
async function clipboardOf(page, refuses = false) {
  await page.addInitScript((refuses) => {
    const copied = /** @type {string[]} */ ([]);
    Object.assign(globalThis, { copied });
    const writeText = async (/** @type {string} */ text) => {
      if (refuses) throw new DOMException("no", "NotAllowedError");
      copied.push(text);
    };
    Object.defineProperty(navigator, "clipboard", { value: { writeText } });
  }, refuses);
  return () => page.evaluate(() => /** @type {any} */ (globalThis).copied.at(-1));
}

test("begins lean: the tag, the iframe and the link say what differs from the defaults", async ({
  page,
  origin,
}) => {
  await page.goto("/");
  await Widget.on(page);
  // Who is far away has no second model in memory.
  const second = page.locator("generation-loop").nth(1);
  await expect(second).toBeAttached();
  expect(await second.evaluate((/** @type {any} */ element) => element.moment)).toBeNull();
  const corner = await cornerOn(page);
  await expect(corner.tag).toHaveText(
    `${SCRIPT}<generation-loop hide="model cost cache share"></generation-loop>`,
  );
  await expect(corner.link).toHaveText(`${origin}/embed.html?hide=model+cost+cache+share`);
  const { src, title, width, loading } = await corner.iframe();
  expect(src).toBe(`${origin}/embed.html?hide=model+cost+cache+share`);
  expect([title, width, loading]).toEqual([
    "A language model writes, one token per forward pass",
    "100%",
    "lazy",
  ]);
  for (const panel of ["model", "cost", "cache", "share"]) {
    await expect(corner.preview.root.locator(`[part=${panel}]`)).toHaveCount(0);
  }
});

test("what is chosen is on the widget, in all three, and on the page that the link opens", async ({
  page,
}) => {
  await page.goto("/");
  const corner = await cornerOn(page);
  const prompt = 'a dog & "b" <i>|';
  await corner.field("Prompt").fill(`${prompt}\nx`);
  await corner.choice("Method").selectOption("top-k");
  await corner.field("Temperature").fill("0");
  await corner.field("Top k").fill("5");
  await corner.field("Seed").fill("0");
  await corner.field("Stop string").fill(".|\\n");
  await corner.field("Length limit").fill("none");
  await corner.choice("Weights").selectOption("untrained");
  await corner.check("Cost").check();
  await corner.check("Step log").uncheck();
  await corner.check("KV cache", "Behaviour").uncheck();
  await corner.check("Asks for a prediction before each pass", "Behaviour").check();
  await corner.choice("Colours").selectOption("dark");
  await expect(corner.tag).toHaveText(
    `${SCRIPT}<style>generation-loop { color-scheme: dark }</style>\n<generation-loop prompt="a dog &amp; &quot;b&quot; &lt;i&gt;|&#10;x" model="untrained" sampling="top-k" temperature="0" top-k="5" seed="0" stop=".|\\n" max-tokens="none" cache="off" hide="model log cache share" predict="on"></generation-loop>`,
  );
  const link = await textOf(corner.link);
  expect((await corner.iframe()).src).toBe(link);
  await expect(corner.root.getByRole("link", { name: "Open it" })).toHaveAttribute("href", link);

  const said = (/** @type {any} */ element) =>
    [..."prompt model sampling temperature topK seed stop maxTokens cache hide predict".split(" ")].map(
      (name) => element[name],
    );
  const expected = [
    ...[`${prompt}\nx`, "untrained", "top-k", 0, 5, 0, [".", "\n"], null, false],
    ...[["model", "log", "cache", "share"], true],
  ];
  expect(await corner.preview.root.evaluate(said)).toEqual(expected);
  await expect(corner.preview.root.locator(".widget")).toHaveCSS("background-color", "rgb(23, 24, 27)");

  await page.goto(link);
  const { root } = await Widget.on(page);
  expect(await root.evaluate(said)).toEqual(expected);
  await expect(root.locator(".widget")).toHaveCSS("background-color", "rgb(23, 24, 27)");
  await expect(page.locator(".problems")).toHaveCount(0);
});

test("the iframe is as high as the widget is, with the room around it", async ({ page }) => {
  await page.goto("/");
  const corner = await cornerOn(page);
  const agrees = async () => {
    const { height } = (await corner.preview.root.boundingBox()) ?? { height: 0 };
    await expect.poll(async () => Number((await corner.iframe()).height)).toBe(Math.ceil(height) + 16);
    return height;
  };
  const before = await agrees();
  await corner.check("Step log").uncheck();
  await expect(corner.preview.root.locator("[part=log]")).toHaveCount(0);
  const after = await agrees();
  expect(after).toBeLessThan(before - 100);
  // And the page for frames is as high as that, where it is as wide.
  const { width } = (await corner.preview.root.boundingBox()) ?? { width: 0 };
  const height = Number((await corner.iframe()).height);
  await page.goto(await textOf(corner.link));
  await page.setViewportSize({ width: width + 16, height: 600 });
  await Widget.on(page);
  await expect
    .poll(() => page.evaluate(() => Math.ceil(document.documentElement.getBoundingClientRect().height)))
    .toBe(height);
});

test("what cannot be used is said beside its field, and the last good value stays", async ({
  page,
  complaints,
}) => {
  // The model's own answer to a character that it has not.
  complaints.allow(/^warning: <generation-loop> stop: .*😀/);
  await page.goto("/");
  const corner = await cornerOn(page);
  await corner.choice("Method").selectOption("top-p");
  for (const [label, good, bad, error, attribute] of [
    [
      "Temperature",
      "0.5",
      "-1",
      'temperature is "-1"; allowed: a finite number, at least 0',
      'temperature="0.5"',
    ],
    ["Top p", "0.8", "1.1", 'top-p is "1.1"; allowed: 0 to 1', 'top-p="0.8"'],
    ["Seed", "7", "<b>", 'seed is "<b>"; allowed: a whole number from 0 to 9007199254740991', 'seed="7"'],
    ["Stop string", "!", "a||b", 'stop is "a||b"; at least one character is needed', 'stop="!"'],
    ["Stop string", "?", "😀", 'stop is "😀"; allowed: characters that the model has', 'stop="?"'],
    [
      "Length limit",
      "20",
      "129",
      'max-tokens is "129"; allowed: a whole number from 2 to 128, or none',
      'max-tokens="20"',
    ],
  ]) {
    await corner.field(label).fill(good);
    await expect(corner.tag).toContainText(attribute);
    const snippet = await textOf(corner.tag);
    await corner.field(label).fill(bad);
    await expect(corner.errors).toHaveText([error]);
    await expect(corner.field(label)).toHaveAttribute("aria-invalid", "true");
    await expect(corner.field(label)).toHaveAccessibleDescription(error);
    await expect(corner.field(label)).toHaveValue(bad);
    await expect(corner.kept).toHaveText(`Still with the last good value of: ${label}.`);
    expect(await textOf(corner.tag)).toBe(snippet);
    await corner.field(label).fill(good);
    await expect(corner.errors).toHaveCount(0);
    await expect(corner.kept).toBeEmpty();
  }
  // The fields of another method are gone, and what was wrong in them.
  await corner.field("Top p").fill("x");
  await corner.choice("Method").selectOption("greedy");
  await expect(corner.errors).toHaveCount(0);
  await corner.choice("Method").selectOption("top-p");
  await expect(corner.field("Top p")).toHaveValue("0.8");
});

test("each is copied as it stands, and that is said", async ({ page }) => {
  const copied = await clipboardOf(page);
  await page.goto("/");
  const corner = await cornerOn(page);
  await corner.field("Prompt").fill('"a" & <b>');
  for (const [name, snippet] of /** @type {const} */ ([
    ["tag", corner.tag],
    ["iframe", corner.frame],
    ["link", corner.link],
  ])) {
    await corner.button(`Copy the ${name}`).press("Enter");
    await expect(corner.root.getByText("Copied.")).toHaveCount(1);
    await expect(corner.root.getByRole("status").filter({ hasText: "Copied." })).toBeVisible();
    expect(await copied()).toBe(await textOf(snippet));
  }
  // What was copied is no longer what stands there.
  await corner.field("Prompt").fill("a dog");
  await expect(corner.root.getByText("Copied.")).toHaveCount(0);
});

test("where the browser lets no page copy, the text is selected", async ({ page }) => {
  await clipboardOf(page, true);
  await page.goto("/");
  const corner = await cornerOn(page);
  await corner.button("Copy the iframe").click();
  await expect(corner.root.getByRole("status").filter({ hasText: "The text is selected" })).toBeVisible();
  expect(await page.evaluate(() => String(getSelection()))).toBe(await textOf(corner.frame));
});

test("it takes the settings of the widget above, as the reader has set them", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.prompt.fill("a cat");
  await widget.use("untrained");
  await widget.method("top-p").check();
  await widget.set("Temperature", "0.7");
  await widget.set("Seed", "11");
  await widget.set("Length limit", "20");
  await widget.cache.uncheck();
  const corner = await cornerOn(page);
  await corner.field("Seed").fill("wrong");
  await corner.button("Take the settings of the widget above").click();
  await expect(corner.tag).toContainText(
    '<generation-loop prompt="a cat" model="untrained" sampling="top-p" temperature="0.7" seed="11" max-tokens="20" cache="off" hide="model cost cache share">',
  );
  await expect(corner.root.getByRole("status").filter({ hasText: "Taken." })).toBeVisible();
  await expect(corner.errors).toHaveCount(0);
  await expect(corner.field("Seed")).toHaveValue("11");
  await expect(corner.choice("Method")).toHaveValue("top-p");
  await expect(corner.choice("Weights")).toHaveValue("untrained");
});

test("what is set in the widget itself is in its fields and in what is pasted", async ({ page }) => {
  await page.goto("/");
  const corner = await cornerOn(page);
  await corner.preview.root.getByRole("radio", { name: "top-k" }).check();
  await expect(corner.tag).toContainText('sampling="top-k"');
  await expect(corner.choice("Method")).toHaveValue("top-k");
  await corner.preview.prompt.fill('a "dog"');
  await expect(corner.tag).toContainText('prompt="a &quot;dog&quot;"');
  await expect(corner.field("Prompt")).toHaveValue('a "dog"');
  // A seed that the browser picked is nobody's choice; another one that the reader asked for is.
  await expect(corner.tag).not.toContainText("seed=");
  await corner.preview.button("New seed").click();
  const seed = await corner.preview.field("Seed").inputValue();
  await expect(corner.tag).toContainText(`seed="${seed}"`);
  // A run goes on where only what comes next was set.
  await corner.preview.step();
  await corner.preview.root.getByRole("radio", { name: "greedy" }).check();
  await expect(corner.tag).not.toContainText("sampling");
  await expect(corner.preview.generatedCells).toHaveCount(1);
});

test("a run of the widget here changes nothing else on the page, and no link opens in it", async ({
  page,
}) => {
  test.slow();
  // So high that every drawing is near, and drawn.
  await page.setViewportSize({ width: 1280, height: 16_000 });
  await page.goto("/#generation-loop?prompt=a+dog&seed=3&pass=2");
  const widget = await Widget.on(page);
  await expect(widget.generatedCells).toHaveCount(2);
  const corner = await cornerOn(page);
  await expect(corner.preview.prompt).toHaveValue("the cat sat");
  const others = () =>
    page.evaluate(async () => {
      for (let frame = 0; frame < 5; frame += 1) await new Promise(requestAnimationFrame);
      return ["loop", "dependencies", "roofline", "saving", "arithmetic", "tokenizer", "source"].map(
        (id) => document.getElementById(id)?.innerHTML,
      );
    });
  const before = await others();
  await corner.preview.run();
  expect(await others()).toEqual(before);
  await expect(widget.generatedCells).toHaveCount(2);
  // The reader's own run changes them.
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(3);
  const after = await others();
  for (const index of [0, 1, 4]) expect(after[index]).not.toBe(before[index]);
});

test("a setting that stays leaves the run here alone", async ({ page }) => {
  await page.goto("/");
  const corner = await cornerOn(page);
  await corner.preview.step(2);
  await corner.check("Cost").check();
  await corner.choice("Colours").selectOption("dark");
  await expect(corner.preview.root.locator("[part=cost]")).toHaveCount(1);
  await expect(corner.preview.generatedCells).toHaveCount(2);
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  test(`axe finds nothing, ${colorScheme}`, async ({ page }) => {
    test.slow();
    await page.emulateMedia({ colorScheme });
    await page.goto("/");
    const corner = await cornerOn(page);
    await corner.field("Seed").fill("x");
    await corner.button("Copy the tag").click();
    await expect(corner.errors).toHaveCount(1);
    await expectNoViolationsIn(page, "embed");
  });
}

for (const width of [320, 360, 1000]) {
  test(`at ${width} pixels the page does not scroll sideways, and everything has a size to hit`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 740 });
    await page.goto("/");
    const corner = await cornerOn(page);
    await corner.choice("Method").selectOption("top-k");
    await corner.field("Seed").fill("9".repeat(60));
    await corner.field("Prompt").fill("x".repeat(200));
    expect(await pageScrolls(page)).toBe(false);
    const room = (await corner.root.boundingBox())?.width ?? 0;
    for (const snippet of [corner.tag, corner.frame, corner.link]) {
      expect((await snippet.boundingBox())?.width).toBeLessThanOrEqual(room);
    }
    const small = await corner.root.evaluate((place) =>
      [...place.querySelectorAll(":scope button, select, input[type=text], textarea, label.check")]
        .filter((node) => node.getBoundingClientRect().height < 32)
        .map((node) => node.outerHTML),
    );
    expect(small).toEqual([]);
  });
}

test("everything is reached and done by the keyboard", async ({ page, browserName }) => {
  await page.goto("/");
  const corner = await cornerOn(page);
  await corner.button("Take the settings of the widget above").focus();
  for (const label of ["Prompt", "Method", "Weights", "Seed", "Length limit", "Stop string", "Model"]) {
    await page.keyboard.press("Tab");
    await expect(corner.choices.getByLabel(label, { exact: true })).toBeFocused();
  }
  await page.keyboard.press("Space");
  await expect(corner.tag).toContainText('hide="cost cache share"');
  // What is wider than the screen is scrolled.
  await corner.frame.focus();
  await expect(corner.frame).toBeFocused();
  if (browserName === "chromium") {
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => corner.frame.evaluate((pane) => pane.scrollLeft)).toBeGreaterThan(0);
  }
  await page.keyboard.press("Tab");
  await expect(corner.button("Copy the iframe")).toBeFocused();
});

test("in forced colours what is pasted has an edge", async ({ page, browserName }) => {
  test.skip(browserName !== "chromium", "Firefox takes forced colours only when it starts");
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto("/");
  const corner = await cornerOn(page);
  await expect(corner.tag).toHaveCSS("border-top-style", "solid");
});
