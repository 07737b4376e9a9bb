/** The layout of the sources, checked from the sources: imports go one way, down, and each outside thing has one door. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

const root = join(import.meta.dirname, "../..");

/** Floors of the crate, lowest first: a file imports from lower floors only, or what stands before it on its own. */
const CRATE = [
  ["error", "lanes", "math", "kernels"],
  ["config", "tokenizer", "draws", "flops", "ranking", "weights"],
  ["cache", "sampling", "stopping", "model"],
  ["settings", "pass", "session"],
  ["areas"],
  ["wasm"],
];

/**
 * What each JavaScript file may import, beside packages: files that stand before it. Type imports in comments cost nothing
 * and are free.
 */
const WWW = new Map(
  Object.entries({
    "errors.js": [],
    "format.js": [],
    "resolvers.js": [],
    "player.js": [],
    "palette.js": [],
    "styles.js": ["palette.js"],
    "clock.js": [],
    "focus.js": [],
    "sight.js": [],
    "language.js": [],
    "flops.js": ["errors.js"],
    "settings.js": ["errors.js"],
    "bytes.js": ["errors.js"],
    "safetensors.js": ["errors.js"],
    "sources.js": ["errors.js"],
    "files.js": ["bytes.js", "errors.js", "safetensors.js", "sources.js"],
    "checkpoint.js": ["errors.js", "sources.js"],
    "vocabulary.js": ["errors.js"],
    "pass.js": ["flops.js"],
    "stream.js": [],
    "inflate.js": [],
    "module.js": ["inflate.js", "pkg/"],
    "module-file.js": [],
    "shipped.js": ["errors.js", "inflate.js", "pkg/"],
    "boundary.js": ["errors.js", "module.js", "shipped.js"],
    "core.js": [
      "boundary.js",
      "checkpoint.js",
      "errors.js",
      "settings.js",
      "shipped.js",
      "sources.js",
      "vocabulary.js",
    ],
    "engine.js": [
      "boundary.js",
      "core.js",
      "errors.js",
      "flops.js",
      "pass.js",
      "settings.js",
      "stream.js",
      "vocabulary.js",
    ],
    "worker.js": ["engine.js"],
    "worker-loop.js": ["errors.js", "pass.js", "settings.js", "vocabulary.js"],
    "loading.js": [
      "boundary.js",
      "checkpoint.js",
      "core.js",
      "engine.js",
      "errors.js",
      "flops.js",
      "resolvers.js",
      "settings.js",
      "sources.js",
      "worker-loop.js",
    ],
    "models.js": ["errors.js"],
    "values.js": ["errors.js", "settings.js"],
    "words/plural.js": [],
    "words/": ["words/plural.js"],
    "words.js": ["words/"],
    "comparison.js": [],
    "prompt.js": ["errors.js"],
    "predictions.js": ["errors.js", "prompt.js"],
    "query.js": ["errors.js", "settings.js"],
    "link.js": ["errors.js", "query.js", "settings.js"],
    "keep.js": ["flops.js"],
    "picture.js": ["format.js", "palette.js"],
    "sharing.js": ["format.js", "keep.js", "link.js", "picture.js"],
    "links.js": ["errors.js", "sharing.js"],
    "run.js": ["comparison.js", "errors.js", "flops.js", "prompt.js", "settings.js"],
    "driver.js": ["errors.js", "format.js", "player.js"],
    "stage.js": ["errors.js", "format.js", "loading.js", "models.js", "run.js", "settings.js", "values.js"],
    "views/": ["format.js", "settings.js"],
    "layout.js": ["clock.js", "flops.js", "player.js", "styles.js", "views/"],
    "element.js": [
      "driver.js",
      "errors.js",
      "focus.js",
      "format.js",
      "language.js",
      "layout.js",
      "links.js",
      "loading.js",
      "models.js",
      "predictions.js",
      "settings.js",
      "sight.js",
      "stage.js",
      "values.js",
      "words.js",
    ],
    "index.js": ["element.js"],
    "lazy.js": ["index.js"],
    "parameters.js": ["errors.js", "query.js", "settings.js", "sources.js"],
    "frame.js": ["parameters.js", "query.js", "settings.js"],
    "embed-host.js": [],
    // The chapter is a page like any other: it knows the element with its settings, the engine and the formulas, and its tokens and numbers look as in the widget.
    "chapter/": [
      "chapter/",
      "engine.js",
      "flops.js",
      "format.js",
      "parameters.js",
      "query.js",
      "settings.js",
      "words.js",
    ],
  }),
);

