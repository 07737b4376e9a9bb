/** A loop whose passes are made in a worker, against one that makes them here. */

import assert from "node:assert/strict";
import { after, afterEach, beforeEach, test } from "node:test";
import { coreReady } from "../../www/boundary.js";
import { vocabularyOf } from "../../www/core.js";
import { GenerationError, GenerationLoop } from "../../www/engine.js";
import { Loading } from "../../www/loading.js";
import { Run } from "../../www/run.js";
import { WorkerLoop } from "../../www/worker-loop.js";
import { blank, DEFAULT_SHAPE, generator, random } from "./checkpoints.js";
import { plain, refusal, wrong } from "./loops.js";
import { scripted } from "./scripted.js";
import { soon } from "./server.js";
import { file, model, SHAPE } from "./small.js";
import { endThreads, ThreadWorker, threads } from "./threads.js";

/** @typedef {import("../../www/engine.js").LoadOptions} LoadOptions */

/** Has pages get their workers from here. @param {unknown} worker */
const useWorker = (worker) => Object.defineProperty(globalThis, "Worker", { value: worker, writable: true });

/** Every worker that was made in a test. @type {ThreadWorker[]} */
let made = [];

class Recorded extends ThreadWorker {
  /** @param {URL | string} address */
  constructor(address) {
    super(address);
    made.push(this);
  }
}

beforeEach(() => {
  made = [];
  useWorker(Recorded);
});
afterEach(endThreads);
after(() => void Reflect.deleteProperty(globalThis, "Worker"));

/** The context of the models here, in tokens. */
const LENGTH = 24;
const own = random({ ...SHAPE, n_positions: LENGTH }, 9);

/** A loop in a worker, beside the core of this thread. @param {LoadOptions} options */
const inWorker = (options) => WorkerLoop.load(options, { coreReady, vocabularyOf });

/** The same model twice. @param {LoadOptions} options */
async function both(options) {
  return /** @type {const} */ ([await inWorker(options), await GenerationLoop.load(options)]);
}

/** All that both kinds of loops say. @param {WorkerLoop | GenerationLoop} loop */
function stateOf(loop) {
  const { tokens, text, passes, stop, config, parameters, seed, sampling, stopStrings, maxTokens, cache } =
    loop;
  return {
    ...{ tokens, text, passes, stop, config, parameters, seed, sampling, stopStrings, maxTokens, cache },
    log: loop.log.map((pass) => ({ ...plain(pass), kept: pass.kept })),
  };
}

/** What a call throws, now or later. @param {() => unknown} call */
async function thrownBy(call) {
  try {
    await call();
    return null;
  } catch (error) {
    assert.ok(error instanceof GenerationError, String(error));
    return { code: error.code, message: error.message };
  }
}

/** Until all that was asked for has been answered. @param {WorkerLoop} loop */
async function answered(loop) {
  while (loop.busy) await new Promise((resolve) => setTimeout(resolve, 1));
}

for (const [name, options, prompt] of /** @type {[string, LoadOptions, number[]][]} */ ([
  ["the trained weights", { seed: 3 }, [21, 9, 6]],
  ["a model of one's own", { model: own, seed: 2 ** 52 + 1, maxTokens: null }, [1, 2]],
  ["a large vocabulary", { model: random({ ...SHAPE, vocab_size: 2000 }, 5), seed: 0 }, [1999]],
  ["an end of the text", { model: scripted("the cat"), seed: 0 }, [2]],
])) {
  test(`a run from the prompt to the stop: ${name}`, async () => {
    const [there, here] = await both(options);
    assert.deepEqual(stateOf(there), stateOf(here));
    assert.deepEqual(plain((await there.prefill(prompt)) ?? assert.fail()), plain(here.prefill(prompt)));
    assert.deepEqual(stateOf(there), stateOf(here));
    while (here.stop === null) {
      here.decodeStep();
      await there.decodeStep();
      assert.deepEqual(stateOf(there), stateOf(here));
    }
    const refused = await thrownBy(() => here.decodeStep());
    assert.equal(refused?.code, "stopped");
    assert.deepEqual(await thrownBy(() => there.decodeStep()), refused);
    assert.deepEqual(stateOf(there), stateOf(here));
  });
}

