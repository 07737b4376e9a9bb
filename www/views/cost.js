/** What the run has cost: its FLOPs with the cache and without, as two charts or as a table; and what the last pass read. */

import { css, html, svg } from "lit";

/** @typedef {import("../words.js").Words} Words */
/** @typedef {import("../pass.js").Pass} Pass */

/**
 * What a chart shows, a number for each pass: what was paid; the price with the cache; the price without; the part of the
 * prefill, which is 0 where it is none; and the price without, for the passes to come too.
 * @typedef {readonly (readonly number[])[]} Series
 */

/** Height of a chart's field, in pixels. */
const HEIGHT = 144;

/** Passes that a chart has room for at once, where a run can take more. */
const ROOM = 64;

/**
 * @param {object} state
 * @param {Words} state.words
 * @param {readonly Pass[]} state.log the passes so far
 * @param {{ n_layer: number, n_embd: number }} state.config
 * @param {{ weights: number, cache: number }} state.reads bytes that the last pass had to read
 * @param {number} state.total the most passes that the run can take
 * @param {boolean} state.asTable whether the table stands in the charts' place
 * @param {() => void} state.onToggleTable
 * @param {number | null} state.resolution length of a step of the clock in milliseconds, if it is known
 */
export function cost({ words, log, config, reads, total, asTable, onToggleTable, resolution }) {
  const pass = log.at(-1);
  const each = [
    log.map(({ flops }) => flops),
    log.map(cachedFlopsOf),
    log.map(({ flopsWithoutCache }) => flopsWithoutCache),
    log.map(({ flops }, index) => (index ? 0 : flops)),
    pricesOf(config, log[0], roomFor(total, log.length)),
  ];
  const soFar = each.map(running);
  return html`
    <section class="cost" part="cost">
      <p class="title">${words.cost.label} <small>${words.cost.about}</small></p>
      ${
        asTable
          ? html`<div class="scroll" tabindex="0" role="group" aria-label=${words.cost.label}>
              ${table(log, [each[1], each[2], soFar[1], soFar[2]], words)}
            </div>`
          : html`<div class="charts">
              ${chart(words.cost.each, each, words)}
              ${chart(words.cost.total, soFar, words)}
            </div>`
      }
      <button type="button" class="quiet" aria-expanded=${asTable} @click=${onToggleTable}>
        ${asTable ? words.cost.asChart : words.cost.asTable}
      </button>
      <div class="last">
        ${pass ? lastPass(pass, reads, resolution, words) : html`<p class="empty">${words.cost.empty}</p>`}
      </div>
    </section>
  `;
}

/**
 * Passes that a chart has room for: all that the run can take, so that nothing moves while it grows. In a very long run, of
 * which most readers see but the beginning, twice as many whenever there is no more room.
 * @param {number} total
 * @param {number} passes
 */
export function roomFor(total, passes) {
  let room = ROOM;
  while (room < passes) room *= 2;
  return Math.max(1, passes, Math.min(total, room));
}

/**
 * What a pass costs where all before it is in the cache: a prefill its whole price; a decode the share of one token, for
 * without a cache each token of its context pays the same.
 * @param {Pick<Pass, "phase" | "contextLength" | "flopsWithoutCache">} pass
 */
export function cachedFlopsOf({ phase, contextLength, flopsWithoutCache }) {
  return flopsWithoutCache / (phase === "prefill" ? 1 : contextLength);
}

/**
 * What each pass costs without a cache, to the last that there is room for. From the price of the first, for one more token in
 * the context adds 4 L D to what each token pays.
 * @param {{ n_layer: number, n_embd: number }} config
 * @param {Pick<Pass, "contextLength" | "flopsWithoutCache"> | undefined} first
 * @param {number} room
 */
export function pricesOf({ n_layer, n_embd }, first, room) {
  return [...Array(room).keys()].map((more) => {
    if (!first) return 0;
    const { contextLength, flopsWithoutCache } = first;
    return (contextLength + more) * (flopsWithoutCache / contextLength + 4 * n_layer * n_embd * more);
  });
}

/** @param {readonly number[]} values */
function running(values) {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}

/**
 * Values for lines across a chart: its foot, and the largest of 1, 2, 5, 10, … that is not above its scale. With a short text
 * each, for there is little room beside a chart.
 * @param {number} most
 * @returns {[value: number, text: string][]}
 */
