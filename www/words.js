/** The words of a widget in its language, and its numbers. The one place where anything is rounded for the eye. */

import { en } from "./words/en.js";

/** @typedef {import("./words/en.js").Table} Table */
/** @typedef {Readonly<Record<string, string>>} Named texts by a name that is known when it is asked for */
/** @typedef {Table & Record<"spoken" | "speed" | "weights" | "origin", Named> & ReturnType<typeof numbersOf>} Words */

/** By language. @type {Map<string, Table>} */
const tables = new Map([["en", en]]);

/** Who is to know of a new one. @type {Set<() => void>} */
export const listeners = new Set();

/**
 * The words of one more language: those of `words/`, each a file that a page loads if it speaks that language.
 * @param {string} language its tag
 * @param {Table} table
 */
export function addWords(language, table) {
  tables.set(language, filled(table, en));
  made.clear();
  for (const listener of listeners) listener();
}

/**
 * A table with the English words for what it lacks: a file of words may be of another version than the element.
 * @template T
 * @param {T | undefined} table
 * @param {T} whole
 * @returns {T}
 */
function filled(table, whole) {
  if (table === undefined) return whole;
  if (typeof whole !== "object" || whole === null) return table;
  const entries = Object.entries(whole).map(([name, words]) => [
    name,
    filled(Reflect.get(Object(table), name), words),
  ]);
  return /** @type {T} */ ({ ...table, ...Object.fromEntries(entries) });
}

/** Those that were asked for. @type {Map<string, Words>} */
const made = new Map();

/**
 * The words for a language, English where there is no table for it.
 * @param {string | null} language as a `lang` attribute has it
 * @returns {Words}
 */
export function wordsFor(language) {
  const tags = tagsOf(language ?? "");
  const known = tags.find((tag) => tables.has(tag));
  // With words of another language, numbers of this one would be read wrong.
  const locale = known === undefined ? "en" : tags[0];
  const words = made.get(locale) ?? { ...(tables.get(known ?? "en") ?? en), ...numbersOf(locale) };
  made.set(locale, words);
  return words;
}

/**
 * What a language may be listed as, the most exact first. Pages have all kinds of things in their attributes.
 * @param {string} language
 */
function tagsOf(language) {
  const [primary] = language.toLowerCase().split(/[-_]/);
  try {
    return [...Intl.getCanonicalLocales(language), primary];
  } catch {
    return [primary];
  }
}

/** @param {string} locale */
function numbersOf(locale) {
  const numbers = (/** @type {Intl.NumberFormatOptions} */ options) =>
    new Intl.NumberFormat(locale, options).format;
  /** All digits, with separators. */
  const whole = numbers({ maximumFractionDigits: 0 });
  const wholePercent = numbers({ style: "percent" });
  const tenthsOfPercent = numbers({ style: "percent", minimumFractionDigits: 1 });
  const [tenths, tenThousandths] = [1, 4].map((digits) => {
    const format = numbers({
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      useGrouping: false,
    });
    // Rounded as what the number is, and not as the shortest text for it.
    return (/** @type {number} */ value) => format(Number(value.toFixed(digits)));
  });
  return {
    /** What the words are marked as. */
    locale,
    /** What errors are marked as, which are in English everywhere; undefined where the widget is too. */
    errors: /^en\b/.test(locale) ? undefined : "en",
    whole,
    /** Stands before the decimals. */
    point: tenths(0)[1],

    /**
     * A count with its noun: "1 token", "11 tokens".
     * @param {number} value
     * @param {(shown: string, value: number) => string} unit
     */
    count: (value, unit) => unit(whole(value), value),

    /** Bytes in megabytes of a million, with one decimal. @param {number} bytes */
    megabytes: (bytes) => tenths(bytes / 1e6),

    /** A draw, with four decimals. */
    draw: tenThousandths,

    /**
     * A probability in per cent, with one decimal; what is not zero never reads as zero, what is not certain never as 100.
     * @param {number} probability 0 to 1
     */
    percent(probability) {
      if (probability === 0 || probability === 1) return wholePercent(probability);
      if (probability < 0.001) return `<${tenthsOfPercent(0.001)}`;
      if (probability > 0.999) return `>${tenthsOfPercent(0.999)}`;
      return tenthsOfPercent(Number((probability * 100).toFixed(1)) / 100);
    },
  };
}
