/**
 * The benchmark's part in the browser: loads contestants with the same weights, checks that they compute the same, then times
 * them in turns. `scripts/bench.js` starts it and prints what it finds.
 */

import { GenerationLoop } from "/dist/engine.js";
import { floats, readHeader } from "/www/safetensors.js";
import * as careful from "./careful.js";
import * as onnx from "./onnx.js";
import * as readable from "./readable.js";

/** Each sample takes at least so long, in milliseconds: the clock has steps of 5 µs. */
const SAMPLE = 2;

/** So long each contestant runs before it is timed, in milliseconds; where only few rounds are asked for, hardly at all. */
const WARM_UP = 800;
const FEW_ROUNDS = 5;

/** Decode steps after a prompt of 11 tokens: T = 12 to 31, as in the default run. */
const PROMPT = 11;
const STEPS = 20;

/** onnxruntime-web runs the graph that transformers' model is exported to, and the same fused by hand. */
const GRAPHS = [
  ["onnxruntime-web", "exported.onnx"],
  ["onnxruntime-web, fused", "model.onnx"],
];

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
 * @param {{ name: string, folder: string | null, config: any, lengths: number[], contestants: string[] }} shape
 * @param {number} rounds
 * @param {(text: string) => void} say
 */
export async function benchShape(shape, rounds, say) {
  const { config } = shape;
  const weights = shape.folder === null ? randomWeights(config) : await weightsIn(shape.folder);
  const contestants = [{ name: ours.name, runner: await ours.load(config, weights) }];
  for (const { name, load } of [readable, careful]) {
    if (shape.contestants.includes(name)) contestants.push({ name, runner: await load(config, weights) });
  }
  onnx.configure("/node_modules/onnxruntime-web/dist/");
  for (const [name, file] of GRAPHS) {
    const answer = shape.folder === null ? null : await fetch(`${shape.folder}/${file}`);
    if (!answer?.ok) continue;
    contestants.push({ name, runner: await onnx.load(config, weights, await answer.arrayBuffer()) });
  }
  const ids = (/** @type {number} */ length) =>
    Array.from({ length }, (_, place) => 1 + ((place * 7) % (Math.min(config.vocab_size, 64) - 1)));

  const differences = await agreement(contestants, ids(PROMPT));
  for (const [name, difference] of Object.entries(differences)) {
    say(`${shape.name}: logits of ${name} differ by at most ${difference.toExponential(1)}`);
    if (!(difference <= TOLERANCE)) throw new Error(`${name} computes something else: ${difference}`);
  }

  /** @type {{ name: string, length: number, passes: number, run: (runner: any, feed: number[]) => any, before?: (runner: any) => any }[]} */
  const cases = shape.lengths.map((length) => ({
    name: `prefill ${length}`,
    length,
    passes: 1,
    run: (runner) => runner.prefill(ids(length)),
  }));
  cases.push({
    name: "decode",
    length: 0,
    passes: STEPS,
    before: (runner) => runner.prefill(ids(PROMPT)),
    run: (runner, feed) => decodeAll(runner, feed),
  });
  const feed = await tokensAfter(contestants[0].runner, ids(PROMPT));

  /** @type {Record<string, Record<string, number[]>>} */
  const times = {};
  for (const one of cases) {
    times[one.name] = {};
    /** @type {Map<string, number>} */
    const repeats = new Map();
    for (const { name, runner } of contestants) {
      await warmUp(() => sample(runner, one, feed, 1), rounds);
      const each = (await sample(runner, one, feed, 3)) * one.passes;
      repeats.set(name, Math.max(1, Math.ceil((SAMPLE * 1000) / each)));
      times[one.name][name] = [];
    }
    for (let round = 0; round < rounds; round += 1) {
      for (let turn = 0; turn < contestants.length; turn += 1) {
        const { name, runner } = contestants[(round + turn) % contestants.length];
        times[one.name][name].push(await sample(runner, one, feed, repeats.get(name) ?? 1));
      }
    }
    say(`${shape.name}: ${one.name} done`);
  }
  for (const { runner } of contestants) await runner.dispose();
  return { times, differences };
}

/**
 * Browsers compile code again, and better, once it has run for a while.
 * @param {() => any} run
 * @param {number} rounds
 */
