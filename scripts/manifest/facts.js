/** The manifest of what is public, as `dist/custom-elements.json` holds it: everything else is made of this. */

import { oneLine } from "./analysis.js";

/** @typedef {import("custom-elements-manifest/schema.d.ts").Attribute} Attribute */
/** @typedef {import("custom-elements-manifest/schema.d.ts").ClassField & { attribute?: string, readonly?: boolean }} Property */
/** @typedef {import("custom-elements-manifest/schema.d.ts").ClassMethod} Method */

/**
 * What is said of the element.
 * @typedef {import("custom-elements-manifest/schema.d.ts").CustomElementDeclaration & Required<Pick<
 *   import("custom-elements-manifest/schema.d.ts").CustomElement,
 *   "attributes" | "events" | "slots" | "cssParts" | "cssProperties" | "members" | "customElement" | "tagName">> & { description: string }} Facts
 */

export const TAG = "generation-loop";
const CLASS = "GenerationLoopElement";
const ELEMENT = "dist/modules/element.js";
const INDEX = "dist/modules/index.js";

/** How a comment says what a property can be set to, besides what it reads. */
export const TAKES = /(?:(?:\. As a property:|;) )?takes `([^`]+)` too$/;

/** The property of an attribute. @param {string} attribute */
export const propertyOf = (attribute) =>
  attribute.replace(/-(.)/g, (_, /** @type {string} */ letter) => letter.toUpperCase());

/**
 * What is documented, and nothing else: what has no comment is nobody's business.
 * @param {ReturnType<typeof import("./analysis.js").classOf>} declaration as the analyzer has it
 * @returns {Facts}
 */
export function factsOf(declaration) {
  const { name, description = "", members = [], events = [], slots = [], cssParts = [] } = declaration;
  const own = members.filter((member) => !/^[#[]/.test(member.name) && member.privacy !== "private");
  const attributes = described(declaration.attributes ?? []).map((attribute) => {
    const property = propertyOf(attribute.name);
    return own.some(({ name }) => name === property) ? { ...attribute, fieldName: property } : attribute;
  });
  const fields = own
    .filter((member) => member.kind === "field")
    .map((member) =>
      fieldOf(
        member,
        attributes.find(({ fieldName }) => fieldName === member.name),
      ),
    );
  const methods = own
    .filter((member) => member.kind === "method")
    .map((method) => ({ ...method, return: method.return ?? { type: { text: "void" } } }));
  return {
    kind: "class",
    name,
    description: oneLine(description),
    // What the class is made with is inside, and nobody's to import.
    superclass: { name: "HTMLElement", package: "global:" },
    tagName: TAG,
    customElement: true,
    attributes,
    // Settings first, in the order of their attributes.
    members: described([
      ...attributes.flatMap(({ fieldName }) => fields.filter((field) => field.name === fieldName)),
      ...fields.filter(({ attribute }) => attribute === undefined),
      ...methods,
    ]),
    events: described(events),
    slots: described(slots),
    cssParts: described(cssParts),
    cssProperties: described(declaration.cssProperties ?? []).map(syntaxOf),
  };
}

/**
 * Those that have a comment, which is one line then.
 * @template {{ description?: string }} T
 * @param {readonly T[]} list
 * @returns {(T & { description: string })[]}
 */
function described(list) {
  return list.flatMap((entry) =>
    entry.description === undefined ? [] : [{ ...entry, description: oneLine(entry.description) }],
  );
}

/**
 * A property with what is said of its attribute; one that has none can only be read.
 * @param {Property & { return?: { type?: { text: string } } }} member
 * @param {Attribute | undefined} attribute
 * @returns {Property}
 */
function fieldOf({ return: read, ...member }, attribute) {
  const type = member.type ?? read?.type;
  const field = { ...member, ...(type === undefined ? {} : { type }) };
  if (attribute !== undefined) {
    const description = [attribute.description, member.description].filter(Boolean).join(". As a property: ");
    return { ...field, attribute: attribute.name, description };
  }
  // A static one has no default: what stands there is the name of what it is.
  const { default: _, ...other } = field;
  return { ...other, readonly: true };
}

/** @param {import("custom-elements-manifest/schema.d.ts").CssCustomProperty & { type?: { text: string } }} property */
function syntaxOf({ type, ...property }) {
  return type === undefined ? property : { ...property, syntax: type.text };
}

/**
 * The file that `package.json` names, whose paths are those of the package.
 * @param {Facts} facts
 * @returns {import("custom-elements-manifest/schema.d.ts").Package}
 */
export function manifestOf(facts) {
  const declaration = { name: CLASS, module: ELEMENT };
  return {
    schemaVersion: "1.0.0",
    readme: "README.md",
    modules: [
      {
        kind: "javascript-module",
        path: ELEMENT,
        declarations: [facts],
        exports: [{ kind: "js", name: CLASS, declaration }],
      },
      {
        kind: "javascript-module",
        path: INDEX,
        declarations: [],
        exports: [
          { kind: "js", name: CLASS, declaration },
          { kind: "custom-element-definition", name: TAG, declaration },
        ],
      },
    ],
  };
}

/** Settings, which are attributes too, then what can only be read. @param {Facts} facts */
export function propertiesOf({ members }) {
  return /** @type {Property[]} */ (
    members.filter(({ kind, static: isStatic }) => kind === "field" && !isStatic)
  );
}

/** @param {Facts} facts */
export function methodsOf({ members }) {
  return /** @type {Method[]} */ (members.filter(({ kind }) => kind === "method"));
}

/** What belongs to the class itself. @param {Facts} facts */
export function staticsOf({ members }) {
  return /** @type {Property[]} */ (members.filter(({ static: isStatic }) => isStatic));
}

/**
 * The type of what a property takes: what it reads, what its comment says that it takes too, and undefined, the default.
 * @param {Property} property
 */
export function takenBy({ type, description = "" }) {
  return [type?.text, TAKES.exec(description)?.[1], "undefined"].filter(Boolean).join(" | ");
}

/**
 * The strings that a type names, also where it allows others.
 * @param {string} [type]
 * @returns {string[]}
 */
export function valuesOf(type = "") {
  return [...type.matchAll(/"([^"]*)"/g)].map(([, value]) => value);
}

/** A description as a sentence. @param {string} [text] */
export function sentence(text = "") {
  const begin = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.:!?]$/.test(begin) ? begin : `${begin}.`;
}
