/** 16-bit floats, against converters that are as plain as can be. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { floats } from "../../www/safetensors.js";
import { generator } from "./checkpoints.js";
import { fileOf, rawTensors } from "./files.js";
import { bits } from "./loops.js";
import { assertSame, logitsOf, model } from "./small.js";

/** Every pattern of 16 bits, little-endian. */
const ALL = Uint8Array.from({ length: 2 * 65_536 }, (_, place) => (place >> 1) >> (8 * (place & 1)));

/**
 * The bits of a half in 32 bits: the exponent's bias moves from 15 to 127, the fraction to the left; what is subnormal is
 * shifted until its first one is where nobody writes it.
 * @param {number} half
 */
function widened(half) {
  const sign = (half & 0x8000) * 2 ** 16;
  let exponent = (half & 0x7c00) >> 10;
  let fraction = half & 0x3ff;
  if (exponent === 31) return sign + 0x7f800000 + (fraction << 13);
  if (exponent === 0) {
    if (fraction === 0) return sign;
    exponent = 1;
    while ((fraction & 0x400) === 0) {
      fraction <<= 1;
      exponent -= 1;
    }
  }
  return sign + ((exponent + 112) << 23) + ((fraction & 0x3ff) << 13);
}

/** The number that a BF16 stands for, by its definition. @param {number} pattern */
function valueOfBrain(pattern) {
  const [sign, exponent, fraction] = [pattern >> 15 ? -1 : 1, (pattern >> 7) & 255, pattern & 127];
  if (exponent === 255) return fraction === 0 ? sign / 0 : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -133 : sign * (128 + fraction) * 2 ** (exponent - 134);
}

test("all 65,536 halves are the same bits as by hand", () => {
  const found = floats("F16", ALL.slice());
  assert.equal(found.length, 65_536);
  const patterns = bits(found);
  let nans = 0;
  for (let half = 0; half < 65_536; half += 1) {
    const expected = widened(half);
    // One NaN is like another.
    if ((expected & 0x7fffffff) > 0x7f800000) {
      assert.ok(Number.isNaN(found[half]), `${half}`);
      nans += 1;
    } else assert.equal(patterns[half], expected, `${half}`);
  }
  assert.equal(nans, 2 * 1023);
  for (const [half, number] of [
    [0x0000, 0],
    [0x8000, -0],
    [0x0001, 2 ** -24],
    [0x83ff, -(2 ** -14) + 2 ** -24],
    [0x0400, 2 ** -14],
    [0x3c00, 1],
    [0x3555, 0.333251953125],
    [0xfbff, -65_504],
    [0x7c00, Number.POSITIVE_INFINITY],
    [0xfc00, Number.NEGATIVE_INFINITY],
  ]) {
    assert.ok(Object.is(found[half], number), `${half}`);
  }
});

test("all 65,536 brain floats are the same bits as by hand", () => {
  const found = floats("BF16", ALL.slice());
  const patterns = bits(found);
  assert.equal(found.length, 65_536);
  for (let pattern = 0; pattern < 65_536; pattern += 1) {
    assert.equal(patterns[pattern], pattern * 2 ** 16);
    assert.ok(Object.is(found[pattern], Math.fround(valueOfBrain(pattern))), `${pattern}`);
  }
});

test("32-bit floats stay what they are, NaN with its bits", () => {
  const patterns = Uint32Array.from([0, 0x80000000, 1, 0x7f800001, 0xffc12345, 0x7f7fffff, 0xff800000]);
  assert.deepEqual(bits(floats("F32", new Uint8Array(patterns.buffer))), [...patterns]);
});

test("a file of halves, or of all three types, is the model of the same numbers", async () => {
  for (const types of [["F16"], ["BF16"], ["F16", "F32", "BF16"]]) {
    const next = generator(16);
    /** @type {Record<string, { shape: number[], data: Float32Array }>} */
    const named = {};
    const tensors = Object.entries(rawTensors(model)).map(([name, { shape }], index) => {
      const dtype = types[index % types.length];
      const count = shape.reduce((product, side) => product * side, 1);
      // Below 2 in size, subnormal ones and both zeros among them.
      const patterns = Uint16Array.from({ length: count }, () => {
        const pattern = Math.floor((next() < 0.1 ? 4 : 0x4000) * next());
        return pattern + (next() < 0.5 ? 0x8000 : 0);
      });
      const data = Float32Array.from(patterns, (pattern) =>
        dtype === "F16" ? valueOfBits(widened(pattern)) : valueOfBrain(pattern),
      );
      named[name] = { shape, data };
      const bytes = new Uint8Array(dtype === "F32" ? data.buffer : patterns.buffer);
      return /** @type {const} */ ([name, { dtype, shape, bytes }]);
    });
    assert.deepEqual(
      await logitsOf(fileOf(Object.fromEntries(tensors))),
      await logitsOf(named),
      types.join(),
    );
  }
});

test("a tensor of an odd number of halves leaves the next one where no 32-bit float begins", async () => {
  const mask = { dtype: "F16", shape: [3], bytes: new Uint8Array(6) };
  for (const first of [mask, { ...mask, dtype: "U8", bytes: new Uint8Array(3) }]) {
    await assertSame(fileOf({ "h.0.attn.bias": first, ...rawTensors(model) }));
  }
});

/** The number of these 32 bits. @param {number} pattern */
function valueOfBits(pattern) {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, pattern);
  return view.getFloat32(0);
}
