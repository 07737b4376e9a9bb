/**
 * The passes, in the browser: loads contestants with the same weights, checks that they compute the same, then times them in
 * turns.
 */

import { GenerationLoop } from "../dist/engine.js";
import * as candle from "./candle.js";
import * as careful from "./careful.js";
import * as onnx from "./onnx.js";
import * as readable from "./readable.js";
import { rotated } from "./statistics.js";
import { promptOf, repeatsOf, warmUp } from "./timing.js";
import { randomWeights, weightsIn } from "./weights.js";

/**
 * The others: modules with `name` and `load(config, weights)`, as the README of this folder describes them. A shape's
 * `contestants` says by name which of them run it.
 */
const CONTESTANTS = [readable, careful, candle];

/** onnxruntime-web runs the graph that transformers' model is exported to, and the same fused by hand. */
const GRAPHS = [
  ["onnxruntime-web", "exported.onnx"],
  ["onnxruntime-web, fused", "model.onnx"],
];

/** Decode steps after a prompt of 11 tokens: T = 12 to 31, as in the default run. */
export const PROMPT = 11;
export const STEPS = 20;

/** How far logits may differ. */
const TOLERANCE = 1e-4;

/** This project, through its public API: a pass comes with its record, and its token is sampled. */
const ours = {
  name: "generation-loop",
  /** @param {any} config @param {any} weights */
  async load(config, weights) {
    const loop = await GenerationLoop.load({
      model: { config, weights },
      stop: [],
      maxTokens: null,
      seed: 1,
    });
    return {
      /** @param {number[]} ids */
      prefill(ids) {
        loop.prefill(ids);
      },
      decode() {
        loop.decodeStep();
      },
      logits: () => loop.logits(),
      tokens: () => loop.tokens,
      dispose: () => loop.dispose(),
    };
  },
};

/**
 * @param {{ name: string, folder: string | null, config: import("./formulas.js").Config, lengths: number[], contestants: string[] }} shape
 * @param {number} rounds
 * @param {(text: string) => void} say
 */
export async function benchShape(shape, rounds, say) {
  const { config } = shape;
  const weights = shape.folder === null ? randomWeights(config) : await weightsIn(shape.folder);
  /** @type {{ name: string, runner: any }[]} */
  const contestants = [{ name: ours.name, runner: await ours.load(config, weights) }];
  for (const { name, load } of CONTESTANTS) {
    if (shape.contestants.includes(name)) contestants.push({ name, runner: await load(config, weights) });
  }
  onnx.configure("/node_modules/onnxruntime-web/dist/");
  for (const [name, file] of GRAPHS) {
    const answer = shape.folder === null ? null : await fetch(`${shape.folder}/${file}`);
    if (!answer?.ok) continue;
    contestants.push({ name, runner: await onnx.load(config, weights, await answer.arrayBuffer()) });
  }
  const prompt = promptOf(PROMPT, config.vocab_size);

  const differences = await agreement(contestants, prompt);
  for (const [name, difference] of Object.entries(differences)) {
    say(`${shape.name}: logits of ${name} differ by at most ${difference.toExponential(1)}`);
    if (!(difference <= TOLERANCE)) throw new Error(`${name} computes something else: ${difference}`);
  }

  /** @type {{ name: string, passes: number, run: (runner: any) => any, before?: (runner: any) => any }[]} */
  const cases = shape.lengths.map((length) => ({
    name: `prefill ${length}`,
    passes: 1,
    run: (runner) => runner.prefill(promptOf(length, config.vocab_size)),
  }));
  const feed = await tokensAfter(contestants[0].runner, prompt);
  cases.push({
    name: "decode",
    passes: STEPS,
    before: (runner) => runner.prefill(prompt),
    run: (runner) => decodeAll(runner, feed),
  });

  /** @type {Record<string, Record<string, number[]>>} */
  const times = {};
  for (const one of cases) {
    times[one.name] = {};
    /** @type {Map<string, number>} */
    const repeats = new Map();
    for (const { name, runner } of contestants) {
      await warmUp(() => sample(runner, one, 1), rounds);
      repeats.set(name, repeatsOf(((await sample(runner, one, 3)) * one.passes) / 1000));
      times[one.name][name] = [];
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const { name, runner } of rotated(contestants, round)) {
        times[one.name][name].push(await sample(runner, one, repeats.get(name) ?? 1));
      }
    }
    say(`${shape.name}: ${one.name} done`);
  }
  for (const { runner } of contestants) await runner.dispose();
  return { times, differences };
}

/**
 * Microseconds a pass.
 * @param {any} runner
 * @param {any} one
 * @param {number} repeats
 */
async function sample(runner, one, repeats) {
  let total = 0;
  if (one.before === undefined) {
    const begin = performance.now();
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const pending = one.run(runner);
      if (pending instanceof Promise) await pending;
    }
    total = performance.now() - begin;
  } else {
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const prepared = one.before(runner);
      if (prepared instanceof Promise) await prepared;
      const begin = performance.now();
      const pending = one.run(runner);
      if (pending instanceof Promise) await pending;
      total += performance.now() - begin;
    }
  }
  return (total * 1000) / (repeats * one.passes);
}

/**
 * @param {any} runner
 * @param {number[]} feed
 */
function decodeAll(runner, feed) {
  for (let step = 0; step < feed.length; step += 1) {
    const pending = runner.decode(feed[step]);
    if (pending instanceof Promise) return decodeRest(runner, feed, step, pending);
  }
  return undefined;
}

/**
 * @param {any} runner
 * @param {number[]} feed
 * @param {number} step
 * @param {Promise<any>} pending
 */
async function decodeRest(runner, feed, step, pending) {
  await pending;
  for (let next = step + 1; next < feed.length; next += 1) await runner.decode(feed[next]);
}

/**
 * The tokens that our own run feeds back, for the others to feed as well.
 * @param {any} runner
 * @param {number[]} prompt
 */
async function tokensAfter(runner, prompt) {
  runner.prefill(prompt);
  for (let step = 0; step < STEPS; step += 1) runner.decode();
  return runner.tokens().slice(prompt.length, prompt.length + STEPS);
}

/**
 * Largest difference of a logit from ours, over a prefill and all decode steps.
 * @param {{ name: string, runner: any }[]} contestants
 * @param {number[]} prompt
 */
async function agreement([{ runner: first }, ...others], prompt) {
  const feed = await tokensAfter(first, prompt);
  first.prefill(prompt);
  const right = [first.logits()];
  for (let step = 0; step < STEPS; step += 1) {
    first.decode();
    right.push(first.logits());
  }
  /** @type {Record<string, number>} */
  const differences = {};
  for (const { name, runner } of others) {
    const found = [Array.from(await runner.prefill(prompt))];
    differences[name] = 0;
    for (const id of feed) found.push(Array.from(await runner.decode(id)));
    for (const [pass, logits] of right.entries()) {
      for (const [id, logit] of logits.entries()) {
        // NaN stays NaN, and is refused.
        differences[name] = Math.max(differences[name], Math.abs(logit - found[pass][id]));
      }
    }
  }
  return differences;
}