/** What can be done to a loop at any time, for `pick` from 0 to 1. @type {((loop: WorkerLoop | GenerationLoop, pick: number) => unknown)[]} */
const ACTIONS = [
  (loop) => loop.decodeStep(),
  (loop) => loop.decodeStep(),
  (loop) => loop.decodeStep(),
  (loop, pick) => loop.prefill([0, 1, 2, 3, 4].slice(Math.floor(5 * pick))),
  (loop, pick) => loop.rewind(Math.floor((loop.passes + 1) * pick)),
  (loop) => loop.reset(),
  (loop, pick) => {
    loop.cache = pick < 0.5;
  },
  (loop, pick) => {
    loop.sampling = { method: pick < 0.5 ? "temperature" : "top-k", temperature: 0.5 + 2 * pick };
  },
  (loop, pick) => {
    loop.sampling = { topK: Math.floor(6 * pick), method: pick < 0.2 ? "greedy" : "top-p" };
  },
  // What belongs to the whole run, between runs.
  (loop, pick) => {
    loop.reset();
    loop.seed = Math.floor(pick * 2 ** 53);
    loop.maxTokens = pick < 0.3 ? null : 2 + Math.floor(pick * (LENGTH - 2));
    loop.stopStrings = pick < 0.5 ? [] : [`#${Math.floor(pick * 6)}`, "#1#1"];
  },
];

test("any calls, one after another", async () => {
  const [there, here] = await both({ model: own, seed: 1 });
  const next = generator(7);
  for (let count = 0; count < 400; count += 1) {
    const action = ACTIONS[Math.floor(next() * ACTIONS.length)];
    const pick = next();
    const refused = await thrownBy(() => action(here, pick));
    assert.deepEqual(await thrownBy(() => action(there, pick)), refused);
    assert.deepEqual(stateOf(there), stateOf(here), `${count}: ${action}`);
  }
});

test("calls that nobody waits for are made in their order", async () => {
  const [there, here] = await both({ model: own, seed: 1, maxTokens: null });
  let changes = 0;
  there.changed = () => {
    changes += 1;
  };
  for (const loop of [there, here]) {
    loop.sampling = { method: "temperature", temperature: 2 };
    loop.prefill([1, 2, 3]);
    loop.decodeStep();
    loop.cache = false;
    loop.decodeStep();
    loop.sampling = { method: "top-k", topK: 2 };
    loop.decodeStep();
  }
  assert.ok(there.busy);
  // Nothing has come yet, and what was set is set.
  assert.deepEqual([there.passes, there.tokens, there.text, there.stop], [0, [], "", null]);
  assert.deepEqual([there.cache, there.sampling], [here.cache, here.sampling]);
  await answered(there);
  assert.deepEqual(stateOf(there), stateOf(here));
  assert.equal(changes, 4);
});

test("a pass that is being made is forgotten by a rewind, a reset and the next run", async () => {
  const [there, here] = await both({ model: own, seed: 1, maxTokens: null });
  for (const forget of /** @type {((loop: WorkerLoop | GenerationLoop) => unknown)[]} */ ([
    (loop) => loop.rewind(1),
    (loop) => loop.reset(),
    (loop) => loop.prefill([4]),
  ])) {
    await there.prefill([1, 2]);
    await there.decodeStep();
    const lost = [there.decodeStep(), there.decodeStep()];
    assert.ok(there.busy);
    forget(there);
    assert.deepEqual(await Promise.all(lost), [null, null]);
    await answered(there);
    here.prefill([1, 2]);
    here.decodeStep();
    forget(here);
    assert.deepEqual(stateOf(there), stateOf(here));
    if (here.passes > 0) {
      await there.decodeStep();
      here.decodeStep();
    }
    assert.deepEqual(stateOf(there), stateOf(here));
  }
});

