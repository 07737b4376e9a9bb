/** A run as a picture: the token strip and the step log as one SVG, which needs nothing but itself. */

import { symbolOf } from "./format.js";
import { PALETTE } from "./palette.js";

/** @typedef {import("./pass.js").Pass} Pass */
/** @typedef {import("./views/token-strip.js").Cell} Cell */

/**
 * The strings in a picture. All but those of `picture` have the names and forms that they have in `words.js`.
 * @typedef {object} PictureWords
 * @property {string} locale language of all of them, as a `lang` attribute has it
 * @property {(value: number) => string} whole a number with all its digits
 * @property {{ prefill: string, decode: string }} phase
 * @property {{ green: string, blue: string, ended: string }} strip what the colours mean
 * @property {Record<"pass" | "phase" | "tokensIn" | "flops" | "uncached" | "token", string>} log headings of the table
 * @property {{ title: string, about: string, description: string, total: string }} picture its title; one line on how the run
 *   was made; what it shows, for those who cannot see it; the heading of the sums
 */

const [WIDTH, MARGIN] = [720, 24];
const INNER = WIDTH - 2 * MARGIN;

/** Of a cell of the strip, as in the widget. */
const [CELL, HEIGHT, GAP, LINE] = [32, 46, 3, 60];

/** Of the table. So many passes and more stand in two columns, if no number is longer than this. */
const [ROW, MANY, MOST_DIGITS] = [22, 40, 11];

/**
 * A column of it: where it is, as a part of the width; what is above, in it, and below; its colour, the phase's if it has none;
 * other attributes.
 * @typedef {[at: number, heading: string, of: (pass: Pass) => string | number, sum: string, colour: string, looks: string]} Column
 */

/** Numbers end at their place; what a pass cost and what it brought stand out. */
const [END, BOLD] = ['text-anchor="end"', 'font-weight="700"'];

/** A letter of the monospaced type, by its size. */
const ADVANCE = 0.61;

const FONT = "system-ui, sans-serif";
const MONO = "ui-monospace, Menlo, Consolas, monospace";

/** @type {Readonly<Record<string, string>>} */
const LIGHT = Object.freeze(
  Object.fromEntries(Object.entries(PALETTE).map(([name, [light]]) => [name, light])),
);

/**
 * @param {{ prompt: readonly Cell[], generated: readonly Cell[] }} cells as `Run` has them
 * @param {readonly Pass[]} log
 * @param {PictureWords} words
 * @param {Readonly<Record<string, string>>} [colours] by the names of `PALETTE`
 * @returns {string}
 */
