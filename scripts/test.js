/**
 * `npm test`: every check there is, cheap ones first. A failing check does not stop the others, so one run shows all
 * that is wrong. `npm test -- --only rust,unit` runs just those, and takes what they need as built.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { inCi, Problem, root, run, runIfMain, tool } from "./run.js";
import { ensureBrowsers, ensureNodeModules, ensureRust, ensureToolchain, leastRust } from "./setup.js";

const TARGET = "wasm32-unknown-unknown";

// In continuous integration the lock file is the law; at home it follows the manifests.
const locked = inCi ? ["--locked"] : [];

/**
 * @typedef {object} Check
 * @property {string} name as `--only` takes it
 * @property {string} title
 * @property {() => string[]} command made only when its turn comes
 * @property {Record<string, string | undefined>} [env]
 * @property {string} [needs] a check without whose success this one would only repeat the failure
 * @property {("chromium" | "firefox" | "chromedriver")[]} [browsers] what it cannot run without
 * @property {() => string} [toolchain] likewise a version of Rust beside the one in use
 * @property {keyof typeof COUNTS} [tests] whose words say how many tests ran; a check without this is one test by itself
 */

/** @param {...string} args */
const cargo = (...args) => ["cargo", ...args];
const wasmPackage = ["--package", "generation-loop", "--lib", "--tests", "--target", TARGET];
const wasmTests = () => cargo("test", "--no-fail-fast", ...wasmPackage);
// The lock file is always the law here: an older cargo would choose other versions. And a folder of its own, because two
// compilers in one would undo each other's work.
const crateAlone = ["--locked", "--package", "generation-loop", "--lib", "--target-dir", "target/msrv"];
// By an argument to clippy and not by RUSTFLAGS, which would have everything compiled anew.
const strict = ["--", "-D", "warnings"];

// Two of the tools do not see by themselves whether anybody reads what they print.
const colour = process.stdout.isTTY;

/** @type {Check[]} */
const CHECKS = [
  {
    name: "rustfmt",
    title: "Rust is formatted",
    command: () => cargo("fmt", "--all", "--check", "--", `--color=${colour ? "always" : "never"}`),
  },
  {
    name: "biome",
    title: "JavaScript is formatted and free of lint",
    command: () => tool("biome", "ci", `--colors=${colour ? "force" : "off"}`),
  },
  {
    name: "clippy",
    title: "Rust is free of lint",
    command: () => cargo("clippy", ...locked, "--workspace", "--all-targets", ...strict),
  },
  {
    name: "clippy-wasm",
    title: "Rust for WebAssembly is free of lint",
    command: () => cargo("clippy", ...wasmPackage, ...strict),
  },
  {
    name: "rustdoc",
    title: "Rust's documentation builds, and its links lead somewhere",
    command: () => cargo("doc", "--workspace", "--no-deps"),
    env: { RUSTDOCFLAGS: "-D warnings" },
  },
  {
    name: "rust",
    title: "Rust tests, native",
    // Not the workspace: xtask has no tests, and beside the crate it would be built with other features than alone.
    command: () => cargo("test", "--no-fail-fast", "--package", "generation-loop"),
    tests: "cargo",
  },
  {
    name: "msrv",
    title: "The crate compiles with the least Rust that it asks for",
    toolchain: crateRust,
    // By rustup: a cargo that is not rustup's own knows no `+1.88`.
    command: () => ["rustup", "run", crateRust(), ...cargo("check", ...crateAlone)],
  },
  {
    name: "crate",
    title: "The crate is a package that others can use",
    command: () => [process.execPath, join(root, "scripts/crate.js")],
  },
  {
    name: "wasm",
    title: "The WebAssembly builds",
    command: () => cargo("xtask", "wasm"),
  },
  {
    name: "types",
    title: "JavaScript's types agree",
    command: () => tool("tsc", "-p", "tsconfig.json"),
    needs: "wasm",
  },
  {
    name: "unit",
    title: "JavaScript tests in Node",
    command: () => [process.execPath, "--test", "--test-reporter=spec", ...unitTests()],
    needs: "wasm",
    tests: "node",
  },
  {
    name: "wasm-node",
    title: "Rust tests as WebAssembly, in Node",
    command: wasmTests,
    tests: "cargo",
  },
  {
    name: "wasm-chromium",
    title: "Rust tests as WebAssembly, in Chromium",
    command: wasmTests,
    env: { WASM_BINDGEN_USE_BROWSER: "1" },
    browsers: ["chromium", "chromedriver"],
    tests: "cargo",
  },
  {
    name: "build",
    title: "The package and the chapter build, within their budgets",
    command: () => [process.execPath, join(root, "scripts/build.js")],
    needs: "wasm",
  },
  {
    name: "package",
    title: "The package is whole: its files, what it says of them, its types, its sizes",
    command: () => [process.execPath, join(root, "scripts/package.js")],
    needs: "build",
  },
  {
    name: "bench",
    title: "The benchmark runs, a little of every section",
    command: () => [process.execPath, join(root, "scripts/bench.js"), "--smoke"],
    needs: "build",
    browsers: ["chromium"],
  },
  {
    name: "examples",
    title: "The quick ones of the examples install, build and run",
    command: () => [
      process.execPath,
      join(root, "scripts/examples.js"),
      ...["--only", "plain,vite,webpack,node", "--browser", "chromium"],
    ],
    needs: "build",
    browsers: ["chromium"],
  },
  .../** @type {const} */ (["chromium", "firefox"]).map((browser) => ({
    name: `browser-${browser}`,
    title: `Browser tests in ${browser}`,
    command: () =>
      tool("playwright", "test", "--config", "tests/browser/playwright.config.js", "--project", browser),
    needs: "build",
    browsers: [browser],
    tests: /** @type {const} */ ("playwright"),
  })),
];

