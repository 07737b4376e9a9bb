import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { blank, generator, random, SHAPES } from "./checkpoints.js";
import { bits, complete, everything, on, plain, refusal, wrong } from "./loops.js";

/** @typedef {import("../../www/engine.js").LoadOptions} LoadOptions */

const drawn = /** @type {const} */ ({ method: "temperature", temperature: 1.1 });

/** @param {LoadOptions} [options] */
const load = (options) => GenerationLoop.load({ seed: 8, sampling: drawn, ...options });

for (const cache of [true, false]) {
  test(`back to every pass and on again gives the same run, ${cache ? "with" : "without"} the cache`, async () => {
    const [loop, twin] = [await load({ cache }), await load({ cache })];
    const run = complete(loop, "the cat sat");
    for (let keep = 1; keep <= run.log.length; keep += 1) {
      loop.rewind(keep);
      // Everything is as it was then, and not only what comes after.
      if (keep === 1) twin.prefill("the cat sat");
      else twin.decodeStep();
      assert.deepEqual(everything(loop), everything(twin));
      while (loop.stop === null) {
        loop.decodeStep();
        assert.deepEqual(bits(loop.logits()), run.logits[loop.passes - 1]);
      }
      assert.deepEqual(loop.tokens, run.tokens);
      assert.deepEqual(loop.log.map(plain), run.log);
    }
  });
}

test("back in single steps, all the way", async () => {
  const loop = await load();
  const run = complete(loop, "abc");
  while (loop.passes > 0) {
    const { passes } = loop;
    assert.deepEqual(bits(loop.logits()), run.logits[passes - 1]);
    assert.deepEqual(loop.tokens, run.tokens.slice(0, 3 + passes));
    loop.rewind(passes - 1);
  }
  assert.deepEqual(everything(loop), everything(await load()));
});

test("a run that stopped goes on after a rewind, and stops again in the same way", async () => {
  for (const options of /** @type {LoadOptions[]} */ ([
    { stop: ["1"] },
    { maxTokens: 9 },
    { maxTokens: null },
  ])) {
    const loop = await load({ sampling: { method: "greedy" }, ...options });
    const { stop } = complete(loop, "the cat");
    loop.rewind(loop.passes - 1);
    assert.equal(loop.stop, null);
    assert.deepEqual(loop.decodeStep().stop, stop);
    loop.rewind(loop.passes);
    assert.deepEqual(loop.stop, stop);
    assert.throws(() => loop.decodeStep(), refusal("stopped"));
  }
});

test("rewind(0) is a reset, and so is a rewind of nothing", async () => {
  const [loop, fresh] = [await load(), await load()];
  const nothing = everything(fresh);
  loop.rewind(0);
  assert.deepEqual(everything(loop), nothing);
  const run = complete(loop, "abc");
  loop.rewind(0);
  assert.deepEqual(everything(loop), nothing);
  assert.throws(() => loop.decodeStep(), refusal("not-started"));
  loop.reset();
  loop.reset();
  assert.deepEqual(everything(loop), nothing);
  assert.deepEqual(complete(loop, "abc"), run);
  loop.rewind(-0);
  assert.deepEqual(everything(loop), nothing);
});

test("passes that were not made cannot be kept: both numbers are named, nothing changes", async () => {
  const loop = await load();
  assert.throws(() => loop.rewind(1), refusal("rewind-too-far", /^cannot keep 1 passes; allowed: 0 to 0/));
  loop.prefill("abc");
  loop.decodeStep();
  const before = everything(loop);
  for (const keep of [3, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 32, 2 ** 32 + 1, 1e300]) {
    const message = `cannot keep ${keep} passes; allowed: 0 to 2, the passes made`;
    assert.throws(() => loop.rewind(keep), { code: "rewind-too-far", message });
  }
  for (const keep of ["1", null, undefined, true, 1n, [1], {}]) {
    assert.throws(() => loop.rewind(wrong(keep)), refusal("invalid-setting", /^passes to keep is /));
  }
  assert.deepEqual(everything(loop), before);
});

test("the log is a copy", async () => {
  const loop = await load();
  complete(loop, "abc");
  const { log } = loop;
  const records = log.map(plain);
  loop.rewind(2);
  assert.equal(log.length, records.length);
  assert.deepEqual(log.map(plain), records);
  assert.equal(loop.log.length, 2);
  assert.notEqual(loop.log, loop.log);
  assert.equal(loop.log[1], log[1]);
});

test("settings stay as they are, and the way on may be another", async () => {
  const [loop, other] = [await load(), await load()];
  complete(loop, "the cat sat");
  loop.rewind(4);
  loop.sampling = { method: "greedy" };
  assert.equal(loop.sampling.method, "greedy");
  assert.equal(loop.decodeStep().draw, null);
  other.prefill("the cat sat");
  for (let step = 0; step < 3; step += 1) other.decodeStep();
  other.sampling = { method: "greedy" };
  other.decodeStep();
  assert.deepEqual(loop.tokens, other.tokens);
  assert.deepEqual(bits(loop.logits()), bits(other.logits()));
});

test("one prompt after the other on one loop is like a fresh loop each time", async () => {
  for (const cache of [true, false]) {
    const used = await load({ cache });
    for (const prompt of ["abcdef", "abc", "abc", "the cat sat on the mat", "a"]) {
      assert.deepEqual(complete(used, prompt), complete(await load({ cache }), prompt), prompt);
    }
    // In the middle of a run too.
    used.prefill("zzz");
    used.decodeStep();
    assert.deepEqual(complete(used, "abc"), complete(await load({ cache }), "abc"));
  }
});

