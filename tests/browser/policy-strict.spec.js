/** The policies of docs/policy-and-privacy.md: each is enough, and no less would do. And what the widget leaves behind: nothing. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/run.js";
import { serve } from "../unit/server.js";
import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { LARGE, randomFiles, SMALL, serveFolder } from "./models.js";
import { shown, Widget } from "./widget.js";

const TEXT = readFileSync(join(root, "docs/policy-and-privacy.md"), "utf8");
const ON_THE_PAGE = "No worker can be started here";
const FILES = randomFiles(LARGE, 5);
const REFUSED = /Content.Security.Policy|Trusted|wasm-unsafe-eval|violates/i;

/**
 * A policy as the page has it.
 * @param {string} heading below which it stands
 * @param {number} [index] among those below it
 */
function policyOf(heading, index = 0) {
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
async function under(page, policy, { file = "csp.html", change = (html) => html, headers = {} } = {}) {
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
const without = (policy, directive) =>
  policy
    .split("; ")
    .filter((part) => !part.startsWith(`${directive} `))
    .join("; ");

/** All that a reader can wish for: a run, and everything to take away. @param {Widget} widget */
async function useAll(widget) {
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

/** @param {Widget} widget */
async function openLarge(widget) {
  await widget.prompt.fill("12 7 412");
  await widget.open(FILES);
  await expect(widget.model("model.safetensors")).toBeChecked();
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(1);
}

for (const index of [0, 1]) {
  test(`script and tag: ${policyOf("Script and tag", index)}`, async ({ page }) => {
    await under(page, policyOf("Script and tag", index), {
      change: (html) => html.replaceAll("<script ", '<script nonce="r4nd0m" '),
    });
    const widget = await Widget.on(page);
    await useAll(widget);
    expect(await widget.symbols()).toEqual(shown((await run({ sampling: { method: "top-k" } })).log));
    // Its own styles are there, without any directive for styles.
    await expect(widget.generatedCells.first()).toHaveCSS("width", "32px");
    await openLarge(widget);
    await expect(widget.models).not.toContainText(ON_THE_PAGE);
  });
}

test("the style sheet of its room, and what is without", async ({ page, complaints }) => {
  const policy = policyOf("The style sheet of its room");
  const change = (/** @type {string} */ html) =>
    html.replace("<title>", '<link rel="stylesheet" href="../../dist/generation-loop.css">\n<title>');
  await under(page, policy, { change });
  const widget = await Widget.on(page);
  await expect(widget.root).toHaveCSS("display", "flow-root");
  complaints.allow(REFUSED);
  await page.unrouteAll();
  await under(page, without(policy, "style-src"), { change });
  await Widget.on(page);
  await expect(widget.root).toHaveCSS("display", "block");
});

test("the split form, and what is without", async ({ page, complaints }) => {
  const policy = policyOf("Split form");
  const change = (/** @type {string} */ html) =>
    html.replace("dist/generation-loop.js", "dist/split/index.js");
  await under(page, policy, { change });
  await useAll(await Widget.on(page));
  complaints.allow(REFUSED);
  await page.unrouteAll();
  await under(page, without(policy, "connect-src"), { change });
  await expect(page.locator("#end")).toHaveText("It failed: wasm-unavailable.");
  await expect(page.getByText("This needs a browser with JavaScript and WebAssembly.")).toBeVisible();
});

test("a model by address, and what is without", async ({ page, origin, complaints }) => {
  const policy = policyOf("A model by address").replace("https://example.org", origin);
  const [{ buffer: config }, { buffer: weights }] = randomFiles(SMALL);
  const found = (/** @type {Uint8Array} */ body) => ({ body, status: 200 });
  await serveFolder(page, "/m/", { "config.json": found(config), "model.safetensors": found(weights) });
  const use = (/** @type {Widget} */ widget) =>
    widget.root.evaluate(async (element) => {
      await Reflect.get(element, "ready");
      Reflect.set(element, "model", "/m/");
    });
  await under(page, policy);
  const widget = await Widget.on(page);
  await use(widget);
  await expect(widget.models).toContainText("1 block, 2 heads, width 4");
  complaints.allow(REFUSED);
  await page.unroute("**/tests/pages/csp.html");
  await under(page, without(policy, "connect-src"));
  await Widget.on(page);
  await use(widget);
  await expect(page.locator("#end")).toHaveText("It failed: fetch-failed.");
  await expect(widget.outcome).toContainText("Content-Security-Policy must have it in connect-src");
  await expect(widget.models).toContainText("2 blocks, 2 heads, width 16");
});

test("large models in a worker", async ({ page }) => {
  await under(page, policyOf("Large models in a worker"));
  const widget = await Widget.on(page);
  await openLarge(widget);
  await expect(widget.models).not.toContainText(ON_THE_PAGE);
});

/**
 * Answers with a file of the repository.
 * @param {string} path
 * @param {Record<string, string>} [headers]
 * @param {(text: string) => string} [change]
 */
const file =
  (path, headers = {}, change = (text) => text) =>
  (/** @type {import("../unit/server.js").Response} */ response) => {
    const type = path.endsWith(".html") ? "text/html" : "text/javascript";
    const text = change(readFileSync(join(root, path), "utf8"));
    response.writeHead(200, { "content-type": type, ...headers }).end(text);
  };

test("from another origin, large models too, and what is without", async ({
  page,
  complaints,
  browserName,
}) => {
  const files = ["generation-loop.js", "sharing.js", "files.js", "worker-loop.js", "worker.js", "engine.js"];
  const open = { "access-control-allow-origin": "*" };
  const elsewhere = await serve(
    Object.fromEntries(files.map((name) => [`/${name}`, file(`dist/${name}`, open)])),
  );
  const policy = policyOf("Large models in a worker", 1).replaceAll("https://example.org", elsewhere.address);
  const withPolicy = (/** @type {string} */ text) =>
    file("tests/pages/csp.html", { "content-security-policy": text }, (html) =>
      html
        .replace('<script type="module" src="csp.js"></script>', "")
        .replace("../../dist", elsewhere.address),
    );
  const here = await serve({
    "/with.html": withPolicy(policy),
    "/without.html": withPolicy(without(policy, "worker-src")),
  });
  complaints.allow(new RegExp(`request to (?:${here.address}|${elsewhere.address})`));
  try {
    await page.goto(`${here.address}/with.html`);
    const widget = await Widget.on(page);
    await useAll(widget);
    // Firefox tells of the first try, and so late that there is no second one.
    complaints.allow(/Security Error.*worker\.js/);
    await openLarge(widget);
    if (browserName !== "firefox") await expect(widget.models).not.toContainText(ON_THE_PAGE);
    complaints.allow(REFUSED);
    await page.goto(`${here.address}/without.html`);
    await openLarge(await Widget.on(page));
    await expect(widget.models).toContainText(ON_THE_PAGE);
  } finally {
    await page.goto("about:blank");
    await here.close();
    await elsewhere.close();
  }
});

test("trusted types, with all that a reader can wish for", async ({ page, complaints }) => {
  await under(page, policyOf("Trusted Types"));
  const widget = await Widget.on(page);
  await useAll(widget);
  complaints.allow(REFUSED, /worker/i);
  await openLarge(widget);
  await expect(widget.models).toContainText(ON_THE_PAGE);
});

test("trusted types that do not name it: what the page put there stays", async ({ page, complaints }) => {
  complaints.allow(REFUSED, /createPolicy/);
  await under(page, policyOf("Trusted Types").replace("lit-html", "another"));
  await expect(page.getByText("This needs a browser with JavaScript and WebAssembly.")).toBeVisible();
  await expect.poll(() => complaints.all.join("\n")).toContain("lit-html");
});

test("trusted types where it is loaded twice", async ({ page, complaints }) => {
  const twice = (/** @type {string} */ html) =>
    html.replace(
      "<main>",
      '<script type="module" src="../../dist/generation-loop.js?another-copy"></script>\n<main>',
    );
  await under(page, policyOf("Trusted Types", 1), { change: twice });
  await useAll(await Widget.on(page));
  // Without the word, the first to come works, and the other says what it lacks.
  complaints.allow(REFUSED, /createPolicy/);
  await page.unrouteAll();
  await under(page, policyOf("Trusted Types"), { change: twice });
  await useAll(await Widget.on(page));
  expect(complaints.all.join("\n")).toContain("lit-html");
});

/** @param {string} file of the package */
const hashOf = (file) =>
  `sha384-${createHash("sha384")
    .update(readFileSync(join(root, "dist", file)))
    .digest("base64")}`;

test("with its integrity told, of what comes later too", async ({ page, complaints }) => {
  const told = (/** @type {string} */ sharing) => (/** @type {string} */ html) => {
    const map = JSON.stringify({ integrity: { "/dist/sharing.js": sharing } });
    return html
      .replace('src="csp.js"', "")
      .replace('<script type="module" src="..', `<script type="importmap">${map}</script>\n$&`)
      .replace('generation-loop.js"', `$& integrity="${hashOf("generation-loop.js")}"`);
  };
  const policy = `${policyOf("Script and tag")} 'unsafe-inline'`;
  await under(page, policy, { change: told(hashOf("sharing.js")) });
  const widget = await Widget.on(page);
  await useAll(widget);
  // Another file in its place is not run.
  complaints.allow(/integrity|hash/i, /Failed to fetch|error loading/i);
  await page.unrouteAll();
  await under(page, policy, { change: told(hashOf("files.js")) });
  await Widget.on(page);
  await widget.step();
  await widget.button("Log as CSV").click();
  await expect(widget.outcome).toContainText("sharing.js cannot be fetched");
  await page.unrouteAll();
  await under(page, policy, {
    change: (html) => html.replace('generation-loop.js"', `$& integrity="${hashOf("files.js")}"`),
  });
  await expect(page.getByText("This needs a browser with JavaScript and WebAssembly.")).toBeVisible();
  expect(await page.evaluate(() => customElements.get("generation-loop"))).toBeUndefined();
});

for (const isolated of [false, true]) {
  test(`a page that is ${isolated ? "" : "not "}isolated from other origins`, async ({ page }) => {
    await under(page, policyOf("Script and tag"), {
      headers: isolated
        ? {
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-embedder-policy": "require-corp",
          }
        : {},
    });
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(isolated);
    await useAll(await Widget.on(page));
  });
}

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
