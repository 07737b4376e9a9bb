/**
 * What the address of a frame says: settings by the names of the element's attributes, the language, and the colour scheme. What
 * has no meaning is said in words, for nobody looks at the console of a frame. It knows no DOM.
 */

import { GenerationError, shown } from "./errors.js";
import { ELEMENT_SETTINGS, isAddress, MODELS } from "./settings.js";

/** Languages that there are words for. */
export const LANGUAGES = ["en", "de"];

export const COLOR_SCHEMES = ["light", "dark"];

/** The room around the widget in its frame, in CSS pixels. */
export const PADDING = 8;

/** An address of nothing but nonsense must not fill a screen: so many problems, and so many characters of a value. */
const [MOST_PROBLEMS, MOST_SHOWN] = [5, 40];

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
  for (const part of search.replace(/^\?/, "").split("&")) {
    if (part === "") continue;
    try {
      // Not by URLSearchParams, which passes over what is broken: a letter less is another prompt.
      const [name, text] = /^([^=]*)=?(.*)$/s.exec(part)?.slice(1).map(decoded) ?? ["", ""];
      if (READERS.has(name)) texts.set(name, [...(texts.get(name) ?? []), text]);
      else problems.push(`There is no parameter ${short(name)}; allowed: ${PARAMETERS.join(", ")}.`);
    } catch {
      problems.push(`${short(part)} cannot be read; allowed: UTF-8 after percent signs.`);
    }
  }
  return { texts, problems };
}

/** As a form would have written it. @param {string} text */
const decoded = (text) => decodeURIComponent(text.replaceAll("+", " "));

/** A text as an error shows it, and not too much of it. @param {string} text */
const short = (text) => shown(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);

/**
 * What is wrong with a text, in one line however long the text is.
 * @param {string} name
 * @param {string} text
 * @param {unknown} error of its reading
 */
export function complaint(name, text, error) {
  // What is allowed stands at the end of the message; the value before it may be as long as a book.
  return `${name} is ${short(text)}; ${/** @type {Error} */ (error).message.split("; ").at(-1)}`;
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
  return URL.canParse(address, base) ? new URL(address, base).origin : undefined;
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
