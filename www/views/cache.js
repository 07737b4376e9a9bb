/** The KV cache: a row for each block, a column for each token; and how much the newest of them attended to each. */

import { css, html, nothing, svg } from "lit";
import { spoken, symbolOf } from "../format.js";

/** Rows of attention that are shown at once. Of a model with more, those of one block are. */
const MOST_ROWS = 8;

/** @typedef {import("../words.js").Words} Words */

/**
 * @typedef {object} CacheState
 * @property {Words} words
 * @property {import("../flops.js").Config} config
 * @property {readonly { text: string, kind: "prompt" | "generated" }[]} cells the tokens in the cache, the prompt's first
 * @property {import("../pass.js").Pass | undefined} pass the one that is shown
 * @property {Float32Array | null} attention (n_layer, n_head, T) of the newest of them; null where it is not at hand
 * @property {boolean} cacheOn whether the pass kept its keys and values
 * @property {number} capacity columns to reserve, so that none moves while the run goes on
 * @property {number | null} pointed the token that the reader points at, anywhere in the widget
 * @property {number} layer the block whose attention is shown where that of all is too much
 * @property {(index: number | null) => void} onPoint
 * @property {(layer: number) => void} onLayer
 */

/** @param {CacheState} given */
export function cache(given) {
  const { words, config, cells, pass, attention, cacheOn, layer } = given;
  // The newest token of the text can be pointed at, but is not in the cache yet.
  const pointed = cells[given.pointed ?? -1] ? given.pointed : null;
  const state = { ...given, pointed };
  const { n_layer: blocks, n_head: heads, n_embd: width } = config;
  const { whole } = words;
  const tokens = cells.length;
  const written = cacheOn ? (pass?.tokensIn ?? 0) : tokens;
  const single = blocks * heads > MOST_ROWS;
  // Another model may have fewer.
  const first = single ? Math.min(layer, blocks - 1) : 0;
  const rows = range(single ? heads : blocks * heads).map((row) => {
    const begin = (first * heads + row) * tokens;
    const head = words.cache.head((row % heads) + 1);
    return {
      name: single ? head : `${words.cache.block(Math.floor(row / heads) + 1)}, ${head}`,
      weights: attention?.subarray(begin, begin + tokens) ?? [],
    };
  });
  const tallest = Math.max(...rows.map(({ weights }) => Math.max(...weights)));
  return html`
    <section class="cache" part="cache">
      <p class="title" id="cache-title">
        ${words.cache.label}
        <small>${words.cache.about(whole(tokens), whole(state.capacity), whole(written))}</small>
      </p>
      <p class="note">
        ${
          cacheOn
            ? html`<code>${words.cache.bytes(blocks, whole(tokens), width, whole(8 * blocks * tokens * width))}</code>
                ${words.cache.letters}`
            : words.cache.off
        }
      </p>
      <div class="scroll" tabindex="0" role="group" aria-labelledby="cache-title">
        <div class="columns" aria-hidden="true">
          <ul>${range(blocks).map((index) => html`<li>${words.cache.block(index + 1)}</li>`)}</ul>
          <div>${symbols(state)} ${chart(state, blocks, 24, 18, tokens - written)}</div>
        </div>
        <div class="about">
          <p class="title">
            ${tokens > 0 ? words.cache.of(whole(tokens), spoken(cells[tokens - 1].text, words)) : words.cache.attention}
            <small>${tallest > 0 ? words.cache.sum(words.percent(tallest)) : words.cache.none}</small>
          </p>
          ${
            single
              ? select(
                  words.cache.which,
                  range(blocks).map((index) => whole(index + 1)),
                  first,
                  state.onLayer,
                )
              : nothing
          }
          ${select(
            words.cache.column,
            [
              words.cache.largest,
              ...cells.map(({ text }, index) => `${whole(index + 1)} ${spoken(text, words)}`),
            ],
            (pointed ?? -1) + 1,
            (option) => state.onPoint(option ? option - 1 : null),
          )}
        </div>
        <div class="columns">
          <ul role="list">
            ${rows.map(({ name, weights }) => html`<li>${name} ${tallest > 0 ? numbers(state, weights) : nothing}</li>`)}
          </ul>
          ${chart(state, rows.length, 36, 28, 0, (row, column) => rows[row].weights[column] / tallest)}
        </div>
      </div>
    </section>
  `;
}

