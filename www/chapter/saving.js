/** What the cache saves in the reader's run, as two bars; and what it costs. */

import { html, nothing, render } from "lit";
import { said } from "./cells.js";
import { passesIn, tokensIn, words } from "./phrases.js";
import { follow, REFUSED } from "./reader.js";
import { keptOf, plannedOf, ratioOf, totalsOf } from "./totals.js";

/** @typedef {import("../run.js").Moment} Moment */
/** @typedef {import("./totals.js").Totals} Totals */

/** @param {HTMLElement} place */
export function saving(place) {
  follow(place, ({ now, moment }) => {
    if (moment !== null) render(drawing(moment, moment !== now), place);
  });
}

/** As it is before a run. @param {Moment} moment */
export const still = (moment) => drawing(moment, false);

/**
 * @param {Moment} moment
 * @param {boolean} old
 */
function drawing(moment, old) {
  const { config, prompt, log, most } = moment;
  const length = log[0]?.tokensIn ?? prompt.length;
  const planned = plannedOf(config, length, most);
  const totals = log.length > 0 ? totalsOf(log) : planned;
  const title =
    log.length > 0
      ? `FLOPs of your run so far, ${passesIn(log.length)}${paidOf(log, totals)}`
      : `FLOPs of a run of ${passesIn(most)}`;
  return html`
    <p class="title">${title}</p>
    <dl>
      ${bar("with the cache", totals.cached, totals, "generated", "")}
      ${bar("without", totals.uncached, totals, "again", `${ratioOf(totals)} times as many`)}
    </dl>
    ${said([old ? REFUSED : wholeOf(planned, length)], old)}
    <p class="kept">${keptIn(moment, length)}</p>
  `;
}

/**
 * To the scale of the longer one: what the prefill takes of it, and the rest.
 * @param {string} name
 * @param {number} value
 * @param {Totals} totals
 * @param {string} kind of the rest
 * @param {string} end what stands where the bar ends
 */
function bar(name, value, { prefill, uncached }, kind, end) {
  const share = (/** @type {number} */ part) => `${((100 * part) / uncached).toFixed(2)}%`;
  return html`<div>
    <dt>${name}</dt>
    <dd>
      <span>${words.whole(value)}</span>
      <span class="end">${end}</span>
      <svg height="24" aria-hidden="true">
        <rect class=${kind} x=${share(prefill)} width=${share(value - prefill)} height="24"></rect>
        <rect class="prefill" width=${share(prefill)} height="24"></rect>
      </svg>
    </dd>
  </div>`;
}

/**
 * @param {Totals} planned
 * @param {number} length
 */
function wholeOf(planned, length) {
  const { passes, cached, uncached } = planned;
  const from = `From ${tokensIn(length)} to the limit of ${words.whole(length + passes)}, ${passesIn(passes)} cost `;
  const both = `${words.whole(cached)} FLOPs with the cache and ${words.whole(uncached)} without: `;
  return `${from}${both}${ratioOf(planned)} times as many.`;
}

/**
 * What the run did cost, where the reader has switched the cache off for a while.
 * @param {Moment["log"]} log
 * @param {Totals} totals
 */
function paidOf(log, { cached }) {
  const paid = log.reduce((sum, { flops }) => sum + flops, 0);
  if (log.length === 0 || paid === cached) return "";
  return `; as the cache was off for some, it cost ${words.whole(paid)}`;
}

/**
 * @param {Moment} moment
 * @param {number} length
 */
function keptIn({ config, log }, length) {
  const last = log.at(-1);
  const tokens = last?.contextLength ?? length;
  const { n_layer, n_embd } = config;
  if (last && last.cacheBytes === 0) return "The cache was off in this pass: nothing is kept.";
  const formula = `2\u00a0· L\u00a0· T\u00a0· D\u00a0· 4 = 2\u00a0· ${n_layer}\u00a0· ${words.whole(tokens)}\u00a0· ${n_embd}\u00a0· 4`;
  return html`It is paid for in memory: <code>${formula} = ${words.whole(last?.cacheBytes ?? keptOf(config, tokens))}</code>
    bytes for ${tokensIn(tokens)}${last ? nothing : " after the prefill"}.`;
}
