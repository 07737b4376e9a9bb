/**
 * A run as a link: all it takes to make the run again, in the fragment of an address, which browsers send to no server.
 *
 * A link may come from anybody. It is read as strictly as an attribute, and if anything in it has no meaning, nothing of it is
 * used. What it says is text and numbers; the one thing that could make the page fetch something, the address of a model, has
 * no place in it.
 */

import { GenerationError } from "./errors.js";
import { complaint, MOST_PROBLEMS, partsOf, READABLE, short, textOf } from "./query.js";
import { ELEMENT_SETTINGS, MODELS } from "./settings.js";

/** @typedef {import("./run.js").PassSettings} PassSettings */
/** @typedef {import("./settings.js").Sampling} Sampling */

/**
 * Settings in their strict forms, under the names of the element's properties.
 * @typedef {object} LinkedSettings
 * @property {string} prompt
 * @property {unknown} model only the names of `MODELS` have a place in a link
 * @property {Sampling["method"]} sampling
 * @property {number} temperature
 * @property {number} topK
 * @property {number} topP
 * @property {number} seed the one in use: without it there would be no run to repeat
 * @property {readonly string[]} stop
 * @property {number | null} maxTokens
 * @property {boolean} cache
 * @property {readonly string[]} hide
 * @property {boolean} predict
 */

/**
 * What a link says. With a problem there are no settings and no passes.
 * @typedef {object} LinkState
 * @property {LinkedSettings | null} settings as they are after the last pass: what the next one would be made with
 * @property {PassSettings[]} passes how each pass was made, as `Run.replay` takes them
 * @property {number} pass the one that was reached, so the length of `passes`; 0: the prompt alone
 * @property {string[]} problems what is wrong, in English as all errors are
 */

const START = "#generation-loop?";

/** Longer addresses are cut by what people paste them into. */
const MOST_CHARACTERS = 8192;

/** The models that are inside see 128 tokens: at least one is the prompt's, and each pass brings another. */
const MOST_PASSES = 127;

/** Whether it begins to run by itself is not for a link to say. */
const NAMES = Object.keys(ELEMENT_SETTINGS).filter((name) => name !== "autoplay");

/** What can change from pass to pass, in the order in which a link has it. */
const OF_A_PASS = ["sampling", "temperature", "topK", "topP", "cache"];

const KEYS = [...NAMES.map((name) => ELEMENT_SETTINGS[name].attribute), "pass", "then"];

/** @param {string} name @param {Record<string, any>} settings */
function written(name, settings) {
  // As text `|` stands between two and `\n` is a newline. No token of the models inside has a bar or a backslash, so a string
  // with one never ends a run; split in two, it might.
  const isWritten = (/** @type {string} */ string) => !/[|\\]/.test(string);
  return textOf(name, name === "stop" ? settings.stop.filter(isWritten) : settings[name]);
}

/**
 * The address of a run, which opens the page at the pass that was reached.
 * @param {string} address of the page; a fragment that it has is replaced
 * @param {{ settings: LinkedSettings, passes: readonly PassSettings[] }} state as {@link stateOf} gives it back
 * @returns {string | null} null where no link can hold the run: the model is one's own, or the prompt as long as a book
 */
