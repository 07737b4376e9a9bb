/** Text as text: what is typed, what cannot be read, what looks like markup, and keys that mean something else. */

import { expect, test } from "./fixtures.js";
import { forced } from "./forced.js";
import { Widget } from "./widget.js";

/** Every character of it is in the vocabulary. Were it markup, the page would ask for an image, and be told of the failure. */
const MARKUP = "<img src=x onerror=ran()>";

test.describe("on the chapter's page", () => {
  test.beforeEach(({ page }) => page.goto("/"));

  test("what cannot be read is named with its place, and nothing can be started", async ({ page }) => {
    const widget = await Widget.on(page);
    const message = widget.root.locator("[part=prompt] .error");
    for (const [text, words] of /** @type {const} */ ([
      ["caf\u00e9", ["é", "U+00E9", "at 4"]],
      ["a\tb", ["U+0009", "at 2"]],
      ["ok \u{1f600}", ["\u{1f600}", "at 4"]],
      ["é and ß", ["é", "at 1", "ß", "at 7"]],
      ["", ["empty"]],
    ])) {
      await widget.prompt.fill(text);
      for (const word of words) await expect(message, text).toContainText(word);
      await expect(widget.prompt).toHaveAttribute("aria-invalid", "true");
      await expect(widget.prompt).toHaveAccessibleDescription(new RegExp(words.at(-1) ?? ""));
      await expect(widget.primary).toBeDisabled();
      await expect(widget.button("Run")).toBeDisabled();
      const cells = await widget.promptCells.count();
      expect(cells).toBe([...text].length);
      await expect(widget.root).toContainText(`${cells} of at most 31 tokens`);
    }
    await widget.prompt.fill("café");
    await expect(widget.root.locator("[part=strip] .unsupported")).toHaveText("é");
    await widget.prompt.press("Enter");
    await expect(widget.generatedCells).toHaveCount(0);

    await widget.prompt.fill("cafe");
    await expect(message).toHaveCount(0);
    await expect(widget.primary).toHaveText("Prefill 4 tokens");
    await widget.step();
    await expect(widget.generatedCells).toHaveCount(1);
  });

  test("a prompt that leaves no room says how long it is and how long it may be", async ({ page }) => {
    const widget = await Widget.on(page);
    const message = widget.root.locator("[part=prompt] .error");
    await widget.prompt.fill("a".repeat(31));
    await expect(message).toHaveCount(0);
    await expect(widget.root).toContainText("31 of at most 31 tokens");
    await expect(widget.root).toContainText("at most 1 pass");
    await widget.prompt.fill("a".repeat(32));
    await expect(message).toContainText("the prompt has 32 tokens; at most 31 leave room for a new one");
    await expect(widget.primary).toBeDisabled();
    await expect(widget.root).toContainText("32 of at most 31 tokens");

    // The limit is one of the reader's own; the context is not.
    await widget.set("Length limit", "none");
    await expect(message).toHaveCount(0);
    await expect(widget.primary).toHaveText("Prefill 32 tokens");
    await widget.prompt.fill("a".repeat(1280));
    await expect(message).toContainText("the prompt has 1280 tokens; at most 127 leave room for a new one");
    await widget.prompt.fill("a".repeat(127));
    await widget.step();
    await expect(widget.outcome).toContainText("the model’s context of 128 tokens is full");
  });

  test("what was read as something else is said", async ({ page }) => {
    const widget = await Widget.on(page);
    const note = widget.root.locator("[part=prompt] .note");
    await expect(note).toHaveText("");
    for (const [typed, read] of [
      ["The Cat", "the␣cat"],
      ["‘a’ “b”", "'a'␣\"b\""],
      ["a\u00a0b", "a␣b"],
    ]) {
      await widget.prompt.fill(typed);
      await expect(note, typed).toContainText("read as their plain forms");
      // What was typed stays as it was typed.
      await expect(widget.prompt).toHaveValue(typed);
      await expect(widget.promptCells).toHaveCount(read.length);
      expect((await widget.promptSymbols()).join("")).toBe(read);
    }
    await widget.prompt.fill("the cat");
    await expect(note).toHaveText("");
  });

  test("space and newline have a sign and a name", async ({ page }) => {
    const widget = await Widget.on(page);
    await widget.prompt.fill("a \n.");
    expect(await widget.promptSymbols()).toEqual(["a", "␣", "⏎", "."]);
    const names = ["a", "space", "newline", "full stop"];
    for (const [index, name] of names.entries())
      await expect(widget.promptCells.nth(index)).toContainText(name);
    await widget.step();
    await widget.button("Show all 64").click();
    await expect(widget.candidates).toHaveCount(64);
    const candidates = await widget.candidates.evaluateAll((items) =>
      items.map((item) => item.textContent ?? ""),
    );
    for (const pair of [/␣\s*space/, /⏎\s*newline/, /eos\s*end of text/]) {
      expect(
        candidates.filter((text) => pair.test(text)),
        String(pair),
      ).toHaveLength(1);
    }
  });

  test("Enter starts, Shift and Enter is a newline", async ({ page }) => {
    const widget = await Widget.on(page);
    await widget.prompt.fill("ab");
    await widget.prompt.press("Shift+Enter");
    await widget.prompt.pressSequentially("c");
    await expect(widget.prompt).toHaveValue("ab\nc");
    await expect(widget.primary).toHaveText("Prefill 4 tokens");
    await widget.prompt.press("Enter");
    await expect(widget.generatedCells).toHaveCount(1);
    await expect(widget.prompt).toHaveValue("ab\nc");
    await widget.prompt.press("Enter");
    await expect(widget.generatedCells).toHaveCount(2);
  });

  test("Enter that confirms a composed character starts nothing", async ({ page }) => {
    const widget = await Widget.on(page);
    const prevented = await widget.prompt.evaluate((field) => {
      // Chrome and Firefox say that a composition goes on; Safari has only the old code, after its end.
      const events = [
        new KeyboardEvent("keydown", {
          key: "Enter",
          isComposing: true,
          bubbles: true,
          composed: true,
          cancelable: true,
        }),
        new KeyboardEvent("keydown", {
          key: "Enter",
          keyCode: 229,
          bubbles: true,
          composed: true,
          cancelable: true,
        }),
      ];
      return events.map((event) => !field.dispatchEvent(event));
    });
    expect(prevented).toEqual([false, false]);
    await widget.prompt.press("Enter");
    // Had they started anything, this would be the second pass, or the third.
    await expect(widget.generatedCells).toHaveCount(1);
    await expect(widget.primary).toHaveText("Decode 1 token");
    expect(await widget.log()).toHaveLength(1);
  });

  test("markup in the prompt is text everywhere", async ({ page }) => {
    const widget = await Widget.on(page);
    for (const text of [MARKUP, "a<b&c", "&lt;b&gt;", "$&1"]) {
      await widget.prompt.fill(text);
      await expect(widget.promptCells).toHaveCount(text.length);
      expect((await widget.promptSymbols()).join("")).toBe(text.replaceAll(" ", "␣"));
    }
    // In a setting, in what is said of it, and in the end of a run.
    await widget.prompt.fill(MARKUP);
    await widget.set("Seed", MARKUP);
    await expect(widget.complaints).toContainText(MARKUP);
    await widget.step();
    await expect(widget.generatedCells).toHaveCount(1);
    await expect(page.locator("img")).toHaveCount(0);
  });
});

