/** Predict first: what the reader expects of the next pass, what came, and how often they were right. */

import { css, html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { outcomeInWords } from "../format.js";

/**
 * @param {object} state
 * @param {import("../words.js").Words} state.words
 * @param {{ token: string, flops: string }} state.guesses as typed
 * @param {import("../predictions.js").Outcome | null} state.last
 * @param {{ right: number, all: number }} state.score
 * @param {boolean} state.possible whether there is a pass to come
 * @param {string | null} state.error what is wrong with a guess
 * @param {(name: "token" | "flops", text: string) => void} state.onGuess
 * @param {() => void} state.onEnter
 */
export function predict({ words, guesses, last, score, possible, error, onGuess, onEnter }) {
  const field = (
    /** @type {"token" | "flops"} */ name,
    /** @type {string} */ label,
  ) => html`<span class="guess">
    <label for=${`guess-${name}`}>${label}</label>
    <input
      id=${`guess-${name}`}
      type="text"
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      inputmode=${name === "flops" ? "numeric" : "text"}
      ?disabled=${!possible}
      .value=${live(guesses[name])}
      @input=${(/** @type {Event} */ event) => onGuess(name, /** @type {HTMLInputElement} */ (event.target).value)}
      @keydown=${(/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter" && !event.isComposing && event.keyCode !== 229) onEnter();
      }}
    />
  </span>`;
  return html`<div class="predict" part="predict">
    <p class="title">${words.predict.label} <small>${words.predict.about}</small></p>
    <div class="guesses">
      ${field("token", words.predict.token)} ${field("flops", words.predict.flops)}
      <span class="score">${words.predict.score(score.right, score.all)}</span>
    </div>
    ${
      error === null
        ? html`<p class="note">${last === null ? nothing : outcomeInWords(last, words)}</p>`
        : html`<p class="error" lang=${words.errors ?? nothing}>${error}</p>`
    }
  </div>`;
}

export const predictStyles = css`
  .predict .title {
    margin-bottom: 4px;
  }
  .guesses {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 20px;
  }
  .guess {
    display: inline-flex;
    align-items: center;
    gap: 8px;
  }
  .guess input {
    width: 9em;
  }
  .guess #guess-token {
    width: 4em;
  }
  .guesses .score {
    color: var(--_muted);
    font-size: 13px;
    font-variant-numeric: tabular-nums;
  }
  .predict :is(.note, .error) {
    min-height: 1.4em;
    margin: 4px 0 0;
    font-size: 14px;
  }
`;
