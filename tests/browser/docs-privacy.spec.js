/** What docs/policy-and-privacy.md says of privacy: nothing is left behind, and nothing is told. */

import { serve } from "../unit/server.js";
import { expect, test } from "./fixtures.js";
import { FILES, file, policyOf, under, useAll } from "./policies.js";
import { Widget } from "./widget.js";

test("nothing is stored, and nothing is asked for but its own files", async ({ page, context, origin }) => {
  /** @type {string[]} */
  const requests = [];
  context.on("request", (request) => requests.push(`${request.method()} ${request.url()}`));
  await under(page, policyOf("Script and tag"));
  const address = page.url();
  const widget = await Widget.on(page);
  await widget.use("untrained");
  await widget.set("Seed", "3");
  await useAll(widget);
  await widget.open(FILES);
  await expect(widget.model("model.safetensors")).toBeChecked();
  const left = await page.evaluate(async () => ({
    cookies: document.cookie,
    local: localStorage.length,
    session: sessionStorage.length,
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    name: window.name,
    state: history.state,
    entries: history.length,
  }));
  expect(left).toEqual({
    ...{ cookies: "", local: 0, session: 0, databases: [], caches: [], workers: 0, name: "", state: null },
    entries: left.entries,
  });
  expect(page.url()).toBe(address);
  expect(await context.cookies()).toEqual([]);
  const own = ["generation-loop.js", "sharing.js", "files.js", "worker-loop.js", "worker.js", "engine.js"];
  const expected = ["tests/pages/csp.html", "tests/pages/csp.js", ...own.map((file) => `dist/${file}`)];
  const asked = requests.filter((request) => !/favicon|blob:/.test(request));
  // Firefox tells of what a worker asks for, Chromium of some of it.
  const allowed = new Set(expected.map((path) => `GET ${origin}/${path}`));
  expect(asked.filter((request) => !allowed.has(request))).toEqual([]);
  for (const path of expected.slice(0, 4)) expect(asked).toContain(`GET ${origin}/${path}`);
});

test("before anybody does anything there is one request for it", async ({ page, context }) => {
  /** @type {string[]} */
  const requests = [];
  context.on("request", (request) => requests.push(request.url()));
  await under(page, policyOf("Script and tag"));
  const widget = await Widget.on(page);
  await widget.run();
  expect(requests.filter((url) => url.includes("/dist/")).map((url) => url.split("/").at(-1))).toEqual([
    "generation-loop.js",
  ]);
});

test("what a link holds is sent to no server", async ({ page, complaints }) => {
  /** @type {string[]} */
  const sent = [];
  const kept = (/** @type {string} */ path) => {
    const answer = file(path);
    return (/** @type {any} */ response, /** @type {import("node:http").IncomingMessage} */ request) => {
      sent.push(String(request.url), ...Object.values(request.headers).map(String));
      answer(response);
    };
  };
  const paths = ["dist/generation-loop.js", "dist/sharing.js", "tests/pages/plain.html"];
  const server = await serve(Object.fromEntries(paths.map((path) => [`/${path}`, kept(path)])));
  complaints.allow(new RegExp(`request to ${server.address}`), /404/);
  await page.goto(`${server.address}/tests/pages/plain.html#generation-loop?prompt=my+secret&seed=3&pass=2`);
  const widget = await Widget.on(page);
  await expect(widget.prompt).toHaveValue("my secret");
  await expect(widget.generatedCells).toHaveCount(2);
  expect(sent.some((text) => text.includes("/dist/sharing.js"))).toBe(true);
  expect(sent.filter((text) => /secret|#/.test(text))).toEqual([]);
  await page.goto("about:blank");
  await server.close();
});
