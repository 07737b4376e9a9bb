/** The lab: four numbers, and how long a reply takes with them. */

import { html, nothing, render } from "lit";
import { latencyOf, withHalfThePrompt, withHalfTheReply } from "./latency.js";
import { latencyChart } from "./latency-chart.js";
import { duration, exact, percentage, rounded } from "./quantity.js";
import { quantityField } from "./quantity-field.js";
import { DEFAULT_ENTRIES, inUnit, PER_SECOND, readRequest } from "./request.js";
import { count } from "./wording.js";

/** @typedef {import("./latency.js").Request} Request */
/** @typedef {import("./latency.js").Latency} Latency */
/** @typedef {import("./request.js").Entries} Entries */
/** @typedef {import("./request.js").FieldName} FieldName */
/** @typedef {"prompt" | "reply"} Half */

const HALVES = /** @type {const} */ ({
  prompt: { button: "Halve the prompt", title: "Half the prompt", change: withHalfThePrompt },
  reply: { button: "Halve the reply", title: "Half the reply", change: withHalfTheReply },
});

/** How far the sliders reach; the fields take more. */
const SLIDERS = {
  promptTokens: { least: 50, most: 4000, step: 50 },
  replyTokens: { least: 10, most: 1000, step: 10 },
  firstPass: { least: 0, most: 3, step: 0.05 },
  decodePass: { least: 0, most: 200, step: 1 },
};

/** @param {HTMLElement} place */
export function lab(place) {
  let entries = DEFAULT_ENTRIES;
  const { request: first } = readRequest(entries);
  if (first === null) throw new Error("the lab begins with fields that can be used");
  let request = first;
  /** @type {Half | null} */
  let half = null;

  const draw = () => {
    const read = readRequest(entries);
    request = read.request ?? request;
    const latency = latencyOf(request);
    render(
      html`
        ${fields(entries, read.errors, request, change)}
        <div class="results">
          ${formula(request, latency)} ${results(latency)}
          ${
            read.request === null
              ? stale(request)
              : html`<p>${verdict(latency.decodeShare)} ${perTokenInWords(request)}</p>`
          }
        </div>
        ${whatIf(request, latency, half, (chosen) => {
          half = half === chosen ? null : chosen;
          draw();
        })}
        ${notes(request)}
      `,
      place,
    );
  };
  const change = (/** @type {Entries} */ changed) => {
    entries = changed;
    draw();
  };
  place.replaceChildren();
  draw();
}

/**
 * @param {Entries} entries
 * @param {Partial<Record<FieldName, string>>} errors
 * @param {Request} request the last that could be read
 * @param {(entries: Entries) => void} onChange
 */
function fields(entries, errors, request, onChange) {
  const { texts, unit, endOfText } = entries;
  const times = PER_SECOND[unit];
  const field = (
    /** @type {FieldName} */ name,
    /** @type {string} */ label,
    /** @type {number} */ value,
    /** @type {unknown} */ after = nothing,
    scale = 1,
  ) => {
    const { least, most, step } = SLIDERS[name];
    return quantityField({
      id: `lab-${name}`,
      label,
      text: texts[name],
      error: errors[name],
      slider: { least: least * scale, most: most * scale, step: step * scale, value },
      unit: after,
      onText: (text) => onChange({ ...entries, texts: { ...texts, [name]: text } }),
    });
  };
  return html`<div class="quantities">
      ${field("promptTokens", "Prompt tokens", request.promptTokens)}
      ${field("replyTokens", "Reply tokens", request.replyTokens)}
      ${field(
        "firstPass",
        "Time of the first pass, for this prompt",
        request.firstPass * times,
        html`<select
          aria-label="Unit of the first pass"
          @change=${(/** @type {Event} */ event) =>
            onChange(
              inUnit(
                entries,
                /** @type {import("./request.js").Unit} */ (
                  /** @type {HTMLSelectElement} */ (event.target).value
                ),
              ),
            )}
        >
          <option .selected=${unit === "s"}>s</option>
          <option .selected=${unit === "ms"}>ms</option>
        </select>`,
        times,
      )}
      ${field("decodePass", "Time of each decode pass", request.decodePass * PER_SECOND.ms, html`<span>ms</span>`)}
    </div>
    <label class="check">
      <input
        type="checkbox"
        .checked=${endOfText}
        @change=${(/** @type {Event} */ event) =>
          onChange({ ...entries, endOfText: /** @type {HTMLInputElement} */ (event.target).checked })}
      />
      <span>The model ends the reply itself: one pass more, which brings end-of-text</span>
    </label>`;
}

/**
 * In the place of what follows from the numbers: what they are of.
 * @param {Request} request
 */
function stale({ promptTokens, replyTokens, firstPass, decodePass, endOfText }) {
  return html`<p class="error stale">
    Still of the last good input: ${count(promptTokens, "prompt token", "prompt tokens")},
    ${count(replyTokens, "reply token", "reply tokens")}${endOfText ? " and end-of-text" : ""},
    ${duration(firstPass)} for the first pass, ${duration(decodePass)} for each decode.
  </p>`;
}

