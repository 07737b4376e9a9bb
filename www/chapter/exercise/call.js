/** One call of the reader's function: what happens is noted out here, where the program cannot reach. */

import { LIMITS } from "./limits.js";
import { FILE, Values } from "./values.js";

/** @typedef {import("quickjs-emscripten-core").QuickJSHandle} Handle */
/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./trace.js").Problem} Problem */
/** @typedef {import("./scenarios.js").Scenario} Scenario */

/** Ends a run from wherever it is, with its reason. */
class Ended extends Error {
  /**
   * @param {import("./trace.js").End} end
   * @param {Problem} [problem]
   */
  constructor(end, problem) {
    super(end);
    this.end = end;
    this.problem = problem;
  }
}

/** One call. Nothing is freed by hand: the engine goes as a whole. */
export class Call {
  #runtime;
  #vm;
  #values;
  #scenario;
  /** What ended it from outside of the program. @type {"time" | "flooded" | null} */
  #over = null;
  #deadline = performance.now() + LIMITS.call;
  /** @type {import("./trace.js").Happening[]} */
  #events = [];
  /** @type {string[]} */
  #log = [];
  #unlogged = 0;
  #passes = 0;
  /** @type {number | null} */
  #passesAtStop = null;
  /** @type {import("./trace.js").Seen[] | null} */
  #promptAfter = null;
  /**
   * @param {import("quickjs-emscripten-core").QuickJSRuntime} runtime
   * @param {Scenario} scenario
   */
  constructor(runtime, scenario) {
    this.#runtime = runtime;
    this.#scenario = scenario;
    runtime.setMaxStackSize(LIMITS.stack);
    runtime.setInterruptHandler(() => this.#isOver());
    this.#vm = runtime.newContext();
    const vm = this.#vm;
    this.#values = new Values(vm);
    // A copy of the model in the reader's code would be called in its place, and nothing would be counted.
    const forward = vm.newFunction("forward", (tokens) => this.#forward(tokens));
    this.#values.fix("forward", forward);
    const log = vm.newFunction("log", (...values) => this.#write(values));
    const console = vm.newObject();
    for (const name of ["log", "info", "warn", "error", "debug"]) vm.setProp(console, name, log);
    vm.setProp(vm.global, "console", console);
  }

  #isOver() {
    if (performance.now() > this.#deadline) this.#over ??= "time";
    return this.#over !== null;
  }

  /**
   * @param {import("./trace.js").End} end
   * @param {Problem} [problem]
   * @param {import("./trace.js").Seen} [returned]
   * @returns {Trace}
   */
  trace(end, problem, returned) {
    const log = this.#log;
    if (this.#unlogged > 0) log.push(`… and ${this.#unlogged.toLocaleString("en")} more`);
    return {
      events: this.#events,
      end,
      problem,
      returned,
      promptAfter: this.#promptAfter,
      passesAtStop: this.#passesAtStop,
      log,
    };
  }

  /**
   * @param {string} code
   * @returns {Trace}
   */
  make(code) {
    const vm = this.#vm;
    const prompt = vm.newArray();
    this.#scenario.prompt.forEach((token, place) => {
      vm.setProp(prompt, place, vm.newNumber(token));
    });
    try {
      this.#unwrap(vm.evalCode(code, FILE, { strict: true }));
      const returned = this.#drive(this.#start(prompt), prompt);
      // What the program left for later has no more business with the model.
      this.#settle();
      return this.trace(this.#passesAtStop === null ? "returned" : "stopped", undefined, returned);
    } catch (error) {
      if (error instanceof Ended) return this.trace(error.end, error.problem);
      throw error;
    }
  }

  /** What ended it from outside. */
  #cut() {
    return new Ended(this.#over ?? "time");
  }

  /**
   * The value of what went well; what did not ends the run.
   * @param {import("./values.js").Result} result
   */
  #unwrap(result) {
    if (this.#isOver()) throw this.#cut();
    if (result.error) throw this.#thrown(result.error);
    return result.value;
  }

  /** @param {Handle} error */
  #thrown(error) {
    const problem = this.#values.problem(error);
    // Reading it may have taken for ever.
    if (this.#isOver()) return this.#cut();
    const isFull = problem.name === "InternalError" && problem.message === "out of memory";
    return isFull ? new Ended("memory") : new Ended("threw", problem);
  }

  /**
   * @param {Handle} object
   * @param {string | number | Handle} key
   */
  #read(object, key) {
    return this.#unwrap(this.#values.read(object, key));
  }

  /**
   * The model: what a pass gets and gives is noted here, where the program cannot reach.
   * @param {Handle} tokens
   */
  #forward(tokens) {
    const vm = this.#vm;
    this.#passes += 1;
    if (this.#passes > LIMITS.passes) this.#over ??= "flooded";
    if (this.#isOver()) throw new RangeError("ended");
    const got = this.#numbers(tokens ?? vm.undefined);
    const gave = this.#scenario.model(got);
    this.#events.push({ kind: "pass", tokens: got, gave });
    return vm.newNumber(gave);
  }

  /** @param {Handle} tokens */
  #numbers(tokens) {
    const vm = this.#vm;
    if (!this.#values.isArray(tokens)) {
      const seen = this.#values.seen(tokens);
      const was = typeof seen === "number" ? `the number ${seen}` : seen.is;
      throw new TypeError(`forward takes an array of tokens, but it got ${was}`);
    }
    const length = vm.getNumber(this.#read(tokens, "length"));
    if (!(length <= LIMITS.tokens)) {
      throw new RangeError(
        `forward takes at most ${LIMITS.tokens.toLocaleString("en")} tokens, but it got ${length}`,
      );
    }
    return Array.from({ length }, (_, place) => {
      const token = this.#values.seen(this.#read(tokens, place));
      if (typeof token === "number" && Number.isSafeInteger(token) && token >= 0) return token;
      const was = typeof token === "number" ? token : token.is;
      throw new TypeError(`forward takes tokens, whole numbers from 0, but at place ${place} it got ${was}`);
    });
  }

  /** @param {Handle[]} values */
  #write(values) {
    if (this.#isOver()) throw new RangeError("ended");
    if (this.#log.length >= LIMITS.lines) {
      this.#unlogged += 1;
      return;
    }
    const text = values.slice(0, 20).map((value) => this.#values.written(value));
    this.#log.push(text.join(" ").slice(0, LIMITS.line));
  }

  /**
   * Calls the reader's function, for what `for await` would ask of it.
   * @param {Handle} prompt
   */
  #start(prompt) {
    const vm = this.#vm;
    // By a script, not from the global object: `const generate = …` is a function too.
    const name = vm.evalCode("typeof generate === 'function' ? generate : undefined", "look");
    const generate = this.#unwrap(name);
    if (!this.#values.isFunction(generate)) throw shape("there is no function with the name generate");
    const { maxNew } = this.#scenario;
    const made = this.#unwrap(vm.callFunction(generate, vm.undefined, prompt, vm.newNumber(maxNew)));
    if (!this.#values.isObject(made)) {
      const seen = this.#values.seen(made);
      throw shape(
        `generate gives ${typeof seen === "number" ? "a number" : seen.is}, not an async generator`,
      );
    }
    const method = this.#read(made, vm.getWellKnownSymbol("asyncIterator"));
    if (!this.#values.isFunction(method)) {
      if (this.#values.isFunction(this.#read(made, "then"))) {
        throw shape("generate gives a promise, not an async generator: the star is missing");
      }
      if (this.#values.isFunction(this.#read(made, "next"))) {
        throw shape("generate is a generator, but not an async one: the word async is missing");
      }
      throw shape(
        `generate gives ${this.#values.isArray(made) ? "an array" : "an object"}, not an async generator`,
      );
    }
    return this.#unwrap(vm.callFunction(method, made));
  }

  /**
   * Takes token after token, each only after the one before, until there are no more or nobody wants more.
   * @param {Handle} iterator
   * @param {Handle} prompt
   * @returns {import("./trace.js").Seen | undefined} what the generator returned
   */
  #drive(iterator, prompt) {
    const vm = this.#vm;
    const { maxNew, stopAfter } = this.#scenario;
    for (let tokens = 0; ; tokens += 1) {
      if (tokens === stopAfter) {
        this.#passesAtStop = this.#passes;
        if (this.#values.isFunction(this.#read(iterator, "return"))) this.#ask(iterator, "return");
        return undefined;
      }
      const result = this.#ask(iterator, "next");
      const isDone = this.#read(result, "done");
      this.#look(prompt);
      const value = this.#values.seen(this.#read(result, "value"));
      if (vm.dump(isDone) === true) return value;
      this.#events.push({ kind: "token", token: value });
      if (tokens >= maxNew + LIMITS.tokensBeyond) throw new Ended("cut");
    }
  }

  /**
   * What a method of the iterator's promises.
   * @param {Handle} iterator
   * @param {"next" | "return"} name
   */
  #ask(iterator, name) {
    const vm = this.#vm;
    const promise = this.#unwrap(vm.callFunction(this.#read(iterator, name), iterator));
    for (;;) {
      const state = vm.getPromiseState(promise);
      if (state.type === "fulfilled" && state.notAPromise) throw shape(`its ${name}() gives no promise`);
      if (state.type === "fulfilled") return this.#unwrap({ value: state.value });
      if (state.type === "rejected") return this.#unwrap({ error: state.error });
      if (this.#isOver()) throw this.#cut();
      if (!this.#runtime.hasPendingJob()) throw new Ended("waiting");
      this.#runtime.executePendingJobs(64);
    }
  }

  /** Whether the prompt is what it was. @param {Handle} prompt */
  #look(prompt) {
    if (this.#promptAfter !== null) return;
    const expected = this.#scenario.prompt;
    const length = this.#vm.getNumber(this.#read(prompt, "length"));
    const now = Array.from({ length: Math.min(length, 40) }, (_, place) =>
      this.#values.seen(this.#read(prompt, place)),
    );
    const isSame = length === expected.length && now.every((token, place) => token === expected[place]);
    if (!isSame) this.#promptAfter = now;
  }

  /** Lets what is still under way come to an end, or not. */
  #settle() {
    for (let rounds = 0; rounds < 100 && this.#runtime.hasPendingJob(); rounds += 1) {
      if (this.#isOver()) throw this.#cut();
      this.#runtime.executePendingJobs(64);
    }
  }
}

/** @param {string} message */
function shape(message) {
  return new Ended("shape", { name: "", message });
}
