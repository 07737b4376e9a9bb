/**
 * What `dist/generation-loop.js` weighs, part by part. The bundle is made once more, with a source map, and the map says of every
 * character of it which file it comes from. A part weighs what the bundle would weigh less without those characters, after gzip.
 * The parts together weigh about what the whole does: not quite, for what two parts have in common is spared in both or in none.
 */

import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";

/**
 * The parts: files that a part owns, and the most that it may weigh, in bytes. A file belongs to the first that owns it.
 * @type {readonly { name: string, owns: RegExp, most: number }[]}
 */
export const PARTS = [
  { name: "WebAssembly", owns: /\/www\/pkg\/wasm\.js$/, most: 34_000 },
  { name: "trained weights", owns: /\/www\/pkg\/trained\.js$/, most: 10_500 },
  { name: "Lit", owns: /\/node_modules\/(?:lit|@lit|lit-html|lit-element)\//, most: 6_500 },
  { name: "styles", owns: /\/www\/(?:styles|palette)\.js$/, most: 5_500 },
  { name: "words", owns: /\/www\/words(?:\/.*)?\.js$/, most: 4_000 },
  {
    name: "element and views",
    owns: /\/www\/(?:views\/.*|index|element|layout|format|values|driver|stage|player|run|prompt|comparison|models|loading|predictions|clock|focus|sight|language|links)\.js$/,
    most: 19_200,
  },
  { name: "engine", owns: /\/www\/[^/]*\.js$/, most: 9_000 },
];

/** Files of their own beside the library, which it fetches when they are first wanted; under what names it imports them. */
export const ON_DEMAND = Object.freeze(["./files.js", "./sharing.js", "./worker-loop.js"]);

/** What style sheets are, wherever they stand. */
const STYLES = "styles";

/** Texts without structure come first here, where the blocks of the compression are the same whatever part of the program is left out. */
const FIRST = ["WebAssembly", "trained weights"];

/**
 * A piece of the bundle that belongs to one part.
 * @typedef {{ part: string, text: string }} Piece
 */

/** @param {string} text */
export const weightOf = (text) => gzipSync(text, { level: 9 }).length;

/** @param {string} path of a file, with forward slashes */
export function partOf(path) {
  const part = PARTS.find(({ owns }) => owns.test(path));
  if (part === undefined) throw new Error(`${path} belongs to no part of the bundle`);
  return part.name;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * The numbers of one segment of a source map: five bits a character, the lowest first, the sign in the very first.
 * @param {string} segment
 */
function numbersOf(segment) {
  const numbers = [];
  let [number, shift] = [0, 0];
  for (const character of segment) {
    const digit = DIGITS.indexOf(character);
    number += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(number & 1 ? -(number >> 1) : number >> 1);
    [number, shift] = [0, 0];
  }
  return numbers;
}

/**
 * Where in the code another file begins: places in ascending order, each with the index of a source.
 * @param {string} code
 * @param {string} mappings of its source map
 * @returns {{ at: number, source: number }[]}
 */
export function boundariesOf(code, mappings) {
  /** @type {{ at: number, source: number }[]} */
  const boundaries = [];
  let lineBegin = 0;
  let source = 0;
  for (const line of mappings.split(";")) {
    let column = 0;
    for (const segment of line === "" ? [] : line.split(",")) {
      const [columns, sources = 0] = numbersOf(segment);
      column += columns;
      source += sources;
      if (boundaries.at(-1)?.source !== source) boundaries.push({ at: lineBegin + column, source });
    }
    lineBegin = code.indexOf("\n", lineBegin) + 1;
  }
  return boundaries;
}

/**
 * Places of the style sheets in a program: the texts of templates with a tag, with braces, and without angle brackets.
 * @param {any} node of its syntax tree
 * @returns {{ start: number, end: number }[]}
 */
export function styleSheetsIn(node) {
  if (node === null || typeof node !== "object") return [];
  if (Array.isArray(node)) return node.flatMap(styleSheetsIn);
  const inside = Object.values(node).flatMap(styleSheetsIn);
  if (node.type !== "TaggedTemplateExpression") return inside;
  /** @type {{ start: number, end: number, value: { raw: string } }[]} */
  const texts = node.quasi.quasis;
  const all = texts.map(({ value }) => value.raw).join("");
  return /^[^<]*\{[^<]*$/.test(all)
    ? [...inside, ...texts.map(({ start, end }) => ({ start, end }))]
    : inside;
}

/**
 * The bundle in pieces, in order.
 * @param {string} code
 * @param {{ at: number, part: string }[]} boundaries in ascending order
 * @param {{ start: number, end: number }[]} styles
 * @returns {Piece[]}
 */
export function piecesOf(code, boundaries, styles) {
  /** @type {string[]} */
  const owners = Array(code.length);
  for (const [index, { at, part }] of boundaries.entries()) {
    owners.fill(part, index === 0 ? 0 : at, boundaries[index + 1]?.at ?? code.length);
  }
  for (const { start, end } of styles) owners.fill(STYLES, start, end);
  /** @type {Piece[]} */
  const pieces = [];
  for (let begin = 0; begin < code.length; ) {
    let end = begin + 1;
    while (end < code.length && owners[end] === owners[begin]) end += 1;
    pieces.push({ part: owners[begin], text: code.slice(begin, end) });
    begin = end;
  }
  return pieces;
}

/**
 * What each part weighs.
 * @param {readonly Piece[]} pieces
 */
export function weigh(pieces) {
  const sorted = [
    ...FIRST.flatMap((name) => pieces.filter(({ part }) => part === name)),
    ...pieces.filter(({ part }) => !FIRST.includes(part)),
  ];
  const without = (/** @type {string | null} */ name) =>
    weightOf(
      sorted
        .filter(({ part }) => part !== name)
        .map(({ text }) => text)
        .join("")
        .replace(/\n {2,}/g, " "),
    );
  const whole = without(null);
  return { whole, parts: PARTS.map(({ name, most }) => ({ name, most, gzip: whole - without(name) })) };
}

/**
 * The parts of a library with everything inside that it imports from the beginning.
 * @param {string} root of the repository
 * @param {string} entry
 * @param {import("vite").Plugin[]} plugins those of the build
 */
export async function partsOf(root, entry, plugins) {
  const { build, minify, parseAstAsync } = await import("vite");
  const built = await build({
    root,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    plugins,
    build: {
      write: false,
      sourcemap: "hidden",
      target: "es2022",
      lib: { entry: join(root, entry), formats: ["es"], fileName: () => "bundle.js" },
      rolldownOptions: { external: [...ON_DEMAND], output: { codeSplitting: false } },
    },
  });
  const [output] = /** @type {import("vite").Rolldown.RolldownOutput[]} */ ([built].flat());
  const chunk = output.output[0];
  const inputMap = /** @type {any} */ (chunk.map);
  const { code, map } = await minify("bundle.js", chunk.code, { module: true, sourcemap: true, inputMap });
  if (map === undefined) throw new Error("a bundle without a source map");
  // Sources are named as from the folder that the bundle would be written to.
  const names = map.sources.map((source) => partOf(resolve(root, "dist", source).replaceAll("\\", "/")));
  const boundaries = boundariesOf(code, map.mappings).map(({ at, source }) => ({ at, part: names[source] }));
  return weigh(piecesOf(code, boundaries, styleSheetsIn(await parseAstAsync(code))));
}
