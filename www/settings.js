/**
 * What can be chosen for a run: names, defaults, and the one place where loose values (attributes, form fields, options)
 * become the strict ones that the core takes. A value that has no meaning here is an error with its name and the range.
 */

import { GenerationError, shown } from "./errors.js";

/** @typedef {"greedy" | "temperature" | "top-k" | "top-p"} Method */

/**
 * How the next token is chosen. Every method but greedy uses `temperature`; `topK` and `topP` belong to their own.
 * @typedef {object} Sampling
 * @property {Method} method
 * @property {number} temperature finite, at least 0; 0 means greedy
 * @property {number} topK a whole number, at least 0; 0, or at least the vocabulary size, keeps all
 * @property {number} topP 0 to 1; 0 keeps one token, 1 keeps all
 */

/** @type {readonly Method[]} */
export const METHODS = ["greedy", "temperature", "top-k", "top-p"];

/** @type {Readonly<Sampling>} */
export const DEFAULT_SAMPLING = Object.freeze({ method: "greedy", temperature: 1, topK: 8, topP: 0.9 });

/** The limit where none is given and the context is at least as long. */
export const DEFAULT_MAX_TOKENS = 32;

/** The largest seed: below it Number has every whole number. */
export const MAX_SEED = Number.MAX_SAFE_INTEGER;

const DECIMAL = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** Weights that are inside. */
export const MODELS = ["trained", "untrained"];

/** Stands between stop strings in the attribute and the field; no token of the built-in vocabulary has it. */
const STOP_SEPARATOR = "|";

/** Panels that the `hide` attribute can name. */
export const PANELS = [
  "model",
  "settings",
  "legend",
  "timeline",
  "log",
  "distribution",
  "cost",
  "cache",
  "share",
];

/**
 * @param {string} name
 * @param {unknown} value
 * @param {string} allowed
 * @returns {never}
 */
function refuse(name, value, allowed) {
  throw new GenerationError("invalid-setting", `${name} is ${shown(value)}; allowed: ${allowed}`);
}

/**
 * A number from a number or from decimal text.
 * @param {string} name
 * @param {unknown} value
 * @param {string} allowed
 * @param {(value: number) => boolean} isAllowed
 */
function numberFrom(name, value, allowed, isAllowed) {
  // Number() alone reads "" as 0 and "0x8" as 8.
  const number = typeof value === "string" && DECIMAL.test(value) ? Number(value) : value;
  return typeof number === "number" && isAllowed(number) ? number : refuse(name, value, allowed);
}

/** @param {unknown} value */
export function methodFrom(value) {
  const method = METHODS.find((known) => known === value);
  return method ?? refuse("sampling method", value, METHODS.join(", "));
}

/** @param {unknown} value */
export function temperatureFrom(value) {
  const allowed = "a finite number, at least 0";
  return numberFrom("temperature", value, allowed, (number) => Number.isFinite(number) && number >= 0);
}

/** @param {unknown} value */
export function topKFrom(value) {
  const allowed = `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`;
  return numberFrom("top-k", value, allowed, (number) => Number.isSafeInteger(number) && number >= 0);
}

/** @param {unknown} value */
export function topPFrom(value) {
  return numberFrom("top-p", value, "0 to 1", (number) => number >= 0 && number <= 1);
}

/**
 * A seed from a Number, a BigInt or decimal text; none from null or undefined.
 * @param {unknown} value
 * @returns {number | null}
 */
export function seedFrom(value) {
  if (value === null || value === undefined) return null;
  const allowed = `a whole number from 0 to ${MAX_SEED}`;
  // Through BigInt, because Number would round 2^53 + 1 to a seed that nobody gave.
  const digits = typeof value === "string" && /^\s*\d+\s*$/.test(value) ? BigInt(value) : value;
  const whole = typeof digits === "number" && Number.isSafeInteger(digits) ? BigInt(digits) : digits;
  if (typeof whole !== "bigint" || whole < 0n || whole > BigInt(MAX_SEED))
    return refuse("seed", value, allowed);
  return Number(whole);
}

/**
 * A seed from the system: 53 bits.
 * @throws {GenerationError} `no-entropy`
 */
export function anySeed() {
  try {
    const [high, low] = crypto.getRandomValues(new Uint32Array(2));
    return (high >>> 11) * 2 ** 32 + low;
  } catch (cause) {
    const message = "no random seed could be had from the system; set a seed";
    throw new GenerationError("no-entropy", message, { cause });
  }
}

