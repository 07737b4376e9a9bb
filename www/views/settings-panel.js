/** What is chosen for a run: the method with just its own numbers, the seed, and when to stop. */

import { css, html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { METHODS, stopAsText } from "../settings.js";

/**
 * What the reader sees of the settings, and what happens when one changes.
 * @typedef {object} SettingsState
 * @property {import("../words.js").Words} words
 * @property {import("../settings.js").Method} method
 * @property {number} temperature
 * @property {number} topK
 * @property {number} topP
 * @property {number} seed the one in use
 * @property {readonly string[]} stop
 * @property {number | null} maxTokens
 * @property {boolean} cache
 * @property {number} vocabSize
 * @property {number} context length of the model's context
 * @property {Readonly<Record<string, { text: string, message: string }>>} errors what was typed and refused, by setting
 * @property {(name: string, value: unknown) => void} onChange
 * @property {() => void} onNewSeed
 */

/** @param {SettingsState} state */
export function settingsPanel(state) {
  const { words, method, onChange, errors } = state;
  return html`
    <div class="settings" part="settings">
      <div class="group">
        <fieldset class="methods">
          <legend>${words.settings.sampling}</legend>
          <div class="segments">
            ${METHODS.map(
              (name) => html`<label>
                <input
                  type="radio"
                  name="method"
                  value=${name}
                  .checked=${live(name === method)}
                  @change=${() => onChange("sampling", name)}
                /><span>${words.method[name]}</span>
              </label>`,
            )}
          </div>
        </fieldset>
        ${method === "greedy" ? nothing : slider(state, "temperature", words.settings.temperature, { max: 2, step: 0.05 })}
        ${method === "top-k" ? slider(state, "topK", words.settings.topK, { max: state.vocabSize, step: 1 }) : nothing}
        ${method === "top-p" ? slider(state, "topP", words.settings.topP, { max: 1, step: 0.01 }) : nothing}
      </div>
      <div class="group">
        ${field(state, "seed", words.settings.seed, {
          value: String(state.seed),
          inputmode: "numeric",
          wide: true,
          after: html`<button type="button" class="quiet" @click=${state.onNewSeed}>${words.settings.newSeed}</button>`,
        })}
        ${field(state, "maxTokens", words.settings.limit, {
          value: state.maxTokens === null ? words.settings.none : String(state.maxTokens),
          hint: words.settings.limits(state.context),
          read: (text) => (text === words.settings.none ? "none" : text),
        })}
        ${field(state, "stop", words.settings.stop, {
          value: stopAsText(state.stop),
          hint: state.stop.length === 0 ? words.settings.none : nothing,
        })}
        <div class="field">
          <span class="label" id="cache-label">${words.settings.cache}</span>
          <label class="check">
            <input
              type="checkbox"
              aria-labelledby="cache-label"
              .checked=${live(state.cache)}
              @change=${(/** @type {Event} */ event) =>
                onChange("cache", /** @type {HTMLInputElement} */ (event.target).checked)}
            />
            <span>${state.cache ? words.settings.on : words.settings.off}</span>
          </label>
        </div>
      </div>
      ${Object.entries(errors).map(
        ([name, { message }]) =>
          html`<p class="error" id="${name}-error" lang=${words.errors ?? nothing}>${message}</p>`,
      )}
    </div>
  `;
}

/**
 * A number with a slider beside it.
 * @param {SettingsState} state
 * @param {"temperature" | "topK" | "topP"} name
 * @param {string} label
 * @param {{ max: number, step: number }} range of the slider; the field takes all that is allowed
 */
function slider(state, name, label, { max, step }) {
  return field(state, name, label, {
    value: String(state[name]),
    inputmode: "decimal",
    // A number is typed as it is read.
    read: (text) => text.replace(state.words.point, "."),
    after: html`<input
      type="range"
      min="0"
      max=${max}
      step=${step}
      aria-label=${state.words.settings.slider(label)}
      .value=${live(String(state[name]))}
      @input=${(/** @type {Event} */ event) =>
        state.onChange(name, /** @type {HTMLInputElement} */ (event.target).value)}
    />`,
  });
}

/**
 * @param {SettingsState} state
 * @param {"temperature" | "topK" | "topP" | "seed" | "maxTokens" | "stop"} name
 * @param {string} label
 * @param {{ value: string, inputmode?: "decimal" | "numeric", hint?: unknown, after?: unknown, wide?: boolean, read?: (text: string) => string }} options
 */
function field(
  state,
  name,
  label,
  { value, inputmode = "numeric", hint = nothing, after = nothing, wide = false, read = (text) => text },
) {
  const refused = state.errors[name];
  const text = refused?.text ?? value;
  return html`
    <div class="field">
      <label class="label" for=${name}>${label}</label>
      <div class="inputs">
        <input
          id=${name}
          type="text"
          class=${wide ? "wide" : ""}
          inputmode=${name === "stop" || name === "maxTokens" ? nothing : inputmode}
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          title=${hint}
          aria-invalid=${refused !== undefined}
          aria-describedby=${refused === undefined ? nothing : `${name}-error`}
          .value=${live(inputmode === "decimal" ? text.replace(".", state.words.point) : text)}
          @change=${(/** @type {Event} */ event) =>
            state.onChange(name, read(/** @type {HTMLInputElement} */ (event.target).value))}
        />
        ${after}
      </div>
    </div>
  `;
}

export const settingsPanelStyles = css`
  .settings,
  .group {
    display: flex;
    flex-wrap: wrap;
    align-items: flex-end;
    gap: calc(3 * var(--_step)) calc(6 * var(--_step));
  }
  fieldset {
    min-width: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  legend,
  .label {
    display: block;
    margin-bottom: 4px;
    padding: 0;
    color: var(--_muted);
    font-size: 13px;
  }
  .segments {
    display: flex;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
  }
  .segments label {
    position: relative;
    flex: auto;
  }
  .segments input {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
    margin: 0;
    opacity: 0;
    cursor: pointer;
  }
  .segments span {
    display: grid;
    place-items: center;
    min-height: 32px;
    padding: 0 12px;
    border-radius: calc(var(--_radius) - 1px);
    white-space: nowrap;
  }
  .segments input:checked + span {
    background: var(--_ink);
    color: var(--_paper);
  }
  .segments input:focus-visible + span {
    outline: 2px solid var(--_focus);
    outline-offset: 2px;
  }
  .inputs {
    display: flex;
    align-items: center;
    gap: 8px;
  }
  .inputs input[type="text"] {
    width: 4.5em;
  }
  .inputs input.wide {
    /* The sixteen digits of the largest seed. */
    width: 11.5em;
  }
  .inputs input[type="range"] {
    width: 120px;
    min-height: 32px;
    margin: 0;
    accent-color: var(--_accent);
  }
  .check {
    display: flex;
    align-items: center;
    gap: 8px;
    min-height: 34px;
    cursor: pointer;
  }
  .check input {
    width: 18px;
    height: 18px;
    margin: 0;
    accent-color: var(--_accent);
  }
  .settings .error {
    flex-basis: 100%;
    margin: 0;
    font-size: 13px;
  }
  @container widget (max-width: 600px) {
    .group,
    .methods {
      flex-basis: 100%;
    }
    .segments span {
      padding: 0 4px;
    }
  }
  @media (pointer: coarse) {
    .segments span,
    .inputs input[type="range"],
    .check {
      min-height: 44px;
    }
  }
  @media (forced-colors: active) {
    .segments input:checked + span {
      outline: 2px solid Highlight;
      outline-offset: -4px;
    }
  }
`;
