/** Processes each prompt that arrives, and answers with the record of the pass: plain data, once it is JSON. */

import { GenerationLoop } from "../../dist/engine.js";

// The listener comes first: what arrives while the model loads must find it.
const loading = GenerationLoop.load();
self.addEventListener("message", async ({ data: prompt }) => {
  const loop = await loading;
  self.postMessage(loop.prefill(prompt).toJSON());
});
