/** What a reader has chosen for all pages. */

/**
 * For `test.use` at the top of a spec: Chromium is told from outside, a stock Firefox only when it starts.
 * @param {{ dark?: boolean, lessMotion?: boolean, forcedColours?: boolean }} preferences
 * @returns {Parameters<typeof import("./fixtures.js").test.use>[0]}
 */
export function preferring({ dark = false, lessMotion = false, forcedColours = false }) {
  const firefoxUserPrefs = {
    "ui.systemUsesDarkTheme": Number(dark),
    "ui.prefersReducedMotion": Number(lessMotion),
    "browser.display.document_color_use": forcedColours ? 2 : 1,
  };
  return {
    launchOptions: [
      ({ launchOptions }, use) => use({ ...launchOptions, firefoxUserPrefs }),
      { scope: "worker" },
    ],
    contextOptions: {
      colorScheme: dark ? "dark" : "light",
      reducedMotion: lessMotion ? "reduce" : "no-preference",
      forcedColors: forcedColours ? "active" : "none",
    },
  };
}

/**
 * Whether a media query matches, so that a spec can tell that its preferences have arrived.
 * @param {import("@playwright/test").Page} page
 * @param {string} query
 */
export const matches = (page, query) => page.evaluate((query) => matchMedia(query).matches, query);
