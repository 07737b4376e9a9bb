/** What a program may use; beyond it, it is ended. */
export const LIMITS = Object.freeze({
  /** Milliseconds for one call, and for all of them. */
  call: 1000,
  total: 4000,
  /** Milliseconds without a sign of life after which the page ends the worker, while it loads and while it runs. */
  loading: 30_000,
  silence: 5000,
  /** More tokens than were asked for, and passes. */
  tokensBeyond: 8,
  passes: 200,
  /** Characters of a program, tokens of a pass, lines of a log and characters of a line. */
  source: 20_000,
  tokens: 1000,
  lines: 20,
  line: 200,
  /** Bytes of the engine's stack, and pages of 64 KiB of its memory. */
  stack: 256 * 1024,
  pages: 1024,
});
