/** The checks: each looks at what happened in the calls, and says what it saw. */

import { endInWords, sentence } from "./explain.js";
import { END_OF_TEXT, reference } from "./model.js";
import { callOf } from "./scenarios.js";
import { counted, inWords, listed, passesOf, tokensOf } from "./trace.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./scenarios.js").Scenario} Scenario */

/**
 * A call and what came of it.
 * @typedef {{ scenario: Scenario, trace: Trace }} Call
 */

/**
 * What a check found: `open` where the program did not get far enough to tell.
 * @typedef {object} Verdict
 * @property {string} id
 * @property {string} title
 * @property {"passed" | "failed" | "open"} state
 * @property {string} message
 */

/** @typedef {Omit<Verdict, "id" | "title">} Finding */

/** @param {string} message @returns {Finding} */
const passed = (message) => ({ state: "passed", message });
/** @param {string} message @returns {Finding} */
const failed = (message) => ({ state: "failed", message });
/** @param {string} message @returns {Finding} */
const open = (message) => ({ state: "open", message });

/** Whether it came to an end that a check can judge. @param {Trace} trace */
function ended({ end }) {
  return end === "returned" || end === "stopped" || end === "cut";
}

/** @param {Call} call */
function expected({ scenario: { model, prompt, maxNew } }) {
  return reference(model, prompt, maxNew);
}

/** @param {number} count */
const passes = (count) => counted(count, "pass", "passes");

/** How a call is named in a message: not at all where it is the example. @param {Call} call */
function inCall({ scenario }) {
  if (scenario.group === "example") return "";
  return `In ${callOf(scenario)}${scenario.about === "" ? "" : ` with ${scenario.about}`}: `;
}

/** What is wrong with the tokens, or null. @param {Call} call */
function wrongTokens(call) {
  const { maxNew } = call.scenario;
  const tokens = tokensOf(call.trace);
  const { tokens: right } = expected(call);
  const isRight = tokens.length === right.length && right.every((token, place) => token === tokens[place]);
  if (isRight && call.trace.end !== "cut") return null;
  const first = right.findIndex((token, place) => token !== tokens[place]);
  const yielded = call.trace.end === "cut" ? `more than ${maxNew} tokens` : listed(tokens);
  const saw = `It yielded ${yielded}`;
  const wanted = `${listed(right)} ${right.length === 0 ? "was" : "were"} expected`;
  const odd = tokens.find((token) => typeof token !== "number");
  if (odd !== undefined) return `It yielded ${inWords(odd)}. A token is a number.`;
  if (first === -1 && tokens[right.length] === END_OF_TEXT && right.length < maxNew)
    return `${saw}. The token ${END_OF_TEXT} is end-of-text: it ends the run, and is not yielded.`;
  if (tokens.length > maxNew) return `${saw}, but maxNew is ${maxNew}.`;
  if (tokens.length < right.length && first === tokens.length)
    return `${saw}, and stopped too early: ${wanted}.`;
  return `${saw}. ${sentence(wanted)}`;
}

/** What is wrong with the number of passes, or null. @param {Call} call */
function wrongPasses(call) {
  const made = passesOf(call.trace).length;
  const { passes: right, tokens } = expected(call);
  if (made === right) return null;
  const saw = `It made ${passes(made)}, where ${right} ${right === 1 ? "is" : "are"} enough`;
  if (made > right && tokens.length === call.scenario.maxNew)
    return `${saw}: after the last token that maxNew allows, no pass is needed.`;
  if (made > right && passesOf(call.trace).some(({ gave }) => gave === END_OF_TEXT))
    return `${saw}: after end-of-text there is nothing more to compute.`;
  if (made > right) return `${saw}: every token takes one pass.`;
  return `It made ${passes(made)}. ${right} ${right === 1 ? "is" : "are"} needed: one for each token${
    tokens.length < call.scenario.maxNew ? ", and one that gives end-of-text" : ""
  }.`;
}

