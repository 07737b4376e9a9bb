/** The package's files at 8081, for pages of other origins, as a CDN would have them. `node serve.js 3001` takes another port. */

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [port = 8081] = process.argv.slice(2).map(Number);
const dist = join(dirname(fileURLToPath(import.meta.resolve("generation-loop/package.json"))), "dist");

createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  try {
    const content = await readFile(join(dist, pathname));
    // Scripts of type module are always fetched with CORS: without this header the browser keeps the file from the notebook.
    const headers = { "content-type": "text/javascript", "access-control-allow-origin": "*" };
    response.writeHead(200, headers).end(content);
  } catch {
    response.writeHead(404).end();
  }
}).listen(port, "127.0.0.1");
console.log(`The package is at http://127.0.0.1:${port}/`);
