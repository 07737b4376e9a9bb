/** The five steps of the job at a moment of the reader's run: what each says, and which is the one of now. It knows no DOM. */

import { flopsOf } from "../flops.js";
import { stopInWords } from "../format.js";
import { passesIn, tokensIn, words } from "./phrases.js";

/** @typedef {import("../run.js").Moment} Moment */
/** @typedef {import("./phrases.js").Phrase} Phrase */
/** @typedef {"tokenise" | "prefill" | "sample" | "decode" | "stop"} StepName */

/**
 * @typedef {object} Step
 * @property {string} title
 * @property {string} about what is done in it
 * @property {string} line of the reader's run
 * @property {string | null} [token] the newest, before the line
 * @property {boolean} made whether the run has come through it
 */

/**
 * @typedef {object} Job
 * @property {Readonly<Record<StepName, Step>>} steps
 * @property {StepName} current
 * @property {StepName[]} through those of the pass that was made last
 * @property {Phrase} said
 */

/** Of a stop string, so many characters are shown: the room for it is as large as it is. */
const MOST_MATCH = 16;

/**
 * Whether a run can begin, or has begun.
 * @param {Moment} moment
 */
export function isPossible({ next, prompt, most }) {
  return next !== "prefill" || (prompt.length > 0 && most > 0 && prompt.every(({ supported }) => supported));
}

/**
 * @param {Moment} now
 * @returns {Job}
 */
export function jobOf(now) {
  const { config, prompt, log, stop, most } = now;
  const length = log.length > 0 ? log[0].tokensIn : prompt.length;
  const last = log.at(-1);
  const possible = isPossible(now);
  const decode = last?.phase === "decode" ? last : undefined;
  /** @type {Job["steps"]} */
  const steps = {
    tokenise: {
      title: "Tokenise",
      about: "The prompt is cut into tokens.",
      line: possible ? tokensIn(length) : refusalOf(now),
      made: possible,
    },
    prefill: {
      title: "Prefill",
      about: "One pass takes them all in, and fills the cache.",
      line: possible
        ? costOf(length, log[0]?.flops ?? flopsOf(config, { phase: "prefill", length }))
        : "nothing goes in",
      made: log.length > 0,
    },
    sample: {
      title: "Sample",
      about: "One token is picked from the distribution that the pass ended with.",
      line: last ? words.percent(last.token.probability) : "one token a pass",
      token: last?.token.text ?? null,
      made: log.length > 0,
    },
    decode: {
      title: "Decode",
      about: "One pass takes that token in; those before it are in the cache.",
      line: decodeLineOf(now, length, decode),
      made: decode !== undefined,
    },
    stop: {
      title: "Stop",
      about: "The model says so, a stop string is complete, or there is no more room.",
      line: stop
        ? stopInWords(shortened(stop), length + log.length, words)
        : possible
          ? `${log.length > 0 ? "not yet: " : ""}at most ${passesIn(most)}`
          : "nothing has begun",
      made: stop !== null,
    },
  };
  return {
    steps,
    current: stop ? "stop" : last ? "sample" : "tokenise",
    through: last ? [last.phase, "sample"] : [],
    said: saidOf(now, possible),
  };
}

/**
 * @param {number} tokens
 * @param {number} flops
 */
function costOf(tokens, flops) {
  return `${tokensIn(tokens)} in, ${words.whole(flops)} FLOPs`;
}

/**
 * The newest decode; before the first what that will cost, if there is room for it.
 * @param {Moment} now
 * @param {number} length of the prompt
 * @param {import("../pass.js").Pass | undefined} decode
 */
function decodeLineOf(now, length, decode) {
  if (decode) return costOf(decode.tokensIn, decode.flops);
  if (!isPossible(now)) return "nothing goes in";
  if (now.stop !== null || now.most < 2) return "none in this run";
  return costOf(1, flopsOf(now.config, { phase: "decode", length: length + 1 }));
}

/** Why the prompt cannot be processed; the widget says it at length. @param {Moment} now */
function refusalOf({ prompt }) {
  if (prompt.length === 0) return "no token to process";
  const unknown = prompt.filter(({ supported }) => !supported).length;
  if (unknown > 0) return `${words.whole(unknown)} of ${words.whole(prompt.length)} not in the vocabulary`;
  return `${tokensIn(prompt.length)}: too many for a run`;
}

/** @param {import("../pass.js").Stop} stop */
function shortened({ reason, match = "" }) {
  const characters = Array.from(match);
  const end = characters.length > MOST_MATCH ? "…" : "";
  return { reason, match: characters.slice(0, MOST_MATCH).join("") + end };
}

/**
 * @param {Moment} now
 * @param {boolean} possible
 * @returns {Phrase}
 */
function saidOf({ log, stop, most }, possible) {
  const last = log.at(-1);
  if (!possible) return ["The prompt cannot be processed as it stands, so nothing begins."];
  if (!last) return ["Nothing has been processed yet. The first pass will be the prefill."];
  const went =
    last.phase === "prefill"
      ? ["the prompt"]
      : [/** @type {const} */ ({ token: log[log.length - 2].token.text })];
  const brought = [" went in, ", { token: last.token.text }, " was picked."];
  const place = `Pass ${last.index} of at most ${words.whole(most)}, `;
  return [place, `${last.phase}: `, ...went, ...brought, stop ? " The run is over." : ""];
}
