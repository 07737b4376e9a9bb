/** The files for editors, held to the shape that editors expect. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv } from "ajv";

const described = {
  anyOf: [
    { type: "string" },
    {
      type: "object",
      required: ["kind", "value"],
      additionalProperties: false,
      properties: { kind: { enum: ["plaintext", "markdown"] }, value: { type: "string", minLength: 1 } },
    },
  ],
};

/** @param {string[]} required @param {Record<string, object>} properties */
const object = (required, properties) => ({
  type: "object",
  required,
  additionalProperties: false,
  properties,
});

/** @param {object} items */
const list = (items) => ({ type: "array", items });

const named = (/** @type {Record<string, object>} */ more) =>
  object(["name"], { name: { type: "string", minLength: 1 }, description: described, ...more });

const value = named({});

/** VS Code's custom data for HTML, version 1.1. */
const HTML = object(["version"], {
  version: { const: 1.1 },
  tags: list(named({ attributes: list(named({ valueSet: { type: "string" }, values: list(value) })) })),
  globalAttributes: list(value),
  valueSets: list(named({ values: list(value) })),
});

/** And for CSS. */
const CSS = object(["version"], {
  version: { const: 1.1 },
  properties: list(named({ syntax: { type: "string" }, values: list(value) })),
  atDirectives: list(value),
  pseudoClasses: list(value),
  pseudoElements: list(value),
});

/** The shapes, by the name of the file in `dist`. */
const SHAPES = /** @type {const} */ ({
  "custom-elements.json": () =>
    JSON.parse(
      readFileSync(createRequire(import.meta.url).resolve("custom-elements-manifest/schema.json"), "utf8"),
    ),
  "vscode.html-custom-data.json": () => HTML,
  "vscode.css-custom-data.json": () => CSS,
});

export const SHAPED = /** @type {(keyof typeof SHAPES)[]} */ (Object.keys(SHAPES));

/**
 * What is wrong with such a file.
 * @param {keyof typeof SHAPES} file
 * @param {unknown} content
 * @returns {string[]}
 */
export function misshapen(file, content) {
  const validate = new Ajv({ allErrors: true, strict: false }).compile(SHAPES[file]());
  if (validate(content)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${file}${instancePath} ${message}`);
}

/**
 * Modules that a manifest tells of and that are not there.
 * @param {{ modules: readonly { path: string, exports?: readonly { declaration: { module?: string } }[] }[] }} manifest
 * @param {readonly string[]} files
 */
export function strayModules({ modules }, files) {
  const paths = modules.flatMap(({ path, exports = [] }) => [
    path,
    ...exports.flatMap(({ declaration: { module } }) => module ?? []),
  ]);
  return [...new Set(paths)].filter((path) => !files.includes(path));
}
