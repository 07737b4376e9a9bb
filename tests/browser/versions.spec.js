/** Two versions of the package on one page, and words of another version than the element. */

import { run } from "./expected.js";
import { expect, test } from "./packed.js";
import { tracesOf, watchTraces } from "./traces.js";
import { shown, Widget } from "./widget.js";

/**
 * The element of that name, loaded.
 * @param {import("@playwright/test").Page} page
 * @param {string} name
 */
async function named(page, name) {
  const widget = new Widget(page.locator(name));
  // Those that stand further down load when they are waited for.
  await page.evaluate(async (name) => {
    await customElements.whenDefined(name);
    await Reflect.get(/** @type {Element} */ (document.querySelector(name)), "ready");
  }, name);
  await expect(widget.primary).toBeVisible();
  return widget;
}

test("the first to arrive has the tag; the class of the other works beside it by another name", async ({
  page,
}) => {
  await watchTraces(page);
  await page.goto("/tests/pages/two-versions.html");
  await expect(page.locator("body")).toHaveAttribute("data-winner", "true,false");
  const [first, second] = [await named(page, "generation-loop"), await named(page, "another-loop")];
  await expect(first.root.locator("[part=log]")).not.toContainText("another version");
  await expect(second.root.locator("[part=log]")).toContainText("Step log, another version");
  await first.step(2);
  await second.run();
  await first.run();
  expect(await first.symbols()).toEqual(shown((await run()).log));
  const { log } = await run({ prompt: "a cat", sampling: { method: "top-p" }, stop: [], maxTokens: 24 });
  expect(await second.symbols()).toEqual(shown(log));
  // Each version has its own module, and neither more than one.
  expect(await tracesOf(page)).toMatchObject({ compiles: 2, instances: 2 });
  for (const { share } of [first, second]) {
    await share.getByRole("button", { name: "Log as CSV" }).click();
    await expect(share).toContainText("Saved as generation-loop.csv");
  }
});

for (const [whose, folder] of [
  ["the same", "dist"],
  ["the other", "other"],
]) {
  test(`words of ${whose} version: the tag speaks them by itself, the other class once it is given them`, async ({
    page,
  }) => {
    await page.goto("/tests/pages/two-versions.html");
    const widgets = [await named(page, "generation-loop"), await named(page, "another-loop")];
    await page.evaluate(async (address) => {
      for (const element of document.querySelectorAll("generation-loop, another-loop")) {
        element.setAttribute("lang", "de");
      }
      const { de } = await import(address);
      /** @type {any} */ (customElements.get("another-loop")).addWords("de", de);
    }, `/${folder}/words/de.js`);
    const about = folder === "dist" ? /Protokoll\s+eine Zeile/ : "andere Fassung, eine Zeile je Durchlauf";
    for (const { root } of widgets) await expect(root.locator("[part=log]")).toContainText(about);
    for (const { root } of widgets)
      await root.getByRole("button", { name: /^Prefill: (5|11) Token/ }).click();
    for (const { root } of widgets) await expect(root.locator("[part=log] tbody")).toContainText("Prefill");
  });
}

test("words that lack some of an element's: English in their place, and the run goes on", async ({
  page,
}) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.root.evaluate(async (element) => {
    const { de } = await import(/** @type {any} */ ("/dist/words/de.js"));
    const { cost, ...others } = de;
    const { label, ...log } = others.log;
    const { GenerationLoopElement } = await import(/** @type {any} */ ("/dist/generation-loop.js"));
    GenerationLoopElement.addWords("nl", { ...others, log });
    element.setAttribute("lang", "nl");
  });
  await expect(widget.root.locator("[part=log]")).toContainText("eine Zeile je Durchlauf");
  await expect(widget.root.locator("[part=log]")).toContainText("Step log");
  await widget.root.evaluate((element) => /** @type {any} */ (element).step());
  await expect(widget.root.locator("[part=strip] li").nth(11)).toBeVisible();
});

test("where a policy demands trusted types and allows for two of a name, both versions work", async ({
  page,
}) => {
  await page.route("**/two-versions.html", async (route) => {
    const response = await route.fetch();
    const policy = [
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'",
      "require-trusted-types-for 'script'; trusted-types lit-html 'allow-duplicates'",
    ].join("; ");
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
  });
  await page.goto("/tests/pages/two-versions.html");
  const [first, second] = [await named(page, "generation-loop"), await named(page, "another-loop")];
  await first.run();
  expect(await first.symbols()).toEqual(shown((await run()).log));
  await second.step(2);
  await expect(second.generatedCells).toHaveCount(2);
});
