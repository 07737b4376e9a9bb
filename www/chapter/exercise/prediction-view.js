/** The question before the code, its two fields, and the verdict on what was committed. */

import { html, nothing } from "lit";
import { EXAMPLE } from "./model.js";
import { callOf } from "./scenarios.js";

/**
 * @typedef {object} PredictionState
 * @property {Record<"tokens" | "passes", string>} errors one for each field, empty where there is none
 * @property {{ tokens: number, passes: number, message: string, isRight: { tokens: boolean, passes: boolean } } | null} committed
 *   the last answer that could be read
 */

/**
 * @param {PredictionState} state
 * @param {(form: HTMLFormElement) => void} onCommit
 */
export function predictionView({ errors, committed }, onCommit) {
  const isStale = errors.tokens !== "" || errors.passes !== "";
  return html`<form
    class="prediction"
    novalidate
    @submit=${(/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      onCommit(/** @type {HTMLFormElement} */ (event.currentTarget));
    }}
  >
    <p>Predict first: what does <code>${callOf(EXAMPLE)}</code> do with this model?</p>
    <div class="answers">
      ${field("tokens", "Tokens yielded", errors.tokens)} ${field("passes", "Forward passes", errors.passes)}
      <button type="submit">Commit</button>
    </div>
    <div role="status" class="verdict">
      ${
        committed === null
          ? nothing
          : html`<p>
              <span class="note">${isStale ? "Your last answer that could be read" : "Your answer"}:
              ${committed.tokens} and ${committed.passes}.</span>
              ${committed.message}
            </p>`
      }
    </div>
  </form>`;
}

/**
 * @param {"tokens" | "passes"} name
 * @param {string} label
 * @param {string} error
 */
function field(name, label, error) {
  const id = `exercise-${name}`;
  return html`<div class="answer">
    <label for=${id}>${label}</label>
    <input
      id=${id}
      name=${name}
      inputmode="numeric"
      autocomplete="off"
      size="6"
      aria-invalid=${error === "" ? "false" : "true"}
      aria-describedby="${id}-error"
    />
    <p class="error" id="${id}-error">${error}</p>
  </div>`;
}
