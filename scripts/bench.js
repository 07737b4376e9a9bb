/**
 * `npm run bench`: how fast this project is, in headless Chromium. Each section of `bench/` measures one thing; tables are
 * printed, results are written to `bench/results.json`, and the passes are drawn in `docs/bench.svg`.
 *
 * `-- --only scaling,startup` chooses sections, and leaves the results of the others as they are. `-- --shapes default,gpt2`
 * chooses the shapes of the passes. `-- --smoke` runs a little of each section, to see that it runs.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chapter } from "../bench/chapter.js";
import { chart } from "../bench/chart.js";
import { outcomes } from "../bench/goals.js";
import { withHost } from "../bench/host.js";
import { interaction } from "../bench/interaction.js";
import { passes, SHAPES } from "../bench/passes.js";
import { verdicts } from "../bench/report.js";
import { scaling } from "../bench/scaling.js";
import { asked, merged } from "../bench/section.js";
import { startup } from "../bench/startup.js";
import { build } from "./build.js";
import { must, Problem, root, runIfMain } from "./run.js";
import { ensureBrowsers, ensureNodeModules, ensureRust } from "./setup.js";

const SECTIONS = [passes, scaling, startup, interaction, chapter];

const WASM = ["build", "--quiet", "--release", "--target", "wasm32-unknown-unknown"];
const LIMITS = [...WASM, "--package", "limits"];
const CANDLE = [
  ...WASM,
  ...["--locked", "--manifest-path", "bench/candle/Cargo.toml", "--target-dir", "target/candle"],
];

/** candle gets the compiler's own limits on inlining: this takes the place of those in `.cargo/config.toml`. */
const FLAGS_OF_CANDLE = "-C target-feature=+simd128";

/** @param {string[]} args */
function chosen(args) {
  try {
    return asked(
      args,
      SECTIONS.map(({ name }) => name),
      SHAPES.map(({ name }) => name),
    );
  } catch (error) {
    throw new Problem(/** @type {Error} */ (error).message);
  }
}

/**
 * @param {string} section
 * @param {any} results
 */
function keep(section, results) {
  const path = join(root, "bench/results.json");
  writeFileSync(path, merged(existsSync(path) ? readFileSync(path, "utf8") : null, section, results));
  if (section === "passes") writeFileSync(join(root, "docs/bench.svg"), chart(results));
}

await runIfMain(import.meta.url, async () => {
  const { only, ...options } = chosen(process.argv.slice(2));
  await ensureNodeModules();
  await ensureRust();
  await ensureBrowsers();
  if (!options.smoke) await build();
  await must(["cargo", ...LIMITS]);
  if (!options.smoke && only.includes("passes")) {
    console.log("Building candle (the first time for minutes) …");
    await must(["cargo", ...CANDLE], { env: { RUSTFLAGS: FLAGS_OF_CANDLE } });
  }
  await withHost(async (host) => {
    for (const { name, measure, report } of SECTIONS.filter((section) => only.includes(section.name))) {
      const results = await measure(host, options);
      const goals = outcomes(name, results);
      const text = [report(results), verdicts(goals)].filter((part) => part !== "").join("\n\n");
      // Of code that has hardly run, times say nothing.
      if (options.smoke) continue;
      console.log(text);
      keep(name, { ...results, goals });
    }
  });
  if (options.smoke) console.log(`  the benchmark runs: ${only.join(", ")}`);
});
