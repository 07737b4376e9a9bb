/** Pieces of the project's own source, taken from the files as they are, with their syntax and the steps of the loop marked. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { classHighlighter, highlightTree } from "@lezer/highlight";
import { parser as javascript } from "@lezer/javascript";
import { parser as rust } from "@lezer/rust";
import { STEPS } from "../../www/chapter/steps.js";
import { Problem, root } from "../run.js";
import { escaped, refuseOthers } from "./elements.js";
import { marksIn } from "./marks.js";

/**
 * How the items of a language are found in its syntax tree.
 * @type {Readonly<Record<string, { language: string, parser: typeof rust, items: readonly string[], names: readonly string[] }>>}
 */
const LANGUAGES = {
  ".rs": { language: "Rust", parser: rust, items: ["FunctionItem"], names: ["BoundIdentifier"] },
  ".js": {
    language: "JavaScript",
    parser: javascript,
    items: ["MethodDeclaration", "FunctionDeclaration"],
    names: ["PropertyDefinition", "PrivatePropertyDefinition", "VariableDefinition"],
  },
};

/** Of the highlighter's classes, those that look like anything here; an element for every comma would be most of the page. */
const STYLED = ["keyword", "comment", "string", "string2", "number", "bool"].map((name) => `tok-${name}`);

/**
 * A file of source, read into its syntax.
 * @typedef {object} Source
 * @property {string} file
 * @property {string} text
 * @property {string[]} lines
 * @property {ReturnType<typeof rust.parse>} tree
 * @property {(typeof LANGUAGES)[string]} language
 */

/**
 * @param {string} file its path from the root
 * @param {string} text
 * @returns {Source}
 * @throws {Problem}
 */
export function sourceOf(file, text) {
  const language = LANGUAGES[/\.\w+$/.exec(file)?.[0] ?? ""];
  if (language === undefined) {
    throw new Problem(`cannot read ${file}; allowed: files in ${Object.keys(LANGUAGES).join(", ")}`);
  }
  return { file, text, lines: text.split("\n"), tree: language.parser.parse(text), language };
}

/**
 * The lines of a function or method, by its name.
 * @param {Source} source
 * @param {string} name
 * @returns {[first: number, last: number]} from 1
 * @throws {Problem} if there is none of this name, or several
 */
export function linesOfItem({ file, text, tree, language }, name) {
  /** @type {[number, number][]} */
  const spans = [];
  tree.iterate({
    enter(node) {
      if (!language.items.includes(node.name)) return;
      for (const kind of language.names) {
        const known = node.node.getChild(kind);
        if (known !== null && text.slice(known.from, known.to) === name) spans.push([node.from, node.to]);
      }
    },
  });
  if (spans.length !== 1)
    throw new Problem(`${file} has ${spans.length || "no"} functions named ${name}; one is needed`);
  const [from, to] = spans[0];
  const lineAt = (/** @type {number} */ place) => text.slice(0, place).split("\n").length;
  return [lineAt(from), lineAt(to)];
}

/**
 * The lines from the one that has a text in it to the one that has another.
 * @param {Source} source
 * @param {string} from
 * @param {string} to
 * @returns {[first: number, last: number]} from 1
 * @throws {Problem} if one of them is not in exactly one line, or they come in the other order
 */
export function linesBetween({ file, lines }, from, to) {
  const [first, last] = [from, to].map((mark) => {
    const places = lines.flatMap((line, index) => (line.includes(mark) ? [index + 1] : []));
    if (mark === "" || places.length !== 1)
      throw new Problem(`"${mark}" is in ${places.length} lines of ${file}; it must be in one`);
    return places[0];
  });
  if (first > last) throw new Problem(`"${to}" comes before "${from}" in ${file}`);
  return [first, last];
}

/**
 * Lines as HTML, each in an element: a link to what it lights up, where it is a step of the loop. The text of it all is the text
 * of the lines, with their ends.
 * @param {Source} source
 * @param {number} first from 1
 * @param {number} last
 * @param {ReadonlyMap<number, string>} steps by line
 */
export function listing({ text, lines, tree }, first, last, steps) {
  const starts = [0];
  for (const line of lines) starts.push(starts[starts.length - 1] + line.length + 1);
  const html = lines.slice(first - 1, last).map(() => "");
  let line = first - 1;
  let at = starts[line];
  const end = starts[last];
  /** @param {number} to @param {string} classes */
  const put = (to, classes) => {
    while (at < to) {
      // What spans several lines, as a template does, is marked in each.
      const stop = Math.min(to, starts[line + 1] - 1);
      const piece = escaped(text.slice(at, stop));
      if (piece !== "")
        html[line - first + 1] += classes ? `<span class="${classes}">${piece}</span>` : piece;
      at = stop;
      if (at < to) {
        line += 1;
        at += 1;
      }
    }
  };
  highlightTree(
    tree,
    classHighlighter,
    (from, to, classes) => {
      put(from, "");
      put(Math.min(to, end - 1), STYLED.find((name) => classes.split(" ").includes(name)) ?? "");
    },
    at,
    end - 1,
  );
  put(end - 1, "");
  return html
    .map((content, index) => {
      const step = steps.get(first + index);
      // The line end is inside: between the elements it would be a line of its own.
      if (step === undefined) return `<span class="line">${content}\n</span>`;
      const { leads } = STEPS[step];
      return `<a class="line" href="#widget" data-step="${step}"><span class="text" data-leads="→ ${escaped(leads)}">${content}</span>\n</a>`;
    })
    .join("");
}

/**
 * `<source-code file="crate/src/session.rs" item="prefill">`, or `from="…" to="…"` for the lines between two texts.
 * @type {import("./elements.js").Maker}
 */
export function sourceCode(written) {
  refuseOthers(written, ["file", "item", "from", "to"]);
  const { file = "", item, from, to } = written.attributes;
  if ((item === undefined) === (from === undefined || to === undefined))
    throw new Problem("needs a file, and either an item or from and to");
  const source = sourceOf(file, readFileSync(join(root, file), "utf8"));
  const [first, last] = item === undefined ? linesBetween(source, from, to) : linesOfItem(source, item);
  const steps = marksIn(source, item ?? null, first, last);
  const place = `${file}, lines ${first} to ${last}`;
  const label = `${item ?? "Source"}, ${source.language}: ${place}`;
  return `<figure class="source" data-file="${escaped(file)}"${item === undefined ? "" : ` data-item="${escaped(item)}"`} data-first="${first}" data-last="${last}">
<figcaption>${item === undefined ? "" : `<b>${escaped(item)}</b> `}<span class="place">${escaped(place)}</span></figcaption>
<div class="pane" tabindex="0" role="group" aria-label="${escaped(label)}"><pre><code>${listing(source, first, last, steps)}</code></pre></div>
</figure>`;
}
