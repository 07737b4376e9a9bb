/** What every section of the benchmark runs on: a server of the repository's files, and one headless Chromium. */

import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { cpus } from "node:os";
import { extname, join, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "@playwright/test";
import { root } from "../scripts/run.js";
import { findBrowsers } from "../scripts/setup.js";

/** @typedef {import("@playwright/test").Page} Page */

/**
 * @typedef {object} Host
 * @property {string} origin where the repository's files are
 * @property {import("@playwright/test").Browser} browser
 * @property {() => Promise<Page>} open a page of its own for modules to run in, with a fine clock
 * @property {(rounds: number) => Stamp} stamp
 */

/**
 * How results were come by.
 * @typedef {object} Stamp
 * @property {string | undefined} machine
 * @property {string} browser
 * @property {number} rounds
 */

/** @type {Record<string, string>} */
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

/** What a server sends compressed, where it is not longer than a page would ever fetch: it is done once, and takes a while. */
const COMPRESSED = [".html", ".js", ".json", ".mjs", ".onnx", ".wasm"];
const LONGEST_COMPRESSED = 2 ** 24;

/** Files of the repository. */
async function serve() {
  /** @type {Map<string, { changed: number, body: Buffer }>} */
  const compressed = new Map();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/favicon.ico") return void response.writeHead(204).end();
    // A test must see the file as it is now, and no round what an earlier one fetched.
    response.setHeader("cache-control", "no-store");
    if (pathname === "/") {
      // With these two a page is alone in its process, and its clock has steps of 5 µs instead of 100.
      response.setHeader("cross-origin-opener-policy", "same-origin");
      response.setHeader("cross-origin-embedder-policy", "require-corp");
      response.setHeader("content-type", TYPES[".html"]);
      return void response.end("<!doctype html><title>Benchmark</title>");
    }
    const path = join(root, decodeURIComponent(pathname));
    const status = path.startsWith(root + sep) ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (!status?.isFile()) return void response.writeHead(404).end();
    const ending = extname(path);
    response.setHeader("cross-origin-embedder-policy", "require-corp");
    response.setHeader("content-type", TYPES[ending] ?? "application/octet-stream");
    if (!COMPRESSED.includes(ending) || status.size > LONGEST_COMPRESSED) {
      return void createReadStream(path).pipe(response);
    }
    let known = compressed.get(path);
    if (known?.changed !== status.mtimeMs) {
      known = { changed: status.mtimeMs, body: gzipSync(readFileSync(path), { level: 9 }) };
      compressed.set(path, known);
    }
    response.setHeader("content-encoding", "gzip");
    response.end(known.body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Server and browser, for as long as `use` takes.
 * @param {(host: Host) => Promise<void>} use
 */
export async function withHost(use) {
  const { chromium: found } = await findBrowsers();
  const { origin, close } = await serve();
  try {
    const browser = await chromium.launch({ executablePath: found?.path });
    try {
      await use({
        origin,
        browser,
        open: () => open(browser, origin),
        stamp: (rounds) => ({ machine: cpus()[0]?.model, browser: `Chromium ${browser.version()}`, rounds }),
      });
    } finally {
      await browser.close();
    }
  } finally {
    close();
  }
}

/** @param {Host["browser"]} browser @param {string} origin */
async function open(browser, origin) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error.message));
  await page.exposeFunction("say", (/** @type {string} */ text) => console.log(`  ${text}`));
  await page.goto(origin);
  return page;
}

/**
 * In a browser context of its own.
 * @template T
 * @param {Host} host
 * @param {string} address
 * @param {(page: Page) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function visit({ browser, origin }, address, use) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    page.on("pageerror", (error) => console.error(`${address}: ${error.message}`));
    await page.goto(origin + address);
    return await use(page);
  } finally {
    await context.close();
  }
}

/**
 * Calls a function that a module of this folder exports, in a page; behind its arguments it gets `say`, for a word on how far
 * it is.
 * @param {Page} page
 * @param {string} file
 * @param {string} name
 * @param {...unknown} args
 * @returns {Promise<any>}
 */
export function call(page, file, name, ...args) {
  return page.evaluate(
    async ([address, exported, given]) => {
      const module = await import(address);
      return module[exported](...given, /** @type {any} */ (window).say);
    },
    /** @type {[string, string, unknown[]]} */ ([`/bench/${file}`, name, args]),
  );
}
