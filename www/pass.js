/**
 * The record of one forward pass: a row of the log. It holds copies only, and stays true after the loop has moved on.
 */

import { operationsOf } from "./flops.js";

/**
 * @typedef {object} SampledToken
 * @property {number} id
 * @property {string} text what it adds to the text; empty for end-of-text
 * @property {number} probability at temperature 1
 * @property {number} samplingProbability after the method
 */

/** @typedef {SampledToken} Candidate a token that could have come; `samplingProbability` is 0 if the method cut it */

/**
 * @typedef {object} Candidates
 * @property {number} kept
 * @property {readonly Candidate[]} list
 */

/**
 * @typedef {object} Stop
 * @property {"end-of-text" | "stop-string" | "max-tokens" | "context-full"} reason
 * @property {string} [match] the stop string that was completed
 */

/**
 * What the engine measured and counted in one pass.
 * @typedef {object} PassFields
 * @property {number} index
 * @property {"prefill" | "decode"} phase
 * @property {number} tokensIn
 * @property {number} contextLength
 * @property {number} flops
 * @property {number} flopsWithoutCache
 * @property {number} cacheBytes
 * @property {number | null} draw
 * @property {SampledToken} token
 * @property {Stop | null} stop
 * @property {number} milliseconds
 */

export class Pass {
  #config;
  #makeCandidates;
  /** @type {Candidates | undefined} */
  #candidates;

  /**
   * @param {PassFields} fields
   * @param {import("./flops.js").Config} config
   * @param {(other?: Partial<import("./settings.js").Sampling>) => Candidates | null} makeCandidates called without a method when
   *   they are first read, and never again
   */
  constructor(fields, config, makeCandidates) {
    /** Place in the log, from 1. */
    this.index = fields.index;
    /** The first pass is the prefill, every later one a decode. */
    this.phase = fields.phase;
    /** Tokens that went through the matrices: the prompt, then 1; all of them where nothing is cached. */
    this.tokensIn = fields.tokensIn;
    /** Tokens that the newest one could see, itself included. */
    this.contextLength = fields.contextLength;
    /** Cost of this pass, in FLOPs. */
    this.flops = fields.flops;
    /** Cost of the same pass when nothing is cached, in FLOPs. */
    this.flopsWithoutCache = fields.flopsWithoutCache;
    /** Bytes in the KV cache after this pass; 0 where nothing is cached. */
    this.cacheBytes = fields.cacheBytes;
    /** The random number in [0, 1) that picked the token; null when the method is greedy. */
    this.draw = fields.draw;
    /** What was sampled. */
    this.token = fields.token;
    /** The end of the run, if this pass brought it. */
    this.stop = fields.stop;
    /** Measured on this device: differs from run to run, and is no part of any equality. */
    this.milliseconds = fields.milliseconds;
    this.#config = config;
    this.#makeCandidates = makeCandidates;
    Object.freeze(this);
  }

  /** Where the FLOPs went, in the order in which the products run. */
  get operations() {
    return operationsOf(this.#config, this.tokensIn, this.contextLength);
  }

  #allCandidates() {
    this.#candidates ??= this.#makeCandidates() ?? { kept: 0, list: [] };
    return this.#candidates;
  }

  /**
   * The candidates of the same logits as another method would have left them, and how many it would have kept. Nothing is made
   * or drawn anew, and what is left out of `sampling` is as it was in this pass.
   * @param {Partial<import("./settings.js").Sampling>} sampling
   * @returns {Candidates | null} null where the logits are not at hand: those of a large vocabulary, or of a pass made in a worker
   * @throws {import("./errors.js").GenerationError} `invalid-setting`
   */
  under(sampling) {
    return this.#makeCandidates(sampling);
  }

  /**
   * Candidates for the token, most likely first: the whole vocabulary up to 1,024 tokens, the 1,024 most likely of a larger
   * one. Made when first read.
   */
  get candidates() {
    return this.#allCandidates().list;
  }

  /** How many tokens of the whole vocabulary the method left; the first of `candidates`. */
  get kept() {
    return this.#allCandidates().kept;
  }

  /** Everything, as plain data: for JSON, and for messages to workers, which copy no getters. */
  toJSON() {
    return { ...this, operations: this.operations, candidates: this.candidates };
  }
}
