/** What a reader expects of the next pass, and how often it came so. It knows no DOM. */

import { GenerationError, shown } from "./errors.js";
import { readPrompt } from "./prompt.js";

/** @typedef {import("./pass.js").Pass} Pass */

/**
 * A guess and what came of it.
 * @typedef {object} Verdict
 * @property {string} guess a token's text, or FLOPs as digits
 * @property {boolean} right
 */

/** @typedef {{ pass: Pass, token: Verdict | null, flops: Verdict | null }} Outcome */

/** Digits, with or without separators between each three. */
const FLOPS = /^(?:\d{1,3}(?:[\s.,'’]\d{3})+|\d{1,15})$/;

export class Predictions {
  /** As typed. */
  guesses = { token: "", flops: "" };
  /** What was guessed last, and came. @type {Outcome | null} */
  last = null;
  /** Of all guesses so far: right ones, and all. */
  score = { right: 0, all: 0 };
  /** What is wrong with a guess. @type {string | null} */
  error = null;
  /** What is expected of the pass that is being made. @type {{ token: string | null, flops: number | null }} */
  #expected = { token: null, flops: null };

  /**
   * Takes the guesses as they are typed; a pass may be made then.
   * @param {import("./run.js").Loop} loop
   * @param {Readonly<Record<string, string>>} spoken names of tokens that cannot be seen
   * @throws {GenerationError} `invalid-guess`; no pass should be made then
   */
  commit(loop, spoken) {
    const { token, flops } = this.guesses;
    try {
      this.#expected = {
        token: token === "" ? null : tokenFrom(token, loop, spoken),
        flops: flops.trim() === "" ? null : flopsFrom(flops.trim()),
      };
    } catch (error) {
      this.error = /** @type {Error} */ (error).message;
      throw error;
    }
  }

  /**
   * @param {"token" | "flops"} name
   * @param {string} text as typed
   */
  guess(name, text) {
    this.guesses[name] = text;
    this.error = null;
  }

  /** What came. @param {Pass} pass */
  reveal(pass) {
    const { token, flops } = this.#expected;
    const verdicts = {
      token: token === null ? null : { guess: token, right: token === pass.token.text },
      flops: flops === null ? null : { guess: String(flops), right: flops === pass.flops },
    };
    this.#expected = { token: null, flops: null };
    this.guesses = { token: "", flops: "" };
    this.error = null;
    const made = [verdicts.token, verdicts.flops].filter((verdict) => verdict !== null);
    this.last = made.length === 0 ? null : { pass, ...verdicts };
    this.score.all += made.length;
    this.score.right += made.filter(({ right }) => right).length;
  }
}

/**
 * The text of one token: as it is, or by its name.
 * @param {string} typed
 * @param {import("./run.js").Loop} loop
 * @param {Readonly<Record<string, string>>} spoken
 */
function tokenFrom(typed, loop, spoken) {
  const name = typed.trim().toLowerCase();
  const named = Object.keys(spoken).find((text) => spoken[text].toLowerCase() === name);
  if (named !== undefined) return named;
  // A limit of two tokens has room for one.
  const { tokens, refused } = readPrompt(loop, typed, 2);
  if (refused === null && tokens.length === 1) return tokens[0].text;
  throw new GenerationError(
    "invalid-guess",
    `the token guessed is ${shown(typed)}; allowed: one token of this model's vocabulary, or its name, as "${spoken[" "]}"`,
  );
}

/** @param {string} typed */
function flopsFrom(typed) {
  if (FLOPS.test(typed)) return Number(typed.replace(/\D/g, ""));
  throw new GenerationError(
    "invalid-guess",
    `the FLOPs guessed are ${shown(typed)}; allowed: a whole number, at least 0`,
  );
}
