/** The examples: how each is built and served, and what its page has to show. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "../run.js";
import { writePages } from "./notebook.js";
import { succeed } from "./processes.js";
import { expectedFlops } from "./reader.js";
import { files, freePort, started } from "./servers.js";
import { script } from "./workshop.js";

/** @typedef {import("./reader.js").Expectation} Expectation */
/** @typedef {import("./servers.js").Server} Server */

/**
 * One way to look at an example.
 * @typedef {object} Mode
 * @property {string} name
 * @property {string[]} [before] scripts of the example that have to succeed first
 * @property {(folder: string) => Promise<Server>} serve
 * @property {Expectation[]} pages
 */

/**
 * @typedef {object} Example
 * @property {string} name of its folder
 * @property {readonly ("chromium" | "firefox")[]} browsers
 * @property {Mode[]} modes
 * @property {(folder: string) => Promise<void>} [check] what is to be seen without a browser
 */

const BOTH = /** @type {const} */ (["chromium", "firefox"]);
const CHROMIUM = /** @type {const} */ (["chromium"]);

/** What the examples of frameworks set by properties, in other values than the defaults. */
const PROPERTIES = { sampling: "top-k", topK: 5, seed: 7, stop: ["!", "."] };

/**
 * The server of a framework, by a script of the example.
 * @param {string} name
 * @param {(port: string) => string[]} args
 * @returns {(folder: string) => Promise<Server>}
 */
const served = (name, args) => async (folder) => {
  const port = await freePort();
  return started(script(folder, name, ...args(String(port))), port);
};

/** @param {string} port */
const vitePort = (port) => ["--host", "127.0.0.1", "--port", port, "--strictPort"];

/**
 * Vite's two faces.
 * @param {Expectation[]} pages
 * @param {string[]} [checks]
 * @returns {Mode[]}
 */
const viteModes = (pages, checks = []) => [
  { name: "dev", serve: served("dev", vitePort), pages },
  { name: "production", before: [...checks, "build"], serve: served("preview", vitePort), pages },
];

/** @type {Example[]} */
export const EXAMPLES = [
  {
    name: "plain",
    browsers: BOTH,
    modes: [{ name: "two origins", serve: twoOrigins, pages: [{}] }],
  },
  {
    name: "vite",
    browsers: BOTH,
    modes: viteModes([{}, { path: "split.html", fetched: /\.wasm$/ }]),
  },
  { name: "react", browsers: BOTH, modes: viteModes([{ properties: PROPERTIES }], ["types"]) },
  { name: "vue", browsers: CHROMIUM, modes: viteModes([{ properties: PROPERTIES }]) },
  { name: "svelte", browsers: CHROMIUM, modes: viteModes([{ properties: PROPERTIES }]) },
  {
    name: "next",
    browsers: CHROMIUM,
    modes: nextModes([
      { properties: PROPERTIES, rendered: /<generation-loop[^>]*prompt="the cat sat"[^>]*><p>This needs/ },
    ]),
  },
  {
    name: "astro",
    browsers: CHROMIUM,
    modes: [
      { name: "dev", serve: served("dev", astroPort), pages: [{}] },
      { name: "production", before: ["build"], serve: served("preview", astroPort), pages: [{}] },
    ],
  },
  {
    name: "webpack",
    browsers: CHROMIUM,
    modes: [{ name: "production", before: ["build"], serve: files, pages: [{}] }],
  },
  {
    name: "notebook",
    browsers: CHROMIUM,
    modes: [{ name: "cell", serve: notebook, pages: [{ path: "export.html" }, { path: "live.html" }] }],
  },
  { name: "node", browsers: [], modes: [], check: passesInNode },
];

/** @param {string} port */
function astroPort(port) {
  return ["--host", "127.0.0.1", "--port", port];
}

/** @param {Expectation[]} pages @returns {Mode[]} */
function nextModes(pages) {
  const port = (/** @type {string} */ number) => ["--hostname", "127.0.0.1", "--port", number];
  return [
    { name: "dev", serve: served("dev", port), pages },
    { name: "production", before: ["build"], serve: served("start", port), pages },
  ];
}

/**
 * Names the place of the package, which a page has to know that has it from another origin.
 * @param {number} port
 * @returns {(html: string) => string}
 */
const packageAt = (port) => (html) => {
  const usual = "http://127.0.0.1:8081/";
  if (!html.includes(usual)) throw new Problem(`The page does not take the package from ${usual}`);
  return html.replaceAll(usual, `http://127.0.0.1:${port}/`);
};

/** @param {string} folder */
async function twoOrigins(folder) {
  const [port, packagePort] = [await freePort(), await freePort()];
  const page = join(folder, "page/index.html");
  writeFileSync(page, packageAt(packagePort)(readFileSync(page, "utf8")));
  return started(script(folder, "start", String(port), String(packagePort)), port);
}

/** @param {string} folder */
async function notebook(folder) {
  const port = await freePort();
  writePages(folder, packageAt(port));
  const origin = await started(script(folder, "start", String(port)), port);
  const pages = await files(folder);
  return {
    address: pages.address,
    close: async () => {
      await pages.close();
      await origin.close();
    },
  };
}

/** @param {string} folder */
async function passesInNode(folder) {
  const said = await succeed(script(folder, "start"));
  for (const [index, flops] of expectedFlops().entries()) {
    const phase = index === 0 ? "prefill" : "decode";
    const row = new RegExp(`^ +${index + 1} +${phase} +\\d+ +${flops.toLocaleString("en")} `, "m");
    if (!row.test(said)) throw new Problem(`It does not print ${row}, but:\n${said}`);
  }
}

/**
 * What an example does before it is served.
 * @param {string} folder
 * @param {readonly string[]} scripts
 */
export async function prepare(folder, scripts) {
  for (const name of scripts) await succeed(script(folder, name));
}
