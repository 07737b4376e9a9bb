/** The reference of the element for people: `docs/element.md`. */

import { methodsOf, propertiesOf, sentence, staticsOf, TAG, TAKES } from "./facts.js";

/** @typedef {import("./facts.js").Facts} Facts */
/** @typedef {ReturnType<typeof import("./analysis.js").typesOf>} Types */

/** A cell of a table: a pipe would end it, also in code. @param {string} text */
const cell = (text) => text.replaceAll("|", "\\|");

/** @param {string} [text] */
const code = (text) => (text ? `\`${text}\`` : "");

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** @param {Types["fields"][keyof Types["fields"]]} fields */
const fieldTable = (fields) =>
  table(
    ["field", "type", "is"],
    fields.map(({ name, optional, parameters, type, description }) => [
      code(`${name}${optional ? "?" : ""}${parameters ?? ""}`),
      // All that a method gives would fill the page.
      code(parameters === null ? type : type.replace(/\{.*\}/, "{ … }")),
      description && sentence(description),
    ]),
  );

/**
 * @param {Facts} facts
 * @param {Types} types
 */
export function reference(facts, { fields }) {
  const properties = propertiesOf(facts);
  const settings = facts.attributes.map(({ name, fieldName, type, description, default: fallback }) => {
    const property = properties.find((one) => one.name === fieldName);
    const text = (property?.description ?? description ?? "").replace(TAKES, "");
    // It is there or not, and has no value.
    const shown = type?.text === "boolean" ? "off" : code(fallback);
    return [code(name), code(fieldName), shown, sentence(text)];
  });
  const types = properties
    .filter(({ attribute }) => attribute !== undefined)
    .map((property) => [
      code(property.name),
      code(property.type?.text),
      code(TAKES.exec(property.description ?? "")?.[1]),
    ]);
  const [slot] = facts.slots;
  return `<!-- generated from the comments in www/element.js by \`node scripts/manifest.js --docs\`; a test holds it to them -->

# \`<${TAG}>\`

${facts.description}

## Attributes and properties

Every attribute is a property too; \`lang\` is every element's. A value without a meaning falls back to the default, with one warning on the
console. A switch is on where its attribute is there, unless it says \`off\` or \`false\`. A property that is set to \`undefined\`, or an
attribute that is taken away, leaves the default.

${table(["attribute", "property", "default", "is"], settings)}

${table(["property", "reads", "takes too"], types)}

## Properties only

${table(
  ["property", "type", "is"],
  properties
    .filter(({ attribute }) => attribute === undefined)
    .map(({ name, type, description }) => [code(name), code(type?.text), sentence(description)]),
)}

## Methods

${table(
  ["method", "does"],
  [
    ...methodsOf(facts).map(({ name, description }) => [code(`${name}()`), sentence(description)]),
    ...staticsOf(facts).map(({ name, type, description }) => [
      code(`${facts.name}.${name}${type?.text.replace(/ => .*/, "")}`),
      sentence(description),
    ]),
  ],
)}

## Events

They bubble, and are composed: they come out of shadow roots.

${table(
  ["event", "type", "comes"],
  facts.events.map(({ name, type, description }) => [code(name), code(type.text), sentence(description)]),
)}

### \`Pass\`

${fieldTable(fields.Pass)}

### \`SampledToken\`

${fieldTable(fields.SampledToken)}

### \`Candidates\`

${fieldTable(fields.Candidates)}

### \`Stop\`

${fieldTable(fields.Stop)}

### \`Moment\`

${fieldTable(fields.Moment)}

### \`Config\`

${fieldTable(fields.Config)}

## Slot

The element has one, without a name: ${slot.description}.

## Parts

\`${TAG}::part(log) { … }\` styles the panel of that name from outside.

${table(
  ["part", "is"],
  facts.cssParts.map(({ name, description }) => [code(name), sentence(description)]),
)}

## Custom properties

${table(
  ["custom property", "default", "is"],
  facts.cssProperties.map(({ name, default: fallback, description }) => [
    code(name),
    code(fallback),
    sentence(description),
  ]),
)}
`;
}
