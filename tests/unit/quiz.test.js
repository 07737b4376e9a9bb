/** The questions of "Check yourself", their answers and their score. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { KEY, keep, keptAnswers } from "../../www/chapter/answers.js";
import { QUESTIONS } from "../../www/chapter/questions.js";
import { costOfReply, GPT2, SHOWN } from "../../www/chapter/replies.js";
import { scoreInWords, scoreLine, scoreOf } from "../../www/chapter/score.js";
import { counted } from "../../www/chapter/scripted.js";
import { GenerationLoop } from "../../www/engine.js";
import { bytesReadOf } from "../../www/flops.js";
import { wrong } from "./loops.js";

/** @typedef {import("../../www/chapter/questions.js").Question} Question */

const rightOf = (/** @type {Question} */ { options }) => options.findIndex(({ right }) => right === true);

test("every question has three or four options, one of them right, and a reason behind each", () => {
  assert.ok(QUESTIONS.length >= 8);
  const ids = QUESTIONS.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const { id, ask, options } of QUESTIONS) {
    assert.match(ask, /\?$/);
    assert.ok(options.length === 3 || options.length === 4, id);
    assert.equal(options.filter(({ right }) => right === true).length, 1, id);
    for (const key of /** @type {const} */ (["id", "text", "reason"])) {
      assert.equal(new Set(options.map((option) => option[key])).size, options.length, `${key} of ${id}`);
    }
    for (const { id: option, text, reason } of options) {
      assert.match(option, /^[a-z]+$/);
      assert.ok(text.length > 10 && !/[.!]$/.test(text), text);
      assert.match(reason, /^[A-Z][^!]{40,}\.$/, `${id}: ${option}`);
    }
  }
});

test("the right option is known neither by its place nor by its length", () => {
  const places = QUESTIONS.map(rightOf);
  assert.deepEqual([...new Set(places)].sort(), [0, 1, 2, 3]);
  for (const place of places) {
    assert.ok(places.filter((other) => other === place).length <= Math.ceil(QUESTIONS.length / 3));
  }
  const rank = (/** @type {Question} */ question) => {
    const lengths = question.options.map(({ text }) => text.length);
    const right = lengths[rightOf(question)];
    return right === Math.max(...lengths) ? "longest" : right === Math.min(...lengths) ? "shortest" : "other";
  };
  const ranks = QUESTIONS.map(rank);
  for (const each of /** @type {const} */ (["longest", "shortest", "other"])) {
    assert.ok(ranks.includes(each), each);
    assert.ok(ranks.filter((found) => found === each).length <= QUESTIONS.length / 2, each);
  }
});

test("every number in them is given, or is what the engine and its formulas say", async () => {
  const { flops } = GenerationLoop;
  const prefill = (/** @type {object} */ config, /** @type {number} */ length) =>
    flops(wrong(config), { phase: "prefill", length });
  const decode = (/** @type {object} */ config, /** @type {number} */ length) =>
    flops(wrong(config), { phase: "decode", length });
  const passes = async (/** @type {number} */ prompt, /** @type {number} */ reply) =>
    (await counted({ prompt, reply, end: "end-of-text" })).passes;
  const threeDigits = (/** @type {number} */ value) => Number(value.toPrecision(3));
  const total = (/** @type {number} */ prompt, /** @type {number} */ reply) => {
    let [all, bytes] = [prefill(GPT2, prompt), 0];
    for (let length = prompt + 1; length <= prompt + reply; length += 1) all += decode(GPT2, length);
    for (let length = prompt; length <= prompt + reply; length += 1) {
      // Four bytes for each weight of the products and of the head, and for each key and value.
      bytes += 4 * (12 * 12 * 768 ** 2 + 50_257 * 768 + 2 * 12 * length * 768);
    }
    return [threeDigits(all / 1e9), threeDigits(bytes / 1e9)];
  };
  const perByte = (/** @type {number} */ operations, /** @type {number} */ length) => {
    const { weights, cache } = bytesReadOf(GPT2, length);
    return threeDigits(operations / (weights + cache));
  };
  const loop = await GenerationLoop.load({ seed: 1 });
  const shown = loop.prefill("the cat sat");
  const next = loop.decodeStep();

  /** @type {Record<string, number[]>} */
  const expected = {
    // The candidates sum to 1.
    distribution: [shown.candidates.length, 1],
    shape: [11, shown.flops],
    "first-token": [500, Math.round(prefill(GPT2, 500) / decode(GPT2, 501))],
    lengths: [
      ...[50, 500, 550],
      ...[await passes(50, 500), await passes(500, 50)],
      ...[...total(50, 500), ...total(500, 50)],
    ],
    gpus: [200, await passes(1, 200)],
    streaming: [],
    cache: [2, bytesReadOf(GPT2, 1).cache, 12, next.flops, next.flopsWithoutCache],
    workloads: [
      ...[2, 500, 501],
      ...[threeDigits(decode(GPT2, 501) / 1e9), threeDigits(prefill(GPT2, 500) / 1e9)],
      ...[perByte(prefill(GPT2, 500), 500), perByte(decode(GPT2, 501), 501)],
    ],
    // Where a draw falls.
    seed: [0, 1],
  };
  // The name of a model has a number in it.
  for (const id of ["first-token", "lengths"]) expected[id].push(2);
  for (const { id, ask, options } of QUESTIONS) {
    const text = [ask, ...options.flatMap(({ text, reason }) => [text, reason])].join(" ");
    const numbers = (text.match(/\d[\d,]*(?:\.\d+)?/g) ?? []).map((found) =>
      Number(found.replaceAll(",", "")),
    );
    const sorted = (/** @type {number[]} */ list) => [...new Set(list)].sort((a, b) => a - b);
    assert.deepEqual(sorted(numbers), sorted(expected[id]), id);
  }
  assert.equal(
    shown.candidates.reduce((sum, { probability }) => sum + probability, 0).toFixed(6),
    "1.000000",
  );
  loop.dispose();
});

