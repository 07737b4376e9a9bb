/** The job as a drawing: five steps, of which the one lights up that the reader's run is in. */

import { html, nothing, render, svg } from "lit";
import { cell, said } from "./cells.js";
import { jobOf } from "./job.js";
import { follow } from "./reader.js";

/** @typedef {import("./job.js").StepName} StepName */
/** @typedef {import("./job.js").Job} Job */

/** How long a pass is lit before what came of it is, in milliseconds. */
const LIT = 160;

/** In a faster run the light would only flicker: it stays where passes end. */
const SLOWEST = 220;

/** @param {HTMLElement} place */
export function loop(place) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {import("../run.js").Moment["log"]} */
  let log = [];
  let since = Number.NEGATIVE_INFINITY;
  let timer = 0;
  follow(place, ({ now }) => {
    const job = jobOf(now);
    const isNext = now.log.length === log.length + 1 && now.log.at(-2) === log.at(-1);
    const isSlow = performance.now() - since > SLOWEST;
    log = now.log;
    if (isNext) since = performance.now();
    clearTimeout(timer);
    const settle = () => render(drawing(job, job.current), place);
    if (!isNext || !isSlow || still.matches) return settle();
    render(drawing(job, job.through[0]), place);
    timer = window.setTimeout(settle, LIT);
  });
}

/** As it is before a run. @param {import("../run.js").Moment} moment */
export function still(moment) {
  const job = jobOf(moment);
  return drawing(job, job.current);
}

/**
 * @param {Job} job
 * @param {StepName} current
 */
function drawing({ steps, through, said: sentence }, current) {
  const names = /** @type {StepName[]} */ (Object.keys(steps));
  return html`<ol role="list">
      ${names.map((name, index) => {
        const { title, about, line, token, made } = steps[name];
        const classes = `${name}${made ? " made" : ""}${through.includes(name) ? " through" : ""}`;
        return html`<li class=${classes} aria-current=${name === current ? "step" : nothing}>
          <p class="name">${index + 1} <b>${title}</b> <span class="mark" aria-hidden="true">◂ now</span></p>
          <p class="about">${about}</p>
          <p class="line">${token == null ? nothing : cell(token, "generated")} ${line}</p>
          ${ways[name]}
        </li>`;
      })}
    </ol>
    ${said(sentence)}`;
}

const arrow = html`<svg class="to" width="40" height="12" aria-hidden="true"><path d="M0 6H38M32 1l6 5-6 5"></path></svg>`;

/** The ways into each step. @type {Record<StepName, unknown>} */
const ways = {
  tokenise: nothing,
  prefill: arrow,
  sample: arrow,
  decode: html`<p class="ways" aria-hidden="true">
      <svg width="12" height="40"><path d="M6 0V38M1 32l5 6 5-6"></path></svg>
      <span>goes on</span>
      <svg width="12" height="40"><path d="M6 40V2M1 8l5-6 5 6"></path></svg>
      <span>and again</span>
    </p>
    <svg class="around" width="20" aria-hidden="true">
      <line x1="20" y1="1" x2="1" y2="1"></line>
      <line x1="1" y1="1" x2="1" y2="100%"></line>
      <svg y="100%" overflow="visible">${svg`<path d="M1 -1H18M12 -6l6 5-6 5"></path>`}</svg>
    </svg>`,
  stop: html`${arrow}<p class="or" aria-hidden="true">or ends</p>`,
};
