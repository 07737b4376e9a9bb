/** Programs as learners write them, with the checks that each should fail. Node and the browsers run the same ones. */

import { SKELETON, SOLUTION } from "../../www/chapter/exercise/texts.js";

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {string} source
 * @property {string[]} failed the checks that fail
 * @property {string[]} [open] those that cannot be judged
 * @property {Record<string, RegExp>} [says] what their messages say
 * @property {boolean} [inPage] whether the browser tests take it through the page too
 */

/**
 * The body of a program that is otherwise right.
 * @param {string} body
 */
export const program = (body) => `const END = 0;\nasync function* generate(prompt, maxNew) {\n${body}\n}\n`;

/** A right loop, for programs whose fault is somewhere else. @param {string} [first] */
export const right = (first = "") =>
  program(`  ${first}
  const tokens = [...prompt];
  let passes = 0;
  while (tokens.length < prompt.length + maxNew) {
    const token = await forward(tokens);
    passes += 1;
    if (token === END) break;
    yield token;
    tokens.push(token);
  }
  return passes;`);

/** What is left to judge when nothing came of the first call. */
export const ALL_OPEN = [
  "tokens",
  "passes",
  "stream",
  "context",
  "limit",
  "count",
  "prompt",
  "stop",
  "others",
];

/** @type {Program[]} */
export const PROGRAMS = [
  { name: "a while loop", source: SOLUTION, failed: [], inPage: true },
  {
    name: "a for loop that takes from a generator of its own with for await",
    source: `async function* steps(prompt) {
  const tokens = prompt.slice();
  for (;;) {
    const next = await forward(tokens);
    yield next;
    tokens.push(next);
  }
}
const generate = async function* (prompt, maxNew) {
  let passes = 0;
  if (maxNew === 0) return passes;
  for await (const next of steps(prompt)) {
    passes++;
    if (next === 0) return passes;
    yield next;
    if (passes === maxNew) return passes;
  }
};`,
    failed: [],
    inPage: true,
  },
  {
    name: "recursion with yield*",
    source: `async function* generate(prompt, maxNew) {
  if (maxNew === 0) return 0;
  const next = forward(prompt);
  if (next === 0) return 1;
  yield next;
  return 1 + (yield* generate([...prompt, next], maxNew - 1));
}`,
    failed: [],
    inPage: true,
  },
  {
    name: "TypeScript with annotations",
    source: `type Token = number;
interface Counter { passes: number }
const END: Token = 0;
async function* generate(prompt: readonly Token[], maxNew: number): AsyncGenerator<Token, number> {
  const counter: Counter = { passes: 0 };
  const tokens = [...prompt] as Token[];
  for (let i: number = 0; i < maxNew; i++) {
    const next: Token = await forward(tokens);
    counter.passes += 1;
    if (next === END) break;
    yield next;
    tokens.push(next!);
  }
  return counter.passes;
}`,
    failed: [],
    inPage: true,
  },
  {
    name: "the text that the editor begins with",
    source: SKELETON,
    failed: ["tokens", "passes", "limit", "others"],
    open: ["stream", "context", "stop"],
    says: { tokens: /yielded nothing/, passes: /made 0 passes\. 6 are needed/ },
    inPage: true,
  },
  {
    name: "one token too many at maxNew",
    source: right().replace("prompt.length + maxNew", "prompt.length + maxNew + 1"),
    failed: ["limit", "others"],
    says: { limit: /generate\(\[1, 2, 3\], 2\): It yielded 4, 5, 6, but maxNew is 2/ },
    inPage: true,
  },
  {
    name: "one token too few at maxNew",
    source: right().replace("< prompt.length + maxNew", "< prompt.length + maxNew - 1"),
    failed: ["limit", "others"],
    says: { limit: /It yielded 4, and stopped too early: 4, 5 were expected/ },
  },
  {
    name: "yields end-of-text",
    source: right().replace(
      "if (token === END) break;\n    yield token;",
      "yield token; if (token === END) break;",
    ),
    failed: ["tokens", "others"],
    says: { tokens: /yielded 4, 5, 6, 7, 8, 0\. The token 0 is end-of-text/ },
    inPage: true,
  },
  {
    name: "collects the tokens, then yields them",
    source: program(`  const tokens = [...prompt], out = [];
  let passes = 0;
  while (out.length < maxNew) {
    const token = await forward([...tokens, ...out]);
    passes++;
    if (token === END) break;
    out.push(token);
  }
  yield* out;
  return passes;`),
    failed: ["stream", "stop"],
    says: {
      stream: /Pass 2 began before the token 4 was out/,
      stop: /2 passes are enough for them, and it made 6/,
    },
    inPage: true,
  },
  {
    name: "is one pass ahead",
    source: program(`  const tokens = [...prompt];
  let passes = 0;
  if (maxNew === 0) return 0;
  let next = await forward(tokens);
  passes++;
  for (let i = 0; i < maxNew && next !== END; i++) {
    const token = next;
    tokens.push(token);
    if (i + 1 < maxNew) { next = await forward(tokens); passes++; }
    yield token;
  }
  return passes;`),
    failed: ["stream", "stop"],
  },
  {
    name: "forgets end-of-text",
    source: right().replace("if (token === END) break;", ""),
    failed: ["tokens", "passes", "others"],
    says: {
      tokens: /yielded 4, 5, 6, 7, 8, 0, 0/,
      passes: /made 20 passes, where 6 are enough: after end-of-text/,
    },
    inPage: true,
  },
  {
    name: "ignores maxNew",
    source: right().replace("while (tokens.length < prompt.length + maxNew)", "while (true)"),
    failed: ["limit", "others"],
    says: { limit: /but maxNew is 2/, others: /a model that never ends: It yielded more than/ },
    inPage: true,
  },
  {
    name: "makes a pass after the last token that maxNew allows",
    source: right().replace(
      "return passes;",
      "if (maxNew > 0) { forward(tokens); passes += 1; } return passes;",
    ),
    failed: ["passes", "limit", "others"],
    says: { limit: /made 3 passes, where 2 are enough: after the last token that maxNew allows/ },
  },
  {
    name: "yields for ever",
    source: program("  for (;;) yield 4;"),
    failed: ["end", "tokens", "passes", "limit", "stop", "others"],
    open: ["context", "count"],
    says: { end: /ended after 29 tokens: it goes on yielding/ },
  },
  {
    name: "a loop that never ends",
    source: program("  for (;;);"),
    failed: ["end"],
    open: ALL_OPEN,
    says: { end: /ended after 1 second.*loop that never stops/ },
    inPage: true,
  },
  {
    name: "a loop that never ends where nothing is wanted",
    source: right("while (maxNew === 0);"),
    failed: ["limit"],
    says: { limit: /^In generate\(\[1, 2, 3\], 0\): It was ended after 1 second/ },
  },
  {
    name: "a loop that never ends, with await in it",
    source: program("  for (;;) await null;"),
    failed: ["end"],
    open: ALL_OPEN,
    says: { end: /ended after 1 second/ },
    inPage: true,
  },
  {
    name: "passes for ever, and no token",
    source: program("  for (;;) try { await forward(prompt); } catch {}"),
    failed: ["end", "stream", "context", "limit", "stop", "others"],
    open: ["tokens", "passes", "count", "prompt"],
    says: { end: /ended after 200 passes/ },
  },
  {
    name: "waits for what never comes",
    source: program("  await new Promise(() => {}); yield 4;"),
    failed: ["end", "limit", "stop", "others"],
    open: ["tokens", "passes", "stream", "context", "count", "prompt"],
    says: { end: /waits for a promise that nothing will ever fulfil/ },
  },
  {
    name: "throws",
    source: program("  const next = prompt.missing.length;\n  yield next;"),
    failed: ["end", "limit", "stop", "others"],
    open: ["tokens", "passes", "stream", "context", "count", "prompt"],
    says: { end: /^Line 3, column \d+: TypeError: cannot read property 'length' of undefined\.$/ },
    inPage: true,
  },
  {
    name: "throws what is no error",
    source: program("  throw 'no';"),
    failed: ["end", "limit", "stop", "others"],
    open: ["tokens", "passes", "stream", "context", "count", "prompt"],
    says: { end: /^no\.$/ },
  },
  {
    name: "is not async",
    source: SOLUTION.replace("async function*", "function*").replace("await ", ""),
    failed: ["end"],
    open: ALL_OPEN,
    says: { end: /not an async one: the word async is missing/ },
    inPage: true,
  },
  {
    name: "is no generator",
    source: "async function generate(prompt, maxNew) { return [4, 5, 6, 7, 8]; }",
    failed: ["end"],
    open: ALL_OPEN,
    says: { end: /gives a promise, not an async generator: the star is missing/ },
  },
  {
    name: "has another name",
    source: SOLUTION.replace("generate", "generateTokens"),
    failed: ["end"],
    open: ALL_OPEN,
    says: { end: /no function with the name generate/ },
    inPage: true,
  },
  {
    name: "has the model in it too",
    source: `function forward(t) { return t.length < 8 ? t.length + 1 : 0; }\n${SOLUTION}`,
    failed: ["end", "limit", "stop", "others"],
    open: ["tokens", "passes", "stream", "context", "count", "prompt"],
    says: { end: /model is there already: leave its definition out/ },
  },
  {
    name: "appends to the prompt",
    source: program(`  let passes = 0;
  for (let i = 0; i < maxNew; i++) {
    const token = await forward(prompt);
    passes++;
    if (token === END) break;
    yield token;
    prompt.push(token);
  }
  return passes;`),
    failed: ["prompt"],
    says: { prompt: /was \[1, 2, 3\] and became \[1, 2, 3, 4\].*work on a copy/ },
    inPage: true,
  },
  {
    name: "gives a pass the newest token alone",
    source: program(`  let passes = 0, tokens = [...prompt];
  for (let i = 0; i < maxNew; i++) {
    const token = await forward(tokens);
    passes++;
    if (token === END) break;
    yield token;
    tokens = [token];
  }
  return passes;`),
    failed: ["tokens", "passes", "context", "limit", "others"],
    says: { context: /Pass 2 got \[4\] and should get \[1, 2, 3, 4\]/ },
  },
  {
    name: "returns nothing",
    source: SOLUTION.replace("return passes;", ""),
    failed: ["count"],
    says: { count: /returned nothing/ },
    inPage: true,
  },
  {
    name: "returns the tokens for the passes",
    source: SOLUTION.replace("return passes;", "return tokens.length - prompt.length;"),
    failed: ["count"],
    says: { count: /returned 5, but made 6 passes/ },
  },
  {
    name: "yields text",
    source: SOLUTION.replace("yield token;", "yield String(token);"),
    failed: ["tokens", "limit", "others"],
    says: { tokens: /yielded the text “4”\. A token is a number/ },
  },
  {
    name: "calls forward with no array",
    source: right("forward(3);"),
    failed: ["end", "limit", "stop", "others"],
    open: ["tokens", "passes", "stream", "context", "count", "prompt"],
    says: { end: /forward takes an array of tokens, but it got the number 3/ },
  },
];

/** What the sandbox does not have, by the name that the message says. */
const REACHES = {
  fetch: "await fetch('/')",
  indexedDB: "indexedDB.open('x')",
  localStorage: "localStorage.setItem('a', 'b')",
  parent: "parent.postMessage('x', '*')",
  document: "document.body.remove()",
  postMessage: "postMessage('x')",
  importScripts: "importScripts('x.js')",
  setTimeout: "await new Promise((go) => setTimeout(go, 10))",
  XMLHttpRequest: "new XMLHttpRequest()",
  require: "require('fs')",
};

for (const [name, code] of Object.entries(REACHES)) {
  PROGRAMS.push({
    name: `reaches for ${name}`,
    source: right(`${code};`),
    failed: ["end", "limit", "stop", "others"],
    open: ["tokens", "passes", "stream", "context", "count", "prompt"],
    says: { end: new RegExp(`'${name}' is not defined\\. There is no ${name} here: `) },
    inPage: ["fetch", "indexedDB", "parent", "postMessage"].includes(name),
  });
}
