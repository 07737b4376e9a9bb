/** The corner as it is drawn: fields, the widget's place, and what to paste. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { COLOR_SCHEMES, PADDING } from "../parameters.js";
import { METHODS, MODELS, PANELS } from "../settings.js";
import { words } from "./phrases.js";
import { frameAddress, frameSnippet, numbersOf, tagSnippet } from "./snippets.js";

/** @typedef {import("./embed.js").State} State */
/** @typedef {import("./snippets.js").Scheme} Scheme */
/** @typedef {"tag" | "frame" | "link"} Kind */

/** Fields in which something is typed. */
export const FIELDS = {
  prompt: { label: words.prompt.label, hint: "" },
  temperature: { label: words.settings.temperature, hint: "0 means greedy" },
  topK: { label: words.settings.topK, hint: "0 keeps all" },
  topP: { label: words.settings.topP, hint: "0 to 1" },
  seed: { label: words.settings.seed, hint: "empty: picked anew" },
  stop: { label: words.settings.stop, hint: "| between two, \\n for a newline, empty for none" },
  maxTokens: { label: words.settings.limit, hint: "or none" },
};

/** @typedef {keyof typeof FIELDS} FieldName */

/** @type {Record<string, string>} */
const NAMES_OF_PANELS = {
  model: words.model.label,
  settings: "Settings",
  legend: words.strip.legend,
  timeline: words.timeline.label,
  log: words.log.label,
  distribution: words.distribution.label,
  cost: words.cost.label,
  cache: words.cache.label,
  share: words.share.label,
};

const SWITCHES = {
  cache: words.settings.cache,
  predict: "Asks for a prediction before each pass",
  autoplay: "Begins to run by itself",
};

/**
 * @typedef {object} Actions
 * @property {(name: string, text: string) => void} type
 * @property {(name: string, value: unknown) => void} set
 * @property {(scheme: Scheme) => void} scheme
 * @property {() => void} take
 * @property {(kind: Kind, text: string) => void} copy
 */

/**
 * @param {State} state
 * @param {HTMLElement} preview
 * @param {Actions} actions
 */
