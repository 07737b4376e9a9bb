/** What is said of the element, held to what it is: the comments of `www/element.js` to the code, and what is made from them to them. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { classOf, typesOf } from "../../scripts/manifest/analysis.js";
import { cssData, htmlData } from "../../scripts/manifest/editors.js";
import {
  factsOf,
  manifestOf,
  methodsOf,
  propertiesOf,
  propertyOf,
  staticsOf,
  takenBy,
  valuesOf,
} from "../../scripts/manifest/facts.js";
import { docs } from "../../scripts/manifest.js";
import { misshapen, strayModules } from "../../scripts/package/shapes.js";
import { root } from "../../scripts/run.js";
import { GenerationLoopElement } from "../../www/element.js";
import { PALETTE } from "../../www/palette.js";
import { ELEMENT_SETTINGS, MAX_SEED, METHODS, MODELS, PANELS } from "../../www/settings.js";

const facts = factsOf(classOf());
const types = typesOf();

/** What the browser calls, and Lit: nobody else's business. */
const LIFECYCLE = [
  "constructor",
  "connectedCallback",
  "adoptedCallback",
  "disconnectedCallback",
  "willUpdate",
  "updated",
  "render",
  "properties",
  "styles",
  "length",
  "name",
  "prototype",
];

/** @param {string} file */
const read = (file) => readFileSync(join(root, file), "utf8");

/** The source of the widget, without its comments; the chapter around it has other things to say. */
const sources = ["www", "www/views"]
  .flatMap((folder) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`))
  .filter((file) => /\.(?:js|css)$/.test(file))
  .map((file) => read(file).replace(/\/\*.*?\*\//gs, ""));

/** All that a pattern finds there, once. @param {RegExp} pattern */
const found = (pattern) => [
  ...new Set(sources.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name))),
];

/** @param {Iterable<string>} names */
const sorted = (names) => [...names].sort();

/** @param {readonly { name: string }[]} entries */
const names = (entries) => sorted(entries.map(({ name }) => name));

test("docs/element.md is what the comments make of it", () => {
  assert.equal(read("docs/element.md"), docs(), "run `node scripts/manifest.js --docs`");
});

test("every setting is an attribute with a property, and the other way about", () => {
  const settings = Object.values(ELEMENT_SETTINGS).map(({ attribute }) => attribute);
  assert.deepEqual(names(facts.attributes), sorted([...settings, "lang"]));
  const properties = propertiesOf(facts).filter(({ attribute }) => attribute !== undefined);
  assert.deepEqual(names(properties), sorted(Object.keys(ELEMENT_SETTINGS)));
  for (const { name, attribute } of properties) assert.equal(ELEMENT_SETTINGS[name].attribute, attribute);
  for (const { name, fieldName } of facts.attributes) {
    assert.equal(fieldName, name === "lang" ? undefined : propertyOf(name));
  }
});

test("every default is the one in use", () => {
  for (const { name, default: fallback } of facts.attributes) {
    const setting = ELEMENT_SETTINGS[propertyOf(name)];
    if (fallback !== undefined) assert.deepEqual(setting.read(fallback), setting.fallback, name);
    // What has none is off, or picked elsewhere.
    else if (name !== "lang") assert.match(JSON.stringify(setting.fallback), /^(?:false|null|\[\])$/, name);
  }
  for (const { name, attribute, default: fallback } of propertiesOf(facts)) {
    if (attribute === undefined || fallback === undefined) continue;
    assert.deepEqual(JSON.parse(fallback), ELEMENT_SETTINGS[name].fallback, name);
  }
});

test("every value that is named is allowed, and no other is", () => {
  const attribute = (/** @type {string} */ name) =>
    valuesOf(facts.attributes.find((one) => one.name === name)?.type?.text);
  assert.deepEqual(attribute("sampling"), METHODS);
  assert.deepEqual(attribute("model"), MODELS);
  assert.deepEqual(valuesOf(types.panel), PANELS);
  for (const { name, attribute: own, type, ...property } of propertiesOf(facts)) {
    if (own === undefined) continue;
    for (const value of valuesOf(takenBy({ name, type, ...property }))) {
      assert.doesNotThrow(() => ELEMENT_SETTINGS[name].read(value), `${name}: ${value}`);
    }
    const reads = type?.text.split(" | ") ?? [];
    if (reads.includes("null")) assert.equal(ELEMENT_SETTINGS[name].read(null), null, name);
  }
  const said = (/** @type {string} */ name) =>
    facts.attributes.find((one) => one.name === name)?.description ?? "";
  assert.match(said("seed"), new RegExp(`from 0 to ${MAX_SEED};`));
  for (const panel of PANELS) assert.match(said("hide"), new RegExp(`\`${panel}\``));
});

