/** Words: the same keys in every language, none of them idle, and no word anywhere else; and numbers as a language has them. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { passInWords, spoken, stopInWords } from "../../www/format.js";
import { SPEEDS } from "../../www/player.js";
import { METHODS, MODELS } from "../../www/settings.js";
import { de } from "../../www/words/de.js";
import { en } from "../../www/words/en.js";
import { addWords, wordsFor } from "../../www/words.js";

const tables = { en, de };
addWords("de", de);

const folder = join(import.meta.dirname, "../../www");

/** @param {string} file */
const read = (file) => readFileSync(join(folder, file), "utf8");

const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".js") && !/^(pkg|words)\//.test(file));

const others = { de };

/** What a table has, as "group.key", and of what kind it is. @param {object} table @returns {[string, string][]} */
const kinds = (table) =>
  Object.entries(table).flatMap(([group, entries]) =>
    Object.entries(entries).map(
      ([key, word]) =>
        /** @type {[string, string]} */ ([
          `${group}.${key}`,
          typeof word === "function" ? `a function of ${word.length}` : typeof word,
        ]),
    ),
  );

/** Groups whose keys are known only when they are asked for, and those keys. @type {Record<string, readonly string[]>} */
const BY_NAME = {
  spoken: ["", " ", "\n", ..."-.,!?'\":;()[]_"],
  phase: ["prefill", "decode"],
  method: METHODS,
  speed: SPEEDS.map(({ name }) => name),
  weights: [...MODELS, "own"],
  origin: [...MODELS, "own"],
  stop: ["end-of-text", "stop-string", "max-tokens", "context-full"],
};

describe("tables", () => {
  for (const [language, table] of Object.entries(tables)) {
    test(`${language} cannot be changed, and says something everywhere`, () => {
      assert.ok(Object.isFrozen(table));
      for (const [group, entries] of Object.entries(table)) {
        for (const [key, word] of Object.entries(entries)) {
          const texts =
            typeof word === "function"
              ? [1, 2, 64, "1", "„a b“"].map((value) => word(...Array(word.length).fill(value)))
              : [word];
          for (const text of texts) {
            assert.equal(typeof text, "string");
            assert.doesNotMatch(text, /^$|undefined|NaN|null|\[object|=>/, `${group}.${key}`);
          }
        }
      }
    });

    test(`what is put into a text of ${language} stands in it`, () => {
      for (const [group, entries] of Object.entries(table)) {
        for (const [key, word] of Object.entries(entries)) {
          if (typeof word !== "function" || group === "unit") continue;
          const gaps = Array.from({ length: word.length }, (_, index) => String(71 + index));
          const text = word(...gaps);
          for (const gap of gaps) assert.ok(text.includes(gap), `${group}.${key}: ${text}`);
        }
      }
    });
  }

  for (const [language, table] of Object.entries(others)) {
    test(`${language} has what English has, of the same kinds and in the same order`, () => {
      assert.deepEqual(kinds(table), kinds(en));
    });
  }

  test("counted things have a singular", () => {
    for (const words of ["en", "de"].map(wordsFor)) {
      for (const unit of Object.values(words.unit)) {
        assert.ok(words.count(1, unit).startsWith("1 "));
        assert.match(words.count(0, unit).slice(2), new RegExp(`^${words.count(5, unit).slice(2)}$`));
      }
    }
    const { count, unit } = wordsFor("de");
    assert.deepEqual(
      [unit.pass, unit.token, unit.parameter].flatMap((form) => [count(1, form), count(2000, form)]),
      ["1 Durchlauf", "2.000 Durchläufe", "1 Token", "2.000 Tokens", "1 Parameter", "2.000 Parameter"],
    );
  });

  test("every word is used", () => {
    const code = sources.map(read).join("\n");
    for (const [path] of kinds(en)) {
      const [group] = path.split(".");
      if (group in BY_NAME) continue;
      assert.match(code, new RegExp(`\\.${path.replace(".", "\\.")}\\b`), `${path} is used nowhere`);
    }
    for (const [group, names] of Object.entries(BY_NAME)) {
      assert.ok(code.includes(`.${group}[`), `${group} is used nowhere`);
      assert.deepEqual(Object.keys(en[/** @type {keyof typeof en} */ (group)]).sort(), [...names].sort());
    }
  });
});

/**
 * The texts of a file's templates with this tag: what stands around the gaps. A gap leaves a NUL, and what is inside it is
 * read as a source of its own.
 * @param {string} source
 * @param {string} tag
 * @returns {string[]}
 */
function templates(source, tag) {
  /** @type {string[]} */
  const found = [];
  /** Reads a template from after its backtick; gives its end. @param {number} at @param {boolean} wanted */
  const template = (at, wanted) => {
    let text = "";
    while (source[at] !== "`") {
      if (source[at] === "\\") at += 2;
      else if (source.startsWith("${", at)) {
        text += "\0";
        at = gap(at + 2);
      } else text += source[at++];
    }
    if (wanted) found.push(text);
    return at + 1;
  };
  /** Reads code up to the brace that ends it, or the end of the source. @param {number} at */
  const gap = (at) => {
    for (let depth = 0; at < source.length; at += 1) {
      if (source[at] === "`") at = template(at + 1, source.slice(0, at).endsWith(tag)) - 1;
      else if (source[at] === '"') at = source.indexOf('"', at + 1);
      else if (source.startsWith("//", at)) at = source.indexOf("\n", at);
      else if (source.startsWith("/*", at)) at = source.indexOf("*/", at) + 1;
      else if (source[at] === "{") depth += 1;
      else if (source[at] === "}" && depth-- === 0) return at + 1;
    }
    return at;
  };
  gap(0);
  return found;
}

/** Words of a template that a reader would see or hear. @param {string} html */
function wordsIn(html) {
  const attributes = [...html.matchAll(/\b(?:aria-label|title|placeholder|alt|data-[a-z]+)="([^"]*)"/g)];
  return [html.replace(/<[^>]*>/g, " "), ...attributes.map(([, value]) => value)].flatMap(
    (text) => text.match(/\p{L}{2,}/gu) ?? [],
  );
}

/** Words that a style sheet adds. @param {string} css */
function wordsOfContent(css) {
  const strings = [...css.matchAll(/\bcontent:([^;}]*)/g)].flatMap(
    ([, value]) => value.match(/"[^"]*"/g) ?? [],
  );
  return strings.flatMap((text) => text.match(/\p{L}+/gu) ?? []);
}

