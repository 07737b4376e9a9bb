/** "Put it on your own page": settings in fields, a widget that has them, and what to paste, which follows at once. */

import { render } from "lit";
import { textOf } from "../query.js";
import { ELEMENT_SETTINGS, MODELS } from "../settings.js";
import { FIELDS, figure } from "./embed-figure.js";
import { attributesOf, numbersOf, readSetting } from "./snippets.js";

/** @typedef {import("./snippets.js").Settings} Settings */
/** @typedef {import("./snippets.js").Scheme} Scheme */
/** @typedef {import("./embed-figure.js").Kind} Kind */

/** What most pages want of it: the tokens, the log, and the reasons. */
const LEAN = ["model", "cost", "cache", "share"];

/** What the corner takes from the reader's widget. */
const TAKEN = /** @type {const} */ (["sampling", "cache", "predict"]);

/** What the reader can set in the widget that stands in the corner itself. */
const FOLLOWED = [...Object.keys(FIELDS), "sampling", "cache", "model"];

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
  // It loads by itself when somebody is near, and its style sheet keeps its room until then.
  const preview = /** @type {any} */ (document.createElement("generation-loop"));

  /** @param {Partial<State>} change */
  function set(change) {
    Object.assign(state, change);
    dress(preview, state);
    refuseStop();
    seed = preview.seed;
    render(figure(state, preview, actions), place);
  }

  /** The one in use, which nobody chose until it changes. @type {number | null} */
  let seed = null;

  /** What the reader sets in the widget here is chosen as well. */
  function follow() {
    if (!preview.moment) return;
    const [settings, texts, errors] = [{ ...state.settings }, { ...state.texts }, { ...state.errors }];
    const news = FOLLOWED.filter((name) => {
      const value = preview[name];
      if (name === "seed" && settings.seed === null) return value !== seed;
      return (
        textOf(name, value) !== textOf(name, settings[name]) && (name !== "model" || MODELS.includes(value))
      );
    });
    if (news.length === 0) return;
    for (const name of news) {
      settings[name] = preview[name];
      if (name in FIELDS) texts[name] = textOf(name, settings[name]);
      delete errors[name];
    }
    choose({ settings, texts, errors });
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

  /** @param {Partial<State>} change what the reader wants */
  const choose = (change) => set({ said: null, ...change });

  /** How much the model sees: that of the widget here or, until it is there, of the one above, which is of the same shape. */
  const context = () => {
    const { moment } = preview.moment
      ? preview
      : /** @type {any} */ (document.querySelector("generation-loop"));
    return moment?.config.n_positions ?? Number.POSITIVE_INFINITY;
  };

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
  const measure = () => {
    const height = Math.ceil(preview.getBoundingClientRect().height);
    if (height !== state.height) set({ height });
  };
  const picked = () => {
    seed = preview.seed;
  };
  preview.addEventListener("generation-moment", picked, { once: true });
  // Once the widget itself has heard.
  for (const type of ["input", "click"]) preview.addEventListener(type, () => setTimeout(follow));
  set({});
  // It tells the first size too, before anything is painted.
  new ResizeObserver(measure).observe(preview);
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
