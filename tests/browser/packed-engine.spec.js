/** The engine of the package as others get it, alone on a page: what is held, what is disposed, and which seeds there are. */

import { random } from "../unit/checkpoints.js";
import { modelFile } from "../unit/files.js";
import { run } from "./expected.js";
import { LARGE, serveFolder } from "./models.js";
import { expect, test } from "./packed.js";

for (const form of ["engine.js", "modules/engine.js", "split/engine.js"]) {
  test.describe(form, () => {
    const address = `/dist/${form}`;
    test.beforeEach(({ page }) => page.goto("/tests/pages/blank.html"));

    test("logits that are held stay what they were, though a larger model moves the memory", async ({
      page,
    }) => {
      await serveFolder(page, "/models/large/", {
        "config.json": { body: LARGE, status: 200 },
        "model.safetensors": { body: modelFile(random(LARGE, 5, 0.5)), status: 200 },
      });
      const held = await page.evaluate(async (address) => {
        const { GenerationLoop } = await import(address);
        const loop = await GenerationLoop.load({ seed: 7 });
        loop.prefill("the cat sat");
        const logits = loop.logits();
        const before = [...logits];
        const large = await GenerationLoop.load({ model: "/models/large/", seed: 7 });
        large.prefill([1, 2, 3]);
        while (large.stop === null) large.decodeStep();
        const after = [...logits];
        const text = [loop.decodeStep(), loop.decodeStep()].map((pass) => pass.token.text).join("");
        const heldStill = [...logits];
        for (const one of [loop, large]) one.dispose();
        return { before, after, heldStill, disposed: [...logits], text };
      }, address);
      expect(held.before).toHaveLength(64);
      expect(held.before.every(Number.isFinite)).toBe(true);
      expect(new Set(held.before).size).toBeGreaterThan(20);
      for (const later of [held.after, held.heldStill, held.disposed]) expect(later).toEqual(held.before);
      const { log } = await run({ seed: 7 });
      expect(held.text).toBe(
        log
          .slice(1, 3)
          .map(({ token }) => token.text)
          .join(""),
      );
    });

    test("a disposed loop says so, and disposing it again is nothing", async ({ page }) => {
      const codes = await page.evaluate(async (address) => {
        const { GenerationLoop } = await import(address);
        const [loop, other] = await Promise.all([GenerationLoop.load(), GenerationLoop.load()]);
        for (const one of [loop, other]) one.prefill("the cat sat");
        loop.dispose();
        loop.dispose();
        /** @type {(call: () => unknown) => string} */
        const codeOf = (call) => {
          try {
            return `no error: ${call()}`;
          } catch (error) {
            return /** @type {any} */ (error).code;
          }
        };
        const codes = [
          () => loop.decodeStep(),
          () => loop.prefill("a"),
          () => loop.logits(),
          () => loop.text,
          () => loop.reset(),
        ].map(codeOf);
        return { codes, other: other.decodeStep().index };
      }, address);
      expect(codes).toEqual({ codes: Array(5).fill("disposed"), other: 2 });
    });

    test("a seed is the same as Number, BigInt and text; what is none is refused by its name", async ({
      page,
    }) => {
      const seeds = await page.evaluate(async (address) => {
        const { GenerationLoop } = await import(address);
        const wrong = [-1, 1.5, Number.NaN, 2 ** 53, 2n ** 53n + 1n, "x", ""];
        const right = [60, 60n, "60", 2 ** 53 - 1];
        const load = (/** @type {unknown} */ seed) => GenerationLoop.load({ seed });
        const loops = await Promise.all(right.map(load));
        const refused = await Promise.all(
          wrong.map((seed) => load(seed).catch((/** @type {any} */ { code, message }) => [code, message])),
        );
        return { taken: loops.map((loop) => loop.seed), refused };
      }, address);
      expect(seeds.taken).toEqual([60, 60, 60, 2 ** 53 - 1]);
      for (const answer of seeds.refused) {
        expect(answer).toEqual([
          "invalid-setting",
          expect.stringMatching(/^seed is .+; allowed: a whole number from 0 to 9007199254740991/),
        ]);
      }
    });
  });
}
