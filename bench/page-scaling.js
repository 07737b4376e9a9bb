/** The scaling, in the browser: all cases of one sweep, in turns. */

import { GenerationLoop } from "../dist/engine.js";
import { rotated } from "./statistics.js";
import { promptOf, repeatsOf, warmUp } from "./timing.js";
import { randomWeights } from "./weights.js";

/**
 * What runs one case.
 * @typedef {object} Runner
 * @property {import("../www/engine.js").GenerationLoop} loop
 * @property {number} passes in each repeat
 * @property {(repeats: number) => number} run microseconds a pass
 */

/** Decode steps that are timed together: an odd number, so that the one in the middle sees the tokens that the case names. */
const STEPS = 9;

/**
 * Microseconds a pass, by case and round.
 * @param {import("./formulas.js").Work[]} cases
 * @param {number} rounds
 * @returns {Promise<{ times: number[][], flops: number[] }>} and the FLOPs that the record of such a pass has
 */
export async function benchSweep(cases, rounds) {
  /** @type {Runner[]} */
  const runners = [];
  for (const work of cases) runners.push(await runnerOf(work));
  const repeats = [];
  for (const { run, passes } of runners) {
    // What every pass runs is compiled for all of them.
    await warmUp(() => run(1), rounds, 200);
    repeats.push(repeatsOf((run(3) * passes) / 1000));
  }
  const times = runners.map(() => /** @type {number[]} */ ([]));
  for (let round = 0; round < rounds; round += 1) {
    for (const index of rotated([...runners.keys()], round)) {
      times[index].push(runners[index].run(repeats[index]));
    }
    // Between tasks the browser does what it has put off.
    await new Promise((resolve) => setTimeout(resolve));
  }
  const flops = runners.map(({ loop, passes }) =>
    loop.log.slice(-passes).reduce((sum, pass) => sum + pass.flops, 0),
  );
  for (const { loop } of runners) loop.dispose();
  return { times, flops: flops.map((sum, index) => sum / runners[index].passes) };
}

/**
 * A model of a case with nothing else to do, so that each finds the numbers of its last pass where it left them.
 * @param {import("./formulas.js").Work} work
 * @returns {Promise<Runner>}
 */
async function runnerOf({ config, phase, length }) {
  const model = { config, weights: randomWeights(config) };
  const loop = await GenerationLoop.load({ model, stop: [], maxTokens: null, seed: 1 });
  if (phase === "prefill") {
    const prompt = promptOf(length, config.vocab_size);
    const run = (/** @type {number} */ repeats) => {
      const begin = performance.now();
      for (let repeat = 0; repeat < repeats; repeat += 1) loop.prefill(prompt);
      return ((performance.now() - begin) * 1000) / repeats;
    };
    return { loop, passes: 1, run };
  }
  loop.prefill(promptOf(length - (STEPS + 1) / 2, config.vocab_size));
  const run = (/** @type {number} */ repeats) => {
    let total = 0;
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      // Back to the prompt by one pass over its last token: shorter than the prompt, and just as warm.
      loop.rewind(1);
      const begin = performance.now();
      for (let step = 0; step < STEPS; step += 1) loop.decodeStep();
      total += performance.now() - begin;
    }
    return (total * 1000) / (repeats * STEPS);
  };
  return { loop, passes: STEPS, run };
}
