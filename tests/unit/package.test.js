/** The look at the package: it fails where something is missing, too much, misnamed or misshapen. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { absent, CONTENTS, differences, namedFiles } from "../../scripts/package/contents.js";
import { misshapen, strayModules } from "../../scripts/package/shapes.js";
import { root } from "../../scripts/run.js";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

test("what is missing and what is too much is told by name", () => {
  const patterns = ["package.json", "dist/a.js", "dist/chunk-*.js"];
  assert.deepEqual(differences(patterns, ["package.json", "dist/a.js", "dist/chunk-x1.js"]), {
    missing: [],
    unexpected: [],
  });
  assert.deepEqual(differences(patterns, ["package.json", "dist/chunk-x/y.js", "distXa.js"]), {
    missing: ["dist/a.js", "dist/chunk-*.js"],
    unexpected: ["dist/chunk-x/y.js", "distXa.js"],
  });
});

test("every file that a package.json names is found, wherever it stands", () => {
  const named = namedFiles({
    exports: {
      ".": { types: "./a.d.ts", default: { node: "./b.js", default: "./c.js" } },
      "./w/*.js": "./w/*.js",
    },
    customElements: "e.json",
    files: ["dist"],
    sideEffects: ["./c.js"],
  });
  assert.deepEqual(
    named.map(({ file }) => file),
    ["a.d.ts", "b.js", "c.js", "w/*.js", "e.json", "dist", "c.js"],
  );
  assert.equal(named[1].at, "exports . default node");
  assert.deepEqual(
    absent({ exports: { "./w/*.js": "./w/*.js", "./x": "./x.js" }, files: ["dist", "src"] }, [
      "w/de.js",
      "dist/x.js",
    ]),
    [
      { at: "exports ./x", file: "x.js" },
      { at: "files", file: "src" },
    ],
  );
});

test("this package names no file that it is not to have", () => {
  assert.deepEqual(absent(manifest, CONTENTS), []);
});

test("a manifest that tells of a file that is not there is told", () => {
  const module = (/** @type {string} */ path) => ({ kind: "javascript-module", path });
  assert.deepEqual(strayModules({ modules: [module("a.js"), module("b.js")] }, ["a.js"]), ["b.js"]);
});

test("what has not the shape that editors expect is told", () => {
  assert.deepEqual(misshapen("vscode.html-custom-data.json", { version: 1.1, tags: [{ name: "a" }] }), []);
  assert.match(
    misshapen("vscode.html-custom-data.json", { version: 1.1, tags: [{ name: "a", attribute: [] }] })[0],
    /^vscode\.html-custom-data\.json\/tags\/0 must NOT have additional properties/,
  );
  assert.match(misshapen("vscode.css-custom-data.json", { properties: [] })[0], /'version'/);
  assert.match(misshapen("custom-elements.json", { schemaVersion: "1.0.0" })[0], /'modules'/);
});