/**
 * A length limit from a Number or decimal text; none (until the context is full) from null or "none".
 * @param {unknown} value
 * @returns {number | null}
 */
export function maxTokensFrom(value) {
  if (value === null || value === "none") return null;
  const allowed = "a whole number from 2 to the model's context, or none";
  return numberFrom("max-tokens", value, allowed, (number) => Number.isSafeInteger(number) && number >= 2);
}

/** @param {unknown} value */
export function cacheFrom(value) {
  return typeof value === "boolean" ? value : refuse("cache", value, "true, false");
}

/**
 * Stop strings from a list, or one from a string.
 * @param {unknown} value
 * @returns {string[]}
 */
export function stopFrom(value) {
  // Spread, for map alone would leave the holes of a list as they are.
  return (Array.isArray(value) ? [...value] : [value]).map((entry, index) => {
    if (typeof entry !== "string") return refuse(`stop string ${index + 1}`, entry, "a string");
    if (entry === "") {
      throw new GenerationError(
        "empty-stop-string",
        `stop string ${index + 1} is empty; at least one character is needed`,
      );
    }
    return entry;
  });
}

/**
 * Stop strings from the attribute or the field: `|` stands between two, `\n` for a newline; empty text means none.
 * @param {unknown} value
 * @returns {string[]}
 */
export function stopFromText(value) {
  if (typeof value !== "string") return stopFrom(value ?? []);
  if (value === "") return [];
  return stopFrom(value.replaceAll("\\n", "\n").split(STOP_SEPARATOR));
}

/**
 * The text that {@link stopFromText} reads back.
 * @param {readonly string[]} stop
 */
export function stopAsText(stop) {
  return stop.join(STOP_SEPARATOR).replaceAll("\n", "\\n");
}

/**
 * A switch from a boolean or an attribute: present means on, unless it says "false" or "off".
 * @param {string} name
 * @returns {(value: unknown) => boolean}
 */
export function switchFrom(name) {
  return (value) => {
    if (value === true || value === "" || value === "true" || value === "on" || value === name) return true;
    if (value === false || value === "false" || value === "off") return false;
    return refuse(name, value, "true, false, on, off");
  };
}

/**
 * Panels to hide, from a list or from text with spaces.
 * @param {unknown} value
 * @returns {string[]}
 */
export function panelsFrom(value) {
  const names = Array.isArray(value)
    ? value
    : String(value)
        .split(/[\s,]+/)
        .filter((name) => name !== "");
  return names.map((name) => (PANELS.includes(name) ? name : refuse("hide", name, PANELS.join(", "))));
}

/**
 * The strict form of a sampling option; what is left out takes its default.
 * @param {unknown} value
 * @param {Readonly<Sampling>} [base] what is left out takes its value from here
 * @returns {Readonly<Sampling>}
 */
export function samplingFrom(value, base = DEFAULT_SAMPLING) {
  if (typeof value !== "object" || value === null) {
    return refuse("sampling", value, "{ method, temperature, topK, topP }");
  }
  refuseUnknown("sampling", value, Object.keys(DEFAULT_SAMPLING));
  // What is undefined was left out, as everywhere in JavaScript.
  const given = Object.fromEntries(Object.entries(value).filter(([, number]) => number !== undefined));
  const { method, temperature, topK, topP } = { ...base, ...given };
  return Object.freeze({
    method: methodFrom(method),
    temperature: temperatureFrom(temperature),
    topK: topKFrom(topK),
    topP: topPFrom(topP),
  });
}

/**
 * A misspelt option must not pass for a default.
 * @param {string} what
 * @param {object} options
 * @param {readonly string[]} known
 */
export function refuseUnknown(what, options, known) {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    refuse(`${what} options`, options, `an object with ${known.join(", ")}`);
  }
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new GenerationError(
      "unknown-option",
      `${what} has no option ${shown(unknown)}; allowed: ${known.join(", ")}`,
    );
  }
}

/**
 * An option that may be left out, but not be something else.
 * @param {string} name
 * @param {unknown} value
 * @param {string} allowed
 * @param {boolean} isAllowed
 */
export function refuseOther(name, value, allowed, isAllowed) {
  if (value !== undefined && !isAllowed) refuse(name, value, allowed);
}

