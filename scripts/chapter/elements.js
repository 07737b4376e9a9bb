/** Elements of a page that are made at build time: where they stand, and what comes in their places. */

import { parse } from "parse5";
import { Problem } from "../run.js";

/**
 * One of them, as it is written in the page.
 * @typedef {object} Written
 * @property {string} name of the element
 * @property {Readonly<Record<string, string>>} attributes
 * @property {string} text what stands between its tags
 */

/**
 * What makes an element's HTML.
 * @typedef {(written: Written) => string | Promise<string>} Maker
 */

/**
 * A page with all its elements of these names replaced. The rest of it stays as it is, letter by letter.
 * @param {string} html
 * @param {Readonly<Record<string, Maker>>} makers by the name of the element
 * @param {string} file what a complaint calls the page
 * @throws {Problem} naming the line, if one cannot be made
 */
export async function replaced(html, makers, file) {
  let page = html;
  // From the end, so that places before are still where the parser found them.
  for (const { written, start, end, line, wrong } of found(html, makers).reverse()) {
    try {
      if (wrong !== null) throw new Problem(wrong);
      page = page.slice(0, start) + (await makers[written.name](written)) + page.slice(end);
    } catch (error) {
      throw new Problem(`${file}, line ${line}: <${written.name}>: ${/** @type {Error} */ (error).message}`);
    }
  }
  return page;
}

/**
 * @param {string} html
 * @param {Readonly<Record<string, Maker>>} makers
 */
function found(html, makers) {
  /** @type {{ written: Written, start: number, end: number, line: number, wrong: string | null }[]} */
  const list = [];
  // What is in <noscript> is part of the page too, and for its readers.
  const document = parse(html, { sourceCodeLocationInfo: true, scriptingEnabled: false });
  /** @param {any} node */
  const visit = (node) => {
    const children = node.content?.childNodes ?? node.childNodes ?? [];
    if (!Object.hasOwn(makers, node.nodeName)) {
      for (const child of children) visit(child);
      return;
    }
    const { startOffset, endOffset, startLine, endTag } = node.sourceCodeLocation;
    const isPlain = children.every((/** @type {any} */ child) => child.nodeName === "#text");
    const attributes = node.attrs.map((/** @type {{ name: string, value: string }} */ { name, value }) => [
      name,
      value,
    ]);
    list.push({
      written: {
        name: node.nodeName,
        attributes: Object.fromEntries(attributes),
        text: children.map((/** @type {any} */ child) => child.value ?? "").join(""),
      },
      start: startOffset,
      end: endOffset,
      line: startLine,
      wrong: !endTag ? "is not closed" : isPlain ? null : "has an element inside; write &lt; for <",
    });
  };
  visit(document);
  return list.sort((a, b) => a.start - b.start);
}

/**
 * A text as HTML shows it.
 * @param {string} text
 */
export function escaped(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * @param {Written} written
 * @param {readonly string[]} allowed
 * @throws {Problem} for an attribute that has no meaning there
 */
export function refuseOthers({ attributes }, allowed) {
  for (const name of Object.keys(attributes)) {
    if (!allowed.includes(name))
      throw new Problem(`has no attribute ${name}; allowed: ${allowed.join(", ") || "none"}`);
  }
}
