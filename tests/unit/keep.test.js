/** What a reader keeps of a run: read back, by strict readers, it is the run. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { GenerationLoop } from "../../www/engine.js";
import { csvOf, jsonOf } from "../../www/keep.js";
import { Run } from "../../www/run.js";
import { on, plain, wrong } from "./loops.js";
import { CHARACTERS, idsOf, scripted } from "./scripted.js";

/** @typedef {import("../../www/engine.js").Pass} Pass */

const HEADER = [
  ...["pass", "phase", "tokens in", "context (tokens)", "FLOPs", "FLOPs without cache", "KV cache (bytes)"],
  ...["draw u [0;1)", "token id", "token", "probability", "sampling probability", "time (ms)"],
  ...[
    "stop reason",
    "stop string",
    "qkv (FLOPs)",
    "scores (FLOPs)",
    "mix (FLOPs)",
    "attention output (FLOPs)",
  ],
  ...["mlp up (FLOPs)", "mlp down (FLOPs)", "head (FLOPs)"],
];

/** To the end. @param {GenerationLoop} loop @param {string | number[]} prompt */
function finished(loop, prompt) {
  loop.prefill(prompt);
  while (loop.stop === null) loop.decodeStep();
  return loop.log;
}

/**
 * Rows of a table, as strict as RFC 4180: lines end with CRLF, the last one too; a quotation mark stands around a cell or
 * twice inside one.
 * @param {string} csv
 */
function rowsOf(csv) {
  const rows = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (cell.lastIndex < csv.length) {
    const at = cell.lastIndex;
    const found = cell.exec(csv);
    assert.ok(found, `no cell begins at ${JSON.stringify(csv.slice(at, at + 40))}`);
    const [, inQuotes, bare, end] = found;
    /** @type {string[]} */ (rows[rows.length - 1]).push(inQuotes?.replaceAll('""', '"') ?? bare);
    if (end === "\r\n") rows.push([]);
  }
  assert.deepEqual(rows.pop(), [], "the last line ends");
  return /** @type {string[][]} */ (rows);
}

/**
 * A row as the fields of a pass, so that the two can be compared.
 * @param {string[]} row
 */
function passOf(row) {
  assert.equal(row.length, HEADER.length);
  const number = (/** @type {string} */ text) => {
    assert.match(text, /^\d+(\.\d+)?(e-\d+)?$/);
    return Number(text);
  };
  const operations = row.slice(15).map((flops, index) => ({
    name: HEADER[15 + index].replace(" (FLOPs)", ""),
    flops: number(flops),
  }));
  const [index, phase, tokensIn, contextLength, flops, flopsWithoutCache, cacheBytes, draw] = row;
  const [id, text, probability, samplingProbability, milliseconds, reason, match] = row.slice(8);
  return {
    index: number(index),
    phase,
    tokensIn: number(tokensIn),
    contextLength: number(contextLength),
    flops: number(flops),
    flopsWithoutCache: number(flopsWithoutCache),
    cacheBytes: number(cacheBytes),
    draw: draw === "" ? null : number(draw),
    token: {
      id: number(id),
      text: JSON.parse(text),
      probability: number(probability),
      samplingProbability: number(samplingProbability),
    },
    stop: reason === "" ? null : match === "" ? { reason } : { reason, match: JSON.parse(match) },
    milliseconds: number(milliseconds),
    operations,
  };
}

/** A pass without its candidates, which are kept nowhere. @param {Pass} pass */
function recordOf(pass) {
  const { candidates, ...record } = plain(pass);
  return { ...record, milliseconds: pass.milliseconds };
}

/** @param {readonly Pass[]} log */
function assertSame(log) {
  const [header, ...rows] = rowsOf(csvOf(log));
  assert.deepEqual(header, HEADER);
  assert.deepEqual(rows.map(passOf), log.map(recordOf));
  return rows;
}

