/**
 * The `test` that every spec uses. It serves what was built, and it fails a test whose page complains on the console,
 * throws, or asks another host for something: a reader's page does none of these.
 */

import { test as base, expect } from "@playwright/test";
import { serve } from "../../scripts/serve.js";

/** Why a test of a page without scripts is skipped in Firefox. */
export const RUNS_SCRIPTS = "Firefox as its users have it runs scripts whatever the driver says";

/**
 * What the pages of one test said.
 * @typedef {object} Complaints
 * @property {string[]} all every console warning and error and every exception so far, as "warning: …" or "error: …"
 * @property {(...patterns: RegExp[]) => void} allow from now on, and looking back, what matches is no failure
 */

/** @type {typeof base.extend<{ complaints: Complaints }, { origin: string }>} */
const extend = base.extend;

export const test = extend({
  // One server for each worker, on a port that the system picks: nothing to collide with, nothing to leave running.
  origin: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern what a fixture needs
    async ({}, use) => {
      const server = await serve();
      await use(server.origin);
      await server.close();
    },
    { scope: "worker" },
  ],
  baseURL: ({ origin }, use) => use(origin),
  complaints: [
    async ({ context, origin }, use) => {
      /** @type {string[]} */
      const all = [];
      /** @type {RegExp[]} */
      const allowed = [
        // Firefox asks for an icon by itself, and says so where a page's policy forbids it.
        /favicon\.ico/,
      ];
      context.on("console", (message) => {
        if (["warning", "error"].includes(message.type())) all.push(`${message.type()}: ${message.text()}`);
      });
      context.on("weberror", (event) => all.push(`error: ${event.error()}`));
      context.on("request", (request) => {
        const url = request.url();
        if (/^(https?|wss?):/.test(url) && !url.startsWith(`${origin}/`))
          all.push(`error: request to ${url}`);
      });
      // Chromium tells the console of a failed request, Firefox does not.
      context.on("response", (response) => {
        if (response.status() >= 400) all.push(`error: ${response.status()} for ${response.url()}`);
      });
      await use({ all, allow: (...patterns) => void allowed.push(...patterns) });
      const unexpected = all.filter((complaint) => !allowed.some((pattern) => pattern.test(complaint)));
      expect(unexpected, "what the page complained about").toEqual([]);
    },
    { auto: true },
  ],
});
export { expect };
