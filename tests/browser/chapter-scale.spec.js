/** The chapter's real models on real chips. */

import { CHIPS } from "../../www/chapter/chips.js";
import { dataSize, inWords } from "../../www/chapter/quantity.js";
import { SHAPES } from "../../www/chapter/shapes.js";
import { bytesReadOf, flopsOf } from "../../www/flops.js";
import { expectNoViolations } from "./axe.js";
import { expect, test } from "./fixtures.js";
import { pageScrolls } from "./layout.js";

/** @param {import("@playwright/test").Page} page */
function scaleOn(page) {
  const root = page.locator("#scale");
  const passes = root.getByRole("group", { name: "One prefill and one decode" });
  const overview = root.getByRole("group", { name: "All models on this chip" });
  return {
    root,
    choice: (/** @type {string} */ label) => root.getByRole("combobox", { name: label }),
    field: (/** @type {string} */ label) => root.getByRole("textbox", { name: label }),
    errors: root.locator(".errors .error"),
    combination: root.locator(".combination"),
    overview,
    /** Cells of a row: the prefill's, and the decode's. @param {string | RegExp} head */
    row: (head) =>
      passes
        .getByRole("row")
        .filter({ has: page.getByRole("rowheader", { name: head }) })
        .getByRole("cell"),
    /** @param {string} model */
    model: (model) =>
      overview
        .getByRole("row")
        .filter({ has: page.getByRole("rowheader", { name: model }) })
        .getByRole("cell"),
  };
}

test.beforeEach(({ page }) => page.goto("/"));

test("GPT-2 XL on an A100: arithmetic holds up the prefill, memory the decode", async ({ page }) => {
  const scale = scaleOn(page);
  await expect(scale.combination).toHaveText(
    "GPT-2 XL on NVIDIA A100 80 GB SXM, 2 bytes per weight, 800 prompt tokens, 200 reply tokens",
  );
  await expect(scale.row("FLOPs").first()).toHaveText("2.68 trillion");
  await expect(scale.row(/^FLOPs per byte/)).toHaveText(["800", "1"]);
  await expect(scale.row("Time for the arithmetic")).toHaveText(["8.6 ms", "10.8 µs"]);
  await expect(scale.row("Time for reading memory")).toHaveText(["1.65 ms", "1.65 ms"]);
  await expect(scale.row("Held up by")).toHaveText(["arithmetic", "memory"]);
  await expect(scale.row("At best")).toHaveText(["first token after 8.6 ms", "608 tokens per second"]);
  await expect(scale.root).toContainText("3.42 GB, and fit into the 80 GB of memory.");
  await expect(scale.root).toContainText(
    "The whole reply: 2.68 trillion + 674 billion = 3.36 trillion FLOPs",
  );
});

test("every model is counted by the formulas of the widget, in any number of bytes", async ({ page }) => {
  const scale = scaleOn(page);
  for (const { id, name, config } of SHAPES) {
    await scale.choice("Model").selectOption(id);
    await expect(scale.combination).toContainText(name);
    await expect(scale.row(/^FLOPs$/)).toHaveText([
      inWords(flopsOf(config, { phase: "prefill", length: 800 })),
      inWords(flopsOf(config, { phase: "decode", length: 801 })),
    ]);
    for (const bytes of [4, 2, 1]) {
      await scale.choice("Bytes per weight").selectOption(String(bytes));
      const weights = dataSize((bytesReadOf(config, 1).weights / 4) * bytes);
      await expect(scale.row("Weights read")).toHaveText([weights, weights]);
      await expect(scale.row("KV cache read")).toHaveText(
        [800, 801].map((tokens) => dataSize((bytesReadOf(config, tokens).cache / 4) * bytes)),
      );
    }
  }
});