/**
 * The formula with the reader's numbers in it.
 * @param {Request} request
 * @param {Latency} latency
 */
function formula({ replyTokens, endOfText, firstPass, decodePass }, { decodes, total }) {
  const passes = endOfText ? `(${exact(replyTokens)} + 1 − 1)` : `(${exact(replyTokens)} − 1)`;
  return html`<p class="formula">
    <span class="prefill">${exact(firstPass)} s<small>first pass</small></span>
    <span>+</span>
    <span class="decode"
      >${passes} × ${exact(decodePass)} s<small>${count(decodes, "decode pass", "decode passes")}</small></span
    >
    <span>=</span>
    <strong>${exact(total)} s<small>the whole reply</small></strong>
  </p>`;
}

/** @param {Latency} latency */
function results({ firstToken, perToken, total, decodeShare }) {
  const rate = perToken > 0 ? ` (${rounded(1 / perToken)} a second)` : "";
  return html`<dl>
      <div>
        <dt>Time to first token</dt>
        <dd>${duration(firstToken)}</dd>
      </div>
      <div>
        <dt>Time per output token</dt>
        <dd>${duration(perToken)}<small>${rate}</small></dd>
      </div>
      <div>
        <dt>Total</dt>
        <dd>${duration(total)}</dd>
      </div>
      <div>
        <dt>Share that is decode</dt>
        <dd>${decodeShare === null ? "none: nothing takes time" : percentage(decodeShare)}</dd>
      </div>
    </dl>`;
}

/** @param {number | null} decodeShare */
function verdict(decodeShare) {
  if (decodeShare === null) return "Where no pass takes any time, there is nothing to wait for.";
  if (decodeShare === 0.5) return "Half of the time is prefill, half is decode.";
  return decodeShare > 0.5
    ? "Most of the time is decode: its passes come one after the other."
    : "Most of the time is the first pass.";
}

/** @param {Request} request */
function perTokenInWords({ promptTokens, firstPass, decodePass }) {
  const each = firstPass / promptTokens;
  const times = each > 0 && decodePass > 0 ? `, ${rounded(decodePass / each)} times as long` : "";
  return `A token of the prompt takes ${duration(each)}, a token of the reply ${duration(decodePass)}${times}.`;
}

/**
 * @param {Request} request
 * @param {Latency} latency
 * @param {Half | null} half
 * @param {(half: Half) => void} onHalf
 */
function whatIf(request, latency, half, onHalf) {
  const original = { title: "As it is", request, latency };
  const halved = half && HALVES[half].change(request);
  const other = halved && { title: HALVES[half].title, request: halved, latency: latencyOf(halved) };
  return html`<div class="buttons" role="group" aria-label="What if">
      ${
        /** @type {Half[]} */ (["prompt", "reply"]).map(
          (name) =>
            html`<button type="button" aria-pressed=${half === name} @click=${() => onHalf(name)}>
            ${HALVES[name].button}
          </button>`,
        )
      }
    </div>
    ${latencyChart(original, other)}
    <p class="conclusion" role="status">${half && halved ? conclusion(half, request, halved) : nothing}</p>`;
}

/**
 * What follows from halving.
 * @param {Half} half
 * @param {Request} request
 * @param {Request} halved
 */
export function conclusion(half, request, halved) {
  const [before, after] = [latencyOf(request), latencyOf(halved)];
  const [tokens, left] =
    half === "prompt"
      ? [request.promptTokens, halved.promptTokens]
      : [request.replyTokens, halved.replyTokens];
  if (left === tokens) return `A ${half} of ${count(tokens, "token", "tokens")} cannot be halved.`;
  const counts = `With ${count(left, `${half} token`, `${half} tokens`)} instead of ${exact(tokens)}`;
  const saved = before.total - after.total;
  if (saved === 0) return `${counts} nothing changes: what is left out takes no time.`;
  const effect = `${counts} the reply takes ${duration(after.total)} instead of ${duration(before.total)}, which saves ${percentage(saved / before.total)}.`;
  return half === "prompt"
    ? `${effect} The first token comes after ${duration(after.firstToken)} instead of ${duration(before.firstToken)}; the stream after it is as long as before.`
    : `${effect} The first token comes no sooner; ${count(before.decodes - after.decodes, "decode pass is", "decode passes are")} left out.`;
}

/** @param {Request} request */
function notes({ endOfText }) {
  return html`<p class="note">
      The first token of the reply comes out of the prefill, so a reply of n tokens takes n − 1 decodes.
      ${
        endOfText
          ? "End-of-text is a token too: the pass that brings it is counted, and nothing is to be seen of it."
          : "Here the reply is cut off at its length. A model that ends it by itself takes one pass more, which brings end-of-text."
      }
    </p>
    <p class="note">
      Half the prompt is taken to take half the time of the first pass. That is nearly so: the products with the weights
      grow with the tokens, and attention, which grows with their square, is a small part in prompts of this length.
    </p>`;
}
