/** What the package holds, and what it says that it holds. */

/** Every file of the package; a star stands for a part of a name that the bundler gives. */
export const CONTENTS = [
  "CHANGELOG.md",
  "LICENSE-APACHE",
  "LICENSE-MIT",
  "README.md",
  "package.json",
  ...[
    "README",
    "element",
    "embedding",
    "engine",
    "own-model",
    "policy-and-privacy",
    "theming",
    "troubleshooting",
    "versioning",
  ].map((name) => `docs/${name}.md`),
  "docs/run.schema.json",
  // All in one, for a script element.
  "dist/generation-loop.js",
  "dist/lazy.js",
  "dist/generation-loop.css",
  "dist/engine.js",
  "dist/files.js",
  "dist/sharing.js",
  "dist/worker-loop.js",
  "dist/worker.js",
  "dist/words/de.js",
  // Pages.
  "dist/generation-loop.html",
  "dist/embed.html",
  "dist/embed.js",
  "dist/embed-host.js",
  // For bundlers, and the same with the WebAssembly as a file of its own.
  ...["modules", "split"].flatMap((form) =>
    [
      "index",
      "element",
      "engine",
      "files",
      "sharing",
      "worker-loop",
      "worker",
      "shared-element",
      "shared-engine",
      "shared-errors",
      "shared-settings",
    ].map((name) => `dist/${form}/${name}.js`),
  ),
  "dist/split/generation-loop.wasm",
  // For compilers and editors.
  "dist/custom-elements.json",
  "dist/vscode.css-custom-data.json",
  "dist/vscode.html-custom-data.json",
  ...[
    "checkpoint",
    "css",
    "element",
    "embed-host",
    "engine",
    "errors",
    "flops",
    "index",
    "lazy",
    "pass",
    "react",
    "settings",
    "sources",
    "table",
    "words/de",
  ].map((name) => `dist/types/${name}.d.ts`),
];

/** @param {string} pattern with stars, each for anything but a slash */
const asRegExp = (pattern) =>
  new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*")}$`);

/**
 * What stands in one list and not in the other.
 * @param {readonly string[]} patterns
 * @param {readonly string[]} files
 */
export function differences(patterns, files) {
  const expressions = patterns.map(asRegExp);
  return {
    missing: patterns.filter((_, at) => !files.some((file) => expressions[at].test(file))),
    unexpected: files.filter((file) => !expressions.some((expression) => expression.test(file))),
  };
}

/**
 * Every file that a `package.json` names, and where.
 * @param {Record<string, any>} manifest
 * @returns {{ at: string, file: string }[]}
 */
export function namedFiles({ exports = {}, customElements, files = [], sideEffects = [] }) {
  /** @type {{ at: string, file: string }[]} */
  const named = [];
  const add = (/** @type {string} */ at, /** @type {string} */ file) =>
    named.push({ at, file: file.replace(/^\.\//, "") });
  /** @param {string} at @param {unknown} value */
  const visit = (at, value) => {
    if (typeof value === "string") add(at, value);
    else for (const [key, inner] of Object.entries(value ?? {})) visit(`${at} ${key}`, inner);
  };
  visit("exports", exports);
  if (typeof customElements === "string") add("customElements", customElements);
  // Those of the repository that npm packs are named as folders too.
  for (const file of files) add("files", file);
  for (const file of Array.isArray(sideEffects) ? sideEffects : []) add("sideEffects", file);
  return named;
}

/**
 * Those named files that are not there.
 * @param {Record<string, any>} manifest
 * @param {readonly string[]} files
 */
export function absent(manifest, files) {
  return namedFiles(manifest).filter(({ file }) => {
    const expression = asRegExp(file);
    return !files.some((one) => expression.test(one) || one.startsWith(`${file}/`));
  });
}
