/** The picture of the passes, as SVG. */

import { OURS } from "./goals.js";

/**
 * A bar, or the title over some.
 * @typedef {{ title: string } | { who: string, median: number, ratio: number }} Row
 */

/**
 * Bars of time a pass, ours in blue; logarithmic, for a factor of a hundred to be seen.
 * @param {any} passes results of the section
 */
export function chart(passes) {
  /** @type {Row[]} */
  const rows = Object.entries(passes.shapes).flatMap(([of, { cases }]) =>
    Object.entries(/** @type {Record<string, any>} */ (cases)).flatMap(([name, contestants]) => [
      { title: `${of}, ${name}` },
      ...Object.entries(/** @type {Record<string, any>} */ (contestants)).map(([who, it]) => ({
        who,
        median: it.median,
        ratio: it.ratio,
      })),
    ]),
  );
  const medians = rows.flatMap((row) => ("title" in row ? [] : [row.median]));
  const [least, most] = [Math.min(...medians) / 2, Math.max(...medians)];
  const width = (/** @type {number} */ median) => (380 * Math.log(median / least)) / Math.log(most / least);
  let y = 8;
  const parts = rows.map((row) => {
    y += "title" in row ? 26 : 17;
    if ("title" in row) return `<text x="8" y="${y}" class="t">${row.title}</text>`;
    const bar = width(row.median);
    const label = row.who === OURS ? "" : `, ${row.ratio.toFixed(1)} × ours`;
    const time = row.median >= 1000 ? `${(row.median / 1000).toFixed(1)} ms` : `${row.median.toFixed(1)} µs`;
    const colour = row.who === OURS ? ' class="o"' : "";
    return [
      `<text x="150" y="${y}" text-anchor="end">${row.who}</text>`,
      `<rect x="158" y="${y - 10}" width="${bar.toFixed(1)}" height="12" rx="2"${colour}/>`,
      `<text x="${(164 + bar).toFixed(1)}" y="${y}">${time}${label}</text>`,
    ].join("");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 ${y + 14}" font-family="system-ui, sans-serif" font-size="12">
<title>Time of a pass, median, on a logarithmic scale: shorter is faster</title>
<style>text{fill:#1c1d1f}.t{font-weight:600}rect{fill:#b9bbc0}.o{fill:#2a6fc9}@media(prefers-color-scheme:dark){text{fill:#e8e6e1}rect{fill:#5c5f66}.o{fill:#6ba3ec}}</style>
${parts.join("\n")}
</svg>
`;
}
