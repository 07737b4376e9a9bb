/** The lab's fields: what each takes, and what they say together. It knows no DOM. */

import { readQuantity } from "./quantity.js";

/** @typedef {import("./latency.js").Request} Request */
/** @typedef {"promptTokens" | "replyTokens" | "firstPass" | "decodePass"} FieldName */
/** @typedef {"s" | "ms"} Unit */

/**
 * What stands in the fields.
 * @typedef {object} Entries
 * @property {Readonly<Record<FieldName, string>>} texts
 * @property {Unit} unit of the first pass
 * @property {boolean} endOfText
 */

/** @type {Readonly<Record<Unit, number>>} */
export const PER_SECOND = { s: 1, ms: 1000 };

/** What nobody would wait for. */
const MOST = { tokens: 1_000_000, firstPass: 3600, decodePass: 60_000 };

/** @type {Readonly<Entries>} */
export const DEFAULT_ENTRIES = Object.freeze({
  texts: { promptTokens: "1000", replyTokens: "200", firstPass: "0.3", decodePass: "20" },
  unit: "s",
  endOfText: false,
});

/**
 * @param {Pick<Entries, "unit" | "endOfText">} entries
 * @returns {Record<FieldName, import("./quantity.js").Range>}
 */
export function rangesFor({ unit, endOfText }) {
  return {
    promptTokens: { name: "Prompt tokens", least: 1, most: MOST.tokens, whole: true },
    // A model can end the reply at once: its first token is then end-of-text, and there is nothing to see.
    replyTokens: { name: "Reply tokens", least: endOfText ? 0 : 1, most: MOST.tokens, whole: true },
    firstPass: { name: "Time of the first pass", least: 0, most: MOST.firstPass * PER_SECOND[unit], unit },
    decodePass: { name: "Time of each decode pass", least: 0, most: MOST.decodePass, unit: "ms" },
  };
}

/**
 * @param {Readonly<Entries>} entries
 * @returns {{ request: Request | null, errors: Partial<Record<FieldName, string>> }} no request where a field cannot be used
 */
export function readRequest({ texts, unit, endOfText }) {
  /** @type {Partial<Record<FieldName, string>>} */
  const errors = {};
  /** @type {Partial<Record<FieldName, number>>} */
  const values = {};
  const ranges = rangesFor({ unit, endOfText });
  for (const name of /** @type {FieldName[]} */ (Object.keys(ranges))) {
    const { value, error } = readQuantity(texts[name], ranges[name]);
    if (error !== null) errors[name] = error;
    else values[name] = value;
  }
  const { promptTokens, replyTokens, firstPass, decodePass } = values;
  if (
    promptTokens === undefined ||
    replyTokens === undefined ||
    firstPass === undefined ||
    decodePass === undefined
  )
    return { request: null, errors };
  const request = {
    promptTokens,
    replyTokens,
    firstPass: firstPass / PER_SECOND[unit],
    decodePass: decodePass / PER_SECOND.ms,
    endOfText,
  };
  return { request, errors };
}

/**
 * The same entries with the first pass in another unit: the same time where it can be read, the same text where it cannot.
 * @param {Readonly<Entries>} entries
 * @param {Unit} unit
 * @returns {Entries}
 */
export function inUnit(entries, unit) {
  const { value } = readQuantity(entries.texts.firstPass, rangesFor(entries).firstPass);
  if (value === null) return { ...entries, unit };
  // Twelve digits: 0.3 s is 300 ms, whatever a Number makes of it.
  const time = Number(((value * PER_SECOND[unit]) / PER_SECOND[entries.unit]).toPrecision(12));
  return { ...entries, unit, texts: { ...entries.texts, firstPass: String(time) } };
}
