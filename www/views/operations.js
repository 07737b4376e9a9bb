/** What a row of the log opens into: the matrix products of its pass, each with its formula and with the numbers in it. */

import { css, html, svg } from "lit";

/** The formulas of the products, in the order in which these run: letters and digits, each perhaps squared. */
export const FORMULAS = ["L·6SD²", "L·2STD", "L·2STD", "L·2SD²", "L·2SDF", "L·2SFD", "2SDV"];

const LETTERS = "LSTDFV";

/**
 * @param {object} state
 * @param {import("../words.js").Words} state.words
 * @param {import("../pass.js").Pass} state.pass
 * @param {import("../flops.js").Config} state.config
 */
export function operations({ words, pass, config }) {
  const { phase, tokensIn, contextLength, flops: sum } = pass;
  const { n_layer, n_embd, n_inner, vocab_size } = config;
  const values = [n_layer, tokensIn, contextLength, n_embd, n_inner, vocab_size].map(words.whole);
  const sizes = words.operations.sizes.split("|");
  const names = words.operations.names.split("|");
  const fill = `var(--_${phase === "prefill" ? "prompt" : "generated"}-edge)`;
  return html`
    <div class="operations">
      <p class="note">${sizes.map((size, at) => `${size} ${LETTERS[at]}\u00a0=\u00a0${values[at]}`).join(", ")}</p>
      <ol role="list">
        ${pass.operations.map(
          ({ flops }, at) => html`<li>
            <span>${names[at]}</span>
            <code>${FORMULAS[at]} = ${filled(FORMULAS[at], values)}</code>
            <code>= ${words.whole(flops)}</code>
            <code>${words.percent(flops / sum)}</code>
            <svg aria-hidden="true">${svg`<rect width="${(100 * flops) / sum}%" height="100%" fill=${fill}></rect>`}</svg>
          </li>`,
        )}
      </ol>
      <p>${words.operations.sum(words.whole(sum))}</p>
    </div>
  `;
}

/**
 * A formula with numbers for its letters: "2 · 6 · 11 · 16²".
 * @param {string} formula
 * @param {readonly string[]} values of L, S, T, D, F and V
 */
export function filled(formula, values) {
  const factors = formula.match(/\w²?/g) ?? [];
  return factors
    .map(([factor, square = ""]) => (values[LETTERS.indexOf(factor)] ?? factor) + square)
    .join(" · ");
}

export const operationsStyles = css`
  .operations {
    max-width: 720px;
    font: 13px / 1.5 var(--_font);
  }
  .operations p {
    margin: 4px 0;
  }
  .operations ol,
  .operations li {
    display: grid;
    grid-template-columns: auto 1fr auto auto;
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .operations li {
    grid-column: 1 / -1;
    grid-template-columns: subgrid;
    gap: 0 16px;
    padding-top: 4px;
  }
  .operations code {
    font: 12px / 20px var(--_mono);
    text-align: right;
  }
  .operations span + code {
    text-align: left;
  }
  /* The line below a row is the whole pass, and its thick part the row's share. */
  .operations svg {
    grid-column: 1 / -1;
    width: 100%;
    height: 4px;
    border-bottom: 1px solid var(--_hairline);
  }
  @container widget (max-width: 600px) {
    .operations ol {
      grid-template-columns: 1fr auto auto;
    }
    .operations span + code {
      grid-area: 2 / 1 / 3 / -1;
    }
  }
`;
