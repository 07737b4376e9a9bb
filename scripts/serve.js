/**
 * A static server for the browser tests. It shows what a reader would get: the built chapter at the root, and the built
 * package and the embedding pages under the same paths as in the repository, so that a page's relative links work there
 * and from disk alike.
 */

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, extname, join, sep } from "node:path";
import { pipeline } from "node:stream";
import { root, runIfMain } from "./run.js";

/** What is shown as it lies here; the last two are the fonts of a page that looks like another site's. */
const FOLDERS = [
  "dist",
  "tests",
  "crate/models",
  "node_modules/@fontsource",
  "node_modules/@fontsource-variable",
];

/** @type {Record<string, string>} */
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};

/**
 * Policies under which pages are shown, by what their names begin with, the longer one first: the strictest that an
 * embedding site can have and still run WebAssembly, and the same without it.
 * @type {readonly (readonly [name: string, policy: string])[]}
 */
const POLICIES = [
  ["themed", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; font-src 'self'"],
  ["csp-without-wasm", "default-src 'none'; script-src 'self'; style-src 'self'"],
  [
    "csp-trusted-types",
    "script-src 'self' 'wasm-unsafe-eval'; require-trusted-types-for 'script'; trusted-types lit-html",
  ],
  ["csp", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'"],
  // The frames have a policy of their own.
  ["iframe", "default-src 'none'; script-src 'self'; style-src 'self'; frame-src 'self'"],
];

/** The chapter's own: every test of it is one of this policy too. */
const CHAPTER_POLICY = "script-src 'self' 'wasm-unsafe-eval'; style-src 'self'";

/**
 * The file that a URL's path means, or null where it means none that may be read.
 * @param {string} pathname
 */
function fileFor(pathname) {
  let path;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    return null;
  }
  // `new URL` has resolved plain dots; encoded ones, backslashes and NULs have no business in a path here.
  if (/[\\\0]/.test(path) || path.split("/").includes("..")) return null;
  const folder = FOLDERS.find((name) => path.startsWith(`/${name}/`));
  const file = folder ? join(root, path) : join(root, "site", path);
  return file.endsWith(sep) ? join(file, "index.html") : file;
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
async function answer(request, response) {
  /** @param {number} status */
  const say = (status) => void response.writeHead(status).end();
  if (request.method !== "GET" && request.method !== "HEAD") return say(405);
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  // Browsers ask for it by themselves, and a 404 would look like an error of the page.
  if (pathname === "/favicon.ico") return say(204);
  const file = fileFor(pathname);
  if (!file) return say(403);
  const status = await stat(file).catch(() => null);
  if (!status?.isFile()) return say(404);

  response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
  response.setHeader("content-length", status.size);
  response.setHeader("x-content-type-options", "nosniff");
  // A test must see the file as it is now.
  response.setHeader("cache-control", "no-store");
  if (extname(file) === ".html") {
    const isChapter = !FOLDERS.some((name) => pathname.startsWith(`/${name}/`));
    const [, ofFixture] = POLICIES.find(([name]) => basename(file).startsWith(name)) ?? [];
    const policy = isChapter ? CHAPTER_POLICY : ofFixture;
    if (policy !== undefined) response.setHeader("content-security-policy", policy);
  }
  if (request.method === "HEAD") return say(200);
  pipeline(createReadStream(file), response, () => {});
}

/**
 * Starts the server on this machine alone.
 * @param {number} [port] 0 is any free one
 * @returns {Promise<{ origin: string, close: () => Promise<void> }>}
 */
export async function serve(port = 0) {
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.destroy(error));
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", () => resolve(undefined));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// By hand, after a build: `node scripts/serve.js [port]`.
await runIfMain(import.meta.url, async () => {
  const { origin } = await serve(Number(process.argv[2] ?? 0));
  console.log(`${origin}/ (stop with Ctrl-C)`);
});