test("every part that is drawn is named, and the other way about", () => {
  assert.deepEqual(names(facts.cssParts), sorted(found(/\bpart="([\w-]+)"/g)));
});

test("every custom property that is read is named, and the other way about", () => {
  const read = found(/var\(\s*(--generation-loop-[a-z-]+)/g);
  const colours = Object.keys(PALETTE).map((name) => `--generation-loop-${name}`);
  assert.deepEqual(names(facts.cssProperties), sorted(new Set([...read, ...colours])));
});

test("every custom property has the default that is in use", () => {
  for (const { name, default: fallback } of facts.cssProperties) {
    const pair = PALETTE[name.replace("--generation-loop-", "")];
    if (pair) assert.equal(fallback, `light-dark(${pair.join(", ")})`, name);
    else if (fallback !== undefined) {
      const known = sources.some((text) => text.includes(`var(${name}, ${fallback})`));
      assert.ok(known, `nothing reads var(${name}, ${fallback})`);
    }
  }
});

test("every event that is sent is named, and the other way about", () => {
  const sent = found(/(?:\bevent|\bCustomEvent)\(\s*"(generation-[\w-]+)"/g);
  assert.deepEqual(names(facts.events), sorted(sent));
  for (const { type } of facts.events) {
    assert.match(type.text, /^CustomEvent<(?:Pass|Stop|Moment|GenerationError)>$/);
  }
});

test("every public member of the class is named, and the other way about", () => {
  const of = (/** @type {object} */ holder) =>
    Object.getOwnPropertyNames(holder).filter((name) => !LIFECYCLE.includes(name));
  // Lit has this one.
  const inherited = ["updateComplete"];
  for (const name of inherited) assert.ok(name in GenerationLoopElement.prototype, name);
  const own = [...propertiesOf(facts), ...methodsOf(facts)].filter(({ name }) => !inherited.includes(name));
  assert.deepEqual(names(own), sorted(of(GenerationLoopElement.prototype)));
  assert.deepEqual(names(staticsOf(facts)), sorted(of(GenerationLoopElement)));
  for (const { name } of methodsOf(facts)) {
    const { value } = Object.getOwnPropertyDescriptor(GenerationLoopElement.prototype, name) ?? {};
    assert.equal(typeof value, "function", name);
    assert.equal(value.length, 0, name);
  }
  for (const { name, readonly } of propertiesOf(facts)) {
    const descriptor = Object.getOwnPropertyDescriptor(GenerationLoopElement.prototype, name);
    if (descriptor) assert.equal(descriptor.set === undefined, readonly === true, name);
  }
});

test("the manifest holds what is public, in the shape of manifests", () => {
  const manifest = manifestOf(facts);
  assert.deepEqual(misshapen("custom-elements.json", manifest), []);
  assert.deepEqual(strayModules(manifest, ["dist/modules/element.js", "dist/modules/index.js"]), []);
  assert.doesNotMatch(JSON.stringify(manifest), /"#|private|"lit"|Symbol|www\//);
  const [definition] = manifest.modules.flatMap(({ path, exports = [] }) =>
    exports.filter(({ kind }) => kind === "custom-element-definition").map(({ name }) => ({ path, name })),
  );
  assert.deepEqual(definition, { path: "dist/modules/index.js", name: "generation-loop" });
  for (const list of [facts.attributes, facts.members, facts.events, facts.slots, facts.cssParts]) {
    for (const { name, description } of list) assert.match(description ?? "", /\S/, name);
  }
});

test("what editors read has the shape that they expect, and every name", () => {
  const html = htmlData(facts, types.panel);
  const css = cssData(facts);
  assert.deepEqual(misshapen("vscode.html-custom-data.json", html), []);
  assert.deepEqual(misshapen("vscode.css-custom-data.json", css), []);
  const [{ name, attributes }] = html.tags;
  assert.equal(name, "generation-loop");
  assert.deepEqual(names(attributes), names(facts.attributes));
  const values = attributes.flatMap((one) =>
    "values" in one ? [[one.name, one.values.map((value) => value.name)]] : [],
  );
  assert.deepEqual(Object.fromEntries(values), {
    model: MODELS,
    sampling: METHODS,
    "max-tokens": ["none"],
    cache: ["on", "off"],
    hide: PANELS,
  });
  const present = attributes.filter((one) => "valueSet" in one);
  assert.deepEqual(names(present), ["autoplay", "predict"]);
  assert.deepEqual(names(css.properties), names(facts.cssProperties));
});
