/** A run of the real loop, made while the page is built: for readers without JavaScript, and for the prose. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { symbolOf } from "../../www/format.js";
import { ELEMENT_SETTINGS } from "../../www/settings.js";
import { wordsFor } from "../../www/words.js";
import { Problem, root } from "../run.js";
import { escaped, refuseOthers } from "./elements.js";

const words = wordsFor("en");

/**
 * @typedef {object} MadeRun
 * @property {string[]} prompt its tokens
 * @property {string} text what was written
 * @property {readonly import("../../www/pass.js").Pass[]} log
 */

/** @type {Map<string, Promise<MadeRun>>} */
const made = new Map();

/** The prompt that the element begins with where a page names none. */
export const defaultPrompt = () => /** @type {string} */ (ELEMENT_SETTINGS.prompt.fallback);

/**
 * The run that the widget would make of a prompt with the settings that it begins with.
 * @param {string} prompt
 */
export function runOf(prompt) {
  const known = made.get(prompt) ?? make(prompt);
  made.set(prompt, known);
  return known;
}

/** @param {string} prompt @returns {Promise<MadeRun>} */
async function make(prompt) {
  // Not before it is needed: the WebAssembly in it is made by a build of its own.
  const address = pathToFileURL(join(root, "www/engine.js")).href;
  const { GenerationLoop } = /** @type {typeof import("../../www/engine.js")} */ (await import(address));
  const settings = /** @type {import("../../www/engine.js").LoadOptions} */ ({
    stop: ELEMENT_SETTINGS.stop.fallback,
    maxTokens: ELEMENT_SETTINGS.maxTokens.fallback,
  });
  // Greedy, and so without a draw: any seed will do.
  const loop = await GenerationLoop.load({ ...settings, seed: 0 });
  try {
    loop.prefill(prompt);
    while (loop.stop === null) loop.decodeStep();
    const ids = loop.encode(prompt);
    return { prompt: ids.map((id) => loop.decode([id])), text: loop.text, log: loop.log };
  } finally {
    loop.dispose();
  }
}

/** `<run-text prompt="the cat sat">`: what the greedy run writes. @type {import("./elements.js").Maker} */
export async function runText(written) {
  refuseOthers(written, ["prompt"]);
  return escaped((await runOf(written.attributes.prompt ?? defaultPrompt())).text);
}

/** `<still-run prompt="the cat sat" passes="4">`: the tokens and the log of its first passes. @type {import("./elements.js").Maker} */
export async function stillRun(written) {
  refuseOthers(written, ["prompt", "passes"]);
  const { prompt = defaultPrompt(), passes = "4" } = written.attributes;
  const run = await runOf(prompt);
  if (!/^[1-9]\d*$/.test(passes) || Number(passes) > run.log.length)
    throw new Problem(`passes is "${passes}"; allowed: 1 to ${run.log.length}`);
  const log = run.log.slice(0, Number(passes));
  const tokens = words.count(run.prompt.length, words.unit.token);
  return `<figure class="still-run">
<ol class="cells" role="list" aria-label="${words.strip.processed(tokens)}">${cells(run.prompt, "prompt")}</ol>
<ol class="cells" role="list" aria-label="${words.strip.generated(words.count(log.length, words.unit.token))}">${cells(
    log.map(({ token }) => token.text),
    "generated",
  )}</ol>
${table(log)}
</figure>`;
}

/** @param {readonly string[]} texts @param {string} kind */
function cells(texts, kind) {
  return texts.map((text) => `<li class="cell ${kind}">${shown(text)}</li>`).join("");
}

/** A token as it looks, and as it is heard. @param {string} text */
function shown(text) {
  const symbol = escaped(symbolOf(text));
  const name = words.spoken[text];
  return name === undefined
    ? symbol
    : `<span aria-hidden="true">${symbol}</span><span class="heard">${escaped(name)}</span>`;
}

/** @param {MadeRun["log"]} log */
function table(log) {
  const { pass, phase, tokensIn, context, flops, uncached, token, label } = words.log;
  const heads = [pass, phase, tokensIn, context, flops, uncached, token];
  const rows = log.map((made) => {
    const numbers = [made.tokensIn, made.contextLength, made.flops, made.flopsWithoutCache];
    const cells = numbers.map((number) => `<td class="number">${words.whole(number)}</td>`);
    return `<tr><th scope="row">${made.index}</th><td><span class="${made.phase}">${words.phase[made.phase]}</span></td>${cells.join("")}<td>${shown(made.token.text)}</td></tr>`;
  });
  return `<div class="pane" tabindex="0" role="group" aria-label="${label}"><table>
<caption>${label}</caption>
<thead><tr>${heads.map((head, index) => `<th scope="col"${index > 1 && index < 6 ? ' class="number"' : ""}>${escaped(head)}</th>`).join("")}</tr></thead>
<tbody>${rows.join("")}</tbody>
</table></div>`;
}
