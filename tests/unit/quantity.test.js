/** Numbers as they are typed, and as they are shown. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  dataSize,
  duration,
  durations,
  exact,
  inWords,
  percentage,
  readQuantity,
  rounded,
} from "../../www/chapter/quantity.js";
import { count } from "../../www/chapter/wording.js";

const RANGE = { name: "Length", least: 0, most: 5000 };

/** @param {string} text */
const read = (text) => readQuantity(text, RANGE).value;

test("what is a number is read as one", () => {
  assert.deepEqual(
    ["0", "12", " 7 ", "1.5", ".5", "5.", "1e3", "+3"].map(read),
    [0, 12, 7, 1.5, 0.5, 5, 1000, 3],
  );
  // As the page itself writes thousands.
  assert.equal(read("1,000"), 1000);
  assert.equal(read("1,000.5"), 1000.5);
  assert.ok(Object.is(read("-0"), 0));
});

test("what is none, or too much, is an error with the value in it", () => {
  for (const text of ["-1", "5001", "1e99", "NaN", "0x8", "1,00", "1,5", "٣", "1_0", "--1", "e5", "."]) {
    const { value, error } = readQuantity(text, RANGE);
    assert.equal(value, null);
    assert.equal(error, `Length is “${text}”; allowed: a number from 0 to 5,000`);
  }
  assert.equal(readQuantity("", RANGE).error, "Length is empty; allowed: a number from 0 to 5,000");
  assert.match(readQuantity("x".repeat(1000), RANGE).error ?? "", /^Length is “x{24}…”; allowed/);
  assert.match(
    readQuantity("1.5", { ...RANGE, whole: true, unit: "km" }).error ?? "",
    /a whole number from 0 to 5,000 km$/,
  );
});

test("numbers are as exact as is said, in English", () => {
  assert.equal(exact(0.3 + 199 * 0.02), "4.28");
  assert.equal(exact(1_557_611_200), "1,557,611,200");
  assert.equal(exact(0.1 + 0.2), "0.3");
  assert.deepEqual([1234.5, 66.666, 5.777, 0.99962, 0.012345, 0].map(rounded), [
    "1,235",
    "66.7",
    "5.78",
    "1",
    "0.0123",
    "0",
  ]);
  assert.deepEqual([0.4672, 0.93, 0, 1].map(percentage), ["46.7%", "93%", "0%", "100%"]);
  assert.deepEqual([1e-9, 1 - 1e-9].map(percentage), ["less than 0.1%", "more than 99.9%"]);
  assert.deepEqual([2.684e12, 3.36e9, 1_557_611_200, 950].map(inWords), [
    "2.68 trillion",
    "3.36 billion",
    "1.56 billion",
    "950",
  ]);
  assert.deepEqual([count(1, "pass", "passes"), count(1200, "pass", "passes")], ["1 pass", "1,200 passes"]);
});

/** Where a line does not break. @param {readonly string[]} texts */
const plain = (texts) => texts.map((text) => text.replace("\u00a0", " "));

test("times and sizes have the unit in which they are read best", () => {
  assert.match(duration(1), /^1\u00a0s$/);
  assert.deepEqual(plain([0, 4.28, 0.3, 0.1, 0.02, 0.0003, 1.08e-5, 3e-10, 43_200].map(duration)), [
    "0 s",
    "4.28 s",
    "0.3 s",
    "0.1 s",
    "20 ms",
    "0.3 ms",
    "10.8 µs",
    "0.3 ns",
    "43,200 s",
  ]);
  assert.deepEqual(plain(durations([0, 0.02, 0.04])), ["0 ms", "20 ms", "40 ms"]);
  assert.deepEqual(plain(durations([0])), ["0 s"]);
  assert.deepEqual(plain([0, 12, 4096, 246e6, 3.115e9, 4.2e12].map(dataSize)), [
    "0 bytes",
    "12 bytes",
    "4.1 kB",
    "246 MB",
    "3.12 GB",
    "4.2 TB",
  ]);
});
