/** What a reader can take away: a link to exactly this run, its text, its log, and a picture. */

import { css, html, nothing } from "lit";

/** @typedef {import("../sharing.js").Wish} Wish */

/**
 * @param {object} state
 * @param {import("../words.js").Words} state.words
 * @param {boolean} state.opens whether the page opens links to its runs
 * @param {boolean} state.possible whether there is a run to take away
 * @param {import("../sharing.js").Granted | null} state.last what became of the last wish
 * @param {(wish: Wish) => void} state.onShare
 */
export function share({ words, opens, possible, last, onShare }) {
  const button = (/** @type {Wish} */ wish, /** @type {string} */ label, always = false) =>
    html`<button type="button" class="quiet" ?disabled=${!possible && !always} @click=${() => onShare(wish)}>
      ${label}
    </button>`;
  return html`<div class="share" part="share" role="group" aria-label=${words.share.label}>
    ${opens ? button("link", words.share.link, true) : nothing} ${button("text", words.share.text, true)}
    ${button("csv", words.share.csv)} ${button("json", words.share.json)}
    ${button("picture", words.share.picture)}
    <span class="done">${last?.done}</span>
    ${
      typeof last?.text === "string"
        ? html`<input
            type="text"
            readonly
            aria-label=${last.done}
            .value=${last.text}
            @focus=${(/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select()}
          />`
        : nothing
    }
  </div>`;
}

export const shareStyles = css`
  .share {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 20px;
  }
  .share button {
    padding-inline: 0;
  }
  .share .done {
    color: var(--_muted);
    font-size: 13px;
  }
  .share input {
    flex: 1 1 100%;
    margin-top: 4px;
  }
`;
