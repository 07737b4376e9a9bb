/**
 * Two servers, for two origins: the page at 8080, and the package's files at 8081 as a CDN would have them.
 * `node serve.js 3000 3001` takes other ports.
 */

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
};

/** Serves the files of a folder. */
function serve(folder, port, headers = {}) {
  createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    try {
      const file = join(folder, pathname.endsWith("/") ? `${pathname}index.html` : pathname);
      const type = TYPES[extname(file)] ?? "application/octet-stream";
      const content = await readFile(file);
      response.writeHead(200, { "content-type": type, ...headers }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  }).listen(port, "127.0.0.1");
}

const [page = 8080, cdn = 8081] = process.argv.slice(2).map(Number);
const manifest = fileURLToPath(import.meta.resolve("generation-loop/package.json"));
serve(fileURLToPath(new URL("page", import.meta.url)), page);
// Scripts of type module are always fetched with CORS: without this header the browser keeps the file from the page.
serve(join(dirname(manifest), "dist"), cdn, { "access-control-allow-origin": "*" });
console.log(`The page is at http://127.0.0.1:${page}/, the package at http://127.0.0.1:${cdn}/`);