function crateRust() {
  return leastRust("crate/Cargo.toml");
}

/** Found here, because what `node --test` makes of a folder or a pattern depends on Node's version. */
function unitTests() {
  const folder = join(root, "tests/unit");
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  // Without a name `node --test` would look everywhere; with one that does not exist it says so and fails.
  const tests = files.filter((file) => file.endsWith(".test.js")).sort();
  return tests.length > 0 ? tests.map((file) => join(folder, file)) : [join(folder, "*.test.js")];
}

/** How each test runner says what became of its tests: a pattern for each, whose numbers are added up. */
const COUNTS = {
  cargo: {
    passed: /^test result: .*?(\d+) passed/gm,
    failed: /^test result: .*?(\d+) failed/gm,
    skipped: /^test result: .*?(\d+) ignored/gm,
  },
  node: {
    passed: /^ℹ pass (\d+)/gm,
    failed: /^ℹ (?:fail|cancelled) (\d+)/gm,
    skipped: /^ℹ (?:skipped|todo) (\d+)/gm,
  },
  playwright: {
    passed: /^ +(\d+) passed/gm,
    failed: /^ +(\d+) (?:failed|flaky|interrupted)/gm,
    skipped: /^ +(\d+) (?:skipped|did not run)/gm,
  },
};

/**
 * @typedef {object} Result
 * @property {Check} check
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {number} seconds
 * @property {string} [remark]
 */

/**
 * @param {Check} check
 * @param {Record<string, string | undefined>} env
 * @returns {Promise<Result>}
 */
