/** The step log: one row per forward pass, and what each cost. */

import { css, html, nothing } from "lit";
import { modelInWords, spoken, symbolOf } from "../format.js";

/**
 * @param {object} state
 * @param {import("../words.js").Words} state.words
 * @param {readonly import("../pass.js").Pass[]} state.log
 * @param {{ model: string, log: readonly import("../pass.js").Pass[] } | null} state.other the last run of another model
 * @param {number | null} state.opened the pass whose operations are shown
 * @param {(pass: import("../pass.js").Pass) => unknown} state.detail what a row opens into
 * @param {(pass: number) => void} state.onOpen or close
 */
export function stepLog({ words, log, other, opened, detail, onOpen }) {
  let total = 0;
  const rows = log.map((pass) => {
    total += pass.flops;
    const isOpen = pass.index === opened;
    return [
      row(pass, total, words, isOpen, onOpen),
      isOpen
        ? html`<tr role="row" class="opened">
            <td role="cell" colspan="8">${detail(pass)}</td>
          </tr>`
        : nothing,
    ];
  });
  // A table in its own right: the roles keep it one where a narrow screen lays its rows out as blocks.
  return html`
    <section class="log" part="log">
      <p class="title" id="log-title">${words.log.label} <small>${words.log.about}</small></p>
      <div class="scroll" tabindex="0" role="group" aria-labelledby="log-title">
        <table role="table" class=${total >= 1e8 ? "long" : ""} aria-labelledby="log-title">
          <thead role="rowgroup">
            <tr role="row">
              <th role="columnheader" scope="col">${words.log.pass}</th>
              <th role="columnheader" scope="col" class="word">${words.log.phase}</th>
              <th role="columnheader" scope="col">${words.log.tokensIn}</th>
              <th role="columnheader" scope="col">${words.log.context}</th>
              <th role="columnheader" scope="col">${words.log.flops}</th>
              <th role="columnheader" scope="col">${words.log.total}</th>
              <th role="columnheader" scope="col">${words.log.uncached}</th>
              <th role="columnheader" scope="col" class="word">${words.log.token}</th>
            </tr>
          </thead>
          <tbody role="rowgroup">${rows}</tbody>
        </table>
        ${log.length === 0 ? html`<p class="empty">${words.log.empty}</p>` : nothing}
      </div>
      <p class="note weights">${compared(log, other, words)}</p>
    </section>
  `;
}

/**
 * What the weights have to do with the cost: nothing, and where another model of the same shape has run, the two logs show it.
 * @param {Parameters<typeof stepLog>[0]["log"]} log
 * @param {Parameters<typeof stepLog>[0]["other"]} other
 * @param {import("../words.js").Words} words
 */
function compared(log, other, words) {
  const both = other === null ? 0 : log.findIndex((pass, index) => pass.flops !== other.log[index]?.flops);
  const same = both === -1 ? log.length : both;
  return other === null || same === 0
    ? words.log.shape
    : words.log.same(modelInWords(other.model, words), same);
}

/**
 * @param {import("../pass.js").Pass} pass
 * @param {number} total
 * @param {import("../words.js").Words} words
 * @param {boolean} isOpen
 * @param {(pass: number) => void} onOpen
 */
function row(pass, total, words, isOpen, onOpen) {
  const { index, phase, tokensIn, contextLength, flops, flopsWithoutCache, token } = pass;
  const { whole } = words;
  return html`<tr role="row" class=${phase}>
    <td role="cell" class="index" data-pass=${words.log.pass}>
      <button
        type="button"
        class="open"
        aria-expanded=${isOpen}
        aria-label=${words.log.open(index)}
        @click=${() => onOpen(index)}
      >${index}</button>
    </td>
    <td role="cell" class="word phase"><span>${words.phase[phase]}</span></td>
    <td role="cell" data-label=${words.log.tokensIn}>${whole(tokensIn)}</td>
    <td role="cell" data-label=${words.log.context}>${whole(contextLength)}</td>
    <td role="cell" data-label=${words.log.flops} class="flops">${whole(flops)}</td>
    <td role="cell" data-label=${words.log.total}>${whole(total)}</td>
    <td role="cell" data-label=${words.log.uncached}>${whole(flopsWithoutCache)}</td>
    <td role="cell" class="word token">
      <b aria-hidden="true">${symbolOf(token.text)}</b><span class="sr">${spoken(token.text, words)}</span>
      <span class="probability">${words.percent(token.probability)}</span>
    </td>
  </tr>`;
}

