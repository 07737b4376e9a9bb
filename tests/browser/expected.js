/** What the headless engine says, here in Node, that a widget should show. */

import { GenerationLoop } from "../../www/engine.js";

/** @typedef {import("../../www/engine.js").LoadOptions & { prompt?: string }} Options */

/** What the widget does when nothing is said. */
const WIDGET = { prompt: "the cat sat", stop: ["."], seed: 7 };

/**
 * A whole run.
 * @param {Options} [options]
 */
export async function run(options) {
  const { prompt, ...rest } = { ...WIDGET, ...options };
  const loop = await GenerationLoop.load(rest);
  loop.prefill(prompt);
  while (loop.stop === null) loop.decodeStep();
  const { log, text, stop, tokens } = loop;
  loop.dispose();
  return { log, text, stop, tokens };
}

/**
 * A run that ends for one reason, and the seed that leads there: whatever the weights are, some seed does.
 * @param {string} reason
 * @param {Options} options
 */
export async function runThatEndsBy(reason, options) {
  for (let seed = 0; seed < 1000; seed += 1) {
    const found = await run({ ...options, seed });
    if (found.stop?.reason === reason && found.log.length > 2) return { ...found, seed };
  }
  throw new Error(`no seed leads to ${reason}`);
}
