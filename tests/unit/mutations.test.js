/** Headers and configurations that nobody would write: a load succeeds or is refused, and nothing else notices. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { GenerationError } from "../../www/engine.js";
import { random } from "./checkpoints.js";
import { eightBytes, joined } from "./files.js";
import { memoryBytes } from "./instances.js";
import { complete, on } from "./loops.js";
import { data, file, headerLength, SHAPE } from "./small.js";

/** The same in every run, so that a failure can be looked at. */
const RUNS = { seed: 20_240_607, numRuns: 1000 };

const HEADER = new TextDecoder().decode(file.subarray(8, 8 + headerLength));
const { n_layer, n_head, n_embd, n_inner, vocab_size, n_positions } = SHAPE;

/** @typedef {(header: Uint8Array) => Uint8Array<ArrayBuffer>} Mutation */

/** JSON that stands where a number, a list or a tensor should. */
const VALUES = [
  ...["-1", "-0", "0", "1", "1.5", "1e3", "1e400", "-1e400", "1e-400", "00", "0x10", "NaN", "Infinity"],
  ...["2147483648", "4294967295", "4294967296", "9007199254740991", "9007199254740993"],
  ...["18446744073709551616", "9".repeat(400), "null", "true", '"x"', '""'],
  ...["[]", "{}", "[0]", "[[0]]", '{"dtype":"F32"}'],
  ...[1, 50, 500].map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  ...[1, 50, 500].map((depth) => `${'{"a":'.repeat(depth)}0${"}".repeat(depth)}`),
];

/** Names of tensors, written plainly or not. */
const NAMES = [
  "wte.weight",
  "\\u0077te.weight",
  "h.0.attn.bias",
  "h.7.attn.masked_bias",
  "h.1.ln_1.weight",
  "",
];

/** What stands in place of a name or a type. */
const STRINGS = [
  ...["F16", "BF16", "F64", "I32", "U8", "BOOL", "F31", "constructor", "__proto__", "__metadata__", "toJSON"],
  ...[" ", "\\u0000", "\\ud800", "\\\\", "dtype", "shape", "data_offsets", "é", "x".repeat(1000), ...NAMES],
];

/** @param {(text: string) => string} change @returns {Mutation} */
const asText = (change) => (header) => new TextEncoder().encode(change(new TextDecoder().decode(header)));

/**
 * Replaces the one of all matches that `pick`, from 0 to 1, falls on.
 * @param {RegExp} pattern
 * @param {number} pick
 * @param {string} replacement
 */
const replacing = (pattern, pick, replacement) =>
  asText((text) => {
    const matches = [...text.matchAll(pattern)];
    const match = matches[Math.floor(pick * matches.length)];
    if (match === undefined) return text;
    return text.slice(0, match.index) + replacement + text.slice(match.index + match[0].length);
  });

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** @type {fc.Arbitrary<Mutation>} */
const mutation = fc.oneof(
  // A bit flips, bytes come in, bytes go.
  fc.tuple(place, fc.nat(7)).map(([pick, bit]) => (/** @type {Uint8Array} */ header) => {
    const copy = header.slice();
    copy[Math.floor(pick * copy.length)] ^= 1 << bit;
    return copy;
  }),
  fc
    .tuple(place, fc.uint8Array({ minLength: 1, maxLength: 5 }))
    .map(([pick, bytes]) => (/** @type {Uint8Array} */ header) => {
      const at = Math.floor(pick * header.length);
      return joined(header.subarray(0, at), bytes, header.subarray(at));
    }),
  fc
    .tuple(place, fc.integer({ min: 1, max: 40 }))
    .map(([pick, length]) => (/** @type {Uint8Array} */ header) => {
      const at = Math.floor(pick * header.length);
      return joined(header.subarray(0, at), header.subarray(at + length));
    }),
  // A number, a string, a list or a whole tensor turns into something else.
  fc.tuple(place, fc.constantFrom(...VALUES)).map(([pick, value]) => replacing(/\d+(?=[,\]])/g, pick, value)),
  fc.tuple(place, fc.nat({ max: 2000 })).map(([pick, value]) => replacing(/\d+(?=[,\]])/g, pick, `${value}`)),
  fc
    .tuple(place, fc.constantFrom(...STRINGS))
    .map(([pick, text]) => replacing(/"[^"]*"/g, pick, `"${text}"`)),
  fc.tuple(place, fc.constantFrom(...VALUES)).map(([pick, value]) => replacing(/\[[^\]]*\]/g, pick, value)),
  fc.tuple(place, fc.constantFrom(...VALUES)).map(([pick, value]) => replacing(/\{[^{}]*\}/g, pick, value)),
  // One more entry.
  fc
    .tuple(fc.constantFrom(...STRINGS), fc.constantFrom(...VALUES))
    .map(([name, value]) => asText((text) => text.replace("{", `{"${name}":${value},`))),
  // Names, types and shapes that the format allows.
  fc
    .tuple(place, fc.constantFrom(...NAMES))
    .map(([pick, name]) => replacing(/"[^"]*"(?=:\{)/g, pick, `"${name}"`)),
  fc
    .tuple(place, fc.constantFrom("I32", "U32", "F32"))
    .map(([pick, dtype]) => replacing(/"F32"/g, pick, `"${dtype}"`)),
  fc
    .tuple(place, fc.constantFrom("[4,1]", "[2,2]", "[1,4]"))
    .map(([pick, shape]) => replacing(/\[4\]/g, pick, shape)),
  // Any JSON at all.
  fc.json({ maxDepth: 4 }).map((json) => asText(() => json)),
);

