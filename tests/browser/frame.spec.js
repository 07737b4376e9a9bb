/** The page that stands in frames: settings from its address, what it says of those without meaning, and its height. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { root } from "../../scripts/run.js";
import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { pageScrolls } from "./layout.js";
import { shown, Widget } from "./widget.js";

/** @typedef {import("@playwright/test").Page} Page */
/** @typedef {import("@playwright/test").Frame} Frame */

const ALLOWED =
  "prompt, model, sampling, temperature, top-k, top-p, seed, stop, max-tokens, cache, hide, autoplay, predict, lang, color-scheme";

/** The lines under the widget. @param {Page} page */
const problemsOn = (page) => page.locator(".problems p");

/**
 * Whatever a page hears by message, from its beginning; so does each of its frames, for itself.
 * @param {Page} page
 */
async function listen(page) {
  await page.addInitScript(() => {
    const heard = /** @type {any[]} */ ([]);
    Object.assign(globalThis, { heard });
    addEventListener("message", ({ data }) => heard.push(data));
  });
  return () => page.evaluate(() => /** @type {any} */ (globalThis).heard);
}

/** A few frames later. @param {Page} page */
const settled = (page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 5; frame += 1) await new Promise(requestAnimationFrame);
  });

/** How high a page is. @param {Frame} frame */
const heightOf = (frame) =>
  frame.evaluate(() => Math.ceil(document.documentElement.getBoundingClientRect().height));

/**
 * The frame in an iframe.
 * @param {Page} page
 * @param {number} [index]
 */
async function frameOn(page, index = 0) {
  const iframe = page.locator("iframe").nth(index);
  const frame = await (await iframe.elementHandle())?.contentFrame();
  if (!frame) throw new Error("no frame");
  const widget = new Widget(page.frameLocator("iframe").nth(index).locator("generation-loop"));
  return { iframe, frame, widget };
}

for (const address of ["/embed.html", "/dist/embed.html"]) {
  test.describe(address, () => {
    test("the address says the settings, by the names of the attributes", async ({ page }) => {
      const heard = await listen(page);
      await page.goto(
        `${address}?prompt=a+cat&model=untrained&sampling=top-k&temperature=0.8&top-k=5&seed=11&stop=.%7C%5Cn&max-tokens=20&hide=cost+share&predict`,
      );
      const widget = await Widget.on(page);
      expect(
        await widget.root.evaluate((/** @type {any} */ element) =>
          [..."prompt model sampling temperature topK seed stop maxTokens cache hide predict".split(" ")].map(
            (name) => element[name],
          ),
        ),
      ).toEqual(["a cat", "untrained", "top-k", 0.8, 5, 11, [".", "\n"], 20, true, ["cost", "share"], true]);
      await expect(widget.root.locator("[part=cost], [part=share]")).toHaveCount(0);
      await widget.run();
      const { log } = await run({
        ...{ prompt: "a cat", model: "untrained", seed: 11, stop: [".", "\n"], maxTokens: 20 },
        sampling: { method: "top-k", temperature: 0.8, topK: 5 },
      });
      expect(await widget.symbols()).toEqual(shown(log));
      await expect(problemsOn(page)).toHaveCount(0);
      // In no frame, there is nobody to tell.
      await settled(page);
      expect(await heard()).toEqual([]);
    });

    test("without any it is the widget alone, on nothing, with a little room", async ({ page }) => {
      await page.goto(address);
      const widget = await Widget.on(page);
      await expect(widget.prompt).toHaveValue("the cat sat");
      expect(await page.evaluate(() => document.documentElement.lang)).toBe("en");
      await expect(page.locator("body")).toHaveCSS("background-color", "rgba(0, 0, 0, 0)");
      const [box, body] = [await widget.root.boundingBox(), await page.locator("html").boundingBox()];
      expect([box?.x, box?.y]).toEqual([8, 8]);
      expect(body?.height).toBe((box?.height ?? 0) + 16);
      await page.setViewportSize({ width: 320, height: 600 });
      expect(await pageScrolls(page)).toBe(false);
    });

    test("language and colours are those that it says, whatever the reader’s", async ({ page }) => {
      await page.goto(`${address}?lang=de&color-scheme=dark`);
      const primary = page.getByRole("button", { name: "Prefill: 11 Tokens" });
      await expect(primary).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.lang)).toBe("de");
      await expect(page.locator("generation-loop .widget")).toHaveCSS("background-color", "rgb(23, 24, 27)");
      await page.goto(`${address}?color-scheme=light`);
      await Widget.on(page);
      await expect(page.locator("generation-loop .widget")).toHaveCSS(
        "background-color",
        "rgb(252, 251, 248)",
      );
    });

    test("what has no meaning is said below, as text, and the rest counts", async ({ page, complaints }) => {
      test.slow();
      // As for any attribute: one warning for each.
      const warnings = [
        /temperature: temperature is "hot".*default is used/,
        /max-tokens: .*500.*default is used/,
        /stop: .*default is used/,
      ];
      complaints.allow(...warnings);
      const bad = "<img src=x onerror=alert(1)>";
      await page.goto(
        `${address}?${new URLSearchParams({ [bad]: "1", temperature: "hot", "max-tokens": "500", stop: "😀" })}&seed=1&seed=2&prompt=a+dog&lang=fr`,
      );
      const widget = await Widget.on(page);
      await expect(problemsOn(page)).toHaveText([
        `There is no parameter ${JSON.stringify(bad)}; allowed: ${ALLOWED}.`,
        'temperature is "hot"; allowed: a finite number, at least 0. The default is used.',
        "seed is given 2 times; allowed: once. Its default is used.",
        'lang is "fr"; allowed: en, de. The default is used.',
        'max-tokens is "500"; allowed: a whole number from 2 to 128, or none. The default is used.',
        'stop is "😀"; allowed: characters that the model has. The default is used.',
      ]);
      await expect(page.locator("img")).toHaveCount(0);
      await expect(widget.prompt).toHaveValue("a dog");
      await expect(widget.field("Length limit")).toHaveValue("32");
      await widget.run();
      for (const warning of warnings) {
        expect(complaints.all.filter((complaint) => warning.test(complaint))).toHaveLength(1);
      }
      const { violations } = await new AxeBuilder({ page }).disableRules(["page-has-heading-one"]).analyze();
      expect(violations.map(({ id }) => id)).toEqual([]);
      await page.setViewportSize({ width: 320, height: 600 });
      expect(await pageScrolls(page)).toBe(false);
    });

    test("a model of another site is not asked for", async ({ page }) => {
      // Any request to another host would fail this test, and so would one that the policy stops.
      await page.goto(`${address}?model=${encodeURIComponent("https://example.org/gpt2/")}`);
      const widget = await Widget.on(page);
      await expect(problemsOn(page)).toHaveText([
        'model is "https://example.org/gpt2/"; allowed: trained, untrained, or the address of a folder on the site of the frame. The default is used.',
      ]);
      await expect(widget.model("trained")).toBeChecked();
    });
  });
}

