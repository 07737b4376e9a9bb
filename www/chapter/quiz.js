/** "Check yourself": the questions, one answer each, and the score. What is on the page is kept by the tab, and sent nowhere. */

import { html, nothing, render } from "lit";
import { live } from "lit/directives/live.js";
import { keep, keptAnswers } from "./answers.js";
import { QUESTIONS } from "./questions.js";
import { scoreInWords, scoreLine, scoreOf } from "./score.js";
import { whole } from "./wording.js";

/** @typedef {import("./answers.js").Answers} Answers */
/** @typedef {import("./questions.js").Question} Question */
/** @typedef {import("./questions.js").Option} Option */

/**
 * @typedef {object} State
 * @property {Answers} answers
 * @property {Answers} chosen what is marked, answered or not
 * @property {string | null} unchosen the question that was to be checked without a choice
 * @property {boolean} isKept whether the tab keeps the answers
 * @property {"copied" | "refused" | null} copying
 * @property {string} said to those who do not see what changed
 */

/** @typedef {(question: Question, option: string) => void} Choose */
/** @typedef {(question: Question) => void} Check */

const storage = () => sessionStorage;

/** @param {HTMLElement} place */
export function questions(place) {
  const answers = keptAnswers(QUESTIONS, storage);
  /** @type {State} */
  let state = {
    answers,
    chosen: answers,
    unchosen: null,
    isKept: keep(answers, storage),
    copying: null,
    said: "",
  };
  place.replaceChildren();
  place.classList.add("started");
  change({});

  /** @param {Partial<State>} changed */
  function change(changed) {
    state = { ...state, ...changed };
    render(quiz(state, { choose, check, copy, startOver }), place);
  }

  /** @type {Choose} */
  function choose({ id }, option) {
    const unchosen = state.unchosen === id ? null : state.unchosen;
    change({ chosen: { ...state.chosen, [id]: option }, unchosen });
  }

  /** @type {Check} */
  function check({ id, options }) {
    if (state.answers[id] !== undefined) return;
    const option = options.find((option) => option.id === state.chosen[id]);
    if (option === undefined) {
      change({ unchosen: id });
      return;
    }
    const answers = { ...state.answers, [id]: option.id };
    const said = `${verdictOn(option)} ${option.reason} ${scoreInWords(scoreOf(QUESTIONS, answers))}.`;
    change({ answers, isKept: keep(answers, storage), copying: null, said });
  }

  async function copy() {
    const line = scoreLine(scoreOf(QUESTIONS, state.answers));
    try {
      // Where a page may not use it at all, there is none.
      await navigator.clipboard.writeText(line);
      change({ copying: "copied" });
    } catch {
      change({ copying: "refused" });
      /** @type {HTMLInputElement | null} */ (place.querySelector("#quiz-line"))?.select();
    }
  }

  function startOver() {
    const said = "Started over: no question is answered.";
    change({ answers: {}, chosen: {}, unchosen: null, isKept: keep({}, storage), copying: null, said });
  }
}

/**
 * @param {State} state
 * @param {{ choose: Choose, check: Check, copy: () => void, startOver: () => void }} actions
 */
function quiz(state, { choose, check, copy, startOver }) {
  const { answers, copying, isKept, said } = state;
  const score = scoreOf(QUESTIONS, answers);
  return html`
    ${QUESTIONS.map((question, index) =>
      questionForm(
        question,
        index + 1,
        state,
        (option) => choose(question, option),
        () => check(question),
      ),
    )}
    <div class="score">
      <p><strong>${scoreInWords(score)}</strong></p>
      <div class="row">
        <button type="button" @click=${copy}>Copy my score as text</button>
        <button type="button" @click=${startOver}>Start over</button>
      </div>
      <p role="status">${copying === "copied" ? html`Copied: <q>${scoreLine(score)}</q>` : nothing}</p>
      ${copying === "refused" ? lineField(scoreLine(score)) : nothing}
      <p class="note">
        ${
          isKept
            ? "Your answers are kept in this tab, in its session storage: a reload keeps them, and closing the tab forgets them."
            : "This browser keeps nothing for the page: a reload forgets your answers."
        }
        They are sent nowhere.
      </p>
    </div>
    <p class="unseen" role="status">${said}</p>
  `;
}

/** @param {string} line */
function lineField(line) {
  return html`<p class="line">
    <label for="quiz-line">The browser did not let the page copy. Here is the line, selected, to be copied by hand:</label>
    <input id="quiz-line" readonly .value=${line}>
  </p>`;
}

/**
 * @param {Question} question
 * @param {number} number
 * @param {State} state
 * @param {(option: string) => void} choose
 * @param {() => void} check
 */
function questionForm({ id, ask, options }, number, { answers, chosen, unchosen }, choose, check) {
  const answer = answers[id];
  const isAnswered = answer !== undefined;
  const given = options.find((option) => option.id === answer);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    check();
  };
  return html`<form class="question" data-question=${id} novalidate @submit=${submit}>
    <fieldset aria-describedby=${unchosen === id ? `${id}-error` : nothing}>
      <legend>${whole(number)}. ${ask}</legend>
      ${options.map((option) =>
        optionRow(`${id}-${option.id}`, id, option, chosen[id] === option.id, answer, choose),
      )}
    </fieldset>
    <div class="row">
      <button aria-disabled=${isAnswered}>${isAnswered ? "Answered" : "Check answer"}</button>
      <span class="verdict">${given ? verdictOn(given) : nothing}</span>
      <span class="error" id="${id}-error" role="alert">
        ${unchosen === id ? `Nothing is chosen; allowed: one of the ${whole(options.length)} options.` : nothing}
      </span>
    </div>
  </form>`;
}

/**
 * An option, and once the question is answered the reason behind it.
 * @param {string} id
 * @param {string} name of the question
 * @param {Option} option
 * @param {boolean} isChosen
 * @param {string | undefined} answer the option that was committed to
 * @param {(option: string) => void} choose
 */
function optionRow(id, name, { id: option, text, reason, right = false }, isChosen, answer, choose) {
  const isAnswered = answer !== undefined;
  // An answer stands, but the options can still be walked through, and their reasons heard: so they are not disabled.
  const keepAnswer = (/** @type {Event} */ event) => {
    if (isAnswered) event.preventDefault();
  };
  return html`<div class="option ${isAnswered && right ? "right" : ""}">
    <input type="radio" name=${name} id=${id} .checked=${live(isChosen)} aria-disabled=${isAnswered}
      aria-describedby=${isAnswered ? `${id}-reason` : nothing} @click=${keepAnswer} @change=${() => choose(option)}>
    <label for=${id}>${text}</label>
    ${
      isAnswered
        ? html`<p class="reason" id="${id}-reason">${mark(right, answer === option)} ${reason}</p>`
        : nothing
    }
  </div>`;
}

/** @param {Option} given */
function verdictOn({ right }) {
  return right ? "Right." : "Not right.";
}

/**
 * @param {boolean} right
 * @param {boolean} isAnswer
 */
function mark(right, isAnswer) {
  if (right) return html`<b>${isAnswer ? "Right, your answer." : "Right."}</b>`;
  return isAnswer ? html`<b>Not right, your answer.</b>` : "Not right.";
}
