/** What can be done next: one loud button that says what it will do, and the quiet ones beside it. */

import { css, html } from "lit";

/**
 * @param {object} state
 * @param {import("../words.js").Words} state.words
 * @param {"prefill" | "decode" | "restart"} state.next
 * @param {number} state.tokens tokens in the prompt
 * @param {boolean} state.possible whether the next step can be made
 * @param {number} state.passes
 * @param {number} state.most the most passes that the run can take
 * @param {boolean} state.running
 * @param {boolean} state.busy whether a pass is being made somewhere else
 * @param {string} state.speed
 * @param {readonly { name: string }[]} state.speeds
 * @param {() => void} state.onPrimary
 * @param {() => void} state.onRun
 * @param {() => void} state.onPause
 * @param {() => void} state.onBack
 * @param {() => void} state.onReset
 * @param {(speed: string) => void} state.onSpeed
 */
export function transport(state) {
  const { words, passes, running, possible, busy, speed, speeds } = state;
  return html`
    <div class="transport" part="controls">
      <button type="button" class="primary" part="primary" ?disabled=${!possible || running} aria-disabled=${busy} @click=${state.onPrimary}>
        ${primaryLabel(state)}
      </button>
      <span class="pair">
        <button type="button" class="run" ?disabled=${!possible} @click=${running ? state.onPause : state.onRun}>
          ${running ? words.transport.pause : words.transport.run}
        </button>
        <select aria-label=${words.transport.speed} .value=${speed} @change=${(/** @type {Event} */ event) =>
          state.onSpeed(/** @type {HTMLSelectElement} */ (event.target).value)}>
          ${speeds.map(({ name }) => html`<option value=${name} ?selected=${name === speed}>${words.speed[name]}</option>`)}
        </select>
      </span>
      <span class="pair">
        <button type="button" ?disabled=${passes === 0 || running || busy} @click=${state.onBack}>${words.transport.back}</button>
        <button type="button" ?disabled=${passes === 0 && !busy} @click=${state.onReset}>${words.transport.reset}</button>
      </span>
      <span class="progress">${progress(state)}</span>
    </div>
  `;
}

/** @param {Parameters<typeof transport>[0]} state */
function primaryLabel({ words, next, tokens, busy, passes }) {
  if (busy) return words.transport.making(passes + 1);
  if (next === "prefill") return words.transport.prefill(words.count(tokens, words.unit.token));
  return next === "decode" ? words.transport.decode : words.transport.restart;
}

/** @param {Parameters<typeof transport>[0]} state */
function progress({ words, passes, most }) {
  return passes === 0
    ? words.transport.most(words.count(most, words.unit.pass))
    : words.transport.progress(passes, most);
}

export const transportStyles = css`
  .transport {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 16px;
  }
  .transport .pair {
    display: flex;
    gap: 8px;
  }
  .transport .primary {
    min-width: 12em;
    min-height: 40px;
    border-color: var(--_accent);
    background: var(--_accent);
    color: var(--_accent-ink);
    font-weight: 600;
  }
  .transport .run {
    min-width: 5em;
  }
  .transport .progress {
    /* Enough for the longest: it does not go to another line when the first pass is made. */
    flex: 0 0 14em;
    color: var(--_muted);
    font-size: 13px;
    font-variant-numeric: tabular-nums;
  }
  .transport .primary:disabled,
  .transport .primary[aria-disabled="true"] {
    border-color: var(--_edge);
    background: var(--_waiting);
    color: var(--_muted);
  }
  @container widget (max-width: 600px) {
    /* Within the thumb's reach while any of the widget is on the screen. */
    .transport {
      position: sticky;
      bottom: 0;
      z-index: 2;
      padding-block: 8px;
      background: var(--_paper);
      box-shadow: 0 -1px var(--_hairline);
    }
    .transport .primary {
      flex-basis: 100%;
      min-height: 44px;
    }
    .transport .pair {
      flex: 1 1 0;
    }
    .transport .pair > * {
      flex: 1 1 auto;
      min-width: 0;
      padding-inline: 6px;
    }
    .transport .progress {
      display: none;
    }
  }
  @media (forced-colors: active) {
    .transport .primary {
      border-width: 2px;
    }
  }
`;
