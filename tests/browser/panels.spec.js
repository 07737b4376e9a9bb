/** What the panels below the strip show of a pass: the distribution that its token came from, and its row in the log. */

import { run } from "./expected.js";
import { expect, test } from "./fixtures.js";
import { Widget } from "./widget.js";

test.beforeEach(({ page }) => page.goto("/"));

/**
 * The bars as they are seen.
 * @param {Widget} widget
 */
function bars(widget) {
  return widget.candidates.evaluateAll((items) =>
    items.map((item) => ({
      symbol: item.querySelector("[aria-hidden=true]")?.textContent ?? "",
      width: item.querySelector("rect")?.getBoundingClientRect().width ?? Number.NaN,
      percent: item.querySelector(".number")?.textContent ?? "",
      cut: item.classList.contains("cut"),
      drawn: item.classList.contains("drawn"),
      mark: item.querySelector(".mark")?.textContent?.trim(),
    })),
  );
}

test("before the first pass both panels say what will be there", async ({ page }) => {
  const widget = await Widget.on(page);
  await expect(widget.candidates).toHaveCount(0);
  await expect(widget.root).toContainText("Each pass ends with one probability for each of 64 tokens.");
  await expect(widget.root).toContainText("Nothing has been processed yet.");
});

test("candidates are sorted, and the cut ones grey", async ({ page }) => {
  const widget = await Widget.on(page);
  // Its least likely token is likely enough to be seen.
  await widget.use("untrained");
  await widget.method("top-k").check();
  await widget.set("Top k", "4");
  await widget.step();
  await expect(widget.root).toContainText("4 candidates, u = 0.");
  await widget.button("Show all 64").click();
  await expect(widget.candidates).toHaveCount(64);
  const list = await bars(widget);
  expect(list.map(({ cut }) => cut)).toEqual(Array.from({ length: 64 }, (_, rank) => rank >= 4));
  const widths = list.map(({ width }) => width);
  expect(widths).toEqual(widths.toSorted((a, b) => b - a));
  expect(widths[0]).toBeGreaterThan(widths[3]);
  expect(widths[63]).toBeGreaterThan(0);

  const drawn = list.filter((bar) => bar.drawn);
  expect(drawn).toHaveLength(1);
  expect(drawn[0].cut).toBe(false);
  expect(drawn[0].mark).toBe("drawn");
  expect(drawn[0].symbol).toBe((await widget.symbols())[0]);
  // Grey, and not by its class alone.
  const fills = await widget.candidates.evaluateAll((items) =>
    [items[0], items[63]].map(
      (item) => getComputedStyle(/** @type {Element} */ (item.querySelector("rect"))).opacity,
    ),
  );
  expect(Number(fills[1])).toBeLessThan(Number(fills[0]));
});

test("what is shown is what the engine computed", async ({ page }) => {
  const widget = await Widget.on(page);
  const { log } = await run({ stop: [], sampling: { method: "top-p" } });
  await widget.method("top-p").check();
  await widget.step();
  await widget.button("Show all 64").click();
  await expect(widget.candidates).toHaveCount(64);
  const [pass] = log;
  const percents = (await bars(widget)).map(({ percent }) => percent);
  expect(percents).toEqual(
    pass.candidates.map(({ probability }) => {
      if (probability < 0.001) return "<0.1%";
      return probability > 0.999 ? ">99.9%" : `${(100 * probability).toFixed(1)}%`;
    }),
  );
  await expect(widget.root).toContainText(`u = ${pass.draw?.toFixed(4)}`);
});

test("greedy cuts nothing and takes the first", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.step();
  await expect(widget.candidates).toHaveCount(12);
  const list = await bars(widget);
  expect(list.filter(({ cut }) => cut)).toEqual([]);
  expect(list.map(({ drawn }) => drawn)).toEqual([true, ...Array(11).fill(false)]);
  expect(list[0].mark).toBe("taken");
});

test("twelve candidates and the drawn one, or all of them", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.method("temperature").check();
  await widget.set("Temperature", "100");
  await widget.set("Stop string", "");
  await widget.set("Length limit", "none");
  // So hot that most tokens are not among the twelve most likely.
  let unlikely = 0;
  for (let pass = 1; pass <= 5; pass += 1) {
    await widget.step();
    await expect(widget.generatedCells).toHaveCount(pass);
    const list = await bars(widget);
    const place = list.findIndex(({ drawn }) => drawn);
    expect(place).toBeGreaterThanOrEqual(0);
    expect(list).toHaveLength(place === 12 ? 13 : 12);
    unlikely += place === 12 ? 1 : 0;
  }
  expect(unlikely).toBeGreaterThan(0);

  const toggle = widget.root.getByRole("button", { name: /^Show/ });
  await expect(toggle).toHaveAttribute("aria-expanded", "false");
  await toggle.click();
  await expect(widget.candidates).toHaveCount(64);
  await expect(toggle).toHaveAttribute("aria-expanded", "true");
  await widget.step();
  await expect(widget.candidates).toHaveCount(64);
  await toggle.click();
  expect(await widget.candidates.count()).toBeLessThanOrEqual(13);
});

test("the log keeps its newest row in view", async ({ page }) => {
  const widget = await Widget.on(page);
  await widget.use("untrained");
  await widget.set("Stop string", "");
  await widget.set("Length limit", "none");
  await widget.run();
  const rows = widget.table.locator("tbody").getByRole("row");
  const { log } = await run({ model: "untrained", stop: [], maxTokens: null });
  await expect(rows).toHaveCount(log.length);
  await widget.panes.first().scrollIntoViewIfNeeded();
  await expect(rows.last()).toBeInViewport({ ratio: 0.9 });
  await expect(rows.first()).not.toBeInViewport();

  // A reader who looks at earlier rows is not pulled away by what is no pass.
  await rows.first().scrollIntoViewIfNeeded();
  await widget.button("Show all 64").click();
  await expect(widget.candidates).toHaveCount(64);
  await expect(rows.first()).toBeInViewport();
});
