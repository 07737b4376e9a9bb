/** The loop in Node, without the types of a page. */

import { readFile } from "node:fs/promises";
import { GenerationLoop } from "generation-loop/engine.js";

const weights = await readFile("model.safetensors");
const loop = await GenerationLoop.load({ model: { config: {}, weights }, maxTokens: 32 });
for await (const { text } of loop.generate("the cat sat")) process.stdout.write(text);
loop.dispose();

// @ts-expect-error: there is no page
document.querySelector("generation-loop");
