import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { DEFAULT_SHAPE, random } from "./checkpoints.js";
import { collect, complete, on, refusal, wrong } from "./loops.js";
import { END_OF_TEXT, idsOf, scripted } from "./scripted.js";

/** A loop that writes the alphabet. @param {import("../../www/engine.js").LoadOptions} [options] */
const alphabet = (options) =>
  on(scripted([...idsOf("abcdefghijklmnopqrstuvwxyz"), END_OF_TEXT]), { stop: ["z!"], ...options });

/** A loop whose runs take long enough to need several turns of the event loop. */
const slow = () =>
  on(random({ ...DEFAULT_SHAPE, n_embd: 64, n_inner: 256, n_positions: 180, eos_token_id: null }, 1, 0.3), {
    cache: false,
  });

test("a stream has the tokens of the text, in order; the loop counts the passes", async () => {
  const loop = await alphabet();
  const { tokens, text } = await collect(loop.generate("x"));
  assert.equal(text, "abcdefghijklmnopqrstuvwxyz");
  assert.deepEqual(
    tokens,
    Array.from(text, (character) => ({ id: idsOf(character)[0], text: character })),
  );
  assert.equal(loop.passes, 27);
  assert.deepEqual(loop.tokens.slice(1, -1), idsOf(text));
});

test("the stream is what single steps give", async () => {
  for (const cache of [true, false]) {
    const options = { seed: 3, cache, sampling: /** @type {const} */ ({ method: "top-k", topK: 4 }) };
    const [streaming, stepping] = [await GenerationLoop.load(options), await GenerationLoop.load(options)];
    const { text } = await collect(streaming.generate("the cat"));
    assert.equal(text, complete(stepping, "the cat").text);
    assert.deepEqual(streaming.tokens, stepping.tokens);
  }
});

test("nothing happens before the first token is asked for", async () => {
  const loop = await alphabet();
  const stream = loop.generate("x");
  assert.equal(loop.passes, 0);
  assert.deepEqual(await stream.next(), { done: false, value: { id: 2, text: "a" } });
  assert.equal(loop.passes, 1);
  await stream.return();
});

test("a prompt that is refused rejects the first token; the run before is still there", async () => {
  const loop = await alphabet();
  complete(loop, "x");
  await assert.rejects(loop.generate("é").next(), refusal("unsupported-characters"));
  await assert.rejects(loop.generate(new Array(99).fill(1)).next(), refusal("prompt-too-long"));
  assert.equal(loop.passes, 27);
});

test("an abort before the start: no token, no pass, no error", async () => {
  const loop = await alphabet();
  complete(loop, "x");
  const stream = loop.generate("y", { signal: AbortSignal.abort() });
  assert.deepEqual(await stream.next(), { done: true, value: undefined });
  assert.deepEqual(await stream.next(), { done: true, value: undefined });
  assert.equal(loop.passes, 27);
  assert.equal(loop.tokens[0], idsOf("x")[0]);
});

test("an abort in the middle ends the stream; the loop can go on", async () => {
  const loop = await alphabet();
  const controller = new AbortController();
  let text = "";
  for await (const token of loop.generate("x", { signal: controller.signal })) {
    text += token.text;
    if (text === "abc") controller.abort();
  }
  assert.equal(text, "abc");
  assert.equal(loop.text, "abc");
  assert.equal(loop.stop, null);
  assert.equal(loop.decodeStep().token.text, "d");
});

test("aborting twice, and when nothing runs, is harmless", async () => {
  const loop = await alphabet();
  const controller = new AbortController();
  const stream = loop.generate("x", { signal: controller.signal });
  await stream.next();
  controller.abort();
  controller.abort("again");
  assert.deepEqual(await stream.next(), { done: true, value: undefined });
  controller.abort();
  assert.deepEqual(await stream.next(), { done: true, value: undefined });

  const late = new AbortController();
  const { text } = await collect(loop.generate("x", { signal: late.signal }));
  late.abort();
  assert.equal(text.length, 26);
  assert.equal(loop.text, text);
});

