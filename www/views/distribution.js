/**
 * Why this token: the next-token distribution of a pass, stage by stage, and the draw that fell into one of its slices. A
 * setting that was changed since is shown on it at once; the token stays what it is.
 */

import { css, html, nothing, svg } from "lit";
import { spoken, symbolOf } from "../format.js";
import { isGreedy, sameChoice } from "../settings.js";

/** Candidates shown until the reader asks for all. */
const FIRST = 10;

/** @typedef {import("../words.js").Words} Words */
/** @typedef {import("../pass.js").Pass} Pass */
/** @typedef {import("../pass.js").Candidate} Candidate */

/**
 * @param {object} state
 * @param {Words} state.words
 * @param {Pass | undefined} state.pass
 * @param {Readonly<import("../settings.js").Sampling> | undefined} state.made how the pass was made
 * @param {Readonly<import("../settings.js").Sampling>} state.now what is chosen now
 * @param {number} state.vocabSize
 * @param {boolean} state.all
 * @param {() => void} state.onToggleAll
 */
export function distribution({ words, pass, made, now, vocabSize, all, onToggleAll }) {
  // What another setting would have left of the same numbers; null where they are not at hand.
  const preview = pass && made && made !== now && !sameChoice(made, now) ? pass.under(now) : null;
  const sampling = preview ? now : (made ?? now);
  const candidates = preview?.list ?? pass?.candidates ?? [];
  const kept = preview?.kept ?? pass?.kept ?? 0;
  return html`
    <section class="distribution" part="distribution">
      <p class="title" id="distribution-title">
        ${words.distribution.label} <small>${pass ? caption(pass, kept, isGreedy(sampling), words) : words.distribution.about}</small>
      </p>
      ${
        pass
          ? [
              cumulative(pass, candidates, preview !== null, isGreedy(sampling), words),
              stages({ words, pass, candidates, kept, sampling, all, vocabSize, onToggleAll }),
            ]
          : html`<p class="empty">${words.distribution.empty(words.count(vocabSize, words.unit.token))}</p>`
      }
    </section>
  `;
}

/**
 * @param {Pass} pass
 * @param {number} kept
 * @param {boolean} greedy
 * @param {Words} words
 */
function caption({ index }, kept, greedy, words) {
  return greedy
    ? words.distribution.greedy(index)
    : words.distribution.random(index, words.count(kept, words.unit.candidate));
}

/**
 * Where a token's slice of the cumulative bar begins and ends: candidates end to end, most likely first, as they are drawn from.
 * @param {readonly Candidate[]} candidates
 * @param {number} id
 */
export function sliceOf(candidates, id) {
  let end = 0;
  for (const candidate of candidates) {
    const begin = end;
    end += candidate.samplingProbability;
    if (candidate.id === id) return { begin, end };
  }
  return { begin: end, end };
}

/** Slices narrower than this are drawn as one, in shares of the bar. */
const NARROW = 0.004;

/**
 * The cumulative bar with the draw on it, and what that means in words.
 * @param {Pass} pass
 * @param {readonly Candidate[]} candidates
 * @param {boolean} preview
 * @param {boolean} greedy
 * @param {Words} words
 */
function cumulative(pass, candidates, preview, greedy, words) {
  const { draw, token } = pass;
  let begin = 0;
  const slices = [];
  for (const { id, samplingProbability: width } of candidates) {
    if (width < NARROW && id !== token.id) break;
    const x = `${100 * begin}%`;
    slices.push(
      svg`<rect class=${id === token.id ? "taken" : ""} x=${x} width="${100 * width}%" height="100%"></rect>`,
    );
    begin += width;
  }
  const { begin: from, end: to } = sliceOf(candidates, token.id);
  const symbol = symbolOf(token.text);
  const said = preview
    ? words.distribution.preview
    : draw === null
      ? words.distribution.noDraw(symbol)
      : words.distribution.falls(words.draw(draw), words.draw(from), words.draw(to), symbol);
  return html`<div class="draw">
    <svg class=${greedy ? "sum greedy" : "sum"} aria-hidden="true">
      ${slices}
      ${
        draw === null || preview
          ? nothing
          : svg`<line x1="${100 * draw}%" x2="${100 * draw}%" y1="0" y2="100%"></line>`
      }
    </svg>
    <p>${said}</p>
  </div>`;
}

/**
 * One row for each candidate: what the model says, what the temperature makes of it, what is left after the cut.
 * @param {object} state
 * @param {Words} state.words
 * @param {Pass} state.pass
 * @param {readonly Candidate[]} state.candidates
 * @param {number} state.kept
 * @param {Readonly<import("../settings.js").Sampling>} state.sampling
 * @param {boolean} state.all
 * @param {number} state.vocabSize
 * @param {() => void} state.onToggleAll
 */
