/** What does not fit where it stands. */

/**
 * Whatever is wider than the room it has, and is not made to be scrolled.
 * @param {import("./widget.js").Widget} widget
 */
export function cutOff({ root }) {
  return root.evaluate((element) => {
    const { left, right } = element.getBoundingClientRect();
    /** @type {string[]} */
    const found = [];
    for (const node of element.shadowRoot?.querySelectorAll("*") ?? []) {
      // For screen readers alone, or inside a drawing.
      if (node.closest(".sr, svg, option, thead") !== null) continue;
      const box = node.getBoundingClientRect();
      if (box.width === 0) continue;
      // A button without a face begins where the text above it does, and its padding hangs out.
      const hang = node.matches(".quiet") ? Number.parseFloat(getComputedStyle(node).paddingLeft) : 0;
      if (box.left + hang < left - 1 || box.right > right + 1)
        found.push(`outside: ${node.localName}.${node.className}`);
      // A long text scrolls in its own field.
      if (node.matches("input, textarea")) continue;
      const { overflowX } = getComputedStyle(node);
      if (node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0 && overflowX !== "visible")
        found.push(`cut: ${node.localName}.${node.className}`);
    }
    return found;
  });
}

/** @param {import("@playwright/test").Page} page */
export function pageScrolls(page) {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}
