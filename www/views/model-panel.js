/** Which weights are used: the two that are inside as one switch, or files of the reader's own; and what the model is. */

import { css, html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { modelInWords } from "../format.js";
import { MODELS } from "../settings.js";

/**
 * @param {object} state
 * @param {import("../words.js").Words} state.words
 * @param {string} state.model what the one in use is called
 * @param {import("../flops.js").Config} state.config
 * @param {number} state.parameters
 * @param {boolean} state.holdsUp whether its passes hold up the page
 * @param {{ name: string, progress: { loaded: number, total: number } | null } | null} state.loading the load under way
 * @param {(name: string) => void} state.onModel
 * @param {(files: File[]) => void} state.onFiles
 * @param {() => void} state.onCancel
 */
export function modelPanel(state) {
  const { words, model, onModel } = state;
  const own = !MODELS.includes(model);
  return html`
    <div class="model" part="model">
      <fieldset class="methods">
        <legend>${words.model.label}</legend>
        <div class="segments">
          ${[...MODELS, ...(own ? [model] : [])].map(
            (name) => html`<label class=${own && name === model ? "own-file" : ""}>
              <input
                type="radio"
                name="model"
                value=${name}
                .checked=${live(name === model)}
                @change=${() => onModel(name)}
              /><span class=${own && name === model ? "file" : ""} title=${modelInWords(name, words)}
                >${modelInWords(name, words)}</span
              >
            </label>`,
          )}
        </div>
      </fieldset>
      ${state.loading === null ? card(state) : progress(state.loading, words, state.onCancel)}
    </div>
  `;
}

/** @param {Parameters<typeof modelPanel>[0]} state */
function card({ words, model, config, parameters, holdsUp, onFiles }) {
  const { count } = words;
  const { n_layer, n_head, n_embd, vocab_size } = config;
  const shape = words.model.shape(
    count(n_layer, words.unit.block),
    count(n_head, words.unit.head),
    n_embd,
    count(vocab_size, words.unit.token),
    count(parameters, words.unit.parameter),
  );
  const origin = words.origin[MODELS.includes(model) ? model : "own"];
  return html`<div class="card">
    <p>
      ${shape} ${origin} ${holdsUp ? words.model.still : nothing}
    </p>
    <label class="own">
      <input
        type="file"
        multiple
        accept=".json,.safetensors"
        aria-describedby="own-hint"
        @change=${(/** @type {Event} */ event) => {
          const field = /** @type {HTMLInputElement} */ (event.target);
          onFiles([...(field.files ?? [])]);
          // The same files again are a change again.
          field.value = "";
        }}
      /><span>${words.model.open}</span>
    </label>
    <span class="sr" id="own-hint">${words.model.files}</span>
  </div>`;
}

/**
 * A load under way.
 * @param {NonNullable<Parameters<typeof modelPanel>[0]["loading"]>} loading
 * @param {import("../words.js").Words} words
 * @param {() => void} onCancel
 */
export function progress({ name, progress }, words, onCancel) {
  const { megabytes } = words;
  const label = words.model.loading(modelInWords(name, words));
  const part =
    progress === null
      ? words.model.dots
      : words.model.part(megabytes(progress.loaded), megabytes(progress.total));
  return html`<div class="card">
    <p>${label}${part}</p>
    <progress aria-label=${label} max=${progress?.total ?? 1} value=${progress?.loaded ?? nothing}></progress>
    <button type="button" class="cancel" @click=${onCancel}>${words.model.cancel}</button>
  </div>`;
}

export const modelPanelStyles = css`
  .model {
    display: flex;
    flex-wrap: wrap;
    align-items: flex-end;
    gap: 12px 24px;
  }
  .card {
    display: flex;
    flex: 1 1 24em;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 16px;
    min-height: 34px;
    color: var(--_muted);
    font-size: 13px;
  }
  .card p {
    flex: 1 1 18em;
    margin: 0;
    overflow-wrap: anywhere;
    font-variant-numeric: tabular-nums;
  }
  .segments .own-file {
    flex: 0 1 auto;
    min-width: 4em;
    max-width: 16em;
  }
  .segments .file {
    display: block;
    overflow: hidden;
    line-height: 32px;
    text-overflow: ellipsis;
  }
  .model .methods {
    max-width: 100%;
  }
  .own {
    position: relative;
  }
  .own input {
    position: absolute;
    inset: 0;
    width: 100%;
    opacity: 0;
    cursor: pointer;
  }
  .own span {
    display: grid;
    place-items: center;
    min-height: 34px;
    padding: 0 8px;
    border-radius: var(--_radius);
    color: var(--_accent);
    font-size: 14px;
    text-decoration: underline;
    text-underline-offset: 3px;
  }
  .own input:focus-visible + span {
    outline: 2px solid var(--_focus);
    outline-offset: 2px;
  }
  progress {
    width: 10em;
    accent-color: var(--_accent);
  }
  .dropping {
    outline: 2px dashed var(--_accent);
    outline-offset: 4px;
  }
  @media (pointer: coarse) {
    .own span {
      min-height: 44px;
    }
  }
`;
