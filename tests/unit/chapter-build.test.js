/** What the chapter's page gets while it is built: each element as it should be, and a complaint with its line where it cannot be. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { parseFragment } from "parse5";
import { replaced } from "../../scripts/chapter/elements.js";
import { MARKS, marksIn } from "../../scripts/chapter/marks.js";
import { mathTex, typeset } from "../../scripts/chapter/math.js";
import { engineNumber, numberOf, shippedShape } from "../../scripts/chapter/numbers.js";
import { linesBetween, linesOfItem, listing, sourceCode, sourceOf } from "../../scripts/chapter/source.js";
import { stillRun } from "../../scripts/chapter/still.js";
import { chapterPage } from "../../scripts/chapter.js";
import { root } from "../../scripts/run.js";
import { STEPS } from "../../www/chapter/steps.js";
import { GenerationLoop } from "../../www/engine.js";
import { DEFAULT_SHAPE } from "./checkpoints.js";

/** The text of a piece of HTML, as a reader has it. @param {any} node @returns {string} */
const textOf = (node) => node.value ?? (node.childNodes ?? []).map(textOf).join("");

/** @param {string} html */
const text = (html) => textOf(parseFragment(html));

/** @param {string} name @param {Record<string, string>} attributes */
const written = (name, attributes, text = "") => ({ name, attributes, text });

describe("elements", () => {
  const makers = { "a-b": (/** @type {any} */ { attributes, text }) => `[${attributes.x}|${text}]` };

  test("all are replaced, and the rest stays letter by letter", async () => {
    const page = `<!doctype html>\n<P  CLASS=a>1 <a-b x="&lt;">2 &amp; 3</a-b> <a-b x></a-b><noscript><i><a-b x=y></a-b></noscript>\n<!-- <a-b> -->`;
    assert.equal(
      await replaced(page, makers, "p.html"),
      "<!doctype html>\n<P  CLASS=a>1 [<|2 & 3] [|]<noscript><i>[y|]</noscript>\n<!-- <a-b> -->",
    );
  });

  test("a complaint has the page, the line and the element", async () => {
    const complaints = [
      ["<p>\n\n<a-b>", /^p\.html, line 3: <a-b>: is not closed$/],
      ["\n<a-b><i>x</i></a-b>", /^p\.html, line 2: <a-b>: has an element inside/],
    ];
    for (const [html, message] of complaints) {
      await assert.rejects(replaced(`<!doctype html>${html}`, makers, "p.html"), { message });
    }
  });

  test("what a maker refuses fails the page, with the line", async () => {
    for (const [html, message] of [
      ["<math-tex>\\frac{1}{</math-tex>", /line 2: <math-tex>: Unexpected end of input/],
      ["<engine-number flops='prefil 11'></engine-number>", /line 2: <engine-number>: "prefil" is no phase/],
      ["<engine-value name='x'></engine-value>", /line 2: <engine-value>: "x" is no value; allowed: sizes,/],
      ["<source-code file='www/stream.js' item='x'></source-code>", /line 2: <source-code>: .* no functions/],
      ["<still-run passes='99'></still-run>", /line 2: <still-run>: passes is "99"; allowed: 1 to \d+/],
      ["<run-text prompt='É'></run-text>", /line 2: <run-text>: /],
      ["<cut-tokens></cut-tokens>", /line 2: <cut-tokens>: has no text/],
    ]) {
      await assert.rejects(chapterPage(`<!doctype html>\n<p>${html}`, "p.html"), { message });
    }
  });
});

describe("formulas", () => {
  test("TeX becomes MathML with the TeX as its annotation, and without a style", () => {
    for (const display of [false, true]) {
      const html = typeset("\\begin{aligned}a&=b^2\\\\c&<d\\end{aligned}", display);
      assert.match(html, /^<math[ >].*<\/math>$/);
      assert.equal(html.includes('display="block"'), display);
      assert.doesNotMatch(html, /\sstyle=/);
      const [, tex] = /<annotation encoding="application\/x-tex">(.*)<\/annotation>/.exec(html) ?? [];
      assert.equal(text(tex), "\\begin{aligned}a&=b^2\\\\c&<d\\end{aligned}");
    }
  });

  test("what cannot be typeset without a style is refused, and so is what is no TeX", () => {
    assert.throws(() => typeset("\\color{red}x", false), /would need the style "color:#ff0000;"/);
    assert.throws(() => typeset("\\nothing", false), /Unsupported function name: \\nothing at position 1/);
    assert.throws(() => mathTex(written("math-tex", {}, " ")), /has no TeX/);
    assert.throws(
      () => mathTex(written("math-tex", { inline: "" }, "x")),
      /no attribute inline; allowed: display/,
    );
  });
});

