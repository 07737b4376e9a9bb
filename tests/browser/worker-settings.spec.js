/** Settings of a run that is made in a worker: each counts from the same token on as on the page's own thread. */

import { expect, test } from "./fixtures.js";
import { expectSame, loaded, PROMPT } from "./large.js";
import { keptPasses } from "./models.js";

test("settings, one after the other, in the middle of a run and between two", async ({ page }) => {
  // Passes of a large model, one after the other, with all panels drawn after each.
  test.slow();
  await page.goto("/tests/pages/plain.html");
  const widget = await loaded(page);
  // Those of a token count from the next one on.
  await widget.step();
  await widget.method("top-k").check();
  await widget.set("Top k", "50");
  await widget.step();
  await widget.method("top-p").check();
  await widget.set("Top p", "0.3");
  await widget.set("Temperature", "1.5");
  await widget.step(2);
  await widget.cache.uncheck();
  await widget.step();
  await widget.cache.check();
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(6);
  const kept = await keptPasses(widget);
  const expected = await widget.root.evaluate(async (node, prompt) => {
    const address = "/dist/engine.js";
    const { GenerationLoop } = await import(address);
    const loop = await GenerationLoop.load({ model: /** @type {any} */ (node).model, seed: 7 });
    loop.prefill(prompt);
    loop.sampling = { method: "top-k", topK: 50 };
    loop.decodeStep();
    loop.sampling = { method: "top-p", topP: 0.3, temperature: 1.5 };
    loop.decodeStep();
    loop.decodeStep();
    loop.cache = false;
    loop.decodeStep();
    loop.cache = true;
    loop.decodeStep();
    return loop.log.map((/** @type {any} */ pass) => {
      const { milliseconds, ...fields } = pass.toJSON();
      return { ...fields, kept: pass.kept };
    });
  }, PROMPT);
  expect(kept).toEqual(expected);

  // Those of a run begin another.
  await widget.root.evaluate((element) => Reflect.get(element, "passes").splice(0));
  await widget.method("temperature").check();
  await widget.set("Temperature", "3");
  await widget.set("Seed", "12345");
  await expect(widget.primary).toHaveText("Prefill 4 tokens");
  await widget.set("Length limit", "none");
  await widget.set("Length limit", "14");
  await widget.run();
  const sampling = { method: "temperature", temperature: 3 };
  await expectSame(widget, { seed: 12345, maxTokens: 14, sampling }, 10);
  const symbols = await widget.symbols();
  await widget.root.evaluate((element) => Reflect.get(element, "passes").splice(0));
  await widget.set("Stop string", `#nothing|${symbols[4]}`);
  await widget.run();
  await expect(widget.outcome).toContainText(`the stop string “${symbols[4]}” was completed`);
  const place = symbols.indexOf(symbols[4]) + 1;
  await expectSame(widget, { seed: 12345, maxTokens: 14, sampling, stop: ["#nothing", symbols[4]] }, place);
  // What is refused is refused here as there.
  await widget.set("Length limit", "129");
  await expect(widget.complaints).toContainText(
    "max-tokens is 129; allowed: 2 to 128, the model's context, or none",
  );
  await expect(widget.generatedCells).toHaveCount(place);
});