test("a host under a strict policy: each frame becomes as high as its content, and stays so", async ({
  page,
}) => {
  const heard = await listen(page);
  const response = await page.goto("/tests/pages/iframe.html");
  expect(response?.headers()["content-security-policy"]).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; frame-src 'self'",
  );
  const { iframe, frame, widget } = await frameOn(page);
  await expect(widget.primary).toBeVisible();
  const follows = async () => {
    await expect
      .poll(async () => Number(await iframe.getAttribute("height")) - (await heightOf(frame)))
      .toBe(0);
    return Number(await iframe.getAttribute("height"));
  };
  const before = await follows();
  expect(await frame.evaluate(() => innerHeight)).toBe(before);
  // Its room was kept from the beginning, so that the host's text below has not moved far.
  const [{ height: first }] = await heard();
  expect(Math.abs(first - before)).toBeLessThan(100);

  // It grows, because it shows more, and because it is narrower; and shrinks again.
  const hide = await widget.root.evaluate((element) => {
    const hide = element.getAttribute("hide") ?? "";
    element.removeAttribute("hide");
    return hide;
  });
  await expect(widget.costs).toBeVisible();
  const more = await follows();
  expect(more).toBeGreaterThan(before + 200);
  expect(await frame.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
  await page.setViewportSize({ width: 400, height: 700 });
  await expect.poll(follows).toBeGreaterThan(more);
  await page.setViewportSize({ width: 1280, height: 720 });
  await widget.root.evaluate((element, hide) => element.setAttribute("hide", hide), hide);
  await expect.poll(follows).toBe(before);

  // The host's own wish changes the frame, but not its content: the frame has nothing to say to it.
  await settled(page);
  const told = (await heard()).length;
  for (const height of ["300", "5000", "1000"]) {
    await iframe.evaluate((element, height) => element.setAttribute("height", height), height);
    await settled(page);
  }
  expect(await heard()).toHaveLength(told);
  expect(await iframe.getAttribute("height")).toBe("1000");
  // Each is a height that is new, in whole pixels, or the answer to a question: a frame that was ready before the host's script
  // has told its height already when that asks.
  const messages = await heard();
  let again = 0;
  for (const [index, message] of messages.entries()) {
    expect(message).toEqual({ type: "generation-loop-height", height: expect.any(Number) });
    expect(Number.isInteger(message.height)).toBe(true);
    if (message.height === messages[index - 1]?.height) again += 1;
  }
  const asked = await frame.evaluate(() => /** @type {any} */ (globalThis).heard);
  expect(asked).toEqual(asked.map(() => ({ type: "generation-loop-height-wanted" })));
  expect(asked.length).toBeLessThanOrEqual(1);
  expect(again).toBeLessThanOrEqual(asked.length);
});