export function linkOf(address, { settings, passes }) {
  if (!MODELS.some((name) => name === settings.model)) return null;
  // What comes after the last pass may be another method already.
  const all = [
    ...passes.map(({ sampling: { method, ...numbers }, cache }) => ({ sampling: method, ...numbers, cache })),
    settings,
  ];
  const first = { ...settings, ...all[0] };
  const query = new URLSearchParams(
    NAMES.map((name) => [ELEMENT_SETTINGS[name].attribute, written(name, first)]),
  );
  query.set("pass", String(passes.length));
  const methods = all.map((one) => OF_A_PASS.map((name) => written(name, one)).join("_"));
  const changes = methods.flatMap((method, index) =>
    index > 0 && method !== methods[index - 1] ? [`${index + 1}_${method}`] : [],
  );
  // Last, so that no link ends on a full stop, which most programs would leave out of it.
  if (changes.length > 0) query.set("then", changes.join(" "));
  const fragment = START + query;
  return fragment.length > MOST_CHARACTERS ? null : address.replace(/#.*/s, "") + fragment;
}

/**
 * What a link says.
 * @param {string} address
 * @returns {LinkState | null} null where the fragment is none of ours; never throws
 */
export function stateOf(address) {
  const at = typeof address === "string" ? address.indexOf("#") : -1;
  if (at < 0 || !address.startsWith(START, at)) return null;
  const { texts, problems } = textsOf(address.slice(at));

  /**
   * @template T
   * @param {string} key
   * @param {(text: string) => T} from
   * @param {T} fallback
   */
  const read = (key, from, fallback) => {
    const text = texts.get(key);
    if (text === undefined) return fallback;
    try {
      return from(text);
    } catch (error) {
      problems.push(complaint(key, text, error));
      return fallback;
    }
  };
  /** @type {any} */
  let settings = {};
  for (const name of NAMES) {
    const { attribute, fallback, read: from } = ELEMENT_SETTINGS[name];
    settings[name] = read(attribute, name === "model" ? modelFrom : from, fallback);
  }
  if (problems.length === 0 && settings.seed === null) {
    problems.push("seed is missing; needed: the one that makes the run the same again");
  }
  const pass = read("pass", (text) => wholeFrom(text, 0, MOST_PASSES), 0);
  const changes = read("then", (text) => changesFrom(text, pass), []);
  if (problems.length > 0) {
    return { settings: null, passes: [], pass: 0, problems: problems.slice(0, MOST_PROBLEMS) };
  }

  const passes = [];
  for (let index = 1; index <= pass + 1; index += 1) {
    settings = { ...settings, ...changes[index] };
    const { sampling: method, temperature, topK, topP, cache } = settings;
    if (index <= pass) passes.push({ sampling: { method, temperature, topK, topP }, cache });
  }
  return { settings, passes, pass, problems };
}

/**
 * The texts of a fragment by their keys, and what is wrong with the fragment itself.
 * @param {string} fragment
 */
function textsOf(fragment) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  /** @type {string[]} */
  const problems = [];
  if (fragment.length > MOST_CHARACTERS) {
    problems.push(`the link has ${fragment.length} characters; allowed: at most ${MOST_CHARACTERS}`);
    return { texts, problems };
  }
  for (const { part, pair } of partsOf(fragment.slice(START.length))) {
    if (pair === null) {
      problems.push(problem("a part", part, READABLE));
      continue;
    }
    const [key, text] = pair;
    if (!KEYS.includes(key)) problems.push(problem(short(key), text, `allowed: ${KEYS.join(", ")}`));
    else if (texts.has(key)) problems.push(problem(`a second ${key}`, text, "allowed: one"));
    else texts.set(key, text);
  }
  return { texts, problems };
}

/** @param {string} what @param {string} text @param {string} allowed */
const problem = (what, text, allowed) => `${what} is ${short(text)}; ${allowed}`;

/**
 * @param {string} allowed
 * @returns {never}
 */
function refuse(allowed) {
  throw new GenerationError("invalid-link", `allowed: ${allowed}`);
}

/** @param {string} text */
function modelFrom(text) {
  return MODELS.includes(text) ? text : refuse(MODELS.join(", "));
}

/**
 * @param {string} text
 * @param {number} least
 * @param {number} most
 */
function wholeFrom(text, least, most) {
  const isAllowed = /^\d{1,3}$/.test(text) && Number(text) >= least && Number(text) <= most;
  return isAllowed ? Number(text) : refuse(`a whole number from ${least} to ${most}`);
}

/**
 * Changes of method in mid-run, in order: the pass from which on, and what holds from there, with `_` between, which numbers do
 * not have; a space between two changes.
 * @param {string} text
 * @param {number} pass the last one; the change after it is for the one that would be next
 * @returns {Record<string, unknown>[]} by their pass
 */
function changesFrom(text, pass) {
  /** @type {Record<string, unknown>[]} */
  const changes = [];
  try {
    for (const change of text === "" ? [] : text.split(" ")) {
      const [index, ...values] = change.split("_");
      if (values.length !== OF_A_PASS.length) refuse("all of them");
      changes[wholeFrom(index, Math.max(changes.length, 2), pass + 1)] = Object.fromEntries(
        OF_A_PASS.map((name, at) => [name, ELEMENT_SETTINGS[name].read(values[at])]),
      );
    }
  } catch {
    refuse(`changes like 3_top-k_0.8_8_0.9_on, a space between two, in the order of passes 2 to ${pass + 1}`);
  }
  return changes;
}
