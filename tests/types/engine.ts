/** The loop without the widget. */

import {
  type Config,
  GenerationError,
  GenerationLoop,
  type Pass,
  type Stop,
} from "generation-loop/engine.js";
import { GenerationLoop as Split } from "generation-loop/split/engine.js";

const controller = new AbortController();
const loop = await GenerationLoop.load({
  model: { config: "https://example.org/config.json", weights: new Uint8Array(8) },
  sampling: { method: "top-p", temperature: 0.8, topP: 0.9 },
  seed: 7n,
  stop: ["."],
  maxTokens: null,
  cache: true,
  signal: controller.signal,
  onProgress: ({ loaded, total }) => void (loaded / total),
});
const split: GenerationLoop = await Split.load();
void split;

const pass: Pass = loop.prefill("the cat sat");
const ids: Pass = loop.prefill([1, 2, 3]);
void ids;
const stop: Stop | null = pass.stop;
const shape: Readonly<Config> = loop.config;
const flops: number = GenerationLoop.flops(shape, { phase: "decode", length: 12 });
for await (const { id, text } of loop.generate("the cat sat", { signal: controller.signal })) void [id, text];
const logits: Float32Array = loop.logits();
void [stop, flops, logits, pass.candidates[0]?.text, pass.operations[0]?.name === "qkv"];
loop.sampling = { method: "greedy" };
loop.seed = null;
loop.stopStrings = "x";
try {
  loop.decodeStep();
} catch (error) {
  if (error instanceof GenerationError) void error.code.length;
}

// @ts-expect-error: it is made by `load`
new GenerationLoop();
// @ts-expect-error: there is no such method
await GenerationLoop.load({ sampling: { method: "beam" } });
// @ts-expect-error: a misspelt option
await GenerationLoop.load({ maxtokens: 3 });
// @ts-expect-error: it can only be read
loop.passes = 3;
// @ts-expect-error: a decode step takes nothing
loop.decodeStep("the");
// @ts-expect-error: this phase is none
GenerationLoop.flops(shape, { phase: "train", length: 12 });
