/** How long a reply takes, from two times: that of the first pass, and that of each pass after it. It knows no DOM. */

/**
 * What is asked of a model.
 * @typedef {object} Request
 * @property {number} promptTokens
 * @property {number} replyTokens tokens that the reader of the reply sees
 * @property {number} firstPass seconds that the prefill of this prompt takes
 * @property {number} decodePass seconds that each decode takes
 * @property {boolean} endOfText whether the model ends the reply itself: end-of-text is a token too, that no reader sees
 */

/**
 * @typedef {object} Latency
 * @property {number} decodes passes after the first
 * @property {number} firstToken seconds until the first token is there
 * @property {number} perToken seconds from one token to the next
 * @property {number} stream seconds that all decodes take
 * @property {number} total seconds until the last pass is over
 * @property {number | null} decodeShare of the total, 0 to 1; none where nothing takes any time
 */

/**
 * The first token comes out of the prefill: n tokens take n − 1 decodes.
 * @param {Request} request
 * @returns {Latency}
 */
export function latencyOf({ replyTokens, firstPass, decodePass, endOfText }) {
  const decodes = replyTokens + (endOfText ? 1 : 0) - 1;
  const stream = decodes * decodePass;
  const total = firstPass + stream;
  return {
    decodes,
    firstToken: firstPass,
    perToken: decodePass,
    stream,
    total,
    decodeShare: total > 0 ? stream / total : null,
  };
}

/**
 * The same with half the prompt; with a token more, where it cannot be halved. The first pass then takes its share of the
 * time: as much for each token as before.
 * @param {Request} request
 * @returns {Request}
 */
export function withHalfThePrompt(request) {
  const promptTokens = Math.ceil(request.promptTokens / 2);
  return { ...request, promptTokens, firstPass: (request.firstPass * promptTokens) / request.promptTokens };
}

/**
 * The same with half the reply; with a token more, where it cannot be halved.
 * @param {Request} request
 * @returns {Request}
 */
export function withHalfTheReply(request) {
  return { ...request, replyTokens: Math.ceil(request.replyTokens / 2) };
}

/**
 * Round values on an axis from zero to `most`: as many as there is room for, 1, 2 or 5 of a power of ten apart.
 * @param {number} most
 * @param {number} [room] the most of them, zero not counted
 */
export function ticksOf(most, room = 5) {
  if (!(most > 0)) return [0];
  const power = 10 ** Math.floor(Math.log10(most / room));
  const step = power * ([1, 2, 5].find((times) => times * power * room >= most) ?? 10);
  // Counted, not summed: a sum of tenths drifts.
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => index * step);
}