/** @param {number} length */
const range = (length) => [...Array(length).keys()];

/**
 * @param {readonly number[]} numbers
 * @param {(number: number, index: number) => string} draw
 */
const joined = (numbers, draw) => numbers.map(draw).join("");

/**
 * @param {string} label
 * @param {readonly string[]} options
 * @param {number} chosen
 * @param {(option: number) => void} onChoose
 */
function select(label, options, chosen, onChoose) {
  return html`<label>${label}
    <select @change=${(/** @type {Event} */ event) =>
      onChoose(/** @type {HTMLSelectElement} */ (event.target).selectedIndex)}>
      ${options.map((option, index) => html`<option .selected=${index === chosen}>${option}</option>`)}
    </select></label>`;
}

/**
 * What a row gave to the column that is pointed at, or to the three that got most: the first for the eye, all for the ear.
 * @param {CacheState} state
 * @param {ArrayLike<number>} weights
 */
function numbers({ words, cells, pointed }, weights) {
  const most = range(cells.length).sort((a, b) => weights[b] - weights[a]);
  const columns = pointed === null ? most.slice(0, 3) : [pointed];
  const number = (/** @type {number} */ column) =>
    ` ${spoken(cells[column].text, words)} ${words.percent(weights[column])}`;
  return html`<code aria-hidden="true">${symbolOf(cells[columns[0]].text)} ${words.percent(weights[columns[0]])}</code>
    <span class="sr">${columns.map(number).join()}</span>`;
}

/**
 * The tokens over their columns. Only those of the built-in vocabulary are characters: others are turned, to be as narrow.
 * @param {CacheState} state
 */
function symbols({ config, cells, capacity }) {
  const turned = config.vocab_size !== 64;
  return html`<svg font-size=${capacity} height=${turned ? 44 : 20}>
    ${cells.map(
      ({ text, kind }, index) =>
        svg`<text class=${kind} x="${(100 * (index + 0.5)) / capacity}%" y=${turned ? 40 : 14} writing-mode=${turned ? "tb" : nothing}>${symbolOf(text)}</text>`,
    )}
  </svg>`;
}

/**
 * Rows of bars over the columns, in the colours of the tokens. It is stretched until each column, a unit wide, has as many whole
 * pixels as there is room for. That is the style sheet's work; how many columns there are reaches it as the size of a font, since
 * a strict policy lets no style be written here.
 * @param {CacheState} state
 * @param {number} rows
 * @param {number} pitch from one row to the next, in pixels, as all heights
 * @param {number} height of a full bar
 * @param {number} lit the first column in full colour
 * @param {(row: number, column: number) => number} [value] 0 to 1; without it all bars are full, and stand on a line
 */
