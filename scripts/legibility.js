/**
 * `npm run legibility` has the trained model write from many prompts, and counts what belongs to the grammar that it was
 * trained on; with `-- folder`, another model of the same grammar.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GenerationLoop } from "../www/engine.js";
import { root, runIfMain } from "./run.js";

/** Beginnings of sentences, each of another kind. */
export const PROMPTS = [
  "the cat sat",
  "the dog",
  "a bird",
  "the old",
  "a sailor",
  "the girl",
  "the moon",
  "where is",
  "can you",
  "good",
  "look at",
  "what a",
  "is it",
  "the",
  "a",
];

/** Prompts that no sentence of the grammar begins with. */
export const FOREIGN = [
  "hello",
  "hello world",
  "once upon a time",
  "xyz",
  "42",
  "what is 2+2",
  "(a, b)",
  "q",
  "the cat sat. the dog",
  "e cat sat",
  "near the",
  "zzzzzzzzzzzz",
];

/**
 * Recognises the sentences of a grammar, from the file that the training wrote.
 * @returns {(text: string) => boolean}
 */
export function recogniser() {
  const file = join(root, "crate/models/trained/grammar.json");
  /** @type {{ words: Record<string, string[]>, patterns: string[] }} */
  const { words, patterns } = JSON.parse(readFileSync(file, "utf8"));
  const alternatives = patterns.map((pattern) =>
    pattern.replace(/[.?!]/g, "\\$&").replace(/\{(\w+)\}/g, (_, place) => `(?:${words[place].join("|")})`),
  );
  const sentence = new RegExp(`^(?:${alternatives.join("|")})$`);
  return (text) => sentence.test(text);
}

/**
 * Writes to the end of a text, or of the context.
 * @param {GenerationLoop} loop
 * @param {string} prompt
 */
export function written(loop, prompt) {
  loop.prefill(prompt);
  while (loop.stop === null) loop.decodeStep();
  return { text: prompt + loop.text, ended: loop.stop.reason === "end-of-text" };
}

/**
 * Runs from every prompt in turn, each with a seed of its own.
 * @param {GenerationLoop} loop
 * @param {{ temperature: number, runs: number }} options
 */
export function legibility(loop, { temperature, runs }) {
  const belongs = recogniser();
  loop.reset();
  loop.maxTokens = null;
  loop.sampling = { method: "temperature", temperature };
  /** @type {string[]} */
  const wrong = [];
  let ended = 0;
  for (let run = 0; run < runs; run += 1) {
    loop.reset();
    loop.seed = run;
    const { text, ended: end } = written(loop, PROMPTS[run % PROMPTS.length]);
    if (!end) continue;
    ended += 1;
    if (!belongs(text)) wrong.push(text);
  }
  return { ended, share: (ended - wrong.length) / ended, wrong };
}

await runIfMain(import.meta.url, async () => {
  const folder = process.argv[2] ?? join(root, "crate/models/trained");
  const [config, weights] = ["config.json", "model.safetensors"].map((file) =>
    readFileSync(join(folder, file)),
  );
  const loop = await GenerationLoop.load({ model: { config, weights }, stop: [] });
  for (const temperature of [1, 0.7]) {
    const { ended, share, wrong } = legibility(loop, { temperature, runs: 2000 });
    const percent = (100 * share).toFixed(2);
    console.log(
      `temperature ${temperature}: 2000 runs, ${ended} ended, ${percent} % of them sentences of the grammar`,
    );
    console.log(`  not: ${wrong.slice(0, 6).join(" · ")}`);
  }
  loop.sampling = { method: "greedy" };
  for (const prompt of [...PROMPTS, ...FOREIGN]) {
    loop.reset();
    const { text, ended } = written(loop, prompt);
    console.log(`greedy, ${JSON.stringify(prompt)}: ${JSON.stringify(text)}${ended ? "" : " without end"}`);
  }
});