/** How many were loaded, and how many refused, by code. @type {Map<string, number>} */
const outcomes = new Map();

const watcher = await on(random(SHAPE, 9), { sampling: { method: "temperature" }, seed: 3 });
const expected = complete(watcher, [1, 2]);

/** @param {Parameters<typeof on>[0]} model */
async function assertLoadedOrRefused(model) {
  let outcome = "loaded";
  try {
    (await on(model)).dispose();
  } catch (error) {
    assert.ok(error instanceof GenerationError, `${error}`);
    assert.notEqual(error.code, "trapped");
    assert.ok(error.message.length > 10);
    outcome = error.code;
  }
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  assert.deepEqual(complete(watcher, [1, 2]), expected);
}

test("a file with a broken header is loaded or refused by name, and takes no more memory than its size", async () => {
  await assertLoadedOrRefused({ config: SHAPE, weights: file });
  const memory = memoryBytes();
  const broken = fc.record({
    mutations: fc.array(mutation, { minLength: 1, maxLength: 2 }),
    length: fc.oneof(
      { weight: 18, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.nat({ max: 5000 }) },
      { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) },
    ),
    asBlob: fc.boolean(),
  });
  outcomes.clear();
  await fc.assert(
    fc.asyncProperty(broken, async ({ mutations, length, asBlob }) => {
      let header = new TextEncoder().encode(HEADER);
      for (const mutate of mutations) header = mutate(header);
      const bytes = joined(eightBytes(length ?? header.length), header, data);
      await assertLoadedOrRefused({ config: SHAPE, weights: asBlob ? new Blob([bytes]) : bytes });
      assert.equal(memoryBytes(), memory);
    }),
    RUNS,
  );
  // The mutations reach all that there is to reach.
  for (const outcome of [
    ...["loaded", "invalid-safetensors", "missing-tensor", "unknown-tensor", "tensor-shape"],
    "tensor-type",
  ]) {
    assert.ok(outcomes.has(outcome), `${outcome}: ${JSON.stringify([...outcomes])}`);
  }
});

test("a configuration of any numbers is loaded or refused by name", async () => {
  const number = (/** @type {number} */ right) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(right) },
      { weight: 2, arbitrary: fc.nat({ max: 40 }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          ...[0, -0, -1, 1.5, 1025, 2 ** 20, 2 ** 20 + 1, 2 ** 31, 2 ** 32, 2 ** 32 + right, 2 ** 53, 1e300],
          ...[Number.NaN, Number.POSITIVE_INFINITY, null, "4", true, [4], {}],
        ),
      },
    );
  const config = fc.record({
    n_layer: number(n_layer),
    n_head: number(n_head),
    n_embd: number(n_embd),
    n_inner: number(n_inner),
    vocab_size: number(vocab_size),
    n_positions: number(n_positions),
    layer_norm_epsilon: fc.constantFrom(1e-5, 0, -1, 1e300, Number.NaN, null, "x"),
    tie_word_embeddings: fc.constantFrom(true, false, null, 1),
    eos_token_id: fc.constantFrom(null, 0, 5, 6, -1, 2 ** 32, 0.5, "0"),
  });
  outcomes.clear();
  await fc.assert(
    fc.asyncProperty(config, fc.boolean(), async (given, asFile) => {
      const json = new TextEncoder().encode(JSON.stringify(given));
      await assertLoadedOrRefused({ config: asFile ? json : given, weights: file });
    }),
    RUNS,
  );
  for (const outcome of ["invalid-config", "tensor-shape"]) assert.ok(outcomes.has(outcome), outcome);
});

test("a configuration file of any bytes is loaded or refused by name", async () => {
  const config = fc.oneof(
    fc.json().map((json) => new TextEncoder().encode(json)),
    fc.uint8Array({ maxLength: 60 }),
    fc.tuple(place, place).map(([from, to]) => {
      const json = new TextEncoder().encode(JSON.stringify(SHAPE));
      return joined(json.subarray(0, from * json.length), json.subarray(to * json.length));
    }),
  );
  await fc.assert(
    fc.asyncProperty(config, (bytes) => assertLoadedOrRefused({ config: bytes, weights: file })),
    { ...RUNS, numRuns: 300 },
  );
});
