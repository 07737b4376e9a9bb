/** The prompt: a field, a live count against the limit, and a message that names what cannot be processed. */

import { css, html, nothing } from "lit";
import { live } from "lit/directives/live.js";

/**
 * @param {object} state
 * @param {import("../words.js").Words} state.words
 * @param {string} state.prompt
 * @param {number} state.tokens tokens in the prompt, as far as they could be counted
 * @param {number} state.most the most that leave room for a new one
 * @param {string | null} state.error
 * @param {"plain" | null} state.note what the normaliser changed
 * @param {(prompt: string) => void} state.onInput
 * @param {() => void} state.onEnter
 */
export function promptField({ words, prompt, tokens, most, error, note, onInput, onEnter }) {
  return html`
    <div class="prompt-field" part="prompt">
      <label for="prompt">${words.prompt.label}</label>
      <span class="count" id="prompt-count">${words.prompt.count(words.whole(tokens), words.whole(most))}</span>
      <textarea
        id="prompt"
        rows="1"
        spellcheck="false"
        autocapitalize="off"
        autocomplete="off"
        aria-invalid=${error !== null}
        aria-describedby="prompt-count prompt-message"
        .value=${live(prompt)}
        @input=${(/** @type {InputEvent} */ event) => onInput(/** @type {HTMLTextAreaElement} */ (event.target).value)}
        @keydown=${(/** @type {KeyboardEvent} */ event) => enter(event, onEnter)}
      ></textarea>
      <p id="prompt-message" class=${error === null ? "note" : "error"} lang=${(error === null ? null : words.errors) ?? nothing}>
        ${error ?? (note === null ? nothing : words.prompt.plain)}
      </p>
    </div>
  `;
}

/**
 * Enter acts; with Shift it is a newline, which is a token. An Enter that only confirms a composed character does neither.
 * @param {KeyboardEvent} event
 * @param {() => void} onEnter
 */
function enter(event, onEnter) {
  // Safari ends the composition before this event and leaves only the old key code to tell.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  onEnter();
}

export const promptFieldStyles = css`
  .prompt-field {
    display: grid;
    grid-template-columns: 1fr auto;
    gap: 4px 12px;
  }
  .prompt-field .count {
    color: var(--_muted);
    font-size: 13px;
    font-variant-numeric: tabular-nums;
  }
  .prompt-field textarea {
    grid-column: 1 / -1;
    width: 100%;
    min-height: 40px;
    /* Of a very long prompt the beginning: what is wrong with it stands below. */
    max-height: 50vh;
    padding: 8px 10px;
    field-sizing: content;
    resize: vertical;
    font: 17px / 1.35 var(--_mono);
  }
  .prompt-field p {
    grid-column: 1 / -1;
    min-height: 1.3em;
    max-height: 8em;
    margin: 0;
    overflow: auto;
    overflow-wrap: anywhere;
    font-size: 13px;
    line-height: 1.3;
  }
`;
