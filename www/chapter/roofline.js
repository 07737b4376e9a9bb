/** Prefill and decode as two workloads on one machine: where each stands under its roof. */

import { html, render, svg } from "lit";
import { said } from "./cells.js";
import { CHIPS } from "./chips.js";
import {
  along,
  caseOf,
  decadesOf,
  leastTimeOf,
  measured,
  PAGE,
  reachOf,
  ridgeOf,
  tokensToRidge,
} from "./intensity.js";
import { tokensIn, words } from "./phrases.js";
import { follow, REFUSED } from "./reader.js";

/** @typedef {import("./intensity.js").Machine} Machine */
/** @typedef {import("./intensity.js").Case} Case */
/** @typedef {import("./intensity.js").CaseId} CaseId */

/** The one that is drawn at first: what the text's numbers are of, and where the ridge is far out. */
const FIRST = CHIPS.find(({ id }) => id === "a100-80gb") ?? CHIPS[0];

/** @type {readonly { id: CaseId, label: string }[]} */
const CASES = [
  { id: "run", label: "your run" },
  { id: "gpt2", label: "GPT-2 small, your tokens" },
  { id: "page", label: `GPT-2 small, prompt of ${PAGE} tokens` },
];

/** Height of the picture's field, in pixels. */
const HEIGHT = 232;

/** @param {HTMLElement} place */
export function roofline(place) {
  /** @type {import("./reader.js").Reading | null} */
  let reading = null;
  let machine = FIRST;
  let chosen = CASES[0].id;
  const draw = () => {
    if (reading === null || reading.moment === null) return;
    const { now, moment } = reading;
    const state = { machine, chosen, of: caseOf(moment, chosen), old: moment !== now };
    render(figure(state, choose, pick), place);
  };
  const choose = (/** @type {CaseId} */ id) => {
    chosen = id;
    draw();
  };
  const pick = (/** @type {string} */ id) => {
    machine = CHIPS.find((one) => one.id === id) ?? machine;
    draw();
  };
  follow(place, (latest) => {
    reading = latest;
    draw();
  });
}

/** As it is before a run. @param {import("../run.js").Moment} moment */
export function still(moment) {
  const state = { machine: FIRST, chosen: CASES[0].id, of: caseOf(moment, CASES[0].id), old: false };
  return figure(state, null, null);
}

/**
 * @param {object} state
 * @param {Machine} state.machine
 * @param {CaseId} state.chosen
 * @param {Case} state.of
 * @param {boolean} state.old
 * @param {((id: CaseId) => void) | null} onCase null where nothing can be chosen
 * @param {((id: string) => void) | null} onMachine
 */
function figure({ machine, chosen, of, old }, onCase, onMachine) {
  return html`
    <div class="choices">
      ${onCase && caseField(chosen, onCase)} ${onMachine && machineField(machine, onMachine)}
    </div>
    <div class="columns">
      ${picture(machine, of)}
      <div>
        ${table(machine, of)}
        ${said(old ? [REFUSED] : sentences(machine, of), old)}
      </div>
    </div>
    <p class="note">${noteOn(machine, of)}</p>
  `;
}

/**
 * @param {CaseId} chosen
 * @param {(id: CaseId) => void} onCase
 */
function caseField(chosen, onCase) {
  return html`<fieldset>
    <legend>The two points are of</legend>
    ${CASES.map(
      ({ id, label }) =>
        html`<label><input type="radio" name="roofline-case" value=${id} .checked=${id === chosen} @change=${() => onCase(id)}> ${label}</label>`,
    )}
  </fieldset>`;
}

/**
 * @param {Machine} machine
 * @param {(id: string) => void} onMachine
 */
function machineField(machine, onMachine) {
  const change = (/** @type {Event} */ event) =>
    onMachine(/** @type {HTMLSelectElement} */ (event.target).value);
  return html`<p>
    <label for="roofline-machine">Machine</label>
    <select id="roofline-machine" @change=${change}>
      ${CHIPS.map(({ id, name }) => html`<option value=${id} .selected=${id === machine.id}>${name}</option>`)}
    </select>
  </p>`;
}

