/** What went wrong with a program, in sentences that help. */

import { LIMITS } from "./limits.js";

/** @typedef {import("./trace.js").Problem} Problem */

/** What browsers have and the sandbox does not, and why it does not. @type {readonly (readonly [RegExp, string])[]} */
const MISSING = [
  [/^(fetch|XMLHttpRequest|WebSocket|EventSource|Request|WebTransport)$/, "the code can reach no network"],
  [/^(indexedDB|localStorage|sessionStorage|caches|cookieStore)$/, "the code can reach no storage"],
  [
    /^(window|document|parent|top|self|frames|opener|location|navigator|alert)$/,
    "the code can reach no page",
  ],
  [/^(postMessage|importScripts|Worker|BroadcastChannel|MessageChannel)$/, "the code can reach nobody else"],
  [/^(setTimeout|setInterval|queueMicrotask|requestAnimationFrame)$/, "nothing here has to be waited for"],
  [/^(require|process|module|exports|Deno|Bun)$/, "the code runs in a bare engine, without modules"],
];

/** @param {string} name */
function missing(name) {
  const [, why] = MISSING.find(([pattern]) => pattern.test(name)) ?? [];
  return why === undefined ? null : `There is no ${name} here: ${why}.`;
}

/**
 * What cannot be run, or what was thrown.
 * @param {Problem} problem
 * @param {string} source the reader's text
 */
export function explain(problem, source) {
  const { name, message, line, column } = problem;
  const place = line === undefined ? "" : `Line ${line}${column === undefined ? "" : `, column ${column}`}: `;
  const said = name === "" ? message : `${name}: ${message}`;
  const [text = "", ...after] = line === undefined ? [] : source.split("\n").slice(line - 1);
  const isAtEnd = column !== undefined && [text.slice(column - 1), ...after].join("").trim() === "";
  const help =
    name === "SyntaxError" && isAtEnd
      ? "The code ends too early: a bracket may not be closed."
      : helpFor(problem, text, text.slice(0, column));
  return `${place}${said}.${help === null ? "" : ` ${help}`}`.replace(/([.?])\.( |$)/g, "$1$2");
}

/**
 * @param {Problem} problem
 * @param {string} text the line that it is in
 * @param {string} before the line as far as the place
 * @returns {string | null}
 */
function helpFor({ name, message }, text, before) {
  const [, unknown] = /^'?([\w$]+)'? is not defined$/.exec(message) ?? [];
  if (unknown !== undefined) return missing(unknown) ?? `Nothing has the name ${unknown}.`;
  if (/^could not load module/.test(message))
    return "There is no import here: the code can reach no other file.";
  if (name === "TypeError" && message === "not a function") {
    const word = before.match(/[\w$]+/g)?.findLast((each) => missing(each) !== null);
    return word === undefined ? "What is called there is no function." : missing(word);
  }
  if (name === "InternalError" && message === "stack overflow")
    return "A function calls itself without an end.";
  if (/(define|redefinition|redeclaration|read-only).*\bforward\b|\bforward\b.*read-only/.test(message))
    return "The model is there already: leave its definition out.";
  if (name !== "SyntaxError") return null;
  if (/'yield' keyword/.test(message)) return "Only a generator can yield: async function*, with a star.";
  if (/\bawait\s+\S?$/.test(before)) return "Only an async function can await.";
  if (/^\s*export\b/.test(text)) return "Leave out export: the checks find generate by its name.";
  if (/^\s*import\b/.test(text)) return "There is nothing to import here.";
  return null;
}

/**
 * Why a run has no end of its own.
 * @param {import("./trace.js").Trace} trace
 * @param {string} source
 * @returns {string | null} null where it has
 */
export function endInWords({ end, problem }, source) {
  switch (end) {
    case "threw":
      return problem === undefined ? "It threw an error." : explain(problem, source);
    case "shape":
      return `${sentence(problem?.message ?? "there is no async generator")} Write it as async function* generate(prompt, maxNew).`;
    case "time":
      return `It was ended after ${LIMITS.call / 1000} second: it had not come to an end. Is there a loop that never stops?`;
    case "hung":
      return `It was ended after ${LIMITS.silence / 1000} seconds without an answer. Is there work in it that takes for ever?`;
    case "flooded":
      return `It was ended after ${LIMITS.passes} passes: a loop makes one after the other and never stops.`;
    case "waiting":
      return "It was ended: it waits for a promise that nothing will ever fulfil.";
    case "memory":
      return "It was ended: it needs more memory than the 64 MB that are there.";
    case "broken":
      return "It was ended: something in it is nested too deep for the sandbox.";
    default:
      return null;
  }
}

/** @param {string} text */
export function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
