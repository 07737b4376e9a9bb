/** The engine in a worker: what it answers is what a loop says. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { GenerationError, GenerationLoop } from "../../www/engine.js";
import { random } from "./checkpoints.js";
import { plain } from "./loops.js";
import { scripted } from "./scripted.js";
import { file, SHAPE } from "./small.js";
import { endThreads, threadOf } from "./threads.js";

/** @typedef {import("./threads.js").Answer} Answer */
/** @typedef {import("../../www/engine.js").LoadOptions} LoadOptions */

after(endThreads);

const ADDRESS = new URL("../../www/worker.js", import.meta.url).href;

/** One worker, asked for one thing after another. */
class Asked {
  #thread = threadOf(ADDRESS);
  #calls = 0;
  /** All that came back. @type {Answer[]} */
  answers = [];
  /** @type {Map<number, (answer: Answer) => void>} */
  #waiting = new Map();

  constructor() {
    this.#thread.on("message", (/** @type {Answer} */ answer) => {
      this.answers.push(answer);
      if (answer.id !== undefined) this.#waiting.get(answer.id)?.(answer);
    });
  }

  /**
   * @param {string} call
   * @param {unknown} [value]
   * @returns {Promise<Answer>}
   */
  ask(call, value) {
    this.#calls += 1;
    const id = this.#calls;
    this.#thread.postMessage({ id, call, value });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }
}

/** The record of a pass as it is sent. @param {GenerationLoop} loop @param {import("../../www/engine.js").Pass} pass */
function sent(loop, pass) {
  return { fields: plain(pass), kept: pass.kept, text: loop.text };
}

/** @param {Answer} answer */
function received({ result, error }) {
  assert.equal(error, undefined);
  const { milliseconds, ...fields } = result.fields;
  assert.ok(milliseconds >= 0);
  return { ...result, fields };
}

/** What a call throws, as it is sent. @param {() => unknown} call */
async function refused(call) {
  try {
    await call();
  } catch (error) {
    assert.ok(error instanceof GenerationError);
    return { code: error.code, message: error.message };
  }
  return assert.fail("nothing was thrown");
}

/** @type {Record<string, { options: LoadOptions, prompt: number[] }>} */
const RUNS = {
  "the trained weights": { options: { seed: 3 }, prompt: [21, 9, 6] },
  "a model of one's own, sampled, with a stop": {
    options: {
      ...{
        model: random({ ...SHAPE, n_positions: 24 }, 9),
        seed: 2 ** 52 + 1,
        stop: ["#3#3"],
        maxTokens: null,
      },
      sampling: { method: "top-p", temperature: 1.2, topP: 0.8 },
    },
    prompt: [1, 2],
  },
  "a large vocabulary without a cache": {
    options: { model: random({ ...SHAPE, vocab_size: 2000 }, 5), seed: 0, cache: false },
    prompt: [1999, 0],
  },
  "an end of the text": { options: { model: scripted("cat"), seed: 1 }, prompt: [2] },
};

for (const [name, { options, prompt }] of Object.entries(RUNS)) {
  test(`the records are those of a loop: ${name}`, async () => {
    const [worker, loop] = [new Asked(), await GenerationLoop.load(options)];
    const { config, parameters, sampling, stopStrings, seed, maxTokens, cache } = loop;
    const settings = { sampling, stopStrings, seed, maxTokens, cache };
    assert.deepEqual((await worker.ask("load", options)).result, { config, parameters, settings });
    for (let round = 0; round < 2; round += 1) {
      assert.deepEqual(received(await worker.ask("prefill", prompt)), sent(loop, loop.prefill(prompt)));
      while (loop.stop === null) {
        assert.deepEqual(received(await worker.ask("decodeStep")), sent(loop, loop.decodeStep()));
      }
      const { error } = await worker.ask("decodeStep");
      assert.equal(error?.code, "stopped");
      assert.deepEqual(error, await refused(() => loop.decodeStep()));
    }
    assert.ok(loop.passes > 2);
  });
}