export function gridOf(most) {
  const digits = String(Math.floor(most)).length - 1;
  const value = 10 ** digits * Math.max(...[1, 2, 5].filter((times) => times * 10 ** digits <= most));
  const thousands = Math.floor(digits / 3);
  return [
    [0, "0"],
    [value, value / 1000 ** thousands + ["", ..."kMGTPE"][thousands]],
  ];
}

/**
 * One column a pass, on a scale from zero: what it would cost without the cache, and before it what it did cost.
 * @param {string} title
 * @param {Series} series
 * @param {Words} words
 */
function chart(title, [paid, cached, uncached, prefill, all], words) {
  // All that can come has its place from the beginning: nothing moves while the run grows.
  const room = all.length;
  const most = all[room - 1];
  const last = paid.length - 1;
  const end = paid.length / room;
  const height = (/** @type {number} */ value) => HEIGHT * (1 - value / most);
  const steps = (/** @type {readonly number[]} */ values) =>
    `M0 ${HEIGHT}${values.map((value, index) => (value ? `V${height(value)}H${index + 1}` : "")).join("")}`;
  const columns = (/** @type {readonly number[]} */ values) => `${steps(values)}V${HEIGHT}`;
  const grid = last < 0 ? [] : gridOf(most);
  const first = last < 0 ? "" : `${words.phase.prefill} ${words.whole(paid[0])}`;
  // What stands at the end of a line: its value, the text, how high, and how much of it lies before the end. It begins there
  // while the run is young and ends there when it is over, so that it never leaves the field.
  /** @type {[number, string, number, number][]} */
  const ends = [];
  if (last > 0) {
    const [low, high] = [cached[last], uncached[last]];
    const y = height(low) - 8;
    const ratio = decimal(high / low, high % low ? 1 : 0, words);
    ends.push(
      // It stays on the empty side for longer: there are no steps to run into.
      [low, `${words.cost.cached} ${words.whole(low)}`, y, end * end],
      // A line of type above the other, however near the ends of their lines are.
      [
        high,
        `${words.log.uncached} ${words.whole(high)}, ${ratio}×`,
        Math.min(height(high) - 8, y - 18),
        end,
      ],
    );
  }
  return html`<figure>
    <figcaption>${title}</figcaption>
    <svg role="img" aria-label=${[title, first, ...ends.map(([, text]) => text)].join("; ")}>
      <svg height=${HEIGHT} viewBox=${`0 0 ${room} ${HEIGHT}`} preserveAspectRatio="none">
        <path d=${grid.map(([value]) => `M0 ${height(value)}H${room}`).join("")} stroke="var(--_hairline)"></path>
        <path d=${columns(uncached)} fill="var(--_waiting)"></path>
        <path d=${columns(paid)} fill="var(--_generated)"></path>
        <path d=${steps(uncached)} stroke="var(--_edge)"></path>
        <path d=${steps(cached)} stroke="var(--_generated-edge)"></path>
        <path d=${columns(prefill)} fill="var(--_prompt)" stroke="var(--_prompt-edge)"></path>
        <path d=${`M0 ${HEIGHT}H${room}`} stroke="var(--_edge)"></path>
      </svg>
      ${grid.map(([value, text]) => svg`<text x="-8" y=${height(value)} dy="4" text-anchor="end">${text}</text>`)}
      <text y="162" fill="var(--_prompt-ink)">${first}</text>
      <text x="100%" y="162" text-anchor="end">${words.count(room, words.unit.pass)}</text>
      ${ends.map(
        ([value, text, y, before]) =>
          svg`<text class=${value === paid[last] ? "paid" : ""} x="${100 * end}%" y=${y} dx="${-0.6 * before * text.length}em">${text}</text>`,
      )}
    </svg>
  </figure>`;
}

/**
 * The same numbers for those who would rather read them. Made as the step log is, whose rules of layout hold for it too.
 * @param {readonly Pass[]} log
 * @param {Series} columns
 * @param {Words} words
 */
