/** What an author pastes: every setting comes back out of it as it went in, whatever stands in it. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parseFragment } from "parse5";
import {
  attributesOf,
  escaped,
  frameAddress,
  frameSnippet,
  readSetting,
  tagSnippet,
} from "../../www/chapter/snippets.js";
import { parametersFrom } from "../../www/parameters.js";
import { textOf } from "../../www/query.js";
import { ELEMENT_SETTINGS, MAX_SEED, METHODS, MODELS, PANELS } from "../../www/settings.js";

/** The same in every run, so that a failure can be looked at. */
const RUNS = { seed: 20_250_311, numRuns: 1000 };

const PAGE = "https://example.org/loop/embed.html";

/** @type {import("../../www/chapter/snippets.js").Settings} */
const DEFAULTS = Object.fromEntries(
  Object.entries(ELEMENT_SETTINGS).map(([name, { fallback }]) => [name, fallback]),
);

/** Any text that HTML can hold: it has no NUL. */
const text = fc.string({ unit: "binary" }).filter((value) => !value.includes("\0"));

/** Texts in which every character means something somewhere. */
const hostile = fc
  .array(
    fc.constantFrom(
      '"',
      "&",
      "<",
      ">",
      "'",
      "\n",
      "\r",
      "\t",
      "|",
      "&quot;",
      "&#10;",
      "%",
      "+",
      "=",
      "#",
      "a",
      " ",
    ),
  )
  .map((parts) => parts.join(""));

/** A stop string, as a field gives it: no bar, and no backslash that would read as a newline. */
const stop = fc.oneof(text, hostile).filter((value) => value !== "" && !/[|\\]/.test(value));

const settings = fc.record({
  prompt: fc.oneof(text, hostile),
  model: fc.constantFrom(...MODELS),
  sampling: fc.constantFrom(...METHODS),
  temperature: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  topK: fc.nat(),
  topP: fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0),
  seed: fc.option(fc.nat({ max: MAX_SEED })),
  stop: fc.array(stop, { maxLength: 4 }),
  maxTokens: fc.option(fc.integer({ min: 2, max: 128 })),
  cache: fc.boolean(),
  hide: fc.subarray(PANELS),
  autoplay: fc.boolean(),
  predict: fc.boolean(),
});

const scheme = fc.constantFrom(/** @type {const} */ (""), "light", "dark");

/**
 * The elements of a piece of HTML by their names, with their attributes.
 * @param {string} html
 * @returns {Record<string, Record<string, string>>}
 */
function elementsIn(html) {
  const nodes = /** @type {any[]} */ (parseFragment(html).childNodes);
  return Object.fromEntries(
    nodes
      .filter(({ tagName }) => tagName !== undefined)
      .map(({ tagName, attrs }) => [
        tagName,
        Object.fromEntries(attrs.map((/** @type {any} */ { name, value }) => [name, value])),
      ]),
  );
}

/**
 * What the element makes of attributes: each is read, and where there is none, stands the default.
 * @param {(name: string) => string | null | undefined} attribute
 */
const readBack = (attribute) =>
  Object.fromEntries(
    Object.entries(ELEMENT_SETTINGS).map(([name, { attribute: of, fallback, read }]) => {
      const text = attribute(of) ?? undefined;
      return [name, text === undefined ? fallback : read(text)];
    }),
  );

/** Settings as far as they matter: what a method does not use is not written. @param {any} all */
function mattering(all) {
  const { sampling } = all;
  return {
    ...all,
    temperature: sampling === "greedy" ? null : all.temperature,
    topK: sampling === "top-k" ? all.topK : null,
    topP: sampling === "top-p" ? all.topP : null,
  };
}

describe("what is written", () => {
  test("nothing of the defaults", () => {
    assert.deepEqual(attributesOf(DEFAULTS), []);
    assert.equal(frameAddress(PAGE, DEFAULTS, ""), PAGE);
    assert.equal(
      tagSnippet(DEFAULTS, ""),
      '<link rel="stylesheet" href="generation-loop.css">\n<script type="module" src="generation-loop.js"></script>\n<generation-loop></generation-loop>',
    );
  });

  test("each setting that differs, by the name of its attribute", () => {
    const all = {
      ...{
        prompt: "a dog",
        model: "untrained",
        sampling: "top-k",
        temperature: 0,
        topK: 0,
        topP: 0.5,
        seed: 0,
      },
      ...{ stop: [], maxTokens: null, cache: false, hide: ["cost", "share"], autoplay: true, predict: true },
    };
    const expected = [
      ...[
        ["prompt", "a dog"],
        ["model", "untrained"],
        ["sampling", "top-k"],
        ["temperature", "0"],
        ["top-k", "0"],
      ],
      ...[
        ["seed", "0"],
        ["stop", ""],
        ["max-tokens", "none"],
        ["cache", "off"],
        ["hide", "cost share"],
      ],
      ...[
        ["autoplay", "on"],
        ["predict", "on"],
      ],
    ];
    assert.deepEqual(attributesOf(all), expected);
    assert.deepEqual(
      [...new URL(frameAddress(PAGE, all, "dark")).searchParams],
      [...expected, ["color-scheme", "dark"]],
    );
  });

  test("a scheme is a rule of the page for the tag, and a parameter for the frame", () => {
    assert.match(tagSnippet(DEFAULTS, "dark"), /\n<style>generation-loop { color-scheme: dark }<\/style>\n/);
    assert.equal(frameAddress(PAGE, DEFAULTS, "light"), `${PAGE}?color-scheme=light`);
  });

  test("no address ends on a full stop, which programs leave out of links", () => {
    const address = frameAddress(PAGE, { ...DEFAULTS, prompt: "a dog." }, "");
    assert.equal(address, `${PAGE}?prompt=a+dog%2E`);
    assert.equal(new URL(address).searchParams.get("prompt"), "a dog.");
  });
});

