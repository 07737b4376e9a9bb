/** Which language is spoken where an element stands. */

/**
 * Its own, or the nearest that is said around it, in whichever tree.
 * @param {Element} element
 * @returns {string | null} as a `lang` attribute has it
 */
export function languageAround(element) {
  /** @type {Element | null} */
  let inside = element;
  while (inside !== null) {
    const said = inside.closest("[lang]");
    if (said !== null) return said.getAttribute("lang");
    const root = inside.getRootNode();
    inside = root instanceof ShadowRoot ? root.host : null;
  }
  return document.documentElement.lang;
}