export function figure(state, preview, actions) {
  const { settings, scheme, said } = state;
  const field = (/** @type {string} */ name) =>
    typedField(state, /** @type {FieldName} */ (name), actions.type);
  return html`
    <div class="bench">
      <div class="choices">
        <p class="buttons">
          <button type="button" @click=${actions.take}>Take the settings of the widget above</button>
          <span role="status">${said?.kind === "taken" ? said.text : nothing}</span>
        </p>
        ${field("prompt")}
        <div class="pair">
          ${choice("Method", METHODS, words.method, settings.sampling, (value) => actions.set("sampling", value))}
          ${choice("Weights", MODELS, words.weights, settings.model, (value) => actions.set("model", value))}
          ${numbersOf(settings.sampling).map(field)} ${field("seed")} ${field("maxTokens")}
        </div>
        ${field("stop")}
        <fieldset>
          <legend>Panels</legend>
          <div class="checks">
            ${PANELS.map((panel) =>
              check(NAMES_OF_PANELS[panel], !settings.hide.includes(panel), (shows) => {
                // In the order of the list, so that the same choice is the same snippet.
                const hide = PANELS.filter((one) => (one === panel ? !shows : settings.hide.includes(one)));
                actions.set("hide", hide);
              }),
            )}
          </div>
        </fieldset>
        <fieldset>
          <legend>Behaviour</legend>
          ${Object.entries(SWITCHES).map(([name, label]) =>
            check(label, settings[name], (on) => actions.set(name, on)),
          )}
        </fieldset>
        ${choice("Colours", ["", ...COLOR_SCHEMES], { "": "as the page has them" }, scheme, (value) =>
          actions.scheme(/** @type {Scheme} */ (value)),
        )}
      </div>
      <div role="group" aria-label="The widget with these settings">${preview}</div>
    </div>
    ${outputs(state, actions)}
  `;
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
function outputs({ settings, scheme, errors, height, said }, { copy }) {
  const address = frameAddress(new URL("embed.html", document.baseURI).href, settings, scheme);
  const wrong = Object.keys(errors).map((name) => FIELDS[/** @type {FieldName} */ (name)].label);
  const output = (
    /** @type {Kind} */ kind,
    /** @type {string} */ name,
    /** @type {unknown} */ note,
    /** @type {string} */ text,
  ) => html`
    <h3 id="embed-${kind}-name">The ${name}</h3>
    <p class="note">${note}</p>
    <pre id="embed-${kind}" tabindex="0" role="group" aria-labelledby="embed-${kind}-name"><code>${text}</code></pre>
    <p class="buttons">
      <button type="button" @click=${() => copy(kind, text)}>Copy the ${name}</button>
      <span role="status">${said?.kind === kind ? said.text : nothing}</span>
    </p>
  `;
  return html`
    <p class="error kept">
      ${wrong.length === 0 ? nothing : `Still with the last good value of: ${wrong.join(", ")}.`}
    </p>
    ${output(
      "tag",
      "tag",
      html`For a page of yours beside which the package’s files stand. The style sheet keeps the room of the widget while it
      loads, and can be left out.${
        scheme === ""
          ? nothing
          : " Where a policy forbids styles in pages, the rule goes into a style sheet of yours."
      }`,
      tagSnippet(settings, scheme),
    )}
    ${output(
      "frame",
      "iframe",
      "For a page that takes no script: the widget stays on this site. It is as high as the widget is now, and scrolls where that is not enough.",
      frameSnippet(address, { width: "100%", height: height + 2 * PADDING }),
    )}
    ${output("link", "link", html`The same as a page of its own. <a href=${address}>Open it</a>`, address)}
  `;
}

/**
 * @param {State} state
 * @param {FieldName} name
 * @param {(name: string, text: string) => void} onText
 */
function typedField({ texts, errors }, name, onText) {
  const { label, hint } = FIELDS[name];
  const error = errors[name];
  const id = `embed-${name}`;
  const typed = (/** @type {Event} */ event) =>
    onText(name, /** @type {HTMLInputElement} */ (event.target).value);
  return html`<div class=${`field ${name}`}>
    <label for=${id}>${label}</label>
    ${
      name === "prompt"
        ? html`<textarea id=${id} rows="2" spellcheck="false" autocapitalize="off" .value=${live(texts[name])} @input=${typed}></textarea>`
        : html`<input
            id=${id}
            type="text"
            autocomplete="off"
            autocapitalize="off"
            spellcheck="false"
            aria-invalid=${error !== undefined}
            aria-describedby="${id}-note"
            .value=${live(texts[name])}
            @input=${typed}
          />
          <p class=${error === undefined ? "note" : "error"} id="${id}-note">${error ?? hint}</p>`
    }
  </div>`;
}

/**
 * @param {string} label
 * @param {readonly string[]} options
 * @param {Readonly<Record<string, string>>} names of those that are not called what they are
 * @param {string} chosen
 * @param {(option: string) => void} onChoice
 */
function choice(label, options, names, chosen, onChoice) {
  const id = `embed-${label.toLowerCase()}`;
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <select
      id=${id}
      @change=${(/** @type {Event} */ event) => onChoice(/** @type {HTMLSelectElement} */ (event.target).value)}
    >
      ${options.map(
        (option) =>
          html`<option value=${option} .selected=${option === chosen}>${names[option] ?? option}</option>`,
      )}
    </select>
  </div>`;
}

/**
 * @param {string} label
 * @param {boolean} on
 * @param {(on: boolean) => void} onChange
 */
function check(label, on, onChange) {
  return html`<label class="check">
    <input
      type="checkbox"
      .checked=${live(on)}
      @change=${(/** @type {Event} */ event) => onChange(/** @type {HTMLInputElement} */ (event.target).checked)}
    />
    <span>${label}</span>
  </label>`;
}
