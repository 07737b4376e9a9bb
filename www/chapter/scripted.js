/**
 * The engine's own loop over a model that is made to write a reply of a given length: how many passes a reply takes is
 * counted, and not looked up.
 */

import { GenerationLoop } from "../engine.js";

/** @typedef {import("../engine.js").Checkpoint} Checkpoint */
/** @typedef {{ phase: "prefill" | "decode", tokensIn: number, token: { id: number } }} PassMade */

/**
 * A run as it is asked for.
 * @typedef {object} Plan
 * @property {number} prompt tokens in the prompt, at least 1
 * @property {number} reply tokens of the reply, without end-of-text
 * @property {"end-of-text" | "max-tokens"} end what ends it: end-of-text after the reply, or the length limit with its last token
 */

/**
 * Passes of one phase, one after another, that bring the same kind of token.
 * @typedef {object} Stretch
 * @property {"prefill" | "decode"} phase
 * @property {number} passes
 * @property {number} tokensIn tokens that each of them takes in
 * @property {number} first place in the reply of the token that the first of them brings, counted from 1
 * @property {boolean} ends whether what they bring is end-of-text
 */

/**
 * What a run has come to.
 * @typedef {object} Counted
 * @property {number} passes
 * @property {Stretch[]} stretches
 */

const END_OF_TEXT = 0;
const LETTER = 1;

/** Two numbers for each token are the least that the last LayerNorm, which takes the mean away, leaves a difference in. */
const WIDTH = 2;

/**
 * A model that writes `reply` tokens after a prompt of `prompt`, and from then on end-of-text, or never that. Attention and the
 * MLP are zero and add nothing, and so are the token embeddings: only the position is left, and it says which of two tokens
 * comes next.
 * @param {Plan} plan
 * @returns {Checkpoint}
 */
export function scripted({ prompt, reply, end }) {
  const positions = prompt + reply + 1;
  const last = end === "end-of-text" ? prompt - 1 + reply : positions;
  /** @param {...number} shape */
  const zeros = (...shape) => ({
    shape,
    data: new Float32Array(shape.reduce((product, side) => product * side, 1)),
  });
  const position = zeros(positions, WIDTH);
  for (let place = 0; place < positions; place += 1) {
    position.data.set(place < last ? [-1, 1] : [1, -1], WIDTH * place);
  }
  return {
    config: {
      n_layer: 1,
      n_head: 1,
      n_embd: WIDTH,
      n_inner: 1,
      vocab_size: 2,
      n_positions: positions,
      tie_word_embeddings: false,
      eos_token_id: END_OF_TEXT,
    },
    weights: {
      "wte.weight": zeros(2, WIDTH),
      "wpe.weight": position,
      "h.0.ln_1.weight": zeros(WIDTH),
      "h.0.ln_1.bias": zeros(WIDTH),
      "h.0.attn.c_attn.weight": zeros(WIDTH, 3 * WIDTH),
      "h.0.attn.c_attn.bias": zeros(3 * WIDTH),
      "h.0.attn.c_proj.weight": zeros(WIDTH, WIDTH),
      "h.0.attn.c_proj.bias": zeros(WIDTH),
      "h.0.ln_2.weight": zeros(WIDTH),
      "h.0.ln_2.bias": zeros(WIDTH),
      "h.0.mlp.c_fc.weight": zeros(WIDTH, 1),
      "h.0.mlp.c_fc.bias": zeros(1),
      "h.0.mlp.c_proj.weight": zeros(1, WIDTH),
      "h.0.mlp.c_proj.bias": zeros(WIDTH),
      "ln_f.weight": { shape: [WIDTH], data: [1, 1] },
      "ln_f.bias": zeros(WIDTH),
      // A row a token: each likes the positions that are as it is.
      "lm_head.weight": { shape: [2, WIDTH], data: [1, -1, -1, 1] },
    },
  };
}

/**
 * Makes the run, to its end.
 * @param {Plan} plan
 * @returns {Promise<Counted>}
 * @throws {import("../engine.js").GenerationError} (as a rejection) `wasm-unavailable`, and whatever else a run can meet
 */
export async function counted(plan) {
  const { prompt, reply, end } = plan;
  const maxTokens = end === "max-tokens" ? prompt + reply : null;
  const loop = await GenerationLoop.load({ model: scripted(plan), seed: 0, maxTokens });
  try {
    loop.prefill(new Array(prompt).fill(LETTER));
    while (loop.stop === null) loop.decodeStep();
    return { passes: loop.passes, stretches: stretchesOf(loop.log) };
  } finally {
    loop.dispose();
  }
}

/**
 * A log in as few lines as tell it.
 * @param {readonly PassMade[]} log
 * @returns {Stretch[]}
 */
export function stretchesOf(log) {
  /** @type {Stretch[]} */
  const stretches = [];
  for (const [index, { phase, tokensIn, token }] of log.entries()) {
    const ends = token.id === END_OF_TEXT;
    const before = stretches.at(-1);
    if (before?.phase === phase && before.ends === ends) before.passes += 1;
    else stretches.push({ phase, passes: 1, tokensIn, first: index + 1, ends });
  }
  return stretches;
}
