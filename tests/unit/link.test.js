/** A run as a link: what goes in comes out, and what nobody would write is refused as a whole. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { GenerationLoop } from "../../www/engine.js";
import { linkOf, stateOf } from "../../www/link.js";
import { Run } from "../../www/run.js";
import { ELEMENT_SETTINGS, METHODS, MODELS, OF_THE_LOOP, PANELS } from "../../www/settings.js";
import { wrong } from "./loops.js";

/** @typedef {import("../../www/link.js").LinkedSettings} LinkedSettings */

/** The same in every run, so that a failure can be looked at. */
const RUNS = { seed: 20_250_311, numRuns: 1000 };

const PAGE = "https://example.org/chapter/?lang=en";
const START = `${PAGE}#generation-loop?`;

const KEYS =
  "prompt, model, sampling, temperature, top-k, top-p, seed, stop, max-tokens, cache, hide, predict, pass, then";

/** @type {LinkedSettings} */
const DEFAULTS = Object.freeze({
  prompt: "the cat sat",
  model: "trained",
  sampling: "greedy",
  temperature: 1,
  topK: 8,
  topP: 0.9,
  seed: 7,
  stop: ["."],
  maxTokens: 32,
  cache: true,
  hide: [],
  predict: false,
});

/** How a pass is made with the defaults. */
const GREEDY = { sampling: { method: "greedy", temperature: 1, topK: 8, topP: 0.9 }, cache: true };

/** @param {string} link */
function stateFrom(link) {
  const state = stateOf(link);
  assert.ok(state !== null);
  return state;
}

/** @param {Parameters<typeof linkOf>[1]} state */
function linkTo(state) {
  const link = linkOf(PAGE, state);
  assert.ok(link !== null);
  return link;
}

test("a link names every setting as the attributes do, and says how far the run was", () => {
  /** @type {LinkedSettings} */
  const settings = { ...DEFAULTS, sampling: "top-k", temperature: 0.8, stop: [".", "\n"], hide: ["log"] };
  const top = { sampling: { method: settings.sampling, temperature: 0.8, topK: 8, topP: 0.9 }, cache: true };
  const link = linkTo({ settings, passes: [top, top] });
  assert.equal(
    link,
    `${START}prompt=the+cat+sat&model=trained&sampling=top-k&temperature=0.8&top-k=8&top-p=0.9&seed=7&stop=.%7C%5Cn&max-tokens=32&cache=on&hide=log&predict=off&pass=2`,
  );
  assert.deepEqual(stateOf(link), { settings, passes: [top, top], pass: 2, problems: [] });
});

test("changes of method stand in it by the pass from which on they hold, that of the next pass too", () => {
  const cold = {
    sampling: { method: /** @type {const} */ ("top-p"), temperature: 1e-37, topK: 8, topP: 1e-7 },
  };
  const hot = {
    sampling: { method: /** @type {const} */ ("temperature"), temperature: 1e21, topK: 8, topP: 1 },
  };
  const passes = [GREEDY, GREEDY, { ...cold, cache: false }, { ...cold, cache: false }].map(wrong);
  const settings = { ...DEFAULTS, sampling: hot.sampling.method, temperature: 1e21, topP: 1 };
  const link = linkTo({ settings, passes });
  const then = "3_top-p_1e-37_8_1e-7_off+5_temperature_1e%2B21_8_1_on";
  assert.ok(
    link.endsWith(
      `sampling=greedy&temperature=1&top-k=8&top-p=0.9&seed=7&stop=.&max-tokens=32&cache=on&hide=&predict=off&pass=4&then=${then}`,
    ),
    link,
  );
  assert.deepEqual(stateOf(link), { settings, passes, pass: 4, problems: [] });
});

