/** Models by the address of their folder: which addresses there may be, what is asked for, and what a policy forbids. */

import { random } from "../unit/checkpoints.js";
import { modelFile } from "../unit/files.js";
import { expect, test } from "./fixtures.js";
import { LARGE, randomFiles, SMALL, serveFolder } from "./models.js";
import { slowServer } from "./server.js";
import { Widget } from "./widget.js";

const FOLDER = "/tests/golden/models/default/";
const weights = modelFile(random(SMALL, 4, 0.5));

/**
 * Every request of a page from now on, but those for the page itself.
 * @param {import("@playwright/test").Page} page
 */
function requestsOf(page) {
  /** @type {{ url: string, method: string, body: string | null }[]} */
  const requests = [];
  page.on("request", (request) => {
    requests.push({ url: request.url(), method: request.method(), body: request.postData() });
  });
  return requests;
}

/**
 * Sets the attribute, and waits for the model of that name.
 * @param {Widget} widget
 * @param {string} address
 */
async function load(widget, address) {
  await widget.root.evaluate((element, value) => element.setAttribute("model", value), address);
  await expect(widget.model(address)).toBeChecked();
}

test("from the page's own server: two files and their reader are asked for, and nothing is sent", async ({
  page,
  origin,
}) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.step(2);
  const requests = requestsOf(page);
  await load(widget, FOLDER);
  await expect(widget.models).toContainText("2 blocks, 2 heads, width 16");
  await expect(widget.models).toContainText("Your own weights");
  await widget.step(3);
  await expect(widget.generatedCells).toHaveCount(3);
  const symbols = await widget.symbols();
  expect(requests).toEqual([
    { url: `${origin}/dist/files.js`, method: "GET", body: null },
    { url: `${origin}${FOLDER}config.json`, method: "GET", body: null },
    { url: `${origin}${FOLDER}model.safetensors`, method: "GET", body: null },
  ]);

  // With and without the last slash, from here or from the root of the server, and in full.
  for (const address of [
    FOLDER.slice(0, -1),
    "../golden/models/default",
    "./../golden/models/default/",
    origin + FOLDER,
  ]) {
    await load(widget, address);
    await widget.step(3);
    await expect(widget.generatedCells).toHaveCount(3);
    expect(await widget.symbols(), address).toEqual(symbols);
  }
  expect(requests).toHaveLength(11);
  expect(requests.filter(({ method, body }) => method !== "GET" || body !== null)).toEqual([]);
  expect(new Set(requests.map(({ url }) => url)).size).toBe(3);
});

test("as an attribute that is there from the beginning, and kept while the element is away", async ({
  page,
}) => {
  await page.goto("/tests/pages/empty.html");
  await page.locator("main").evaluate((main, folder) => {
    main.innerHTML = `<generation-loop model="${folder}" prompt="a cat" seed="3"></generation-loop>`;
  }, FOLDER);
  const widget = await Widget.on(page);
  await expect(widget.model(FOLDER)).toBeChecked();
  await widget.step(2);
  const symbols = await widget.symbolsAfter(2);
  await widget.root.evaluate(async (node) => {
    const { parentElement } = node;
    node.remove();
    await new Promise((resolve) => setTimeout(resolve));
    parentElement?.append(node);
    await /** @type {any} */ (node).ready;
  });
  await expect(widget.model(FOLDER)).toBeChecked();
  expect(await widget.symbolsAfter(2)).toEqual(symbols);
});

test("as a property, two addresses of any name", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  const asked = await serveFolder(page, "/m/", {
    "c.txt": { status: 200, body: SMALL, type: "text/plain" },
    w: { status: 200, body: weights },
  });
  await widget.root.evaluate((element) => {
    Object.assign(element, { model: { config: "/m/c.txt", weights: "/m/w" } });
    return Reflect.get(element, "ready").then(() => undefined);
  });
  await expect(widget.model("/m/w")).toBeChecked();
  expect(asked).toEqual(["/m/c.txt", "/m/w"]);
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(1);
});

