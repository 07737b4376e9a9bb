/**
 * For a page with frames of the widget: each becomes as high as its content, and stays so. Load it as a module, from wherever the
 * page's policy allows: `<script type="module" src="embed-host.js">`. Frames may come before it or after.
 */

/** No widget is higher, in CSS pixels: what says so is none. */
const MOST = 20_000;

/** The frames of the widget: no other may have itself made larger. */
const PAGE = /^[^?#]*\/(?:embed|generation-loop)\.html(?:[?#]|$)/;

addEventListener("message", ({ data, source }) => {
  if (data?.type !== "generation-loop-height") return;
  const { height } = data;
  if (typeof height !== "number" || !(height > 0 && height <= MOST)) return;
  const frame = framesHere().find(({ contentWindow }) => contentWindow !== null && contentWindow === source);
  if (frame === undefined) return;
  // Where the page's style counts the edge as part of the height, there has to be that much more of it.
  const { boxSizing, paddingTop, paddingBottom } = getComputedStyle(frame);
  const inside = frame.clientHeight - Number.parseFloat(paddingTop) - Number.parseFloat(paddingBottom);
  const edge = boxSizing === "border-box" ? Math.ceil(frame.offsetHeight - inside) : 0;
  frame.setAttribute("height", String(Math.ceil(height) + edge));
});

function framesHere() {
  return [...document.querySelectorAll("iframe")].filter(({ src }) => PAGE.test(src));
}

// One that was ready before this script has told nobody.
for (const { contentWindow } of framesHere()) {
  contentWindow?.postMessage({ type: "generation-loop-height-wanted" }, "*");
}