/**
 * @param {Machine} machine
 * @param {Case} of
 */
function picture(machine, { passes }) {
  const ridge = ridgeOf(machine);
  const x = decadesOf([0.5, 20 * ridge, ...passes.map(({ work }) => work.intensity)]);
  const y = decadesOf([10 ** x[0] * machine.bandwidth, machine.flops]);
  const across = (/** @type {number} */ value) => `${hundredths(100 * along(value, x))}%`;
  const up = (/** @type {number} */ value) => hundredths(HEIGHT * (1 - along(value, y)));
  const powers = (/** @type {readonly [number, number]} */ [from, to]) =>
    Array.from({ length: to - from + 1 }, (_, more) => 10 ** (from + more));
  const top = up(machine.flops);
  const start = 10 ** x[0];
  const points = placed(
    passes.map(({ phase, work }) => ({ phase, ...work, ...reachOf(machine, work.intensity) })),
    up,
  );
  const label = passes
    .map(({ phase, work }) => `${phase} ${amount(work.intensity)} FLOPs per byte`)
    .join("; ");
  return html`<figure>
    <svg class="picture" height=${HEIGHT + 48} role="img" aria-label=${`Roofline of ${machine.name}, ridge at ${amount(ridge)}; ${label}`}>
      <text class="axis" x="-44" y="-14">FLOPs a second, at most</text>
      ${powers(x).map(
        (value) => svg`<line class="grid" x1=${across(value)} x2=${across(value)} y1="0" y2=${HEIGHT}></line>
          <text x=${across(value)} y=${HEIGHT + 18} text-anchor="middle">${words.whole(value) === "0" ? value : words.whole(value)}</text>`,
      )}
      ${powers(y).map(
        (value) => svg`<line class="grid" x1="0" x2="100%" y1=${up(value)} y2=${up(value)}></line>
          <text x="-8" y=${up(value) + 4} text-anchor="end">${measured(value, "")}</text>`,
      )}
      <text class="axis" x="100%" y=${HEIGHT + 38} text-anchor="end">FLOPs per byte read</text>
      <line class="ridge" x1=${across(ridge)} x2=${across(ridge)} y1=${top} y2=${HEIGHT}></line>
      <line class="roof" x1="0" y1=${up(start * machine.bandwidth)} x2=${across(ridge)} y2=${top}></line>
      <line class="roof" x1=${across(ridge)} y1=${top} x2="100%" y2=${top}></line>
      <text class="name" x=${across(ridge)} y=${HEIGHT - 8} dx="6">ridge ${amount(ridge)}</text>
      <text class="name" x="100%" y=${top + 18} text-anchor="end">${measured(machine.flops, "FLOP/s")}</text>
      <text class="name" x=${across(ridge / 6)} y=${up((ridge / 6) * machine.bandwidth) - 6} dx="-4" text-anchor="end">${measured(machine.bandwidth, "B/s")}</text>
      ${points.map(
        ({ phase, intensity, at, y, dx, anchor }) => svg`<g class=${phase}>
          ${
            phase === "prefill"
              ? svg`<circle cx=${across(intensity)} cy=${at} r="7"></circle>`
              : svg`<circle cx=${across(intensity)} cy=${at} r="7"></circle><circle cx=${across(intensity)} cy=${at} r="3.5"></circle>`
          }
          <text x=${across(intensity)} y=${y} dx=${dx} text-anchor=${anchor}>${phase} ${amount(intensity)}</text>
        </g>`,
      )}
    </svg>
    <figcaption class="caption">
      ${machine.name}: ${measured(machine.flops, "FLOP/s")}, ${measured(machine.bandwidth, "B/s")}; <a href=${machine.source}>its maker says</a>. ${machine.how} Both axes are logarithmic.
    </figcaption>
  </figure>`;
}