test("a fragment of the page is replaced, and everything before it stays", () => {
  const state = { settings: DEFAULTS, passes: [] };
  const link = linkTo(state);
  for (const fragment of ["#", "#chapter-2", "#a#b?c", `#generation-loop?seed=1\n`]) {
    assert.equal(linkOf(PAGE + fragment, state), link);
  }
  assert.equal(linkOf("file:///a.html", state), link.replace(PAGE, "file:///a.html"));
});

test("what is left out takes its default, but no run is without a seed", () => {
  assert.deepEqual(stateOf(`${START}seed=7`), { settings: DEFAULTS, passes: [], pass: 0, problems: [] });
  assert.deepEqual(
    stateFrom(`${START}seed=7&pass=3&cache=off`).passes,
    Array(3).fill({ ...GREEDY, cache: false }),
  );
  assert.deepEqual(stateFrom(`${START}`).problems, [
    "seed is missing; needed: the one that makes the run the same again",
  ]);
});

for (const other of ["", PAGE, `${PAGE}#`, `${PAGE}#generation-loop`, `${PAGE}#Generation-Loop?seed=1`]) {
  test(`${JSON.stringify(other)} is none of ours`, () => assert.equal(stateOf(other), null));
}

test("an own model has no link, nor has a prompt that is too long for one", () => {
  for (const model of ["https://example.org/model/", "./model/", { config: {}, weights: {} }, null]) {
    assert.equal(linkOf(PAGE, { settings: { ...DEFAULTS, model }, passes: [] }), null);
  }
  const { length } = linkTo({ settings: { ...DEFAULTS, prompt: "" }, passes: [] }).replace(PAGE, "");
  for (const [letters, fits] of /** @type {const} */ ([
    [8192 - length, true],
    [8193 - length, false],
  ])) {
    const prompt = "a".repeat(letters);
    const link = linkOf(PAGE, { settings: { ...DEFAULTS, prompt }, passes: [] });
    assert.equal(link !== null, fits);
    if (link !== null) assert.equal(stateFrom(link).settings?.prompt, prompt);
  }
});

test("a link may go as far as the models inside do", async () => {
  const loop = await GenerationLoop.load();
  const most = loop.config.n_positions - 1;
  assert.equal(stateFrom(`${START}seed=1&pass=${most}`).passes.length, most);
  assert.deepEqual(stateFrom(`${START}seed=1&pass=${most + 1}`).problems, [
    `pass is "${most + 1}"; allowed: a whole number from 0 to ${most}`,
  ]);
});

test("a run with changes in the middle is the same run when its link is opened", async () => {
  const run = new Run(await GenerationLoop.load({ model: "untrained" }));
  /** @type {Record<string, any>} */
  const settings = {
    ...DEFAULTS,
    model: "untrained",
    sampling: "temperature",
    seed: 2 ** 53 - 1,
    stop: [],
    maxTokens: 40,
  };
  const set = (/** @type {Run} */ run, /** @type {Record<string, any>} */ values) => {
    Object.assign(settings, values);
    for (const name of OF_THE_LOOP) if (name in values) run.set(name, values[name]);
  };
  set(run, settings);
  for (const change of [
    {},
    { temperature: 0.3 },
    {},
    { sampling: "top-k", topK: 3 },
    { cache: false },
    {},
    { sampling: "top-p" },
  ]) {
    run.step();
    set(run, change);
  }
  const link = linkTo({ settings: /** @type {LinkedSettings} */ (settings), passes: run.moment.passes });

  const state = stateFrom(link);
  const again = new Run(await GenerationLoop.load({ model: "untrained" }));
  set(again, /** @type {any} */ (state.settings));
  again.replay(state);
  for (let pass = 0; pass < 5; pass += 1) for (const one of [run, again]) one.step();
  assert.equal(again.loop.passes, 12);
  assert.deepEqual(again.loop.tokens, run.loop.tokens);
  assert.deepEqual(
    again.loop.log.map(({ flops, draw }) => [flops, draw]),
    run.loop.log.map(({ flops, draw }) => [flops, draw]),
  );
});