function table(log, columns, words) {
  const heads = [words.cost.cached, words.log.uncached];
  heads.push(...heads.map((head) => `${words.log.total}, ${head}`));
  return html`<table role="table">
    <caption class="sr">${words.cost.label}, ${words.log.flops}</caption>
    <thead role="rowgroup">
      <tr role="row">
        ${[words.log.pass, ...heads].map((head) => html`<th role="columnheader" scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${log.map(
        ({ index }, row) => html`<tr role="row">
          <td role="cell" class="index" data-pass=${words.log.pass}>${index}</td>
          ${columns.map(
            (values, column) =>
              html`<td role="cell" data-label=${heads[column]}>${words.whole(values[row])}</td>`,
          )}
        </tr>`,
      )}
    </tbody>
  </table>`;
}

/**
 * @param {Pass} pass
 * @param {{ weights: number, cache: number }} reads
 * @param {number | null} resolution
 * @param {Words} words
 */
function lastPass({ index, phase, tokensIn, flops, milliseconds }, { weights, cache }, resolution, words) {
  const { whole } = words;
  const bytes = weights + cache;
  return html`<p class=${phase}>${words.log.pass} ${index} <span class="phase"><span>${words.phase[phase]}</span></span></p>
    <p>${words.cost.read}: <code>${words.cost.bytes(whole(weights), whole(cache), whole(bytes))}</code></p>
    <p>${words.cost.perByte}: <code>${whole(flops)} / ${whole(bytes)} = ${decimal(flops / bytes, 1, words)}</code></p>
    <p>${words.cost.time}: ${timeInWords(milliseconds, resolution, words)}</p>
    <p class="note">${words.cost.worked(words.count(tokensIn, words.unit.token))}</p>`;
}

/**
 * @param {number} value
 * @param {number} digits
 * @param {Words} words
 */
function decimal(value, digits, { point }) {
  return value.toFixed(digits).replace(".", point);
}

/**
 * A measured time, and how exact it is. The clock moves in steps, so that rounding shows no digit that it does not have.
 * @param {number | null | undefined} milliseconds
 * @param {number | null} resolution
 * @param {Words} words
 */
export function timeInWords(milliseconds, resolution, words) {
  if (!Number.isFinite(milliseconds)) return "–";
  const time = /** @type {number} */ (milliseconds);
  const step = Number.isFinite(resolution) ? /** @type {number} */ (resolution) : 0;
  const shown = (/** @type {number} */ value) => `${Number(value.toFixed(3))} ms`.replace(".", words.point);
  // A hundredth less is a step too: the difference of two times is rounded.
  const value = time < Math.max(0.0005, step * 0.99) ? words.cost.short : shown(time);
  return step > 0 ? `${value} (±${shown(step)})` : value;
}

export const costStyles = css`
  .cost {
    container: cost / inline-size;
    font: 13px / 20px var(--_font);
  }
  .cost .scroll {
    height: 216px;
    overflow: auto;
  }
  .cost .charts {
    display: grid;
    grid-template-columns: 1fr 1fr;
    gap: 16px 24px;
  }
  .cost figure {
    margin: 0;
    color: var(--_muted);
  }
  .cost figure > svg {
    display: block;
    width: calc(100% - 40px);
    height: 172px;
    margin: 24px 0 0 40px;
    font: 12px var(--_mono);
  }
  .cost svg {
    overflow: visible;
    fill: currentcolor;
  }
  .cost svg svg {
    fill: none;
  }
  .cost path {
    vector-effect: non-scaling-stroke;
  }
  /* The upper one of the texts at the ends: lines of the grid stop before it. */
  .cost text:last-child {
    stroke: var(--_paper);
    stroke-width: 4px;
    paint-order: stroke;
  }
  .cost .paid {
    fill: var(--_generated-ink);
    font-weight: 600;
  }
  .cost .quiet {
    margin: 8px 0 4px -8px;
  }
  .cost .last {
    min-height: 140px;
  }
  .cost .last p {
    margin: 0 0 4px;
  }
  .cost code {
    font: 12px var(--_mono);
  }
  @container cost (max-width: 480px) {
    .cost .charts {
      grid-template-columns: 1fr;
    }
    .cost .scroll {
      height: 448px;
    }
    .cost .last {
      min-height: 224px;
    }
  }
  @media (forced-colors: active) {
    .cost path {
      fill: none;
    }
    .cost text[y] {
      fill: CanvasText;
      stroke: none;
    }
  }
`;
