/** The style sheet that keeps room for the widget: as high as the widget is, whatever its width and whatever it hides. */

import { expect, test } from "./fixtures.js";

const SCREENS = [
  {},
  { hide: ["log"] },
  { hide: ["cost", "cache"] },
  { hide: ["model", "settings", "legend", "timeline", "share"] },
  { hide: ["distribution", "cost", "cache", "share"], predict: true },
  { hide: ["log", "distribution", "cost", "cache"] },
];

/** How much more than it needs: the room is that of the narrowest in a range of widths. */
const MOST = 1.12;

for (const width of [330, 360, 505, 699, 879, 900, 1100, 1400]) {
  test(`the room kept is that of the widget, ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width: 1500, height: 900 });
    await page.goto("/tests/pages/empty.html");
    const heights = await page.locator("main").evaluate(
      async (main, { screens, width }) => {
        await customElements.whenDefined("generation-loop");
        const link = document.createElement("link");
        link.rel = "stylesheet";
        link.href = "/dist/generation-loop.css";
        await new Promise((resolve) => {
          link.onload = resolve;
          document.head.append(link);
        });
        main.style.width = `${width}px`;
        const heights = [];
        for (const settings of screens) {
          const element = /** @type {any} */ (document.createElement("generation-loop"));
          // By attribute: that is what a style sheet sees.
          element.setAttribute("hide", settings.hide?.join(" ") ?? "");
          element.toggleAttribute("predict", settings.predict ?? false);
          main.replaceChildren(element);
          await element.ready;
          const kept = Number.parseFloat(getComputedStyle(element, "::before").height);
          element.style.setProperty("--generation-loop-room", "0px");
          heights.push({ kept, needed: element.getBoundingClientRect().height });
        }
        return heights;
      },
      { screens: SCREENS, width },
    );
    for (const [index, { kept, needed }] of heights.entries()) {
      const screen = JSON.stringify(SCREENS[index]);
      expect(kept, screen).toBeGreaterThanOrEqual(Math.floor(needed));
      expect(kept / needed, screen).toBeLessThan(MOST);
    }
  });
}
