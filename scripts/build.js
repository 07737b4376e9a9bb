/**
 * `npm run build`: the package in `dist/` and the chapter in `site/`, and their sizes beside what they may be.
 *
 * The package has three forms of one library. `dist/generation-loop.js` has everything in it that is needed from the beginning, for a
 * script element; beside it stands what most readers never need: `files.js` reads the files of a model, `worker-loop.js` and `worker.js` take
 * one that is too large for the page's own thread, and `sharing.js` makes and reads links. `dist/modules/` is for bundlers: element, engine
 * and the rest share their parts. `dist/split/` is the same with the WebAssembly as a file.
 */

import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { ON_DEMAND, partsOf } from "../bench/sizes.js";
import { library, modules, plugins } from "./library.js";
import { manifest } from "./manifest.js";
import { must, Problem, root, runIfMain, tool } from "./run.js";
import { ensureNodeModules, ensureRust } from "./setup.js";

const dist = join(root, "dist");

/** What a bundler can import, of both forms that it is given. */
const ENTRIES = {
  index: "www/index.js",
  element: "www/element.js",
  engine: "www/engine.js",
};

/** The most that a file may weigh, in bytes after gzip. */
export const BUDGETS = [
  { file: "dist/generation-loop.js", most: 80_000 },
  { file: "www/pkg/generation_loop_bg.wasm", most: 40_000 },
];

/** Everything but the setup. */
export async function build() {
  await must(["cargo", "xtask", "wasm"]);
  rmSync(dist, { recursive: true, force: true });

  const beside = Object.fromEntries(ON_DEMAND.map((file) => [file, file]));
  await library("www/index.js", join(dist, "generation-loop.js"), beside);
  await library("www/engine.js", join(dist, "engine.js"), beside);
  for (const file of ON_DEMAND) await library(join("www", file), join(dist, file));
  // The worker shares the engine with whoever imports it: neither is in a file twice.
  await library("www/worker.js", join(dist, "worker.js"), { "./engine.js": "./engine.js" });
  // One file a language, for pages that speak it.
  await library("www/words/de.js", join(dist, "words/de.js"));
  await library("www/lazy.js", join(dist, "lazy.js"), { "./index.js": "./generation-loop.js" });
  for (const [form, wasmApart] of /** @type {const} */ ([
    ["modules", false],
    ["split", true],
  ])) {
    await modules(ENTRIES, join(dist, form), { wasmApart });
    // One file: bundlers that put workers into classic scripts can make nothing else of it.
    await library("www/worker.js", join(dist, form, "worker.js"), {}, { wasmApart });
  }
  copyFileSync(join(root, "www/generation-loop.css"), join(dist, "generation-loop.css"));
  await library("www/frame.js", join(dist, "embed.js"));
  await library("www/embed-host.js", join(dist, "embed-host.js"));
  writeFileSync(join(dist, "embed.html"), framePage());
  // Declarations from the JSDoc; those of the element, which know more, and only what an entry needs, are made of its comments.
  await must(tool("tsc", "-p", "tsconfig.types.json"));
  manifest();
  writeFileSync(join(dist, "generation-loop.html"), await onePage());

  const { build: vite } = await import("vite");
  await vite({ root, logLevel: "warn" });
  // A server that renders a page imports them, and none may ask for a browser.
  const quiet = ["generation-loop.js", "engine.js", "words/de.js", "lazy.js"];
  for (const form of ["modules", "split"]) {
    for (const name of ["index", "element", "engine"]) quiet.push(`${form}/${name}.js`);
  }
  for (const file of quiet) {
    await must([
      process.execPath,
      "--input-type=module",
      "--eval",
      `import ${JSON.stringify(pathToFileURL(join(dist, file)))}`,
    ]);
  }
  await sizes();
}

/** The page for frames, with the files of the package beside it. */
function framePage() {
  const files = {
    "www/generation-loop.css": "generation-loop.css",
    "www/frame.js": "embed.js",
    "www/index.js": "generation-loop.js",
    "www/words/de.js": "words/de.js",
  };
  return Object.entries(files).reduce(
    (html, [source, file]) => html.replace(`="./${source}"`, `="./${file}"`),
    readFileSync(join(root, "embed.html"), "utf8"),
  );
}

/** The widget as one file that opens from disk by a double click, with the network off. */
async function onePage() {
  const { parseAstAsync } = await import("vite");
  // From disk nothing can be fetched: everything is in it.
  const whole = "whole.js";
  await library("www/index.js", join(dist, whole));
  // Inside a script element these three would end it or change how its end is found. In JavaScript they stand only in
  // strings, templates and regular expressions, where an escaped `<` means the same; that nothing broke is checked.
  const scripts = ["embed.js", whole, "words/de.js"].map((file) =>
    readFileSync(join(dist, file), "utf8").replace(/<(?=!--|\/?script)/gi, "\\x3c"),
  );
  rmSync(join(dist, whole));
  for (const script of scripts) await parseAstAsync(script);
  // The policy makes "with the network off" a fact: the browser itself refuses every request from this page.
  const policy =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data:";
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>One token per forward pass</title>
<style>body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; font-family: system-ui, sans-serif }</style>
<generation-loop prompt="the cat sat"><p>This needs a browser with JavaScript and WebAssembly.</p></generation-loop>
${scripts.map((script) => `<script type="module">\n${script}\n</script>`).join("\n")}
</html>
`;
}

/** Prints what was made and how much it weighs, also by part, and fails where that is too much. */
async function sizes() {
  const files = [
    "generation-loop.js",
    "words/de.js",
    "engine.js",
    "worker.js",
    ...ON_DEMAND,
    "lazy.js",
    "generation-loop.css",
    ...["modules", "split"].flatMap((form) => readdirSync(join(dist, form)).map((file) => `${form}/${file}`)),
    "embed.js",
    "embed-host.js",
    "generation-loop.html",
    "custom-elements.json",
  ].map((file) => join(dist, file));
  /** @param {number} bytes */
  const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(10);
  const over = [];
  console.log(`\n${"file".padEnd(34)}${"raw".padStart(10)}${"gzip".padStart(10)}${"budget".padStart(10)}`);
  for (const path of [...files, join(root, "www/pkg/generation_loop_bg.wasm")]) {
    const file = relative(root, path).replaceAll("\\", "/");
    const gzip = gzipSync(readFileSync(path), { level: 9 }).length;
    const most = BUDGETS.find((budget) => budget.file === file)?.most;
    if (most !== undefined && gzip > most)
      over.push(`${file}: ${gzip} bytes after gzip, at most ${most} allowed`);
    console.log(file.padEnd(34) + kB(statSync(path).size) + kB(gzip) + (most === undefined ? "" : kB(most)));
  }
  const { whole, parts } = await partsOf(root, "www/index.js", plugins());
  console.log(
    `\n${"of dist/generation-loop.js, less without".padEnd(44)}${"gzip".padStart(10)}${"budget".padStart(10)}`,
  );
  for (const { name, gzip, most } of parts) {
    if (gzip > most) over.push(`${name}: ${gzip} bytes after gzip, at most ${most} allowed`);
    console.log(name.padEnd(44) + kB(gzip) + kB(most));
  }
  const sum = parts.reduce((total, { gzip }) => total + gzip, 0);
  console.log(`${"all of these; the whole".padEnd(44)}${kB(sum)}${kB(whole)}`);
  if (over.length > 0) throw new Problem(`Over budget:\n  ${over.join("\n  ")}`);
}

await runIfMain(import.meta.url, async () => {
  await ensureNodeModules();
  await ensureRust();
  await build();
});
