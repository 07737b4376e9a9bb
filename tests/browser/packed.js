/**
 * The package as others get it: packed by npm, unpacked outside of the repository, and served from there. With the `test` of this
 * file, `/dist/` is the packed one, and a page of `tests/pages` that loads `../../dist/…` loads that.
 */

import { createReadStream } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { findProgram, must, root } from "../../scripts/run.js";
import { test as base, expect } from "./fixtures.js";

/** @type {Record<string, string>} */
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".wasm": "application/wasm",
};

/** Words that another version of the package has in the place of these, in English and in German. */
const REWORDED = /** @type {const} */ ([
  ["Step log", "Step log, another version"],
  ["eine Zeile je Durchlauf", "andere Fassung, eine Zeile je Durchlauf"],
]);

/**
 * @typedef {object} Packed
 * @property {string} folder where the package lies, unpacked
 * @property {string} origin where it is served, and the pages of the tests beside it
 * @property {string} away another origin, whose files any page may read
 */

/** Packs the package and unpacks it into a folder that is new. */
export async function unpacked() {
  const folder = await mkdtemp(join(tmpdir(), "generation-loop-"));
  const npm = process.env.npm_execpath
    ? [process.execPath, process.env.npm_execpath]
    : [findProgram("npm") ?? "npm"];
  await must([...npm, "pack", root, "--pack-destination", folder, "--ignore-scripts"], { quiet: true });
  const [file] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  await must(["tar", "-xzf", join(folder, file), "-C", folder], { quiet: true });
  return { folder: join(folder, "package"), remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Serves the package at `/dist/`, another version of it at `/other/`, and the pages of the tests.
 * @param {string} folder
 * @param {Record<string, string>} headers of every answer
 */
async function serve(folder, headers) {
  /** @param {string} pathname */
  const fileFor = (pathname) => {
    const path = decodeURIComponent(pathname);
    if (/[\\\0]/.test(path) || path.split("/").includes("..")) return null;
    if (path.startsWith("/tests/")) return join(root, path);
    return /^\/(?:dist|other)\//.test(path) ? join(folder, path.replace("/other/", "/dist/")) : null;
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    // Browsers ask for it by themselves.
    if (pathname === "/favicon.ico") return void response.writeHead(204, headers).end();
    const file = fileFor(pathname);
    const found = file !== null && (await stat(file).catch(() => null))?.isFile();
    if (file === null || !found) return void response.writeHead(404, headers).end();
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { ...headers, "content-type": type, "x-content-type-options": "nosniff" });
    if (pathname.startsWith("/other/") && extname(file) === ".js") {
      response.end(reworded(await readFile(file, "utf8")));
    } else createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @param {string} code */
const reworded = (code) => REWORDED.reduce((text, [old, other]) => text.replaceAll(old, other), code);

/** @type {typeof base.extend<{}, { packed: Packed }>} */
const extend = base.extend;

export const test = extend({
  packed: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern what a fixture needs
    async ({}, use) => {
      const { folder, remove } = await unpacked();
      const here = await serve(folder, {});
      const away = await serve(folder, { "access-control-allow-origin": "*" });
      await use({ folder, origin: here.origin, away: away.origin });
      await Promise.all([here.close(), away.close()]);
      await remove();
    },
    { scope: "worker" },
  ],
  origin: [({ packed }, use) => use(packed.origin), { scope: "worker" }],
});
export { expect };
