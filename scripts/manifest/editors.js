/** What editors know of the tag and of its custom properties: custom data as VS Code reads it, version 1.1. */

import { propertiesOf, sentence, TAG, valuesOf } from "./facts.js";

/** @typedef {import("./facts.js").Facts} Facts */

const VERSION = 1.1;

/** @param {string} value */
const markdown = (value) => ({ kind: "markdown", value });

/** @param {string} [text] @param {string} [fallback] */
const described = (text, fallback) =>
  markdown(`${sentence(text)}${fallback === undefined ? "" : ` Default: \`${fallback}\`.`}`);

/**
 * The tag and its attributes.
 * @param {Facts} facts
 * @param {string} panel the type of what `hide` lists
 */
export function htmlData(facts, panel) {
  const properties = propertiesOf(facts);
  const attributes = facts.attributes.map(({ name, description, type, default: fallback }) => {
    const entry = { name, description: described(description, fallback) };
    // One that only has to be there.
    if (type?.text === "boolean") return { ...entry, valueSet: "v" };
    const listed = properties.find(({ attribute }) => attribute === name)?.type?.text === "readonly Panel[]";
    const values = valuesOf(listed ? panel : type?.text);
    return values.length === 0 ? entry : { ...entry, values: values.map((value) => ({ name: value })) };
  });
  return { version: VERSION, tags: [{ name: TAG, description: described(facts.description), attributes }] };
}

/** The custom properties, and the parts. @param {Facts} facts */
export function cssData({ cssProperties, cssParts }) {
  return {
    version: VERSION,
    properties: cssProperties.map(({ name, description, default: fallback, ...more }) => ({
      name,
      description: described(description, fallback),
      ...("syntax" in more ? { syntax: more.syntax } : {}),
    })),
    pseudoElements: cssParts.map(({ name, description }) => ({
      name: `::part(${name})`,
      description: described(`In \`${TAG}\`: ${description}`),
    })),
  };
}
