/** What every panel shares: colours, type, buttons and fields, and the layout of the whole. */

import { css, unsafeCSS } from "lit";
import { PALETTE } from "./palette.js";

/**
 * The palette as declarations; browsers that cannot choose by colour scheme get the light one.
 * @param {(pair: readonly [string, string]) => string} choose
 */
function palette(choose) {
  const declarations = Object.entries(PALETTE).map(
    ([name, pair]) => `--_${name}: var(--generation-loop-${name}, ${choose(pair)});`,
  );
  return unsafeCSS(declarations.join("\n"));
}

const LIGHT = palette(([light]) => light);
const EITHER = palette(([light, dark]) => `light-dark(${light}, ${dark})`);

// No template in it: the build tightens style sheets up to the next backtick.
export const sharedStyles = css`
  :host {
    --_font: var(--generation-loop-font, system-ui, sans-serif);
    --_mono: var(--generation-loop-mono, ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace);
    --_radius: var(--generation-loop-radius, 4px);
    /* One step of space; controls keep their size, for fingers do. */
    --_step: calc(4px * var(--generation-loop-density, 1));
    ${LIGHT}
    --_focus: var(--_accent);
    display: block;
    min-width: 0;
    /* Whatever the page's direction is: all words and tokens here run from left to right. */
    direction: ltr;
    writing-mode: horizontal-tb;
    /* What a page's text is like around it is no concern of tokens: they have no capitals, and no spacing. */
    white-space: normal;
    letter-spacing: 0;
    word-spacing: 0;
    word-break: normal;
    text-indent: 0;
    text-shadow: none;
    text-transform: none;
    -webkit-text-fill-color: currentcolor;
  }
  @supports (color: light-dark(#000, #fff)) {
    :host {
      ${EITHER}
    }
  }
  :host([hidden]) {
    display: none;
  }
  :host(:state(failed))::before {
    display: none !important;
  }
  :host(:fullscreen) {
    padding-inline: 20px;
    overflow: auto;
    background: var(--_paper);
  }
  *,
  ::before,
  ::after {
    box-sizing: border-box;
  }
  .frame {
    container: widget / inline-size;
    /* Contained, it would be of no width at all in a box that is as wide as its content. */
    contain-intrinsic-inline-size: min(20rem, 84vw);
    /* Where a page makes the element a flexible box. */
    flex: 1;
    /* Not of the element itself, which a page's rules for everything would win over. */
    color: var(--_ink);
    font: 15px / 1.4 var(--_font);
    text-align: start;
  }
  .widget {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: calc(4 * var(--_step));
    padding: calc(5 * var(--_step)) 0;
    border-block: 1px solid var(--_hairline);
    background: var(--_paper);
  }
  .panels {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: calc(7 * var(--_step)) calc(10 * var(--_step));
    padding-top: calc(5 * var(--_step));
    border-top: 1px solid var(--_hairline);
  }
  .title {
    margin: 0 0 calc(2 * var(--_step));
    font-size: 15px;
    font-weight: 600;
  }
  .title small {
    margin-left: 8px;
    color: var(--_muted);
    font-size: 13px;
    font-weight: 400;
  }
  label {
    color: var(--_muted);
    font-size: 13px;
  }
  .segments label,
  .check {
    color: inherit;
    font-size: 14px;
  }
  button,
  select,
  textarea,
  input[type="text"] {
    min-height: 34px;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    background: var(--_paper);
    color: var(--_ink);
    font: 14px / 1.2 var(--_font);
  }
  button,
  select {
    padding: 4px 12px;
    cursor: pointer;
  }
  input[type="text"] {
    padding: 4px 8px;
    font-family: var(--_mono);
    font-variant-numeric: tabular-nums;
  }
  [aria-invalid="true"] {
    border-color: var(--_alarm);
    outline: 1px solid var(--_alarm);
  }
  button:disabled {
    border-color: var(--_hairline);
    color: var(--_muted);
    cursor: default;
  }
  button.quiet {
    padding: 4px 8px;
    border-color: transparent;
    background: none;
    color: var(--_accent);
    text-decoration: underline;
    text-underline-offset: 3px;
  }
  button.quiet:disabled {
    visibility: hidden;
  }
  :focus-visible {
    outline: 2px solid var(--_focus);
    outline-offset: 2px;
  }
  .error {
    color: var(--_alarm);
    overflow-wrap: anywhere;
  }
  .note,
  .empty {
    color: var(--_muted);
  }
  .empty {
    margin: 12px 0;
    font-size: 14px;
  }
  .sr {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    margin: 0;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @container widget (min-width: 880px) {
    .panels.two {
      grid-template-columns: minmax(0, 62fr) minmax(0, 38fr);
    }
  }
  @media (pointer: coarse) {
    button,
    select,
    textarea,
    input[type="text"] {
      min-height: 44px;
    }
  }
`;
