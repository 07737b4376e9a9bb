/** A model of more than 100 MB, as a reader may have one: the page stays alive while it loads and runs. */

import { expect, test } from "./fixtures.js";
import { keepPasses, keptPasses, LARGE, watchWorkers, workersOf } from "./models.js";
import { Widget } from "./widget.js";

/** 118 MB. */
const HEAVY = {
  ...LARGE,
  ...{ n_layer: 8, n_head: 8, n_embd: 512, n_inner: 2048, vocab_size: 8192, n_positions: 256 },
};

const PROMPT = [1, 20, 300, 4000, 8191, 5, 60, 700, 8000, 9, 10, 11];

/**
 * Makes the two files in the page, which are too many bytes to be sent there, and keeps them as `files`.
 * @param {import("@playwright/test").Page} page
 * @param {typeof LARGE} config
 */
function makeFiles(page, config) {
  return page.evaluate((config) => {
    const { n_layer, n_embd: d, n_inner: f, vocab_size: v, n_positions: p } = config;
    /** @type {[name: string, shape: number[]][]} */
    const tensors = [
      ["transformer.wte.weight", [v, d]],
      ["transformer.wpe.weight", [p, d]],
      ["transformer.ln_f.weight", [d]],
      ["transformer.ln_f.bias", [d]],
    ];
    for (let layer = 0; layer < n_layer; layer += 1) {
      for (const [name, ...shape] of /** @type {[string, ...number[]][]} */ ([
        ["ln_1.weight", d],
        ["ln_1.bias", d],
        ["attn.c_attn.weight", d, 3 * d],
        ["attn.c_attn.bias", 3 * d],
        ["attn.c_proj.weight", d, d],
        ["attn.c_proj.bias", d],
        ["ln_2.weight", d],
        ["ln_2.bias", d],
        ["mlp.c_fc.weight", d, f],
        ["mlp.c_fc.bias", f],
        ["mlp.c_proj.weight", f, d],
        ["mlp.c_proj.bias", d],
      ])) {
        tensors.push([`transformer.h.${layer}.${name}`, shape]);
      }
    }
    let end = 0;
    let state = 1;
    const header = {};
    const parts = tensors.map(([name, shape]) => {
      const length = shape.reduce((product, side) => product * side);
      const data = new Float32Array(length);
      const isScale = name.includes("ln_") && name.endsWith("weight");
      for (let index = 0; index < length; index += 1) {
        state = (Math.imul(state, 1664525) + 1013904223) | 0;
        data[index] = (isScale ? 1 : 0) + state * (0.08 / 2 ** 31);
      }
      Reflect.set(header, name, { dtype: "F32", shape, data_offsets: [end, end + 4 * length] });
      end += 4 * length;
      return data;
    });
    const text = new TextEncoder().encode(JSON.stringify(header));
    const length = new BigUint64Array([BigInt(text.length)]);
    const weights = new File([length, text, ...parts], "heavy.safetensors");
    Reflect.set(window, "files", [new File([JSON.stringify(config)], "heavy.json"), weights]);
    return weights.size;
  }, config);
}

