/** The chapter's formulas, filled in: what each is worth for a prompt, or for a run as far as it is on the screen. */

import { operationsOf, totalOf } from "../flops.js";

/** @typedef {import("../flops.js").Config} Config */

/**
 * A pass, as far as the formulas go.
 * @typedef {Pick<import("../pass.js").Pass, "index" | "phase" | "tokensIn" | "contextLength" | "cacheBytes" | "token">} Shown
 */

/**
 * @typedef {object} State
 * @property {Config} config
 * @property {number} tokens of the prompt, at least 1
 * @property {readonly Shown[]} log passes up to the moment that is shown
 */

/** All digits. Past what a number holds exactly, only those that are right. @param {number} value */
export function whole(value) {
  if (Number.isSafeInteger(value)) return value.toLocaleString("en");
  return `about ${Number(value.toPrecision(15)).toLocaleString("en")}`;
}

/** Breaks between the terms of a sum, never inside one. @param {readonly (string | number)[]} factors */
function product(...factors) {
  return factors.map((factor) => (typeof factor === "number" ? whole(factor) : factor)).join("\u00a0×\u00a0");
}

/**
 * What a pass costs, written out: S tokens go in, and the newest sees T. Where they are the same it is a prefill.
 * @param {Config} config
 * @param {number} s
 * @param {number} t
 */
export function filledIn({ n_layer: l, n_embd: d, n_inner: f, vocab_size: v }, s, t) {
  const square = (/** @type {number} */ value) => `${whole(value)}²`;
  // A decode's formula has no S: it is 1.
  const [attention, ins] = s === t ? [[square(s)], [s]] : [[t], []];
  const sum = [product(8, ...ins, square(d)), product(4, ...attention, d), product(4, ...ins, d, f)].join(
    " + ",
  );
  return `${whole(l)}\u00a0×\u00a0(${sum}) + ${product(2, ...ins, d, v)}`;
}

/**
 * All values that stand in the text, by name.
 * @param {State} state
 * @returns {Record<string, string>}
 */
export function valuesOf({ config, tokens, log }) {
  const { n_layer: l, n_embd: d, n_inner: f, vocab_size: v } = config;
  const [first, last] = [log[0], log[log.length - 1]];
  const s = first?.tokensIn ?? tokens;
  const decode = last?.phase === "decode" ? last : null;
  const [ins, t] = decode ? [decode.tokensIn, decode.contextLength] : [1, s + 1];
  const isAll = ins === t && decode !== null;
  const total = (/** @type {[number, number]} */ ...of) => whole(totalOf(config, ...of));
  /** @type {Record<string, string>} */
  const values = {
    sizes: Object.entries({ L: l, D: d, F: f, V: v })
      .map(([letter, size]) => `${letter}\u00a0=\u00a0${whole(size)}`)
      .join(", "),
    "prefill-what": `${log.length === 0 ? "The prompt as it stands" : "Pass 1 of your run"}, S = ${whole(s)}:`,
    prefill: `${filledIn(config, s, s)} = ${total(s, s)}`,
    "decode-what": `${decode ? `Pass ${decode.index} of your run` : "The pass after it"}, T = ${whole(t)}${isAll ? ", without the cache, costs what a prefill of all its tokens would" : ""}:`,
    decode: `${filledIn(config, ins, t)} = ${total(ins, t)}`,
    "prefill-head": `S = T = ${whole(s)}`,
    "decode-head": `S = ${whole(ins)}, T = ${whole(t)}`,
    "prefill-total": total(s, s),
    "decode-total": total(ins, t),
    ...cacheValues(config, s, last),
    one: total(1, 1),
    many: `prefill(${whole(s)}) = ${product(s, totalOf(config, 1, s))} = ${total(s, s)}`,
  };
  operationsOf(config, s, s).forEach(({ name, flops }) => {
    values[`${keyOf(name)}-prefill`] = whole(flops);
  });
  operationsOf(config, ins, t).forEach(({ name, flops }) => {
    values[`${keyOf(name)}-decode`] = whole(flops);
  });
  return values;
}

