/**
 * What a reader takes away of a run, and a link that brings it back. Few ever do, so this and what it needs is a file of its own,
 * fetched with the first wish for it.
 */

import { modelInWords } from "./format.js";
import { csvOf, jsonOf } from "./keep.js";
import { linkOf } from "./link.js";
import { pictureOf } from "./picture.js";

export { stateOf } from "./link.js";

/** @typedef {"link" | "text" | "csv" | "json" | "picture"} Wish */

/**
 * The moment that is on the screen.
 * @typedef {object} Shown
 * @property {import("./run.js").Run} run
 * @property {import("./link.js").LinkedSettings} settings
 * @property {string} model what it is called
 * @property {import("./words.js").Words} words
 */

/**
 * What became of a wish.
 * @typedef {object} Granted
 * @property {string} done in words
 * @property {string | null} text what the reader has to copy by hand; null where nothing is left to do
 */

/**
 * @param {Wish} wish
 * @param {Shown} shown
 * @returns {Promise<Granted>}
 */
export async function share(wish, shown) {
  const { run, words } = shown;
  switch (wish) {
    case "link": {
      const passes = run.moment.passes.slice(0, run.at);
      const link = linkOf(location.href, { settings: shown.settings, passes });
      return link === null ? { done: words.share.noLink, text: null } : copy(link, words);
    }
    case "text":
      return copy(run.prompt.text + run.textShown, words);
    case "csv":
      // Spreadsheets take a file without the mark for one in the character set of the machine.
      return save("csv", "text/csv;charset=utf-8", `\ufeff${csvOf(run.shown.log)}`, words);
    case "json":
      return save("json", "application/json", `${JSON.stringify(dataOf(shown), null, 2)}\n`, words);
    case "picture":
      return save("svg", "image/svg+xml", drawn(shown), words);
  }
}

/** @param {Shown} shown */
function dataOf({ run, settings, model }) {
  const { loop, at, shown } = run;
  return jsonOf({
    config: loop.config,
    model,
    settings,
    seed: loop.seed,
    prompt: run.prompt.text,
    tokens: loop.tokens.slice(0, shown.tokens),
    text: run.textShown,
    log: shown.log,
    passes: run.moment.passes.slice(0, at),
  });
}

/** @param {Shown} shown */
function drawn({ run, settings, model, words }) {
  const { log } = run.shown;
  const { sampling, temperature, topK, topP } = settings;
  const numbers = {
    greedy: [],
    temperature: [temperature],
    "top-k": [temperature, topK],
    "top-p": [temperature, topP],
  }[sampling];
  const names = [
    words.settings.temperature,
    sampling === "top-k" ? words.settings.topK : words.settings.topP,
  ];
  const about = [
    modelInWords(model, words),
    words.method[sampling],
    ...numbers.map((number, index) => `${names[index]} ${String(number).replace(".", words.point)}`),
    `${words.settings.seed} ${run.loop.seed}`,
  ].join(" · ");
  const description = [
    words.strip.processed(words.count(run.prompt.tokens.length, words.unit.token)),
    words.strip.generated(words.count(log.length, words.unit.token)),
    words.log.about,
  ].join("; ");
  const picture = { title: run.prompt.text + run.textShown, about, description, total: words.share.total };
  return pictureOf(run.cells, log, { ...words, picture });
}

/**
 * @param {string} text
 * @param {import("./words.js").Words} words
 * @returns {Promise<Granted>}
 */
async function copy(text, words) {
  try {
    await navigator.clipboard.writeText(text);
    return { done: words.share.copied, text: null };
  } catch {
    // Not from a page without https, nor in a frame whose page does not allow it.
    return { done: words.share.byHand, text };
  }
}

/**
 * @param {string} ending of the file's name
 * @param {string} type
 * @param {string} content
 * @param {import("./words.js").Words} words
 * @returns {Granted}
 */
function save(ending, type, content, words) {
  const name = `generation-loop.${ending}`;
  const address = URL.createObjectURL(new Blob([content], { type }));
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  // The browser reads it after this task, and says to nobody when it has.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  return { done: words.share.saved(name), text: null };
}
