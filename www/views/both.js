/** The same run with the cache and without, really made: what differs is the cost. */

import { css, html, nothing } from "lit";

/**
 * @param {object} state
 * @param {import("../words.js").Words} state.words
 * @param {import("../comparison.js").Comparison | null} state.result
 * @param {boolean} state.possible without holding up the page
 * @param {() => void} state.onRun
 */
export function both({ words, result, possible, onRun }) {
  const { whole } = words;
  return html`<div class="both" part="both">
    <button type="button" ?disabled=${!possible} @click=${onRun}>${words.both.run}</button>
    <p>
      ${
        result === null
          ? nothing
          : html`${words.both.result(
              whole(result.cached.flops),
              whole(result.uncached.flops),
              whole(result.uncached.flops / result.cached.flops),
              words.count(result.cached.passes, words.unit.forward),
            )}
            ${result.same ? words.both.same : words.both.differs}`
      }
    </p>
  </div>`;
}

export const bothStyles = css`
  .both p {
    min-height: 4.2em;
    margin: 8px 0 0;
    font-size: 13px;
    font-variant-numeric: tabular-nums;
  }
`;
