/** What the chapter's page says in numbers before any script runs: each is what the formulas and the engine come to. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "parse5";
import { replyOf } from "../../www/chapter/bounds.js";
import { CHIPS } from "../../www/chapter/chips.js";
import { latencyOf } from "../../www/chapter/latency.js";
import { FIRST, questionOf } from "../../www/chapter/prediction.js";
import { duration, inWords, percentage, rounded } from "../../www/chapter/quantity.js";
import { DEFAULT_ENTRIES, readRequest } from "../../www/chapter/request.js";
import { SHAPES } from "../../www/chapter/shapes.js";
import { GenerationLoop } from "../../www/engine.js";

const page = parse(readFileSync(join(import.meta.dirname, "../../index.html"), "utf8"));

/** @param {any} node @returns {string} */
const textOf = (node) => node.value ?? (node.childNodes ?? []).map(textOf).join("");

/** @param {any} node @param {(node: any) => boolean} wanted @returns {any} */
function find(node, wanted) {
  if (wanted(node)) return node;
  for (const child of node.childNodes ?? []) {
    const found = find(child, wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The words of a place, with one space where there is any, of whichever kind. @param {string} id */
function place(id) {
  const found = find(page, (node) =>
    node.attrs?.some((/** @type {any} */ { name, value }) => name === "id" && value === id),
  );
  assert.ok(found, id);
  return textOf(found).replace(/\s+/g, " ");
}

/** @param {string} text */
const plain = (text) => text.replace(/\s/g, " ");

test("the prompt of the page has as many tokens as the page says", async () => {
  const widget = find(page, ({ nodeName }) => nodeName === "generation-loop");
  const prompt = widget.attrs.find((/** @type {any} */ { name }) => name === "prompt").value;
  const loop = await GenerationLoop.load();
  assert.equal(loop.encode(prompt).length, 11);
  assert.match(place("run"), new RegExp(`eleven tokens of “${prompt}”`));
});

test("the lab's example", () => {
  const { request } = readRequest(DEFAULT_ENTRIES);
  assert.ok(request !== null);
  const { firstToken, total, decodeShare, perToken } = latencyOf(request);
  const said = place("lab");
  for (const words of [
    `${rounded(request.promptTokens)} prompt tokens and ${rounded(request.replyTokens)} reply tokens`,
    `a first pass of ${duration(firstToken)} and decode passes of ${duration(perToken)}`,
    `0.3 s + (${request.replyTokens} − 1) × ${perToken} s = ${duration(total)}`,
    `The first token is there after ${duration(firstToken)}`,
    `${percentage(/** @type {number} */ (decodeShare))} of the time is decode`,
  ]) {
    assert.ok(said.includes(plain(words)), `${words}\n${said}`);
  }
});

test("the example of a real model on a real chip", () => {
  const shape = SHAPES.find(({ name }) => name === "GPT-2 XL");
  const chip = CHIPS.find(({ id }) => id === "a100-80gb");
  assert.ok(shape && chip);
  const { prefill, decode } = replyOf({
    ...{ config: shape.config, chip, promptTokens: 800, replyTokens: 200, bytesPerWeight: 2 },
  });
  const said = place("scale");
  for (const words of [
    `the prefill is ${inWords(prefill.flops)} FLOPs and takes at least ${duration(prefill.seconds)}, for which ${prefill.boundBy} is the reason`,
    `Each decode is ${inWords(decode.flops)} FLOPs and takes at least ${duration(decode.seconds)}, for which ${decode.boundBy} is the reason: at most ${rounded(1 / decode.seconds)} tokens per second`,
  ]) {
    assert.ok(said.includes(plain(words)), `${words}\n${said}`);
  }
});

test("the question that the reader is asked first", () => {
  assert.ok(place("predict").includes(plain(questionOf(FIRST))));
});
