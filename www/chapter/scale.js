/** The same question for real models on real chips: what bounds a pass, and how fast a reply can be at best. */

import { html, nothing, render } from "lit";
import { hasRoom, replyOf } from "./bounds.js";
import { CHIPS } from "./chips.js";
import { dataSize, duration, exact, inWords, percentage, readQuantity, rounded } from "./quantity.js";
import { choiceField, quantityField } from "./quantity-field.js";
import { parametersOf, SHAPES } from "./shapes.js";
import { count } from "./wording.js";

/** @typedef {import("./shapes.js").Shape} Shape */
/** @typedef {import("./chips.js").Chip} Chip */
/** @typedef {import("./bounds.js").Bounds} Bounds */
/** @typedef {ReturnType<typeof replyOf>} Reply */

/** @typedef {{ model: string, chip: string, bytes: string, prompt: string, reply: string }} Choices */

/**
 * A question that can be answered.
 * @typedef {{ shape: Shape, chip: Chip, bytes: number, prompt: number, reply: number }} Asked
 */

const FORMATS = [
  { id: "4", name: "4 (float32)" },
  { id: "2", name: "2 (float16, bfloat16)" },
  { id: "1", name: "1 (int8)" },
];

/** @type {Choices} */
const DEFAULTS = { model: "gpt2-xl", chip: "a100-80gb", bytes: "2", prompt: "800", reply: "200" };

/** The longest context of all. */
const MOST = Math.max(...SHAPES.map(({ config }) => config.n_positions));

/** @param {HTMLElement} place */
export function scale(place) {
  let choices = DEFAULTS;
  /** @type {Asked | null} */
  let asked = null;
  const draw = () => {
    const read = readChoices(choices);
    asked = read.asked ?? asked;
    render(
      html`
        ${fields(choices, read.errors, (changed) => {
          choices = { ...choices, ...changed };
          draw();
        })}
        ${asked ? answer(asked, read.asked === null) : nothing}
      `,
      place,
    );
  };
  place.replaceChildren();
  draw();
}

/**
 * @template {{ id: string }} T
 * @param {readonly T[]} list
 * @param {string} id
 */
const byId = (list, id) => list.find((entry) => entry.id === id) ?? list[0];

/**
 * @param {Choices} choices
 * @returns {{ asked: Asked | null, errors: { prompt?: string, reply?: string, room?: string } }}
 */
export function readChoices(choices) {
  const shape = byId(SHAPES, choices.model);
  const prompt = readQuantity(choices.prompt, { name: "Prompt tokens", least: 1, most: MOST, whole: true });
  const reply = readQuantity(choices.reply, { name: "Reply tokens", least: 1, most: MOST, whole: true });
  if (prompt.value === null || reply.value === null) {
    return {
      asked: null,
      errors: { prompt: prompt.error ?? undefined, reply: reply.error ?? undefined },
    };
  }
  if (!hasRoom(shape.config, prompt.value, reply.value)) {
    const tokens = exact(prompt.value + reply.value);
    const room = `Prompt and reply are ${tokens} tokens together; allowed: at most ${exact(shape.config.n_positions)}, the context of ${shape.name}`;
    return { asked: null, errors: { room } };
  }
  const asked = {
    shape,
    chip: byId(CHIPS, choices.chip),
    bytes: Number(choices.bytes),
    prompt: prompt.value,
    reply: reply.value,
  };
  return { asked, errors: {} };
}

/**
 * @param {Choices} choices
 * @param {ReturnType<typeof readChoices>["errors"]} errors
 * @param {(changed: Partial<Choices>) => void} onChange
 */
function fields(choices, errors, onChange) {
  const field = (/** @type {"prompt" | "reply"} */ name, /** @type {string} */ label) =>
    quantityField({
      id: `scale-${name}`,
      label,
      text: choices[name],
      error: errors[name] ?? errors.room,
      errorId: errors[name] === undefined ? "scale-room-error" : `scale-${name}-error`,
      onText: (text) => onChange({ [name]: text }),
    });
  return html`<div class="quantities">
      ${choiceField({
        id: "scale-model",
        label: "Model",
        options: SHAPES,
        chosen: choices.model,
        onChoice: (model) => onChange({ model }),
      })}
      ${choiceField({
        id: "scale-chip",
        label: "Chip",
        options: CHIPS,
        chosen: choices.chip,
        onChoice: (chip) => onChange({ chip }),
      })}
      ${choiceField({
        id: "scale-bytes",
        label: "Bytes per weight",
        options: FORMATS,
        chosen: choices.bytes,
        onChoice: (bytes) => onChange({ bytes }),
      })}
      <div class="pair">${field("prompt", "Prompt tokens")} ${field("reply", "Reply tokens")}</div>
    </div>
    <div class="errors">
      ${
        /** @type {const} */ (["prompt", "reply", "room"]).map((name) =>
          errors[name] === undefined
            ? nothing
            : html`<p class="error" id="scale-${name}-error">${errors[name]}</p>`,
        )
      }
    </div>`;
}

