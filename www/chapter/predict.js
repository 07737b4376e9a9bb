/** "Predict": the reader commits to a number of passes, and then the engine makes the run and counts. */

import { html, nothing, render } from "lit";
import { live } from "lit/directives/live.js";
import { another, answerFrom, FIRST, mistakeIn, questionOf } from "./prediction.js";
import { counted } from "./scripted.js";
import { count, whole } from "./wording.js";

/** @typedef {import("./scripted.js").Plan} Plan */
/** @typedef {import("./scripted.js").Counted} Counted */
/** @typedef {import("./scripted.js").Stretch} Stretch */

/**
 * What was answered, and what the run came to.
 * @typedef {object} Outcome
 * @property {number} answer
 * @property {Counted} run
 * @property {number} afterOne passes of the same reply after a prompt of one token
 */

/**
 * @typedef {object} State
 * @property {Plan} plan
 * @property {string} text in the field
 * @property {string} refused why what was typed is no answer
 * @property {string} failed why nothing could be counted
 * @property {boolean} isCounting
 * @property {Outcome | null} outcome
 * @property {number} asked questions, this one too
 * @property {number} right
 */

/**
 * @param {HTMLElement} place
 * @param {() => number} [random]
 */
export function predict(place, random = Math.random) {
  /** @type {State} */
  let state = {
    plan: FIRST,
    text: "",
    refused: "",
    failed: "",
    isCounting: false,
    outcome: null,
    asked: 1,
    right: 0,
  };
  place.replaceChildren();
  place.classList.add("started");
  change({});

  /** @param {Partial<State>} changed */
  function change(changed) {
    state = { ...state, ...changed };
    render(question(state, { type: (text) => change({ text }), commit, next }), place);
  }

  async function commit() {
    if (state.isCounting || state.outcome !== null) return;
    const read = answerFrom(state.text);
    if ("error" in read) {
      change({ refused: read.error, failed: "" });
      return;
    }
    const { answer } = read;
    change({ refused: "", failed: "", isCounting: true });
    try {
      const run = await counted(state.plan);
      const { passes: afterOne } = await counted({ ...state.plan, prompt: 1 });
      const right = state.right + Number(answer === run.passes);
      change({ isCounting: false, outcome: { answer, run, afterOne }, right });
    } catch (error) {
      // The same button tries again.
      const why = error instanceof Error ? error.message : String(error);
      change({ isCounting: false, failed: `The passes could not be counted: ${why}` });
    }
  }

  function next() {
    const { asked } = state;
    change({ plan: another(asked, random), text: "", outcome: null, asked: asked + 1 });
    place.querySelector("input")?.focus();
  }
}

/**
 * @param {State} state
 * @param {{ type: (text: string) => void, commit: () => void, next: () => void }} actions
 */
function question(state, { type, commit, next }) {
  const { plan, text, refused, failed, isCounting, outcome, asked, right } = state;
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    commit();
  };
  const typed = (/** @type {Event & { target: HTMLInputElement }} */ { target }) => type(target.value);
  // Not disabled: what has the focus would lose it.
  const isInert = isCounting || outcome !== null;
  return html`
    <p class="asked" id="predict-question">${questionOf(plan)}</p>
    <form novalidate @submit=${submit}>
      <label for="predict-answer">Your answer, in passes</label>
      <div class="row">
        <input id="predict-answer" inputmode="numeric" autocomplete="off" size="12"
          aria-describedby="predict-question predict-error" aria-invalid=${refused !== ""}
          .value=${live(text)} ?readonly=${isInert} @input=${typed}>
        <button class="primary" aria-disabled=${isInert}>Commit, and see the answer</button>
      </div>
      <p class="error" id="predict-error" role="alert">${refused || failed}</p>
    </form>
    <p class="verdict" role="status">${outcome === null ? nothing : verdict(plan, outcome)}</p>
    ${
      outcome === null
        ? nothing
        : html`${reason(plan, outcome)}
            <div class="row">
              <button type="button" @click=${next}>Another one</button>
              <span class="note">Right so far: ${whole(right)} of ${whole(asked)}</span>
            </div>`
    }
  `;
}

/**
 * @param {Plan} plan
 * @param {Outcome} outcome
 */
function verdict(plan, { answer, run: { passes } }) {
  if (answer === passes) return html`<strong>${count(passes, "pass", "passes")}: right.</strong>`;
  return html`<strong>${count(passes, "pass", "passes")}, not ${whole(answer)}.</strong> ${mistakeIn(plan, answer, passes)}`;
}

/**
 * @param {Plan} plan
 * @param {Outcome} outcome
 */
function reason({ end }, { run: { passes, stretches }, afterOne }) {
  const isCutOff = end === "max-tokens";
  return html`
    <div class="pane">
      <table>
        <caption class="note">The ${count(passes, "pass", "passes")} of this run</caption>
        <thead>
          <tr>
            <th scope="col" class="number">passes</th>
            <th scope="col">phase</th>
            <th scope="col" class="number">tokens in, each</th>
            <th scope="col">what they bring</th>
          </tr>
        </thead>
        <tbody>
          ${stretches.map(
            (stretch) => html`<tr>
              <td class="number">${whole(stretch.passes)}</td>
              <td><span class="phase ${stretch.phase}">${stretch.phase}</span></td>
              <td class="number">${whole(stretch.tokensIn)}</td>
              <td>${broughtBy(stretch)}</td>
            </tr>`,
          )}
          <tr>
            <td class="number total">${whole(passes)}</td>
            <td class="total" colspan="3">in all</td>
          </tr>
        </tbody>
      </table>
    </div>
    <p>
      ${isCutOff ? "The limit ends the run with the last token that it allows: no pass is made for end-of-text. " : nothing}The
      prompt’s length does not matter for their number. After a prompt of one token, the same run takes ${count(afterOne, "pass", "passes")} too.
    </p>
    <p class="note">
      Counted, not looked up: the engine of this page has just made this run, with a tiny model that is forced to
      ${isCutOff ? "write and never to say end-of-text." : "write this many tokens, and then to say end-of-text."}
    </p>
  `;
}

/** @param {Stretch} stretch */
function broughtBy({ passes, first, ends }) {
  if (ends) return "end-of-text";
  return passes === 1 ? `token ${whole(first)}` : `tokens ${whole(first)} to ${whole(first + passes - 1)}`;
}