/** Which pass began before the token of the one before was out, or null. @param {Call} call */
function heldBack({ trace }) {
  let waiting = 0;
  let made = 0;
  for (const event of trace.events) {
    if (event.kind === "token") {
      waiting = 0;
      continue;
    }
    made += 1;
    if (waiting > 0) return { pass: made, token: waiting };
    // End-of-text is no token that could come out.
    waiting = event.gave === END_OF_TEXT ? 0 : event.gave;
  }
  return null;
}

/** The first pass that got other tokens than all there were, or null. @param {Call} call */
function wrongContext({ scenario, trace }) {
  const right = [...scenario.prompt];
  for (const [place, { tokens, gave }] of passesOf(trace).entries()) {
    const isRight = tokens.length === right.length && right.every((token, at) => token === tokens[at]);
    if (!isRight) return { pass: place + 1, got: tokens, right: [...right] };
    // What comes after end-of-text is too much as it is.
    if (gave === END_OF_TEXT) return null;
    right.push(gave);
  }
  return null;
}

/**
 * Every check: its name, its title, and how it is judged. The first call is the example.
 * @type {readonly { id: string, title: string, judge: (calls: readonly Call[], source: string) => Finding }[]}
 */
const CHECKS = [
  {
    id: "end",
    title: "It runs to its end",
    judge: ([example], source) => {
      const { trace, scenario } = example;
      const why = endInWords(trace, source);
      if (why !== null) return failed(why);
      if (trace.end === "cut")
        return failed(`It was ended after ${tokensOf(trace).length} tokens: it goes on yielding.`);
      return passed(`${callOf(scenario)} came to its end.`);
    },
  },
  {
    id: "tokens",
    title: "It yields the tokens, without end-of-text",
    judge: ([example]) => {
      if (!ended(example.trace)) return open("It did not come to its end.");
      const wrong = wrongTokens(example);
      return wrong === null ? passed(`It yielded ${listed(tokensOf(example.trace))}.`) : failed(wrong);
    },
  },
  {
    id: "passes",
    title: "It makes no pass too many, and none too few",
    judge: ([example]) => {
      if (!ended(example.trace)) return open("It did not come to its end.");
      const wrong = wrongPasses(example);
      if (wrong !== null) return failed(wrong);
      return passed(`It made ${passes(passesOf(example.trace).length)}; the last gave end-of-text.`);
    },
  },
  {
    id: "stream",
    title: "Each token is out before the next pass begins",
    judge: (calls) => {
      for (const call of calls) {
        const held = heldBack(call);
        if (held === null) continue;
        return failed(
          `${inCall(call)}Pass ${held.pass} began before the token ${held.token} was out. Yield each token as soon as its pass has given it.`,
        );
      }
      const hasTokens = calls.some(({ trace }) => tokensOf(trace).length > 0);
      return hasTokens ? passed("No pass began while a token was held back.") : open("No token came out.");
    },
  },
  {
    id: "context",
    title: "Each pass gets all the tokens so far",
    judge: (calls) => {
      for (const call of calls) {
        const wrong = wrongContext(call);
        if (wrong === null) continue;
        return failed(
          `${inCall(call)}Pass ${wrong.pass} got [${wrong.got.join(", ")}] and should get [${wrong.right.join(", ")}]. This model keeps no cache: it needs the prompt and every token after it.`,
        );
      }
      const hasPasses = calls.some(({ trace }) => passesOf(trace).length > 0);
      return hasPasses ? passed("The prompt, and every token after it.") : open("No pass was made.");
    },
  },
  {
    id: "limit",
    title: "It stops at maxNew",
    judge: (calls, source) =>
      forAll(
        calls.filter(({ scenario }) => scenario.group === "limit"),
        source,
        "With maxNew 2, 5 and 0: that many tokens, and no pass after the last.",
      ),
  },
  {
    id: "count",
    title: "It returns the number of passes",
    judge: (calls) => {
      const returned = calls.filter(({ trace }) => trace.end === "returned");
      if (returned.length === 0) return open("It did not come to its end.");
      for (const call of returned) {
        const made = passesOf(call.trace).length;
        const { returned: count } = call.trace;
        if (count === made) continue;
        if (count === undefined || (typeof count !== "number" && count.is === "undefined"))
          return failed("It returned nothing. Count the passes, and return the count at the end.");
        return failed(`${inCall(call)}It returned ${inWords(count)}, but made ${passes(made)}.`);
      }
      if (calls[0].trace.end !== "returned") return open("It did not come to its end.");
      return passed("What it returned is what was counted.");
    },
  },
  {
    id: "prompt",
    title: "It leaves the prompt as it was",
    judge: (calls) => {
      for (const call of calls) {
        const { promptAfter } = call.trace;
        if (promptAfter === null) continue;
        return failed(
          `${inCall(call)}The prompt was [${call.scenario.prompt.join(", ")}] and became [${promptAfter.map(inWords).join(", ")}]. It belongs to the caller: work on a copy.`,
        );
      }
      return ended(calls[0].trace) ? passed("It was not changed.") : open("It did not come to its end.");
    },
  },
  {
    id: "stop",
    title: "When nobody wants more, it makes no more passes",
    judge: (calls, source) => {
      const call = calls.find(({ scenario }) => scenario.group === "stop");
      if (call === undefined || call.trace.end === "skipped") return open("It was not run.");
      const { trace, scenario } = call;
      const why = endInWords(trace, source);
      if (why !== null) return failed(why);
      const wanted = scenario.stopAfter ?? 0;
      if (trace.passesAtStop === null)
        return open(
          `It yielded ${counted(tokensOf(trace).length, "token")}; it was to be stopped after ${wanted}.`,
        );
      const made = passesOf(trace).length;
      if (made === wanted) return passed(`Stopped after ${wanted} tokens, it had made ${passes(made)}.`);
      return failed(
        `After ${wanted} tokens nobody wanted more; ${passes(wanted)} ${wanted === 1 ? "is" : "are"} enough for them, and it made ${made}.`,
      );
    },
  },
  {
    id: "others",
    title: "It works with other prompts and other models",
    judge: (calls, source) => {
      const others = calls.filter(({ scenario }) => scenario.group === "other");
      return forAll(others, source, `${others.length} other calls gave what they should.`);
    },
  },
];

