/** docs/theming.md names what can be styled, all of it, with the values that it has; and the palette keeps what it asks of others. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { PALETTE } from "../../www/palette.js";
import { PANELS } from "../../www/settings.js";
import { root, sectionOf, tableIn, textOf } from "./docs.js";

const page = textOf("docs/theming.md");

/** Luminance by WCAG 2. @param {string} colour six hexadecimal digits */
function luminanceOf(colour) {
  const [red, green, blue] = [1, 3, 5].map((place) => {
    const value = Number.parseInt(colour.slice(place, place + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {string} one @param {string} other */
function contrastOf(one, other) {
  const [light, dark] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

describe("docs/theming.md", () => {
  const rows = tableIn(sectionOf(page, "## Custom properties"));

  test("every custom property that a style sheet reads, and no other", () => {
    const files = ["generation-loop.css", "styles.js", "layout.js"];
    const views = readdirSync(join(root, "www/views")).map((file) => `views/${file}`);
    const read = [...files, ...views].flatMap((file) =>
      [...textOf(`www/${file}`).matchAll(/var\(--generation-loop-([a-z]+)[,)]/g)].map(([, name]) => name),
    );
    const expected = new Set([...Object.keys(PALETTE), ...read]);
    assert.deepEqual(rows.map(([name]) => name).sort(), [...expected].sort());
  });

  test("colours with the values that they have", () => {
    for (const [name, , light, dark] of rows) {
      if (name in PALETTE) assert.deepEqual([light, dark], PALETTE[name], name);
    }
  });

  test("the palette keeps every contrast that it asks for", () => {
    const pairs = tableIn(sectionOf(page, "## Contrast"));
    assert.ok(pairs.length > 10);
    for (const [text, surface, least] of pairs) {
      for (const scheme of [0, 1]) {
        const contrast = contrastOf(PALETTE[text][scheme], PALETTE[surface][scheme]);
        assert.ok(contrast >= Number(least), `${text} on ${surface}: ${contrast}`);
      }
    }
  });

  test("the example keeps them too", () => {
    const css = textOf("tests/pages/themed.css");
    const told = (/** @type {string} */ property) => {
      const value = new RegExp(`--${property}: ([^;]+);`).exec(css)?.[1] ?? "";
      const name = /^var\(--([a-z]+)\)$/.exec(value)?.[1];
      return name === undefined ? value : (new RegExp(`--${name}: ([^;]+);`).exec(css)?.[1] ?? "");
    };
    for (const [text, surface, least] of tableIn(sectionOf(page, "## Contrast"))) {
      const contrast = contrastOf(told(`generation-loop-${text}`), told(`generation-loop-${surface}`));
      assert.ok(contrast >= Number(least), `${text} on ${surface}: ${contrast}`);
    }
  });

  test("every part that there is", () => {
    const views = readdirSync(join(root, "www/views")).map((file) => textOf(`www/views/${file}`));
    const parts = new Set(
      views.flatMap((text) => [...text.matchAll(/ part="([a-z]+)"/g)].map(([, name]) => name)),
    );
    assert.deepEqual(
      tableIn(sectionOf(page, "## Parts"))
        .map(([name]) => name)
        .sort(),
      [...parts].sort(),
    );
  });

  test("every panel that can be left out", () => {
    const sentence = /by the names (.*?)\./s.exec(sectionOf(page, "## Leaner"))?.[1] ?? "";
    assert.deepEqual(
      [...sentence.matchAll(/`([a-z]+)`/g)].map(([, name]) => name).sort(),
      [...PANELS].sort(),
    );
  });
});
