/**
 * The engine in a worker: one loop, as it is, with a message for each call. `worker-loop.js` is the other end.
 */

import { GenerationLoop } from "./engine.js";

/** @typedef {import("./engine.js").Pass} Pass */
/** @typedef {import("./engine.js").LoadOptions} LoadOptions */

/** @type {GenerationLoop} */
let loop;

/** What the other end may ask for. @type {Record<string, (value: any) => unknown>} */
const CALLS = {
  load: async (/** @type {LoadOptions} */ options) => {
    const onProgress = (/** @type {unknown} */ progress) => postMessage({ progress });
    loop = await GenerationLoop.load({ ...options, onProgress });
    const { config, parameters, sampling, stopStrings, seed, maxTokens, cache } = loop;
    return { config, parameters, settings: { sampling, stopStrings, seed, maxTokens, cache } };
  },
  prefill: (prompt) => record(loop.prefill(prompt)),
  decodeStep: () => record(loop.decodeStep()),
  rewind: (keep) => loop.rewind(keep),
  reset: () => loop.reset(),
  set: (settings) => void Object.assign(loop, settings),
};

/** @param {Pass} pass */
function record(pass) {
  return { fields: pass.toJSON(), kept: pass.kept, text: loop.text };
}

addEventListener("message", async ({ data: { id, call, value } }) => {
  try {
    postMessage({ id, result: await CALLS[call](value) });
  } catch (error) {
    const { code = "trapped", message } = /** @type {import("./errors.js").GenerationError} */ (error);
    postMessage({ id, error: { code, message } });
  }
});
