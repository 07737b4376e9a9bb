/**
 * The declarations of the element, for `dist/types`. The compiler's own would name the library that the element is made with, which who
 * uses the package need not have, and would know nothing of properties that are made from a table.
 */

import { methodsOf, propertiesOf, sentence, staticsOf, TAG, TAKES, takenBy } from "./facts.js";

/** @typedef {import("./facts.js").Facts} Facts */
/** @typedef {ReturnType<typeof import("./analysis.js").typesOf>} Types */

/** What the engine declares of what the element tells and takes. */
const OF_THE_ENGINE = [
  "Candidate",
  "Checkpoint",
  "Config",
  "GenerationError",
  "Pass",
  "SampledToken",
  "Sampling",
  "Stop",
];
const OF_THE_ELEMENT = ["GenerationLoopEvents", "Moment", "Panel", "Table"];

/** @param {string[]} lines */
const file = (...lines) => `${lines.join("\n")}\n`;

/** What a property takes stands beside it, in its type. @param {string} text */
const said = (text) => sentence(text.replace(TAKES, ""));

/** @param {string} text @param {string} [indent] */
const comment = (text, indent = "  ") => `${indent}/** ${said(text).replaceAll("*/", "*\\/")} */`;

/** @param {readonly string[]} lines */
const deeper = (lines) => lines.flatMap((line) => line.split("\n")).map((line) => `    ${line}`);

/** What is named in a text, of these. @param {readonly string[]} names @param {string} text */
const namedIn = (names, text) => names.filter((name) => new RegExp(`\\b${name}\\b`).test(text));

/**
 * `element.d.ts`: the class, and the types of what it tells. It declares no tag, for it defines none.
 * @param {Facts} facts
 * @param {Types} types
 */
export function elementDeclaration(facts, { fields, panel }) {
  const { name } = facts;
  const properties = propertiesOf(facts).flatMap((property) => {
    const { name: own, description = "", type, attribute, default: fallback } = property;
    // Of a class that extends this one it is that class.
    const read = (type?.text ?? "unknown").replaceAll(name, "this");
    if (attribute === undefined) return [comment(description), `  readonly ${own}: ${read};`];
    const at = fallback === undefined ? "" : ` Default: \`${fallback}\`.`;
    return [
      comment(`${said(description)}${at}`),
      `  get ${own}(): ${read};`,
      `  set ${own}(value: ${takenBy(property)});`,
    ];
  });
  const methods = methodsOf(facts).flatMap(({ name: own, description = "", return: back }) => [
    comment(description),
    `  ${own}(): ${back?.type?.text};`,
  ]);
  const statics = staticsOf(facts).flatMap(({ name: own, description = "", type }) => [
    comment(description),
    `  static readonly ${own}: ${type?.text};`,
  ]);
  const listening = ["addEventListener", "removeEventListener"].flatMap((method) => {
    const options =
      method === "addEventListener" ? "boolean | AddEventListenerOptions" : "boolean | EventListenerOptions";
    return [
      `  ${method}<K extends keyof (HTMLElementEventMap & GenerationLoopEvents)>(`,
      "    type: K,",
      `    listener: (this: ${name}, event: (HTMLElementEventMap & GenerationLoopEvents)[K]) => unknown,`,
      `    options?: ${options},`,
      "  ): void;",
      `  ${method}(type: string, listener: EventListenerOrEventListenerObject, options?: ${options}): void;`,
    ];
  });
  const events = facts.events.flatMap(({ name: own, description = "", type }) => [
    comment(description),
    `  ${JSON.stringify(own)}: ${type.text};`,
  ]);
  const moment = fields.Moment.flatMap(({ name: own, type, description }) => [
    comment(description),
    `  ${own}: ${type};`,
  ]);
  const body = [...properties, ...methods, ...statics, ...listening];
  const text = file(
    "/** What a listener of the element gets, by the name of its event. */",
    "export interface GenerationLoopEvents {",
    ...events,
    "}",
    "",
    "/** What is on the screen of a widget. */",
    "export interface Moment {",
    ...moment,
    "}",
    "",
    "/** A panel that `hide` can name. */",
    `export type Panel = ${panel};`,
    "",
    comment(facts.description, ""),
    `export declare class ${name} extends HTMLElement {`,
    ...body,
    "}",
  );
  const imported = namedIn(OF_THE_ENGINE, text);
  return file(
    `import type { ${imported.join(", ")} } from "./engine.js";`,
    'import type { Table } from "./table.js";',
    "",
    `export type { ${OF_THE_ENGINE.join(", ")} } from "./engine.js";`,
    'export type { Table } from "./table.js";',
    "",
    text.trimEnd(),
  );
}