describe("the log as a table", () => {
  test("each row is a pass, digit for digit, and the columns add up", async () => {
    for (const model of ["untrained", "trained"]) {
      const loop = await GenerationLoop.load({ model, seed: 7, maxTokens: 32 });
      const greedy = finished(loop, "the cat sat");
      const rows = assertSame(greedy);
      if (model === "untrained") {
        const sum = (/** @type {string} */ name) =>
          rows.reduce((total, row) => total + Number(row[HEADER.indexOf(name)]), 0);
        assert.equal(rows.length, 21);
        assert.equal(sum("FLOPs"), 514_944);
        assert.equal(sum("FLOPs without cache"), 7_606_144);
        assert.equal(
          HEADER.slice(15).reduce((total, name) => total + sum(name), 0),
          514_944,
        );
      }
      loop.reset();
      loop.sampling = { method: "temperature", temperature: 1.3 };
      loop.stopStrings = ["e", "a"];
      assertSame(finished(loop, "the cat sat"));
    }
  });

  test("a log without passes is its headings", () => {
    assert.equal(csvOf([]), `${HEADER.join(",")}\r\n`);
  });

  test("whatever the token, it is the same token when it is read, and no spreadsheet takes it for a formula", async () => {
    const written = `${CHARACTERS}=1+2@-3`;
    const loop = await on(scripted(written, { n_positions: 90 }));
    loop.maxTokens = 1 + written.length;
    const log = finished(loop, [1]);
    assert.equal(log.map(({ token }) => token.text).join(""), written);
    const rows = assertSame(log);
    for (const text of rows.flat()) assert.doesNotMatch(text, /^[=+\-@\t\r\n]/);
    for (const row of rows) assert.match(row[9], /^"(?:[ -~]|\\n|\\"|\\\\)"$/);
    const semicolon = rows[written.indexOf(";")];
    assert.equal(semicolon[9], '";"');
  });

  test("end-of-text is a token without letters, not a cell without a token", async () => {
    const loop = await on(scripted([5, 0]));
    const rows = assertSame(finished(loop, [1]));
    assert.deepEqual([rows[1][9], rows[1][13], rows[1][14]], ['""', "end-of-text", ""]);
  });

  for (const stop of ["=1+2", "@a", "-1", "+1", ";=1+2;+3", ',=1,"', '";=1;"', "\n=1", "=", ";"]) {
    test(`the stop string ${JSON.stringify(stop)} is text, whatever stands between cells`, async () => {
      const loop = await on(scripted(`a${stop}`));
      loop.stopStrings = [stop];
      const log = finished(loop, [1]);
      assert.deepEqual(loop.stop, { reason: "stop-string", match: stop });
      const rows = assertSame(log);
      assert.equal(JSON.parse(/** @type {string} */ (rows.at(-1)?.[14])), stop);
      // A program that takes semicolons or tabs between cells knows no quotation marks in the middle of one.
      for (const cell of csvOf(log).split(/\r\n|[;\t]/)) assert.doesNotMatch(cell, /^["\s]*[=+\-@]/);
    });
  }
});

/** All objects in a value, and in what is in it. @param {unknown} value @returns {Record<string, unknown>[]} */
function objectsIn(value) {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inside : [/** @type {Record<string, unknown>} */ (value), ...inside];
}

const schema = JSON.parse(readFileSync(join(import.meta.dirname, "../../docs/run.schema.json"), "utf8"));

const validate = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictTuples: false,
  allErrors: true,
}).compile(schema);

