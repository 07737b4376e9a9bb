/** What does not fit where it stands. */

/** Panes that scroll sideways on purpose, where a row of theirs has more columns than there is room for. */
const SIDEWAYS = "[part=cache] .scroll";

/**
 * Whatever is wider than the room it has, and is not made to be scrolled. What lies in a pane that scrolls sideways must be
 * within reach of its scrolling; the pane itself must have room, and be reached by the keyboard.
 * @param {import("./widget.js").Widget} widget
 */
export function cutOff({ root }) {
  return root.evaluate((element, sideways) => {
    const whole = element.getBoundingClientRect();
    /** @type {string[]} */
    const found = [];
    /** @param {Element} pane what can be seen of it, one time or another */
    const reachOf = (pane) => {
      const { left } = pane.getBoundingClientRect();
      const start = left + pane.clientLeft - pane.scrollLeft;
      return { left: start, right: start + pane.scrollWidth };
    };
    for (const node of element.shadowRoot?.querySelectorAll("*") ?? []) {
      // For screen readers alone, or inside a drawing.
      if (node.closest(".sr, svg, option, thead") !== null) continue;
      const box = node.getBoundingClientRect();
      if (box.width === 0) continue;
      // A button without a face begins where the text above it does, and its padding hangs out.
      const hang = node.matches(".quiet") ? Number.parseFloat(getComputedStyle(node).paddingLeft) : 0;
      const pane = node.matches(sideways) ? null : node.closest(sideways);
      const { left, right } = pane === null ? whole : reachOf(pane);
      if (box.left + hang < left - 1 || box.right > right + 1)
        found.push(`outside: ${node.localName}.${node.className}`);
      // A long text scrolls in its own field.
      if (node.matches("input, textarea")) continue;
      if (node.matches(sideways) && /** @type {HTMLElement} */ (node).tabIndex === 0) continue;
      const { overflowX } = getComputedStyle(node);
      if (node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0 && overflowX !== "visible")
        found.push(`cut: ${node.localName}.${node.className}`);
    }
    return found;
  }, SIDEWAYS);
}

/** @param {import("@playwright/test").Page} page */
export function pageScrolls(page) {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}
