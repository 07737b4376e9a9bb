import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationError, GenerationLoop } from "../../www/engine.js";
import { complete, everything, on, refusal, wrong } from "./loops.js";
import { idsOf, scripted } from "./scripted.js";

/**
 * Everything that the default loop refuses in the middle of a run.
 * @type {Record<string, (loop: GenerationLoop) => unknown>}
 */
const REFUSED = {
  "an empty prompt": (loop) => loop.prefill(""),
  "an unsupported character": (loop) => loop.prefill("é"),
  "an id beyond the vocabulary": (loop) => loop.prefill([1, 64]),
  "a prompt that is too long": (loop) => loop.prefill("a".repeat(32)),
  "a prompt of the wrong kind": (loop) => loop.prefill(wrong(null)),
  "a rewind too far": (loop) => loop.rewind(99),
  "a rewind to no number": (loop) => loop.rewind(wrong("x")),
  "a method that does not exist": (loop) => {
    loop.sampling = wrong({ method: "beam" });
  },
  "a negative temperature": (loop) => {
    loop.sampling = { method: "greedy", temperature: -1 };
  },
  "a misspelt option": (loop) => {
    loop.sampling = wrong({ method: "greedy", top_p: 1 });
  },
  "a seed in the middle of a run": (loop) => {
    loop.seed = 1;
  },
  "a seed that is none": (loop) => {
    loop.seed = -1;
  },
  "stop strings in the middle of a run": (loop) => {
    loop.stopStrings = ["x"];
  },
  "an empty stop string": (loop) => {
    loop.stopStrings = [""];
  },
  "a limit in the middle of a run": (loop) => {
    loop.maxTokens = 64;
  },
  "a limit beyond the context": (loop) => {
    loop.maxTokens = 1e9;
  },
  "a cache that is no boolean": (loop) => {
    loop.cache = wrong("off");
  },
  "ids that are none": (loop) => loop.decode([64]),
  "a text that is none": (loop) => loop.normalise(wrong(3)),
};

/** @type {import("../../www/engine.js").LoadOptions} */
const options = { seed: 6, stop: ["q!"], sampling: { method: "temperature", temperature: 1.2 } };

for (const cache of [true, false]) {
  test(`a call that is refused leaves the loop as it was, ${cache ? "with" : "without"} the cache`, async () => {
    const [loop, twin] = [
      await GenerationLoop.load({ ...options, cache }),
      await GenerationLoop.load({ ...options, cache }),
    ];
    loop.prefill("the cat");
    twin.prefill("the cat");
    for (const [name, call] of Object.entries(REFUSED)) {
      assert.throws(
        () => call(loop),
        (error) => error instanceof GenerationError && error.message.length > 10,
        name,
      );
      assert.deepEqual(everything(loop), everything(twin), name);
      // And it goes on as if nothing had been.
      loop.decodeStep();
      twin.decodeStep();
      assert.deepEqual(everything(loop), everything(twin), `after ${name}`);
      if (loop.stop !== null) {
        loop.prefill("the cat");
        twin.prefill("the cat");
      }
    }
  });
}

test("a refusal before any run, and after its end, leaves the loop as it was", async () => {
  const [loop, twin] = [await GenerationLoop.load(options), await GenerationLoop.load(options)];
  const between = new Set(["a seed in", "stop strings", "a limit in"]);
  const anyTime = Object.entries(REFUSED).filter(
    ([name]) => ![...between].some((start) => name.startsWith(start)),
  );
  for (const [name, call] of anyTime) assert.throws(() => call(loop), GenerationError, name);
  assert.throws(() => loop.decodeStep(), refusal("not-started"));
  assert.deepEqual(everything(loop), everything(twin));
  assert.deepEqual(complete(loop, "abc"), complete(twin, "abc"));
  for (const [name, call] of Object.entries(REFUSED)) assert.throws(() => call(loop), GenerationError, name);
  assert.deepEqual(everything(loop), everything(twin));
});

test("a logit that is not finite is named; the run before goes on", async () => {
  const x = idsOf("x")[0];
  const model = scripted("abcdefgh", { poison: x });
  const [loop, twin] = [await on(model), await on(model)];
  for (const one of [loop, twin]) {
    one.prefill("a");
    one.decodeStep();
  }
  for (const cache of [true, false]) {
    loop.cache = cache;
    twin.cache = cache;
    for (const prompt of ["x", "ax", "xa", "axa"]) {
      assert.throws(
        () => loop.prefill(prompt),
        refusal("non-finite-logit", /^the logit of token 0 is NaN; only finite numbers/),
        prompt,
      );
      assert.deepEqual(everything(loop), everything(twin), prompt);
    }
    loop.decodeStep();
    twin.decodeStep();
    assert.deepEqual(everything(loop), everything(twin));
  }
  assert.equal(complete(loop, "a").text, complete(twin, "a").text);
});

test("a step that comes to nothing can be tried again, and comes to nothing again", async () => {
  for (const [broken, message] of /** @type {const} */ ([
    [{ nanFrom: 2 }, /^the logit of token 0 is NaN/],
    [{ infiniteAt: 2 }, /^the logit of token 1 is Infinity/],
  ])) {
    for (const cache of [true, false]) {
      const loop = await on(scripted("abcdef", broken), { cache });
      loop.prefill("x");
      loop.decodeStep();
      const before = everything(loop);
      for (let attempt = 0; attempt < 3; attempt += 1) {
        assert.throws(() => loop.decodeStep(), refusal("non-finite-logit", message));
        assert.deepEqual(everything(loop), before);
      }
      assert.equal(loop.text, "ab");
      loop.rewind(1);
      assert.equal(loop.decodeStep().token.text, "b");
    }
  }
});

test("one logit that is not a number is enough, whatever the method", async () => {
  const model = scripted("abc");
  model.weights["lm_head.weight"].data[40 * model.config.n_embd] = Number.NaN;
  for (const method of /** @type {const} */ (["greedy", "temperature", "top-k", "top-p"])) {
    const loop = await on(model, { sampling: { method } });
    assert.throws(() => loop.prefill("x"), refusal("non-finite-logit", /^the logit of token 40 is NaN/));
    assert.equal(loop.passes, 0);
    assert.equal(loop.logits().length, 0);
  }
});

test("a failed first prefill leaves an empty loop, which takes the next one", async () => {
  const [loop, fresh] = [await on(scripted("abc", { poison: 25 })), await on(scripted("abc"))];
  assert.throws(() => loop.prefill([25]), refusal("non-finite-logit"));
  assert.throws(() => loop.decodeStep(), refusal("not-started"));
  assert.equal(loop.passes, 0);
  assert.deepEqual(complete(loop, [1]).log, complete(fresh, [1]).log);
});

test("a load that is refused rejects; it never throws, and other loops go on", async () => {
  const loop = await GenerationLoop.load(options);
  loop.prefill("abc");
  const before = everything(loop);
  for (const value of [
    null,
    { model: "gpt2" },
    { model: null },
    { model: {} },
    { model: 5 },
    { seed: -1 },
    { stop: [""] },
    { maxTokens: 1e9 },
    { cache: 1 },
    { sampling: { method: "x" } },
  ]) {
    const loading = GenerationLoop.load(wrong(value));
    assert.ok(loading instanceof Promise);
    await assert.rejects(loading, GenerationError);
  }
  assert.deepEqual(everything(loop), before);
});
