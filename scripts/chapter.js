/** What the chapter's page gets while it is built: formulas, source, numbers of the engine, and a run for those without JavaScript. */

import { relative } from "node:path";
import { probabilityOf, temperaturesOf } from "../www/chapter/formulas.js";
import { drawnPart } from "./chapter/drawn.js";
import { replaced } from "./chapter/elements.js";
import { mathTex } from "./chapter/math.js";
import { engineNumber, engineValue, shippedShape } from "./chapter/numbers.js";
import { sourceCode } from "./chapter/source.js";
import { defaultPrompt, runOf, runText, stillRun } from "./chapter/still.js";
import { cutTokens } from "./chapter/tokens.js";
import { root } from "./run.js";

/**
 * A page with everything in it that is made at build time.
 * @param {string} html
 * @param {string} [file] what a complaint calls it
 * @throws {Problem} naming the line
 */
export async function chapterPage(html, file = "index.html") {
  const prompt = defaultPrompt();
  const run = await runOf(prompt);
  return replaced(
    html,
    {
      "math-tex": mathTex,
      "source-code": sourceCode,
      "engine-number": engineNumber,
      "engine-value": engineValue({
        config: shippedShape(),
        tokens: run.prompt.length,
        more: {
          probability: `“${prompt}”, run greedily: ${probabilityOf(run.log)}.`,
          temperatures: `Pass 1 of “${prompt}”: ${temperaturesOf(run.log[0])}.`,
        },
      }),
      "run-text": runText,
      "still-run": stillRun,
      "cut-tokens": cutTokens,
      "drawn-part": drawnPart,
    },
    file,
  );
}

/**
 * The same for Vite, in development and for the site alike.
 * @returns {import("vite").Plugin}
 */
export function chapter() {
  return {
    name: "chapter",
    transformIndexHtml: {
      order: "pre",
      handler: (html, { filename }) => chapterPage(html, relative(root, filename)),
    },
  };
}