/** @param {string} path */
const read = (path) => readFileSync(join(root, path), "utf8");

/** Source without its tests and comments, where other rules hold. @param {string} source */
const code = (source) => source.split("#[cfg(test)]")[0].replace(/^\s*\/\/.*$/gm, "");

describe("crate/src", () => {
  const order = CRATE.flat();
  const files = readdirSync(join(root, "crate/src")).map((file) => file.replace(/\.rs$/, ""));

  test("every file has its floor", () => {
    assert.deepEqual(files.filter((file) => file !== "lib").sort(), [...order].sort());
  });

  for (const file of order) {
    test(`${file}.rs imports downwards only`, () => {
      const imports = [...code(read(`crate/src/${file}.rs`)).matchAll(/\bcrate::(\w+)/g)].map(
        ([, name]) => name,
      );
      const modules = imports.filter((name) => files.includes(name));
      const above = modules.filter((name) => order.indexOf(name) >= order.indexOf(file));
      assert.deepEqual(above, []);
    });
  }

  test("on their floor, only the model knows another: the cache", () => {
    for (const file of ["cache", "sampling", "stopping", "model"]) {
      const source = code(read(`crate/src/${file}.rs`));
      const known = ["cache", "sampling", "stopping", "model"].filter((name) =>
        source.includes(`crate::${name}`),
      );
      assert.deepEqual(known, file === "model" ? ["cache"] : [], file);
    }
  });

  test("only wasm.rs names JavaScript, and only kernels.rs may be unsafe", () => {
    for (const file of files) {
      const source = code(read(`crate/src/${file}.rs`));
      if (file !== "wasm") assert.doesNotMatch(source, /wasm_bindgen|js_sys|web_sys/, file);
      if (file !== "kernels") assert.doesNotMatch(source, /\bunsafe\b/, file);
    }
  });
});

describe("www", () => {
  const files = readdirSync(join(root, "www"), { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".js") && !file.startsWith("pkg/"));

  test("the table goes one way: every file stands after what it may import", () => {
    const order = ["pkg/", ...WWW.keys()];
    for (const [file, allowed] of WWW) {
      const above = allowed.filter(
        (name) => name !== file && !order.slice(0, order.indexOf(file)).includes(name),
      );
      assert.deepEqual(above, [], file);
    }
  });

  for (const file of files) {
    test(`${file} imports what is below it`, () => {
      const allowed =
        WWW.get(file) ?? WWW.get(file.replace(/[^/]*$/, "")) ?? WWW.get(file.replace(/[^/]*\/[^/]*$/, ""));
      assert.ok(allowed, `${file} has no place in the layout`);
      for (const [, path] of read(`www/${file}`).matchAll(/^(?:import|export|\}) .*?from "(\..*?)";$/gm)) {
        const target = new URL(path, `file:///${file}`).pathname.slice(1);
        const known = allowed.some((name) =>
          name.endsWith("/") ? target.startsWith(name) : target === name,
        );
        assert.ok(known, `${file} imports ${target}`);
      }
    });
  }

  test("packages: lit, and nothing else in what is embedded", () => {
    for (const file of files.filter((name) => !name.startsWith("chapter/"))) {
      for (const [, name] of read(`www/${file}`).matchAll(/from "([^."][^"]*)";$/gm)) {
        assert.match(name, /^lit($|\/)/, file);
      }
    }
  });
});