describe("what comes back", () => {
  test("from the tag, by a parser of HTML", () => {
    fc.assert(
      fc.property(settings, scheme, (all, scheme) => {
        const elements = elementsIn(tagSnippet(all, scheme));
        const names = ["link", "script", ...(scheme === "" ? [] : ["style"]), "generation-loop"];
        assert.deepEqual(Object.keys(elements), names);
        const attributes = elements["generation-loop"];
        assert.deepEqual(mattering(readBack((name) => attributes[name])), mattering(all));
      }),
      RUNS,
    );
  });

  test("from the iframe, by a parser of HTML and one of addresses, and the frame's page reads the same", () => {
    fc.assert(
      fc.property(settings, scheme, fc.nat(), (all, scheme, height) => {
        const html = frameSnippet(frameAddress(PAGE, all, scheme), { width: "100%", height });
        const { iframe, ...others } = elementsIn(html);
        assert.deepEqual(others, {});
        assert.equal(html.split("\n").length, 1);
        assert.deepEqual([iframe.width, iframe.height, iframe.loading], ["100%", String(height), "lazy"]);
        const address = new URL(iframe.src);
        assert.equal(address.origin + address.pathname, PAGE);
        assert.equal(address.hash, "");
        assert.deepEqual(mattering(readBack((name) => address.searchParams.get(name))), mattering(all));

        const { attributes, colorScheme, lang, problems } = parametersFrom(address.search, iframe.src);
        assert.deepEqual(problems, []);
        assert.deepEqual(attributes, attributesOf(all));
        assert.deepEqual([colorScheme ?? "", lang], [scheme, null]);
      }),
      RUNS,
    );
  });

  test("from any attribute, in one line", () => {
    fc.assert(
      fc.property(fc.oneof(text, hostile), (value) => {
        const html = `<p title="${escaped(value)}">x</p>`;
        assert.doesNotMatch(html, /[\n\r]/);
        assert.deepEqual(elementsIn(html), { p: { title: value } });
      }),
      RUNS,
    );
  });

  test("from a field: what is shown there is read as what it was", () => {
    fc.assert(
      fc.property(settings, (all) => {
        for (const [name, value] of Object.entries(all)) {
          assert.deepEqual(readSetting(name, textOf(name, value), 128), { value, error: null }, name);
        }
      }),
      RUNS,
    );
  });
});

describe("a field that cannot be read", () => {
  for (const [name, text, error] of [
    ["temperature", "-1", 'temperature is "-1"; allowed: a finite number, at least 0'],
    ["temperature", "", 'temperature is ""; allowed: a finite number, at least 0'],
    ["topK", "1.5", 'top-k is "1.5"; allowed: a whole number from 0 to 9007199254740991'],
    ["topP", "1.01", 'top-p is "1.01"; allowed: 0 to 1'],
    [
      "seed",
      "9007199254740992",
      'seed is "9007199254740992"; allowed: a whole number from 0 to 9007199254740991',
    ],
    ["stop", "a||b", 'stop is "a||b"; stop string 2 is empty; at least one character is needed'],
    ["maxTokens", "1", 'max-tokens is "1"; allowed: a whole number from 2 to the model\'s context, or none'],
    ["maxTokens", "129", 'max-tokens is "129"; allowed: a whole number from 2 to 128, or none'],
  ]) {
    test(`${name} ${JSON.stringify(text)}`, () => {
      const read = readSetting(name, text, 128);
      assert.equal(read.value, null);
      assert.equal(read.error, error.replace("; stop string 2 is empty", ""));
    });
  }

  test("an error is one line, however long what was typed", () => {
    const { error } = readSetting("seed", "x".repeat(10_000), 128);
    assert.equal(error, `seed is "${"x".repeat(40)}…"; allowed: a whole number from 0 to ${MAX_SEED}`);
  });

  test("an empty seed is none, and zero is one", () => {
    assert.deepEqual(readSetting("seed", " ", 128), { value: null, error: null });
    assert.deepEqual(readSetting("seed", "0", 128), { value: 0, error: null });
  });
});
