/** A reply on a line of time, from zero: the wait for its first token, and the stream of the others. */

import { html, nothing, svg } from "lit";
import { ticksOf } from "./latency.js";
import { duration, durations } from "./quantity.js";
import { count } from "./wording.js";

/** @typedef {import("./latency.js").Request} Request */
/** @typedef {import("./latency.js").Latency} Latency */
/** @typedef {{ title: string, request: Request, latency: Latency }} Bar */

/** A bar with its texts, in pixels. */
const ROW = 106;
const BAR = { top: 26, height: 28 };

/** Characters of a label on the axis, of which five have room on the smallest screen. */
const LONG = 7;

/** Where so few passes follow that each can be seen, each is. */
const FEW = 60;

/**
 * @param {Bar} original
 * @param {Bar | null} other what if: below, on the same axis; never longer than the original
 */
export function latencyChart(original, other) {
  const most = original.latency.total;
  const height = 2 * ROW;
  return html`<svg
    class="latency-chart"
    role="img"
    aria-label=${[original, other]
      .filter((bar) => bar !== null)
      .map(inWords)
      .join(" ")}
    height=${height + 26}
  >
    ${axis(most, height)}
    ${row(original, most, 0)}
    ${
      other
        ? row(other, most, ROW)
        : svg`<text class="quiet" y=${ROW + BAR.top + 18}>Halve something, and it shows here.</text>`
    }
  </svg>`;
}

/** @param {Bar} bar */
function inWords({ title, request, latency }) {
  const { firstToken, total, decodes } = latency;
  const end = decodes > 0 ? `, ${lastIn(request)} after ${duration(total)}` : "";
  return `${title}: ${firstIn(request, decodes)} after ${duration(firstToken)}${end}.`;
}

/**
 * What the first pass brings.
 * @param {Request} request
 * @param {number} decodes
 */
export function firstIn({ replyTokens }, decodes) {
  if (replyTokens === 0) return "end-of-text";
  return decodes === 0 ? "the only token" : "first token";
}

/** What the last pass brings. @param {Request} request */
export function lastIn({ endOfText }) {
  return endOfText ? "end-of-text" : "last token";
}

/**
 * @param {number} most
 * @param {number} foot
 */
function axis(most, foot) {
  let ticks = ticksOf(most);
  // Long labels need more room than a small screen has for many.
  if (durations(ticks).some((label) => label.length > LONG)) ticks = ticksOf(most, 2);
  const labels = durations(ticks);
  return svg`
    <line class="axis" x1="0" x2="100%" y1=${foot} y2=${foot}></line>
    ${ticks.map((at, index) => {
      const x = at === 0 ? 0 : (100 * at) / most;
      return svg`
        <line class="grid" x1="${x}%" x2="${x}%" y1=${BAR.top} y2=${foot + 5}></line>
        <text class="tick" x="${x}%" y=${foot + 20} text-anchor=${anchorAt(x, 4, 94)}>${labels[index]}</text>`;
    })}`;
}

/**
 * A text stands to the right of its place, to the left, or about it, so that it stays within the drawing.
 * @param {number} x percent
 * @param {number} start below this it begins there
 * @param {number} end above this it ends there
 */
function anchorAt(x, start, end) {
  if (x < start) return "start";
  return x > end ? "end" : "middle";
}

/**
 * @param {Bar} bar
 * @param {number} most
 * @param {number} top
 */
function row({ title, request, latency }, most, top) {
  const { decodes, firstToken, stream, total } = latency;
  const share = (/** @type {number} */ seconds) => (most > 0 ? (100 * seconds) / most : 0);
  const [first, last] = [share(firstToken), share(total)];
  const bar = top + BAR.top;
  const foot = bar + BAR.height;
  const passes = decodes > 0 ? count(decodes, "decode", "decodes") : "no decode";
  return svg`
    <text class="title" y=${top + 16}>${title}<tspan class="quiet" dx="10">${passes}</tspan></text>
    <rect class="prefill" x="0" y=${bar} width="${first}%" height=${BAR.height}></rect>
    <line class="prefill" x1="0" x2="${first}%" y1=${foot - 1} y2=${foot - 1}></line>
    <rect class="decode" x="${first}%" y=${bar} width="${share(stream)}%" height=${BAR.height}></rect>
    <line class="decode" x1="${first}%" x2="${last}%" y1=${foot - 1} y2=${foot - 1}></line>
    <line class="decode" x1="${first}%" x2="${last}%" y1=${foot - 5} y2=${foot - 5}></line>
    ${stream > 0 && decodes <= FEW ? separators(latency, share, bar) : nothing}
    <line class="prefill leader" x1="${first}%" x2="${first}%" y1=${foot} y2=${foot + 8}></line>
    <text class="prefill" x="${first}%" y=${foot + 20} text-anchor=${first > 50 ? "end" : "start"}>
      ${firstIn(request, decodes)} after ${duration(firstToken)}
    </text>
    ${
      decodes > 0
        ? svg`<line class="decode leader" x1="${last}%" x2="${last}%" y1=${foot} y2=${foot + 26}></line>
            <text class="decode" x="${last}%" y=${foot + 38} text-anchor=${last > 50 ? "end" : "start"}>
              ${lastIn(request)} after ${duration(total)}
            </text>`
        : nothing
    }`;
}

/**
 * Between two decodes.
 * @param {Latency} latency
 * @param {(seconds: number) => number} share
 * @param {number} bar
 */
function separators({ decodes, firstToken, perToken }, share, bar) {
  return Array.from({ length: decodes - 1 }, (_, index) => {
    const x = share(firstToken + (index + 1) * perToken);
    return svg`<line class="between" x1="${x}%" x2="${x}%" y1=${bar} y2=${bar + BAR.height}></line>`;
  });
}
