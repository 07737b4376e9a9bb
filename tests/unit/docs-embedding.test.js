/** docs/embedding.md names what can be imported, all of it; its tags have attributes that there are. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ELEMENT_SETTINGS } from "../../www/settings.js";
import { blocksOf, namesIn, sectionOf, tableIn, textOf } from "./docs.js";

const page = textOf("docs/embedding.md");

describe("docs/embedding.md", () => {
  test("every import path of the package, and no other", () => {
    const { name, exports } = JSON.parse(textOf("package.json"));
    assert.deepEqual(
      namesIn(sectionOf(page, "## The package")).sort(),
      Object.keys(exports)
        .map((path) => path.replace(/^\./, name))
        .sort(),
    );
  });

  test("an example for each framework, where it says that there is one", () => {
    for (const [name, link] of tableIn(sectionOf(page, "## Frameworks"))) {
      const [, shown, target] = /^\[(.*)\]\((.*)\)$/.exec(link) ?? [];
      assert.equal(`../${shown}`, target, name);
    }
  });

  test("what is imported in code is of the package", () => {
    const paths = namesIn(sectionOf(page, "## The package"));
    for (const language of ["javascript", "tsx", "vue", "svelte", "astro"]) {
      const blocks = blocksOf(page, language);
      assert.ok(blocks.length > 0, language);
      for (const [, path] of blocks.join("\n").matchAll(/(?:from|import) "(generation-loop[^"]*)"/g)) {
        assert.ok(paths.includes(path), path);
      }
    }
  });

  test("tags and frames have settings that there are", () => {
    const known = [...Object.values(ELEMENT_SETTINGS).map(({ attribute }) => attribute), "lang"];
    const html = blocksOf(page, "html").join("\n");
    const tags = [...html.matchAll(/<generation-loop ([^>]*)>/g)].flatMap(([, text]) =>
      [...text.matchAll(/([a-z-]+)=/g)].map(([, name]) => name),
    );
    const frames = [...page.matchAll(/embed\.html\?([^"]*)"/g)].flatMap(([, query]) => [
      ...new URLSearchParams(query).keys(),
    ]);
    assert.ok(tags.length > 0 && frames.length > 0);
    for (const name of [...tags, ...frames]) assert.ok(known.includes(name), name);
  });
});