test("a model for a worker is asked for once, and nothing else but the worker", async ({ page, origin }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  const asked = await serveFolder(page, "/m/", {
    "config.json": { status: 200, body: LARGE },
    "model.safetensors": { status: 200, body: modelFile(random(LARGE, 2, 0.05)) },
  });
  const requests = requestsOf(page);
  await widget.prompt.fill("1 2 3");
  await load(widget, "/m/");
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
  expect(asked).toEqual(["/m/config.json", "/m/model.safetensors"]);
  expect(requests.filter(({ method, body }) => method !== "GET" || body !== null)).toEqual([]);
  // What a worker asks for, each browser tells in its own way: nothing of another host, in any case.
  expect(requests.filter(({ url }) => !url.startsWith(`${origin}/`) && !url.startsWith("blob:"))).toEqual([]);
});

for (const cors of [true, false]) {
  test(`from another origin that ${cors ? "lets pages read" : "does not let pages read"}`, async ({
    page,
    complaints,
  }) => {
    const server = await slowServer({ config: SMALL, weights }, { cors });
    // The fixture takes every other host for a fault, and the console tells of what was not allowed.
    complaints.allow(
      new RegExp(`request to ${server.address}`),
      ...(cors ? [] : [/CORS|Cross-Origin|ERR_FAILED/i]),
    );
    server.letGo();
    await page.goto("/tests/pages/plain.html");
    const widget = await Widget.on(page);
    await widget.step(2);
    const symbols = await widget.symbolsAfter(2);
    if (cors) {
      await load(widget, server.address);
      await widget.step();
      await expect(widget.generatedCells).toHaveCount(1);
      expect(server.requests).toEqual(["/m/config.json", "/m/model.safetensors"]);
    } else {
      await widget.root.evaluate((element, value) => element.setAttribute("model", value), server.address);
      await expect(widget.outcome).toContainText(`${server.address}config.json: it cannot be fetched (`);
      await expect(widget.outcome).toContainText("its server must allow this page to read it (CORS)");
      await expect(widget.model("trained")).toBeChecked();
      expect(await widget.symbols()).toEqual(symbols);
    }
    await server.close();
  });
}

test("a server that is not there", async ({ page, complaints }) => {
  const server = await slowServer({ config: SMALL, weights });
  await server.close();
  complaints.allow(new RegExp(`request to ${server.address}`), /ERR_CONNECTION_REFUSED|CORS|Cross-Origin/i);
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.root.evaluate((element, value) => element.setAttribute("model", value), server.address);
  await expect(widget.outcome).toContainText(`${server.address}config.json: it cannot be fetched (`);
  await expect(widget.model("trained")).toBeChecked();
});

test("under a strict policy the message says what it must have; files need nothing more", async ({
  page,
  complaints,
  origin,
}) => {
  complaints.allow(/Content.Security.Policy/i, /connect-src/);
  await page.goto("/tests/pages/csp.html");
  const widget = await Widget.on(page);
  await widget.root.evaluate((element, value) => element.setAttribute("model", value), FOLDER);
  await expect(widget.outcome).toContainText(`${origin}${FOLDER}config.json: it cannot be fetched (`);
  await expect(widget.outcome).toContainText(
    "the page's Content-Security-Policy must have it in connect-src",
  );
  await expect(page.locator("#end")).toHaveText("It failed: fetch-failed.");
  await expect(widget.model("trained")).toBeChecked();

  await widget.open(randomFiles());
  await expect(widget.model("model.safetensors")).toBeChecked();
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
  // And one that runs in a worker.
  await widget.open(randomFiles(LARGE, 2));
  await expect(widget.models).toContainText("width 192");
  await widget.prompt.fill("1 2 3");
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
  await expect(widget.models).not.toContainText("the page stands still");
});

test("the chapter's page takes files and addresses of its own server", async ({ page }) => {
  await page.goto("/");
  const widget = await Widget.on(page);
  await load(widget, FOLDER);
  await widget.open(randomFiles());
  await expect(widget.model("model.safetensors")).toBeChecked();
});
