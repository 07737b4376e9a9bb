/** Takes a program of the reader's and runs it on one call after the other. */

import { Call } from "./call.js";
import { newEngine } from "./engine.js";
import { LIMITS } from "./limits.js";
import { emptyTrace } from "./trace.js";
import { placedIn, translate } from "./translate.js";
import { FILE, placeIn } from "./values.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./trace.js").Problem} Problem */

export class Sandbox {
  #module;
  /** @type {Awaited<ReturnType<typeof newEngine>> | null} */
  #engine = null;
  #spent = 0;
  #source = "";
  #code = "";

  /** @param {WebAssembly.Module} module QuickJS */
  constructor(module) {
    this.#module = module;
  }

  /** Nothing in an engine is freed: where one has got larger, or was left in the middle of something, there is a new one. */
  async #ready() {
    this.#engine ??= await newEngine(this.#module);
    return this.#engine;
  }

  /**
   * Takes a program, in JavaScript or TypeScript.
   * @param {string} source
   * @returns {Promise<Problem | null>} why it cannot be run
   */
  async take(source) {
    this.#spent = 0;
    if (source.length > LIMITS.source) {
      const [length, most] = [source.length, LIMITS.source].map((count) => count.toLocaleString("en"));
      return { name: "RangeError", message: `the code has ${length} characters; at most ${most} are run` };
    }
    this.#engine = null;
    const { engine } = await this.#ready();
    const vm = engine.newContext();
    try {
      const translated = translate(source, (code) => refusalOf(vm, code));
      if ("problem" in translated) return translated.problem;
      this.#source = source;
      this.#code = translated.code;
      return null;
    } catch {
      // The engine is lost where a text is nested too deep for it.
      this.#engine = null;
      return { name: "RangeError", message: "the code is nested too deep to be read" };
    }
  }

  /**
   * Runs the program that was taken.
   * @param {import("./scenarios.js").Scenario} scenario
   * @returns {Promise<Trace>}
   */
  async run(scenario) {
    if (this.#spent > LIMITS.total) return emptyTrace("skipped");
    const { engine, growth } = await this.#ready();
    const before = performance.now();
    const call = new Call(engine.newRuntime(), scenario);
    let trace;
    try {
      trace = call.make(this.#code);
    } catch {
      // A trap: the engine ran out of its own stack, or an assertion of its failed.
      trace = call.trace(growth() > 0.5 ? "memory" : "broken");
    }
    this.#spent += performance.now() - before;
    // Where there is no memory left to make the error with, null is thrown. A large piece is refused long before the last.
    if (trace.end === "threw" && trace.problem?.message === "null" && growth() > 0.5) trace.end = "memory";
    if (growth() > 0 || !["returned", "stopped"].includes(trace.end)) this.#engine = null;
    if (trace.problem) trace.problem = placedIn(this.#source, this.#code, trace.problem);
    return trace;
  }
}

/**
 * Why code cannot be compiled.
 * @param {import("quickjs-emscripten-core").QuickJSContext} vm
 * @param {string} code
 * @returns {Problem | null}
 */
function refusalOf(vm, code) {
  const result = vm.evalCode(code, FILE, { strict: true, compileOnly: true });
  if (!result.error) return null;
  const { name = "SyntaxError", message = "", stack = "" } = vm.dump(result.error);
  return { name, message: String(message), ...placeIn(String(stack)) };
}
