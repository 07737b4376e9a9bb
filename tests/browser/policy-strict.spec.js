/** The policies of docs/policy-and-privacy.md: each is enough, and no less would do. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/run.js";
import { serve } from "../unit/server.js";
import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { randomFiles, SMALL, serveFolder } from "./models.js";
import { file, ON_THE_PAGE, openLarge, policyOf, REFUSED, under, useAll, without } from "./policies.js";
import { shown, Widget } from "./widget.js";

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

test("from another origin, large models too, and what is without", async ({ page, complaints }) => {
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
    await openLarge(widget);
    await expect(widget.models).not.toContainText(ON_THE_PAGE);
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

/**
 * A page with nothing but a frame.
 * @param {string} attributes
 */
const framed = (attributes) => (/** @type {string} */ html) =>
  html
    .replace(/<script.*<\/script>\n/g, "")
    .replace(
      /<generation-loop.*<\/generation-loop>/s,
      `<iframe title="A model that writes" ${attributes}></iframe>`,
    );

test("a frame, and what is without", async ({ page, complaints }) => {
  const policy = policyOf("A frame");
  const change = framed('src="../../dist/embed.html?prompt=a+cat&seed=3" height="900"');
  await under(page, policy, { change });
  const widget = new Widget(page.frameLocator("iframe").locator("generation-loop"));
  await expect(widget.primary).toBeVisible();
  await useAll(widget);
  complaints.allow(REFUSED);
  await page.unrouteAll();
  await under(page, without(policy, "frame-src"), { change });
  await expect.poll(() => complaints.all.join("\n")).toMatch(/frame/);
  await expect(widget.primary).toHaveCount(0);
});

test("a frame in a sandbox: the page for frames, and the one file, which needs no origin", async ({
  page,
  complaints,
}) => {
  // Chromium warns of it, for where the frame is of the page's own origin, as here.
  complaints.allow(/can escape its sandboxing/);
  const policy = policyOf("A frame");
  const widget = new Widget(page.frameLocator("iframe").locator("generation-loop"));
  for (const [file, sandbox] of [
    ["embed.html", "allow-scripts allow-same-origin allow-downloads"],
    ["generation-loop.html", "allow-scripts"],
  ]) {
    await under(page, policy, {
      change: framed(`src="../../dist/${file}?prompt=a+cat&seed=3" sandbox="${sandbox}" height="900"`),
    });
    await expect(widget.prompt).toHaveValue("a cat");
    await widget.run();
    expect(await widget.symbols()).toEqual(shown((await run({ prompt: "a cat", seed: 3 })).log));
    await page.unrouteAll();
  }
});
