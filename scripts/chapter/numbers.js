/** Numbers of the prose, from the engine's own formulas and the shape of the model that is inside. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { valuesOf } from "../../www/chapter/formulas.js";
import { operationsOf, totalOf } from "../../www/flops.js";
import { Problem, root } from "../run.js";
import { escaped, refuseOthers } from "./elements.js";

/** @typedef {import("../../www/flops.js").Config} Config */

/** The shape of the trained model. @returns {Config} */
export function shippedShape() {
  return JSON.parse(readFileSync(join(root, "crate/models/trained/config.json"), "utf8"));
}

/** The letters of the formulas, and what they are in the model's config. @type {Readonly<Record<string, keyof Config>>} */
const SIZES = {
  L: "n_layer",
  D: "n_embd",
  F: "n_inner",
  V: "vocab_size",
  heads: "n_head",
  context: "n_positions",
};

/**
 * A run from `s` tokens to a limit of `n`, its last token not processed: the lengths of its decodes.
 * @param {number} s
 * @param {number} n
 */
function decodes(s, n) {
  if (s >= n) throw new Problem(`the limit ${n} leaves no room after ${s} tokens`);
  return Array.from({ length: n - s - 1 }, (_, index) => s + 1 + index);
}

/** @param {Config} config @param {number} s @param {number} n */
function total(config, s, n) {
  return decodes(s, n).reduce((sum, t) => sum + totalOf(config, 1, t), totalOf(config, s, s));
}

/** @param {Config} config @param {number} s @param {number} n */
function totalUncached(config, s, n) {
  return decodes(s, n).reduce((sum, t) => sum + totalOf(config, t, t), totalOf(config, s, s));
}

/**
 * What an attribute's value says, in words and whole numbers.
 * @param {string} value
 * @param {readonly string[]} shape of it, as it is told: "word" or the name of a number
 * @returns {any[]}
 */
function read(value, shape) {
  const parts = value.trim().split(/\s+/);
  const isRight =
    parts.length === shape.length &&
    parts.every((part, index) => shape[index] === "word" || /^[1-9]\d*$/.test(part));
  if (!isRight) throw new Problem(`"${value}" is not understood; it should be: ${shape.join(" ")}`);
  return parts.map((part, index) => (shape[index] === "word" ? part : Number(part)));
}

/**
 * What can be asked for, by attribute.
 * @type {Readonly<Record<string, (value: string, config: Config) => number>>}
 */
const KINDS = {
  /** `prefill 11`, `decode 12` */
  flops(value, config) {
    const [phase, length] = read(value, ["word", "length"]);
    if (phase === "prefill") return totalOf(config, length, length);
    if (phase === "decode") return totalOf(config, 1, length);
    throw new Problem(`"${phase}" is no phase; allowed: prefill, decode`);
  },
  /** `qkv 11 11`, `mlp-up 1 12` */
  operation(value, config) {
    const [name, s, t] = read(value, ["word", "tokensIn", "contextLength"]);
    const operations = operationsOf(config, s, t);
    const found = operations.find((operation) => operation.name.replaceAll(" ", "-") === name);
    if (found) return found.flops;
    throw new Problem(
      `"${name}" is no operation; allowed: ${operations.map((operation) => operation.name.replaceAll(" ", "-")).join(", ")}`,
    );
  },
  /** `11 32`: a run from a prompt of 11 tokens to 32 in all */
  total: (value, config) =>
    total(config, .../** @type {[number, number]} */ (read(value, ["prompt", "limit"]))),
  "total-uncached": (value, config) =>
    totalUncached(config, .../** @type {[number, number]} */ (read(value, ["prompt", "limit"]))),
  /** How many times as much a run costs without the cache. */
  ratio(value, config) {
    const [s, n] = read(value, ["prompt", "limit"]);
    return Number((totalUncached(config, s, n) / total(config, s, n)).toFixed(1));
  },
  passes(value) {
    const [s, n] = read(value, ["prompt", "limit"]);
    return decodes(s, n).length + 1;
  },
  "cache-bytes"(value, { n_layer, n_embd }) {
    const [t] = read(value, ["contextLength"]);
    return 2 * n_layer * t * n_embd * 4;
  },
  size(value, config) {
    if (Object.hasOwn(SIZES, value)) return Number(config[SIZES[value]]);
    throw new Problem(`"${value}" is no size; allowed: ${Object.keys(SIZES).join(", ")}`);
  },
};

/**
 * @param {Readonly<Record<string, string>>} attributes exactly one of {@link KINDS}
 * @param {Config} config
 * @throws {Problem}
 */
export function numberOf(attributes, config) {
  const [[kind, value] = [], ...others] = Object.entries(attributes);
  if (kind === undefined || value === undefined || others.length > 0 || !Object.hasOwn(KINDS, kind))
    throw new Problem(`needs exactly one of ${Object.keys(KINDS).join(", ")}`);
  return KINDS[kind](value, config);
}

/** `<engine-number flops="prefill 11"></engine-number>` @type {import("./elements.js").Maker} */
export function engineNumber({ attributes, text }) {
  if (text.trim() !== "") throw new Problem("is filled in here; nothing may stand in it");
  return numberOf(attributes, shippedShape()).toLocaleString("en");
}

/**
 * `<engine-value name="prefill">`: a value that follows the reader's run, as it is for the prompt that the page begins with.
 * @param {{ config: Config, tokens: number, more: Readonly<Record<string, string>> }} beginning
 * @returns {import("./elements.js").Maker}
 */
export function engineValue({ config, tokens, more }) {
  const values = { ...valuesOf({ config, tokens, log: [] }), ...more };
  return (written) => {
    refuseOthers(written, ["name"]);
    const { name = "" } = written.attributes;
    if (!Object.hasOwn(values, name))
      throw new Problem(`"${name}" is no value; allowed: ${Object.keys(values).join(", ")}`);
    return `<span data-value="${name}">${escaped(values[/** @type {keyof typeof values} */ (name)])}</span>`;
  };
}