test("what does not fit is said plainly, here and in the overview", async ({ page }) => {
  const scale = scaleOn(page);
  await scale.choice("Model").selectOption("GPT-3 175B");
  await expect(scale.root).toContainText(
    "do not fit into the 80 GB of memory: it would take at least 5 of these. The times are those of one that had the room.",
  );
  await expect(scale.model("GPT-3 175B").nth(2)).toHaveText("no");
  await expect(scale.model("GPT-2 small").nth(2)).toHaveText("yes");
});

test("every chip has its figures, and says where they are from", async ({ page }) => {
  const scale = scaleOn(page);
  await scale.root.getByText("What is counted, and where the figures are from").click();
  for (const { id, name, how, source } of CHIPS) {
    await scale.choice("Chip").selectOption(id);
    await expect(scale.combination).toContainText(name);
    await expect(scale.root).toContainText(how);
    await expect(scale.root.getByRole("link", { name: "The vendor’s page" })).toHaveAttribute("href", source);
  }
  await expect(scale.root).toContainText(
    "1,557,611,200 parameters, computed from its shape and published as 1.5B",
  );
});

test("lengths that cannot be used are refused beside their field, and the last good answer stays", async ({
  page,
}) => {
  const scale = scaleOn(page);
  for (const text of ["", "0", "-1", "1e99", "NaN", "12 tokens"]) {
    await scale.field("Prompt tokens").fill(text);
    const found = text === "" ? "is empty" : `is “${text}”`;
    const message = `Prompt tokens ${found}; allowed: a whole number from 1 to 2,048`;
    await expect(scale.errors).toHaveText([message]);
    await expect(scale.field("Prompt tokens")).toHaveAccessibleDescription(message);
    await expect(scale.field("Reply tokens")).toHaveAttribute("aria-invalid", "false");
    await expect(scale.combination).toContainText("Still of the last good input: GPT-2 XL");
    await expect(scale.combination).toContainText("800 prompt tokens");
  }
  await scale.field("Prompt tokens").fill("824");
  await expect(scale.errors).toHaveCount(0);
  await expect(scale.combination).toContainText("824 prompt tokens");
});

test("a reply that has no room in the context is refused, and a longer context takes it", async ({
  page,
}) => {
  const scale = scaleOn(page);
  await scale.field("Prompt tokens").fill("1000");
  await expect(scale.errors).toHaveText([
    "Prompt and reply are 1,200 tokens together; allowed: at most 1,024, the context of GPT-2 XL",
  ]);
  await expect(scale.field("Reply tokens")).toHaveAttribute("aria-invalid", "true");
  await scale.choice("Model").selectOption("GPT-3 175B");
  await expect(scale.errors).toHaveCount(0);
  await expect(scale.combination).toContainText("1,000 prompt tokens");
  await expect(scale.model("GPT-2 XL").last()).toHaveText("its context of 1,024 tokens is too short");
});

test("a reply of one token has no decode", async ({ page }) => {
  const scale = scaleOn(page);
  await scale.field("Reply tokens").fill("1");
  await expect(scale.root).toContainText(
    "The one token of the reply comes out of the prefill: there is no decode.",
  );
});

test("axe finds nothing, with all notes and an error", async ({ page }) => {
  const scale = scaleOn(page);
  await scale.root.getByText("What is counted, and where the figures are from").click();
  await scale.field("Prompt tokens").fill("1e99");
  await expect(scale.errors).toHaveCount(1);
  await expectNoViolations(page);
});

test("on a screen of 320 pixels only the overview scrolls, and by the keyboard too", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 700 });
  const scale = scaleOn(page);
  await scale.choice("Chip").selectOption("snapdragon-8-gen-3");
  await scale.root.getByText("What is counted, and where the figures are from").click();
  expect(await pageScrolls(page)).toBe(false);
  for (const control of await scale.root.locator("select, input, summary").all())
    expect((await control.boundingBox())?.height).toBeGreaterThanOrEqual(32);
  await scale.overview.focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => scale.overview.evaluate((pane) => pane.scrollLeft)).toBeGreaterThan(0);
});