test("a frame with a title, that is fetched when the reader comes near", async ({ page }) => {
  await page.goto("/tests/pages/iframe.html");
  const { widget } = await frameOn(page);
  await expect(widget.primary).toBeVisible();
  const far = page.getByTitle("The same model, in German and in dark colours");
  expect(page.frames().filter((frame) => frame.url().includes("lang=de"))).toEqual([]);
  await far.scrollIntoViewIfNeeded();
  const second = page.frameLocator("iframe >> nth=1");
  await expect(second.getByRole("button", { name: "Prefill: 11 Tokens" })).toBeVisible();
});

test("only what a frame says of its height, and only to that frame", async ({ page }) => {
  await page.goto("/tests/pages/iframe.html");
  const { iframe, frame, widget } = await frameOn(page);
  await expect(widget.primary).toBeVisible();
  const other = page.locator("iframe").nth(1);
  const before = await other.getAttribute("height");
  const say = (/** @type {unknown} */ message) =>
    frame.evaluate((message) => parent.postMessage(message, "*"), message);
  await say({ type: "generation-loop-height", height: 700 });
  await expect(iframe).toHaveAttribute("height", "700");
  for (const height of [
    0,
    -1,
    20_001,
    1e21,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "800",
    null,
    [800],
    { valueOf: 800 },
  ]) {
    await say({ type: "generation-loop-height", height });
  }
  for (const message of [
    null,
    "generation-loop-height",
    800,
    { height: 800 },
    { type: "height", height: 800 },
  ]) {
    await say(message);
  }
  // From a frame of something else.
  await other.evaluate((/** @type {HTMLIFrameElement} */ frame) => {
    frame.loading = "eager";
    frame.src = "/tests/pages/empty.html";
  });
  await expect.poll(() => page.frames().some((one) => one.url().endsWith("/empty.html"))).toBe(true);
  const stranger = page.frames().find((one) => one.url().endsWith("/empty.html"));
  await stranger?.evaluate(() => parent.postMessage({ type: "generation-loop-height", height: 950 }, "*"));
  // From the page itself, which is no frame.
  await page.evaluate(() => postMessage({ type: "generation-loop-height", height: 900 }, "*"));
  await settled(page);
  await expect(iframe).toHaveAttribute("height", "700");
  await say({ type: "generation-loop-height", height: 701.5 });
  await expect(iframe).toHaveAttribute("height", "702");
  await expect(other).toHaveAttribute("height", String(before));
});

test("a frame of another site, ready before the host listens, and with an edge that counts", async ({
  page,
  origin,
  complaints,
}) => {
  complaints.allow(/request to http:\/\/localhost:/);
  await page.goto("/tests/pages/blank.html");
  const elsewhere = origin.replace("127.0.0.1", "localhost");
  await page.evaluate((address) => {
    const frame = document.createElement("iframe");
    Object.assign(frame, { src: address, title: "a frame" });
    frame.style.boxSizing = "border-box";
    document.body.append(frame);
  }, `${elsewhere}/dist/embed.html?hide=model+settings+log+cost+cache+share`);
  const { iframe, frame, widget } = await frameOn(page);
  await expect(widget.primary).toBeVisible();
  await frame.evaluate(async () => {
    for (let count = 0; count < 5; count += 1) await new Promise(requestAnimationFrame);
  });
  await expect(iframe).not.toHaveAttribute("height");
  await page.addScriptTag({ type: "module", url: "/dist/embed-host.js" });
  await expect.poll(async () => (await frame.evaluate(() => innerHeight)) - (await heightOf(frame))).toBe(0);
  expect(Number(await iframe.getAttribute("height"))).toBe((await heightOf(frame)) + 4);
});

test("the one file takes the same settings, from disk too", async ({ page }) => {
  const address = pathToFileURL(join(root, "dist/generation-loop.html")).href;
  await page.goto(`${address}?prompt=a+dog&seed=3&hide=cost&sead=1&color-scheme=dark`);
  const widget = await Widget.on(page);
  await expect(widget.prompt).toHaveValue("a dog");
  await expect(widget.root.locator("[part=cost]")).toHaveCount(0);
  await expect(widget.root.locator(".widget")).toHaveCSS("background-color", "rgb(23, 24, 27)");
  await expect(problemsOn(page)).toHaveText([`There is no parameter "sead"; allowed: ${ALLOWED}.`]);
  await widget.run();
  expect(await widget.symbols()).toEqual(shown((await run({ prompt: "a dog", seed: 3 })).log));
  // Its look is its own, as without settings.
  await expect(page.locator("body")).toHaveCSS("max-width", "1152px");
  await expect(page.locator("body")).toHaveCSS("margin-top", "32px");
  await page.goto(address);
  await expect(widget.prompt).toHaveValue("the cat sat");
});
