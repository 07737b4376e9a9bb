/** The tables of the README name what the element has, no more and no less. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { classOf } from "../../scripts/manifest/analysis.js";
import { factsOf, methodsOf } from "../../scripts/manifest/facts.js";
import { root } from "../../scripts/run.js";

const facts = factsOf(classOf());
const readme = readFileSync(join(root, "README.md"), "utf8");

/** What stands in code in a text. @param {string} text */
const coded = (text) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code);

/**
 * What stands in code in the first column of a table.
 * @param {RegExp} head how its first line begins
 */
function firstColumn(head) {
  const lines = readme.split("\n");
  const at = lines.findIndex((line) => line.startsWith("|") && head.test(line));
  assert.ok(at >= 0, `no table begins with ${head}`);
  const end = lines.findIndex((line, index) => index > at && !line.startsWith("|"));
  return lines.slice(at + 2, end).flatMap((line) => coded(line.split(/(?<!\\)\|/)[1]));
}

/** @param {readonly { name: string }[]} entries */
const names = (entries) => entries.map(({ name }) => name).sort();

test("attributes", () => {
  assert.deepEqual(firstColumn(/^\| attribute/).sort(), names(facts.attributes));
});

test("methods", () => {
  const found = firstColumn(/^\| method/).map((call) => call.replace(/\(\)$/, ""));
  assert.deepEqual(found.sort(), names(methodsOf(facts)));
});

test("events", () => {
  assert.deepEqual(firstColumn(/^\| event/).sort(), names(facts.events));
});

test("custom properties", () => {
  const found = firstColumn(/^\| custom property/).map((name) => `--generation-loop-${name}`);
  assert.deepEqual(found.sort(), names(facts.cssProperties));
});

test("parts", () => {
  const [, list = ""] = /^Parts: (.*?)\. /ms.exec(readme) ?? [];
  assert.deepEqual(coded(list).sort(), names(facts.cssParts));
});
