/**
 * What the address of a frame says: settings by the names of the element's attributes, the language, and the colour scheme. What
 * has no meaning is said in words, for nobody looks at the console of a frame. It knows no DOM.
 */

import { GenerationError } from "./errors.js";
import { complaint, MOST_PROBLEMS, partsOf, READABLE, short } from "./query.js";
import { ELEMENT_SETTINGS, isAddress, MODELS } from "./settings.js";
import { absolute } from "./sources.js";

/** Languages that there are words for. */
export const LANGUAGES = ["en", "de"];

export const COLOR_SCHEMES = ["light", "dark"];

/** The room around the widget in its frame, in CSS pixels. */
export const PADDING = 8;

/** Those of the page itself, and how each is read. */
const OF_THE_PAGE = { lang: languageFrom, "color-scheme": colorSchemeFrom };

/**
 * By the name of a parameter, how its text is read.
 * @type {ReadonlyMap<string, (text: string) => unknown>}
 */
const READERS = new Map([
  ...Object.values(ELEMENT_SETTINGS).map(
    ({ attribute, read }) =>
      /** @type {const} */ ([attribute, /** @type {(text: string) => unknown} */ (read)]),
  ),
  ...Object.entries(OF_THE_PAGE),
]);

/** All that a frame's address can say. */
export const PARAMETERS = [...READERS.keys()];

/**
 * @typedef {object} Parameters
 * @property {[name: string, text: string][]} attributes of the element; one without a meaning too, which the element handles
 * @property {string | null} lang
 * @property {string | null} colorScheme
 * @property {string[]} problems in English, as all errors are
 */

/**
 * @param {string} search of the page's address: empty, or a question mark and what follows it
 * @param {string} address of the page, which the address of a model is read from
 * @returns {Parameters}
 */
export function parametersFrom(search, address) {
  const { texts, problems } = textsOf(search);
  /** @type {[string, string][]} */
  const attributes = [];
  /** @type {Record<keyof typeof OF_THE_PAGE, string | null>} */
  const ofThePage = { lang: null, "color-scheme": null };
  for (const [name, [text, ...others]] of texts) {
    if (others.length > 0) {
      problems.push(`${name} is given ${others.length + 1} times; allowed: once. Its default is used.`);
      continue;
    }
    let isElements = !(name in ofThePage);
    try {
      if (name === "model") refuseElsewhere(text, address);
      const value = READERS.get(name)?.(text);
      if (!isElements) ofThePage[/** @type {keyof typeof OF_THE_PAGE} */ (name)] = String(value);
    } catch (error) {
      problems.push(`${complaint(name, text, error)}. The default is used.`);
      // The element's own reading would have it fetched.
      if (isAddress(text) && name === "model") isElements = false;
    }
    if (isElements) attributes.push([name, text]);
  }
  return {
    attributes,
    lang: ofThePage.lang,
    colorScheme: ofThePage["color-scheme"],
    problems: problems.slice(0, MOST_PROBLEMS),
  };
}

/**
 * The texts of each parameter that there is, and what else stands in the address.
 * @param {string} search
 */
function textsOf(search) {
  /** @type {Map<string, string[]>} */
  const texts = new Map();
  /** @type {string[]} */
  const problems = [];
  for (const { part, pair } of partsOf(search.replace(/^\?/, ""))) {
    if (pair === null) {
      problems.push(`${short(part)} cannot be read; ${READABLE}.`);
      continue;
    }
    const [name, text] = pair;
    if (READERS.has(name)) texts.set(name, [...(texts.get(name) ?? []), text]);
    else problems.push(`There is no parameter ${short(name)}; allowed: ${PARAMETERS.join(", ")}.`);
  }
  return { texts, problems };
}

/**
 * A model of another site would have this page show whatever the author of a link likes.
 * @param {string} text
 * @param {string} address of the page
 */
function refuseElsewhere(text, address) {
  if (isAddress(text) && originOf(text, address) !== originOf(address)) {
    refuse(`${MODELS.join(", ")}, or the address of a folder on the site of the frame`);
  }
}

/** @param {string} address @param {string} [base] */
function originOf(address, base) {
  const whole = absolute(address, base);
  return whole === null ? undefined : new URL(whole).origin;
}

/** @param {string} text */
function languageFrom(text) {
  const [primary] = text.toLowerCase().split("-");
  return LANGUAGES.includes(primary) && isTag(text) ? text : refuse(LANGUAGES.join(", "));
}

/** @param {string} text */
function isTag(text) {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** @param {string} text */
function colorSchemeFrom(text) {
  return COLOR_SCHEMES.includes(text) ? text : refuse(COLOR_SCHEMES.join(", "));
}

/**
 * @param {string} allowed
 * @returns {never}
 */
function refuse(allowed) {
  throw new GenerationError("invalid-setting", `allowed: ${allowed}`);
}
