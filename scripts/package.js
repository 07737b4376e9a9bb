/**
 * `npm run package`: packs what was built as npm would publish it, installs that elsewhere as others would, and looks whether it is whole:
 * its files, what it says of them, its types, its sizes.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { BUDGETS } from "./build.js";
import { compileAll } from "./package/consumers.js";
import { absent, CONTENTS, differences } from "./package/contents.js";
import { misshapen, SHAPED, strayModules } from "./package/shapes.js";
import { findProgram, must, Problem, root, run, runIfMain } from "./run.js";

const npm = process.env.npm_execpath
  ? [process.execPath, process.env.npm_execpath]
  : [findProgram("npm") ?? "npm"];

/**
 * Packs a folder.
 * @param {string} folder
 * @param {string} destination
 * @returns {Promise<{ tarball: string, files: { path: string, size: number }[] }>}
 */
async function pack(folder, destination) {
  const output = await must(
    [...npm, "pack", folder, "--json", "--ignore-scripts", "--pack-destination", destination],
    {
      quiet: true,
    },
  );
  const [{ filename, files }] = JSON.parse(output.slice(output.indexOf("[")));
  return { tarball: join(destination, filename), files };
}

/**
 * A folder of somebody who has installed the package, and nothing else.
 * @param {string} folder
 * @param {string} tarball
 */
async function install(folder, tarball) {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const how = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save"];
  await must([...npm, "install", tarball, "--prefix", folder, ...how], { quiet: true });
  return join(folder, "node_modules/generation-loop");
}

/**
 * What publint has to say, its suggestions too.
 * @param {string} folder of the package
 */
async function linted(folder) {
  const { messages, pkg } = await publint({ pkgDir: folder, strict: true, pack: false });
  return messages.map((message) => `publint: ${formatMessage(message, pkg)}`);
}

/**
 * Whether every way to import it finds types, and the right ones. Pages have none.
 * @param {string} tarball
 * @param {Record<string, unknown>} exports
 */
async function resolved(tarball, exports) {
  const command = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
  const typeless = Object.keys(exports).filter((path) => path.endsWith(".html"));
  const { code, output } = await run(
    [
      process.execPath,
      command,
      tarball,
      ...["--profile", "esm-only", "--no-definitely-typed", "--format", "ascii", "--no-color"],
      ...["--exclude-entrypoints", ...typeless],
    ],
    { quiet: true },
  );
  return code === 0 ? [] : [`attw:\n${output}`];
}

/**
 * Everything. Returns what is wrong.
 * @param {string} [packed] the folder to pack
 */
export async function check(packed = root) {
  const folder = mkdtempSync(join(tmpdir(), "generation-loop-"));
  try {
    const { tarball, files } = await pack(packed, folder);
    const installed = await install(folder, tarball);
    const paths = files.map(({ path }) => path).sort();
    const read = (/** @type {string} */ file) => readFileSync(join(installed, file));
    const json = (/** @type {string} */ file) => JSON.parse(read(file).toString());
    /** @param {string} file */
    const shape = (file) => (paths.includes(`dist/${file}`) ? json(`dist/${file}`) : null);

    const { missing, unexpected } = differences(CONTENTS, paths);
    const problems = [
      ...missing.map((file) => `The package lacks ${file}.`),
      ...unexpected.map(
        (file) => `The package has ${file}, which scripts/package/contents.js does not know.`,
      ),
      ...absent(json("package.json"), paths).map(
        ({ at, file }) => `package.json names ${file} (${at}), which the package lacks.`,
      ),
      ...SHAPED.flatMap((file) => (shape(file) === null ? [] : misshapen(file, shape(file)))),
      ...strayModules(shape("custom-elements.json") ?? { modules: [] }, paths).map(
        (path) => `custom-elements.json tells of ${path}, which the package lacks.`,
      ),
      ...(await linted(installed)),
      ...(await resolved(tarball, json("package.json").exports)),
      ...(await compileAll(folder)),
    ];

    console.log(`${"file".padEnd(44)}${"raw".padStart(10)}${"gzip".padStart(10)}`);
    const kB = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(10);
    for (const { path, size } of files) {
      const gzip = gzipSync(read(path), { level: 9 }).length;
      console.log(path.padEnd(44) + kB(size) + kB(gzip));
      const most = BUDGETS.find((budget) => budget.file === path)?.most ?? Number.POSITIVE_INFINITY;
      if (gzip > most) problems.push(`${path}: ${gzip} bytes after gzip, at most ${most} allowed.`);
    }
    console.log(`${files.length} files; the tarball${kB(readFileSync(tarball).length)}`);
    return problems;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await runIfMain(import.meta.url, async () => {
  const problems = await check();
  if (problems.length > 0) throw new Problem(problems.join("\n"));
});
