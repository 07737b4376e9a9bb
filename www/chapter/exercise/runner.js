/** Has a program run in the worker, ends the worker where it falls silent, and judges what came back. */

import { summary, verdicts } from "./checks.js";
import { explain } from "./explain.js";
import { callsFrom } from "./judge.js";
import { LIMITS } from "./limits.js";

/**
 * What came of a run: checks, or why the program was not run.
 * @typedef {object} Outcome
 * @property {string} source
 * @property {string} summary
 * @property {import("./checks.js").Verdict[]} verdicts none where it was not run
 * @property {import("./checks.js").Call[]} calls
 */

/** @typedef {import("./worker.js").Said} Said */

export class Runner {
  /** @type {Worker | null} */
  #worker = null;
  /** Resolves when the worker can take a program. @type {Promise<void> | null} */
  #ready = null;

  /** Starts the worker before it is needed. What goes wrong is told when it is. */
  warm() {
    this.#start().catch(() => {});
  }

  #start() {
    this.#ready ??= new Promise((resolve, reject) => {
      const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
      this.#worker = worker;
      const fail = (/** @type {string} */ why) => {
        clearTimeout(timer);
        this.#end();
        reject(new Error(why));
      };
      const timer = setTimeout(
        () => fail(`it did not load within ${LIMITS.loading / 1000} seconds`),
        LIMITS.loading,
      );
      worker.onerror = ({ message }) => fail(message || "its file could not be loaded");
      worker.onmessage = ({ data }) => {
        const said = /** @type {Said} */ (data);
        if ("failed" in said) return fail(said.failed);
        clearTimeout(timer);
        worker.onmessage = worker.onerror = null;
        resolve();
      };
    });
    return this.#ready;
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = this.#ready = null;
  }

  /**
   * Runs a program and judges it.
   * @param {string} source
   * @returns {Promise<Outcome>}
   * @throws {Error} where the sandbox does not start
   */
  async run(source) {
    await this.#start();
    const worker = /** @type {Worker} */ (this.#worker);
    /** @type {import("./trace.js").Trace[]} */
    const traces = [];
    /** @type {import("./trace.js").Problem | "hung" | null} */
    const problem = await new Promise((resolve) => {
      const hang = () => {
        this.#end();
        resolve("hung");
      };
      let timer = setTimeout(hang, LIMITS.silence);
      const rest = () => {
        clearTimeout(timer);
        timer = setTimeout(hang, LIMITS.silence);
      };
      worker.onerror = hang;
      worker.onmessage = ({ data }) => {
        const said = /** @type {Said} */ (data);
        rest();
        if ("trace" in said) traces.push(said.trace);
        if (!("done" in said)) return;
        clearTimeout(timer);
        resolve(said.problem);
      };
      worker.postMessage(source);
    });
    if (problem !== null && problem !== "hung") {
      return { source, summary: `It cannot be run. ${explain(problem, source)}`, verdicts: [], calls: [] };
    }
    const calls = callsFrom(traces, problem === "hung" ? "hung" : "skipped");
    const all = verdicts(calls, source);
    return { source, summary: summary(all), verdicts: all, calls };
  }
}
