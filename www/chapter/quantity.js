/** Quantities as they are typed and read in English; what cannot be used is an error with its value and the range. It knows no DOM. */

/**
 * What a field takes.
 * @typedef {object} Range
 * @property {string} name as it is called beside its field
 * @property {number} least
 * @property {number} most
 * @property {boolean} [whole]
 * @property {string} [unit]
 */

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** As this page writes thousands. */
const GROUPED = /^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/;

/**
 * @param {string} text
 * @param {Range} range
 * @returns {{ value: number, error: null } | { value: null, error: string }}
 */
export function readQuantity(text, { name, least, most, whole = false, unit = "" }) {
  const typed = text.trim();
  const digits = GROUPED.test(typed) ? typed.replaceAll(",", "") : typed;
  // Number() alone reads "" as 0 and "0x8" as 8. Adding 0 leaves no negative zero.
  const value = DECIMAL.test(digits) ? Number(digits) + 0 : Number.NaN;
  if (value >= least && value <= most && (!whole || Number.isInteger(value))) return { value, error: null };
  const found = typed === "" ? "is empty" : `is “${shortened(typed)}”`;
  const kind = whole ? "a whole number" : "a number";
  const allowed = `${kind} from ${exact(least)} to ${exact(most)}${unit && ` ${unit}`}`;
  return { value: null, error: `${name} ${found}; allowed: ${allowed}` };
}

/** An error is no place for a page of text. @param {string} text */
function shortened(text) {
  const characters = [...text];
  return characters.length > 24 ? `${characters.slice(0, 24).join("")}…` : text;
}

/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/**
 * @param {string} key
 * @param {Intl.NumberFormatOptions} options
 */
function formatOf(key, options) {
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.NumberFormat("en", options);
  formats.set(key, made);
  return made;
}

/** As exact as a Number is, but for what its last digits have of binary fractions. @param {number} value */
export function exact(value) {
  return formatOf("exact", { maximumSignificantDigits: 12 }).format(value);
}

/** Three digits that say something, or all of a larger whole number. @param {number} value */
export function rounded(value) {
  return formatOf("rounded", {
    maximumSignificantDigits: 3,
    maximumFractionDigits: 0,
    roundingPriority: "morePrecision",
  }).format(value);
}

/** 0 to 1 as a percentage; what is not quite nothing, or not quite all, is not called so. @param {number} share */
export function percentage(share) {
  if (share > 0 && share < 0.0005) return "less than 0.1%";
  if (share < 1 && share >= 0.9995) return "more than 99.9%";
  return formatOf("percentage", { style: "percent", maximumFractionDigits: 1 }).format(share);
}

/** Millions and more in words. @param {number} value */
export function inWords(value) {
  return formatOf("words", {
    notation: "compact",
    compactDisplay: "long",
    maximumSignificantDigits: 3,
  }).format(value);
}

/**
 * A number is not parted from its unit at the end of a line.
 * @param {string} number
 * @param {string} unit
 */
function together(number, unit) {
  return `${number}\u00a0${unit}`;
}

/** @typedef {readonly (readonly [size: number, name: string])[]} Units largest first */

/**
 * The largest unit of which a value has at least this much; the smallest for what is smaller still.
 * @param {number} value
 * @param {Units} units
 * @param {number} [atLeast]
 */
function unitFor(value, units, atLeast = 1) {
  return units.find(([size]) => value >= size * atLeast) ?? units[units.length - 1];
}

/** A tenth of a second is still a matter of seconds to a reader, and no time at all is none of nanoseconds. @param {number} seconds */
function unitOfTime(seconds) {
  return seconds === 0 ? TIMES[0] : unitFor(seconds, TIMES, 0.1);
}

/** @type {Units} */
const TIMES = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
  [1e-9, "ns"],
];

/** @type {Units} */
const SIZES = [
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
  [1, "bytes"],
];

/** @param {number} seconds */
export function duration(seconds) {
  const [size, name] = unitOfTime(seconds);
  return together(rounded(seconds / size), name);
}

/**
 * Times that stand side by side, in one unit.
 * @param {readonly number[]} seconds
 */
export function durations(seconds) {
  const [size, name] = unitOfTime(Math.max(...seconds));
  return seconds.map((value) => together(exact(value / size), name));
}

/** @param {number} bytes */
export function dataSize(bytes) {
  const [size, name] = unitFor(bytes, SIZES);
  return together(rounded(bytes / size), name);
}
