/** Which declarations the entries of the package need: the compiler writes one for each file that it has read. */

import { posix } from "node:path";

/** What a declaration takes from elsewhere. Comments name files too, and need none. @param {string} text */
export function importsOf(text) {
  const code = text.replace(/\/\*.*?\*\//gs, "");
  const imports = [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g)].map(([, from]) => from);
  const references = [...text.matchAll(/^\/\/\/\s*<reference\s+\w+="([^"]+)"/gm)].map(([, name]) => name);
  return [...imports, ...references];
}

/**
 * All that is needed from these entries on.
 * @param {ReadonlyMap<string, string>} files declarations by their paths, with slashes
 * @param {readonly string[]} entries
 * @returns {{ reached: Set<string>, missing: string[], packages: Map<string, string[]> }} `packages`: what has to come from elsewhere, and
 *   who needs it
 */
export function reach(files, entries) {
  /** @type {Set<string>} */
  const reached = new Set();
  /** @type {string[]} */
  const missing = [];
  /** @type {Map<string, string[]>} */
  const packages = new Map();
  const open = [...entries];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    const text = files.get(path);
    if (text === undefined) {
      missing.push(path);
      continue;
    }
    reached.add(path);
    for (const from of importsOf(text)) {
      if (from.startsWith(".")) open.push(posix.join(posix.dirname(path), from.replace(/\.js$/, ".d.ts")));
      else packages.set(from, [...(packages.get(from) ?? []), path]);
    }
  }
  return { reached, missing, packages };
}
