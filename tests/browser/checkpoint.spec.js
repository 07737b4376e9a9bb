/** Files of a reader's own: how they come in, which there must be, and what the widget then is. */

import { random } from "../unit/checkpoints.js";
import { modelFile } from "../unit/files.js";
import { expect, test } from "./fixtures.js";
import { filesOf, randomFiles, SMALL } from "./models.js";
import { Widget } from "./widget.js";

test.beforeEach(({ page }) => page.goto("/"));

const file = modelFile(random(SMALL, 4, 0.5));
const NEEDED = "a model is two files, chosen together: config.json and model.safetensors; these are ";

/**
 * Has a model loaded, and waits until the widget has it.
 * @param {Widget} widget
 * @param {import("./models.js").ChosenFile[]} files
 * @param {string} name which it then goes by
 */
async function load(widget, files, name = "model.safetensors") {
  await widget.open(files);
  await expect(widget.model(name)).toBeChecked();
}

test("files that are chosen become the model, from the prompt again, with the settings as they are", async ({
  page,
}) => {
  const widget = await Widget.on(page);
  await widget.method("top-k").check();
  await widget.step(2);
  await widget.open(randomFiles());
  await expect(widget.model("model.safetensors")).toBeChecked();
  await expect(widget.models.getByRole("radio")).toHaveCount(3);
  await expect(widget.models).toContainText(
    /GPT-2 architecture: 1 block, 2 heads, width 4,\s+64 tokens; [\d,]+ parameters\. Your own weights: they stay on this device, nothing is uploaded\./,
  );
  await expect(widget.primary).toHaveText("Prefill 11 tokens");
  await expect(widget.method("top-k")).toBeChecked();
  await expect(widget.field("Seed")).toHaveValue("7");
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
  // Back to what is inside; the reader's own is gone from the switch.
  await widget.use("trained");
  await expect(widget.models.getByRole("radio")).toHaveCount(2);
});

test("the same files can be chosen again", async ({ page }) => {
  const widget = await Widget.on(page);
  for (let time = 0; time < 2; time += 1) {
    await load(widget, randomFiles());
    await widget.step();
    await expect(widget.generatedCells).toHaveCount(1);
    await widget.use("trained");
  }
});

test("files that are dropped become the model, whatever their order, and the page stays", async ({
  page,
}) => {
  const widget = await Widget.on(page);
  expect(await widget.drop(randomFiles().reverse())).toEqual([true, true]);
  await expect(widget.model("model.safetensors")).toBeChecked();
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(1);
});

test("files that are dragged show where they can be dropped; text does not, and is left alone", async ({
  page,
}) => {
  const widget = await Widget.on(page);
  const frame = widget.root.locator(".frame");
  await expect(frame).toHaveCSS("outline-style", "none");
  await widget.drop(randomFiles(), { types: ["dragover"] });
  await expect(frame).toHaveCSS("outline-style", "dashed");
  await widget.drop(randomFiles(), { types: ["dragleave"] });
  await expect(frame).toHaveCSS("outline-style", "none");
  await widget.drop(randomFiles());
  await expect(frame).toHaveCSS("outline-style", "none");
  await expect(widget.model("model.safetensors")).toBeChecked();

  expect(await widget.drop([], { text: "a cat", types: ["dragover"] })).toEqual([false]);
  await expect(frame).toHaveCSS("outline-style", "none");
  expect(await widget.drop([], { text: "a cat" })).toEqual([false, false]);
  await expect(widget.outcome).toHaveText("");
});

test("files of other names will do, and theirs is the model's", async ({ page }) => {
  const widget = await Widget.on(page);
  const names = /** @type {[string, string][]} */ ([
    ["a.json", "b.safetensors"],
    ["CONFIG.JSON", "Model.SafeTensors"],
    ["config (1).json", "a name that is far longer than the switch has room for.safetensors"],
  ]);
  for (const pair of names) {
    await load(widget, filesOf({ weights: file, names: pair }), pair[1]);
    await widget.open(filesOf({ config: { ...SMALL, n_head: 3 }, weights: file, names: pair }));
    await expect(widget.outcome).toContainText(`${pair[0]}: n_head is 3`);
    await widget.open(filesOf({ weights: "", names: pair }));
    await expect(widget.outcome).toContainText(`${pair[1]}: not a safetensors file`);
  }
});

test("one file, two of a kind, three, or others: the message says which there must be", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.step(2);
  const [config, weights] = randomFiles();
  const named = (/** @type {typeof config} */ file, /** @type {string} */ name) => ({ ...file, name });
  for (const files of [
    [config],
    [weights],
    [config, named(config, "other.json")],
    [weights, named(weights, "other.safetensors")],
    [config, weights, named(config, "tokenizer.json")],
    [named(config, "config.txt"), named(weights, "pytorch_model.bin")],
  ]) {
    const message = NEEDED + files.map(({ name }) => name).join(", ");
    for (const how of ["open", "drop"]) {
      if (how === "open") await widget.open(files);
      else await widget.drop(files);
      await expect(widget.outcome).toContainText(message);
      await expect(widget.status).toContainText(message);
      await expect(widget.generatedCells).toHaveCount(2);
      await widget.root.evaluate((element) => Reflect.get(element, "pause").call(element));
    }
    await widget.step();
    await expect(widget.outcome).toHaveText("");
    await widget.button("Back").click();
  }
  await expect(widget.model("trained")).toBeChecked();
});

test("files that are dropped where the first model could not be loaded do not take the page away", async ({
  page,
  complaints,
}) => {
  complaints.allow(/404/);
  await page.goto("/tests/pages/empty.html");
  await page.locator("main").evaluate((main) => {
    main.innerHTML = '<generation-loop model="/tests/not/there/"></generation-loop>';
  });
  const element = page.locator("generation-loop");
  await expect(element).toContainText("404");
  const opened = await element.evaluate((node) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["{}"], "config.json"));
    const target = node.shadowRoot?.querySelector("p.error");
    return ["dragover", "drop"].map((type) =>
      target?.dispatchEvent(
        new DragEvent(type, { bubbles: true, composed: true, cancelable: true, dataTransfer }),
      ),
    );
  });
  expect(opened).toEqual([false, false]);
});

test("of two widgets, one has a model of its own, and the other does not notice", async ({ page }) => {
  await page.goto("/tests/pages/several.html");
  const [one, other] = [await Widget.on(page, 0), await Widget.on(page, 1)];
  await other.step(3);
  const symbols = await other.symbolsAfter(3);
  await one.open(randomFiles());
  await expect(one.model("model.safetensors")).toBeChecked();
  await one.step(2);
  await expect(other.model("trained")).toBeChecked();
  await expect(other.models.getByRole("radio")).toHaveCount(2);
  expect(await other.symbols()).toEqual(symbols);
  // Radio buttons of two widgets are two groups.
  await one.use("untrained");
  await expect(other.model("trained")).toBeChecked();
  await other.step(2);
  expect((await other.symbolsAfter(5)).slice(0, 3)).toEqual(symbols);
});
