/** The colours of the widget, and of pictures of its runs. */

/**
 * Colours, light and dark. A page sets its own by `--generation-loop-` and the name. Text on its surface has a contrast of at
 * least 4.5, edges of fields and cells of at least 3.
 * @type {Readonly<Record<string, readonly [light: string, dark: string]>>}
 */
export const PALETTE = Object.freeze({
  paper: ["#fcfbf8", "#17181b"],
  ink: ["#1c1d1f", "#e8e6e1"],
  muted: ["#5c5f66", "#a3a6ad"],
  hairline: ["#e3e0d8", "#34363b"],
  edge: ["#8b8d92", "#73767d"],
  waiting: ["#efede8", "#292b30"],
  accent: ["#1f4e96", "#8fb8f5"],
  "accent-ink": ["#ffffff", "#0e1a2e"],
  prompt: ["#d8f0dc", "#173a23"],
  "prompt-ink": ["#0f4d24", "#b7ecc4"],
  "prompt-edge": ["#2f8a4c", "#4fae6d"],
  generated: ["#dbe9fb", "#16335c"],
  "generated-ink": ["#0d3a73", "#c3dbff"],
  "generated-edge": ["#2a6fc9", "#6ba3ec"],
  alarm: ["#a3261b", "#ff9d90"],
});
