/**
 * `npm run examples`: builds and serves each folder of `examples/` as its reader would, outside the repository and with the
 * package as it would be published, and makes ten passes on its page. `npm run examples -- --only vite,react --browser chromium`
 * takes fewer. The package has to be built.
 */

import { chromium, firefox } from "@playwright/test";
import { EXAMPLES, prepare } from "./examples/catalogue.js";
import { expectedFlops, PASSES, readPage, sumOf } from "./examples/reader.js";
import { Workshop } from "./examples/workshop.js";
import { inCi, Problem, runIfMain } from "./run.js";
import { ensureBrowsers } from "./setup.js";

/** @typedef {import("./examples/catalogue.js").Example} Example */
/** @typedef {import("./examples/catalogue.js").Mode} Mode */
/** @typedef {"chromium" | "firefox"} BrowserName */

/** @typedef {{ name: string, mode: string, browser: string, seconds: number, error: string | null }} Result */

const USAGE = `usage: npm run examples [-- --only <name>[,<name>…]] [--browser chromium|firefox]
The names: ${EXAMPLES.map(({ name }) => name).join(", ")}`;

/**
 * @param {string[]} args
 * @returns {{ examples: Example[], browser: BrowserName | null }}
 */
function chosen(args) {
  let examples = EXAMPLES;
  /** @type {BrowserName | null} */
  let browser = null;
  for (let at = 0; at < args.length; at += 2) {
    const [option, value] = [args[at], args[at + 1]];
    if (option === "--browser" && (value === "chromium" || value === "firefox")) browser = value;
    else if (option === "--only" && value) examples = value.split(",").map(named);
    else throw new Problem(USAGE);
  }
  return { examples, browser };
}

/** @param {string} name */
function named(name) {
  const example = EXAMPLES.find((known) => known.name === name);
  if (example === undefined) throw new Problem(`There is no example "${name}".\n${USAGE}`);
  return example;
}

/** The browsers of one run, started when they are first wanted. */
class Browsers {
  /** @type {Map<BrowserName, import("@playwright/test").Browser>} */
  #open = new Map();
  #found;

  /** @param {Awaited<ReturnType<typeof ensureBrowsers>>} found */
  constructor(found) {
    this.#found = found;
  }

  /** @param {BrowserName} name */
  lacks(name) {
    return this.#found[name] === null;
  }

  /** @param {BrowserName} name */
  async open(name) {
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    const found = this.#found[name];
    const type = name === "chromium" ? chromium : firefox;
    const browser = await type.launch({
      executablePath: found?.path,
      // A Firefox as its users have it is driven by the standard protocol.
      ...(name === "firefox" && found?.stock && { channel: "moz-firefox" }),
      ...(name === "chromium" && { args: ["--disable-background-networking", "--no-first-run"] }),
    });
    this.#open.set(name, browser);
    return browser;
  }

  async close() {
    for (const browser of this.#open.values()) await browser.close();
  }
}

/**
 * Runs something, and tells at once how it went.
 * @param {string} name
 * @param {string} mode
 * @param {string} browser
 * @param {() => Promise<unknown>} task
 * @returns {Promise<Result>}
 */
async function attempt(name, mode, browser, task) {
  const start = performance.now();
  /** @type {string | null} */
  let error = null;
  try {
    await task();
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  }
  const result = { name, mode, browser, error, seconds: (performance.now() - start) / 1000 };
  console.log(error === null ? inOneLine(result) : `${inOneLine(result)}\n${error}\n`);
  return result;
}

/** @param {Result} result */
function inOneLine({ name, mode, browser, seconds, error }) {
  const time = `${seconds.toFixed(1)} s`.padStart(8);
  return `${error === null ? "✓" : "✗"} ${name.padEnd(10)}${mode.padEnd(14)}${browser.padEnd(10)}${time}`;
}

/**
 * @param {Example} example
 * @param {Workshop} workshop
 * @param {Browsers} browsers
 * @param {BrowserName | null} only
 */
async function tryOut(example, workshop, browsers, only) {
  const { name, modes, check } = example;
  let folder = "";
  const installed = await attempt(name, "install", "", async () => {
    folder = await workshop.install(name);
  });
  if (installed.error !== null) return [installed];
  /** @type {Result[]} */
  const results = [];
  if (check !== undefined) results.push(await attempt(name, "run", "", () => check(folder)));
  const names = example.browsers.filter((browser) => only === null || browser === only);
  for (const mode of modes) results.push(...(await look(example, mode, folder, names, browsers)));
  workshop.clear(name);
  return results;
}

/**
 * One mode of an example in all its browsers.
 * @param {Example} example
 * @param {Mode} mode
 * @param {string} folder
 * @param {BrowserName[]} names
 * @param {Browsers} browsers
 */
async function look({ name }, mode, folder, names, browsers) {
  /** @type {Result[]} */
  const results = [];
  /** @type {import("./examples/servers.js").Server | undefined} */
  let server;
  if (names.length === 0) return results;
  const prepared = await attempt(name, mode.name, "build", async () => {
    await prepare(folder, mode.before ?? []);
    server = await mode.serve(folder);
  });
  if (prepared.error !== null) results.push(prepared);
  const { address } = server ?? {};
  if (address !== undefined) {
    for (const browser of names) {
      if (browsers.lacks(browser)) {
        console.log(`– ${name.padEnd(10)}${mode.name.padEnd(14)}${browser.padEnd(10)} is not here`);
        if (inCi) results.push({ name, mode: mode.name, browser, seconds: 0, error: "no such browser" });
        continue;
      }
      results.push(
        await attempt(name, mode.name, browser, async () => {
          for (const page of mode.pages) await readPage(await browsers.open(browser), address, page);
        }),
      );
    }
  }
  await server?.close();
  return results;
}

await runIfMain(import.meta.url, async () => {
  const { examples, browser } = chosen(process.argv.slice(2));
  const browsers = new Browsers(await ensureBrowsers());
  const workshop = await Workshop.open();
  /** @type {Result[]} */
  const results = [];
  try {
    for (const example of examples) results.push(...(await tryOut(example, workshop, browsers, browser)));
  } finally {
    await browsers.close();
    workshop.close();
  }
  const failed = results.filter(({ error }) => error !== null);
  console.log(`\n━━ Summary ${"━".repeat(60)}`);
  for (const result of results) console.log(inOneLine(result));
  console.log(`\nEach page: ${PASSES} passes, ${sumOf(expectedFlops()).toLocaleString("en")} FLOPs in all.`);
  if (failed.length > 0) process.exitCode = 1;
});