export function pictureOf({ prompt, generated }, log, words, colours = LIGHT) {
  const { title, about, description } = words.picture;
  const [strip, stripEnd] = stripOf([...prompt, ...generated], 80, colours);
  const [table, tableEnd] = tableOf(log, stripEnd + 76, words, colours);
  const ended = generated.some(({ outside }) => outside);
  const legend = [
    ["prompt", "■", words.strip.green],
    ["generated", "■", words.strip.blue],
    ...(ended ? [["generated", "□", words.strip.ended]] : []),
  ].map(([kind, mark, meaning], index) => {
    const fill = `fill="${safe(colours[`${kind}-edge`])}"`;
    return `<tspan ${fill}${index > 0 ? ' dx="18"' : ""}>${mark}</tspan><tspan dx="6">${safe(meaning)}</tspan>`;
  });
  const height = tableEnd + MARGIN;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" lang="${safe(words.locale)}" role="img" font-family="${FONT}">
<title>${safe(title)}</title>
<desc>${safe(description)}</desc>
<rect width="100%" height="100%" fill="${safe(colours.paper)}"/>
${text(MARGIN, 36, cut(title, 60), colours.ink, 'font-size="18" font-weight="600"')}
${text(MARGIN, 58, cut(about, 96), colours.muted, 'font-size="13"')}
${strip}
<text x="${MARGIN}" y="${stripEnd + 30}" fill="${safe(colours.muted)}" font-size="13">${legend.join("")}</text>
${table}
</svg>
`;
}

/**
 * @param {readonly Cell[]} cells
 * @param {number} top
 * @param {Readonly<Record<string, string>>} colours
 * @returns {[svg: string, bottom: number]}
 */
function stripOf(cells, top, colours) {
  let [x, y] = [MARGIN, top];
  const drawn = cells.map(({ text: token, kind, outside }) => {
    const symbol = symbolOf(token);
    const size = symbol.length > 1 ? 13 : 22;
    const width = size === 22 ? CELL : symbol.length * size * ADVANCE + 12;
    if (x > MARGIN && x + width > MARGIN + INNER) [x, y] = [MARGIN, y + LINE];
    const left = x;
    x += width + GAP;
    const [fill, edge, ink] = ["", "-edge", "-ink"].map((of) => colours[kind + of]);
    const body = outside
      ? box(left + 0.75, y + 0.75, width - 1.5, HEIGHT - 1.5, "none", `rx="3" stroke="${safe(edge)}"`)
      : box(left, y, width, HEIGHT - 2, fill ?? colours.waiting, 'rx="4"');
    // Two thin lines below what was generated, one thick line below the prompt: no colour is needed to tell them apart.
    const edges = (kind === "generated" ? [5, 2] : [3]).map((up) =>
      box(left, y + HEIGHT - up, width, up === 3 ? 3 : 1.75, edge ?? colours.edge),
    );
    const letter = text(
      left + width / 2,
      y + 22,
      symbol,
      ink ?? colours.ink,
      `font-size="${size}" dy=".35em"`,
    );
    return [body, ...edges, letter].join("");
  });
  const svg = `<g font-family="${MONO}" text-anchor="middle" stroke-width="1.5">\n${drawn.join("\n")}\n</g>`;
  return [svg, y + HEIGHT];
}

/**
 * @param {readonly Pass[]} log
 * @param {number} top
 * @param {PictureWords} words
 * @param {Readonly<Record<string, string>>} colours
 * @returns {[svg: string, bottom: number]}
 */
function tableOf(log, top, { log: headings, phase: phases, picture, whole }, colours) {
  const sum = (/** @type {"flops" | "flopsWithoutCache"} */ cost) =>
    whole(log.reduce((total, pass) => total + pass[cost], 0));
  const uncached = sum("flopsWithoutCache");
  const sides = log.length >= MANY && uncached.length <= MOST_DIGITS ? 2 : 1;
  const width = sides === 1 ? INNER : INNER / 2 - MARGIN / 2;
  // One more: the sums.
  const rows = Math.ceil((log.length + 1) / sides);

  /** @type {Column[]} */
  const columns = [
    [0, headings.pass, ({ index }) => index, picture.total, "muted", ""],
    [0.095, headings.phase, ({ phase }) => phases[phase], "", "", ""],
    [0.375, headings.tokensIn, ({ tokensIn }) => whole(tokensIn), "", "ink", END],
    [0.605, headings.flops, ({ flops }) => whole(flops), sum("flops"), "ink", `${END} ${BOLD}`],
    [0.875, headings.uncached, ({ flopsWithoutCache }) => whole(flopsWithoutCache), uncached, "ink", END],
    [0.91, headings.token, ({ token }) => symbolOf(token.text), "", "generated-ink", BOLD],
  ];
  /**
   * A row, from 0, of one side; the headings are before it.
   * @param {number} index
   * @param {number} side
   * @param {(column: Column) => string | number} of
   * @param {string} [colour] of all, where it is not that of the column
   * @param {string} [kind] of the token that was made: colours of the phase
   */
  const row = (index, side, of, colour, kind) => {
    const [left, y] = [MARGIN + side * (INNER - width), top + (index + 1) * ROW];
    const texts = columns.map((column, place) => {
      const [x, said] = [left + column[0] * width, of(column)];
      const name = colour ?? (column[4] || `${kind}-ink`);
      // Behind the phase, as wide as it is.
      const wide = String(said).length * 12 * ADVANCE + 12;
      const pill = kind && place === 1 ? box(x - 6, y - 19, wide, 17, colours[kind], 'rx="4"') : "";
      return said === "" ? "" : pill + text(x, y - 7, said, colours[name], column[5]);
    });
    return box(left, y, width, 1, colours.hairline) + texts.join("");
  };
  const heads = [...Array(sides).keys()].map((side) => row(-1, side, ([, heading]) => heading, "muted"));
  const body = log.map((pass, index) =>
    row(
      index % rows,
      Math.floor(index / rows),
      ([, , of]) => of(pass),
      undefined,
      pass.phase === "prefill" ? "prompt" : "generated",
    ),
  );
  const svg = `<g font-size="${sides === 1 ? 12 : 11}">${heads.join("")}</g>
<g font-size="12" font-family="${MONO}">
${body.join("\n")}
<g ${BOLD}>${row(log.length % rows, sides - 1, ([, , , sum]) => sum, "ink")}</g>
</g>`;
  return [svg, top + rows * ROW];
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string | number} said
 * @param {string} colour
 * @param {string} looks other attributes
 */
function text(x, y, said, colour, looks) {
  return `<text x="${short(x)}" y="${short(y)}" fill="${safe(colour)}" ${looks}>${safe(said)}</text>`;
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {string} colour
 * @param {string} [looks] other attributes
 */
function box(x, y, width, height, colour, looks = 'rx="0.5"') {
  return `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${safe(colour)}" ${looks}/>`;
}

/** What would run over the edge. @param {string} said @param {number} most characters */
function cut(said, most) {
  return said.length > most ? `${said.slice(0, most - 1)}…` : said;
}

/** Hundredths of a pixel are enough. @param {number} value */
function short(value) {
  return Number(value.toFixed(2));
}

/**
 * Text for XML: nothing of it is markup, and what no XML may hold, such as half a surrogate pair, is shown as lost.
 * @param {string | number} said
 */
function safe(said) {
  return String(said)
    .replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
