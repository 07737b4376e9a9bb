/** What the checks found, what happened in the first call, and what the code wrote to the console. */

import { html, nothing } from "lit";
import { END_OF_TEXT } from "./model.js";
import { callOf } from "./scenarios.js";
import { counted, inWords } from "./trace.js";

/** @typedef {import("./runner.js").Outcome} Outcome */

/** How many happenings are shown of a call. */
const SHOWN = 30;

const MARKS = Object.freeze({
  passed: { sign: "✓", word: "Passed" },
  failed: { sign: "✗", word: "Failed" },
  open: { sign: "–", word: "Not judged" },
});

/**
 * @param {Outcome} outcome
 * @param {boolean} isOld whether the code has been changed since
 */
export function resultsView({ verdicts, calls }, isOld) {
  const [example] = calls;
  return html`<div class="results">
    ${isOld ? html`<p class="note">These are the results of the code as it was when it last ran.</p>` : nothing}
    <ol class="checks">
      ${verdicts.map(
        ({ title, state, message }) => html`<li class=${state}>
          <span class="mark"><span aria-hidden="true">${MARKS[state].sign}</span> ${MARKS[state].word}</span>
          <span class="title">${title}</span>
          <span class="message">${message}</span>
        </li>`,
      )}
    </ol>
    ${happenings(example)} ${logged(calls)}
  </div>`;
}

/** Passes and tokens of a call in the order in which they came. @param {import("./checks.js").Call} call */
function happenings({ scenario, trace: { events } }) {
  if (events.length === 0) return nothing;
  let passes = 0;
  const items = events.slice(0, SHOWN).map((event) => {
    if (event.kind === "token") return html`<li class="token">${inWords(event.token)}</li>`;
    passes += 1;
    const end = event.gave === END_OF_TEXT ? ": end-of-text" : "";
    return html`<li>pass ${passes}${end}</li>`;
  });
  const more = events.length - SHOWN;
  return html`<p class="caption" id="exercise-happened">
      What happened in <code>${callOf(scenario)}</code>: each pass as it began, each token as it came out.
    </p>
    <ol class="happenings" aria-labelledby="exercise-happened">
      ${items}${more > 0 ? html`<li>and ${more} more</li>` : nothing}
    </ol>`;
}

/**
 * What was logged in the first call that logged something; the others are mostly the same again.
 * @param {readonly import("./checks.js").Call[]} calls
 */
function logged(calls) {
  const [first, ...others] = calls.filter(({ trace }) => trace.log.length > 0);
  if (first === undefined) return nothing;
  return html`<p class="caption">What your code logged in ${named(first)}:</p>
    ${lines(first)}
    ${
      others.length === 0
        ? nothing
        : html`<details class="logs">
            <summary>What it logged in ${counted(others.length, "other call")}</summary>
            ${others.map((call) => html`<p class="caption">${named(call)}</p>${lines(call)}`)}
          </details>`
    }`;
}

/** @param {import("./checks.js").Call} call */
function lines({ trace }) {
  return html`<pre class="log">${trace.log.join("\n")}</pre>`;
}

/** @param {import("./checks.js").Call} call */
function named({ scenario }) {
  const { about, stopAfter } = scenario;
  return html`<code>${callOf(scenario)}</code>${about === "" ? "" : ` with ${about}`}${
    stopAfter === undefined ? "" : `, stopped after ${counted(stopAfter, "token")}`
  }`;
}