const temperature = fc.oneof(
  fc.constantFrom(0, 1e-37, 5e-324, 1e21, Number.MAX_VALUE),
  fc.double({ min: 0, max: Number.MAX_VALUE, noNaN: true }),
);
const topP = fc.oneof(fc.constantFrom(0, 1e-7, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const topK = fc.oneof(fc.constant(Number.MAX_SAFE_INTEGER), fc.nat());
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ unit: fc.constantFrom(..."a\n\r\t &=#%+?|\\n_.*<>\"'é😀\u0000\u202e"), maxLength: 30 }),
);
// As other objects are, and not without a prototype.
const PLAIN = { noNullPrototype: true };
const passSettings = fc.record(
  {
    sampling: fc.record({ method: fc.constantFrom(...METHODS), temperature, topK, topP }, PLAIN),
    cache: fc.boolean(),
  },
  PLAIN,
);
const arbitrarySettings = fc.record(
  {
    prompt: text,
    model: fc.constantFrom(...MODELS),
    sampling: fc.constantFrom(...METHODS),
    temperature,
    topK,
    topP,
    seed: fc.oneof(fc.constantFrom(0, Number.MAX_SAFE_INTEGER), fc.maxSafeNat()),
    stop: fc.array(text.filter((stop) => stop !== "")),
    maxTokens: fc.oneof(fc.constantFrom(null, Number.MAX_SAFE_INTEGER), fc.integer({ min: 2, max: 128 })),
    cache: fc.boolean(),
    hide: fc.subarray(PANELS),
    predict: fc.boolean(),
  },
  PLAIN,
);
// Methods that hold for some passes, as readers change them.
const arbitraryPasses = fc
  .array(fc.tuple(passSettings, fc.integer({ min: 1, max: 8 })), { maxLength: 12 })
  .map((stretches) => stretches.flatMap(([settings, length]) => Array(length).fill(settings)));

