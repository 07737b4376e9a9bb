/** docs/engine.md says all that the engine has, and nothing that it has not; its code runs, and prints what it says. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import * as engine from "../../www/engine.js";
import { operationsOf } from "../../www/flops.js";
import { DEFAULT_SAMPLING } from "../../www/settings.js";
import { blocksOf, namesIn, root, sectionOf, tableIn, textOf } from "./docs.js";

const { GenerationLoop } = engine;
const page = textOf("docs/engine.md");

/** Names of own members, without the constructor. @param {object} prototype */
const members = (prototype) => Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");

/** @param {object} owner @param {string} name */
const isMethod = (owner, name) => typeof Object.getOwnPropertyDescriptor(owner, name)?.value === "function";

/** What an error says is allowed. @param {() => unknown} call */
async function allowedBy(call) {
  try {
    await call();
  } catch (error) {
    return /allowed: (.*)$/.exec(/** @type {Error} */ (error).message)?.[1].split(", ") ?? [];
  }
  throw new Error("nothing was refused");
}

/** @param {readonly string[]} found @param {readonly string[]} expected */
const same = (found, expected) => assert.deepEqual([...found].sort(), [...expected].sort());

describe("docs/engine.md", () => {
  /** @type {import("../../www/engine.js").GenerationLoop} */
  let loop;
  /** @type {import("../../www/engine.js").Pass} */
  let pass;
  before(async () => {
    loop = await GenerationLoop.load({ seed: 7, stop: "." });
    pass = loop.prefill("the cat sat");
  });

  test("exports", () => {
    same(namesIn(page), Object.keys(engine));
  });

  test("options of load", async () => {
    const misspelt = /** @type {object} */ ({ tempratur: 1 });
    same(namesIn(sectionOf(page, "## Loading")), await allowedBy(() => GenerationLoop.load(misspelt)));
  });

  test("fields of a sampling, with their defaults", async () => {
    const rows = tableIn(sectionOf(page, "### Sampling"));
    const misspelt = /** @type {object} */ ({ topk: 1 });
    same(
      rows.map(([name]) => name),
      await allowedBy(() => GenerationLoop.load({ sampling: misspelt })),
    );
    for (const [name, , fallback] of rows) {
      const value = Reflect.get(DEFAULT_SAMPLING, name);
      assert.equal(fallback, typeof value === "string" ? `"${value}"` : String(value), name);
    }
  });

  test("methods", () => {
    const headings = [...sectionOf(page, "## Methods").matchAll(/^### `(.*)`$/gm)].map(([, name]) => name);
    const own = members(GenerationLoop.prototype).filter((name) => isMethod(GenerationLoop.prototype, name));
    const statics = Object.getOwnPropertyNames(GenerationLoop).filter((name) =>
      isMethod(GenerationLoop, name),
    );
    same(
      headings.map((heading) => heading.replace(/\(.*/, "")),
      [...own.map((name) => `loop.${name}`), ...statics.map((name) => `GenerationLoop.${name}`)],
    );
  });

  test("options of generate", async () => {
    const misspelt = /** @type {object} */ ({ abort: 1 });
    const [option, ...others] = await allowedBy(() => loop.generate("a", misspelt).next());
    assert.deepEqual(others, []);
    assert.match(
      sectionOf(page, "### `loop.generate(prompt, options)`"),
      new RegExp(`options\\.${option}\``),
    );
  });

  test("properties, and which can be set", () => {
    const { prototype } = GenerationLoop;
    const rows = tableIn(sectionOf(page, "## Properties"));
    same(
      rows.map(([name]) => name),
      members(prototype).filter((name) => !isMethod(prototype, name)),
    );
    for (const [name, , set] of rows) {
      const hasSetter = Object.getOwnPropertyDescriptor(prototype, name)?.set !== undefined;
      assert.equal(set !== "", hasSetter, name);
    }
    // In the middle of a run: those that it says belong to a whole one, and no others.
    const values = { seed: 8, stopStrings: ["!"], maxTokens: 30, sampling: { topK: 3 }, cache: true };
    for (const [name, , set] of rows.filter(([, , set]) => set !== "")) {
      const assign = () => Reflect.set(loop, name, Reflect.get(values, name));
      if (set === "any time") assign();
      else assert.throws(assign, { code: "run-in-progress" }, name);
    }
  });

  test("fields and methods of a pass", () => {
    const rows = tableIn(sectionOf(page, "## A pass"));
    const { prototype } = engine.Pass;
    same(
      rows.map(([name]) => name.replace(/\(.*/, "")),
      [...Object.keys(pass), ...members(prototype)],
    );
    for (const [name, type] of rows) {
      assert.equal(type === "method", isMethod(prototype, name.replace(/\(.*/, "")), name);
    }
    const left = rows.filter(([, type]) => type !== "method").map(([name]) => name);
    same(
      Object.keys(pass.toJSON()),
      left.filter((name) => name !== "kept"),
    );
  });

  test("shapes of data", () => {
    const stopped = Object.keys({ reason: "stop-string", match: "." });
    while (loop.stop === null) loop.decodeStep();
    same(Object.keys(/** @type {object} */ (loop.stop)), stopped);
    same(namesIn(sectionOf(page, "### Stop")), stopped);
    same(namesIn(sectionOf(page, "### SampledToken")), Object.keys(pass.token));
    same(namesIn(sectionOf(page, "### SampledToken")), Object.keys(pass.candidates[0]));
    same(namesIn(sectionOf(page, "### Config")), Object.keys(loop.config));
    const { operations } = pass;
    assert.deepEqual(
      namesIn(sectionOf(page, "### Operations")),
      operations.map(({ name }) => name),
    );
    assert.equal(loop.multiplyAdds.length, operations.length);
  });

  test("the formulas of the operations are those that count", () => {
    const { n_layer: L, n_embd: D, n_inner: F, vocab_size: V } = loop.config;
    const [S, T] = [5, 9];
    const known = { L, D, F, V, S, T };
    for (const [name, formula] of tableIn(sectionOf(page, "### Operations"))) {
      const expression = formula.replaceAll("²", "**2").replace(/[·]/g, "*");
      const value = new Function(...Object.keys(known), `return ${expression}`)(...Object.values(known));
      const operation = operationsOf(loop.config, S, T).find((one) => one.name === name);
      assert.equal(value, operation?.flops, name);
    }
    for (const [name, formula] of [...page.matchAll(/^ {4}(\w+)\([ST]\) += (.*)$/gm)].map((found) =>
      found.slice(1),
    )) {
      const expression = formula.replaceAll("²", "**2").replace(/[·]/g, "*");
      const value = new Function(...Object.keys(known), `return ${expression}`)(...Object.values(known));
      const [phase, length] = name === "prefill" ? ["prefill", S] : ["decode", T];
      assert.equal(value, GenerationLoop.flops(loop.config, /** @type {any} */ ({ phase, length })), name);
    }
  });
});

/**
 * Runs a block of code, with the engine of this repository.
 * @param {string} code
 * @param {string} folder to write it into
 * @param {string} name
 * @returns {Promise<string[]>} what it prints
 */
async function printed(code, folder, name) {
  /** @type {string[]} */
  const lines = [];
  const key = `${folder}/${name}`;
  Reflect.set(globalThis, key, {
    log: (/** @type {unknown[]} */ ...values) => lines.push(format(...values)),
  });
  const address = pathToFileURL(join(root, "www/engine.js")).href;
  const path = join(folder, `${name}.mjs`);
  writeFileSync(
    path,
    `const console = globalThis[${JSON.stringify(key)}];\n${code.replaceAll("generation-loop/engine.js", address)}`,
  );
  await import(pathToFileURL(path).href);
  Reflect.deleteProperty(globalThis, key);
  return lines;
}

describe("blocks of code", () => {
  for (const file of ["engine.md", "own-model.md"]) {
    for (const [index, code] of blocksOf(textOf(`docs/${file}`), "js").entries()) {
      test(`${file}, block ${index + 1}, prints what its comments say`, async () => {
        const folder = mkdtempSync(join(tmpdir(), "generation-loop-"));
        try {
          const lines = code.split("\n").filter((line) => line.includes("console.log("));
          const expected = lines.map((line) => / \/\/ (.*)$/.exec(line)?.[1]);
          assert.ok(expected.length > 0, "it prints something");
          assert.deepEqual(await printed(code, folder, `block-${index}`), expected);
        } finally {
          rmSync(folder, { recursive: true });
        }
      });
    }
  }
});
