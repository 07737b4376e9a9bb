/** Servers of the examples: the frameworks' own, and one of files. */

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { Problem } from "../run.js";
import { begin, pause } from "./processes.js";

/** @typedef {{ address: string, close: () => Promise<void> }} Server */

/** How long a framework may take to answer for the first time, in milliseconds. */
const PATIENCE = 120_000;

/** A port that nobody has at the moment. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Starts a framework's server and waits for its first answer.
 * @param {string[]} command
 * @param {number} port that it was told to take
 * @returns {Promise<Server>}
 */
export async function started(command, port) {
  const running = begin(command);
  const address = `http://127.0.0.1:${port}/`;
  const deadline = Date.now() + PATIENCE;
  while (Date.now() < deadline && running.ended === null) {
    // Any answer will do: what it should be is for the reader to say.
    if (await fetch(address, { method: "HEAD" }).catch(() => null)) return { address, close: running.close };
    await pause(100);
  }
  await running.close();
  const why = running.ended ?? `no answer at ${address} within ${PATIENCE / 1000} s`;
  throw new Problem(`The server does not start (${why}): ${command.join(" ")}\n${running.said}`);
}

/** @type {Record<string, string>} */
const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
};

/**
 * Serves a folder as any server of static files would.
 * @param {string} folder
 * @returns {Promise<Server>}
 */
export async function files(folder) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = join(folder, pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    try {
      const content = await readFile(path);
      const type = TYPES[extname(path)] ?? "application/octet-stream";
      response.writeHead(200, { "content-type": type, "x-content-type-options": "nosniff" }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    address: `http://127.0.0.1:${port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
