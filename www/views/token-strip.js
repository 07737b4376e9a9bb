/** The tokens themselves: prompt, then generated. The largest thing on the widget. */

import { css, html, nothing } from "lit";
import { nameOf, symbolOf } from "../format.js";

/** @typedef {import("../words.js").Words} Words */

/**
 * One cell of the strip.
 * @typedef {object} Cell
 * @property {string} text what the token adds to the text
 * @property {"waiting" | "prompt" | "generated" | "unsupported"} kind
 * @property {boolean} [newest]
 * @property {boolean} [outside] it ended the run and is no part of the text
 */

/**
 * @param {object} state
 * @param {Words} state.words
 * @param {Cell[]} state.prompt
 * @param {Cell[]} state.generated
 * @param {number} state.more tokens of the prompt that are not drawn
 * @param {number} state.room places that the limit leaves free
 * @param {boolean} state.legend whether to explain the colours
 * @param {number | null} state.pointed place of the token that the reader points at
 * @param {(place: number | null) => void} state.onPoint
 */
export function tokenStrip({ words, prompt, generated, more, room, legend, pointed, onPoint }) {
  const taken = prompt.length + generated.length;
  const tokens = (/** @type {number} */ number) => words.count(number, words.unit.token);
  const inPrompt = tokens(prompt.length + more);
  const label = prompt[0]?.kind === "prompt" ? words.strip.processed(inPrompt) : words.strip.prompt(inPrompt);
  // A finger is a mouse on its way in some browsers only.
  const point = (/** @type {MouseEvent} */ event) => onPoint(placeOf(event));
  return html`
    <section class="strip" part="strip" role="group" aria-label=${words.strip.label}>
      <div
        class="cells"
        @mouseover=${point} @pointerdown=${point}
        @mouseleave=${() => onPoint(null)}
      >
        <ol role="list" aria-label=${label}>
          ${prompt.map((item, place) => cell(item, place, pointed, words))}
          ${more > 0 ? html`<li class="more">${words.strip.more(words.whole(more))}</li>` : nothing}
        </ol>
        ${
          generated.length > 0
            ? html`<ol role="list" aria-label=${words.strip.generated(tokens(generated.length))}>
                ${generated.map((item, place) => cell(item, prompt.length + more + place, pointed, words))}
              </ol>`
            : nothing
        }
        ${
          // A free place stays the one that it is while those before it are taken.
          [...Array(taken + Math.max(room, 0)).keys()].map((place) =>
            place < taken ? nothing : html`<span class="cell room" aria-hidden="true"></span>`,
          )
        }
      </div>
      ${legend ? key(words) : nothing}
    </section>
  `;
}

/**
 * The place of the token that is pointed at, if one is.
 * @param {MouseEvent} event
 */
function placeOf({ target }) {
  const place = target instanceof Element ? target.closest("[data-place]")?.getAttribute("data-place") : null;
  return place == null ? null : Number(place);
}

/**
 * @param {Cell} cell
 * @param {number} place in the run
 * @param {number | null} pointed
 * @param {Words} words
 */
function cell({ text, kind, newest = false, outside = false }, place, pointed, words) {
  const [symbol, name] = [symbolOf(text), nameOf(text, words)];
  const classes = `cell ${kind}${newest ? " newest" : ""}${outside ? " outside" : ""}${symbol.length > 1 ? " long" : ""}${place === pointed ? " pointed" : ""}`;
  const spoken = outside ? `${name ?? symbol}, ${words.strip.ended}` : name;
  return html`<li class=${classes} data-place=${place}>
    ${spoken === null ? symbol : html`<span aria-hidden="true">${symbol}</span><span class="sr">${spoken}</span>`}
  </li>`;
}

/** @param {Words} words */
function key(words) {
  return html`<ul class="key" part="legend" role="list" aria-label=${words.strip.legend}>
    <li><span class="cell prompt" aria-hidden="true">a</span> ${words.strip.green}</li>
    <li><span class="cell generated" aria-hidden="true">b</span> ${words.strip.blue}</li>
    <li><span class="cell generated newest" aria-hidden="true">c</span> ${words.strip.newest}</li>
    <li><span class="cell generated outside" aria-hidden="true">.</span> ${words.strip.ended}</li>
  </ul>`;
}

export const tokenStripStyles = css`
  .strip {
    display: grid;
    gap: calc(5 * var(--_step));
    padding-top: 8px;
  }
  .cells {
    display: flex;
    flex-wrap: wrap;
    gap: 12px 3px;
  }
  .cells ol {
    display: contents;
  }
  .cell {
    box-sizing: border-box;
    position: relative;
    display: inline-grid;
    place-items: center;
    width: 32px;
    height: 46px;
    border-bottom: 3px solid var(--_edge);
    border-radius: var(--_radius) var(--_radius) calc(var(--_radius) / 2) calc(var(--_radius) / 2);
    background: var(--_waiting);
    color: var(--_ink);
    font: 500 22px / 1 var(--_mono);
    list-style: none;
  }
  .cell.pointed {
    outline: 2px solid var(--_ink);
    outline-offset: 1px;
  }
  .cell.long {
    width: auto;
    padding: 0 6px;
    font-size: 13px;
  }
  .cell.prompt {
    background: var(--_prompt);
    border-bottom-color: var(--_prompt-edge);
    color: var(--_prompt-ink);
  }
  .cell.generated {
    background: var(--_generated);
    padding-top: 2px;
    border-bottom: 5px double var(--_generated-edge);
    color: var(--_generated-ink);
  }
  .more {
    align-self: center;
    padding-inline: 8px;
    color: var(--_muted);
    list-style: none;
  }
  .cell.room {
    border-bottom-color: var(--_hairline);
    background: none;
  }
  .cell.unsupported {
    background: none;
    border-bottom: 3px dotted var(--_alarm);
    color: var(--_alarm);
  }
  .cell.outside {
    background: none;
    box-shadow: inset 0 0 0 1.5px var(--_generated-edge);
  }
  .cell.newest::after {
    content: "";
    position: absolute;
    bottom: -9px;
    border: 4px solid transparent;
    border-top-width: 0;
    border-bottom: 5px solid var(--_ink);
  }
  .key {
    display: flex;
    flex-wrap: wrap;
    gap: 8px 20px;
    margin: 0;
    padding: 0;
    color: var(--_muted);
    font-size: 13px;
    list-style: none;
  }
  .key li {
    display: flex;
    align-items: center;
    gap: 8px;
  }
  .key .cell {
    width: 18px;
    height: 24px;
    font-size: 13px;
  }
  .key .cell.newest::after {
    bottom: -7px;
    border-width: 0 3px 4px;
  }
  @media (prefers-reduced-motion: no-preference) {
    .cells .cell {
      transition: background-color 180ms ease-out, color 180ms ease-out, border-color 180ms ease-out;
    }
    .cells .cell.newest {
      animation: arrive 180ms ease-out;
    }
    @keyframes arrive {
      from {
        opacity: 0;
        transform: translateY(-6px);
      }
    }
  }
  @container widget (max-width: 600px) {
    .cell {
      width: 29px;
      height: 42px;
      font-size: 20px;
    }
  }
  @media (forced-colors: active) {
    .cell:not(.room) {
      border: 1px solid CanvasText;
      border-bottom-width: 3px;
    }
    .cell.generated {
      border-bottom: 5px double CanvasText;
    }
    .cell.outside {
      border-style: dashed;
    }
  }
`;