test("what the reasons say of the model on this page holds of it", async () => {
  const [trained, untrained] = await Promise.all([
    GenerationLoop.load({ seed: 1 }),
    GenerationLoop.load({ model: "untrained", seed: 1 }),
  ]);
  assert.deepEqual({ ...trained.config }, SHOWN);
  // Whatever the weights, and whatever the tokens.
  const costs = [trained, untrained].flatMap((loop) =>
    ["the cat sat", "aaaaaaaaaaa"].map((prompt) => loop.prefill(prompt).flops),
  );
  assert.equal(new Set(costs).size, 1);
  for (const loop of [trained, untrained]) loop.dispose();
});

test("the cost of a reply is the sum of its passes in the log", async () => {
  const loop = await GenerationLoop.load({ model: "untrained", seed: 1, maxTokens: 32 });
  loop.prefill("the cat sat");
  while (loop.stop === null) loop.decodeStep();
  const log = loop.log;
  const { passes, flops, bytes } = costOfReply(SHOWN, 11, log.length - 1);
  assert.equal(passes, log.length);
  assert.equal(flops, 514_944);
  assert.equal(
    flops,
    log.reduce((sum, pass) => sum + pass.flops, 0),
  );
  assert.equal(
    bytes,
    log.reduce((sum, { contextLength }) => {
      const { weights, cache } = bytesReadOf(SHOWN, contextLength);
      return sum + weights + cache;
    }, 0),
  );
  loop.dispose();
});

test("the score counts what is right and what is answered, and the line tells it", () => {
  const [first, second, ...rest] = QUESTIONS;
  const right = (/** @type {Question} */ question) => question.options[rightOf(question)].id;
  const other = (/** @type {Question} */ question) => question.options[(rightOf(question) + 1) % 3].id;
  const total = QUESTIONS.length;
  assert.deepEqual(scoreOf(QUESTIONS, {}), { right: 0, answered: 0, total });
  const two = { [first.id]: right(first), [second.id]: other(second) };
  assert.deepEqual(scoreOf(QUESTIONS, two), { right: 1, answered: 2, total });
  assert.equal(scoreInWords(scoreOf(QUESTIONS, two)), `1 of ${total} right, ${total - 2} not answered yet`);
  const all = { ...two, ...Object.fromEntries(rest.map((question) => [question.id, right(question)])) };
  assert.equal(scoreInWords(scoreOf(QUESTIONS, all)), `${total - 1} of ${total} right`);
  assert.equal(
    scoreLine({ right: 5, answered: 8, total: 8 }),
    "One token per forward pass, questions: 5 of 8 right.",
  );
});

/** A store as a tab has it. @param {string} [content] */
function tab(content) {
  const items = new Map(content === undefined ? [] : [[KEY, content]]);
  const store = {
    getItem: (/** @type {string} */ key) => items.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void items.set(key, value),
    removeItem: (/** @type {string} */ key) => void items.delete(key),
  };
  return { items, storage: () => store };
}

test("answers come back from the tab, and none leave nothing there", () => {
  const { items, storage } = tab();
  const [first] = QUESTIONS;
  const answers = { [first.id]: first.options[2].id };
  assert.deepEqual(keptAnswers(QUESTIONS, storage), {});
  assert.equal(keep(answers, storage), true);
  assert.deepEqual(keptAnswers(QUESTIONS, storage), answers);
  assert.equal(keep({}, storage), true);
  assert.equal(items.size, 0);
});

test("what somebody else has put into the tab is no answer", () => {
  const [first] = QUESTIONS;
  for (const content of [
    ...["", "{", "null", "5", '"seed"', "[]", '["rest"]', "{}"],
    JSON.stringify({ [first.id]: "<img src=x onerror=alert(1)>", toString: "rest", other: "rest" }),
    JSON.stringify({ [first.id]: [first.options[0].id] }),
    JSON.stringify({ [first.id]: null, __proto__: 1 }),
    `{"__proto__":{"${first.id}":"${first.options[0].id}"}}`,
  ]) {
    assert.deepEqual(keptAnswers(QUESTIONS, tab(content).storage), {}, content);
  }
});

test("a browser that keeps nothing is said to keep nothing", () => {
  const refused = () => {
    throw new Error("The operation is insecure.");
  };
  assert.deepEqual(keptAnswers(QUESTIONS, refused), {});
  assert.equal(keep({}, refused), false);
  const full = () => ({ getItem: () => null, setItem: refused, removeItem: () => undefined });
  assert.equal(keep({ seed: "draws" }, full), false);
});
