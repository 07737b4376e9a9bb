/** The stored runs, bit for bit: through the built engine in a page, and on the screen. */

import { readFileSync } from "node:fs";
import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { shown, Widget } from "./widget.js";

/**
 * A run as it is stored.
 * @typedef {object} Stored
 * @property {string} name
 * @property {string} prompt
 * @property {{ method: string, temperature?: number, topK?: number, topP?: number }} sampling
 * @property {number} seed
 * @property {string[]} stop
 * @property {number | null} maxTokens
 * @property {number[]} tokens
 * @property {string} text
 * @property {{ draw: number | null, flops: number, logitBits: number[] }[]} passes
 */

/** @type {{ runs: Stored[] }} */
const { runs } = JSON.parse(readFileSync(new URL("../golden/run.json", import.meta.url), "utf8"));

test("every stored run, bit for bit, with the cache and without", async ({ page }) => {
  await page.goto("/tests/pages/engine.html");
  for (const { name, prompt, sampling, seed, stop, maxTokens, ...stored } of runs) {
    const made = await page.evaluate(
      async ({ prompt, ...options }) => {
        // Out of sight of the type checker, which knows no files that are built.
        const address = "/dist/engine.js";
        const { GenerationLoop } = await import(address);
        return Promise.all(
          [true, false].map(async (cache) => {
            const loop = await GenerationLoop.load({ model: "untrained", ...options, cache });
            /** @type {Stored["passes"]} */
            const passes = [];
            while (loop.stop === null) {
              const pass = passes.length === 0 ? loop.prefill(prompt) : loop.decodeStep();
              passes.push({
                draw: pass.draw,
                flops: cache ? pass.flops : pass.flopsWithoutCache,
                logitBits: [...new Uint32Array(loop.logits().buffer)],
              });
            }
            const { tokens, text } = loop;
            loop.dispose();
            return { passes, tokens, text };
          }),
        );
      },
      { prompt, sampling, seed, stop, maxTokens },
    );
    const { passes, tokens, text } = stored;
    expect(made[0], name).toEqual({ passes, tokens, text });
    expect(made[1].tokens, name).toEqual(tokens);
    expect(
      made[1].passes.map(({ logitBits }) => logitBits),
      name,
    ).toEqual(passes.map(({ logitBits }) => logitBits));
  }
});

test("the greedy run is on the screen as it is stored", async ({ page }) => {
  const greedy = runs.find(({ name }) => name === "greedy");
  if (greedy === undefined) throw new Error("there is no such run");
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.use("untrained");
  await widget.prompt.fill(greedy.prompt);
  await widget.set("Stop string", greedy.stop.join("|"));
  await widget.set("Length limit", String(greedy.maxTokens ?? "none"));
  await widget.run();
  const text = [...greedy.text].map((character) => ({ token: { text: character } }));
  expect(await widget.symbols()).toEqual(shown(text));
  expect((await widget.log()).map((row) => row.FLOPs)).toEqual(greedy.passes.map(({ flops }) => flops));
});

test("the engine's own page shows its run", async ({ page }) => {
  await page.goto("/tests/pages/engine.html");
  const { log, text, stop } = await run({ stop: [] });
  await expect(page.locator("#end")).toHaveText(`${log.length} passes, ended by ${stop?.reason}`);
  expect(await page.locator("#text").textContent()).toBe(text);
});
