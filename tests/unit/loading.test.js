/** Loads that fail, or whose caller goes on with what it gave: nothing else notices. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { DEFAULT_SHAPE, random } from "./checkpoints.js";
import { eightBytes, joined, modelFile, parts, withHeader } from "./files.js";
import { memoryBytes } from "./instances.js";
import { complete, everything, on, refusal } from "./loops.js";
import { serve } from "./server.js";
import { file, HEAD, headChanged, model, SHAPE } from "./small.js";

/** @typedef {import("../../www/engine.js").Checkpoint} Checkpoint */

const server = await serve({ "/404/config.json": SHAPE });
after(server.close);

const large = { ...DEFAULT_SHAPE, n_embd: 64, n_inner: 256 };
const largeFile = modelFile(random(large));

/** A large model whose last tensor is not all there. */
const cut = server.at((response) => response.end(largeFile.subarray(0, largeFile.length - 1)));

/** Loads that fail, each at another place. @type {Record<string, () => Promise<unknown>>} */
const FAILING = {
  "a configuration that is none": () => on({ config: { ...SHAPE, n_head: 3 }, weights: file }),
  "a folder without weights": () => GenerationLoop.load({ model: `${server.address}/404` }),
  "a header's length": () => on({ config: SHAPE, weights: joined(eightBytes(2 ** 31), file.subarray(8)) }),
  "a header's tensor": () => on({ config: SHAPE, weights: headChanged((head) => head.shape.push(2)) }),
  "a missing tensor": () => on({ config: { ...SHAPE, n_layer: 2 }, weights: file }),
  "a tensor that is cut": () => on({ config: large, weights: cut }),
  "a setting, when all is read": () => on({ config: large, weights: largeFile }, { maxTokens: 1e6 }),
  "an abort": () => {
    const controller = new AbortController();
    const onProgress = () => controller.abort(new Error("enough"));
    return on({ config: large, weights: largeFile }, { signal: controller.signal, onProgress });
  },
};

test("a load that fails or is cancelled leaves a running loop exactly as it was", async () => {
  const options = /** @type {const} */ ({ seed: 5, sampling: { method: "temperature" } });
  const [loop, twin] = [await on(random(large), options), await on(random(large), options)];
  for (const one of [loop, twin]) one.prefill("the cat");
  for (const [name, fail] of Object.entries(FAILING)) {
    const failing = fail();
    // While the other is loading, and after it.
    loop.decodeStep();
    await assert.rejects(failing, (/** @type {any} */ error) => error.code !== "trapped", name);
    assert.deepEqual(everything(loop), everything(twin.decodeStep() && twin), name);
    loop.decodeStep();
    twin.decodeStep();
    assert.deepEqual(everything(loop), everything(twin), name);
  }
  loop.dispose();
  twin.dispose();
});

test("200 loads of each kind that fail leave the memory as it is", async () => {
  const round = async () => {
    for (const fail of Object.values(FAILING)) await assert.rejects(fail());
  };
  for (let count = 0; count < 5; count += 1) await round();
  const before = memoryBytes();
  for (let count = 0; count < 200; count += 1) await round();
  assert.equal(memoryBytes(), before);
});

test("100 loads of files, each with a run, leave the memory as it is", async () => {
  const round = async () => {
    const loop = await on({ config: large, weights: largeFile }, { maxTokens: 6 });
    complete(loop, [1, 2, 3]);
    loop.dispose();
  };
  for (let count = 0; count < 5; count += 1) await round();
  const before = memoryBytes();
  for (let count = 0; count < 100; count += 1) await round();
  assert.equal(memoryBytes(), before);
});

/** @param {Promise<GenerationLoop>} loading */
async function logitsOf(loading) {
  const loop = await loading;
  const { logits } = complete(loop, [1, 2]);
  loop.dispose();
  return logits;
}

test("what becomes of the caller's objects right after the call changes nothing", async () => {
  const expected = await logitsOf(on(random(SHAPE, 4)));
  const given = random(SHAPE, 4);
  const outer = { ...given };
  const loading = on(outer);
  given.config.n_head = 1;
  for (const [name, { shape, data }] of Object.entries(given.weights)) {
    data.fill(Number.NaN);
    shape.reverse();
    delete given.weights[name];
  }
  outer.weights = {};
  assert.deepEqual(await logitsOf(loading), expected);
});

test("nor what becomes of a configuration beside a file", async () => {
  const expected = await logitsOf(on(model));
  const config = { ...SHAPE };
  const loading = on({ config, weights: new Blob([file]) });
  config.n_head = 1;
  assert.deepEqual(await logitsOf(loading), expected);
});

test("bytes that were transferred away before the call are refused", async () => {
  for (const isBuffer of [true, false]) {
    const weights = file.slice();
    structuredClone(weights.buffer, { transfer: [weights.buffer] });
    await assert.rejects(
      on({ config: SHAPE, weights: isBuffer ? weights.buffer : weights }),
      refusal("invalid-safetensors", /^model\.safetensors: /),
    );
  }
});

