/** What a program's values are, seen from outside of the engine. */

import { LIMITS } from "./limits.js";

/** @typedef {import("quickjs-emscripten-core").QuickJSContext} Context */
/** @typedef {import("quickjs-emscripten-core").QuickJSHandle} Handle */
/** @typedef {import("./trace.js").Problem} Problem */

/** What the program's places are named by in the engine's own messages. */
export const FILE = "your code";

/**
 * Ways to look at values that nothing in the program can change: they are made before it runs, and keep what they need.
 */
const LOOKING = `(() => {
  const { isArray } = Array, { stringify } = JSON, { apply } = Reflect, { slice } = String.prototype, text = String;
  const clip = (value, most) => (typeof value === "string" ? apply(slice, value, [0, most]) : "");
  return {
    fix: (name, value) => void Object.defineProperty(globalThis, name, { value, enumerable: true }),
    read: (object, key) => object[key],
    isArray: (value) => isArray(value),
    clip,
    write: (value, most) => {
      if (typeof value === "string") return clip(value, most);
      if (typeof value === "function") return "a function";
      if (typeof value !== "object" || value === null) return text(value);
      if (typeof value.message === "string") return clip(value.name + ": " + value.message, most);
      try { return clip(stringify(value), most) || "an object"; } catch { return "an object"; }
    },
  };
})()`;

/** A value, or what was thrown in its place. @typedef {{ value: Handle, error?: undefined } | { error: Handle }} Result */

export class Values {
  #vm;
  #ways;

  /** @param {Context} vm in which nothing has run yet */
  constructor(vm) {
    this.#vm = vm;
    this.#ways = vm.unwrapResult(vm.evalCode(LOOKING));
  }

  /**
   * @param {"fix" | "read" | "isArray" | "clip" | "write"} way
   * @param {Handle[]} values
   * @returns {Result}
   */
  #call(way, ...values) {
    return this.#vm.callFunction(this.#vm.getProp(this.#ways, way), this.#vm.undefined, ...values);
  }

  /**
   * Gives the program a name that it cannot give to something else by mistake.
   * @param {string} name
   * @param {Handle} value
   */
  fix(name, value) {
    this.#call("fix", this.#vm.newString(name), value);
  }

  /**
   * A property, by the program's own getter if there is one.
   * @param {Handle} object
   * @param {string | number | Handle} key
   * @returns {Result}
   */
  read(object, key) {
    const vm = this.#vm;
    if (typeof key === "string") return this.#call("read", object, vm.newString(key));
    return this.#call("read", object, typeof key === "number" ? vm.newNumber(key) : key);
  }

  /** @param {Handle} value */
  isArray(value) {
    const result = this.#call("isArray", value);
    return !result.error && this.#vm.dump(result.value) === true;
  }

  /** Not null, and no function. @param {Handle} value */
  isObject(value) {
    return this.#vm.typeof(value) === "object" && !this.#vm.sameValue(value, this.#vm.null);
  }

  /** @param {Handle} value */
  isFunction(value) {
    return this.#vm.typeof(value) === "function";
  }

  /**
   * Any value as text of no more than a line.
   * @param {Handle} value
   */
  written(value) {
    return this.#text("write", value);
  }

  /**
   * @param {"clip" | "write"} way
   * @param {Handle} value
   */
  #text(way, value) {
    const text = this.#call(way, value, this.#vm.newNumber(LIMITS.line));
    return text.error ? "" : this.#vm.getString(text.value);
  }

  /**
   * @param {Handle} value
   * @returns {import("./trace.js").Seen}
   */
  seen(value) {
    const type = this.#vm.typeof(value);
    if (type === "number") return this.#vm.getNumber(value);
    if (type === "string") return { is: `the text “${this.#text("clip", value).slice(0, 20)}”` };
    if (this.isObject(value)) return { is: this.isArray(value) ? "an array" : "an object" };
    return { is: type === "function" || type === "symbol" ? `a ${type}` : this.written(value) };
  }

  /**
   * What was thrown.
   * @param {Handle} error
   * @returns {Problem}
   */
  problem(error) {
    if (!this.isObject(error)) return { name: "", message: this.written(error) };
    const [name, message, stack] = ["name", "message", "stack"].map((key) => {
      const result = this.read(error, key);
      return result.error ? "" : this.#text("clip", result.value);
    });
    const said = name === "" && message === "" ? this.written(error) : message;
    return { name, message: said, ...placeIn(stack) };
  }
}

/**
 * The first place of the program that a stack names.
 * @param {string} stack
 */
export function placeIn(stack) {
  const [, line, column] = new RegExp(`${FILE}:(\\d+):(\\d+)`).exec(stack) ?? [];
  return line === undefined ? {} : { line: Number(line), column: Number(column) };
}
