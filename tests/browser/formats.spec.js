/** What may be in a model's files: half precision, old masks, a tied head or another, any vocabulary and context. */

import { generator, random } from "../unit/checkpoints.js";
import { fileOf, modelFile, rawTensors } from "../unit/files.js";
import { expect, test } from "./fixtures.js";
import { filesOf, randomFiles, SMALL } from "./models.js";
import { Widget } from "./widget.js";

test.beforeEach(({ page }) => page.goto("/"));

const model = random(SMALL, 4, 0.5);
const file = modelFile(model);

/**
 * A short run from the beginning: tokens, and each one's cost and probability.
 * @param {Widget} widget
 */
async function shortRun(widget) {
  await widget.button("Run").click();
  await widget.stopped();
  return widget.log();
}

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

test("half precision of both kinds is read exactly", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.speed.selectOption("instant");
  for (const dtype of ["F16", "BF16"]) {
    const next = generator(9);
    /** @type {typeof model.weights} */
    const weights = {};
    /** @type {Record<string, import("../unit/files.js").RawTensor>} */
    const halves = {};
    for (const [name, { shape, data }] of Object.entries(model.weights)) {
      const bits = Uint16Array.from(data, () => {
        const [sign, fraction] = [
          next() < 0.5 ? 0x8000 : 0,
          Math.floor(next() * (dtype === "F16" ? 1024 : 128)),
        ];
        // From an eighth to one.
        return dtype === "F16"
          ? sign | ((12 + Math.floor(next() * 3)) << 10) | fraction
          : sign | ((124 + Math.floor(next() * 3)) << 7) | fraction;
      });
      halves[name] = { dtype, shape, bytes: new Uint8Array(bits.buffer) };
      const value = (/** @type {number} */ half) =>
        dtype === "F16"
          ? (half & 0x8000 ? -1 : 1) * (1 + (half & 1023) / 1024) * 2 ** (((half >> 10) & 31) - 15)
          : (half & 0x8000 ? -1 : 1) * (1 + (half & 127) / 128) * 2 ** (((half >> 7) & 255) - 127);
      weights[name] = { shape, data: Float32Array.from(bits, value) };
    }
    await load(
      widget,
      filesOf({ weights: modelFile({ weights }), names: ["c.json", "full.safetensors"] }),
      "full.safetensors",
    );
    const expected = await shortRun(widget);
    await load(
      widget,
      filesOf({ weights: fileOf(halves), names: ["c.json", "half.safetensors"] }),
      "half.safetensors",
    );
    expect(await shortRun(widget), dtype).toEqual(expected);
  }
});

test("masks that old files carry along are passed over, prefixes left out or not", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.speed.selectOption("instant");
  await load(widget, filesOf({ weights: file }));
  const expected = await shortRun(widget);
  const tensors = rawTensors(model);
  const mask = { dtype: "F32", shape: [1, 1, 48, 48], bytes: new Uint8Array(4 * 48 * 48) };
  const masked = { dtype: "F32", shape: [], bytes: new Uint8Array(4) };
  const extra = { "transformer.h.0.attn.bias": mask, "transformer.h.0.attn.masked_bias": masked };
  const bare = Object.entries({ ...extra, ...tensors }).map(([name, tensor]) => [
    name.replace("transformer.", ""),
    tensor,
  ]);
  for (const [name, weights] of /** @type {const} */ ([
    ["first.safetensors", fileOf({ ...extra, ...tensors })],
    ["last.safetensors", fileOf({ ...tensors, ...extra }, { __metadata__: { format: "pt" } })],
    ["bare.safetensors", fileOf(Object.fromEntries(bare))],
  ])) {
    await load(widget, filesOf({ weights, names: ["config.json", name] }), name);
    expect(await shortRun(widget), name).toEqual(expected);
  }
});

test("a tied head may be in the file or not", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.speed.selectOption("instant");
  const config = { ...SMALL, tie_word_embeddings: true };
  const tensors = rawTensors(random(config, 4, 0.5));
  const head = { "lm_head.weight": tensors["transformer.wte.weight"] };
  await load(
    widget,
    filesOf({ config, weights: fileOf(tensors), names: ["c.json", "without.safetensors"] }),
    "without.safetensors",
  );
  const expected = await shortRun(widget);
  await expect(widget.models).toContainText("628 parameters");
  await load(
    widget,
    filesOf({ config, weights: fileOf({ ...tensors, ...head }), names: ["c.json", "with.safetensors"] }),
    "with.safetensors",
  );
  expect(await shortRun(widget)).toEqual(expected);
  await expect(widget.models).toContainText("628 parameters");
});

test("a vocabulary without characters: the prompt is ids, and tokens are shown by theirs", async ({
  page,
}) => {
  const widget = await Widget.on(page);
  const config = { ...SMALL, vocab_size: 65 };
  await load(widget, randomFiles(config));
  const message = widget.root.locator("[part=prompt] .error");
  const allowed =
    'this model has no table of characters: its prompt is token ids from 0 to 64, as in "1 2 3"';
  await expect(message).toHaveText(`not a token: the, cat, sat; ${allowed}`);
  await expect(widget.prompt).toHaveAttribute("aria-invalid", "true");
  await expect(widget.primary).toBeDisabled();
  for (const [typed, refused] of [
    ["1 2 65", "not a token: 65"],
    ["1 -2", "not a token: -2"],
    ["1.5", "not a token: 1.5"],
    ["#1 ##2", "not a token: ##2"],
    ["  ", "the prompt is empty"],
  ]) {
    await widget.prompt.fill(typed);
    await expect(message, typed).toHaveText(`${refused}; ${allowed}`);
    await expect(widget.primary, typed).toBeDisabled();
  }
  for (const typed of ["12 7 64", "#12 #7 #64", "12, 7,64", " #12\n7\t64 "]) {
    await widget.prompt.fill(typed);
    await expect(message, typed).toHaveCount(0);
    await expect(widget.primary).toHaveText("Prefill 3 tokens");
    expect(await widget.promptSymbols()).toEqual(["#12", "#7", "#64"]);
  }
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
  for (const symbol of await widget.symbols()) expect(symbol).toMatch(/^#\d{1,2}$/);
  await expect(widget.candidates).toHaveCount(10);
  for (const { symbol } of await widget.stages()) expect(symbol).toMatch(/^#\d{1,2}$/);
  await expect(widget.button("Show all 65")).toBeVisible();
  // The prompt is kept, and wrong for whoever reads characters only as far as it is.
  await widget.use("trained");
  await expect(widget.prompt).toHaveValue(" #12\n7\t64 ");
});

test("a context shorter than the limit is the limit, and the reader's own limit comes back with its model", async ({
  page,
}) => {
  const widget = await Widget.on(page);
  await widget.set("Length limit", "60");
  await widget.field("Length limit").blur();
  await load(widget, randomFiles({ ...SMALL, n_positions: 20 }));
  await expect(widget.field("Length limit")).toHaveValue("20");
  await expect(widget.root).toContainText("11 of at most 19 tokens");
  await widget.use("trained");
  await expect(widget.field("Length limit")).toHaveValue("60");
});
