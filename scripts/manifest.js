/**
 * What is made from the comments of the element: the manifest, the declarations, what editors read, and the reference for people.
 * The build calls {@link manifest} once the compiler has written its declarations. `node scripts/manifest.js --docs` writes `docs/element.md`.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { classOf, typesOf } from "./manifest/analysis.js";
import {
  elementDeclaration,
  forOlder,
  indexDeclaration,
  lazyDeclaration,
  reactDeclaration,
  tableDeclaration,
  wordsDeclaration,
} from "./manifest/declarations.js";
import { cssData, htmlData } from "./manifest/editors.js";
import { factsOf, manifestOf } from "./manifest/facts.js";
import { reach } from "./manifest/reach.js";
import { reference } from "./manifest/reference.js";
import { Problem, root, runIfMain } from "./run.js";

/** What a package may be needed for: React's types are those of who writes for React. */
const PACKAGES = new Map([["react", ["react.d.ts"]]]);

/** The text of `docs/element.md`. */
export function docs() {
  return reference(factsOf(classOf()), typesOf());
}

/**
 * Writes what the package has of this, into the folder where the library stands.
 * @param {string} [dist]
 */
export function manifest(dist = join(root, "dist")) {
  const facts = factsOf(classOf());
  const types = typesOf();
  /** @param {string} file @param {unknown} content */
  const json = (file, content) => writeFileSync(join(dist, file), `${JSON.stringify(content, null, 2)}\n`);
  json("custom-elements.json", manifestOf(facts));
  json("vscode.html-custom-data.json", htmlData(facts, types.panel));
  json("vscode.css-custom-data.json", cssData(facts));
  const languages = readdirSync(join(dist, "words")).map((file) => file.replace(/\.js$/, ""));
  declarations(join(dist, "types"), {
    // Compilers ask for a declaration of whatever is imported, of a style sheet too.
    "css.d.ts": "export {};\n",
    "embed-host.d.ts": "export {};\n",
    "element.d.ts": elementDeclaration(facts, types),
    "index.d.ts": indexDeclaration(facts),
    "lazy.d.ts": lazyDeclaration(),
    "react.d.ts": reactDeclaration(facts),
    ...Object.fromEntries(languages.map((name) => [`words/${name}.d.ts`, wordsDeclaration(name)])),
  });
}

/**
 * Puts declarations beside those that the compiler wrote, and takes away what nobody needs.
 * @param {string} folder
 * @param {Record<string, string>} made
 */
function declarations(folder, made) {
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".d.ts"))
    .map((file) => file.replaceAll("\\", "/"));
  const files = new Map(found.map((file) => [file, forOlder(readFileSync(join(folder, file), "utf8"))]));
  const english = files.get("words/en.d.ts");
  if (english !== undefined) files.set("table.d.ts", tableDeclaration(english));
  for (const [file, text] of Object.entries(made)) files.set(file, text);

  const { reached, missing, packages } = reach(files, ["engine.d.ts", ...Object.keys(made)]);
  if (missing.length > 0) throw new Problem(`dist/types has no ${missing.join(", no ")}`);
  for (const [name, by] of packages) {
    const others = by.filter((file) => !PACKAGES.get(name)?.includes(file));
    if (others.length > 0)
      throw new Problem(`dist/types/${others[0]} needs ${name}, which its reader may not have`);
  }
  rmSync(folder, { recursive: true });
  for (const file of reached) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), /** @type {string} */ (files.get(file)));
  }
}

await runIfMain(import.meta.url, async () => {
  const [option, ...rest] = process.argv.slice(2);
  if (rest.length > 0 || (option !== undefined && option !== "--docs")) {
    throw new Problem("usage: node scripts/manifest.js [--docs]");
  }
  if (option === "--docs") writeFileSync(join(root, "docs/element.md"), docs());
  else manifest();
});
