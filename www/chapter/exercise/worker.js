/** The sandbox in a thread of its own, so that the page can end it. `runner.js` is the other end. */

import wasm from "@jitl/quickjs-wasmfile-release-sync/wasm?url";
import { runThrough } from "./judge.js";
import { Sandbox } from "./sandbox.js";

/**
 * What it says: that it is ready, a call's trace, the end of a run; or that it cannot start.
 * @typedef {{ ready: true } | { trace: import("./trace.js").Trace } | { failed: string }
 *   | { done: true, problem: import("./trace.js").Problem | null }} Said
 */

/** @param {Said} said */
const say = (said) => postMessage(said);

async function begin() {
  const response = await fetch(wasm);
  if (!response.ok) throw new Error(`${response.status} for ${wasm}`);
  const sandbox = new Sandbox(await WebAssembly.compile(await response.arrayBuffer()));
  addEventListener("message", async ({ data }) => {
    const problem = await runThrough(sandbox, String(data), (trace) => say({ trace }));
    say({ done: true, problem });
  });
  say({ ready: true });
}

begin().catch((error) => say({ failed: error.message }));