for (const [name, shape] of Object.entries(SHAPES)) {
  test(`the cache changes no token and no bit of the logits, also when toggled in the run: ${name}`, async () => {
    const model = random({ ...shape, eos_token_id: null }, 11);
    const [kept, recomputed, toggled] = [
      await on(model, { sampling: drawn }),
      await on(model, { sampling: drawn, cache: false }),
      await on(model, { sampling: drawn }),
    ];
    for (const loop of [kept, recomputed, toggled]) loop.prefill([1, 2, 3]);
    while (kept.stop === null) {
      toggled.cache = kept.passes % 3 === 0;
      const passes = [kept, recomputed, toggled].map((loop) => loop.decodeStep());
      const [one, two, three] = [kept, recomputed, toggled].map((loop) => bits(loop.logits()));
      assert.deepEqual(two, one);
      assert.deepEqual(three, one);
      assert.equal(passes[2].flops, passes[toggled.cache ? 0 : 1].flops);
      assert.equal(passes[2].cacheBytes, passes[toggled.cache ? 0 : 1].cacheBytes);
    }
    assert.deepEqual(recomputed.tokens, kept.tokens);
    assert.deepEqual(toggled.tokens, kept.tokens);
    toggled.rewind(2);
    while (toggled.stop === null) toggled.decodeStep();
    assert.deepEqual(toggled.tokens, kept.tokens);
  });
}

test("prefilling n tokens gives the bits of prefilling one and decoding the others", async () => {
  const loop = await on(random({ ...SHAPES.default, n_positions: 24, eos_token_id: null }, 2), {
    sampling: drawn,
  });
  const { tokens, logits } = complete(loop, [5]);
  for (let length = 1; length < 24; length += 1) {
    loop.prefill(tokens.slice(0, length));
    assert.deepEqual(bits(loop.logits()), logits[length - 1], `${length} tokens`);
  }
});

test("the cache is on or off, nothing else", async () => {
  const loop = await load();
  for (const value of ["off", "false", 0, 1, null, undefined, {}]) {
    const refused = refusal("invalid-setting", /^cache is .*; allowed: true, false$/);
    assert.throws(() => {
      loop.cache = wrong(value);
    }, refused);
    if (value !== undefined) await assert.rejects(load({ cache: wrong(value) }), refused);
  }
  assert.equal(loop.cache, true);
  loop.cache = false;
  assert.equal(loop.cache, false);
});

test("after any calls, in any order, the loop is what a fresh one comes to on the straight way", async () => {
  const next = generator(99);
  /** @param {number} count */
  const below = (count) => Math.floor(next() * count);
  const [loop, fresh] = [await load({ maxTokens: null, stop: ["q", "5e"] }), await load()];
  fresh.maxTokens = null;
  fresh.stopStrings = ["q", "5e"];
  /** How the passes that still count were sampled. @type {import("../../www/engine.js").Sampling[]} */
  let samplings = [];
  let prompt = "";
  for (let call = 1; call <= 1500; call += 1) {
    const which = below(20);
    if (samplings.length === 0 || which === 0) {
      prompt = ["a", "the cat", "hello, world"][below(3)];
      loop.prefill(prompt);
      samplings = [loop.sampling];
    } else if (which < 3) {
      const keep = below(samplings.length + 1);
      loop.rewind(keep);
      samplings.length = keep;
    } else if (which === 3) {
      loop.cache = !loop.cache;
    } else if (which === 4) {
      const method = /** @type {const} */ (["greedy", "temperature", "top-k", "top-p"])[below(4)];
      loop.sampling = { method, temperature: 2 * next(), topK: below(9), topP: next() };
    } else if (which === 5) {
      for (const refused of ["é", [99], "z".repeat(200)]) assert.throws(() => loop.prefill(refused));
      assert.throws(() => loop.rewind(samplings.length + 1));
    } else if (loop.stop === null) {
      loop.decodeStep();
      samplings.push(loop.sampling);
    }
    if (call % 15 > 0) continue;
    fresh.reset();
    for (const [index, sampling] of samplings.entries()) {
      fresh.sampling = sampling;
      if (index === 0) fresh.prefill(prompt);
      else fresh.decodeStep();
    }
    assert.deepEqual(bits(loop.logits()), bits(fresh.logits()));
    assert.deepEqual([loop.tokens, loop.text, loop.stop], [fresh.tokens, fresh.text, fresh.stop]);
    assert.deepEqual(
      loop.log.map(({ index, draw, token, stop }) => ({ index, draw, token, stop })),
      fresh.log.map(({ index, draw, token, stop }) => ({ index, draw, token, stop })),
    );
  }
});

test("logits of the smallest signs keep their bits: −0 is not 0", async () => {
  const model = blank({ ...SHAPES["one number wide"], eos_token_id: null });
  model.weights["transformer.ln_f.bias"].data[0] = 1;
  model.weights["lm_head.weight"].data.fill(-0);
  const loop = await on(model);
  loop.prefill([0, 1]);
  const before = bits(loop.logits());
  loop.decodeStep();
  loop.rewind(1);
  assert.deepEqual(bits(loop.logits()), before);
});
