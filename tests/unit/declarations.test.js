/** The declarations that are made of the comments, and which of the compiler's are taken along. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { classOf, typesOf } from "../../scripts/manifest/analysis.js";
import {
  elementDeclaration,
  forOlder,
  indexDeclaration,
  lazyDeclaration,
  reactDeclaration,
  tableDeclaration,
  wordsDeclaration,
} from "../../scripts/manifest/declarations.js";
import { factsOf, methodsOf, propertiesOf, sentence, takenBy } from "../../scripts/manifest/facts.js";
import { importsOf, reach } from "../../scripts/manifest/reach.js";

const facts = factsOf(classOf());
const types = typesOf();

/** A class as the analyzer reads it. @param {string} body @param {string} [comment] */
const factsFrom = (body, comment = "") =>
  factsOf(
    classOf(
      `/**\n * A class.\n${comment} */\nexport class GenerationLoopElement extends Other {\n${body}\n}`,
    ),
  );

test("what has no comment, and what is private, is not told of", () => {
  const { members, events, description } = factsFrom(
    `/** Hidden. */ #inner = 1;
    /** Hidden too. @private */ own = 2;
    static styles = [];
    render() { this.dispatchEvent(new CustomEvent("other")); }
    /** Told. */ step() {}
    /** Read. @returns {number | null} */ get place() { return null; }`,
    " * @fires {CustomEvent<Pass>} done - at the end\n",
  );
  assert.equal(description, "A class.");
  assert.deepEqual(
    members.map(({ name }) => name),
    ["place", "step"],
  );
  assert.deepEqual(members[0], {
    kind: "field",
    name: "place",
    description: "Read.",
    readonly: true,
    type: { text: "number | null" },
  });
  assert.deepEqual(
    events.map(({ name, type }) => [name, type.text]),
    [["done", "CustomEvent<Pass>"]],
  );
});

test("a property has what is said of its attribute, and what it takes besides", () => {
  const { attributes, members } = factsFrom(
    "",
    ` * @attr {number} [top-k=8] - how many
 * @prop {number} [topK=8] - also a list; takes \`string | null\` too
 * @attr {string} [lang] - the language
`,
  );
  assert.deepEqual(
    attributes.map(({ name, fieldName, default: fallback }) => [name, fieldName, fallback]),
    [
      ["top-k", "topK", "8"],
      ["lang", undefined, undefined],
    ],
  );
  const [property] = /** @type {import("../../scripts/manifest/facts.js").Property[]} */ (members);
  assert.equal(property.attribute, "top-k");
  assert.equal(property.readonly, undefined);
  assert.equal(property.description, "how many. As a property: also a list; takes `string | null` too");
  assert.equal(takenBy(property), "number | string | null | undefined");
});

test("a description is a sentence", () => {
  assert.equal(sentence("how many: 3"), "How many: 3.");
  assert.equal(sentence("Is it so?"), "Is it so?");
  assert.equal(sentence("`on` or `off`"), "`on` or `off`.");
});

test("the class is declared with every member and event, and with nothing that it is made with", () => {
  const text = elementDeclaration(facts, types);
  assert.match(text, /export declare class GenerationLoopElement extends HTMLElement \{/);
  for (const property of propertiesOf(facts)) {
    const read =
      property.attribute === undefined ? `readonly ${property.name}: ` : `get ${property.name}(): `;
    assert.ok(text.includes(`  ${read}`), property.name);
    if (property.attribute) {
      assert.ok(text.includes(`  set ${property.name}(value: ${takenBy(property)});`), property.name);
    }
  }
  for (const { name } of methodsOf(facts)) assert.ok(text.includes(`  ${name}(): void;`), name);
  for (const { name, type } of facts.events) assert.ok(text.includes(`  "${name}": ${type.text};`), name);
  assert.match(text, /readonly ready: Promise<this>;/);
  assert.deepEqual(new Set(importsOf(text)), new Set(["./engine.js", "./table.js"]));
  assert.doesNotMatch(text, /declare global|takes `/);
});

test("the tag and its events are declared by the entry that registers it, and by the one that will", () => {
  const text = indexDeclaration(facts);
  assert.match(text, /interface HTMLElementTagNameMap \{\s*"generation-loop": GenerationLoopElement;/);
  assert.match(text, /interface HTMLElementEventMap extends GenerationLoopEvents/);
  assert.deepEqual(importsOf(lazyDeclaration()), ["./index.js"]);
});

test("JSX knows attributes, properties and events", () => {
  const text = reactDeclaration(facts);
  for (const { name } of facts.attributes.filter(({ name }) => name !== "lang")) {
    assert.match(text, new RegExp(`^ {2}"?${name}"?\\?: `, "m"), name);
  }
  for (const { name } of facts.events) assert.ok(text.includes(`"on${name}"?: `), name);
  assert.ok(text.includes("topK?: number | string | undefined;"));
  assert.deepEqual(new Set(importsOf(text)), new Set(["react", "./element.js"]));
});

test("words are declared by the table that they are held to, which is no file of words", () => {
  const english =
    "export type Table = typeof table;\ndeclare const table: {};\nexport declare const en: {};\nexport {};\n";
  assert.equal(
    tableDeclaration(english),
    "export type Table = typeof table;\ndeclare const table: {};\nexport {};\n",
  );
  assert.match(wordsDeclaration("de"), /from "..\/table.js";\n\nexport declare const de: Readonly<Table>;/);
});

test("typed arrays have no parameter, which older compilers do not know", () => {
  const text =
    "logits(): Float32Array<ArrayBuffer>; a: Uint8Array<ArrayBufferLike>; b: ReadonlyArray<number>;";
  assert.equal(forOlder(text), "logits(): Float32Array; a: Uint8Array; b: ReadonlyArray<number>;");
});

test("imports are found in code, and not in comments", () => {
  const text = `/// <reference types="node" />
import { A } from "./a.js";
/** @param {import("./comment.js").C} c */
export type B = import("./b.js").B;
import "./effect.js";
export * from "./c.js";`;
  assert.deepEqual(importsOf(text), ["./a.js", "./b.js", "./effect.js", "./c.js", "node"]);
});

test("what no entry needs is left behind, and what is missing is told", () => {
  const files = new Map([
    ["index.d.ts", 'import "./inner/a.js";'],
    ["inner/a.d.ts", 'export * from "../b.js"; import "lit";'],
    ["b.d.ts", 'import "./inner/a.js"; import "./gone.js";'],
    ["alone.d.ts", ""],
  ]);
  const { reached, missing, packages } = reach(files, ["index.d.ts"]);
  assert.deepEqual([...reached].sort(), ["b.d.ts", "index.d.ts", "inner/a.d.ts"]);
  assert.deepEqual(missing, ["gone.d.ts"]);
  assert.deepEqual([...packages], [["lit", ["inner/a.d.ts"]]]);
});
