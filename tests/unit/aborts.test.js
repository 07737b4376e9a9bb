/** What a caller hears of a load, and how one is ended. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { fileOf, modelFile, parts, rawTensors } from "./files.js";
import { on, refusal, wrong } from "./loops.js";
import { inPieces, serve, soon } from "./server.js";
import { data, file, headerLength, model, SHAPE } from "./small.js";

/** @typedef {{ loaded: number, total: number }} Progress */

const server = await serve({ "/whole": file });
after(server.close);

test("progress only goes up, and ends at all bytes of the tensors", async () => {
  const large = { ...SHAPE, vocab_size: 50_000 };
  const largeFile = modelFile({ weights: { ...model.weights, ...tables(large.vocab_size) } });
  for (const [config, weights, bytes] of /** @type {const} */ ([
    [SHAPE, file, data.length],
    [SHAPE, new Blob([file]), data.length],
    [SHAPE, server.at((response) => void inPieces(response, file, 5)), data.length],
    [large, server.at((response) => response.end(largeFile)), parts(largeFile).data.length],
  ])) {
    const told = await progressOf({ config, weights });
    assert.ok(told.length >= Object.keys(model.weights).length);
    assert.ok(told.every(({ total }) => total === bytes));
    assert.ok(told.every(({ loaded }, index) => loaded >= (told[index - 1]?.loaded ?? 0)));
    assert.equal(told.at(-1)?.loaded, bytes);
    // A large tensor is heard of while it comes.
    if (config === large && typeof weights === "string") assert.ok(told.length > 20, `${told.length}`);
  }
});

test("progress ends at all bytes also where the last ones are a mask", async () => {
  const mask = { dtype: "U8", shape: [100], bytes: new Uint8Array(100) };
  const weights = fileOf({ ...rawTensors(model), "h.0.attn.bias": mask });
  const told = await progressOf({ config: SHAPE, weights });
  assert.deepEqual(told.at(-1), { loaded: data.length + 100, total: data.length + 100 });
});

test("what the caller throws while it hears of progress ends the load", async () => {
  const { address, closed } = server.endless(file.subarray(0, file.length - 4));
  const mine = new Error("mine");
  const onProgress = () => {
    throw mine;
  };
  for (const weights of [address, file]) {
    await assert.rejects(on({ config: SHAPE, weights }, { onProgress }), (error) => error === mine);
  }
  await soon(closed);
});

for (const [place, length] of Object.entries({
  "the header's length": 5,
  "the header": 100,
  "the tensors": 8 + headerLength + 100,
})) {
  test(`a load that is aborted inside ${place} rejects with the reason, and the server sees it`, async () => {
    for (const reason of [undefined, new Error("mine"), "text"]) await assertAborted(length, reason);
  });
}

test("a reason that is none is the reason all the same", async () => {
  for (const reason of [0, "", null]) await assertAborted(100, reason);
});

test("a load that is aborted before its configuration is there, or takes too long", async () => {
  const { address, closed } = server.endless(new TextEncoder().encode("{"));
  const signal = AbortSignal.timeout(20);
  const loading = on({ config: address, weights: `${server.address}/whole` }, { signal });
  await assert.rejects(loading, { name: "TimeoutError" });
  await soon(closed);
});

test("a load that is aborted before it begins asks for nothing", async () => {
  const before = server.requests.length;
  for (const weights of [`${server.address}/whole`, file, model.weights]) {
    const signal = AbortSignal.abort("no");
    await assert.rejects(on({ config: SHAPE, weights }, { signal }), (error) => error === "no");
  }
  assert.equal(server.requests.length, before);
});

test("an abort after the load is over changes nothing", async () => {
  const controller = new AbortController();
  const weights = `${server.address}/whole`;
  const loop = await on({ config: SHAPE, weights }, { signal: controller.signal });
  loop.prefill([1, 2]);
  controller.abort();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const twin = await on(model);
  twin.prefill([1, 2]);
  assert.deepEqual(loop.decodeStep().token, twin.decodeStep().token);
});

test("a signal that is none, or a listener that is none, is refused by name", async () => {
  for (const signal of [5, "x", {}, true]) {
    await assert.rejects(
      on({ config: SHAPE, weights: file }, { signal: wrong(signal) }),
      refusal("invalid-setting", /^signal is .*; allowed: an AbortSignal$/),
    );
  }
  for (const onProgress of [5, "x", {}, true]) {
    await assert.rejects(
      on({ config: SHAPE, weights: file }, { onProgress: wrong(onProgress) }),
      refusal("invalid-setting", /^onProgress is .*; allowed: a function$/),
    );
  }
});

test("no signal and no listener may be said as null or undefined", async () => {
  for (const nothing of [null, undefined]) {
    const options = { signal: wrong(nothing), onProgress: wrong(nothing) };
    (await on({ config: SHAPE, weights: file }, options)).dispose();
  }
});

test("an abort right after the call ends the load, wherever its weights are", async () => {
  for (const chosen of ["trained", "untrained", model, { config: SHAPE, weights: file }]) {
    const controller = new AbortController();
    const loading = GenerationLoop.load({ model: chosen, signal: controller.signal });
    controller.abort("no");
    await assert.rejects(loading, (error) => error === "no");
  }
});

/**
 * @param {number} length after so many bytes
 * @param {unknown} reason
 */
async function assertAborted(length, reason) {
  const { address, begun, closed } = server.endless(file.subarray(0, length));
  const controller = new AbortController();
  const loading = on({ config: SHAPE, weights: address }, { signal: controller.signal });
  await begun;
  setTimeout(() => controller.abort(reason), 10);
  await assert.rejects(loading, (error) => error === controller.signal.reason);
  await soon(closed);
}

/** @param {import("../../www/engine.js").LoadOptions["model"]} model */
async function progressOf(model) {
  /** @type {Progress[]} */
  const told = [];
  const onProgress = (/** @type {Progress} */ progress) => void told.push(progress);
  (await GenerationLoop.load({ model, onProgress })).dispose();
  return told;
}

/** @param {number} rows */
function tables(rows) {
  const table = () => ({ shape: [rows, 4], data: new Float32Array(4 * rows) });
  return { "transformer.wte.weight": table(), "lm_head.weight": table() };
}
