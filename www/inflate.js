/** What is in the package as text: deflated (raw), in base64. */

/**
 * @param {string} base64
 * @returns {Promise<ArrayBuffer>}
 */
export async function inflated(base64) {
  const binary = atob(base64);
  const deflated = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place += 1) deflated[place] = binary.charCodeAt(place);
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).arrayBuffer();
}