async function perform(check, env) {
  const start = performance.now();
  const { code, output } = await run(check.command(), { env: { ...env, ...check.env } });
  const seconds = (performance.now() - start) / 1000;
  if (!check.tests) {
    return { check, passed: Number(code === 0), failed: Number(code !== 0), skipped: 0, seconds };
  }

  const text = stripVTControlCharacters(output);
  /** @param {RegExp} pattern */
  const count = (pattern) => [...text.matchAll(pattern)].reduce((sum, match) => sum + Number(match[1]), 0);
  const patterns = COUNTS[check.tests];
  const [passed, failed, skipped] = [count(patterns.passed), count(patterns.failed), count(patterns.skipped)];
  const result = { check, passed, failed, skipped, seconds };
  // It may fail without a failing test (something does not compile), and must not succeed without a passing one.
  if (code !== 0 && failed === 0) return { ...result, failed: 1, remark: `exit code ${code}` };
  if (code === 0 && passed === 0) return { ...result, failed: 1, remark: "ran no test" };
  return result;
}

/**
 * The checks that the command line asks for: all, or those after `--only`, where `browser` means every browser.
 * @param {string[]} args
 */
function chosen(args) {
  const [option, list, ...rest] = args;
  if (option === undefined) return CHECKS;
  const names = CHECKS.map((check) => check.name).join(", ");
  if (option !== "--only" || !list || rest.length > 0) {
    throw new Problem(`usage: npm test [-- --only <name>[,<name>…]]\nThe names: ${names}`);
  }
  const wanted = list.split(",");
  const unknown = wanted.find((name) => !CHECKS.some((check) => matches(check, name)));
  if (unknown !== undefined) throw new Problem(`There is no check "${unknown}". The names: ${names}`);
  return CHECKS.filter((check) => wanted.some((name) => matches(check, name)));
}

/** @param {Check} check @param {string} name */
const matches = (check, name) =>
  check.name === name || (name === "browser" && check.name.startsWith("browser-"));

await runIfMain(import.meta.url, async () => {
  const checks = chosen(process.argv.slice(2));
  await ensureNodeModules();
  await ensureRust();
  const browsers = checks.some((check) => check.browsers) ? await ensureBrowsers() : null;
  // The test runner of wasm-bindgen takes the driver from here.
  const env = { CHROMEDRIVER: browsers?.chromedriver ?? undefined };

  /** @type {Result[]} */
  const results = [];
  for (const check of checks) {
    console.log(
      `\n━━ ${check.title} (${check.name}) ${"━".repeat(Math.max(0, 80 - check.title.length - check.name.length))}`,
    );
    const none = { check, passed: 0, failed: 0, skipped: 0, seconds: 0 };
    const toolchain = check.toolchain?.();
    const lacking =
      toolchain !== undefined && !(await ensureToolchain(toolchain))
        ? `Rust ${toolchain}`
        : check.browsers?.find((name) => !browsers?.[name]);
    const broken = results.find((result) => result.check.name === check.needs && result.failed > 0);
    /** @type {Result} */
    let result;
    if (lacking) {
      result = { ...none, [inCi ? "failed" : "skipped"]: 1, remark: `no ${lacking}` };
    } else if (broken) {
      result = { ...none, failed: 1, remark: `needs ${broken.check.name}` };
    } else {
      result = await perform(check, env);
    }
    results.push(result);
    console.log(`── ${tally(result)}, ${result.seconds.toFixed(1)} s`);
  }

  console.log(`\n━━ Summary ${"━".repeat(72)}`);
  for (const result of results) {
    const mark = result.failed > 0 ? "✗" : result.passed > 0 ? "✓" : "–";
    console.log(
      `${mark} ${result.check.name.padEnd(18)}${`${result.seconds.toFixed(1)} s`.padStart(9)}   ${tally(result)}`,
    );
  }
  /** @param {"passed" | "failed" | "skipped"} key */
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  if (sum("skipped") > 0) console.log(`\n${sum("skipped")} skipped.`);
  console.log(`\n${sum("passed")} passed, ${sum("failed")} failed`);
  process.exitCode = sum("failed") > 0 ? 1 : 0;
});

/** @param {Result} result */
function tally({ passed, failed, skipped, remark }) {
  const counts = [`${passed} passed`, `${failed} failed`];
  if (skipped > 0) counts.push(`${skipped} skipped`);
  return counts.join(", ") + (remark ? ` (${remark})` : "");
}
