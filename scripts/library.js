/** How the library is put together: one file with everything inside, or modules that share their parts. */

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Problem, root } from "./run.js";

/**
 * Lit's build for browsers reaches for the document as soon as it is imported. A server that renders a page imports it too,
 * and must be able to: Lit's own answer, a second build, would be 3 kB that every reader fetches for nothing. It also writes its
 * versions into three global lists, for a warning that only its development build gives: a page's globals are the page's.
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
      if (!/node_modules\/(?:@lit|lit-html|lit-element)\//.test(id)) return undefined;
      let quiet = code;
      quiet = quiet.replace(
        /Symbol\.metadata\?\?=Symbol\("metadata"\),\w+\.litPropertyMetadata\?\?=/,
        "const litPropertyMetadata=",
      );
      quiet = quiet.replace(/\(\w+\.\w+Versions\?\?=\[\]\)\.push\("[\d.]+"\)/, "0");
      // Every browser in which WebAssembly has simd128 has constructed style sheets, so what it does without them is never reached.
      quiet = quiet.replace(/\w\.ShadowRoot&&.*?"replace"in CSSStyleSheet\.prototype/, "!0");
      // What it says of a template that is wrong is for those who write templates: here, where it is not left out.
      quiet = quiet.replace(/\bError\("[^"]*"(?:\+\w+\+"[^"]*")?\)/g, "Error()");
      for (const [loud, replacement] of replacements) quiet = quiet.replace(loud, replacement);
      return { code: quiet, map: null };
    },
  };
}

/**
 * Leaves the addresses of files beside the library as they are written: the worker's, and that of the WebAssembly where it is apart.
 * Vite would put all of them into the library as text. Bundlers of pages that use the package know the pattern, and take the files
 * along.
 * @returns {import("vite").Plugin}
 */
function keepFilesApart() {
  return {
    name: "keep-files-apart",
    enforce: "pre",
    transform(code, id) {
      if (!/\/www\/(?:worker-loop|module-file)\.js$/.test(id)) return undefined;
      return {
        code: code.replaceAll(/URL\((?="\.\/[a-z.-]+", import\.meta\.url)/g, "URL(/* @vite-ignore */ "),
        map: null,
      };
    },
  };
}

/**
 * The WebAssembly from a file of its own.
 * @returns {import("vite").Plugin}
 */
function moduleFromFile() {
  return {
    name: "module-from-file",
    enforce: "pre",
    resolveId(source, importer) {
      return source === "./module.js" && importer?.endsWith("/www/boundary.js")
        ? join(dirname(importer), "module-file.js")
        : undefined;
    },
  };
}

/**
 * Takes comments and white space out of style sheets: to the minifier they are text.
 * @returns {import("vite").Plugin}
 */
function tightStyles() {
  const tight = (/** @type {string} */ css) =>
    css
      .replace(/\/\*.*?\*\//gs, "")
      .replace(/\s*([{};,])\s*/g, "$1")
      .replace(/:\s+/g, ":")
      .replaceAll(";}", "}");
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
 * Has the long texts, module and weights, stand at the end of the file. Compression codes what is alike together, in blocks of a length
 * that differs between programs, and in the middle of a program they cost up to two kilobytes more. As functions they are there from
 * the beginning, wherever they stand.
 * @param {string} code
 */
function textsLast(code) {
  /** @type {string[]} */
  const texts = [];
  const rest = code.replace(/[`"]([A-Za-z0-9+/=]{5000,})[`"]/g, (_, text) => {
    texts.push(`function $text${texts.length}(){return"${text}"}`);
    return `$text${texts.length - 1}()`;
  });
  return `${rest}${texts.join("")}`;
}

/** Plugins of every form. */
export const plugins = () => [importQuietly(), keepFilesApart(), tightStyles()];

/**
 * One module with everything it imports inside.
 * @param {string} entry
 * @param {string} path of the file that is written
 * @param {Readonly<Record<string, string>>} [apart] what it imports as it is, and by which address
 * @param {{ wasmApart?: boolean }} [form]
 */
export async function library(entry, path, apart = {}, { wasmApart = false } = {}) {
  const name = basename(path, ".js");
  await written(dirname(path), { [name]: entry }, { external: apart, codeSplitting: false, wasmApart });
}

/**
 * Modules that share what they have in common: in files of their own beside them, so that nothing is there twice.
 * @param {Readonly<Record<string, string>>} entries by the name of the file that is written
 * @param {string} folder
 * @param {{ wasmApart: boolean }} form
 */
export async function modules(entries, folder, { wasmApart }) {
  await written(folder, entries, { wasmApart });
  if (wasmApart) {
    cpSync(join(root, "www/pkg/generation_loop_bg.wasm"), join(folder, "generation-loop.wasm"));
  }
}

/**
 * @param {string} folder
 * @param {Readonly<Record<string, string>>} entries
 * @param {{ external?: Readonly<Record<string, string>>, codeSplitting?: boolean, wasmApart?: boolean }} options
 */
async function written(folder, entries, { external = {}, codeSplitting, wasmApart }) {
  const { build: vite } = await import("vite");
  const input = Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, join(root, entry)]));
  const made = await vite({
    root,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    plugins: [...plugins(), ...(wasmApart ? [moduleFromFile()] : [])],
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: "es2022",
      lib: { entry: input, formats: ["es"], fileName: (_, name) => `${name}.js` },
      rolldownOptions: {
        external: Object.keys(external),
        output: {
          ...(codeSplitting === false && { codeSplitting }),
          // What is fetched on demand is named in a message if it is missing.
          chunkFileNames: ({ isDynamicEntry }) => (isDynamicEntry ? "[name].js" : "shared-[name].js"),
          // It asks by the whole path of what is imported.
          paths: (id) => external[`./${basename(id)}`] ?? id,
        },
      },
    },
  });
  const outputs = /** @type {import("vite").Rolldown.RolldownOutput[]} */ ([made].flat());
  for (const { fileName } of outputs.flatMap(({ output }) => output)) await tighten(join(folder, fileName));
}

/**
 * Vite leaves the white space in libraries, for bundlers that come later; most readers get these files as they are.
 * @param {string} path
 */
async function tighten(path) {
  const { minify } = await import("vite");
  const { code, errors } = await minify(basename(path), readFileSync(path, "utf8"), { module: true });
  if (errors.length > 0)
    throw new Problem(`Cannot minify ${path}: ${errors.map((error) => error.message).join("; ")}`);
  // The minifier leaves templates as they are; in HTML and CSS a line end and the indentation after it are a space. A line
  // end on its own is one that the program means.
  writeFileSync(path, textsLast(code.replace(/\n {2,}/g, " ")));
}
