/** A run as a picture: XML that is whole, with all that it should show, and nothing that acts or is fetched. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { symbolOf } from "../../www/format.js";
import { PALETTE } from "../../www/palette.js";
import { pictureOf } from "../../www/picture.js";
import { Run } from "../../www/run.js";
import { de } from "../../www/words/de.js";
import { addWords, wordsFor } from "../../www/words.js";
import { on } from "./loops.js";
import { scripted } from "./scripted.js";

addWords("de", de);

/** @typedef {{ name: string, attributes: Record<string, string>, text: string }} Element */

const PICTURE = {
  title: "The title",
  about: "How it was made",
  description: "What it shows",
  total: "total",
};
const WORDS = { ...wordsFor("en"), picture: PICTURE };

const ENTITY = /&#(\d+);/g;

/** @param {string} text */
const unescaped = (text) => text.replace(ENTITY, (_, code) => String.fromCharCode(Number(code)));

/**
 * Elements of a picture, in order. It knows as much of XML as a picture needs, and what else there is, is an error.
 * @param {string} svg
 */
function elementsOf(svg) {
  assert.doesNotMatch(svg.replace(ENTITY, ""), /&|[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
  /** @type {Element[]} */
  const elements = [];
  /** @type {Element[]} */
  const open = [];
  const piece = /<(\/?)([a-z]+)((?: [a-zA-Z-]+="[^"<]*")*) ?(\/?)>|([^<>]+)/y;
  while (piece.lastIndex < svg.length) {
    const at = piece.lastIndex;
    const found = piece.exec(svg);
    assert.ok(found, `no XML: ${svg.slice(at, at + 80)}`);
    const [, closing, name, attributes, empty, text] = found;
    if (text !== undefined) {
      if (open.length === 0) assert.match(text, /^\s+$/);
      for (const element of open) element.text += unescaped(text);
    } else if (closing === "/") {
      assert.equal(open.pop()?.name, name);
    } else {
      const pairs = [...attributes.matchAll(/ ([a-zA-Z-]+)="([^"]*)"/g)].map(([, key, value]) => [
        key,
        unescaped(value),
      ]);
      const element = { name, attributes: Object.fromEntries(pairs), text: "" };
      assert.equal(Object.keys(element.attributes).length, pairs.length, "an attribute twice");
      elements.push(element);
      if (empty === "") open.push(element);
    }
  }
  assert.deepEqual(open, []);
  return elements;
}

/** @param {Element} element @param {string} name */
const number = ({ attributes }, name) => Number(attributes[name]);

/**
 * A run to its end.
 * @param {GenerationLoop} loop
 * @param {Record<string, unknown>} settings
 */
function finished(loop, settings) {
  const run = new Run(loop);
  for (const [name, value] of Object.entries(settings)) run.set(name, value);
  while (run.next !== "restart") run.step();
  return run;
}

/**
 * What a picture shows, row by row: texts of the strip, of the table, and of all else.
 * @param {string} svg
 */
function shown(svg) {
  const elements = elementsOf(svg);
  const texts = elements.filter(({ name }) => name === "text");
  /** @type {Map<number, Element[]>} */
  const rows = new Map();
  for (const text of texts) rows.set(number(text, "y"), [...(rows.get(number(text, "y")) ?? []), text]);
  const strip = texts.filter(({ attributes }) => attributes.dy !== undefined);
  return { elements, texts, strip, rows: [...rows.values()].map((row) => row.map(({ text }) => text)) };
}

const untrained = await GenerationLoop.load({ model: "untrained" });
const SHORT = { prompt: "the cat sat", maxTokens: 32, stop: [], seed: 7 };
const LONG = { prompt: "t", maxTokens: null, stop: [], seed: 7, sampling: "temperature" };

test("all tokens, all passes, and what they cost together", () => {
  const run = finished(untrained, SHORT);
  const { elements, strip, rows } = shown(pictureOf(run.cells, run.loop.log, WORDS));
  const { prompt, generated } = run.cells;
  assert.deepEqual(
    strip.map(({ text }) => text),
    [...prompt, ...generated].map(({ text }) => symbolOf(text)),
  );
  const { whole } = WORDS;
  const passes = run.loop.log.map(({ index, phase, tokensIn, flops, flopsWithoutCache, token }) => [
    ...[String(index), phase, whole(tokensIn), whole(flops), whole(flopsWithoutCache), symbolOf(token.text)],
  ]);
  assert.equal(passes.length, 21);
  const table = [
    ["pass", "phase", "tokens in", "FLOPs", "without cache", "token"],
    ...passes,
    ["total", "514,944", "7,606,144"],
  ];
  assert.deepEqual(rows.slice(-table.length), table);
  const [svg, title, description] = elements;
  assert.deepEqual([title.name, title.text], ["title", "The title"]);
  assert.deepEqual([description.name, description.text], ["desc", "What it shows"]);
  assert.equal(svg.attributes.lang, "en");
  assert.equal(svg.attributes.xmlns, "http://www.w3.org/2000/svg");
  assert.equal(svg.attributes.viewBox, `0 0 720 ${svg.attributes.height}`);
  assert.deepEqual(rows.slice(0, 2), [["The title"], ["How it was made"]]);
});

test("in the words and with the numbers of another language", () => {
  const run = finished(untrained, SHORT);
  const { elements, rows } = shown(
    pictureOf(run.cells, run.loop.log, { ...wordsFor("de"), picture: PICTURE }),
  );
  assert.equal(elements[0].attributes.lang, "de");
  assert.deepEqual(rows.at(-1), ["total", "514.944", "7.606.144"]);
  assert.equal(rows.at(-2)?.[1], wordsFor("de").phase.decode);
});

test("green above one line is prompt, blue above two is generated, and hollow is what ended the run", async () => {
  const trained = await GenerationLoop.load({ model: "trained" });
  for (const [stop, hollow] of /** @type {[string[], number][]} */ ([
    [["."], 1],
    [["ee."], 3],
    [[], 1],
  ])) {
    const run = finished(trained, { ...SHORT, stop });
    const { elements, strip, texts } = shown(pictureOf(run.cells, run.loop.log, WORDS));
    const bottom = number(/** @type {Element} */ (strip.at(-1)), "y") + 24;
    const boxes = elements.filter((element) => element.name === "rect" && number(element, "y") < bottom);
    const count = (/** @type {string} */ name) =>
      boxes.filter(({ attributes }) => attributes.fill === PALETTE[name][0]).length;
    const { length } = run.loop.log;
    assert.equal(count("prompt"), 11);
    assert.equal(count("prompt-edge"), 11);
    assert.equal(count("generated"), length - hollow);
    assert.equal(count("generated-edge"), 2 * length);
    const strokes = boxes.filter(({ attributes }) => attributes.fill === "none");
    assert.deepEqual(
      strokes.map(({ attributes }) => attributes.stroke),
      Array(hollow).fill(PALETTE["generated-edge"][0]),
    );
    assert.deepEqual(
      texts.filter(({ text }) => text.includes("■")).map(({ text }) => text),
      ["■green is prompt (prefill)■blue is generated (decode)□ended the run"],
    );
  }
  const open = finished(untrained, SHORT);
  assert.doesNotMatch(pictureOf(open.cells, open.loop.log, WORDS), /□/);
});

for (const [name, settings] of Object.entries({ SHORT, LONG, uncached: { ...LONG, cache: false } })) {
  test(`nothing runs into another, or over the edge: ${name}`, () => {
    untrained.cache = true;
    const run = finished(untrained, settings);
    const svg = pictureOf(run.cells, run.loop.log, WORDS);
    const { elements, strip, texts } = shown(svg);
    assert.equal(strip.length, name === "SHORT" ? 32 : 128);
    const height = number(elements[0], "height");
    const places = strip.map((text) => `${number(text, "x")} ${number(text, "y")}`);
    assert.equal(new Set(places).size, strip.length);
    for (const element of elements) {
      if (element.name !== "rect" || element.attributes.width === "100%") continue;
      assert.ok(number(element, "x") >= 18 && number(element, "x") + number(element, "width") <= 696);
      assert.ok(number(element, "y") >= 0 && number(element, "y") + number(element, "height") <= height - 20);
    }
    // In the table, by the width of the widest of the fonts; headings are words, and narrower.
    const table = texts.filter((text) => text.attributes.dy === undefined).slice(3);
    assert.ok(number(table[0], "y") > number(/** @type {Element} */ (strip.at(-1)), "y") + 50);
    /** @type {Map<number, [number, number][]>} */
    const spans = new Map();
    for (const element of table) {
      const isHeading = number(element, "y") === number(table[0], "y");
      const width = element.text.length * (isHeading ? 5.6 : 7.3);
      const x = number(element, "x");
      /** @type {[number, number]} */
      const span = element.attributes["text-anchor"] === "end" ? [x - width, x] : [x, x + width];
      assert.ok(span[0] >= 24 && span[1] <= 700, element.text);
      spans.set(number(element, "y"), [...(spans.get(number(element, "y")) ?? []), span]);
    }
    for (const row of spans.values()) {
      row.sort(([a], [b]) => a - b);
      for (const [index, [start]] of row.slice(1).entries()) assert.ok(start - row[index][1] >= 3, `${row}`);
    }
    assert.equal(spans.size, name === "SHORT" ? 23 : 65);
    if (name === "LONG") {
      // Every pass is there, the sums come last.
      const indices = table.filter(({ text }) => /^\d+$/.test(text)).map(({ text }) => Number(text));
      for (let pass = 1; pass <= 127; pass += 1) assert.ok(indices.includes(pass));
      assert.deepEqual(
        table.slice(-3).map(({ text }) => text),
        ["total", "2,861,056", "204,955,648"],
      );
    }
  });
}

test("numbers of a large model have the whole width, and ids cells that are wide enough", async () => {
  const loop = await on(scripted(Array(60).fill(12345), { vocab: 50257, n_positions: 61 }));
  const run = finished(loop, { prompt: "50256", sampling: "greedy" });
  const { strip, rows, elements } = shown(pictureOf(run.cells, run.loop.log, WORDS));
  assert.deepEqual(new Set(strip.map(({ text }) => text)), new Set(["#50256", "#12345"]));
  assert.equal(rows.filter((row) => row[1] === "decode").length, run.loop.passes - 1);
  for (const element of elements.filter(({ attributes }) => attributes.rx === "4").slice(0, strip.length)) {
    assert.ok(number(element, "width") >= 6 * 7.8 && number(element, "x") + number(element, "width") <= 696);
  }
});

test("texts are texts: nothing acts, nothing is fetched, nothing breaks the XML", () => {
  const written = (/** @type {string[]} */ illegal) =>
    `<script>alert("1")</script>&amp;'${illegal.join("")}]]><!--`;
  const hostile = written(["\u0000", "\u000b", "\ud800", "\uffff"]);
  const lost = written(Array(4).fill("\ufffd"));
  const run = finished(untrained, SHORT);
  const cells = {
    prompt: [...hostile].map((text) => ({ text, kind: /** @type {const} */ ("unsupported") })),
    generated: [{ text: hostile, kind: /** @type {const} */ ("generated"), outside: true }],
  };
  const words = {
    locale: hostile,
    whole: (/** @type {number} */ value) => hostile + value,
    phase: { prefill: hostile, decode: hostile },
    strip: { green: hostile, blue: hostile, ended: hostile },
    log: {
      pass: hostile,
      phase: hostile,
      tokensIn: hostile,
      flops: hostile,
      uncached: hostile,
      token: hostile,
    },
    picture: { title: hostile, about: hostile, description: hostile, total: hostile },
  };
  const colours = Object.fromEntries(Object.keys(PALETTE).map((name) => [name, hostile]));
  const { elements, strip } = shown(pictureOf(cells, run.loop.log, words, colours));
  const names = new Set(elements.map(({ name }) => name));
  assert.deepEqual(names, new Set(["svg", "title", "desc", "rect", "text", "tspan", "g"]));
  const keys = elements.flatMap(({ attributes }) => Object.keys(attributes));
  assert.deepEqual(
    keys.filter((key) => /^on|href|style|src/.test(key)),
    [],
  );
  assert.equal(elements[1].text, lost);
  assert.equal(elements[1].text, elements[2].text);
  assert.equal(strip.at(-1)?.text, lost);
  assert.equal(elements[3].attributes.fill, lost);
});

test("a picture has the colours that it is given", () => {
  const run = finished(untrained, SHORT);
  const dark = Object.fromEntries(Object.entries(PALETTE).map(([name, [, colour]]) => [name, colour]));
  const fills = (/** @type {string} */ svg) =>
    new Set(elementsOf(svg).flatMap(({ attributes: { fill } }) => fill ?? []));
  const { loop, cells } = run;
  const light = fills(pictureOf(cells, loop.log, WORDS));
  for (const fill of light)
    assert.ok(
      Object.values(PALETTE).some(([colour]) => colour === fill),
      fill,
    );
  for (const fill of fills(pictureOf(cells, loop.log, WORDS, dark))) {
    assert.ok(
      Object.values(PALETTE).some(([, colour]) => colour === fill),
      fill,
    );
  }
});

test("before the first pass it is the prompt, waiting, whatever is in it; long lines are cut", () => {
  const run = new Run(untrained);
  run.set("prompt", "a é");
  run.reset();
  const picture = { ...PICTURE, title: "t".repeat(500), about: "\n".repeat(500) };
  const { elements, rows, strip } = shown(pictureOf(run.cells, [], { ...WORDS, picture }));
  assert.deepEqual(
    strip.map(({ text }) => text),
    ["a", "␣", "é"],
  );
  assert.deepEqual(rows[0], [`${"t".repeat(59)}…`]);
  assert.equal(elements[1].text.length, 500);
  assert.deepEqual(rows.at(-1), ["total", "0", "0"]);
  assert.equal(elements.filter(({ attributes }) => attributes.fill === PALETTE.waiting[0]).length, 3);
});