for (const [what, config, passes] of /** @type {const} */ ([
  ["118 MB", HEAVY, 8],
  ["5 MB", LARGE, 8],
])) {
  test(`${what} load and run in a worker while frames go on, and the numbers are the same`, async ({
    page,
    browserName,
  }) => {
    test.skip(config === HEAVY && browserName !== "chromium", "once is enough for a model of this size");
    test.setTimeout(240_000);
    const { vocab_size } = config;
    // Of the large one each pass is to take longer than two frames.
    const ids = config === HEAVY ? Array.from({ length: 5 }, () => PROMPT).flat() : PROMPT;
    const prompt = ids.map((id) => id % vocab_size);
    await watchWorkers(page);
    await page.goto("/tests/pages/plain.html");
    const widget = await Widget.on(page);
    await widget.prompt.fill(prompt.join(" "));
    const size = await makeFiles(page, config);
    if (config === HEAVY) expect(size).toBeGreaterThan(100e6);

    /** Drops the files, and counts frames until they are loaded. */
    const framesOfLoad = await widget.root.evaluate(async (node) => {
      const element = /** @type {any} */ (node);
      let frames = 0;
      const tick = () => {
        frames += 1;
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
      Reflect.set(element, "frames", () => frames);
      const dataTransfer = new DataTransfer();
      for (const file of Reflect.get(window, "files")) dataTransfer.items.add(file);
      const drop = new DragEvent("drop", { bubbles: true, composed: true, cancelable: true, dataTransfer });
      element.shadowRoot.querySelector(".frame").dispatchEvent(drop);
      await element.ready;
      return frames;
    });
    await expect(widget.model("heavy.safetensors")).toBeChecked();
    expect((await workersOf(page)).map(({ terminated }) => terminated)).toEqual([false]);
    if (browserName === "chromium") expect(page.workers()).toHaveLength(1);
    if (config === HEAVY) expect(framesOfLoad).toBeGreaterThan(10);

    await keepPasses(widget);
    await widget.set("Length limit", String(prompt.length + passes));
    // Without the cache each pass is one of the whole text, and takes its time.
    await widget.cache.uncheck();
    await widget.speed.selectOption("instant");
    const framesOfPasses = await widget.root.evaluate(async (node) => {
      const element = /** @type {any} */ (node);
      /** @type {number[]} */
      const each = [];
      let before = element.frames();
      element.addEventListener("generation-pass", () => {
        each.push(element.frames() - before);
        before = element.frames();
      });
      const stopped = new Promise((resolve) => element.addEventListener("generation-stop", resolve));
      element.run();
      await stopped;
      return each;
    });
    await widget.stopped();
    expect(framesOfPasses).toHaveLength(passes);
    // Of a small one a pass may be over within a frame.
    if (config === HEAVY) expect(Math.min(...framesOfPasses)).toBeGreaterThanOrEqual(2);

    const kept = await keptPasses(widget);
    const symbols = await widget.symbols();
    expect(kept.map((pass) => `#${Reflect.get(pass, "token").id}`)).toEqual(symbols);
    expect((await widget.log()).map((row) => row.FLOPs)).toEqual(
      kept.map((pass) => Reflect.get(pass, "flops")),
    );

    // In the middle of a pass, which takes its time.
    await widget.button("Reset").click();
    await widget.primary.click();
    await expect(widget.primary).toHaveText(/Making pass 1…|Decode/);
    await widget.button("Reset").click();
    await expect(widget.primary).toHaveText(`Prefill ${prompt.length} tokens`);
    await expect(widget.generatedCells).toHaveCount(0);
    await widget.button("Run").click();
    await widget.button("Pause").click();
    await expect(widget.button("Run")).toBeVisible();
    await expect(widget.primary).toBeEnabled();
    const paused = await widget.generatedCells.count();
    expect(paused).toBeGreaterThan(0);
    await widget.button("Back").click();
    await expect(widget.generatedCells).toHaveCount(paused - 1);

    await widget.root.evaluate((element) => {
      Reflect.get(element, "step").call(element);
      element.remove();
    });
    expect((await workersOf(page)).map(({ terminated }) => terminated)).toEqual([true]);
    if (browserName === "chromium") await expect.poll(() => page.workers().length).toBe(0);

    // And on the page's own thread, by the engine alone.
    const expected = await page.evaluate(
      async ({ prompt, passes }) => {
        const address = "/dist/engine.js";
        const { GenerationLoop } = await import(address);
        const [config, weights] = Reflect.get(window, "files");
        const loop = await GenerationLoop.load({ model: { config, weights }, cache: false, maxTokens: null });
        loop.prefill(prompt);
        while (loop.passes < passes) loop.decodeStep();
        return loop.log.map((/** @type {any} */ pass) => {
          const { milliseconds, ...fields } = pass.toJSON();
          return { ...fields, kept: pass.kept };
        });
      },
      { prompt, passes },
    );
    expect(kept.map((pass) => ({ ...pass, stop: null }))).toEqual(expected);
  });
}
