/** Tables and numbers as they are printed. */

/** Three digits, or all that stand before the point. @param {number} value */
export const number = (value) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

/** @param {number | null} value */
export const percent = (value) => (value === null ? "" : `${(100 * value).toFixed(0)} %`);

/** With a prefix, as in "12.6 M". @param {number} value */
export function short(value) {
  const [size, prefix] = /** @type {const} */ ([
    [1e9, " G"],
    [1e6, " M"],
    [1e3, " k"],
    [1, ""],
  ]).find(([least]) => value >= least) ?? [1, ""];
  return `${number(value / size)}${prefix}`;
}

/**
 * Columns as wide as what stands in them: words to the left, what comes after them to the right.
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 * @param {number} words how many columns hold words
 */
export function table(head, rows, words) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (/** @type {readonly string[]} */ row) =>
    row
      .map((cell, column) => (column < words ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join("  ")
      .trimEnd();
  return [head, ...rows].map(line).join("\n");
}

/**
 * The heading of a section: what it is, and on what it was measured.
 * @param {string} title
 * @param {import("./host.js").Stamp} stamp
 */
export const heading = (title, { machine, browser, rounds }) =>
  `\n${title}: ${machine}, ${browser}, ${rounds} rounds\n`;

/**
 * What became of the goals, a line each.
 * @param {readonly import("./goals.js").Outcome[]} goals
 */
export const verdicts = (goals) =>
  goals
    .map(({ of, must, aim, atMost, unit, reached, verdict }) => {
      const [sign, word] = atMost ? ["at most ", "or less"] : ["at least ", "or more"];
      return `${of}: ${number(reached)}${unit}; must ${sign}${must}, aim ${aim} ${word}: ${verdict}`;
    })
    .join("\n");
