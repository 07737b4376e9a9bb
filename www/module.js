/** The WebAssembly, as text among the JavaScript: no path, MIME type, CORS or `connect-src` of a host can keep it away. */

import { inflated } from "./inflate.js";
import { deflatedWasm } from "./pkg/wasm.js";

/** @returns {Promise<WebAssembly.Module>} */
export async function compiled() {
  return WebAssembly.compile(await inflated(deflatedWasm));
}