test("what goes in comes out, through the address of a browser too", () => {
  fc.assert(
    fc.property(arbitrarySettings, arbitraryPasses, (settings, passes) => {
      const link = linkTo({ settings, passes });
      // Without strings that no token of the models inside can complete.
      const stop = settings.stop.filter((string) => !string.includes("|") && !string.includes("\\"));
      const state = { settings: { ...settings, stop }, passes, pass: passes.length, problems: [] };
      assert.deepEqual(stateOf(link), state);
      assert.deepEqual(stateOf(new URL(link).href), state);
      assert.equal(linkTo(/** @type {any} */ (state)), link);
      // No program takes the end of it for the end of a sentence.
      assert.match(link, /^[\w:/?=&#%+.*-]+\w$/);
    }),
    RUNS,
  );
});

describe("refused", () => {
  const allowed = Object.entries({
    "prompt=a&prompt=b": 'a second prompt is "b"; allowed: one',
    "model=https://example.org/": 'model is "https://example.org/"; allowed: trained, untrained',
    "model=./mine": 'model is "./mine"; allowed: trained, untrained',
    "model=Trained": 'model is "Trained"; allowed: trained, untrained',
    "sampling=topk": 'sampling is "topk"; allowed: greedy, temperature, top-k, top-p',
    "temperature=-1": 'temperature is "-1"; allowed: a finite number, at least 0',
    "temperature=Infinity": 'temperature is "Infinity"; allowed: a finite number, at least 0',
    "temperature=": 'temperature is ""; allowed: a finite number, at least 0',
    "top-k=1.5": 'top-k is "1.5"; allowed: a whole number from 0 to 9007199254740991',
    "top-p=1.01": 'top-p is "1.01"; allowed: 0 to 1',
    "stop=a||b": 'stop is "a||b"; at least one character is needed',
    "max-tokens=1": 'max-tokens is "1"; allowed: a whole number from 2 to the model\'s context, or none',
    "cache=maybe": 'cache is "maybe"; allowed: true, false, on, off',
    "hide=log+prompt": `hide is "log prompt"; allowed: ${PANELS.join(", ")}`,
    "pass=-1": 'pass is "-1"; allowed: a whole number from 0 to 127',
    "pass=1.0": 'pass is "1.0"; allowed: a whole number from 0 to 127',
    "pass=1e1": 'pass is "1e1"; allowed: a whole number from 0 to 127',
    "pass=": 'pass is ""; allowed: a whole number from 0 to 127',
    "pass=9007199254740991": 'pass is "9007199254740991"; allowed: a whole number from 0 to 127',
    "autoplay=on": `"autoplay" is "on"; allowed: ${KEYS}`,
    "topK=3": `"topK" is "3"; allowed: ${KEYS}`,
    "__proto__=1": `"__proto__" is "1"; allowed: ${KEYS}`,
    "constructor=1": `"constructor" is "1"; allowed: ${KEYS}`,
    "toString=1": `"toString" is "1"; allowed: ${KEYS}`,
    "=": `"" is ""; allowed: ${KEYS}`,
    "prompt=100%": 'a part is "prompt=100%"; allowed: UTF-8 after percent signs',
    "prompt=%ff": 'a part is "prompt=%ff"; allowed: UTF-8 after percent signs',
    "%zz=1": 'a part is "%zz=1"; allowed: UTF-8 after percent signs',
    "cache=<img src=x onerror=alert(1)>":
      'cache is "<img src=x onerror=alert(1)>"; allowed: true, false, on, off',
    [`top-p=${"9".repeat(500)}`]: `top-p is "${"9".repeat(40)}…"; allowed: 0 to 1`,
    [`model=${encodeURIComponent('"; allowed: anything')}`]:
      'model is "\\"; allowed: anything"; allowed: trained, untrained',
    [`prompt=${"a".repeat(8192)}`]: /^the link has 82\d\d characters; allowed: at most 8192$/,
  });
  for (const [part, problem] of allowed) {
    test(part.slice(0, 60), () => {
      const state = stateFrom(`${START}seed=7&${part}`);
      assert.deepEqual({ ...state, problems: [] }, { settings: null, passes: [], pass: 0, problems: [] });
      assert.equal(state.problems.length, 1);
      if (typeof problem === "string") assert.equal(state.problems[0], problem);
      else assert.match(state.problems[0], problem);
    });
  }

  for (const seed of ["", "-1", "1.5", "9007199254740992", "9".repeat(5000), "0x1", "null", "1 2"]) {
    test(`the seed ${seed.slice(0, 20)}`, () => {
      const [problem, ...others] = stateFrom(`${START}seed=${seed}`).problems;
      assert.match(problem, /^seed is ".{0,41}"; allowed: a whole number from 0 to 9007199254740991$/);
      assert.deepEqual(others, []);
    });
  }

  for (const then of [
    " ",
    "2",
    "2_greedy_1_8_0.9",
    "2_greedy_1_8_0.9_on_",
    "2_greedy_1_8_0.9_maybe",
    "2_greedy__8_0.9_on",
    "2_best_1_8_0.9_on",
    "2_greedy_-1_8_0.9_on",
    "2_greedy_1_8.5_0.9_on",
    "2_greedy_1_8_2_on",
    "1_greedy_1_8_0.9_on",
    "7_greedy_1_8_0.9_on",
    "2.0_greedy_1_8_0.9_on",
    "2_greedy_1_8_0.9_on ",
    "2_greedy_1_8_0.9_on  3_greedy_1_8_0.9_off",
    "3_greedy_1_8_0.9_on 2_greedy_1_8_0.9_off",
    "2_greedy_1_8_0.9_on 2_greedy_1_8_0.9_off",
    "__proto___greedy_1_8_0.9_on",
  ]) {
    test(`the changes ${JSON.stringify(then)}`, () => {
      const state = stateFrom(`${START}seed=7&pass=5&then=${encodeURIComponent(then)}`);
      assert.equal(state.settings, null);
      assert.equal(state.problems.length, 1);
      assert.ok(
        state.problems[0].endsWith(
          "; allowed: changes like 3_top-k_0.8_8_0.9_on, a space between two, in the order of passes 2 to 6",
        ),
        state.problems[0],
      );
    });
  }

  test("changes that are like those, and none", () => {
    assert.deepEqual(stateFrom(`${START}seed=7&pass=1&then=`).passes, [GREEDY]);
    const { settings, passes } = stateFrom(
      `${START}seed=7&pass=5&then=2_greedy_1_8_0.9_off+6_top-p_1_8_0.5_on`,
    );
    assert.deepEqual(
      passes.map(({ cache }) => cache),
      [true, false, false, false, false],
    );
    assert.deepEqual(settings, { ...DEFAULTS, sampling: "top-p", topP: 0.5 });
  });

  test("all that is wrong is said, but not more than can be read", () => {
    assert.equal(stateFrom(`${START}seed=x&pass=x&top-k=x&mine=x`).problems.length, 4);
    assert.equal(stateFrom(`${START}${"a=&".repeat(2000)}`).problems.length, 5);
  });

  test("what is no text at all", () => {
    const thrower = {
      toString() {
        throw new Error("mine");
      },
    };
    for (const value of [undefined, null, 7, 7n, true, {}, [], Symbol("x"), Object.create(null), thrower]) {
      assert.equal(stateOf(wrong(value)), null);
    }
  });
});

test("markup in a text stays the text that it is", () => {
  const prompt = `<img src=x onerror="alert('1')">&lt;script>`;
  assert.equal(stateFrom(linkTo({ settings: { ...DEFAULTS, prompt }, passes: [] })).settings?.prompt, prompt);
});

test("whatever stands in a link, it is opened as a whole or not at all, without an error", () => {
  const keys = [...KEYS.split(", "), "autoplay", "__proto__", "constructor", "hasOwnProperty", "", "é"];
  const values = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "1",
      "0",
      "-0",
      "1e400",
      "NaN",
      "on",
      "greedy",
      "trained",
      "none",
      "null",
      "[]",
      "%",
      "%e2%82",
    ),
    fc.constantFrom(
      "2_greedy_1_8_0.9_on",
      "https://example.org/",
      "<img src=x onerror=alert(1)>",
      "a".repeat(3000),
    ),
  );
  const part = fc
    .tuple(fc.constantFrom(...keys), values, fc.boolean())
    .map(([key, value, encoded]) => `${key}=${encoded ? encodeURIComponent(value) : value}`);
  const seeded = fc.array(part, { maxLength: 6 }).map((parts) => ["seed=3", ...parts].join("&"));
  let opened = 0;
  fc.assert(
    fc.property(fc.oneof(seeded, fc.string({ unit: "binary" }), fc.string({ maxLength: 9000 })), (query) => {
      const state = stateFrom(START + query);
      assert.deepEqual(Object.keys(state), ["settings", "passes", "pass", "problems"]);
      assert.equal(state.settings === null, state.problems.length > 0);
      assert.equal(state.passes.length, state.pass);
      assert.ok(state.pass <= 127 && state.problems.length <= 5);
      for (const problem of state.problems) assert.ok(problem.length < 800, problem);
      if (state.settings === null) return;
      opened += 1;
      const names = Object.keys(ELEMENT_SETTINGS).filter((name) => name !== "autoplay");
      assert.deepEqual(Object.keys(state.settings), names);
      assert.ok(MODELS.some((name) => name === state.settings?.model));
      assert.equal(Object.getPrototypeOf(state.settings), Object.prototype);
    }),
    RUNS,
  );
  assert.ok(opened > 20, `${opened} were opened`);
});