/**
 * Tokens and passes of several calls.
 * @param {readonly Call[]} calls
 * @param {string} source
 * @param {string} praise
 */
function forAll(calls, source, praise) {
  const made = calls.filter(({ trace }) => trace.end !== "skipped");
  for (const call of made) {
    const wrong = endInWords(call.trace, source) ?? wrongTokens(call) ?? wrongPasses(call);
    if (wrong !== null) return failed(`${inCall(call)}${wrong}`);
  }
  return made.length < calls.length || made.length === 0 ? open("It was not run.") : passed(praise);
}

/**
 * All verdicts.
 * @param {readonly Call[]} calls one for each scenario, in their order
 * @param {string} source
 * @returns {Verdict[]}
 */
export function verdicts(calls, source) {
  return CHECKS.map(({ id, title, judge }) => ({ id, title, ...judge(calls, source) }));
}

/**
 * The verdicts in a sentence.
 * @param {readonly Verdict[]} all
 */
export function summary(all) {
  const count = (/** @type {Verdict["state"]} */ state) => all.filter((each) => each.state === state).length;
  if (count("passed") === all.length) return `All ${all.length} checks pass.`;
  const rest = [
    count("failed") > 0 ? `${count("failed")} ${count("failed") === 1 ? "does" : "do"} not` : "",
    count("open") > 0 ? `${count("open")} could not be judged` : "",
  ].filter((part) => part !== "");
  return `${count("passed")} of ${counted(all.length, "check")} pass, ${rest.join(", ")}.`;
}