function chart({ cells, capacity, pointed, onPoint }, rows, pitch, height, lit, value) {
  const prompt = cells.filter(({ kind }) => kind === "prompt").length;
  const path = (/** @type {string} */ name, /** @type {string} */ d) =>
    svg`<path class=${name} d=${d}></path>`;
  const bottoms = range(rows).map((row) => row * pitch + height);
  const line = (/** @type {number} */ from, /** @type {number} */ to) =>
    joined(bottoms, (bottom) => `M${from} ${bottom}H${to}v2H${from}z`);
  const bars = (/** @type {number} */ from, /** @type {number} */ to) =>
    joined(bottoms, (bottom, row) => {
      const steps = joined(range(to).slice(from), (column) => {
        // Rounded up: what is a little more than nothing is seen.
        const bar = Math.ceil(height * (value?.(row, column) ?? 1) - 0.1);
        return `V${bottom - (bar || 0)}H${column + 1}`;
      });
      return `M${from} ${bottom}${steps}V${bottom}z`;
    });
  const kinds = (/** @type {string} */ name, /** @type {number} */ from, /** @type {typeof line} */ draw) => [
    path(`prompt ${name}`, draw(from, prompt)),
    path(`generated ${name}`, draw(Math.max(from, prompt), cells.length)),
  ];
  const point = (/** @type {MouseEvent} */ { currentTarget, clientX, type }) => {
    const { left, width } = /** @type {Element} */ (currentTarget).getBoundingClientRect();
    const column = Math.floor(((clientX - left) / width) * capacity);
    const next = cells[column] && type === "mousemove" ? column : null;
    if (next !== pointed) onPoint(next);
  };
  // Between the columns are lines in the colour of the paper: everything else is drawn in one piece. A tap is a move of the mouse
  // too, and that leaves with the next tap elsewhere.
  return html`<svg
    aria-hidden="true" font-size=${capacity} height=${rows * pitch} viewBox="0 0 ${capacity} ${rows * pitch}" preserveAspectRatio="none"
    @mousemove=${point} @mouseleave=${point}
  >
    ${path("room", line(0, capacity))}
    ${value ? nothing : [kinds("", 0, bars), kinds("lit", 0, line)]}
    ${kinds("lit", lit, bars)}
    ${path(
      "gaps",
      joined(range(capacity), (column) => `M${column} 0v${rows * pitch}`),
    )}
    ${pointed === null ? nothing : svg`<rect class="gaps pointed" x=${pointed} width="1" height="100%"></rect>`}
  </svg>`;
}

export const cacheStyles = css`
  .cache .note {
    margin: 0 0 12px;
    font-size: 13px;
  }
  .cache code {
    display: block;
    color: var(--_ink);
    font-family: var(--_mono);
  }
  .cache .scroll {
    container-type: inline-size;
    max-height: 480px;
    overflow: auto;
  }
  .columns {
    display: flex;
    align-items: end;
    width: max-content;
  }
  /* What says which row it is stays where it is while the columns scroll. */
  .columns ul,
  .about {
    position: sticky;
    left: 0;
    background: var(--_paper);
  }
  .columns ul {
    flex: none;
    min-width: 96px;
    margin: 0;
    padding: 0;
    color: var(--_muted);
    font-size: 12px;
    list-style: none;
  }
  .columns li {
    /* Though a reader's own style may space it out. */
    white-space: nowrap;
    height: 24px;
    line-height: 20px;
  }
  .columns [role] li {
    height: 36px;
    line-height: 14px;
  }
  .columns svg {
    display: block;
    overflow: visible;
    /* An em is as many pixels as there are columns: each gets a whole number of them, where the browser can round. */
    width: clamp(7em, 100cqi - 96px, 32em);
    width: clamp(7em, round(down, 100cqi - 96px, 1em), 32em);
  }
  .columns .prompt {
    fill: var(--_prompt);
  }
  .columns .generated {
    fill: var(--_generated);
  }
  .columns .prompt.lit {
    fill: var(--_prompt-edge);
  }
  .columns .generated.lit {
    fill: var(--_generated-edge);
  }
  .columns text.prompt {
    fill: var(--_prompt-ink);
  }
  .columns text.generated {
    fill: var(--_generated-ink);
  }
  .columns text {
    font: 12px var(--_mono);
    text-anchor: middle;
  }
  .columns [writing-mode] {
    font-size: 10px;
    dominant-baseline: central;
    text-anchor: end;
  }
  .columns .room {
    fill: var(--_hairline);
  }
  .columns .gaps {
    fill: none;
    stroke: var(--_paper);
    stroke-width: 2px;
    vector-effect: non-scaling-stroke;
  }
  .columns .pointed {
    stroke: var(--_ink);
  }
  .about {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 16px;
    width: 100cqi;
    padding: 8px 0 12px;
  }
  .about .title {
    /* A line of its own, however long: what is chosen does not move when it grows. */
    flex: 1 0 100%;
    margin: 0;
  }
  .about small {
    display: block;
    margin: 0;
  }
  .about select {
    max-width: 160px;
  }
  @media (forced-colors: active) {
    .columns {
      --_paper: Canvas;
      --_ink: CanvasText;
      --_hairline: GrayText;
      --_prompt-ink: CanvasText;
      --_prompt-edge: CanvasText;
      --_generated-ink: CanvasText;
      --_generated-edge: CanvasText;
    }
  }
`;