/**
 * @param {Asked} asked
 * @param {boolean} isStale whether the fields have come to say something else
 */
function answer(asked, isStale) {
  const { shape, chip, bytes, prompt, reply: replyTokens } = asked;
  const reply = replyOf({
    config: shape.config,
    chip,
    promptTokens: prompt,
    replyTokens,
    bytesPerWeight: bytes,
  });
  return html`<div class="results">
      <p class="combination">
        ${isStale ? html`<span class="error">Still of the last good input: </span>` : nothing}<strong
          >${shape.name}</strong
        >
        on <strong>${chip.name}</strong>, ${count(bytes, "byte", "bytes")} per weight,
        ${count(prompt, "prompt token", "prompt tokens")}, ${count(replyTokens, "reply token", "reply tokens")}
      </p>
      <p>${boundInWords(reply)}</p>
      <p class=${reply.fits ? "" : "misfit"}>${roomInWords(reply, chip)}</p>
      <div class="pane" tabindex="0" role="group" aria-label="One prefill and one decode">${passes(asked, reply)}</div>
      <p>${totalInWords(reply, replyTokens)}</p>
    </div>
    <p class="overview-title" id="scale-overview">All models on this chip, with these numbers</p>
    <div class="pane" tabindex="0" role="group" aria-labelledby="scale-overview">${overview(asked)}</div>
    ${notes(asked)}`;
}

/** @param {Reply} reply */
export function boundInWords({ prefill, decode, ridge }) {
  const pass = (/** @type {string} */ name, /** @type {Bounds} */ { intensity, boundBy }) =>
    `The ${name} does ${flopsInWords(intensity)} for each byte it reads: ${boundBy === "memory" ? "reading from memory" : "arithmetic"} holds it up.`;
  const idle = 1 - decode.arithmetic / decode.memory;
  const waits =
    decode.boundBy === "memory"
      ? ` In a decode the chip does no arithmetic for ${percentage(idle)} of the time.`
      : "";
  return `This chip can do ${rounded(ridge)} FLOPs in the time in which it reads one byte. ${pass("prefill", prefill)} ${pass("decode", decode)}${waits}`;
}

/** @param {number} flops */
function flopsInWords(flops) {
  const number = rounded(flops);
  return `${number} ${number === "1" ? "FLOP" : "FLOPs"}`;
}

/**
 * @param {Reply} reply
 * @param {Chip} chip
 */
export function roomInWords({ weightBytes, cacheBytes, neededBytes, fits, chips }, { memory }) {
  const needs = `${dataSize(weightBytes)} of weights and ${dataSize(cacheBytes)} of KV cache at its longest are ${dataSize(neededBytes)}`;
  return fits
    ? `${needs}, and fit into the ${dataSize(memory)} of memory.`
    : `${needs}, and do not fit into the ${dataSize(memory)} of memory: it would take at least ${exact(chips)} of these. The times are those of one that had the room.`;
}

/**
 * @param {Reply} reply
 * @param {number} replyTokens
 */
function totalInWords({ prefill, flops, decodes, decodeFlops, decodeSeconds, seconds }, replyTokens) {
  if (decodes === 0) return "The one token of the reply comes out of the prefill: there is no decode.";
  return `The whole reply: ${inWords(prefill.flops)} + ${inWords(decodeFlops)} = ${inWords(flops)} FLOPs in a prefill and ${count(decodes, "decode", "decodes")}. All ${exact(replyTokens)} tokens take at least ${duration(seconds)}, and ${percentage(decodeSeconds / seconds)} of that is decode.`;
}

/**
 * @param {Asked} asked
 * @param {Reply} reply
 */
function passes({ prompt }, { prefill, decode, ridge }) {
  /** @type {[head: string, cell: (bounds: Bounds) => unknown][]} */
  const rows = [
    ["FLOPs", ({ flops }) => inWords(flops)],
    ["Weights read", ({ weightBytes }) => dataSize(weightBytes)],
    ["KV cache read", ({ cacheBytes }) => dataSize(cacheBytes)],
    [`FLOPs per byte (the chip: ${rounded(ridge)})`, ({ intensity }) => rounded(intensity)],
    ["Time for the arithmetic", ({ arithmetic, boundBy }) => longer(arithmetic, boundBy === "arithmetic")],
    ["Time for reading memory", ({ memory, boundBy }) => longer(memory, boundBy === "memory")],
    ["Held up by", ({ boundBy }) => boundBy],
  ];
  return html`<table>
    <thead>
      <tr>
        <td></td>
        <th scope="col" class="number prefill">Prefill<small>${count(prompt, "token", "tokens")}</small></th>
        <th scope="col" class="number decode">One decode<small>token ${exact(prompt + 1)}</small></th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ([head, cell]) =>
          html`<tr>
            <th scope="row">${head}</th>
            <td class="number">${cell(prefill)}</td>
            <td class="number">${cell(decode)}</td>
          </tr>`,
      )}
      <tr>
        <th scope="row">At best</th>
        <td class="number">first token after ${duration(prefill.seconds)}</td>
        <td class="number">${rounded(1 / decode.seconds)} tokens per second</td>
      </tr>
    </tbody>
  </table>`;
}