describe("no word stands anywhere else", () => {
  test("the search finds what it is for", () => {
    const source = [
      "/** No `word`. */ const a = html`<p class='one' title=\"two @{b('no')}\">@{c ? html`three` : {}} four @{`no`}</p>`;",
      "// html`no`",
      'const b = "html`no`"; const d = css`a { content: attr(b) " five"; font: "no" }`;',
    ]
      .join("\n")
      .replaceAll("@{", "$\u007b");
    assert.deepEqual(templates(source, "html").flatMap(wordsIn).sort(), ["four", "three", "two"]);
    assert.deepEqual(templates(source, "css").flatMap(wordsOfContent), ["five"]);
  });

  for (const file of sources.filter((name) => /^(views\/.*|layout\.js|element\.js)$/.test(name))) {
    test(`${file}`, () => {
      const source = read(file);
      assert.deepEqual(templates(source, "html").flatMap(wordsIn), []);
      assert.deepEqual(templates(source, "css").flatMap(wordsOfContent), []);
      // Nor in a string that is no attribute and no key: a text has a capital and small letters, or a space between its words.
      const code = source
        .replace(/\/\*.*?\*\/|^\s*\/\/.*$/gms, "")
        .replace(/^import .*$|\b[\w-]+="[^"]*"|"[^"\n]*":/gm, "");
      const strings = [...code.matchAll(/"([^"\n]*)"/g)].map(([, text]) => text);
      const texts = strings.filter((text) => /^\p{Lu}\p{Ll}+|\p{L}{2,}[.,:]? \p{L}{2,}/u.test(text));
      assert.deepEqual(
        texts.filter((text) => !ALLOWED.includes(text)),
        [],
      );
    });
  }
});

/** Names of other kinds, and an error, which is in English. */
const ALLOWED = ["Enter", "Files", "AbortError", "loading was cancelled"];

describe("which language", () => {
  for (const [asked, locale] of /** @type {[string | null, string][]} */ ([
    ["en", "en"],
    ["de", "de"],
    ["DE", "de"],
    ["en-GB", "en-GB"],
    ["de-at", "de-AT"],
    ["de_DE", "de"],
    ["de-", "de"],
    ["fr", "en"],
    ["deu-x", "en"],
    ["def", "en"],
    ["constructor", "en"],
    ["__proto__", "en"],
    ["", "en"],
    [" ", "en"],
    [null, "en"],
  ])) {
    test(`${JSON.stringify(asked)} is ${locale}`, () => {
      const words = wordsFor(asked);
      assert.equal(words.locale, locale);
      assert.equal(words.transport.back, locale.startsWith("de") ? "Zurück" : "Back");
      // Errors are in English, which has to be said where nothing else is.
      assert.equal(words.errors, locale.startsWith("en") ? undefined : "en");
    });
  }

  test("the words of a language are made once", () => {
    assert.equal(wordsFor("de"), wordsFor("de"));
    assert.equal(wordsFor("fr"), wordsFor("en"));
    assert.notEqual(wordsFor("de"), wordsFor("en"));
  });
});