test("what no keyboard types is named as well", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  for (const [unit, name] of /** @type {const} */ ([
    [0xd800, "D800"],
    [0, "0000"],
    [0x200b, "200B"],
  ])) {
    await widget.root.evaluate((element, unit) => {
      Object.assign(element, { prompt: `a${String.fromCharCode(unit)}b` });
    }, unit);
    await expect(widget.root.locator("[part=prompt] .error")).toContainText(
      new RegExp(`U\\+${name}\\)? at 2`),
    );
    await expect(widget.promptCells).toHaveCount(3);
    await expect(widget.root.locator("[part=strip] .unsupported")).toHaveCount(1);
    await expect(widget.primary).toBeDisabled();
  }
});

test("markup that the model writes is text everywhere", async ({ page }) => {
  await page.goto("/tests/pages/empty.html");
  await page.locator("main").evaluate(
    async (main, { model, stop }) => {
      const element = /** @type {any} */ (document.createElement("generation-loop"));
      Object.assign(element, { model, stop, prompt: "a", maxTokens: null });
      main.append(element);
      await element.ready;
    },
    { model: forced(`${MARKUP}</b>`, 1), stop: "</b>" },
  );
  const widget = await Widget.on(page);
  await widget.run();
  expect((await widget.symbols()).join("")).toBe(`${MARKUP}</b>`.replaceAll(" ", "␣"));
  await expect(widget.outcome).toContainText("the stop string “</b>” was completed");
  expect((await widget.log()).map((row) => row.token[0]).join("")).toBe(`${MARKUP}</b>`.replaceAll(" ", "␣"));
  await expect(page.locator("img")).toHaveCount(0);
});

test("a space and a newline that the model writes are seen and spoken", async ({ page }) => {
  await page.goto("/tests/pages/empty.html");
  await page.locator("main").evaluate(
    async (main, model) => {
      const element = /** @type {any} */ (document.createElement("generation-loop"));
      Object.assign(element, { model, prompt: "a", stop: "\\n", maxTokens: null });
      main.append(element);
      await element.ready;
    },
    forced("b \n", 1),
  );
  const widget = await Widget.on(page);
  await widget.step(2);
  await expect(widget.status).toContainText("space");
  await widget.step();
  await widget.stopped();
  expect(await widget.symbols()).toEqual(["b", "␣", "⏎"]);
  await expect(widget.generatedCells.nth(1)).toContainText("space");
  await expect(widget.generatedCells.nth(2)).toContainText("newline, ended the run");
  await expect(widget.outcome).toContainText("the stop string “⏎” was completed");
});

test("what is typed into a field is no shortcut of the page's", async ({ page }) => {
  await page.goto("/tests/pages/shortcuts.html");
  const widget = await Widget.on(page);
  const taken = page.locator("#taken");
  await widget.prompt.selectText();
  await widget.prompt.pressSequentially("s/s");
  await expect(widget.prompt).toHaveValue("s/s");
  await widget.field("Stop string").selectText();
  await widget.field("Stop string").pressSequentially("s/");
  await expect(widget.field("Stop string")).toHaveValue("s/");
  // In a list of choices a letter looks for a choice.
  await widget.speed.focus();
  await widget.speed.press("s");
  await expect(taken).toHaveText("");

  // On a button a key is the page's.
  await widget.primary.focus();
  await page.keyboard.press("s");
  await expect(taken).toContainText("keydown s;");
  await expect(taken).toContainText("keyup s;");
});
