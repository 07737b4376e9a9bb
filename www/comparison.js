/** One run made twice, with the cache and without: what both cost, and whether anything else differs. It knows no DOM. */

/**
 * @typedef {object} Side
 * @property {number} passes
 * @property {number} flops
 */

/**
 * @typedef {object} Comparison
 * @property {Side} cached
 * @property {Side} uncached
 * @property {boolean} same whether every token and every logit is the same, bit for bit
 */

/**
 * Makes a whole run both ways on a loop that has none under way, and leaves it so. Both are really made: nothing is taken from
 * a formula.
 * @param {import("./engine.js").GenerationLoop} loop
 * @param {readonly number[]} prompt token ids
 * @returns {Comparison}
 */
export function bothWays(loop, prompt) {
  const { cache } = loop;
  try {
    return compared([true, false].map((on) => made(loop, prompt, on)));
  } finally {
    loop.reset();
    loop.cache = cache;
  }
}

/**
 * @param {import("./engine.js").GenerationLoop} loop
 * @param {readonly number[]} prompt
 * @param {boolean} cache
 */
function made(loop, prompt, cache) {
  loop.cache = cache;
  const logits = [];
  let flops = 0;
  for (let pass = loop.prefill(prompt); ; pass = loop.decodeStep()) {
    flops += pass.flops;
    logits.push(loop.logits());
    if (pass.stop !== null) break;
  }
  const { tokens, passes } = loop;
  return { passes, flops, tokens, logits };
}

/**
 * @param {ReturnType<typeof made>[]} sides with the cache, and without
 * @returns {Comparison}
 */
function compared([cached, uncached]) {
  const same =
    String(cached.tokens) === String(uncached.tokens) &&
    cached.logits.every((numbers, pass) => haveSameBits(numbers, uncached.logits[pass]));
  const side = (/** @type {typeof cached} */ { passes, flops }) => ({ passes, flops });
  return { cached: side(cached), uncached: side(uncached), same };
}

/**
 * @param {Float32Array} one
 * @param {Float32Array} other
 */
function haveSameBits(one, other) {
  const [bits, otherBits] = [one, other].map(({ buffer }) => new Uint32Array(buffer));
  return bits.every((value, place) => value === otherBits[place]);
}