describe("numbers", () => {
  const [english, german, swiss] = ["en", "de", "de-CH"].map(wordsFor);

  test("all digits, with separators", () => {
    const values = [0, 7, 999, 1000, 173_184, 1.5e9, Number.MAX_SAFE_INTEGER];
    for (const value of values)
      assert.equal(english.whole(value), new Intl.NumberFormat("en-US").format(value));
    assert.deepEqual(values.slice(3, 6).map(german.whole), ["1.000", "173.184", "1.500.000.000"]);
    assert.match(swiss.whole(173_184), /^173['’]184$/);
  });

  test("probabilities: what is not zero never reads as zero, what is not certain never as 100", () => {
    const values = [0, 1e-9, 0.00099, 0.001, 0.1234, 0.5, 0.999, 0.9995, 1 - 1e-9, 1];
    assert.deepEqual(values.map(english.percent), [
      "0%",
      "<0.1%",
      "<0.1%",
      "0.1%",
      "12.3%",
      "50.0%",
      "99.9%",
      ">99.9%",
      ">99.9%",
      "100%",
    ]);
    assert.deepEqual(
      values.map(german.percent),
      ["0", "<0,1", "<0,1", "0,1", "12,3", "50,0", "99,9", ">99,9", ">99,9", "100"].map(
        (text) => `${text}\u00a0%`,
      ),
    );
  });

  test("English rounds as ever: by what the number is, and not by its shortest text", () => {
    // Halves of the last digit are where the two differ, and not one of these is exactly one.
    for (let value = 5; value < 10_000; value += 10) {
      const probability = value / 10_000;
      if (probability < 0.001 || probability > 0.999) continue;
      assert.equal(english.percent(probability), `${(probability * 100).toFixed(1)}%`);
      assert.equal(english.draw(probability + 0.00005), (probability + 0.00005).toFixed(4));
      assert.equal(english.megabytes(value * 5000), ((value * 5000) / 1e6).toFixed(1));
    }
  });

  test("megabytes and draws", () => {
    assert.deepEqual([0, 118_000_000, 12_345_678_901].map(english.megabytes), ["0.0", "118.0", "12345.7"]);
    assert.deepEqual([0, 118_000_000, 12_345_678_901].map(german.megabytes), ["0,0", "118,0", "12345,7"]);
    assert.deepEqual([english.draw(0.12345), german.draw(0.12345)], ["0.1235", "0,1235"]);
    assert.deepEqual([english.point, german.point, swiss.point], [".", ",", "."]);
  });
});

describe("tokens and events", () => {
  const pass = /** @type {import("../../www/pass.js").Pass} */ (
    /** @type {unknown} */ ({ index: 3, phase: "decode", token: { text: " ", probability: 0.1234 } })
  );
  const stops = /** @type {const} */ ([
    { reason: "end-of-text" },
    { reason: "stop-string", match: "a \n." },
    { reason: "max-tokens" },
    { reason: "context-full" },
  ]);

  test("in English", () => {
    const words = wordsFor("en");
    assert.equal(passInWords(pass, words), "Pass 3, decode: space, 12.3%.");
    assert.deepEqual(
      stops.map((stop) => stopInWords(stop, 2000, words)),
      [
        "the model sampled the end-of-text token",
        "the stop string “a␣⏎.” was completed",
        "the length limit of 2,000 tokens was reached",
        "the model’s context of 2,000 tokens is full",
      ],
    );
    assert.deepEqual(
      ["", "a", "#12", "."].map((text) => spoken(text, words)),
      ["end of text", "a", "#12", "full stop"],
    );
  });

  test("in German", () => {
    const words = wordsFor("de");
    assert.equal(passInWords(pass, words), "Durchlauf 3, Decode: Leerzeichen, 12,3\u00a0%.");
    assert.deepEqual(
      stops.map((stop) => stopInWords(stop, 2000, words)),
      [
        "Das Modell hat das Textende-Token erzeugt",
        "Die Stoppsequenz „a␣⏎.“ ist vollständig",
        "Die Höchstlänge von 2.000 Tokens ist erreicht",
        "Der Kontext des Modells von 2.000 Tokens ist voll",
      ],
    );
    assert.deepEqual(
      ["", "a", "#12", "."].map((text) => spoken(text, words)),
      ["Textende", "a", "#12", "Punkt"],
    );
  });
});
