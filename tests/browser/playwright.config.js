import { join } from "node:path";
import { defineConfig } from "@playwright/test";
import { inCi, root } from "../../scripts/run.js";
import { findBrowsers } from "../../scripts/setup.js";

const { chromium, firefox } = await findBrowsers();

// A browser that is missing has no project here; `npm test` says so, and in continuous integration it fails.
const projects = [];
if (chromium) {
  projects.push({
    name: "chromium",
    use: {
      browserName: /** @type {const} */ ("chromium"),
      launchOptions: {
        executablePath: chromium.path,
        // What a browser does for itself at start has no place in a test. For root, Playwright adds --no-sandbox.
        args: [
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--no-first-run",
        ],
      },
    },
  });
}
if (firefox) {
  projects.push({
    name: "firefox",
    // The checker of accessibility looks at markup and computed styles, which the browsers share, and takes a quarter of the time
    // here: where a test is no more than that, once is enough.
    grepInvert: /(?<!:) axe finds nothing(?!.*small screen)/,
    use: {
      browserName: /** @type {const} */ ("firefox"),
      // A Firefox as its users have it is driven by the standard protocol, Playwright's own build by Playwright's.
      ...(firefox.stock && { channel: "moz-firefox" }),
      launchOptions: { executablePath: firefox.path },
    },
  });
}

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.js",
  outputDir: join(root, "test-results"),
  projects,
  reporter: "list",
  // A test that passes at the second try has failed once.
  retries: 0,
  workers: 2,
  fullyParallel: true,
  forbidOnly: inCi,
  // On a machine with other work, too: how long something takes is the benchmark's to say.
  timeout: 180_000,
  expect: { timeout: 20_000 },
});
