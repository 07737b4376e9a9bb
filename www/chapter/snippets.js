/** What an author pastes into a page of their own: the tag, the frame, the link. It knows no DOM. */

import { complaint, textOf } from "../query.js";
import { ELEMENT_SETTINGS, METHODS } from "../settings.js";

/**
 * Settings in their strict forms, under the names of the element's properties.
 * @typedef {Record<string, any>} Settings
 */

/** @typedef {"" | "light" | "dark"} Scheme empty: that of the page around */

/** Numbers that only some methods use. @type {Readonly<Record<string, readonly string[]>>} */
const USED = {
  greedy: [],
  temperature: ["temperature"],
  "top-k": ["temperature", "topK"],
  "top-p": ["temperature", "topP"],
};

/** @param {string} method */
export const numbersOf = (method) => USED[method];

/** All numbers that any method uses. */
const NUMBERS = [...new Set(METHODS.flatMap(numbersOf))];

/**
 * The attributes that say something: not what is so by default, nor a number that the method does not use.
 * @param {Settings} settings
 * @returns {[name: string, text: string][]}
 */
export function attributesOf(settings) {
  const unused = NUMBERS.filter((name) => !numbersOf(settings.sampling).includes(name));
  return Object.entries(ELEMENT_SETTINGS).flatMap(([name, { attribute, fallback }]) => {
    const text = textOf(name, settings[name]);
    return unused.includes(name) || text === textOf(name, fallback)
      ? []
      : [/** @type {[string, string]} */ ([attribute, text])];
  });
}

/**
 * A setting as somebody has typed it.
 * @param {string} name
 * @param {string} text
 * @param {number} context tokens that the model sees
 * @returns {{ value: unknown, error: null } | { value: null, error: string }}
 */
export function readSetting(name, text, context) {
  const { attribute, read } = ELEMENT_SETTINGS[name];
  try {
    // A field that is left empty says that nothing is said.
    const value = name === "seed" && text.trim() === "" ? null : read(text);
    if (name === "maxTokens" && Number(value) > context) {
      throw new Error(`allowed: a whole number from 2 to ${context}, or none`);
    }
    return { value, error: null };
  } catch (error) {
    return { value: null, error: complaint(attribute, text, error) };
  }
}

/** @param {string} character */
const reference = (character) => `&#${character.codePointAt(0)};`;

/**
 * A text as an attribute holds it, between double quotes and in one line.
 * @param {string} text
 */
export function escaped(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/[\n\r\t]/g, reference);
}

/** @param {readonly [name: string, text: string][]} attributes */
const inTag = (attributes) => attributes.map(([name, text]) => ` ${name}="${escaped(text)}"`).join("");

/**
 * Script and tag, for a page beside which the files of the package stand.
 * @param {Settings} settings
 * @param {Scheme} scheme
 */
export function tagSnippet(settings, scheme) {
  return [
    '<link rel="stylesheet" href="generation-loop.css">',
    '<script type="module" src="generation-loop.js"></script>',
    ...(scheme === "" ? [] : [`<style>generation-loop { color-scheme: ${scheme} }</style>`]),
    `<generation-loop${inTag(attributesOf(settings))}></generation-loop>`,
  ].join("\n");
}

/**
 * The address of the page for frames, with settings.
 * @param {string} page its address
 * @param {Settings} settings
 * @param {Scheme} scheme
 */
export function frameAddress(page, settings, scheme) {
  const address = new URL(page);
  const parameters = attributesOf(settings);
  if (scheme !== "") parameters.push(["color-scheme", scheme]);
  address.search = new URLSearchParams(parameters).toString();
  // A full stop at the end is left out by most programs that make links of addresses; percent signs are read by all.
  return address.href.replace(/\.$/, "%2E");
}

/**
 * @param {string} address as {@link frameAddress} makes it
 * @param {object} size
 * @param {number | "100%"} size.width
 * @param {number} size.height in CSS pixels
 */
export function frameSnippet(address, { width, height }) {
  // What has no edge by an attribute has none under any policy of the page around.
  return `<iframe${inTag([
    ["src", address],
    ["title", "A language model writes, one token per forward pass"],
    ["width", String(width)],
    ["height", String(height)],
    ["frameborder", "0"],
    ["loading", "lazy"],
    ["allow", "clipboard-write"],
  ])}></iframe>`;
}
