/** The panel of the model for those who do not see it or do not point at it, on narrow screens, and where it is hidden. */

import { random } from "../unit/checkpoints.js";
import { modelFile } from "../unit/files.js";
import { expectNoViolations } from "./axe.js";
import { expect, test } from "./fixtures.js";
import { cutOff, pageScrolls } from "./layout.js";
import { filesOf, LARGE, randomFiles, SMALL } from "./models.js";
import { slowServer } from "./server.js";
import { Widget } from "./widget.js";

const LONG_NAME = `${"a-name-without-a-gap-".repeat(8)}.safetensors`;
const weights = modelFile(random(SMALL, 4, 0.5));

test("axe finds nothing while a model loads, with one's own, and with what was refused", async ({
  page,
  complaints,
}) => {
  const server = await slowServer({ config: SMALL, weights });
  complaints.allow(new RegExp(`request to ${server.address}`));
  await page.goto("/");
  const widget = await Widget.on(page);
  await widget.root.evaluate((element, address) => element.setAttribute("model", address), server.address);
  await expect(widget.models).toContainText("MB");
  await expectNoViolations(page);
  server.letGo();
  await expect(widget.model(server.address)).toBeChecked();
  await expectNoViolations(page);
  await widget.open(filesOf({ weights: "" }));
  await expect(widget.outcome).toContainText("it is empty");
  await expectNoViolations(page);
  // Ids instead of characters, and a worker.
  await widget.open(randomFiles(LARGE));
  await expect(widget.models).toContainText("width 192");
  await expectNoViolations(page);
  await widget.prompt.fill("1 2 3");
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
  // The newest cell comes in by degrees.
  await expect.poll(() => widget.root.evaluate((node) => node.shadowRoot?.getAnimations().length)).toBe(0);
  await expectNoViolations(page);
  await server.close();
});

test("the field for files has a name, says which, and is a stop of its own with a ring", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await expect(widget.ownFiles).toHaveAccessibleName("Open your own…");
  await expect(widget.ownFiles).toHaveAccessibleDescription(
    "config.json and model.safetensors; they stay on this device",
  );
  await expect(widget.ownFiles).toHaveAttribute("multiple");
  await widget.model("trained").focus();
  await page.keyboard.press("Tab");
  await expect(widget.ownFiles).toBeFocused();
  const label = widget.models.getByText("Open your own…");
  await expect(label).toHaveCSS("outline-style", "solid");
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), widget.ownFiles.click()]);
  expect(chooser.isMultiple()).toBe(true);
  await chooser.setFiles(randomFiles());
  await expect(widget.model("model.safetensors")).toBeChecked();
});

test("a model that has come is announced", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  await widget.open(filesOf({ weights: "" }));
  await expect(widget.status).toContainText("it is empty");
  await widget.use("untrained");
  await expect(widget.status).toContainText("untrained");
  await widget.open(randomFiles());
  await expect(widget.status).toContainText("model.safetensors");
  await expect(widget.status).not.toContainText("it is empty");
});

for (const width of [320, 640, 1280]) {
  test(`nothing of the panel is cut off on a screen of ${width} pixels`, async ({ page, complaints }) => {
    const server = await slowServer({ config: SMALL, weights });
    complaints.allow(new RegExp(`request to ${server.address}`));
    await page.setViewportSize({ width, height: 640 });
    await page.goto("/");
    const widget = await Widget.on(page);
    const check = async (/** @type {string} */ state) => {
      // A name that is too long ends in dots, and stands in full where it is pointed at.
      const found = (await cutOff(widget)).filter((one) => one !== "cut: span.file");
      expect(found, state).toEqual([]);
      expect(await pageScrolls(page), state).toBe(false);
    };
    await check("trained");
    await widget.open(filesOf({ weights }));
    await expect(widget.model("model.safetensors")).toBeChecked();
    await check("a name as most have it");
    await widget.open(filesOf({ weights, names: ["config.json", LONG_NAME] }));
    await expect(widget.model(LONG_NAME)).toBeChecked();
    await check("a long name");
    await expect(widget.models.getByTitle(LONG_NAME)).toBeVisible();
    const address = `${server.address}?${"x".repeat(200)}`;
    await widget.root.evaluate(
      (element, [config, weights]) => Object.assign(element, { model: { config, weights } }) && undefined,
      [`${server.address}config.json`, `${server.address}model.safetensors?${"x".repeat(200)}`],
    );
    await expect(widget.models, address).toContainText("MB");
    await check("while it loads");
    await widget.button("Cancel").click();
    await widget.open(filesOf({ weights: "", names: ["config.json", LONG_NAME] }));
    await expect(widget.outcome).toContainText("it is empty");
    await check("with a message");
    // All of it can be pressed: 24 pixels at the least.
    for (const control of [widget.model("trained"), widget.models.getByText("Open your own…")]) {
      const box = await control.boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(24);
    }
    await server.close();
  });
}

test("the numbers of a large model fit their columns, or scroll in their pane", async ({ page }) => {
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 640 });
    await page.goto("/");
    const widget = await Widget.on(page);
    await widget.open(randomFiles(LARGE));
    await expect(widget.models).toContainText("width 192");
    await widget.prompt.fill(Array.from({ length: 100 }, (_, id) => id).join(" "));
    await widget.set("Length limit", "none");
    await widget.step(2);
    await expect(widget.generatedCells).toHaveCount(2);
    expect(await pageScrolls(page)).toBe(false);
    const overlaps = await widget.table.evaluate((table) =>
      [...table.querySelectorAll("td")]
        .filter((cell) => cell.scrollWidth > cell.clientWidth + 1)
        .map((cell) => cell.textContent),
    );
    expect(overlaps, `${width}`).toEqual([]);
  }
});

test("hidden, the panel is not there, and the model is the page's affair alone", async ({ page }) => {
  await page.goto("/tests/pages/empty.html");
  await page.locator("main").evaluate((main) => {
    main.innerHTML =
      '<generation-loop model="untrained" hide="model" prompt="the cat sat" seed="7"></generation-loop>';
  });
  const widget = await Widget.on(page);
  await expect(widget.models).toHaveCount(0);
  await expect(widget.root.locator("input[type=file]")).toHaveCount(0);
  await expect(widget.method("greedy")).toBeVisible();
  await widget.step(2);
  await expect(widget.generatedCells).toHaveCount(2);
  await widget.root.evaluate((element) => {
    Object.assign(element, { model: "trained" });
    return Reflect.get(element, "ready").then(() => undefined);
  });
  await expect(widget.generatedCells).toHaveCount(0);
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(1);
  await widget.root.evaluate((element) => element.removeAttribute("hide"));
  await expect(widget.model("trained")).toBeChecked();
});
