/** TeX as MathML. */

import temml from "temml";
import { Problem } from "../run.js";
import { refuseOthers } from "./elements.js";

/**
 * Styles that the typesetter writes into elements, and the class that stands for each: the page's policy allows no style
 * there. Empty: the element says it already.
 * @type {Readonly<Record<string, string>>}
 */
const CLASS_FOR = {
  "display:block math;": "",
  "padding-left:0em;padding-right:0em;": "tml-flush",
  "padding-left:1em;padding-right:0em;": "tml-apart",
};

/**
 * The MathML of a formula. The TeX goes along as its annotation.
 * @param {string} tex
 * @param {boolean} display in a line of its own
 * @throws {Problem} if it is no TeX
 */
export function typeset(tex, display) {
  const options = { displayMode: display, annotate: true, throwOnError: true, strict: true };
  let mathml;
  try {
    mathml = temml.renderToString(tex.trim(), options);
  } catch (error) {
    // The typesetter marks the place with combining letters, in a line of its own.
    const words = /** @type {Error} */ (error).message.normalize().replace(/\p{M}/gu, "");
    throw new Problem(words.replace(/\s+/g, " ").trim());
  }
  return mathml.replace(/<\w+[^>]*>/g, (tag) => {
    const style = /\sstyle="([^"]*)"/.exec(tag);
    if (style === null) return tag;
    if (!Object.hasOwn(CLASS_FOR, style[1]))
      throw new Problem(`would need the style "${style[1]}"; allowed are those that have a class`);
    return withClass(tag.replace(style[0], ""), CLASS_FOR[style[1]]);
  });
}

/**
 * @param {string} tag
 * @param {string} name
 */
function withClass(tag, name) {
  if (name === "") return tag;
  return tag.includes(' class="')
    ? tag.replace(' class="', ` class="${name} `)
    : tag.replace(/^<\w+/, `$& class="${name}"`);
}

/** `<math-tex>` in a line of prose, `<math-tex display>` in one of its own. @type {import("./elements.js").Maker} */
export function mathTex(written) {
  refuseOthers(written, ["display"]);
  if (written.text.trim() === "") throw new Problem("has no TeX in it");
  return typeset(written.text, "display" in written.attributes);
}
