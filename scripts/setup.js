/**
 * Installs what a fresh machine lacks. It uses nothing but Node's own modules, because it runs before `node_modules`
 * exist. Each function is quick when there is nothing to do, and all can be run again at any time.
 */

import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { findProgram, inCi, must, Problem, root, run, runIfMain } from "./run.js";

const TARGET = "wasm32-unknown-unknown";

/** Node's modules, exactly as the lock file has them. */
export async function ensureNodeModules() {
  // npm writes this file last, so it is older than the lock only if the lock has changed since.
  const installed = statSync(join(root, "node_modules/.package-lock.json"), { throwIfNoEntry: false });
  if (installed && installed.mtimeMs >= statSync(join(root, "package-lock.json")).mtimeMs) return;
  console.log("Installing the node modules …");
  const npm = process.env.npm_execpath
    ? [process.execPath, process.env.npm_execpath]
    : [findProgram("npm") ?? "npm"];
  await must([...npm, "ci", "--no-audit", "--no-fund"]);
}

/** A Rust toolchain that is new enough, with the WebAssembly target and the two components that the checks use. */
export async function ensureRust() {
  if (!findProgram("cargo")) {
    // rustup puts cargo here, and a shell that was opened before that does not look there.
    process.env.PATH += delimiter + join(homedir(), ".cargo/bin");
  }
  if (!findProgram("cargo")) {
    throw new Problem(
      "Rust is needed and was not found. Install it from https://rustup.rs and run this again.",
    );
  }

  const version = await must(["rustc", "--version"], { quiet: true });
  const [, major = 0, minor = 0] = (/rustc (\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  const least = leastRust("Cargo.toml");
  const [leastMajor = 0, leastMinor = 0] = least.split(".").map(Number);
  if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
    throw new Problem(
      `Rust ${least} or newer is needed; this is ${version.trim()}. \`rustup update\` brings it.`,
    );
  }

  // Asked of cargo itself: rustup puts these programs on the path whether or not the toolchain has them.
  /** @param {string} command */
  const lacks = async (command) => (await run(["cargo", command, "--version"], { quiet: true })).code !== 0;
  const libraries = await must(["rustc", "--print", "target-libdir", "--target", TARGET], { quiet: true });
  /** @type {string[][]} */
  const missing = [];
  if (!existsSync(libraries.trim())) missing.push(["target", "add", TARGET]);
  if (await lacks("clippy")) missing.push(["component", "add", "clippy"]);
  if (await lacks("fmt")) missing.push(["component", "add", "rustfmt"]);
  for (const args of missing) {
    if (!findProgram("rustup")) {
      throw new Problem(
        `Rust lacks ${args.at(-1)}, and rustup, which would add it, was not found: see https://rustup.rs.`,
      );
    }
    console.log(`Adding ${args.at(-1)} to Rust …`);
    await must(["rustup", ...args]);
  }
}

/**
 * The least version of Rust that a manifest asks for: the root's to build the project, the crate's to depend on it.
 * @param {"Cargo.toml" | "crate/Cargo.toml"} manifest
 */
export function leastRust(manifest) {
  const version = /^rust-version = "(\d+\.\d+(?:\.\d+)?)"/m.exec(
    readFileSync(join(root, manifest), "utf8"),
  )?.[1];
  if (version === undefined) throw new Problem(`${manifest} has no line \`rust-version = "…"\`.`);
  return version;
}

/**
 * Another version of Rust beside the one in use.
 * @param {string} version
 * @returns {Promise<boolean>} whether it is there
 */
export async function ensureToolchain(version) {
  if (!findProgram("rustup")) {
    console.log(`\n!! rustup, which would bring Rust ${version}, was not found: see https://rustup.rs.`);
    return false;
  }
  const rustc = ["rustup", "run", version, "rustc", "--version"];
  if ((await run(rustc, { quiet: true })).code === 0) return true;
  console.log(`Installing Rust ${version} …`);
  const { code } = await run([
    ...["rustup", "toolchain", "install", version],
    ...["--profile", "minimal", "--no-self-update"],
  ]);
  return code === 0;
}

/**
 * A browser that Playwright can drive.
 * @typedef {object} Browser
 * @property {string} path
 * @property {boolean} stock a browser as its users have it; false for a build of Playwright's own
 */

/**
 * What there is to test with: a variable that names a path goes first, then what the path finds, then what Playwright has.
 * @returns {Promise<{ chromium: Browser | null, firefox: Browser | null, chromedriver: string | null }>}
 */
export async function findBrowsers() {
  const { CHROMIUM_PATH, CHROMEDRIVER, FIREFOX_PATH } = process.env;
  /** @param {string | undefined} named @param {string[]} names */
  const stock = (named, ...names) => {
    const path = findProgram(...(named ? [named] : names));
    if (named && !path)
      throw new Problem(`There is no program at ${named}, which an environment variable names.`);
    return path;
  };
  const chromium = stock(
    CHROMIUM_PATH,
    ...["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  );
  const firefox = stock(
    FIREFOX_PATH,
    ...["firefox-esr", "firefox"],
    "/Applications/Firefox.app/Contents/MacOS/firefox",
  );
  /** @param {"chromium" | "firefox"} name @returns {Promise<Browser | null>} */
  const playwrights = async (name) => {
    const playwright = await import("@playwright/test").catch(() => null);
    const path = playwright?.[name].executablePath();
    return path && existsSync(path) ? { path, stock: false } : null;
  };
  return {
    chromium: chromium ? { path: chromium, stock: true } : await playwrights("chromium"),
    firefox: firefox ? { path: firefox, stock: true } : await playwrights("firefox"),
    chromedriver: stock(CHROMEDRIVER, "chromedriver"),
  };
}

/** Installs the browsers that are missing, where that can be done, and returns what there is then. */
export async function ensureBrowsers() {
  let found = await findBrowsers();
  const packages = /** @type {const} */ ([
    ["chromium", "chromium"],
    ["chromedriver", "chromium-driver"],
    ["firefox", "firefox-esr"],
  ]).flatMap(([name, debian]) => (found[name] ? [] : [debian]));
  if (packages.length > 0) {
    const asRoot = await becomingRoot();
    if (asRoot && findProgram("apt-get")) {
      console.log(`Installing ${packages.join(", ")} …`);
      const options = { env: { DEBIAN_FRONTEND: "noninteractive" } };
      await run([...asRoot, "apt-get", "update", "--quiet"], options);
      const install = ["apt-get", "install", "--yes", "--quiet", "--no-install-recommends"];
      // The font is for the pages: a bare machine has none, and text without a font has no size.
      await run([...asRoot, ...install, ...packages, "fonts-liberation"], options);
      found = await findBrowsers();
    }
  }
  for (const [name, what] of Object.entries(found)) {
    if (what) continue;
    const hint = name === "chromedriver" ? "CHROMEDRIVER" : `${name.toUpperCase()}_PATH`;
    console.log(
      `\n!! ${name} was not found and could not be installed. Install it, or name its path in ${hint}.`,
    );
    console.log(inCi ? "!! Its checks fail." : "!! ITS CHECKS ARE SKIPPED.");
  }
  return found;
}

/** What goes before a command to run it as root: nothing for root, sudo where it asks for no password, else null. */
async function becomingRoot() {
  if (process.getuid?.() === 0) return [];
  if (!findProgram("sudo")) return null;
  // sudo drops the environment; `env` sets anew what apt-get needs.
  const sudo = ["sudo", "--non-interactive", "env", "DEBIAN_FRONTEND=noninteractive"];
  return (await run([...sudo, "true"], { quiet: true })).code === 0 ? sudo : null;
}

await runIfMain(import.meta.url, async () => {
  await ensureNodeModules();
  await ensureRust();
});