function stages({ words, pass, candidates, kept, sampling, all, vocabSize, onToggleAll }) {
  const { token } = pass;
  // The drawn token belongs on the picture even where it is an unlikely one.
  const visible = candidates.filter(({ id }, rank) => all || rank < FIRST || id === token.id);
  // Of a large vocabulary, not even the candidates are all.
  if (!candidates.some(({ id }) => id === token.id)) visible.push(token);
  const greedy = isGreedy(sampling);
  const warmed = greedy ? null : pass.under({ method: "temperature", temperature: sampling.temperature });
  const warm = new Map(warmed?.list.map(({ id, samplingProbability }) => [id, samplingProbability]) ?? []);
  const kinds = new Set(candidates.slice(0, kept).map(({ id }) => id));
  const longest = Math.max(candidates[0]?.probability ?? 1, warm.get(candidates[0]?.id) ?? 0);
  const head = (/** @type {string} */ text) => html`<th role="columnheader" scope="col">${text}</th>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="distribution-title">
      <table role="table" class="bars" aria-labelledby="distribution-title">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col"><span class="sr">${words.distribution.token}</span></th>
            <th role="presentation" class="picture"></th>
            ${head(words.distribution.model)}
            ${greedy ? nothing : [warmed ? head(words.distribution.warm) : nothing, head(words.distribution.left)]}
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${visible.map((candidate) =>
            row(candidate, {
              words,
              longest,
              drawn: candidate.id === token.id,
              cut: !greedy && !kinds.has(candidate.id),
              // Greedy cuts all but one, and a column of zeros would say nothing.
              left: greedy ? null : candidate.samplingProbability,
              warm: warmed ? (warm.get(candidate.id) ?? 0) : null,
            }),
          )}
        </tbody>
      </table>
    </div>
    ${
      candidates.length > FIRST
        ? html`<button type="button" class="quiet" aria-expanded=${all} @click=${onToggleAll}>
            ${all ? words.distribution.first(FIRST) : showAll(candidates.length, vocabSize, words)}
          </button>`
        : nothing
    }`;
}

/**
 * @param {number} candidates
 * @param {number} vocabSize
 * @param {Words} words
 */
function showAll(candidates, vocabSize, words) {
  const shown = words.whole(candidates);
  return candidates === vocabSize ? words.distribution.all(shown) : words.distribution.likely(shown);
}

/**
 * @param {Candidate} candidate
 * @param {{ words: Words, longest: number, drawn: boolean, cut: boolean, warm: number | null, left: number | null }} state
 */
function row({ text, probability }, { words, longest, drawn, cut, warm, left }) {
  const width = (/** @type {number} */ share) => `${(100 * share) / longest}%`;
  const cell = (/** @type {unknown} */ content) => html`<td role="cell">${content}</td>`;
  return html`<tr role="row" class=${`bar${drawn ? " drawn" : ""}${cut ? " cut" : ""}`}>
    <th role="rowheader" scope="row">
      <b aria-hidden="true">${symbolOf(text)}</b>
      <span class="sr">${spoken(text, words)}${drawn ? `, ${words.distribution.taken}` : nothing}</span>
    </th>
    <td role="presentation" class="picture">
      <svg aria-hidden="true">
        <rect class="probability" width=${width(probability)} height="6" rx="1"></rect>
        ${warm === null ? nothing : svg`<rect class="warm" y="8" width=${width(warm)} height="6" rx="1"></rect>`}
      </svg>
    </td>
    ${cell(words.percent(probability))} ${warm === null ? nothing : cell(words.percent(warm))}
    ${left === null ? nothing : cell(cut ? words.distribution.cut : words.percent(left))}
  </tr>`;
}

export const distributionStyles = css`
  .distribution {
    display: flex;
    flex-direction: column;
    align-items: flex-start;
    /* As high as it is after a pass: nothing below moves when the first one comes. */
    min-height: 434px;
  }
  .distribution .quiet {
    margin: 8px 0 0 -8px;
  }
  .distribution .scroll {
    align-self: stretch;
    height: 292px;
    overflow: auto;
  }
  .draw {
    align-self: stretch;
  }
  .draw p {
    min-height: 2.8em;
    margin: 4px 0 8px;
    color: var(--_muted);
    font-size: 13px;
  }
  .sum {
    display: block;
    width: 100%;
    height: 22px;
    overflow: visible;
    background: var(--_waiting);
  }
  .sum rect {
    fill: var(--_muted);
    fill-opacity: 0.4;
    stroke: var(--_paper);
  }
  .sum .taken {
    fill: var(--_generated-edge);
    fill-opacity: 1;
  }
  .sum line {
    stroke: var(--_ink);
    stroke-width: 2;
  }
  .bars {
    table-layout: auto;
  }
  .bars th,
  .bars td {
    height: 26px;
    padding: 0 0 0 12px;
    border: 0;
    text-align: right;
    white-space: nowrap;
  }
  .bars thead th {
    height: auto;
    padding-bottom: 4px;
    white-space: normal;
  }
  .bars tbody th {
    position: static;
    padding: 0;
    background: none;
    box-shadow: none;
    color: inherit;
    font: inherit;
    vertical-align: middle;
  }
  .bars b {
    display: inline-block;
    min-width: 1.6em;
    font-weight: 600;
    text-align: center;
  }
  .bars .picture {
    width: 99%;
    padding-left: 8px;
  }
  .bar svg {
    display: block;
    width: 100%;
    height: 14px;
  }
  .bar rect {
    fill: var(--_muted);
    fill-opacity: 0.55;
  }
  .bar .warm {
    fill-opacity: 0.9;
  }
  .drawn rect {
    fill: var(--_generated-edge);
  }
  .drawn th,
  .drawn td {
    color: var(--_generated-ink);
    font-weight: 700;
  }
  .cut th,
  .cut td {
    color: var(--_muted);
  }
  .cut rect {
    fill-opacity: 0.2;
  }
  @container widget (max-width: 600px) {
    .bars {
      display: table;
    }
    .bars tbody {
      display: table-row-group;
    }
    .bars thead {
      position: static;
      width: auto;
      height: auto;
      clip-path: none;
    }
    .bars tbody tr {
      display: table-row;
      border: 0;
    }
    .bars tbody td {
      padding-left: 8px;
      text-align: right;
    }
  }
  @media (forced-colors: active) {
    .bar rect,
    .sum rect {
      fill: CanvasText;
    }
    .drawn rect,
    .sum .taken {
      fill: Highlight;
    }
    .cut rect {
      fill: GrayText;
    }
    .sum line {
      stroke: CanvasText;
    }
  }
`;
