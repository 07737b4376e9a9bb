/**
 * The WebAssembly from a file beside this one, compiled while it arrives and kept by the browser's cache: what stands in the place
 * of `module.js` in the form of the package that has it apart.
 */

/** What every WebAssembly file begins with. */
const MAGIC = "\0asm";

/**
 * @returns {Promise<WebAssembly.Module>}
 * @throws {Error} (as a rejection) if what is there is no WebAssembly
 */
export async function compiled() {
  const url = new URL("./generation-loop.wasm", import.meta.url);
  const response = await fetch(url).catch((cause) => {
    throw new Error(`${url} could not be fetched (${cause.message})`, { cause });
  });
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}`);
  // Only with the right type does a browser compile while bytes arrive; a server that does not know it is no reason to fail.
  if (/^application\/wasm\b/i.test(response.headers.get("content-type") ?? "")) {
    return WebAssembly.compileStreaming(response);
  }
  const bytes = await response.arrayBuffer();
  const begin = String.fromCharCode(...new Uint8Array(bytes).subarray(0, MAGIC.length));
  if (begin !== MAGIC) throw new Error(`${url} is no WebAssembly: it begins with ${JSON.stringify(begin)}`);
  return WebAssembly.compile(bytes);
}