test("a configuration that is not the file's is refused by tensor, with what is there and what it should be", async () => {
  for (const [change, code, found, name] of /** @type {const} */ ([
    [{ n_head: 3 }, "invalid-config", "n_head is 3; allowed: a divisor of n_embd, which is 4", "config"],
    [{ n_positions: 9 }, "tensor-shape", "tensor wpe.weight has shape [8, 4]; expected [9, 4]", "weights"],
    [{ vocab_size: 65 }, "tensor-shape", "tensor wte.weight has shape [6, 4]; expected [65, 4]", "weights"],
    [
      { n_inner: 7 },
      "tensor-shape",
      "tensor h.0.mlp.c_fc.weight has shape [4, 8]; expected [4, 7]",
      "weights",
    ],
    [
      ...[{ n_layer: 2 }, "invalid-config"],
      ...["n_layer is 2; expected 1, the number of blocks in the weights", "config"],
    ],
    [
      ...[{ n_layer: 1024 }, "invalid-config"],
      ...["n_layer is 1024; expected 1, the number of blocks in the weights", "config"],
    ],
    [
      ...[{ n_positions: 2 ** 21 }, "invalid-config"],
      ...["n_positions is 2097152; allowed: a whole number from 2 to 1048576", "config"],
    ],
  ])) {
    const config = { ...SHAPE, ...Object(change) };
    const configFile = new File([JSON.stringify(config)], "mine.json");
    const ofWeights = `model.safetensors: ${found}`;
    for (const [given, message] of /** @type {const} */ ([
      [config, name === "config" ? found : ofWeights],
      [configFile, name === "config" ? `mine.json: ${found}` : ofWeights],
    ])) {
      await assert.rejects(on({ config: given, weights: file }), { code, message });
    }
  }
  const one = withHeader(file, (header) => {
    delete header[HEAD];
  });
  const headless = one.subarray(0, one.length - 96);
  await assert.rejects(on({ config: SHAPE, weights: headless }), {
    ...{ code: "missing-tensor", message: "model.safetensors: tensor lm_head.weight is missing" },
  });
  assert.equal(parts(headless).data.length, parts(file).data.length - 96);
});

test("a context beyond all memory is refused with its size", async () => {
  for (const change of [
    { n_positions: 2 ** 20, n_embd: 1024, n_head: 1 },
    { n_positions: 2 ** 20, n_embd: 512, n_head: 1 },
  ]) {
    await assert.rejects(
      on({ config: { ...SHAPE, ...change }, weights: file }),
      refusal(
        "out-of-memory",
        /^\d{10,} more bytes of memory could not be had; at most 4294967295 can be addressed$/,
      ),
    );
  }
});

test("a configuration that is too large for its file takes no memory", async () => {
  const before = memoryBytes();
  for (const n_positions of [2 ** 16, 2 ** 18, 2 ** 20]) {
    await assert.rejects(on({ config: { ...SHAPE, n_positions }, weights: file }), {
      code: "tensor-shape",
      message: `model.safetensors: tensor wpe.weight has shape [8, 4]; expected [${n_positions}, 4]`,
    });
  }
  // Hundreds of megabytes.
  const most = { n_embd: 32, n_positions: 2 ** 20, vocab_size: 2 ** 20 };
  await assert.rejects(on({ config: { ...SHAPE, ...most }, weights: file }), {
    code: "tensor-shape",
    message: "model.safetensors: tensor h.0.ln_1.weight has shape [4]; expected [32]",
  });
  assert.equal(memoryBytes(), before);
});

test("another vocabulary than the built-in one: pieces are ids, and so are prompts", async () => {
  for (const vocab_size of [65, 413, 2000]) {
    const loop = await on({
      config: { ...SHAPE, vocab_size },
      weights: modelFile(random({ ...SHAPE, vocab_size })),
    });
    const last = vocab_size - 1;
    assert.equal(loop.decode([0, 12, last]), `#0#12#${last}`);
    const { token, candidates } = loop.prefill([last, 0, 3]);
    assert.equal(token.text, `#${token.id}`);
    assert.ok(candidates.every(({ id, text }) => text === `#${id}`));
    assert.equal(loop.text, token.text);
    const message =
      `text needs the built-in vocabulary of 64 characters, and this model has ${vocab_size} tokens; ` +
      "give the prompt as token ids";
    for (const refused of [() => loop.prefill("the cat"), () => loop.encode("a"), () => loop.prefill("")]) {
      assert.throws(refused, { name: "GenerationError", code: "no-character-table", message });
    }
    assert.throws(() => loop.prefill([vocab_size]), {
      code: "token-out-of-range",
      message: `token id ${vocab_size} is outside the vocabulary; allowed: 0 to ${last}`,
    });
    assert.equal(loop.normalise("A"), "a");
    assert.equal(loop.decodeStep().index, 2);
    loop.dispose();
  }
});
