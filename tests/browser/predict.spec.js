/** Predict first: the reader says what comes, the step says what came, and nothing else is different. */

import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { shown, Widget } from "./widget.js";

/** @param {import("@playwright/test").Page} page @param {string} [attributes] */
async function predicting(page, attributes = "") {
  await page.goto("/tests/pages/empty.html");
  await page.locator("main").evaluate((main, given) => {
    main.innerHTML = `<generation-loop predict prompt="the cat sat" seed="7" ${given}></generation-loop>`;
  }, attributes);
  const widget = await Widget.on(page);
  const panel = widget.root.locator("[part=predict]");
  return {
    widget,
    panel,
    token: panel.getByRole("textbox", { name: "Token", exact: true }),
    flops: panel.getByRole("textbox", { name: "FLOPs", exact: true }),
  };
}

test("off by default; the attribute switches it on and off, and the run stays", async ({ page }) => {
  await page.goto("/tests/pages/plain.html");
  const widget = await Widget.on(page);
  const panel = widget.root.locator("[part=predict]");
  await expect(panel).toHaveCount(0);
  await widget.step(2);
  await widget.root.evaluate((element) => element.toggleAttribute("predict", true));
  await expect(panel).toBeVisible();
  await expect(widget.generatedCells).toHaveCount(2);
  await widget.root.evaluate((element) => element.toggleAttribute("predict", false));
  await expect(panel).toHaveCount(0);
});

test("by keyboard alone: guess, Enter, and what was right is said on the screen and aloud", async ({
  page,
}) => {
  const { log } = await run();
  const { widget, panel, token, flops } = await predicting(page);
  await expect(panel).toContainText("0 of 0 right");
  await token.focus();
  await page.keyboard.type(" ");
  await page.keyboard.press("Tab");
  await page.keyboard.type("173184");
  await page.keyboard.press("Enter");
  await expect(panel).toContainText("Right: the token was space. Right: it took 173,184 FLOPs.");
  await expect(panel).toContainText("2 of 2 right");
  await expect(widget.status).toContainText("Right: the token was space.");
  await expect(widget.status).toContainText("Pass 1, prefill");
  // The fields are ready for the next guess, and the focus has not moved.
  await expect(token).toHaveValue("");
  await expect(flops).toBeFocused();
  await page.keyboard.type("173,184");
  await page.keyboard.press("Enter");
  await expect(panel).toContainText("Not so: you said 173,184, it took 15,872 FLOPs.");
  await expect(panel).toContainText("2 of 3 right");
  await token.fill("z");
  await widget.primary.click();
  await expect(panel).toContainText(`Not so: you said z, the token was ${log[2].token.text}.`);
  await expect(panel).toContainText("2 of 4 right");
  expect(await widget.symbols()).toEqual(shown(log.slice(0, 3)));
});

test("what is no guess makes no pass, and is said beside the fields and aloud", async ({ page }) => {
  const { widget, panel, token, flops } = await predicting(page);
  for (const [field, typed] of /** @type {const} */ ([
    [token, "ab"],
    [token, "<b>"],
    [flops, "many"],
    [flops, "-5"],
  ])) {
    await field.fill(typed);
    for (const act of [() => field.press("Enter"), () => widget.button("Run").click()]) {
      await act();
      await expect(panel.locator(".error")).toContainText(JSON.stringify(typed));
      await expect(widget.status).toContainText("allowed:");
      await expect(widget.generatedCells).toHaveCount(0);
    }
    await field.fill("");
    await expect(panel.locator(".error")).toHaveCount(0);
  }
  await expect(panel).toContainText("0 of 0 right");
  await widget.step();
  await expect(widget.generatedCells).toHaveCount(1);
});

test("a guess counts for the pass that is made next, once", async ({ page }) => {
  const { widget, panel, flops } = await predicting(page);
  await widget.step(3);
  await expect(panel).toContainText("0 of 0 right");
  // Passes that are only looked at again answer no guess.
  await widget.moment.fill("1");
  await flops.fill("16,128");
  await widget.primary.click();
  await widget.primary.click();
  await expect(widget.moment).toHaveValue("3");
  await expect(panel).toContainText("0 of 0 right");
  await expect(flops).toHaveValue("16,128");
  await widget.primary.click();
  await expect(panel).toContainText("Right: it took 16,128 FLOPs.");
  // A run takes the guess for its first pass.
  await widget.speed.selectOption("instant");
  await flops.fill("1");
  await widget.button("Run").click();
  await widget.stopped();
  await expect(panel).toContainText("1 of 2 right");
  // Nothing comes after the end.
  await expect(flops).toBeDisabled();
});

test("in German", async ({ page }) => {
  await page.goto("/tests/pages/empty.html");
  await page.addScriptTag({ url: "/dist/words/de.js", type: "module" });
  await page.locator("main").evaluate((main) => {
    main.innerHTML = '<generation-loop lang="de" predict seed="7"></generation-loop>';
  });
  const panel = page.locator("generation-loop [part=predict]");
  await panel.getByRole("textbox", { name: "Token", exact: true }).fill("Leerzeichen");
  await panel.getByRole("textbox", { name: "FLOPs", exact: true }).fill("173.184");
  await page.keyboard.press("Enter");
  await expect(panel).toContainText("Richtig: Das Token war Leerzeichen. Richtig: Es waren 173.184 FLOPs.");
  await expect(panel).toContainText("2 von 2 richtig");
});