/**
 * Points and the places of their labels: on the slope to the right and below, on the flat roof above it; of two near one another
 * the second makes room for the first.
 * @template {{ flops: number, intensity: number, bound: string }} Point
 * @param {readonly Point[]} points
 * @param {(value: number) => number} up
 */
function placed(points, up) {
  const taken = { memory: Number.NEGATIVE_INFINITY, arithmetic: Number.POSITIVE_INFINITY };
  return [...points]
    .sort((one, other) => other.flops - one.flops)
    .map((point) => {
      const at = up(point.flops);
      if (point.bound === "memory") {
        taken.memory = Math.max(at + 18, taken.memory + 17);
        return { ...point, at, y: taken.memory, dx: 12, anchor: "start" };
      }
      taken.arithmetic = Math.min(at - 12, taken.arithmetic - 17);
      return { ...point, at, y: taken.arithmetic, dx: 12, anchor: "end" };
    });
}

/** Of a pixel, or of a per cent: no eye sees less. @param {number} value */
function hundredths(value) {
  return Number(value.toFixed(2));
}

/** FLOPs per byte, to three digits. @param {number} value */
function amount(value) {
  return value < 1000 ? String(Number(value.toPrecision(3))) : words.whole(value);
}

/**
 * The same in numbers.
 * @param {Machine} machine
 * @param {Case} of
 */
function table(machine, { passes }) {
  const columns = passes.map(({ work }) => ({
    work,
    reach: reachOf(machine, work.intensity),
    least: leastTimeOf(machine, work),
  }));
  /** @type {[string, string[]][]} */
  const rows = [
    ["tokens in", columns.map(({ work }) => words.whole(work.tokensIn))],
    ["FLOPs", columns.map(({ work }) => words.whole(work.flops))],
    ["bytes read", columns.map(({ work }) => words.whole(work.bytes))],
    ["FLOPs per byte", columns.map(({ work }) => amount(work.intensity))],
    ["of the peak, at most", columns.map(({ reach }) => words.percent(reach.share))],
    ["time, at least", columns.map(({ least }) => measured(least, "s"))],
    ["bound by", columns.map(({ reach }) => reach.bound)],
  ];
  return html`<div class="pane" tabindex="0" role="group" aria-label="Prefill and decode in numbers">
    <table>
      <thead>
        <tr><td></td>${passes.map(({ name, phase }) => html`<th scope="col" class=${`number ${phase}`}><span>${phase}</span><br>${name}</th>`)}</tr>
      </thead>
      <tbody>
        ${rows.map(
          ([head, cells]) =>
            html`<tr><th scope="row">${head}</th>${cells.map((text) => html`<td class="number">${text}</td>`)}</tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/**
 * Which side of the ridge each is on, and what that means.
 * @param {Machine} machine
 * @param {Case} of
 * @returns {string[]}
 */
function sentences(machine, { passes }) {
  const ridge = ridgeOf(machine);
  return passes.map(({ phase, work }) => {
    const { bound, share } = reachOf(machine, work.intensity);
    const head = `The ${phase} has ${amount(work.intensity)} FLOPs for each byte, `;
    return bound === "memory"
      ? `${head}less than the ${amount(ridge)} of the ridge: memory-bound. It waits for bytes, and at most ${words.percent(share)} of the arithmetic is used. `
      : `${head}the ${amount(ridge)} of the ridge or more: arithmetic-bound. The bytes come fast enough, and the arithmetic is the limit. `;
  });
}

/**
 * @param {Machine} machine
 * @param {Case} of
 */
function noteOn(machine, { config }) {
  const [four, two] = [4, 2].map((bytes) => tokensIn(tokensToRidge(config, machine, bytes)));
  return `With S tokens going in, each number that is read is used S times, for 2 FLOPs each time, and it has 4 bytes here: S\u00a0/\u00a02 FLOPs per byte, whatever the shape of the model. So a prefill reaches the ridge of the ${machine.name} with ${four}; with ${two} where a number has 2 bytes, as in bf16. One token in is 0.5, always.`;
}
