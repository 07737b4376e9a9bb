/**
 * Whether the crate is ready for whoever depends on it: what a native build of it compiles, what is in its package, and
 * the program of its README in a project that knows nothing of this one.
 */

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inCi, must, Problem, root, runIfMain } from "./run.js";

const PACKAGE = "generation-loop";
const LIBRARY = "generation_loop";
const locked = inCi ? ["--locked"] : [];

/** What the README's program prints first. */
const FIRST = " 1 prefill 173184 FLOPs, token 15";

/**
 * @typedef {object} Metadata what cargo says of the crate; there is more of it
 * @property {string} version
 * @property {string} rust_version
 * @property {{ name: string, crate_types: string[] }[]} targets
 */

/** What cargo says when asked, for a program to read. @param {string[]} args */
const asked = (...args) =>
  must(["cargo", ...args, ...locked, "--quiet"], { quiet: true, env: { CARGO_TERM_COLOR: "never" } });

/** @param {string} path */
const read = (path) => readFileSync(path, "utf8");

/** Every file below a folder, as paths from there with slashes. @param {string} folder */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    );
}

/** The crate, as cargo describes it, and the folder where it builds. */
async function described() {
  const { packages, target_directory } = JSON.parse(
    await asked("metadata", "--no-deps", "--format-version=1"),
  );
  /** @type {Metadata | undefined} */
  const crate = packages.find((/** @type {{ name: string }} */ { name }) => name === PACKAGE);
  if (!crate) throw new Problem(`There is no package ${PACKAGE} in the workspace.`);
  return { crate, target: /** @type {string} */ (target_directory) };
}

/** A native build has nothing in it that is for WebAssembly, and links no library but Rust's own kind. @param {Metadata} crate */
async function checkNativeBuild({ targets }) {
  const edges = ["--edges", "normal", "--target", "x86_64-unknown-linux-gnu", "--prefix", "none"];
  const tree = await asked("tree", "--package", PACKAGE, ...edges);
  const names = new Set(
    tree
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(" ")[0]),
  );
  const foreign = [...names].filter((name) => /wasm|js-sys|web-sys|talc/.test(name));
  if (foreign.length > 0)
    throw new Problem(`A native build compiles what is for WebAssembly: ${foreign.join(", ")}.`);
  const kinds = targets.find(({ name }) => name === LIBRARY)?.crate_types;
  // cargo makes every kind that the manifest names for every dependent.
  if (kinds?.join() !== "lib") throw new Problem(`The library's crate-type is ${kinds}; allowed: lib alone.`);
  console.log(`A native build compiles ${[...names].join(", ")}.`);
}

/**
 * Makes the package, has cargo build what is in it, and unpacks it.
 * @param {Metadata} crate
 * @param {string} target
 * @param {string} folder where to
 * @returns {Promise<string>} the folder of the package
 */
async function unpacked({ version }, target, folder) {
  // Offline, because otherwise it asks the registry for news that it does not need: all that the lock file names is there
  // since `cargo tree`. In a working copy there are changes that are not committed yet.
  await must(["cargo", "package", ...locked, "--offline", "--allow-dirty", "--package", PACKAGE]);
  const name = `${PACKAGE}-${version}`;
  await must(["tar", "-xzf", join(target, "package", `${name}.crate`), "-C", folder]);
  return join(folder, name);
}

/** The package holds what it should, and nothing else. @param {string} folder @param {Metadata} crate */
function checkFiles(folder, { rust_version }) {
  const crate = join(root, "crate");
  const made = [".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml", "Cargo.toml.orig"];
  const models = [
    "README.md",
    ...["config.json", "grammar.json", "model.safetensors", "training.json"].map((file) => `trained/${file}`),
  ];
  const whole = ["src", "examples"].flatMap((name) =>
    filesIn(join(crate, name)).map((file) => `${name}/${file}`),
  );
  const due = [
    ...made,
    ...whole,
    ...models.map((file) => `models/${file}`),
    "README.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
  ];
  const found = filesIn(folder);
  // Outside of a Git repository there is no commit to write down.
  const missing = due.filter((file) => !found.includes(file) && file !== made[0]);
  const unasked = found.filter((file) => !due.includes(file));
  if (missing.length > 0) throw new Problem(`The package lacks ${missing.join(", ")}.`);
  if (unasked.length > 0) throw new Problem(`The package has what nobody needs: ${unasked.join(", ")}.`);

  // In the crate's folder they are links, which some systems check out as files with a path in them.
  for (const licence of ["LICENSE-APACHE", "LICENSE-MIT"]) {
    if (read(join(folder, licence)) !== read(join(root, licence))) {
      throw new Problem(`${licence} in the package is not the repository's.`);
    }
  }
  if (!read(join(folder, "README.md")).includes(`\nRust ${rust_version} or later`)) {
    throw new Problem(
      `crate/README.md does not say "Rust ${rust_version} or later", as crate/Cargo.toml does.`,
    );
  }
  console.log(`The package has ${found.length} files.`);
}

/** The README's program runs in a project of its own. @param {string} folder @param {string} trial */
async function checkTrial(folder, trial) {
  const program = /^```rust\n(.*?)^```$/ms.exec(read(join(folder, "README.md")))?.[1];
  if (program === undefined) throw new Problem("crate/README.md has no block of Rust.");
  mkdirSync(join(trial, "src"), { recursive: true });
  writeFileSync(join(trial, "src/main.rs"), program);
  const dependency = `${PACKAGE} = { path = ${JSON.stringify(folder)} }`;
  const manifest = '[package]\nname = "trial"\nversion = "0.1.0"\nedition = "2024"\n\n[dependencies]\n';
  writeFileSync(join(trial, "Cargo.toml"), `${manifest}${dependency}\n`);
  // The versions that are here already.
  cpSync(join(folder, "Cargo.lock"), join(trial, "Cargo.lock"));
  const place = ["--manifest-path", join(trial, "Cargo.toml"), "--target-dir", join(trial, "target")];
  const output = await must(["cargo", "run", "--quiet", "--offline", ...place]);
  if (!output.split("\n").includes(FIRST)) {
    throw new Problem(`The README's program does not print "${FIRST}".`);
  }
}

await runIfMain(import.meta.url, async () => {
  const { crate, target } = await described();
  await checkNativeBuild(crate);
  // Outside of the workspace, whose settings and profiles a dependent has not.
  const folder = mkdtempSync(join(tmpdir(), `${PACKAGE}-`));
  try {
    const inside = await unpacked(crate, target, folder);
    checkFiles(inside, crate);
    await checkTrial(inside, join(folder, "trial"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