test("a pass that fails rejects with the loop's own words, and the run before it goes on", async () => {
  const [there, here] = await both({
    ...{ model: scripted([2, 3, 4], { vocab: 5, eos: null, nanFrom: 2 }), seed: 0 },
  });
  for (const loop of [there, here]) {
    await loop.prefill([1]);
    await loop.decodeStep();
  }
  const refused = await thrownBy(() => here.decodeStep());
  assert.equal(refused?.code, "non-finite-logit");
  let changes = 0;
  there.changed = () => {
    changes += 1;
  };
  assert.deepEqual(await thrownBy(() => there.decodeStep()), refused);
  assert.equal(changes, 1);
  assert.ok(!there.busy);
  assert.deepEqual(stateOf(there), stateOf(here));
  for (const prompt of [[], [5], [0, 1, 2, 3, 4, 0, 1]]) {
    // A prompt that is refused has ended the run all the same: here it is asked for after a reset.
    here.reset();
    const expected = await thrownBy(() => here.prefill(prompt));
    assert.notEqual(expected, null);
    assert.deepEqual(await thrownBy(() => there.prefill(prompt)), expected);
    assert.ok(!there.busy);
    assert.deepEqual(stateOf(there), stateOf(here));
  }
  await there.prefill([1]);
  here.prefill([1]);
  assert.deepEqual(stateOf(there), stateOf(here));
});

test("a pass that fails after it was forgotten is nobody's error", async () => {
  const there = await inWorker({
    model: scripted([2, 3, 4], { vocab: 5, eos: null, nanFrom: 1 }),
    seed: 0,
  });
  await there.prefill([1]);
  const failing = there.decodeStep();
  there.reset();
  assert.equal(await failing, null);
  await there.prefill([1]);
  assert.equal(there.passes, 1);
});

