/** Programs that mean harm, or that cannot be run. */

import { SOLUTION } from "../../www/chapter/exercise/texts.js";
import { ALL_OPEN, program, right } from "./exercise-programs.js";

/** @typedef {import("./exercise-programs.js").Program} Program */

/** Programs that mean harm, or mean to get past the checks. @type {Program[]} */
export const HOSTILE = [
  {
    name: "goes through the global object",
    source: right("globalThis.fetch('/');"),
    failed: ["end", "limit", "stop", "others"],
    open: ["tokens", "passes", "stream", "context", "count", "prompt"],
    says: { end: /There is no fetch here/ },
  },
  {
    name: "imports",
    source: right("await import('https://example.org/x.js');"),
    failed: ["end", "limit", "stop", "others"],
    open: ["tokens", "passes", "stream", "context", "count", "prompt"],
    says: { end: /There is no import here/ },
  },
  {
    name: "makes functions by the constructor of the one it was given",
    source: right(
      "const all = forward.constructor('return globalThis')(); all.process?.exit(1); all.fetch('/');",
    ),
    failed: ["end", "limit", "stop", "others"],
    open: ["tokens", "passes", "stream", "context", "count", "prompt"],
    says: { end: /There is no fetch here/ },
    inPage: true,
  },
  {
    name: "spoils the prototypes, and is right all the same",
    source: `Object.defineProperty(Array.prototype, 0, { set() {}, get() { return 99; } });
Array.isArray = () => true;
Array.prototype.push = String.prototype.slice = JSON.stringify = () => 5;
Object.prototype.done = true;
Promise.prototype.then = () => 5;
${SOLUTION.replace("tokens.push(token);", "tokens[tokens.length] = token;")}`,
    failed: [],
  },
  {
    name: "spoils the prototypes to be called right",
    source: `const genuine = Object.getPrototypeOf(async function* () {}).prototype;
Object.defineProperty(Object.prototype, "value", { get: () => 4 });
Array.prototype.every = () => true;
Array.prototype.push = function () { return 4; };
Promise.prototype.then = function (go) { go({ done: true, value: 6 }); };
Object.is = () => true;
async function* generate(prompt, maxNew) { yield 4; yield 5; yield 6; yield 7; yield 8; return 6; }`,
    failed: ["passes", "limit", "count", "others", "stop"],
    open: ["context"],
    says: { passes: /made 0 passes/, count: /returned 6, but made 0 passes/ },
    inPage: true,
  },
  {
    name: "defines another model",
    source: `try { globalThis.forward = () => 4; } catch {}
try { Object.defineProperty(globalThis, "forward", { value: () => 4 }); } catch {}
${SOLUTION}`,
    failed: ["tokens", "passes", "limit", "count", "stop", "others"],
    open: ["context"],
    says: { passes: /made 0 passes/ },
  },
  {
    name: "gives a pass an array that lies",
    source: right().replace(
      "forward(tokens)",
      "forward(new Proxy(tokens, { get: (o, k) => (k === 'length' ? 1e9 : 1) }))",
    ),
    failed: ["end", "limit", "stop", "others"],
    open: ["tokens", "passes", "stream", "context", "count", "prompt"],
    says: { end: /at most 1,000 tokens/ },
  },
  {
    name: "gives results that throw when they are read",
    source: `function generate() {
  return { [Symbol.asyncIterator]() { return this; }, next: async () => ({ get done() { throw new Error("boo"); } }) };
}`,
    failed: ["end", "limit", "stop", "others"],
    open: ["tokens", "passes", "stream", "context", "count", "prompt"],
    says: { end: /Error: boo/ },
  },
  {
    name: "throws an error that throws",
    source: program("  throw { get name() { for (;;); }, get message() { throw 1; } };"),
    failed: ["end"],
    open: ALL_OPEN,
    says: { end: /ended after 1 second/ },
  },
  {
    name: "writes without end",
    source: right("for (let i = 0; i < 1e5; i++) console.log('x'.repeat(1e4), { i });"),
    failed: ["end"],
    open: ALL_OPEN,
    says: { end: /ended after 1 second/ },
  },
  {
    name: "throws a long message",
    source: program("  throw new Error('x'.repeat(1e6));"),
    failed: ["end", "limit", "stop", "others"],
    open: ["tokens", "passes", "stream", "context", "count", "prompt"],
    says: { end: /^Line 3, column \d+: Error: x{200}\.$/ },
  },
  {
    name: "fills the memory with strings",
    source: program("  const all = []; for (;;) all.push('x'.repeat(35e6));"),
    failed: ["end"],
    open: ALL_OPEN,
    says: { end: /more memory than the 64 MB/ },
    inPage: true,
  },
  {
    name: "fills the memory with objects",
    source: program("  const all = []; for (;;) all.push({ all });"),
    failed: ["end"],
    open: ALL_OPEN,
    says: { end: /more memory than the 64 MB/ },
  },
  {
    name: "calls itself without end",
    source: program("  const call = () => call(); call();"),
    failed: ["end", "limit", "stop", "others"],
    open: ["tokens", "passes", "stream", "context", "count", "prompt"],
    says: { end: /calls itself without an end/ },
  },
  {
    name: "nests too deep for the engine",
    source: program("  JSON.parse('['.repeat(1e5));"),
    failed: ["end", "limit", "stop", "others"],
    open: ["tokens", "passes", "stream", "context", "count", "prompt"],
    says: { end: /nested too deep|calls itself/ },
  },
  {
    name: "searches a text for ever",
    source: program("  /(a+)+$/.test('a'.repeat(40) + 'b');"),
    failed: ["end"],
    open: ALL_OPEN,
    says: { end: /ended after 1 second/ },
  },
];

/**
 * Programs that cannot be run at all, with what is said of them.
 * @type {readonly { name: string, source: string, says: RegExp, inPage?: boolean }[]}
 */
export const REFUSED = [
  {
    name: "a bracket that is not closed",
    source: "async function* generate(prompt, maxNew) {\n  yield 1;\n",
    says: /^Line 3, column 1: SyntaxError: .* a bracket may not be closed\.$/,
    inPage: true,
  },
  { name: "half an assignment", source: "let passes = ;\n", says: /^Line 1, column 14: SyntaxError: / },
  {
    name: "TypeScript with half an annotation",
    source: "\nlet passes: = 3;",
    says: /^Line 2, column 13: SyntaxError: /,
  },
  {
    name: "await in a plain function",
    source: "function* generate() { await forward([1]); }",
    says: /Line 1, /,
  },
  {
    name: "an export",
    source: `export ${SOLUTION.slice(SOLUTION.indexOf("async"))}`,
    says: /Leave out export/,
  },
  { name: "too much of it", source: " ".repeat(20_001), says: /20,001 characters; at most 20,000 are run/ },
  { name: "nested too deep", source: "(".repeat(19_000), says: /nested too deep|SyntaxError/ },
];