/** What is wrong with a file, by place. @param {unknown} file */
function wrongIn(file) {
  validate(file);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const SETTINGS = {
  sampling: /** @type {const} */ ("greedy"),
  temperature: 1,
  topK: 8,
  topP: 0.9,
  stop: ["."],
  maxTokens: 32,
  cache: true,
};

/**
 * A run to its end, with a change of method after its third pass, as the file has it.
 * @param {GenerationLoop} loop
 * @param {Partial<typeof SETTINGS & { maxTokens: number | null }>} given
 * @param {string} prompt
 */
function kept(loop, given, prompt) {
  const settings = { ...SETTINGS, ...given };
  const run = new Run(loop);
  for (const [name, value] of Object.entries({ ...settings, prompt, seed: 7 })) run.set(name, value);
  while (run.next !== "restart") {
    run.step();
    if (loop.passes === 3) run.set("sampling", "temperature");
  }
  const { config, seed, tokens, text, log } = loop;
  const { passes } = run.moment;
  // As values of the element: with more in them than belongs to a file.
  const values = { ...settings, hide: ["log"], autoplay: true, model: { weights: wrong(loop) } };
  const all = { config, model: "untrained", settings: values, seed, prompt, tokens, text, log, passes };
  return JSON.parse(JSON.stringify(jsonOf(all)));
}

describe("the run as data", () => {
  test("it is the run, and the schema describes it", async () => {
    const loop = await GenerationLoop.load({ model: "untrained" });
    const file = kept(loop, { stop: [] }, "the cat sat");
    assert.deepEqual(wrongIn(file), []);
    const { log, ...rest } = file;
    assert.deepEqual(rest, {
      format: "generation-loop run",
      version: 1,
      units: {
        flops: "FLOPs",
        flopsWithoutCache: "FLOPs",
        tokensIn: "tokens",
        contextLength: "tokens",
        maxTokens: "tokens",
        cacheBytes: "bytes",
        milliseconds: "ms",
      },
      model: "untrained",
      config: { ...loop.config },
      settings: { ...SETTINGS, stop: [] },
      seed: 7,
      prompt: "the cat sat",
      tokens: loop.tokens,
      text: loop.text,
    });
    const sampling = (/** @type {number} */ index) => ({
      method: index < 3 ? "greedy" : "temperature",
      temperature: 1,
      topK: 8,
      topP: 0.9,
    });
    assert.deepEqual(
      log,
      loop.log.map((pass, index) => ({ ...recordOf(pass), sampling: sampling(index), cache: true })),
    );
    const sum = (/** @type {string} */ key) =>
      log.reduce((/** @type {number} */ total, /** @type {any} */ pass) => total + pass[key], 0);
    assert.deepEqual([sum("flops"), sum("flopsWithoutCache")], [514_944, 7_606_144]);
  });

  test("of every kind of run: stopped by each reason, without a pass, of a model of one's own", async () => {
    const trained = await GenerationLoop.load({ model: "trained" });
    for (const [loop, given, prompt, reason] of /** @type {[GenerationLoop, any, string, string][]} */ ([
      [trained, { stop: [] }, "the cat sat", "end-of-text"],
      [trained, {}, "the cat sat", "stop-string"],
      [trained, { stop: ["\n", "y "], cache: false }, "the cat sat", "stop-string"],
      [trained, { stop: [], maxTokens: 13 }, "the cat sat", "max-tokens"],
      [await on(scripted(idsOf("abc"), { n_positions: 4 })), { maxTokens: null }, "a", "context-full"],
    ])) {
      const file = kept(loop, given, prompt);
      assert.deepEqual(wrongIn(file), []);
      assert.equal(file.log.at(-1).stop.reason, reason);
      assert.equal(file.text, loop.text);
    }
    const { config } = trained;
    const empty = { config, model: "trained", settings: SETTINGS, seed: 0, prompt: "", tokens: [], text: "" };
    assert.deepEqual(wrongIn(JSON.parse(JSON.stringify(jsonOf({ ...empty, log: [], passes: [] })))), []);
  });

  test("the schema takes nothing more, nothing less, and nothing else", async () => {
    const file = kept(await GenerationLoop.load({ model: "trained" }), { stop: ["y"] }, "the cat sat");
    const objects = objectsIn(file);
    assert.ok(objects.length > 30);
    for (const object of objects) {
      object.extra = 1;
      assert.notDeepEqual(wrongIn(file), [], "something more");
      delete object.extra;
      for (const [name, value] of Object.entries(object)) {
        delete object[name];
        assert.notDeepEqual(wrongIn(file), [], `no ${name}`);
        // No number, no text, no list and no object is allowed to be this.
        for (const other of [-1, [[]], { a: 1 }]) {
          object[name] = other;
          assert.notDeepEqual(wrongIn(file), [], `${name} is ${JSON.stringify(other)}`);
        }
        object[name] = value;
      }
    }
    assert.deepEqual(wrongIn(file), []);
    file.log[0].operations.push(file.log[0].operations[0]);
    assert.notDeepEqual(wrongIn(file), []);
    file.log[0].operations.pop();
    file.log[0].operations.reverse();
    assert.notDeepEqual(wrongIn(file), []);
  });
});