test("an abort and a new start in the same tick: the old stream ends once, the new one is whole", async () => {
  const loop = await alphabet();
  const controller = new AbortController();
  const old = loop.generate("x", { signal: controller.signal });
  await old.next();
  await old.next();
  controller.abort();
  const fresh = collect(loop.generate("y"));
  assert.deepEqual(await old.next(), { done: true, value: undefined });
  assert.deepEqual(await old.next(), { done: true, value: undefined });
  assert.equal((await fresh).text, "abcdefghijklmnopqrstuvwxyz");
  assert.equal(loop.tokens[0], idsOf("y")[0]);
  assert.equal(loop.passes, 27);
});

test("a new start without an abort ends the old stream as well", async () => {
  const loop = await alphabet();
  const old = loop.generate("x");
  await old.next();
  const fresh = loop.generate("y");
  assert.deepEqual((await fresh.next()).value, { id: 2, text: "a" });
  assert.deepEqual(await old.next(), { done: true, value: undefined });
  assert.equal((await collect(fresh)).text, "bcdefghijklmnopqrstuvwxyz");
});

test("breaking out early leaves the run as far as it came", async () => {
  const loop = await alphabet();
  for await (const { text } of loop.generate("x")) if (text === "e") break;
  assert.equal(loop.passes, 5);
  assert.equal(loop.text, "abcde");
  assert.equal(loop.stop, null);
  assert.equal(loop.decodeStep().token.text, "f");
  loop.rewind(2);
  assert.equal(complete(loop, "x").text, "abcdefghijklmnopqrstuvwxyz");
});

test("an error of the reader's own ends the stream and nothing else", async () => {
  const loop = await alphabet();
  const reading = (async () => {
    for await (const { text } of loop.generate("x")) if (text === "c") throw new RangeError("mine");
  })();
  await assert.rejects(reading, /^RangeError: mine$/);
  assert.equal(loop.decodeStep().token.text, "d");
});

/**
 * What a reader may do to the loop while it reads, and what is streamed then.
 * @type {Record<string, { act: (loop: GenerationLoop) => unknown, streamed: string, text: string | null }>}
 */
const INSIDE = {
  decodeStep: {
    act: (loop) => loop.stop ?? loop.decodeStep(),
    streamed: "abcdefghijklmnopqrstuvwxyz",
    text: "abcdefghijklmnopqrstuvwxyz",
  },
  "a run to the end": {
    act: (loop) => {
      while (loop.stop === null) loop.decodeStep();
    },
    streamed: "abcdefghijklmnopqrstuvwxyz",
    text: "abcdefghijklmnopqrstuvwxyz",
  },
  prefill: { act: (loop) => loop.prefill("y"), streamed: "a", text: "a" },
  reset: { act: (loop) => loop.reset(), streamed: "a", text: "" },
  rewind: { act: (loop) => loop.rewind(1), streamed: "a", text: "a" },
  dispose: { act: (loop) => loop.dispose(), streamed: "a", text: null },
  "another stream": {
    act: async (loop) => collect(loop.generate("y")),
    streamed: "a",
    text: "abcdefghijklmnopqrstuvwxyz",
  },
  "the cache and the method": {
    act: (loop) => {
      loop.cache = !loop.cache;
      loop.sampling = { method: "top-k", topK: 1 };
    },
    streamed: "abcdefghijklmnopqrstuvwxyz",
    text: "abcdefghijklmnopqrstuvwxyz",
  },
};

for (const [name, { act, streamed, text }] of Object.entries(INSIDE)) {
  test(`inside the stream: ${name}`, async () => {
    const loop = await alphabet();
    let seen = "";
    for await (const token of loop.generate("x")) {
      seen += token.text;
      await act(loop);
    }
    assert.equal(seen, streamed);
    if (text !== null) assert.equal(loop.text, text);
    else assert.throws(() => loop.text, refusal("disposed"));
  });
}

