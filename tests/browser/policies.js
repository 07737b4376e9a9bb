/** The policies of docs/policy-and-privacy.md, pages under them, and a reader who wishes for everything. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/run.js";
import { expect } from "./fixtures.js";
import { LARGE, randomFiles } from "./models.js";

const TEXT = readFileSync(join(root, "docs/policy-and-privacy.md"), "utf8");
export const ON_THE_PAGE = "No worker can be started here";
export const FILES = randomFiles(LARGE, 5);
export const REFUSED = /Content.Security.Policy|Trusted|wasm-unsafe-eval|violates/i;

/**
 * A policy as the page has it.
 * @param {string} heading below which it stands
 * @param {number} [index] among those below it
 */
export function policyOf(heading, index = 0) {
  const section = TEXT.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const policy = [...section.matchAll(/^```http\n(.*)\n```$/gm)][index]?.[1];
  if (policy === undefined) throw new Error(`no policy ${index} below ${heading}`);
  return policy;
}

/**
 * Has a page come under another policy, and changed.
 * @param {import("@playwright/test").Page} page
 * @param {string} policy
 * @param {{ file?: string, change?: (html: string) => string, headers?: Record<string, string> }} [options]
 */
export async function under(page, policy, { file = "csp.html", change = (html) => html, headers = {} } = {}) {
  await page.route(`**/tests/pages/${file}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      body: change(await response.text()),
      headers: { "content-type": "text/html", "content-security-policy": policy, ...headers },
    });
  });
  await page.goto(`/tests/pages/${file}`);
}

/** @param {string} policy @param {string} directive to be left out */
export const without = (policy, directive) =>
  policy
    .split("; ")
    .filter((part) => !part.startsWith(`${directive} `))
    .join("; ");

/** All that a reader can wish for: a run, and everything to take away. @param {import("./widget.js").Widget} widget */
export async function useAll(widget) {
  await widget.run();
  for (const button of ["Log as CSV", "Run as JSON", "Picture (SVG)"]) {
    await widget.button(button).click();
    await expect(widget.share).toContainText("Saved as");
  }
  for (const button of ["Copy the text", "Copy a link to this run"]) {
    await widget.button(button).click();
    await expect(widget.share).toContainText(/Copied\.|take it from here/);
  }
}

/** @param {import("./widget.js").Widget} widget */
export async function openLarge(widget) {
  await widget.prompt.fill("12 7 412");
  await widget.open(FILES);
  await expect(widget.model("model.safetensors")).toBeChecked();
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(1);
}

/**
 * Answers with a file of the repository.
 * @param {string} path
 * @param {Record<string, string>} [headers]
 * @param {(text: string) => string} [change]
 */
export const file =
  (path, headers = {}, change = (text) => text) =>
  (/** @type {import("../unit/server.js").Response} */ response) => {
    const type = path.endsWith(".html") ? "text/html" : "text/javascript";
    const text = change(readFileSync(join(root, path), "utf8"));
    response.writeHead(200, { "content-type": type, ...headers }).end(text);
  };
