/** What the source says of the element: its comments, by the analyzer, and the fields of the types that it tells of. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as analyzer from "@custom-elements-manifest/analyzer";
import { Problem, root } from "../run.js";

// Both are exported and not declared. Its TypeScript has the programmer's interface that the compiler of this project has not.
const { create, ts } = /** @type {any} */ (analyzer);

/** The files that are read: the element, and those of the types that it tells of. */
const ELEMENT = "www/element.js";
const TYPES = /** @type {const} */ ({
  Pass: "www/pass.js",
  SampledToken: "www/pass.js",
  Candidates: "www/pass.js",
  Stop: "www/pass.js",
  Moment: "www/run.js",
  Config: "www/flops.js",
});

/** @typedef {keyof typeof TYPES} TypeName */

/**
 * One field of a type.
 * @typedef {object} Field
 * @property {string} name
 * @property {boolean} optional
 * @property {string | null} parameters of a method, in their parentheses
 * @property {string} type of a method what it gives, as TypeScript writes it
 * @property {string} description
 */

/**
 * The class of the element as the analyzer has it: with all that is private.
 * @param {string} [source]
 * @returns {import("custom-elements-manifest/schema.d.ts").CustomElementDeclaration & import("custom-elements-manifest/schema.d.ts").CustomElement}
 */
export function classOf(source = readFileSync(join(root, ELEMENT), "utf8")) {
  // Of events it is to know what the comments say, in their order, and not what it finds in the code.
  const text = source.replaceAll(".dispatchEvent(", ".tell(");
  const file = ts.createSourceFile(ELEMENT, text, ts.ScriptTarget.ES2022, true);
  const [module] = create({ modules: [file] }).modules;
  const found = module.declarations.find((/** @type {any} */ { name }) => name === "GenerationLoopElement");
  if (found === undefined) throw new Problem(`${ELEMENT} has no class GenerationLoopElement`);
  return found;
}

/** The fields of the types, and what a panel can be called. */
export function typesOf() {
  const files = [...new Set(Object.values(TYPES)), ELEMENT].map((file) => join(root, file));
  const program = ts.createProgram(files, {
    allowJs: true,
    checkJs: true,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
    types: [],
  });
  const checker = program.getTypeChecker();
  const { NoTruncation, UseAliasDefinedOutsideCurrentScope, InTypeAlias } = ts.TypeFormatFlags;
  const flags = NoTruncation | UseAliasDefinedOutsideCurrentScope;

  /** @param {string} file @param {string} name */
  const declared = (file, name) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(join(root, file)));
    const symbol = checker.getExportsOfModule(module).find((/** @type {any} */ one) => one.name === name);
    if (symbol === undefined) throw new Problem(`${file} has no type ${name}`);
    return checker.getDeclaredTypeOfSymbol(symbol);
  };

  /** @param {any} symbol @returns {Field} */
  const field = (symbol) => {
    const optional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
    const whole = checker.typeToString(checker.getTypeOfSymbol(symbol), undefined, flags);
    const text = (optional ? whole.replace(/ \| undefined$/, "") : whole).replaceAll("; }", " }");
    const [, parameters = null, type = text] = /^(\(.*?\)) => (.*)$/.exec(text) ?? [];
    return {
      name: symbol.name,
      optional,
      parameters,
      type,
      description: oneLine(ts.displayPartsToString(symbol.getDocumentationComment(checker))),
    };
  };

  const fields = Object.entries(TYPES).map(([name, file]) => [
    name,
    declared(file, name)
      .getProperties()
      .map(field)
      .filter((/** @type {Field} */ { name }) => !name.startsWith("#")),
  ]);
  return {
    fields: /** @type {Record<TypeName, Field[]>} */ (Object.fromEntries(fields)),
    /** The union of them, as TypeScript writes it. @type {string} */
    panel: checker.typeToString(declared(ELEMENT, "Panel"), undefined, flags | InTypeAlias),
  };
}

/** Comments are broken where a line is full; what is made of them breaks elsewhere. @param {string} text */
export const oneLine = (text) => text.replace(/\s*\n\s*/g, " ").trim();
