/** A run to keep: its log as a table for spreadsheets, and all of it as data that `docs/run.schema.json` describes. */

import { operationsOf } from "./flops.js";

/** @typedef {import("./pass.js").Pass} Pass */

/** @typedef {string | number | null | undefined} Value */

/**
 * A column of the table: what stands above, and what is in it.
 * @typedef {[heading: string, of: (pass: Pass) => Value]} Column
 */

/** @type {readonly Column[]} */
const COLUMNS = [
  ["pass", ({ index }) => index],
  ["phase", ({ phase }) => phase],
  ["tokens in", ({ tokensIn }) => tokensIn],
  ["context (tokens)", ({ contextLength }) => contextLength],
  ["FLOPs", ({ flops }) => flops],
  ["FLOPs without cache", ({ flopsWithoutCache }) => flopsWithoutCache],
  ["KV cache (bytes)", ({ cacheBytes }) => cacheBytes],
  ["draw u [0;1)", ({ draw }) => draw],
  ["token id", ({ token }) => token.id],
  ["token", ({ token }) => quoted(token.text)],
  ["probability", ({ token }) => token.probability],
  ["sampling probability", ({ token }) => token.samplingProbability],
  ["time (ms)", ({ milliseconds }) => milliseconds],
  ["stop reason", ({ stop }) => stop?.reason],
  ["stop string", ({ stop }) => stop?.match && quoted(stop.match)],
  // The names do not depend on the shape.
  ...operationsOf(/** @type {any} */ ({}), 0, 0).map(
    ({ name }, index) => /** @type {Column} */ ([`${name} (FLOPs)`, (pass) => pass.operations[index].flops]),
  ),
];

/**
 * A text in a cell, as a JSON string with its quotation marks. A cell that began with the token itself could be a formula to a
 * spreadsheet ("=", "+", "-", "@"); a "1" would be a number, a space nothing at all, and a newline a second line. In quotation
 * marks all of them are text that can be seen, end-of-text is "" and not nothing, and JSON.parse gives back every one. Where
 * spreadsheets take semicolons between cells, what comes after one in a text would be a cell too: it is escaped there.
 * @param {string} text
 */
function quoted(text) {
  return JSON.stringify(text).replace(/;(?!"$)/g, "\\u003b");
}

/**
 * The log as a table of comma-separated values (RFC 4180), a row for each pass. Numbers have all their digits, and a point.
 * @param {readonly Pass[]} log
 */
export function csvOf(log) {
  const rows = [COLUMNS.map(([heading]) => heading), ...log.map((pass) => COLUMNS.map(([, of]) => of(pass)))];
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** @param {Value} value */
function cell(value) {
  const text = String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What the numbers count. */
const UNITS = Object.freeze({
  flops: "FLOPs",
  flopsWithoutCache: "FLOPs",
  tokensIn: "tokens",
  contextLength: "tokens",
  maxTokens: "tokens",
  cacheBytes: "bytes",
  milliseconds: "ms",
});

/**
 * A run as plain data for a file. The candidates of each pass are left out: a hundred times the rest, and the run, made again
 * from what is here, has them.
 * @param {object} run
 * @param {Readonly<import("./flops.js").Config>} run.config
 * @param {string} run.model what it is called
 * @param {Omit<import("./link.js").LinkedSettings, "prompt" | "model" | "seed" | "hide" | "predict">} run.settings as they are now; what
 *   else is among them is left out
 * @param {number} run.seed
 * @param {string} run.prompt
 * @param {readonly number[]} run.tokens ids of the prompt, then of every sampled token
 * @param {string} run.text what was generated
 * @param {readonly Pass[]} run.log
 * @param {readonly import("./run.js").PassSettings[]} run.passes how each pass of the log was made
 */
export function jsonOf({ config, model, settings, seed, prompt, tokens, text, log, passes }) {
  const { sampling, temperature, topK, topP, stop, maxTokens, cache } = settings;
  return {
    format: "generation-loop run",
    version: 1,
    units: UNITS,
    model,
    config,
    settings: { sampling, temperature, topK, topP, stop, maxTokens, cache },
    seed,
    prompt,
    tokens,
    text,
    log: log.map((pass, index) => ({ ...pass, operations: pass.operations, ...passes[index] })),
  };
}
