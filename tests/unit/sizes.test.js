/** What readers fetch stays small: the files as they are, and the parts that they are made of. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { boundariesOf, PARTS, partOf, partsOf, piecesOf, styleSheetsIn, weigh } from "../../bench/sizes.js";
import { plugins } from "../../scripts/library.js";

const root = join(import.meta.dirname, "../..");

/** @param {string} file */
const weightOfFile = (file) => gzipSync(readFileSync(join(root, file)), { level: 9 }).length;

test("the WebAssembly is within its budget", () => {
  assert.ok(weightOfFile("www/pkg/generation_loop_bg.wasm") <= 40_000);
});

// In a fresh clone these tests come before the build, which holds to the same budget.
const built = existsSync(join(root, "dist/generation-loop.js"));
test("the element's file is within its budget", { skip: !built && "not built yet" }, () => {
  assert.ok(weightOfFile("dist/generation-loop.js") <= 80_000);
});

test("every part of it is within its own, and together they are the whole", async () => {
  const { whole, parts } = await partsOf(root, "www/index.js", plugins());
  for (const { name, gzip, most } of parts) {
    assert.ok(gzip > 0, `${name} is a part`);
    assert.ok(gzip <= most, `${name}: ${gzip} bytes after gzip, at most ${most} allowed`);
  }
  const sum = parts.reduce((total, { gzip }) => total + gzip, 0);
  assert.ok(Math.abs(sum / whole - 1) < 0.04, `${sum} bytes of parts, ${whole} of the whole`);
});

describe("who owns what", () => {
  test("a file belongs to the first part that owns it, and to one", () => {
    const parts = [
      ["/x/www/pkg/wasm.js", "WebAssembly"],
      ["/x/www/pkg/trained.js", "trained weights"],
      ["/x/node_modules/@lit/reactive-element/css-tag.js", "Lit"],
      ["/x/www/styles.js", "styles"],
      ["/x/www/views/step-log.js", "element and views"],
      ["/x/www/engine.js", "engine"],
    ];
    for (const [path, part] of parts) assert.equal(partOf(path), part);
    assert.throws(() => partOf("/x/node_modules/other/index.js"), /belongs to no part/);
  });

  test("the map's numbers are read, lines and all", () => {
    // Source 0 from the beginning, source 1 from column 2; in the second line source 0 again, from column 20.
    assert.deepEqual(boundariesOf("ab12\ncd", "AAAA,ECAA;oBDAA"), [
      { at: 0, source: 0 },
      { at: 2, source: 1 },
      { at: 25, source: 0 },
    ]);
  });

  test("style sheets are told from markup", () => {
    const template = (/** @type {string} */ raw, start = 0) => ({
      type: "TaggedTemplateExpression",
      quasi: { quasis: [{ start, end: start + raw.length, value: { raw } }] },
    });
    const program = [template("a { b: c }", 3), template("<p>{ }</p>"), template("plain")];
    assert.deepEqual(styleSheetsIn({ type: "Program", body: program }), [{ start: 3, end: 13 }]);
  });

  test("each character goes to one part, styles before all", () => {
    const boundaries = [
      { at: 1, part: "Lit" },
      { at: 4, part: "engine" },
    ];
    assert.deepEqual(piecesOf("0123456789", boundaries, [{ start: 6, end: 8 }]), [
      { part: "Lit", text: "0123" },
      { part: "engine", text: "45" },
      { part: "styles", text: "67" },
      { part: "engine", text: "89" },
    ]);
  });

  test("a part weighs what the whole would weigh less without it", () => {
    const noise = (/** @type {number} */ seed) =>
      Array.from({ length: 500 }, (_, i) => ((i * i * seed) % 7919).toString(36)).join("");
    const { whole, parts } = weigh([
      { part: "Lit", text: noise(31) },
      { part: "engine", text: noise(57) },
    ]);
    assert.equal(parts.length, PARTS.length);
    const [lit, engine, styles] = ["Lit", "engine", "styles"].map(
      (part) => parts.find(({ name }) => name === part)?.gzip ?? 0,
    );
    assert.equal(styles, 0);
    assert.ok(lit > 100 && engine > 100 && Math.abs(lit + engine - whole) < 60);
  });
});