/** @param {string} name of an operation */
function keyOf(name) {
  return name.replaceAll(" ", "-");
}

/**
 * @param {Config} config
 * @param {number} s
 * @param {Shown | undefined} last
 */
function cacheValues({ n_layer: l, n_embd: d }, s, last) {
  const t = last?.contextLength ?? s;
  const what = last === undefined ? "After the prefill" : `After pass ${last.index} of your run`;
  if (last?.cacheBytes === 0) return { "cache-what": `${what}, the cache is off:`, cache: "0 bytes" };
  const bytes = 2 * l * t * d * 4;
  return {
    "cache-what": `${what}, T = ${whole(t)}:`,
    cache: `${product(2, l, t, d, 4)} = ${whole(bytes)} bytes`,
  };
}

/** The most factors of a product that are written out. */
const MOST_FACTORS = 6;

/**
 * What the model thought of the text that was written: the product of its tokens' probabilities.
 * @param {readonly Shown[]} log at least one pass
 */
export function probabilityOf(log) {
  const each = log.map(({ token }) => token.probability);
  // A long product is too small for a number.
  const exponent = each.reduce((sum, probability) => sum + Math.log10(probability), 0);
  const written = each.slice(0, each.length > MOST_FACTORS ? MOST_FACTORS - 1 : MOST_FACTORS).map(decimal);
  if (each.length > MOST_FACTORS) written.push("…", decimal(each[each.length - 1]));
  const count = each.length === 1 ? "1 token" : `${whole(each.length)} tokens`;
  return each.length === 1
    ? `${written[0]}, over ${count}`
    : `${written.join(" × ")} ≈ ${powerOfTen(exponent)}, over ${count}`;
}

/** The most digits of a probability near 1. */
const MOST_DIGITS = 4;

/** The temperatures that a token is shown at. */
const TEMPERATURES = [0.5, 1, 2];

/**
 * A token's probability at several temperatures, as the engine computes them; at 1 alone where it has no logits any more.
 * @param {Pick<import("../pass.js").Pass, "token" | "under">} pass
 */
export function temperaturesOf(pass) {
  const { id, text, probability } = pass.token;
  const symbol = text === "" ? "eos" : text.replace(" ", "␣").replace("\n", "⏎");
  const at = TEMPERATURES.flatMap((temperature) => {
    if (temperature === 1) return [`${decimal(probability)} at 1`];
    const under = pass.under({ method: "temperature", temperature });
    const found = under?.list.find((candidate) => candidate.id === id);
    return found ? [`${decimal(found.samplingProbability)} at ${temperature}`] : [];
  });
  const listed = at.length > 1 ? `${at.slice(0, -1).join(", ")} and ${at[at.length - 1]}` : at[0];
  return `“${symbol}” has ${listed}`;
}

/**
 * A probability with three decimals; near 1 with as many as it takes to tell it from 1. What is not 0 never reads as 0.
 * @param {number} value
 */
export function decimal(value) {
  if (value === 0 || value === 1) return String(value);
  if (value < 0.001) return powerOfTen(Math.log10(value));
  const digits = Math.min(Math.max(Math.ceil(-Math.log10(1 - value)), 3), MOST_DIGITS);
  const rounded = value.toFixed(digits);
  return rounded.startsWith("1") ? `0.${"9".repeat(digits)}` : rounded;
}

/** Ten to this power, with two digits where it is small. @param {number} exponent */
function powerOfTen(exponent) {
  if (exponent === Number.NEGATIVE_INFINITY) return "0";
  if (exponent >= -3) return (10 ** exponent).toFixed(3);
  let power = Math.floor(exponent);
  let digits = (10 ** (exponent - power)).toFixed(1);
  if (digits === "10.0") [power, digits] = [power + 1, "1.0"];
  const raised = Array.from(String(-power), (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");
  return `${digits}\u00a0×\u00a010⁻${raised}`;
}
