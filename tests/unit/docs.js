/** The pages of docs/ as tests read them. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");

/** @param {string} file from the root of the repository */
export const textOf = (file) => readFileSync(join(root, file), "utf8");

/**
 * A page without what stands in its blocks of code: what looks like a heading or a link there is none.
 * @param {string} text
 */
export const withoutBlocks = (text) => text.replace(/^```[\s\S]*?^```$/gm, "");

/**
 * What stands below a heading, up to the next of its level or above.
 * @param {string} text
 * @param {string} heading with its number signs, as "## A pass"
 */
export function sectionOf(text, heading) {
  const lines = text.split("\n");
  const begin = lines.indexOf(heading);
  if (begin < 0) throw new Error(`there is no heading ${JSON.stringify(heading)}`);
  const level = heading.indexOf(" ");
  let inBlock = false;
  const end = lines.findIndex((line, index) => {
    if (line.startsWith("```")) inBlock = !inBlock;
    return index > begin && !inBlock && new RegExp(`^#{1,${level}} `).test(line);
  });
  return lines.slice(begin + 1, end < 0 ? undefined : end).join("\n");
}

/**
 * The rows of the first table in a text, their cells without backticks.
 * @param {string} text
 * @returns {string[][]}
 */
export function tableIn(text) {
  const [, ...rows] = (/(?:^\|.*\|$\n?)+/m.exec(text)?.[0] ?? "").trim().split("\n");
  // A bar with a backslash before it is text.
  return rows.slice(1).map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll("`", "")),
  );
}

/** The first column of that table. @param {string} text */
export const namesIn = (text) => tableIn(text).map(([name]) => name);

/**
 * The blocks of code of a language.
 * @param {string} text
 * @param {string} language
 */
export const blocksOf = (text, language) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, code]) => code);