/**
 * `index.d.ts`: the class, and the tag with its events for the whole page, on which they bubble up.
 * @param {Facts} facts
 */
export function indexDeclaration({ name }) {
  const maps = ["HTMLElementEventMap", "DocumentEventMap", "WindowEventMap"];
  return file(
    `import type { ${name}, GenerationLoopEvents } from "./element.js";`,
    "",
    `export { ${name} } from "./element.js";`,
    `export type { ${[...OF_THE_ENGINE, ...OF_THE_ELEMENT].join(", ")} } from "./element.js";`,
    "",
    "declare global {",
    "  interface HTMLElementTagNameMap {",
    `    ${JSON.stringify(TAG)}: ${name};`,
    "  }",
    ...maps.map((map) => `  interface ${map} extends GenerationLoopEvents {}`),
    "}",
  );
}

/** `lazy.d.ts`: it exports nothing, but the tag will be there. */
export const lazyDeclaration = () => file('import type {} from "./index.js";', "", "export {};");

/** The words of a language. @param {string} language as the file is called, and what it exports */
export const wordsDeclaration = (language) =>
  file('import type { Table } from "../table.js";', "", `export declare const ${language}: Readonly<Table>;`);

/**
 * `table.d.ts`: what words are held to. It is the compiler's declaration of the English ones, under another name: who imports
 * `words/en.js` would find no such file.
 * @param {string} english as the compiler has it
 */
export function tableDeclaration(english) {
  const at = english.indexOf("export declare const en");
  return file((at < 0 ? english : english.slice(0, at)).trimEnd(), "export {};");
}

/**
 * What the compiler has written, for older ones too: before TypeScript 5.7 typed arrays took no parameter.
 * @param {string} text
 */
export const forOlder = (text) => text.replace(/\b(\w+Array)<ArrayBuffer(?:Like)?>/g, "$1");

/**
 * `react.d.ts`: what JSX may say of the element. React sets a property where there is one of that name, and an attribute otherwise.
 * @param {Facts} facts
 */
export function reactDeclaration(facts) {
  const { name, attributes, events } = facts;
  const properties = propertiesOf(facts).filter(({ attribute }) => attribute !== undefined);
  const props = [
    ...properties.flatMap((property) => [
      comment(property.description ?? ""),
      `  ${property.name}?: ${takenBy(property)};`,
    ]),
    ...attributes
      .filter(({ name: own, fieldName }) => fieldName !== undefined && fieldName !== own)
      .flatMap(({ name: own, description = "" }) => [
        comment(description),
        `  ${JSON.stringify(own)}?: string | number | undefined;`,
      ]),
    ...events.flatMap(({ name: own, description = "" }) => [
      comment(description),
      `  ${JSON.stringify(`on${own}`)}?: ((event: GenerationLoopEvents[${JSON.stringify(own)}]) => void) | undefined;`,
    ]),
  ];
  const text = props.join("\n");
  const named = [name, ...namedIn([...OF_THE_ENGINE, ...OF_THE_ELEMENT], text)].sort();
  return file(
    'import type { DetailedHTMLProps, HTMLAttributes } from "react";',
    `import type { ${named.join(", ")} } from "./element.js";`,
    "",
    "/** What JSX can say of the element, beside what it can say of any. */",
    "export interface GenerationLoopProps {",
    text,
    "}",
    "",
    'declare module "react" {',
    "  namespace JSX {",
    "    interface IntrinsicElements {",
    ...deeper([
      `  ${JSON.stringify(TAG)}: Omit<DetailedHTMLProps<HTMLAttributes<${name}>, ${name}>, keyof GenerationLoopProps> & GenerationLoopProps;`,
    ]),
    "    }",
    "  }",
    "}",
  );
}