describe("source", () => {
  const rust = sourceOf(
    "a.rs",
    'fn a() {}\n/// b\nfn b() {\n    /* one\n    two */ "<&"\n}\nfn c() { fn b2() {} }\n',
  );

  test("an item is found by its name, from its first line to its last", () => {
    assert.deepEqual(linesOfItem(rust, "b"), [3, 6]);
    assert.deepEqual(linesOfItem(rust, "b2"), [7, 7]);
    const js = sourceOf(
      "a.js",
      "class A {\n  #x() {}\n  async *y() {\n  }\n}\nexport function z() {}\nx();\n",
    );
    assert.deepEqual(
      ["#x", "y", "z"].map((name) => linesOfItem(js, name)),
      [
        [2, 2],
        [3, 4],
        [6, 6],
      ],
    );
  });

  test("one that is not there, or twice, fails", () => {
    assert.throws(() => linesOfItem(rust, "d"), /a\.rs has no functions named d/);
    assert.throws(
      () => linesOfItem(sourceOf("a.rs", "fn a() {}\nfn a() {}\n"), "a"),
      /has 2 functions named a/,
    );
    assert.throws(() => sourceOf("a.py", ""), /cannot read a\.py; allowed: files in \.rs, \.js/);
  });

  test("lines between two texts, each in one line", () => {
    assert.deepEqual(linesBetween(rust, "/// b", "two */"), [2, 5]);
    assert.throws(() => linesBetween(rust, "fn", "two */"), /"fn" is in 3 lines/);
    assert.throws(() => linesBetween(rust, "nowhere", "two */"), /"nowhere" is in 0 lines/);
    assert.throws(() => linesBetween(rust, "two */", "/// b"), /comes before/);
  });

  test("the text of a listing is the text of its lines, however its syntax goes over them", () => {
    for (const file of ["crate/src/session.rs", "www/engine.js", "www/stream.js", "www/element.js"]) {
      const source = sourceOf(file, readFileSync(join(root, file), "utf8"));
      const count = source.lines.length - 1;
      assert.equal(text(listing(source, 1, count, new Map())), source.text, file);
      assert.equal(text(listing(source, 5, 5, new Map())), `${source.lines[4]}\n`);
    }
    const html = listing(rust, 3, 6, new Map([[5, "sample"]]));
    assert.equal(text(html), rust.lines.slice(2, 6).join("\n").concat("\n"));
    assert.equal([...html.matchAll(/class="tok-comment"/g)].length, 2);
    assert.match(html, /<a class="line" href="#widget" data-step="sample">.*&#60;&#38;/);
  });

  test("every mark of the table is found, in the place that the page shows", () => {
    for (const [key, marks] of Object.entries(MARKS)) {
      const [file, item] = key.split("#");
      const html = /** @type {string} */ (sourceCode(written("source-code", { file, item })));
      const steps = [...html.matchAll(/data-step="([^"]*)"/g)].map(([, step]) => step);
      assert.deepEqual(steps.sort(), marks.map(([step]) => step).sort(), key);
      for (const step of steps) assert.ok(Object.hasOwn(STEPS, step), step);
    }
  });

  test("a mark that the source no longer has, or has twice, fails", () => {
    const lines = ["a", "b", "b"];
    const table = (/** @type {RegExp} */ pattern) => ({
      "f#i": /** @type {[string, RegExp][]} */ ([["decode", pattern]]),
    });
    assert.deepEqual([...marksIn({ file: "f", lines }, "i", 1, 3, table(/a/))], [[1, "decode"]]);
    assert.throws(
      () => marksIn({ file: "f", lines }, "i", 2, 3, table(/a/)),
      /"decode" of i in f: \/a\/ is in 0 lines/,
    );
    assert.throws(() => marksIn({ file: "f", lines }, "i", 1, 3, table(/b/)), /is in 2 lines/);
  });
});

describe("numbers", () => {
  const config = shippedShape();

  test("they are those of the engine's formulas, for the model that is inside", () => {
    const flops = (/** @type {"prefill" | "decode"} */ phase, /** @type {number} */ length) =>
      GenerationLoop.flops(DEFAULT_SHAPE, { phase, length });
    assert.equal(numberOf({ flops: "prefill 11" }, config), flops("prefill", 11));
    assert.equal(numberOf({ flops: "decode 12" }, config), flops("decode", 12));
    assert.equal(numberOf({ total: "11 32" }, config), 514_944);
    assert.equal(numberOf({ "total-uncached": "11 32" }, config), 7_606_144);
    assert.equal(numberOf({ total: "11 12" }, config), flops("prefill", 11));
    assert.equal(numberOf({ ratio: "11 32" }, config), 14.8);
    assert.equal(numberOf({ passes: "11 32" }, config), 21);
    assert.equal(numberOf({ operation: "mlp-up 11 11" }, config), 45_056);
    assert.equal(numberOf({ "cache-bytes": "12" }, config), 3072);
    assert.deepEqual(
      ["L", "D", "F", "V", "heads", "context"].map((size) => numberOf({ size }, config)),
      [2, 16, 64, 64, 2, 128],
    );
    assert.equal(engineNumber(written("engine-number", { total: "11 32" })), "514,944");
  });

  test("what is not known, or not whole, fails with what is allowed", () => {
    for (const [attributes, message] of /** @type {[Record<string, string>, RegExp][]} */ ([
      [{}, /exactly one of flops, operation, total/],
      [{ size: "L", flops: "prefill 1" }, /exactly one of/],
      [{ constructor: "" }, /exactly one of/],
      [{ flops: "prefill" }, /"prefill" is not understood; it should be: word length/],
      [{ flops: "prefill 0" }, /not understood/],
      [{ flops: "prefill 1.5" }, /not understood/],
      [{ flops: "sample 1" }, /"sample" is no phase; allowed: prefill, decode/],
      [{ total: "32 32" }, /the limit 32 leaves no room after 32 tokens/],
      [{ operation: "gelu 1 1" }, /"gelu" is no operation; allowed: qkv, scores, mix, attention-output/],
      [{ size: "toString" }, /is no size; allowed: L, D, F, V/],
    ])) {
      assert.throws(() => numberOf(attributes, config), { message });
    }
    assert.throws(
      () => engineNumber(written("engine-number", { size: "L" }, "2")),
      /nothing may stand in it/,
    );
  });
});

test("a still run is the engine's own", async () => {
  const html = await stillRun(written("still-run", { prompt: "a dog", passes: "3" }));
  const loop = await GenerationLoop.load({ stop: ["."], seed: 1 });
  loop.prefill("a dog");
  loop.decodeStep();
  loop.decodeStep();
  const tree = parseFragment(html);
  /** @type {any[]} */
  const nodes = [];
  const collect = (/** @type {any} */ node) => {
    nodes.push(node);
    for (const child of node.childNodes ?? []) collect(child);
  };
  collect(tree);
  const withClass = (/** @type {string} */ name) =>
    nodes.filter((node) => node.attrs?.some((/** @type {any} */ { value }) => value === name));
  const seen = (/** @type {any} */ node) => textOf(node).replace(/␣space/, " ");
  assert.equal(withClass("cell prompt").map(seen).join(""), "a dog");
  assert.equal(
    withClass("cell generated").map(seen).join(""),
    loop.log.map(({ token }) => token.text).join(""),
  );
  const rows = nodes.filter(({ nodeName }) => nodeName === "tr").slice(1);
  assert.deepEqual(
    rows.map((row) => row.childNodes.slice(0, 6).map(textOf)),
    loop.log.map((pass) => [
      String(pass.index),
      pass.phase,
      ...[pass.tokensIn, pass.contextLength, pass.flops, pass.flopsWithoutCache].map((number) =>
        number.toLocaleString("en"),
      ),
    ]),
  );
  loop.dispose();
});
