/**
 * `node scripts/oembed.js https://example.org/loop/ [query] [--write <folder>]`: what a page says of itself to programs that put
 * it into others (oEmbed 1.0, https://oembed.com). The file has absolute addresses, so it is made for one place. With `--write`
 * it is put into the folder that goes to that place, as oembed.json, and the folder's embed.html is given a link to it.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { frameSnippet } from "../www/chapter/snippets.js";
import { parametersFrom } from "../www/parameters.js";
import { Problem, runIfMain } from "./run.js";

const PAGE = "embed.html";
const FILE = "oembed.json";

/** The size where nobody asks for another, in CSS pixels: a column of text, and what a screen shows of it. The page scrolls. */
const SIZE = { width: 720, height: 900 };

/** How long it may be kept, in seconds: a day. */
const CACHE_AGE = 86_400;

/**
 * The address of the folder, as it can be the base of others.
 * @param {string} text
 * @throws {Problem}
 */
export function siteFrom(text) {
  const address = URL.canParse(text) ? new URL(text) : null;
  const isBase =
    address !== null &&
    /^https?:$/.test(address.protocol) &&
    address.pathname.endsWith("/") &&
    `${address.username}${address.password}` === "" &&
    !/[?#]/.test(text);
  if (isBase) return address.href;
  throw new Problem(
    `The address is ${JSON.stringify(text)}; allowed: that of the folder with ${PAGE} in it, from https:// or http:// to the slash at its end, as https://example.org/loop/`,
  );
}

/**
 * @param {string} address of the folder that embed.html stands in
 * @param {string} [query] what the frame is to show, as in its address
 * @throws {Problem}
 */
export function oembed(address, query = "") {
  const site = siteFrom(address);
  const page = new URL(PAGE, site);
  page.search = query;
  const { problems } = parametersFrom(page.search, page.href);
  if (problems.length > 0) throw new Problem(`The query is ${JSON.stringify(query)}; ${problems.join(" ")}`);
  return {
    version: "1.0",
    type: "rich",
    provider_name: "generation-loop",
    provider_url: site,
    title: "One token per forward pass",
    cache_age: CACHE_AGE,
    html: frameSnippet(page.href, SIZE),
    ...SIZE,
  };
}

/** @param {string} address of the folder */
export const oembedLink = (address) => ({
  rel: "alternate",
  type: "application/json+oembed",
  title: "One token per forward pass",
  href: new URL(FILE, siteFrom(address)).href,
});

/** @param {unknown} data */
const asFile = (data) => `${JSON.stringify(data, null, 2)}\n`;

/**
 * The page with a link to its file, in place of one that it had.
 * @param {string} html
 * @param {string} address
 */
export function withLink(html, address) {
  const attributes = Object.entries(oembedLink(address)).map(
    ([name, value]) => ` ${name}="${value.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`,
  );
  const rest = html.replace(/\s*<link rel="alternate" type="application\/json\+oembed"[^>]*>/g, "");
  const at = rest.indexOf("</head>");
  if (at < 0) throw new Problem(`${PAGE} has no </head>, where the link would go`);
  const head = rest.slice(0, at).trimEnd();
  return `${head}\n    <link${attributes.join("")}>\n  ${rest.slice(at)}`;
}

/**
 * For the site: the file, and the link to it.
 * @param {string | undefined} address of the site; without one there is neither
 * @returns {import("vite").Plugin}
 */
export function oembedOf(address) {
  return {
    name: "oembed",
    apply: () => Boolean(address),
    transformIndexHtml: (html, { filename }) =>
      filename.endsWith(PAGE) ? withLink(html, /** @type {string} */ (address)) : html,
    generateBundle() {
      const source = asFile(oembed(/** @type {string} */ (address)));
      this.emitFile({ type: "asset", fileName: FILE, source });
    },
  };
}

const USAGE = "usage: node scripts/oembed.js <address> [query] [--write <folder>]";

await runIfMain(import.meta.url, async () => {
  const args = process.argv.slice(2);
  const at = args.indexOf("--write");
  const [folder] = at < 0 ? [] : args.splice(at, 2).slice(1);
  const [address, query, ...rest] = args;
  if (address === undefined || rest.length > 0 || (at >= 0 && folder === undefined)) throw new Problem(USAGE);
  const text = asFile(oembed(address, query));
  if (folder === undefined) {
    process.stdout.write(text);
    return;
  }
  const page = join(folder, PAGE);
  if (!existsSync(page))
    throw new Problem(`The folder is ${JSON.stringify(folder)}; allowed: one with ${PAGE} in it`);
  // Both or neither: a page that cannot take the link is found out first.
  const linked = withLink(readFileSync(page, "utf8"), address);
  writeFileSync(join(folder, FILE), text);
  writeFileSync(page, linked);
});
