import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { GenerationLoop } from "../../www/engine.js";
import { DEFAULT_SHAPE, random } from "./checkpoints.js";
import { modelFile, parts } from "./files.js";
import { freeLastDecoded, instances, ruinLastDecoded } from "./instances.js";
import { complete, everything, on, plain, refusal } from "./loops.js";
import { serve, soon } from "./server.js";
import { file, SHAPE } from "./small.js";

const load = () => GenerationLoop.load({ seed: 1 });
const first = await load();
const expected = complete(first, "abc");
first.dispose();

/** Has the newest instance take all the memory that there can be, so that nothing is left to ask for. */
function exhaust() {
  const { memory } = instances[instances.length - 1];
  memory.grow(2 ** 16 - memory.buffer.byteLength / 2 ** 16);
}

/** A prompt that needs more memory on its way into the core than a small model's core has left. */
const LARGE = new Uint8Array(3e6);

/** Makes the second of two decode steps write far outside of the memory: the real module really traps. @param {GenerationLoop} loop */
function writeOutside(loop) {
  loop.decodeStep();
  ruinLastDecoded();
  return loop.decodeStep();
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

/** Has the engine tell what it has collected, which it does when it likes. @param {() => Promise<boolean>} isDone */
async function untilCollected(isDone) {
  for (let round = 0; round < 400 && !(await isDone()); round += 1) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** @param {GenerationLoop} loop */
function assertDead(loop) {
  const trapped = refusal("trapped", /^the WebAssembly instance has failed; load the model again$/);
  for (const call of [
    () => loop.prefill("abc"),
    () => loop.decodeStep(),
    () => loop.rewind(0),
    () => loop.reset(),
    () => loop.logits(),
    () => loop.encode("a"),
    () => loop.decode([1]),
    () => loop.normalise("a"),
    () => loop.text,
    () => loop.tokens,
    () => loop.log,
    () => loop.stop,
    () => loop.seed,
    () => loop.config,
    () => {
      loop.cache = true;
    },
  ]) {
    assert.throws(call, trapped, String(call));
  }
}

test("a trap is named; its loop is dead, another loop lives, and a new one has a fresh instance", async (t) => {
  for (const [name, fail] of /** @type {[RegExp, (loop: GenerationLoop) => unknown][]} */ ([
    [/\(memory access out of bounds\)/, writeOutside],
    [
      /\(unreachable\)/,
      (loop) => {
        exhaust();
        loop.decodeStep();
        freeLastDecoded();
        loop.decodeStep();
      },
    ],
  ])) {
    const made = instances.length;
    const [hit, other] = [await load(), await load()];
    t.after(async () => {
      hit.dispose();
      other.dispose();
      (await load()).dispose();
    });
    const pass = hit.prefill("abc");
    other.prefill("abc");
    assert.throws(
      () => fail(hit),
      (/** @type {any} */ error) => {
        assert.equal(error.code, "trapped");
        assert.match(error.message, name);
        assert.ok(error.cause instanceof WebAssembly.RuntimeError);
        return true;
      },
    );
    assertDead(hit);
    await assert.rejects(hit.generate("abc").next(), refusal("trapped"));
    // A record is a copy, and needs no loop.
    assert.deepEqual(plain(pass), expected.log[0]);

    // The other loop still has its model, so the instance stays, and new loops share it as far as there is memory.
    assert.deepEqual(complete(other, "abc"), expected);
    await load().then(
      (loop) => loop.dispose(),
      (error) => assert.equal(error.code, "out-of-memory"),
    );
    assert.equal(instances.length, made);

    hit.dispose();
    hit.dispose();
    assert.throws(() => hit.text, refusal("disposed"));
    other.dispose();
    const fresh = await load();
    assert.equal(instances.length, made + 1);
    assert.deepEqual(complete(fresh, "abc"), expected);
    assert.throws(() => hit.text, refusal("disposed"));
    fresh.dispose();
  }
});

test("a loop that nobody disposed keeps no failed instance in use once it is gone", async (t) => {
  const made = instances.length;
  // However this ends, the next test has an instance that works.
  const works = () =>
    load()
      .then((loop) => loop.dispose())
      .then(
        () => true,
        () => false,
      );
  t.after(() => untilCollected(works));
  const hit = await load();
  hit.prefill("abc");
  // In a function of its own, so that nothing here holds them.
  await (async () => {
    for (let count = 0; count < 3; count += 1) complete(await load(), "abc");
  })();
  assert.throws(() => writeOutside(hit), refusal("trapped"));
  await untilCollected(async () => {
    if (instances.length > made) return true;
    (await load()).dispose();
    return false;
  });
  assert.equal(instances.length, made + 1);
});

test("a dead loop keeps no failed instance in use, and stays dead beside a fresh one", async () => {
  const hit = await load();
  hit.prefill("abc");
  assert.throws(() => writeOutside(hit), refusal("trapped"));
  const fresh = await load();
  // Although nobody disposed it.
  assertDead(hit);
  assert.deepEqual(complete(fresh, "abc"), expected);
  hit.dispose();
  assert.deepEqual(complete(fresh, "abc"), expected);
  fresh.dispose();
});

test("a load in whose middle another loop meets a trap is told so, and the next one works", async () => {
  const hit = await load();
  hit.prefill("abc");
  const made = instances.length;
  let heard = 0;
  const onProgress = () => {
    heard += 1;
    assert.throws(() => writeOutside(hit), refusal("trapped"));
  };
  await assert.rejects(
    GenerationLoop.load({ model: { config: SHAPE, weights: file }, onProgress }),
    refusal("trapped", /^the WebAssembly instance has failed; load the model again$/),
  );
  assert.equal(heard, 1);
  const fresh = await load();
  assert.equal(instances.length, made + 1);
  assert.deepEqual(complete(fresh, "abc"), expected);
  assertDead(hit);
  hit.dispose();
  fresh.dispose();
});

test("a stream that meets a trap rejects once and is over", async () => {
  const loop = await load();
  const stream = loop.generate("abc");
  await stream.next();
  assert.throws(() => writeOutside(loop), refusal("trapped"));
  await assert.rejects(stream.next(), refusal("trapped"));
  assert.deepEqual(await stream.next(), { done: true, value: undefined });
  loop.dispose();
});

test("memory that cannot be had in a pass is a named error, and the run before goes on", async () => {
  const model = random({ ...DEFAULT_SHAPE, n_layer: 1, n_positions: 4096, eos_token_id: null });
  const [loop, twin] = [await on(model), await on(model)];
  for (const one of [loop, twin]) {
    one.prefill([1, 2, 3]);
    one.decodeStep();
  }
  exhaust();
  // The attention of the first alone would take 64 MB; the second does not even get into the core.
  for (const prompt of [new Uint8Array(4000), LARGE]) {
    assert.throws(
      () => loop.prefill(prompt),
      refusal(
        "out-of-memory",
        /^\d+ more bytes of memory could not be had; at most 4294967295 can be addressed$/,
      ),
    );
    assert.deepEqual(everything(loop), everything(twin));
  }
  loop.decodeStep();
  twin.decodeStep();
  assert.deepEqual(everything(loop), everything(twin));
  loop.dispose();
  twin.dispose();
});

test("a load for which no memory can be had is refused before the first number is read", async () => {
  const shape = { ...DEFAULT_SHAPE, n_layer: 1, vocab_size: 30_000, eos_token_id: null };
  const large = modelFile(random(shape));
  const server = await serve({});
  exhaust();
  const { address, closed } = server.endless(large.subarray(0, 8 + parts(large).length));
  await assert.rejects(
    on({ config: shape, weights: address }),
    refusal(
      "out-of-memory",
      /^http:.*: \d{7} more bytes of memory could not be had; at most 4294967295 can be addressed$/,
    ),
  );
  await soon(closed);
  await server.close();
});