export const stepLogStyles = css`
  .log .weights {
    min-height: 2.8em;
    margin: 8px 0 0;
    font-size: 13px;
  }
  .log .scroll {
    height: 356px;
    overflow: auto;
    overscroll-behavior: auto;
  }
  table {
    width: 100%;
    /* Fixed, so that no column moves when a longer number comes. */
    table-layout: fixed;
    border-collapse: collapse;
    font: 13px / 1.4 var(--_mono);
    font-variant-numeric: tabular-nums;
  }
  /* A large model's numbers: wider than the pane, which scrolls. */
  table.long {
    min-width: 58em;
  }
  th {
    position: sticky;
    top: 0;
    z-index: 1;
    padding: 4px 0 6px 10px;
    background: var(--_paper);
    box-shadow: inset 0 -1px var(--_hairline);
    color: var(--_muted);
    font: 12px / 1.3 var(--_font);
    text-align: right;
    vertical-align: bottom;
  }
  td {
    padding-block: calc(1.25 * var(--_step));
    padding-left: 10px;
    border-bottom: 1px solid var(--_hairline);
    text-align: right;
    white-space: nowrap;
  }
  th:first-child,
  td:first-child {
    padding-left: 0;
    text-align: left;
  }
  th.word,
  td.word {
    padding-left: 14px;
    text-align: left;
  }
  th:nth-child(1) {
    width: 7.5%;
  }
  th:nth-child(2) {
    width: 13.5%;
  }
  th:nth-child(3),
  th:nth-child(4) {
    width: 10.5%;
  }
  th:nth-child(5) {
    width: 13%;
  }
  th:nth-child(6),
  th:nth-child(7) {
    width: 14%;
  }
  th:nth-child(8) {
    width: 17%;
  }
  td.index,
  td .probability {
    color: var(--_muted);
  }
  td.flops {
    font-weight: 700;
  }
  button.open {
    min-height: 24px;
    margin: -4px 0;
    padding: 0 4px 0 0;
    border-color: transparent;
    background: none;
    color: var(--_muted);
    font: inherit;
  }
  button.open::before {
    content: "";
    display: inline-block;
    width: 0;
    margin-right: 5px;
    border: 4px solid transparent;
    border-right: 0;
    border-left-color: currentcolor;
  }
  button.open[aria-expanded="true"]::before {
    transform: rotate(90deg);
  }
  .opened td {
    padding: 4px 0 12px;
    text-align: left;
    white-space: normal;
  }
  .phase span {
    padding: 1px 6px 2px;
    border-radius: var(--_radius);
  }
  .prefill .phase span {
    background: var(--_prompt);
    color: var(--_prompt-ink);
  }
  .decode .phase span {
    background: var(--_generated);
    color: var(--_generated-ink);
  }
  .token b {
    display: inline-block;
    min-width: 1.4em;
    color: var(--_generated-ink);
    font-weight: 700;
  }
  @container widget (max-width: 600px) {
    .log .scroll {
      height: 420px;
    }
    thead {
      position: absolute;
      width: 1px;
      height: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
    table,
    tbody {
      display: block;
    }
    table.long {
      min-width: 0;
    }
    tbody tr {
      display: flex;
      flex-wrap: wrap;
      gap: 2px 14px;
      padding: 10px 0;
      border-bottom: 1px solid var(--_hairline);
    }
    tbody td,
    tbody td.word {
      padding: 0;
      border: 0;
      text-align: left;
    }
    td[data-label]::before {
      content: attr(data-label) " ";
      color: var(--_muted);
      font: 400 12px / 1.3 var(--_font);
    }
    td.index::before {
      content: attr(data-pass) " ";
      font-family: var(--_font);
    }
    td.index,
    td.phase,
    td.token {
      order: -1;
      margin-bottom: 2px;
    }
    tbody td.token {
      flex: 1 1 45%;
      text-align: right;
    }
  }
`;