test("disposed in the middle of a pass: it never comes, and the worker ends", async () => {
  // A pass of a second or so.
  const large = { ...DEFAULT_SHAPE, n_layer: 4, n_embd: 256, n_inner: 1024, n_positions: 512 };
  const loop = await inWorker({ model: blank(large), maxTokens: null });
  assert.equal(threads(), 1);
  const pass = loop.prefill(new Array(500).fill(1));
  assert.ok(loop.busy);
  loop.dispose();
  await soon(pass.then((made) => assert.equal(made, null)));
  assert.deepEqual([loop.passes, loop.tokens, loop.text, loop.busy], [0, [], "", false]);
  while (threads() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  loop.dispose();
});

test("texts are read as a loop reads them", async () => {
  for (const options of [{ model: "untrained" }, { model: own }]) {
    const [there, here] = await both(options);
    for (const text of ["The CAT", "“é”", "a\ud800b", "", "x\r\ny"]) {
      assert.equal(there.normalise(text), here.normalise(text));
      const refused = await thrownBy(() => here.encode(text));
      assert.deepEqual(await thrownBy(() => there.encode(text)), refused);
      if (refused === null) assert.deepEqual(there.encode(text), here.encode(text));
    }
    assert.throws(() => there.encode(wrong(5)), refusal("invalid-setting"));
  }
});

test("settings that nothing allows are refused here and now, in a loop's words, and change nothing", async () => {
  const [there, here] = await both({ model: own, seed: 1 });
  for (const settings of [
    ...[{ seed: -1 }, { seed: 1.5 }, { seed: "cat" }, { seed: 2 ** 53 }],
    ...[{ sampling: { method: "beam" } }, { sampling: { topk: 1 } }, { sampling: 5 }],
    ...[{ stopStrings: [""] }, { stopStrings: ["a", 5] }],
    ...[{ maxTokens: 1 }, { maxTokens: LENGTH + 1 }, { maxTokens: "x" }],
  ]) {
    const before = made[0].sent.length;
    const refused = await thrownBy(() => Object.assign(here, settings));
    assert.notEqual(refused, null);
    assert.throws(() => Object.assign(there, settings), { name: "GenerationError", ...refused });
    assert.equal(made[0].sent.length, before);
    assert.deepEqual(stateOf(there), stateOf(here));
  }
});

test("nor is a cache that is neither on nor off", async () => {
  const loop = await inWorker({ model: own });
  assert.throws(
    () => Object.assign(loop, { cache: "yes" }),
    refusal("invalid-setting", /^cache is "yes"; allowed: true, false$/),
  );
  assert.equal(loop.cache, true);
});

test("a seed from the system is another one each time, and makes the same run again", async () => {
  const loop = await inWorker({ model: own, sampling: { method: "temperature" } });
  const first = loop.seed;
  loop.seed = wrong(null);
  assert.notEqual(loop.seed, first);
  assert.ok(Number.isSafeInteger(loop.seed) && loop.seed >= 0);
  await loop.prefill([1, 2]);
  const here = await GenerationLoop.load({
    model: own,
    sampling: { method: "temperature" },
    seed: loop.seed,
  });
  here.prefill([1, 2]);
  assert.deepEqual(loop.tokens, here.tokens);
  assert.equal(loop.log[0].draw, here.log[0].draw);
});

test("what was chosen for the load is what the properties say", async () => {
  const [there, here] = await both({
    ...{ model: own, seed: 1, stop: ["#1"], cache: false, sampling: { method: "top-k", topK: 3 } },
  });
  assert.deepEqual(stateOf(there), stateOf(here));
});

test("a record is frozen, and the log is the caller's", async () => {
  for (const loop of await both({ model: own, seed: 1, maxTokens: 3 })) {
    await loop.prefill([1, 2]);
    const [pass] = loop.log;
    for (const part of [pass, pass.token, pass.stop, pass.candidates, pass.candidates[0]]) {
      assert.ok(Object.isFrozen(part));
    }
    /** @type {unknown[]} */ (loop.log).pop();
    assert.equal(loop.passes, 1);
  }
});

test("a load that is refused rejects as a load here, and leaves no worker", async () => {
  for (const options of [
    { model: { config: { ...SHAPE, n_head: 3 }, weights: file } },
    { model: { config: SHAPE, weights: file.slice(0, -1) } },
    { model, maxTokens: 100 },
    { model, seed: -1 },
    { model: "gpt2" },
    wrong({ modle: "trained" }),
  ]) {
    const refused = await thrownBy(() => GenerationLoop.load(options));
    assert.notEqual(refused, null);
    assert.deepEqual(await thrownBy(() => inWorker(options)), refused);
  }
  while (threads() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
});

test("progress is that of a load here", async () => {
  /** @type {unknown[][]} */
  const told = [[], []];
  for (const [index, load] of [inWorker, GenerationLoop.load].entries()) {
    await load({
      model: { config: SHAPE, weights: file },
      onProgress: (progress) => void told[index].push(progress),
    });
  }
  assert.ok(told[0].length > 10);
  assert.deepEqual(told[0], told[1]);
});

test("a load that is aborted rejects with the reason, and leaves no worker", async () => {
  const controller = new AbortController();
  const onProgress = () => controller.abort("enough");
  await assert.rejects(
    inWorker({ model: { config: SHAPE, weights: file }, signal: controller.signal, onProgress }),
    (error) => error === "enough",
  );
  while (threads() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
});

test("so does one that is aborted before it has a worker", async () => {
  const controller = new AbortController();
  const loading = inWorker({ model: own, signal: controller.signal });
  controller.abort("no");
  await assert.rejects(loading, (error) => error === "no");
});

test("where no worker can be started, it is said", async () => {
  const unavailable = refusal("worker-unavailable", /^no worker can be started here$/);
  useWorker(
    class {
      constructor() {
        throw new DOMException("not here", "SecurityError");
      }
    },
  );
  await assert.rejects(inWorker({ model: own }), (/** @type {any} */ error) => {
    assert.equal(error.cause.message, "not here");
    assert.equal(error.code, "worker-unavailable");
    return true;
  });
  useWorker(
    class extends ThreadWorker {
      constructor() {
        super(new URL("./nowhere.js", import.meta.url));
      }
    },
  );
  await assert.rejects(inWorker({ model: own }), unavailable);
  useWorker(undefined);
  await assert.rejects(inWorker({ model: own }), unavailable);
});

test("from another site's address it starts through a script of the page's own", async () => {
  useWorker(
    class extends ThreadWorker {
      /** @param {URL | string} address */
      constructor(address) {
        if (address instanceof URL) throw new DOMException("another origin", "SecurityError");
        super(address);
      }
    },
  );
  const loop = await inWorker({ model: own, seed: 1 });
  assert.equal((await loop.prefill([1]))?.index, 1);
});

test("a worker that fails later ends what is waited for with a trap", async () => {
  const loop = await inWorker({ model: own, seed: 1, maxTokens: null });
  await loop.prefill([1]);
  const trapped = refusal("trapped", /^the worker has failed \(out of something\); load the model again$/);
  const lost = [loop.decodeStep(), loop.decodeStep()].map((pass) => assert.rejects(pass, trapped));
  let prevented = false;
  made[0].onerror({
    message: "out of something",
    preventDefault() {
      prevented = true;
    },
  });
  await Promise.all(lost);
  assert.ok(prevented);
  assert.ok(!loop.busy);
  assert.equal(loop.passes, 1);
  loop.dispose();
});

test("a run on it, its settings, and the way back to a moment", async () => {
  const [there, here] = (await both({ model: own, stop: [] })).map((loop) => new Run(loop));
  const step = async () => {
    await Promise.all([there.step(), here.step()]);
    const [a, b] = [there, here].map(({ loop, prompt, cells, next, possible, limit }) => ({
      ...{ prompt, cells, next, possible, limit, loop: stateOf(loop) },
    }));
    assert.deepEqual(a, b);
  };
  /** @param {string} name @param {unknown} value */
  const set = (name, value) => {
    for (const run of [there, here]) run.set(name, value);
  };
  set("maxTokens", 20);
  set("prompt", "1 2 3");
  set("seed", 11);
  set("sampling", "temperature");
  await step();
  await step();
  set("topK", 2);
  set("sampling", "top-k");
  set("cache", false);
  await step();
  const { moment } = here;
  assert.deepEqual(there.moment, moment);
  const state = stateOf(here.loop);
  // A limit that cannot be leaves the run where it was.
  for (const run of [there, here]) assert.throws(() => run.set("maxTokens", 99), refusal("invalid-setting"));
  await answered(/** @type {WorkerLoop} */ (there.loop));
  assert.deepEqual(stateOf(there.loop), state);
  for (const run of [there, here]) run.back();
  await step();
  assert.deepEqual(stateOf(there.loop), state);
  set("stop", ["#0"]);
  assert.equal(there.next, "prefill");
  await step();
  set("stop", []);
  for (const run of [there, here]) run.replay(moment);
  await answered(/** @type {WorkerLoop} */ (there.loop));
  assert.deepEqual(stateOf(there.loop), state);
  assert.deepEqual(stateOf(here.loop), state);
});

test("a model whose passes are long is loaded in a worker, another one here", async () => {
  const large = { ...SHAPE, n_embd: 64, n_inner: 256, n_positions: 512 };
  for (const [config, isThere] of /** @type {const} */ ([
    [SHAPE, false],
    [large, true],
  ])) {
    const loop = await loadedBy({ config, weights: random(config).weights });
    assert.equal(loop instanceof WorkerLoop, isThere);
    loop.dispose();
  }
  // And where there are none, here.
  useWorker(undefined);
  assert.ok((await loadedBy({ config: large, weights: random(large).weights })) instanceof GenerationLoop);
});

test("an address is the page's, not the worker's", async () => {
  Object.defineProperty(globalThis, "location", {
    ...{ configurable: true, value: { href: "http://127.0.0.1:1/page/index.html" } },
  });
  try {
    const config = { ...SHAPE, n_embd: 64, n_inner: 256, n_positions: 512 };
    await assert.rejects(loadedBy({ config, weights: "model.safetensors" }), refusal("fetch-failed"));
    assert.equal(made[0].sent[0].value.model.weights, "http://127.0.0.1:1/page/model.safetensors");
  } finally {
    Reflect.deleteProperty(globalThis, "location");
  }
});

/** @param {unknown} model @returns {Promise<import("../../www/run.js").Loop>} */
function loadedBy(model) {
  return new Promise((resolve, reject) => {
    new Loading().load(model, { loaded: resolve, failed: reject, changed() {} });
  });
}