/**
 * @param {number} seconds
 * @param {boolean} isLonger
 */
function longer(seconds, isLonger) {
  return isLonger ? html`<strong>${duration(seconds)}</strong>` : duration(seconds);
}

/** @param {Asked} asked */
function overview({ shape: chosen, chip, bytes, prompt, reply: replyTokens }) {
  return html`<table class="overview">
    <thead>
      <tr>
        <th scope="col">Model</th>
        <th scope="col" class="number">Parameters</th>
        <th scope="col" class="number">Weights and cache</th>
        <th scope="col">Fits</th>
        <th scope="col" class="number">First token after</th>
        <th scope="col" class="number">Tokens per second</th>
        <th scope="col" class="number">Reply takes</th>
      </tr>
    </thead>
    <tbody>
      ${SHAPES.map((shape) => {
        const { config, name } = shape;
        const parameters = html`<th scope="row">${name}</th>
          <td class="number">${inWords(parametersOf(config))}</td>`;
        if (!hasRoom(config, prompt, replyTokens))
          return html`<tr>
            ${parameters}
            <td colspan="5">its context of ${exact(config.n_positions)} tokens is too short</td>
          </tr>`;
        const reply = replyOf({
          config,
          chip,
          promptTokens: prompt,
          replyTokens,
          bytesPerWeight: bytes,
        });
        return html`<tr class=${shape === chosen ? "chosen" : ""}>
          ${parameters}
          <td class="number">${dataSize(reply.neededBytes)}</td>
          <td>${reply.fits ? "yes" : "no"}</td>
          <td class="number">${duration(reply.prefill.seconds)}</td>
          <td class="number">${rounded(1 / reply.decode.seconds)}</td>
          <td class="number">${duration(reply.seconds)}</td>
        </tr>`;
      })}
    </tbody>
  </table>`;
}

/** @param {Asked} asked */
function notes({ shape, chip }) {
  return html`<p class="note">
      All times are the least that are possible, for one reply at a time; real programs take longer. What does not fit is
      timed as if it did.
    </p>
    <details>
      <summary>What is counted, and where the figures are from</summary>
      <p class="note">
        FLOPs are those of the matrix products, two for each multiply-add, with the causal mask applied after the product
        and the head on every position. Norms, activations and softmax are left out. GPT-3’s attention is counted as dense;
        every other layer of it looks at less.
      </p>
      <p class="note">
        FLOPs per byte are as many as the tokens that go in, times 2, over the bytes per weight: a multiply-add for each token
        and each number that is read, be it of the weights or of the cache. So a decode does no more than two, in any model.
      </p>
      <p class="note">
        A pass reads every weight of its products once, and the keys and values of all that it sees: 2 × layers × tokens ×
        width numbers, of as many bytes as a weight. The few rows of the embeddings that it looks up, biases and norms are
        left out of what is read, and are in what must fit.
      </p>
      <p class="note">
        Arithmetic is counted at one rate for each chip, in the format given below, whatever the weights are stored in: as if
        they were converted on the way at no cost. In full float32 these GPUs are some 15 times slower.
      </p>
      <p class="note">
        <b>${shape.name}</b>: ${exact(parametersOf(shape.config))} parameters, computed from its shape and published as
        ${shape.published}: ${shape.config.n_layer} layers, ${shape.config.n_head} heads, width
        ${exact(shape.config.n_embd)}, inner width ${exact(shape.config.n_inner)}, ${exact(shape.config.vocab_size)} tokens
        in the vocabulary, a context of ${exact(shape.config.n_positions)}
        (<a href=${shape.source}>${shape.id === "gpt3" ? "Brown et al. 2020, table 2.1" : "model card and config.json"}</a>).
      </p>
      <p class="note"><b>${chip.name}</b>: ${rateInWords(chip)}. ${chip.how} <a href=${chip.source}>The vendor’s page</a>.</p>
    </details>`;
}

/** @param {Chip} chip */
function rateInWords({ flops, bandwidth, memory }) {
  const rate = flops >= 1e12 ? `${rounded(flops / 1e12)} TFLOP/s` : `${rounded(flops / 1e9)} GFLOP/s`;
  return `${rate}, ${dataSize(bandwidth)}/s, ${dataSize(memory)}`;
}
