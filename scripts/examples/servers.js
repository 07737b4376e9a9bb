/** Servers of the examples: the frameworks' own, each a group of processes that ends with it, and one of files. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { Problem } from "../run.js";
import { QUIET } from "./workshop.js";

/** @typedef {{ address: string, close: () => Promise<void> }} Server */

/** How long a framework may take to answer for the first time, in milliseconds. */
const PATIENCE = 120_000;

/** Windows has no process groups. */
const hasGroups = process.platform !== "win32";

/** The groups that run now. @type {Set<number>} */
const groups = new Set();

process.on("exit", () => {
  for (const pid of groups) signal(pid, "SIGKILL");
});

/**
 * @param {number} pid of the group's first process
 * @param {NodeJS.Signals | 0} name 0 only asks whether there is any process left
 */
function signal(pid, name) {
  try {
    return process.kill(hasGroups ? -pid : pid, name);
  } catch {
    return false;
  }
}

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
export async function started([program = "", ...args], port) {
  const child = spawn(program, args, {
    env: { ...process.env, ...QUIET },
    stdio: ["ignore", "pipe", "pipe"],
    detached: hasGroups,
  });
  const { pid } = child;
  if (pid !== undefined) groups.add(pid);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
  }
  /** @type {string | null} */
  let ended = null;
  child.on("error", ({ message }) => {
    ended = message;
  });
  child.on("exit", (code, by) => {
    ended ??= `exit code ${code ?? by}`;
  });
  const close = async () => {
    if (pid === undefined) return;
    signal(pid, "SIGTERM");
    for (let wait = 0; wait < 50 && signal(pid, 0); wait += 1) await pause(100);
    signal(pid, "SIGKILL");
    groups.delete(pid);
  };

  const address = `http://127.0.0.1:${port}/`;
  const deadline = Date.now() + PATIENCE;
  while (Date.now() < deadline && ended === null) {
    // Any answer will do: what it should be is for the reader to say.
    if (await fetch(address, { method: "HEAD" }).catch(() => null)) return { address, close };
    await pause(100);
  }
  await close();
  const why = ended ?? `no answer at ${address} within ${PATIENCE / 1000} s`;
  throw new Problem(`The server does not start (${why}): ${[program, ...args].join(" ")}\n${said}`);
}

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

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
