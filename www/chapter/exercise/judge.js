/** A program through all calls, up to where more of them would tell nothing. */

import { scenarios } from "./scenarios.js";
import { emptyTrace } from "./trace.js";

/** Where the first call ends like this, the others would too. */
const HOPELESS = new Set(["time", "shape", "memory"]);

/**
 * Runs a program.
 * @param {import("./sandbox.js").Sandbox} sandbox
 * @param {string} source
 * @param {(trace: import("./trace.js").Trace) => void} each
 * @returns {Promise<import("./trace.js").Problem | null>} why it cannot be run at all
 */
export async function runThrough(sandbox, source, each) {
  const problem = await sandbox.take(source);
  if (problem !== null) return problem;
  for (const scenario of scenarios()) {
    const trace = await sandbox.run(scenario);
    each(trace);
    if (scenario.group === "example" && HOPELESS.has(trace.end)) break;
  }
  return null;
}

/**
 * One call for each scenario; those that were not made are told as such.
 * @param {readonly import("./trace.js").Trace[]} traces
 * @param {import("./trace.js").End} [missing] how the one ended that there is no trace of
 * @returns {import("./checks.js").Call[]}
 */
export function callsFrom(traces, missing = "skipped") {
  return scenarios().map((scenario, place) => ({
    scenario,
    trace: traces[place] ?? emptyTrace(place === traces.length ? missing : "skipped"),
  }));
}
