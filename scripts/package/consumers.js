/** The type tests: programs that use the package, each compiled by itself, in the ways in which others compile theirs. */

import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { root, run, tool } from "../run.js";

/**
 * A program, and what it is compiled with.
 * @typedef {object} Consumer
 * @property {string} file in `tests/types`
 * @property {string[]} [options]
 * @property {string[]} [packages] others that it uses
 */

const PAGE = ["--lib", "es2022,dom,dom.iterable"];

/** @type {Consumer[]} */
const CONSUMERS = [
  { file: "page.ts", options: PAGE },
  { file: "element.ts", options: PAGE },
  { file: "lazy.ts", options: PAGE },
  { file: "engine.ts", options: PAGE },
  // Where there is no page, its types are not there.
  {
    file: "node.ts",
    options: ["--lib", "es2023", "--types", "node"],
    packages: ["@types/node", "undici-types"],
  },
  {
    file: "react.tsx",
    options: [...PAGE, "--jsx", "react-jsx"],
    packages: ["@types/react", "csstype"],
  },
];

const RESOLUTIONS = [
  ["--module", "esnext", "--moduleResolution", "bundler"],
  ["--module", "nodenext", "--moduleResolution", "nodenext"],
];

const STRICT = [
  "--noEmit",
  "--strict",
  "--exactOptionalPropertyTypes",
  "--skipLibCheck",
  "false",
  "--target",
  "es2022",
];

/**
 * Compiles all against an installed package. What the compiler says of each.
 * @param {string} folder in whose `node_modules` the package is, and nothing else
 */
export async function compileAll(folder) {
  cpSync(join(root, "tests/types"), folder, { recursive: true });
  const failures = [];
  for (const { file, options = [], packages = [] } of CONSUMERS) {
    for (const name of packages) {
      mkdirSync(join(folder, "node_modules", name), { recursive: true });
      cpSync(join(root, "node_modules", name), join(folder, "node_modules", name), { recursive: true });
    }
    for (const resolution of RESOLUTIONS) {
      const command = tool("tsc", "--ignoreConfig", ...STRICT, ...resolution, ...options, join(folder, file));
      const { code, output } = await run(command, { quiet: true });
      if (code !== 0) failures.push(`${file}, ${resolution.at(-1)}:\n${output}`);
    }
  }
  return failures;
}