test("calls that are sent without waiting are answered in their order", async () => {
  const options = /** @type {const} */ ({ seed: 5, sampling: { method: "temperature" }, maxTokens: null });
  const [worker, loop] = [new Asked(), await GenerationLoop.load(options)];
  const settings = { sampling: { method: "top-k", topK: 3 }, cache: false };
  const answers = await Promise.all([
    await worker.ask("load", options),
    ...[worker.ask("prefill", [1, 2, 3]), worker.ask("decodeStep"), worker.ask("decodeStep")],
    worker.ask("rewind", 1),
    ...[worker.ask("set", settings), worker.ask("decodeStep"), worker.ask("reset")],
    ...[worker.ask("set", { seed: 6, stopStrings: ["x"], maxTokens: 5 }), worker.ask("prefill", [1, 2, 3])],
  ]);
  assert.deepEqual(
    worker.answers.map(({ id }) => id),
    answers.map((_, index) => index + 1),
  );
  const [, first, second, third, rewound, set, other, reset, setAgain, last] = answers;
  assert.deepEqual(received(first), sent(loop, loop.prefill([1, 2, 3])));
  assert.deepEqual(received(second), sent(loop, loop.decodeStep()));
  assert.deepEqual(received(third), sent(loop, loop.decodeStep()));
  for (const { result, error } of [rewound, set, reset, setAgain]) {
    assert.deepEqual([result, error], [undefined, undefined]);
  }
  loop.rewind(1);
  Object.assign(loop, settings);
  assert.deepEqual(received(other), sent(loop, loop.decodeStep()));
  loop.reset();
  Object.assign(loop, { seed: 6, stopStrings: ["x"], maxTokens: 5 });
  assert.deepEqual(received(last), sent(loop, loop.prefill([1, 2, 3])));
});

test("what a loop refuses, the worker refuses in the same words, and goes on", async () => {
  const options = { model: scripted([2, 3, 4], { vocab: 5, eos: null, nanFrom: 2 }), seed: 0 };
  const [worker, loop] = [new Asked(), await GenerationLoop.load(options)];
  await worker.ask("load", options);
  for (const load of [
    { seed: -1 },
    { model: "gpt2" },
    { modle: "trained" },
    { model: { config: { ...SHAPE, n_head: 3 }, weights: file } },
    { model: { config: SHAPE, weights: file.slice(0, -1) } },
    { maxTokens: 1e6 },
  ]) {
    const expected = await refused(() => GenerationLoop.load(/** @type {any} */ (load)));
    assert.deepEqual((await worker.ask("load", load)).error, expected);
  }
  for (const [call, value, same] of /** @type {[string, unknown, () => unknown][]} */ ([
    ["decodeStep", undefined, () => loop.decodeStep()],
    ["prefill", [], () => loop.prefill([])],
    ["prefill", [5], () => loop.prefill([5])],
    ["prefill", "the cat", () => loop.prefill("the cat")],
    ["rewind", 1, () => loop.rewind(1)],
    ["set", { seed: 0.5 }, () => Object.assign(loop, { seed: 0.5 })],
    ["set", { sampling: { topP: 2 } }, () => Object.assign(loop, { sampling: { topP: 2 } })],
  ])) {
    assert.deepEqual((await worker.ask(call, value)).error, await refused(same), call);
  }
  assert.deepEqual(received(await worker.ask("prefill", [1])), sent(loop, loop.prefill([1])));
  for (const [call, value, same] of /** @type {[string, unknown, () => unknown][]} */ ([
    ["set", { stopStrings: ["#1"] }, () => Object.assign(loop, { stopStrings: ["#1"] })],
    ["set", { maxTokens: 3 }, () => Object.assign(loop, { maxTokens: 3 })],
    ["rewind", 2, () => loop.rewind(2)],
  ])) {
    assert.deepEqual((await worker.ask(call, value)).error, await refused(same), call);
  }
  assert.deepEqual(received(await worker.ask("decodeStep")), sent(loop, loop.decodeStep()));
  const { error } = await worker.ask("decodeStep");
  assert.equal(error?.code, "non-finite-logit");
  assert.deepEqual(error, await refused(() => loop.decodeStep()));
  await worker.ask("rewind", 1);
  loop.rewind(1);
  assert.deepEqual(received(await worker.ask("decodeStep")), sent(loop, loop.decodeStep()));
});

test("progress comes before the answer, and is that of a load here", async () => {
  /** @type {unknown[]} */
  const told = [];
  const model = { config: SHAPE, weights: file };
  await GenerationLoop.load({ model, onProgress: (progress) => void told.push(progress) });
  const worker = new Asked();
  await worker.ask("load", { model });
  assert.ok(told.length > 10);
  assert.deepEqual(
    worker.answers.slice(0, -1),
    told.map((progress) => ({ progress })),
  );
});
