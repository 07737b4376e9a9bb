/** The next-token distribution of the last pass: most likely first, what the method cut in grey, the drawn token marked. */

import { css, html, nothing, svg } from "lit";
import { count, glyph, percent, spoken, whole } from "../format.js";

/** Candidates shown until the reader asks for all. */
const FIRST = 12;

/**
 * @param {object} state
 * @param {import("../pass.js").Pass | undefined} state.pass
 * @param {number} state.vocabSize
 * @param {boolean} state.all
 * @param {() => void} state.onToggleAll
 */
export function distribution({ pass, vocabSize, all, onToggleAll }) {
  const candidates = pass?.candidates ?? [];
  // The drawn token belongs on the picture even where it is an unlikely one.
  const drawn = pass?.token;
  const visible = candidates.filter(({ id }, rank) => all || rank < FIRST || id === drawn?.id);
  // Of a large vocabulary, not even the candidates are all.
  if (drawn && !candidates.some(({ id }) => id === drawn.id)) visible.push(drawn);
  const longest = candidates[0]?.probability ?? 1;
  // Greedy cuts all but one, and a list of grey bars would say nothing.
  const cutIds = new Set(pass?.draw === null ? [] : candidates.slice(pass?.kept).map(({ id }) => id));
  return html`
    <section class="distribution" part="distribution">
      <p class="title" id="distribution-title">Next-token distribution <small>${pass ? caption(pass) : "of the last pass"}</small></p>
      <div class="scroll" tabindex="0" role="group" aria-labelledby="distribution-title">
        ${
          pass
            ? html`<ol class="bars" role="list">
                ${visible.map((candidate) => bar(candidate, pass, longest, cutIds))}
              </ol>`
            : html`<p class="empty">Each pass ends with one probability for each of ${count(vocabSize, "token")}.</p>`
        }
      </div>
      ${
        candidates.length > FIRST
          ? html`<button type="button" class="quiet" aria-expanded=${all} @click=${onToggleAll}>
              ${all ? `Show the first ${FIRST}` : showAll(candidates.length, vocabSize)}
            </button>`
          : nothing
      }
    </section>
  `;
}

/**
 * @param {number} candidates
 * @param {number} vocabSize
 */
function showAll(candidates, vocabSize) {
  return candidates === vocabSize
    ? `Show all ${whole(candidates)}`
    : `Show the ${whole(candidates)} most likely`;
}

/** @param {import("../pass.js").Pass} pass */
function caption({ kept, index, draw }) {
  if (draw === null) return `pass ${index}: most likely taken`;
  return `pass ${index}: ${count(kept, "candidate")}, u = ${draw.toFixed(4)}`;
}

/**
 * @param {import("../pass.js").Candidate} candidate
 * @param {import("../pass.js").Pass} pass
 * @param {number} longest the largest probability, for the scale
 * @param {Set<number>} cutIds
 */
function bar({ id, text, probability, samplingProbability }, pass, longest, cutIds) {
  const { symbol } = glyph(text);
  const drawn = id === pass.token.id;
  const cut = cutIds.has(id);
  return html`<li class=${`bar${drawn ? " drawn" : ""}${cut ? " cut" : ""}`}>
    <b aria-hidden="true">${symbol}</b><span class="sr">${spoken(text)}</span>
    <svg aria-hidden="true" preserveAspectRatio="none">
      ${svg`<rect class="probability" width="${(100 * probability) / longest}%" height="100%" rx="1"></rect>`}
    </svg>
    <span class="number">${percent(probability)}</span>
    ${
      pass.draw === null
        ? nothing
        : html`<span class="number after">${cut ? "cut" : html`→ ${percent(samplingProbability)}`}</span>`
    }
    <span class="mark">${drawn ? (pass.draw === null ? "taken" : "drawn") : nothing}</span>
  </li>`;
}

export const distributionStyles = css`
  .distribution {
    display: flex;
    flex-direction: column;
    align-items: flex-start;
  }
  .distribution .quiet {
    margin: 8px 0 0 -8px;
  }
  .distribution .scroll {
    align-self: stretch;
    height: 324px;
    overflow: auto;
  }
  .bars {
    display: grid;
    grid-template-columns: auto 1fr auto auto auto;
    margin: 0;
    padding: 0;
    font: 13px / 1 var(--_mono);
    font-variant-numeric: tabular-nums;
    list-style: none;
  }
  .bar {
    display: grid;
    grid-column: 1 / -1;
    grid-template-columns: subgrid;
    align-items: center;
    gap: 10px;
    height: 26px;
  }
  .bar b {
    min-width: 1.4em;
    font-weight: 600;
    text-align: center;
  }
  .bar svg {
    width: 100%;
    height: 14px;
  }
  .bar rect {
    fill: var(--_muted);
    opacity: 0.55;
  }
  .bar .number {
    text-align: right;
  }
  .bar .after,
  .bar .mark {
    color: var(--_muted);
    font-size: 12px;
  }
  .bar .mark {
    min-width: 3.2em;
    font-family: var(--_font);
  }
  .drawn rect {
    fill: var(--_generated-edge);
    opacity: 1;
  }
  .drawn b,
  .drawn .mark {
    color: var(--_generated-ink);
    font-weight: 700;
  }
  .cut b,
  .cut .number {
    color: var(--_muted);
  }
  .cut rect {
    opacity: 0.2;
  }
  @media (forced-colors: active) {
    .bar rect {
      fill: CanvasText;
    }
    .drawn rect {
      fill: Highlight;
    }
    .cut rect {
      fill: GrayText;
    }
  }
`;