/**
 * The settings of the element, which are its attributes (in kebab-case) and its properties: what stands where nothing was
 * said, and how a value is read.
 * @type {Readonly<Record<string, { attribute: string, fallback: unknown, read: (value: unknown) => unknown }>>}
 */
export const ELEMENT_SETTINGS = Object.freeze({
  prompt: { attribute: "prompt", fallback: "the cat sat", read: promptFrom },
  model: { attribute: "model", fallback: "trained", read: modelFrom },
  sampling: { attribute: "sampling", fallback: DEFAULT_SAMPLING.method, read: methodFrom },
  temperature: { attribute: "temperature", fallback: DEFAULT_SAMPLING.temperature, read: temperatureFrom },
  topK: { attribute: "top-k", fallback: DEFAULT_SAMPLING.topK, read: topKFrom },
  topP: { attribute: "top-p", fallback: DEFAULT_SAMPLING.topP, read: topPFrom },
  seed: { attribute: "seed", fallback: null, read: seedFrom },
  stop: { attribute: "stop", fallback: Object.freeze(["."]), read: stopFromText },
  maxTokens: { attribute: "max-tokens", fallback: DEFAULT_MAX_TOKENS, read: maxTokensFrom },
  cache: { attribute: "cache", fallback: true, read: switchFrom("cache") },
  hide: { attribute: "hide", fallback: Object.freeze([]), read: panelsFrom },
  autoplay: { attribute: "autoplay", fallback: false, read: switchFrom("autoplay") },
  predict: { attribute: "predict", fallback: false, read: switchFrom("predict") },
});

/** Those that the loop of a model takes, in the order in which it must: the others belong to the element alone. */
export const OF_THE_LOOP = [
  "maxTokens",
  "prompt",
  "sampling",
  "temperature",
  "topK",
  "topP",
  "seed",
  "stop",
  "cache",
];

/** Those that belong to a whole run. */
export const OF_THE_RUN = ["model", "maxTokens", "prompt", "seed", "stop"];

/**
 * Whether a model is given by the address of its folder.
 * @param {unknown} value
 * @returns {value is string}
 */
export function isAddress(value) {
  return typeof value === "string" && /^(?:https?:|\.{0,2}\/)/i.test(value);
}

/**
 * A name or an address; a model of one's own is checked where it is read.
 * @param {unknown} value
 */
function modelFrom(value) {
  const isOwn = (typeof value === "object" && value !== null) || isAddress(value);
  if (isOwn || MODELS.some((name) => name === value)) return value;
  return refuse("model", value, `${MODELS.join(", ")}, the address of a folder, or { config, weights }`);
}

/** @param {unknown} value */
function promptFrom(value) {
  return typeof value === "string" ? value : refuse("prompt", value, "text");
}

/**
 * Token ids from whatever lists them. Read before the core is called: a caller's iterator may do anything.
 * @param {unknown} value
 * @param {string} name
 * @param {string} allowed
 * @returns {number[]}
 */
export function idsFrom(value, name, allowed) {
  const iterable = /** @type {Iterable<unknown>} */ (value);
  if (typeof iterable !== "object" || iterable === null || typeof iterable[Symbol.iterator] !== "function") {
    throw new GenerationError("invalid-setting", `${name} is ${shown(value)}; allowed: ${allowed}`);
  }
  const ids = [];
  for (const id of iterable) {
    if (typeof id !== "number") {
      throw new GenerationError(
        "invalid-setting",
        `${name} holds ${shown(id)}; allowed: token ids, which are numbers`,
      );
    }
    ids.push(id);
  }
  return ids;
}

/** @param {Readonly<import("./settings.js").Sampling>} sampling */
export const isGreedy = ({ method, temperature }) => method === "greedy" || temperature === 0;

/**
 * Whether two choices come to the same: numbers that a method does not use do not count.
 * @param {Readonly<import("./settings.js").Sampling>} one
 * @param {Readonly<import("./settings.js").Sampling>} other
 */
export function sameChoice(one, other) {
  if (isGreedy(one) && isGreedy(other)) return true;
  return (
    one.method === other.method &&
    one.temperature === other.temperature &&
    (one.method !== "top-k" || one.topK === other.topK) &&
    (one.method !== "top-p" || one.topP === other.topP)
  );
}
