/** "Put it on your own page": settings in fields, a widget that has them, and what to paste, which follows at once. */

import { html, nothing, render } from "lit";
import { live } from "lit/directives/live.js";
import { COLOR_SCHEMES, PADDING } from "../parameters.js";
import { ELEMENT_SETTINGS, METHODS, MODELS, PANELS } from "../settings.js";
import { words } from "./phrases.js";
import {
  attributesOf,
  frameAddress,
  frameSnippet,
  numbersOf,
  readSetting,
  tagSnippet,
  textOf,
} from "./snippets.js";

/** @typedef {import("./snippets.js").Settings} Settings */
/** @typedef {import("./snippets.js").Scheme} Scheme */
/** @typedef {"tag" | "frame" | "link"} Kind */

/** Fields in which something is typed. */
const FIELDS = {
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

/** What most pages want of it: the tokens, the log, and the reasons. */
const LEAN = ["model", "cost", "cache", "share"];

/** What the corner takes from the reader's widget. */
const TAKEN = /** @type {const} */ (["sampling", "cache", "predict"]);

/** How near somebody has to be for a widget of one's own to be worth its room in memory. */
const NEAR = "100% 0px";

/**
 * @typedef {object} State
 * @property {Settings} settings the last good ones
 * @property {Scheme} scheme
 * @property {Record<string, string>} texts of the fields
 * @property {Record<string, string>} errors
 * @property {number} height of the widget, in CSS pixels
 * @property {{ kind: Kind | "taken", text: string } | null} said
 */

/** @param {HTMLElement} place */
export function embedding(place) {
  const settings = Object.fromEntries(
    Object.entries(ELEMENT_SETTINGS).map(([name, { fallback }]) => [name, fallback]),
  );
  /** @type {State} */
  const state = {
    settings: { ...settings, hide: LEAN },
    scheme: "",
    texts: textsOf(settings),
    errors: {},
    height: 0,
    said: null,
  };
  /** @type {any} */
  let preview = null;

  /** @param {Partial<State>} change */
  function set(change) {
    Object.assign(state, change);
    if (preview !== null) {
      dress(preview, state);
      refuseStop();
    }
    render(figure(state, preview, actions), place);
  }

  let goodStop = settings.stop;

  /** Which characters a stop string can have, the model knows: what it has not, the widget does not take. */
  function refuseStop() {
    const text = textOf("stop", state.settings.stop);
    if (!preview.moment || text === textOf("stop", preview.stop)) {
      goodStop = state.settings.stop;
      return;
    }
    const error = `stop is ${JSON.stringify(text)}; allowed: characters that the model has`;
    state.errors = { ...state.errors, stop: error };
    state.settings = { ...state.settings, stop: goodStop };
    dress(preview, state);
  }

  /** @param {Partial<State>} change what the reader wants: then the widget's place is as high as the widget */
  function choose(change) {
    place.classList.add("chosen");
    set({ said: null, ...change });
  }

  /** How much the model sees; until it is there, nobody knows. */
  const context = () => preview?.moment?.config.n_positions ?? Number.POSITIVE_INFINITY;

  /** @param {Record<string, string>} changed texts by the names of their fields */
  function typed(changed) {
    const [settings, errors] = [{ ...state.settings }, { ...state.errors }];
    for (const [name, text] of Object.entries(changed)) {
      const { value, error } = readSetting(name, text, context());
      delete errors[name];
      if (error === null) settings[name] = value;
      else errors[name] = error;
    }
    return { settings, errors, texts: { ...state.texts, ...changed } };
  }

  const actions = {
    type: (/** @type {string} */ name, /** @type {string} */ text) => choose(typed({ [name]: text })),
    set(/** @type {string} */ name, /** @type {unknown} */ value) {
      const settings = { ...state.settings, [name]: value };
      // The fields of another method are gone, and what was wrong in them with them.
      const gone = name === "sampling" ? numbersOf(state.settings.sampling) : [];
      const texts = { ...state.texts };
      const errors = { ...state.errors };
      for (const number of gone) {
        texts[number] = textOf(number, settings[number]);
        delete errors[number];
      }
      choose({ settings, texts, errors });
    },
    scheme: (/** @type {Scheme} */ scheme) => choose({ scheme }),
    take() {
      const widget = /** @type {any} */ (document.querySelector("generation-loop"));
      const isOurs = MODELS.includes(widget.model);
      for (const name of TAKEN) state.settings = { ...state.settings, [name]: widget[name] };
      if (isOurs) state.settings = { ...state.settings, model: widget.model };
      const texts = Object.keys(FIELDS).map((name) => [name, textOf(name, widget[name])]);
      const text = isOurs ? "Taken." : "Taken, but not its model: no snippet can hold weights.";
      choose({ ...typed(Object.fromEntries(texts)), said: { kind: "taken", text } });
    },
    async copy(/** @type {Kind} */ kind, /** @type {string} */ text) {
      set({ said: null });
      try {
        await navigator.clipboard.writeText(text);
        set({ said: { kind, text: "Copied." } });
      } catch {
        // Not from a page without https, nor where the reader does not want it.
        getSelection()?.selectAllChildren(/** @type {Node} */ (place.querySelector(`#embed-${kind}`)));
        set({
          said: { kind, text: "This browser lets no page copy. The text is selected, for you to copy." },
        });
      }
    },
  };

  place.replaceChildren();
  place.classList.add("started");
  set({});
  const stage = /** @type {HTMLElement} */ (place.querySelector(".stage"));
  // Until it has its content, the room that is kept for it is the best guess.
  const measure = () => {
    const { height } = (preview?.moment ? preview : stage).getBoundingClientRect();
    if (Math.ceil(height) !== state.height) set({ height: Math.ceil(height) });
  };
  measure();
  const sight = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      sight.disconnect();
      preview = document.createElement("generation-loop");
      preview.addEventListener("generation-moment", measure);
      new ResizeObserver(measure).observe(preview);
      set({});
    },
    { rootMargin: NEAR },
  );
  sight.observe(stage);
}

/** @param {Settings} settings */
const textsOf = (settings) =>
  Object.fromEntries(Object.keys(FIELDS).map((name) => [name, textOf(name, settings[name])]));

/**
 * The widget with the settings: the same attributes as in what is pasted. What stays the same is not touched, for a run goes on then.
 * @param {HTMLElement} preview
 * @param {State} state
 */
function dress(preview, { settings, scheme }) {
  const wanted = new Map(attributesOf(settings));
  for (const { attribute } of Object.values(ELEMENT_SETTINGS)) {
    const text = wanted.get(attribute) ?? null;
    if (text === preview.getAttribute(attribute)) continue;
    if (text === null) preview.removeAttribute(attribute);
    else preview.setAttribute(attribute, text);
  }
  preview.style.colorScheme = scheme;
}

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
 * @param {HTMLElement | null} preview
 * @param {Actions} actions
 */
function figure(state, preview, actions) {
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
      <div class="wings">
        <div class="stage" role="group" aria-label="The widget with these settings">${preview}</div>
      </div>
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