test("a setting that belongs to the whole run is refused inside the stream, which goes on", async () => {
  const loop = await alphabet();
  let seen = "";
  for await (const { text } of loop.generate("x")) {
    seen += text;
    assert.throws(() => {
      loop.seed = 1;
    }, refusal("run-in-progress"));
  }
  assert.equal(seen.length, 26);
});

test("a stream of a loop that is disposed meanwhile says so at its start, and ends later on", async () => {
  const loop = await alphabet();
  const [unstarted, started] = [loop.generate("x"), loop.generate("x")];
  await started.next();
  loop.dispose();
  await assert.rejects(unstarted.next(), refusal("disposed"));
  assert.deepEqual(await started.next(), { done: true, value: undefined });
});

test("an error in the middle rejects the stream after the tokens before it", async () => {
  const loop = await on(scripted("abcdef", { nanFrom: 3 }));
  /** @type {string[]} */
  const seen = [];
  const reading = (async () => {
    for await (const { text } of loop.generate("x")) seen.push(text);
  })();
  await assert.rejects(reading, refusal("non-finite-logit", /^the logit of token 0 is NaN/));
  assert.deepEqual(seen, ["a", "b", "c"]);
  assert.equal(loop.text, "abc");
});

test("a long run lets others take their turn", async () => {
  const loop = await slow();
  /** @type {number[]} */
  const turns = [];
  const timer = setInterval(() => turns.push(loop.passes), 1);
  const { tokens } = await collect(loop.generate([1]));
  clearInterval(timer);
  assert.equal(tokens.length, 179);
  assert.ok(turns.length >= 2, `${turns.length} turns`);
  // In the middle of the run, that is.
  assert.ok(turns.every((passes) => passes > 0 && passes < 179));
});

test("an abort from another turn of the event loop ends a long run", async () => {
  const loop = await slow();
  const controller = new AbortController();
  let passes = 0;
  setTimeout(() => {
    ({ passes } = loop);
    controller.abort();
  });
  const { tokens } = await collect(loop.generate([1], { signal: controller.signal }));
  assert.ok(tokens.length > 0 && tokens.length < 179, `${tokens.length} tokens`);
  // Not one more pass was made.
  assert.equal(loop.passes, passes);
  assert.equal(tokens.length, passes);
  assert.equal(loop.stop, null);
});

for (const [name, act] of /** @type {[string, (loop: GenerationLoop) => unknown][]} */ ([
  ["a reset", (loop) => loop.reset()],
  ["a dispose", (loop) => loop.dispose()],
  ["a prefill", (loop) => loop.prefill([2])],
  ["another stream", (loop) => loop.generate([2]).next()],
])) {
  test(`${name} from another turn of the event loop ends a long run without an error`, async () => {
    const loop = await slow();
    setTimeout(() => act(loop));
    const { tokens } = await collect(loop.generate([1]));
    assert.ok(tokens.length > 0 && tokens.length < 179, `${tokens.length} tokens`);
  });
}

test("two long runs on two loops go on side by side", async () => {
  const loops = [await slow(), await slow()];
  /** @type {number[]} */
  const order = [];
  await Promise.all(
    loops.map(async (loop, index) => {
      for await (const { id } of loop.generate([1])) order.push(id < 0 ? -1 : index);
    }),
  );
  assert.equal(order.length, 2 * 179);
  assert.ok(order.indexOf(1) < order.lastIndexOf(0) && order.indexOf(0) < order.lastIndexOf(1));
  assert.deepEqual(loops[0].tokens, loops[1].tokens);
});

test("a signal that is none is refused; null and undefined are no signal", async () => {
  const loop = await alphabet();
  for (const signal of [5, "stop", {}, true, new AbortController()]) {
    const started = loop.generate("x", wrong({ signal })).next();
    await assert.rejects(started, refusal("invalid-setting", /^signal is .*; allowed: an AbortSignal$/));
  }
  assert.equal(loop.passes, 0);
  for (const signal of [null, undefined]) {
    assert.equal((await collect(loop.generate("x", wrong({ signal })))).text.length, 26);
  }
});
