/** Moments of a run as a widget tells of them. */

import { GenerationLoop } from "../../www/engine.js";
import { Run } from "../../www/run.js";

/**
 * What is on the screen of a widget after so many passes, or as many as the run has.
 * @param {number} passes
 * @param {{ prompt?: string, at?: number, set?: Record<string, unknown> } & import("../../www/engine.js").LoadOptions} [options] `at`:
 *   the pass that the reader has gone back to; `set`: settings from the third pass on
 * @returns {Promise<import("../../www/run.js").Moment>}
 */
export async function momentAfter(passes, { prompt = "the cat sat", at, set = {}, ...options } = {}) {
  const run = new Run(await GenerationLoop.load({ seed: 7, stop: ["."], maxTokens: 32, ...options }));
  run.set("prompt", prompt);
  for (let pass = 0; pass < passes && run.next !== "restart"; pass += 1) {
    if (pass === 2) for (const [name, value] of Object.entries(set)) run.set(name, value);
    run.step();
  }
  if (at !== undefined) run.goTo(at);
  const moment = { ...run.asShown, running: false };
  run.loop.dispose();
  return moment;
}
