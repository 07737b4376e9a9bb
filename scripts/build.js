/**
 * `npm run build`: the package in `dist/` and the chapter in `site/`, and their sizes beside what they may be.
 * What `dist/generation-loop.js` needs from the beginning is in it. Beside it stands what most readers never need: `files.js`
 * reads the files of a model, `worker-loop.js` and `worker.js` take one that is too large for the page's own thread, and `sharing.js`
 * makes and reads links.
 */

import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { ON_DEMAND, partsOf } from "../bench/sizes.js";
import { must, Problem, root, runIfMain, tool } from "./run.js";
import { ensureNodeModules, ensureRust } from "./setup.js";

const dist = join(root, "dist");

/** The most that a file may weigh, in bytes after gzip. */
const BUDGETS = [
  { file: "dist/generation-loop.js", most: 80_000 },
  { file: "www/pkg/generation_loop_bg.wasm", most: 40_000 },
];

/** Everything but the setup. */
export async function build() {
  await must(["cargo", "xtask", "wasm"]);
  rmSync(dist, { recursive: true, force: true });

  await library("www/index.js", "generation-loop.js", ON_DEMAND);
  await library("www/engine.js", "engine.js", ON_DEMAND);
  for (const file of ON_DEMAND) await library(join("www", file), file.replace("./", ""));
  // One file a language, for pages that speak it.
  await library("www/words/de.js", "words/de.js");
  // The worker shares the engine with whoever imports it: neither is in a file twice.
  await library("www/worker.js", "worker.js", ["./engine.js"]);
  await library("www/frame.js", "embed.js");
  await library("www/embed-host.js", "embed-host.js");
  writeFileSync(join(dist, "embed.html"), framePage());
  await types();
  await must(
    tool(
      "cem",
      "analyze",
      "--litelement",
      "--globs",
      "www/**/*.js",
      "--exclude",
      "www/pkg/**",
      "--outdir",
      "dist",
    ),
    {
      quiet: true,
    },
  );
  writeFileSync(join(dist, "generation-loop.html"), await onePage());

  const { build: vite } = await import("vite");
  await vite({ root, logLevel: "warn" });
  // A server that renders a page imports them, and none may ask for a browser.
  for (const file of ["generation-loop.js", "engine.js", "words/de.js"]) {
    await must([
      process.execPath,
      "--input-type=module",
      "--eval",
      `import ${JSON.stringify(pathToFileURL(join(dist, file)))}`,
    ]);
  }
  await sizes();
}

/**
 * Lit's build for browsers reaches for the document as soon as it is imported. A server that renders a page imports it too,
 * and must be able to: Lit's own answer, a second build, would be 3 kB that every reader fetches for nothing.
 * @returns {import("vite").Plugin}
 */
function importQuietly() {
  const replacements = new Map([
    ["extends HTMLElement", "extends(globalThis.HTMLElement??class{})"],
    ["=document,", "=globalThis.document,"],
    [".createTreeWalker(", "?.createTreeWalker("],
  ]);
  return {
    name: "import-quietly",
    transform(code, id) {
      if (!/node_modules\/(?:@lit|lit-html)\//.test(id)) return undefined;
      let quiet = code;
      for (const [loud, replacement] of replacements) quiet = quiet.replace(loud, replacement);
      return { code: quiet, map: null };
    },
  };
}

/**
 * Leaves the address of the worker as it is written, for the file that stands beside the library; Vite would put the whole
 * worker into the library as text. Bundlers of pages that use the package know the pattern, and take the file along.
 * @returns {import("vite").Plugin}
 */
function keepWorkerApart() {
  return {
    name: "keep-worker-apart",
    enforce: "pre",
    transform(code, id) {
      if (!id.endsWith("/worker-loop.js")) return undefined;
      return {
        code: code.replaceAll('URL("./worker.js"', 'URL(/* @vite-ignore */ "./worker.js"'),
        map: null,
      };
    },
  };
}

/**
 * Takes comments and white space out of style sheets: to the minifier they are text.
 * @returns {import("vite").Plugin}
 */
function tightStyles() {
  const tight = (/** @type {string} */ css) =>
    css.replace(/\/\*.*?\*\//gs, "").replace(/\s*([{};])\s*/g, "$1");
  return {
    name: "tight-styles",
    enforce: "pre",
    transform(code, id) {
      return id.startsWith(join(root, "www/"))
        ? { code: code.replace(/css`[^`]*`/g, tight), map: null }
        : undefined;
    },
  };
}

/**
 * Has the long texts, module and weights, stand at the head of the file. A server's compression codes what is alike together,
 * and in the middle of a program they cost a kilobyte more.
 * @param {string} code
 */
function textsFirst(code) {
  /** @type {string[]} */
  const texts = [];
  const rest = code.replace(/[`"]([A-Za-z0-9+/=]{5000,})[`"]/g, (_, text) => {
    texts.push(`$text${texts.length}="${text}"`);
    return `$text${texts.length - 1}`;
  });
  return texts.length === 0 ? code : `const ${texts.join(",")};${rest}`;
}

/**
 * One module with everything it imports inside.
 * @param {string} entry
 * @param {string} fileName
 * @param {readonly string[]} [external] what it imports as it is
 */
async function library(entry, fileName, external = []) {
  const { build: vite, minify } = await import("vite");
  await vite({
    root,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    plugins: [importQuietly(), keepWorkerApart(), tightStyles()],
    build: {
      outDir: dist,
      emptyOutDir: false,
      target: "es2022",
      lib: { entry: join(root, entry), formats: ["es"], fileName: () => fileName },
      rolldownOptions: { external: [...external], output: { codeSplitting: false } },
    },
  });
  // Vite leaves the white space in libraries, for bundlers that come later; most readers get this file as it is.
  const path = join(dist, fileName);
  const { code, errors } = await minify(fileName, readFileSync(path, "utf8"), { module: true });
  if (errors.length > 0)
    throw new Problem(`Cannot minify ${fileName}: ${errors.map((error) => error.message).join("; ")}`);
  // The minifier leaves templates as they are; in HTML and CSS a line end and the indentation after it are a space. A line
  // end on its own is one that the program means.
  writeFileSync(path, textsFirst(code.replace(/\n {2,}/g, " ")));
}

/** Declarations for the two entries, from the JSDoc. */
async function types() {
  const out = join(dist, "types");
  await must(tool("tsc", "-p", "tsconfig.types.json"));
  // The types of what the WebAssembly exports are generated, so tsc reads them but does not write them.
  mkdirSync(join(out, "pkg"), { recursive: true });
  for (const file of ["generation_loop_bg.wasm.d.ts", "wasm.d.ts"]) {
    cpSync(join(root, "www/pkg", file), join(out, "pkg", file));
  }
}

/** The page for frames, with the files of the package beside it. */
function framePage() {
  const files = {
    "www/frame.js": "embed.js",
    "www/index.js": "generation-loop.js",
    "www/words/de.js": "words/de.js",
  };
  return Object.entries(files).reduce(
    (html, [source, file]) => html.replace(`src="./${source}"`, `src="./${file}"`),
    readFileSync(join(root, "embed.html"), "utf8"),
  );
}

/** The widget as one file that opens from disk by a double click, with the network off. */
async function onePage() {
  const { parseAstAsync } = await import("vite");
  // From disk nothing can be fetched: everything is in it.
  const whole = "whole.js";
  await library("www/index.js", whole);
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
  const { whole, parts } = await partsOf(root, "www/index.js", [
    importQuietly(),
    keepWorkerApart(),
    tightStyles(),
  ]);
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