async function warmUp(run, rounds) {
  const end = performance.now() + (rounds > FEW_ROUNDS ? WARM_UP : 0);
  for (let turns = 0; turns < 3 || performance.now() < end; turns += 1) {
    await run();
    // What is compiled in the background is taken over between tasks.
    if (turns % 16 === 0) await new Promise((resolve) => setTimeout(resolve));
  }
}

/**
 * Microseconds a pass.
 * @param {any} runner
 * @param {any} one
 * @param {number[]} feed
 * @param {number} repeats
 */
async function sample(runner, one, feed, repeats) {
  let total = 0;
  if (one.before === undefined) {
    const begin = performance.now();
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const pending = one.run(runner, feed);
      if (pending instanceof Promise) await pending;
    }
    total = performance.now() - begin;
  } else {
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const prepared = one.before(runner);
      if (prepared instanceof Promise) await prepared;
      const begin = performance.now();
      const pending = one.run(runner, feed);
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
        differences[name] = Math.max(differences[name], Math.abs(logit - found[pass][id]));
      }
    }
  }
  return differences;
}

/**
 * What the machine can do at most, in this browser: GFLOP/s of multiply-adds, GB/s read from memory and from the caches.
 * @param {number} rounds
 */
export async function limits(rounds) {
  const bytes = await (await fetch("/target/wasm32-unknown-unknown/release/limits.wasm")).arrayBuffer();
  const { instance } = await WebAssembly.instantiate(bytes);
  const { multiply_adds, multiply_adds_a_round, buffer, read } = /** @type {any} */ (instance.exports);
  const size = 64 * 2 ** 20;
  const place = buffer(size);
  /** @type {{ gflops: number[], gigabytes: number[] }} */
  const found = { gflops: [], gigabytes: [] };
  await warmUp(() => multiply_adds(1000, -0), rounds);
  await warmUp(() => read(place, size), rounds);
  for (let round = 0; round < rounds; round += 1) {
    let begin = performance.now();
    multiply_adds(100_000, -0);
    found.gflops.push((2 * multiply_adds_a_round() * 100_000) / (performance.now() - begin) / 1e6);
    begin = performance.now();
    read(place, size);
    found.gigabytes.push(size / (performance.now() - begin) / 1e6);
  }
  return found;
}

/** @param {string} folder */
async function weightsIn(folder) {
  const bytes = new Uint8Array(await (await fetch(`${folder}/model.safetensors`)).arrayBuffer());
  let place = 0;
  const take = async (/** @type {number} */ length) => {
    place += length;
    return bytes.slice(place - length, place);
  };
  const entries = await readHeader({ take, size: bytes.length, close() {} });
  /** @type {Record<string, { shape: number[], data: Float32Array }>} */
  const weights = {};
  for (const { name, dtype, shape, begin, end } of entries) {
    weights[name.replace("transformer.", "")] = { shape, data: floats(dtype, await take(end - begin)) };
  }
  return weights;
}

/** Small random numbers in every place. @param {any} config */
function randomWeights({
  n_layer: layers,
  n_embd: d,
  n_inner: f,
  vocab_size: v,
  n_positions: p,
  tie_word_embeddings,
}) {
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff - 0.5;
  };
  /** @type {Record<string, { shape: number[], data: Float32Array }>} */
  const weights = {};
  const add = (/** @type {string} */ name, /** @type {number[]} */ ...shape) => {
    const size = shape.reduce((product, side) => product * side, 1);
    const isGain = name.includes("ln_") && name.endsWith("weight");
    weights[name] = { shape, data: Float32Array.from({ length: size }, () => (isGain ? 1 : 0.1 * random())) };
  };
  add("wte.weight", v, d);
  add("wpe.weight", p, d);
  for (let layer = 0; layer < layers; layer += 1) {
    const linear = (/** @type {string} */ name, /** @type {number} */ k, /** @type {number} */ n) => {
      add(`h.${layer}.${name}.weight`, k, n);
      add(`h.${layer}.${name}.bias`, n);
    };
    for (const norm of ["ln_1", "ln_2"]) {
      add(`h.${layer}.${norm}.weight`, d);
      add(`h.${layer}.${norm}.bias`, d);
    }
    linear("attn.c_attn", d, 3 * d);
    linear("attn.c_proj", d, d);
    linear("mlp.c_fc", d, f);
    linear("mlp.c_proj", f, d);
  }
  add("ln_f.weight", d);
  add("ln_f.bias", d);
  if (!tie_word_embeddings) add("lm_head.weight", v, d);
  return weights;
}
