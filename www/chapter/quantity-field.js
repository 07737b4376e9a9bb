/** A field for a quantity, with its error below and a slider beside it. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";

/**
 * @param {object} field
 * @param {string} field.id
 * @param {string} field.label
 * @param {string} field.text what stands in it, whether it can be used or not
 * @param {string | undefined} field.error
 * @param {string} [field.errorId] where the error stands, if not below
 * @param {{ least: number, most: number, step: number, value: number }} [field.slider] it reaches less far than the field
 * @param {unknown} [field.unit] what stands behind the field
 * @param {(text: string) => void} field.onText
 */
export function quantityField({ id, label, text, error, errorId, slider, unit = nothing, onText }) {
  const typed = (/** @type {Event} */ event) => onText(/** @type {HTMLInputElement} */ (event.target).value);
  return html`<div class="quantity">
    <label for=${id}>${label}</label>
    <div class="inputs">
      <input
        id=${id}
        type="text"
        inputmode="decimal"
        autocomplete="off"
        spellcheck="false"
        aria-invalid=${error !== undefined}
        aria-describedby=${error === undefined ? nothing : (errorId ?? `${id}-error`)}
        .value=${live(text)}
        @input=${typed}
      />
      ${unit}
      ${
        slider
          ? html`<input
              type="range"
              aria-label="${label}, slider"
              min=${slider.least}
              max=${slider.most}
              step=${slider.step}
              .value=${live(String(slider.value))}
              @input=${typed}
            />`
          : nothing
      }
    </div>
    ${errorId === undefined ? html`<p class="error" id="${id}-error">${error ?? nothing}</p>` : nothing}
  </div>`;
}

/**
 * A choice of a few.
 * @param {object} field
 * @param {string} field.id
 * @param {string} field.label
 * @param {readonly { id: string, name: string }[]} field.options
 * @param {string} field.chosen
 * @param {(id: string) => void} field.onChoice
 */
export function choiceField({ id, label, options, chosen, onChoice }) {
  return html`<div class="quantity choice">
    <label for=${id}>${label}</label>
    <div class="inputs">
      <select
        id=${id}
        @change=${(/** @type {Event} */ event) => onChoice(/** @type {HTMLSelectElement} */ (event.target).value)}
      >
        ${options.map(
          (option) =>
            html`<option value=${option.id} .selected=${option.id === chosen}>${option.name}</option>`,
        )}
      </select>
    </div>
  </div>`;
}
