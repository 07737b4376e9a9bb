/**
 * For a page with frames of the widget: each becomes as high as its content, and stays so. Load it as a module, from wherever the
 * page's policy allows: `<script type="module" src="embed-host.js">`. Frames may come before it or after.
 */

addEventListener("message", ({ data, source }) => {
  if (data?.type !== "generation-loop-height") return;
  const { height } = data;
  if (typeof height !== "number" || !Number.isFinite(height) || height <= 0) return;
  const frame = framesHere().find(({ contentWindow }) => contentWindow !== null && contentWindow === source);
  if (frame === undefined) return;
  // Where the page's style counts the edge as part of the height, there has to be that much more of it.
  const isWhole = getComputedStyle(frame).boxSizing === "border-box";
  const edge = isWhole ? frame.offsetHeight - frame.clientHeight : 0;
  frame.setAttribute("height", String(Math.ceil(height) + edge));
});

function framesHere() {
  return [...document.querySelectorAll("iframe")];
}

// One that was ready before this script has told nobody.
for (const { contentWindow } of framesHere()) {
  contentWindow?.postMessage({ type: "generation-loop-height-wanted" }, "*");
}
