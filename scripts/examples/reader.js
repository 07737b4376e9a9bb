/** A reader of an example's page: makes ten passes by the loud button, and takes note of all that is not as it should be. */

import { expect } from "@playwright/test";
import { LARGE, randomFiles, watchWorkers, workersOf } from "../../tests/browser/models.js";
import { Widget } from "../../tests/browser/widget.js";

export const PASSES = 10;

/** Characters, and so tokens, of "the cat sat", which all examples begin with. */
const PROMPT_TOKENS = 11;

/**
 * What the passes of a run cost in the model that is inside, by the closed formula; on purpose not by the engine's own.
 * @returns {number[]}
 */
export function expectedFlops() {
  const [L, D, F, V] = [2, 16, 64, 64];
  const S = PROMPT_TOKENS;
  const prefill = L * (8 * S * D * D + 4 * S * S * D + 4 * S * D * F) + 2 * S * D * V;
  /** @param {number} T */
  const decode = (T) => L * (8 * D * D + 4 * T * D + 4 * D * F) + 2 * D * V;
  return [prefill, ...Array.from({ length: PASSES - 1 }, (_, step) => decode(S + 1 + step))];
}

/** @param {number[]} numbers */
export const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

/** @param {number} value */
const grouped = (value) => value.toLocaleString("en");

/**
 * What is expected of a page beside its passes.
 * @typedef {object} Expectation
 * @property {string} [path] where the page is, below the address of its server
 * @property {Record<string, unknown>} [properties] of the element, as the framework has set them
 * @property {RegExp} [rendered] what the server's answer holds before any script runs
 * @property {RegExp} [fetched] the address of a file that the page has to ask for
 * @property {boolean} [inlined] whether the page cannot load the files that come on demand
 */

/**
 * Reads one page from beginning to end.
 * @param {import("@playwright/test").Browser} browser
 * @param {string} address of the server
 * @param {Expectation} expectation
 */
export async function readPage(browser, address, expectation) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 1000 } });
  const complaints = complaintsOf(context);
  try {
    const page = await context.newPage();
    /** @type {string[]} */
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await watchWorkers(page);
    const url = new URL(expectation.path ?? "", address).href;
    if (expectation.rendered !== undefined) {
      expect(await (await fetch(url)).text()).toMatch(expectation.rendered);
    }
    await page.goto(url);
    await makePasses(page, expectation);
    if (!expectation.inlined) await fetchOnDemand(page);
    if (expectation.fetched !== undefined) {
      expect(asked.find((one) => expectation.fetched?.test(one)) ?? asked).toMatch(expectation.fetched);
    }
    expect(complaints, "what the page complained about").toEqual([]);
  } catch (error) {
    // What a page complains about is mostly the cause of what is wrong with it.
    throw new Error([/** @type {Error} */ (error).message, ...complaints].join("\n"));
  } finally {
    await context.close();
  }
}

/**
 * Whatever a clean page does not do.
 * @param {import("@playwright/test").BrowserContext} context
 */
function complaintsOf(context) {
  /** @type {string[]} */
  const complaints = [];
  context.on("console", (message) => {
    if (["warning", "error"].includes(message.type()))
      complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (event) => complaints.push(`exception: ${event.error()}`));
  context.on("requestfailed", (request) =>
    complaints.push(`failed: ${request.url()} (${request.failure()?.errorText})`),
  );
  context.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
  });
  context.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (["http:", "https:"].includes(protocol) && hostname !== "127.0.0.1")
      complaints.push(`request to another machine: ${request.url()}`);
  });
  return complaints;
}

/**
 * @param {import("@playwright/test").Page} page
 * @param {Expectation} expectation
 */
async function makePasses(page, { properties = {} }) {
  const root = page.locator("generation-loop");
  const primary = root.locator("[part=primary]");
  await expect(primary).toHaveText(`Prefill ${PROMPT_TOKENS} tokens`, { timeout: 30_000 });
  const found = await root.evaluate(
    (element, names) => Object.fromEntries(names.map((name) => [name, Reflect.get(element, name)])),
    Object.keys(properties),
  );
  expect(found, "properties of the element").toEqual(properties);

  const costs = expectedFlops();
  const line = page.locator("#passes");
  for (const [index, flops] of costs.entries()) {
    await primary.click();
    const phase = index === 0 ? "prefill" : "decode";
    const all = sumOf(costs.slice(0, index + 1));
    // The example's own words, from the events that it has heard.
    await expect(line).toHaveText(
      `Pass ${index + 1}, ${phase}: ${grouped(flops)} FLOPs. In all: ${grouped(all)} FLOPs.`,
    );
  }
  const rows = await new Widget(root).log();
  expect(rows.map((row) => row.FLOPs)).toEqual(costs);
}

/** What a page fetches when it is first wanted: where bundlers go wrong. @param {import("@playwright/test").Page} page */
async function fetchOnDemand(page) {
  const widget = new Widget(page.locator("generation-loop"));
  await widget.button("Copy the text").click();
  await expect(widget.share.locator(".done")).not.toBeEmpty();

  await widget.open(randomFiles(LARGE, 5));
  await expect(widget.models.getByRole("radio", { name: "model.safetensors" })).toBeChecked();
  await widget.prompt.fill("12 7 412 1999");
  await widget.primary.click();
  await expect(widget.generatedCells).toHaveCount(1);
  // A model of this size makes its passes in a worker, or the widget says why the page stands still.
  expect((await workersOf(page)).map(({ terminated }) => terminated)).toEqual([false]);
  await expect(widget.models).not.toContainText("the page stands still");
}
