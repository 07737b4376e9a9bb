/** What the record of a pass costs whoever reads all of it, in the browser. */

import { GenerationLoop } from "../dist/engine.js";
import { PROMPT, STEPS } from "./page.js";
import { promptOf, repeatsOf, warmUp } from "./timing.js";
import { randomWeights } from "./weights.js";

/**
 * Microseconds a decode step, alone and with its record read; both of a round belong together.
 * @param {import("./formulas.js").Config} config
 * @param {number} rounds
 * @returns {Promise<{ alone: number[], read: number[] }>}
 */
export async function benchRecord(config, rounds) {
  const model = { config, weights: randomWeights(config) };
  const loop = await GenerationLoop.load({ model, stop: [], maxTokens: null, seed: 1 });
  const prompt = promptOf(PROMPT, config.vocab_size);
  /** @type {{ alone: number[], read: number[] }} */
  const times = { alone: [], read: [] };

  /** @param {boolean} reads @param {number} repeats */
  const sample = (reads, repeats) => {
    let total = 0;
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      loop.prefill(prompt);
      const begin = performance.now();
      for (let step = 0; step < STEPS; step += 1) {
        const pass = loop.decodeStep();
        if (reads && !(readAll(pass, loop) > 0)) throw new Error("a record without numbers");
      }
      total += performance.now() - begin;
    }
    return (total * 1000) / (repeats * STEPS);
  };

  await warmUp(() => sample(false, 1), rounds);
  await warmUp(() => sample(true, 1), rounds);
  const repeats = repeatsOf((sample(false, 3) * STEPS) / 1000);
  for (let round = 0; round < rounds; round += 1) {
    // Whoever comes second finds the caches warm, and in the next round it is the other.
    for (const reads of round % 2 === 0 ? [false, true] : [true, false]) {
      times[reads ? "read" : "alone"].push(sample(reads, repeats));
    }
  }
  loop.dispose();
  return times;
}

/**
 * Every number there is to read of a pass, added up so that none of it is for nothing.
 * @param {import("../www/pass.js").Pass} pass
 * @param {import("../www/engine.js").GenerationLoop} loop
 */
function readAll(pass, loop) {
  let sum = pass.kept;
  for (const { id, text, probability, samplingProbability } of pass.candidates) {
    sum += id + text.length + probability + samplingProbability;
  }
  for (const { flops } of pass.operations) sum += flops;
  for (const numbers of [loop.logits(), loop.attention()]) {
    for (let place = 0; place < numbers.length; place += 1) sum += Math.abs(numbers[place]);
  }
  return sum;
}
