/** The steps of the loop that lines of source stand for: where the widget shows each, and in which passes it is made. */

/** @typedef {{ phase: "prefill" | "decode", tokensIn: number, stop: { reason: string } | null }} Made a pass, as far as it matters here */

/**
 * One step.
 * @typedef {object} Step
 * @property {string} part of the widget, by its public name
 * @property {string} leads what that part is called
 * @property {(pass: Made) => boolean} ran whether a pass made it
 */

/** @param {string} reason @returns {Step} */
const stop = (reason) => ({
  part: "outcome",
  leads: "how the run ended",
  ran: (pass) => pass.stop?.reason === reason,
});

/** @type {Readonly<Record<string, Step>>} */
export const STEPS = {
  prefill: { part: "strip", leads: "the tokens", ran: ({ phase }) => phase === "prefill" },
  decode: { part: "cache", leads: "the KV cache", ran: (pass) => isDecode(pass) && pass.tokensIn === 1 },
  /** A decode that has no cache to go by. */
  again: { part: "cost", leads: "the cost", ran: (pass) => isDecode(pass) && pass.tokensIn > 1 },
  sample: { part: "distribution", leads: "the distribution", ran: () => true },
  token: { part: "strip", leads: "the tokens", ran: () => true },
  record: { part: "log", leads: "the step log", ran: () => true },
  stop: { part: "outcome", leads: "how the run ended", ran: () => true },
  "end-of-text": stop("end-of-text"),
  "stop-string": stop("stop-string"),
  "max-tokens": stop("max-tokens"),
  "context-full": stop("context-full"),
};

/** @param {Made} pass */
function isDecode({ phase }) {
  return phase === "decode";
}

/** Functions that only passes of one phase go through. @type {Readonly<Record<string, string>>} */
const PHASE_OF = { prefill: "prefill", decode_step: "decode" };

/**
 * Whether a pass went through the line of a step.
 * @param {string} step
 * @param {string} item the function that the line is in
 * @param {Made} pass
 */
export function ranIn(step, item, pass) {
  const isThere = !Object.hasOwn(PHASE_OF, item) || PHASE_OF[item] === pass.phase;
  return isThere && STEPS[step].ran(pass);
}
