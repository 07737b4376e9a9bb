/** Which moment of the run is shown: a slider over its passes, and the text of the run before this one. */

import { css, html, nothing } from "lit";
import { live } from "lit/directives/live.js";

/**
 * @param {object} state
 * @param {import("../words.js").Words} state.words
 * @param {number} state.at passes of the moment shown
 * @param {number} state.passes all that were made
 * @param {string | null} state.previous the text of the run before this one, if there was one
 * @param {(at: number) => void} state.onGo
 * @param {() => void} state.onRecall
 */
export function timeline({ words, at, passes, previous, onGo, onRecall }) {
  const past = at < passes;
  return html`<div class="timeline" part="timeline">
    <label for="moment">${words.timeline.label}</label>
    <input
      id="moment"
      type="range"
      min="0"
      max=${Math.max(passes, 1)}
      step="1"
      ?disabled=${passes === 0}
      .value=${live(String(at))}
      aria-valuetext=${words.timeline.at(at, passes)}
      @input=${(/** @type {Event} */ event) => onGo(Number(/** @type {HTMLInputElement} */ (event.target).value))}
    />
    <span class="place" aria-hidden="true">${words.timeline.at(at, passes)}</span>
    <button type="button" class="quiet" ?disabled=${!past} @click=${() => onGo(passes)}>${words.timeline.newest}</button>
    ${
      previous === null
        ? nothing
        : html`<p class="previous">
            ${words.timeline.previous} <q>${previous}</q>
            <button type="button" class="quiet" @click=${onRecall}>${words.timeline.recall}</button>
          </p>`
    }
  </div>`;
}

export const timelineStyles = css`
  .timeline {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 12px;
    color: var(--_muted);
    font-size: 13px;
  }
  .timeline input {
    flex: 0 1 16em;
    min-width: 8em;
    min-height: 32px;
    accent-color: var(--_accent);
  }
  .timeline .place {
    min-width: 8em;
    font-variant-numeric: tabular-nums;
  }
  .previous {
    flex: 1 1 100%;
    margin: 0;
    overflow-wrap: anywhere;
  }
  .previous q {
    color: var(--_ink);
    font-family: var(--_mono);
    white-space: pre-wrap;
  }
`;
