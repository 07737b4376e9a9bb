/** Where the examples are built: a folder outside the repository, with the package as it would be published. */

import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, Problem, root } from "../run.js";
import { succeed } from "./processes.js";

/** A process that was just ended may have been writing. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 };

/** No example may find a module of the repository by looking upwards from its own folder. */
export class Workshop {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
    this.tarball = "";
    // Also after an interrupt: this is the last thing that a process does.
    process.on("exit", () => this.close());
  }

  /** Packs what is built. */
  static async open() {
    for (const file of ["dist/generation-loop.js", "dist/engine.js"]) {
      if (!existsSync(join(root, file)))
        throw new Problem(`There is no ${file}: \`npm run build\` makes it.`);
    }
    const workshop = new Workshop(mkdtempSync(join(realpathSync(tmpdir()), "generation-loop-examples-")));
    const packed = await succeed(
      npm("pack", root, "--json", "--ignore-scripts", "--pack-destination", workshop.folder),
    );
    const [, filename] = /"filename": "([^"]+)"/.exec(packed) ?? [];
    if (filename === undefined) throw new Problem(`npm pack named no file:\n${packed}`);
    workshop.tarball = join(workshop.folder, filename);
    return workshop;
  }

  /**
   * A copy of an example with its dependencies installed, the package from the tarball.
   * @param {string} name
   * @returns {Promise<string>} its folder
   */
  async install(name) {
    const folder = join(this.folder, name);
    const built = /[\\/](?:node_modules|dist|\.next|\.astro|package-lock\.json)$/;
    cpSync(join(root, "examples", name), folder, { recursive: true, filter: (path) => !built.test(path) });
    // As the examples' own words have it: with a tarball, until the package is in a registry.
    const install = npm("install", "--no-save", this.tarball, "--prefix", folder);
    await succeed([...install, "--no-audit", "--no-fund", "--prefer-offline"]);
    return folder;
  }

  /** @param {string} name */
  clear(name) {
    rmSync(join(this.folder, name), REMOVAL);
  }

  close() {
    rmSync(this.folder, REMOVAL);
  }
}

/**
 * The npm that runs this, so that no shell is needed to find it.
 * @param {...string} args
 * @returns {string[]}
 */
export function npm(...args) {
  const path = process.env.npm_execpath;
  return [...(path ? [process.execPath, path] : [findProgram("npm") ?? "npm"]), ...args];
}

/**
 * A script of an example.
 * @param {string} folder
 * @param {string} name
 * @param {...string} args
 */
export const script = (folder, name, ...args) =>
  npm("--prefix", folder, "run", "--silent", name, ...(args.length > 0 ? ["--", ...args] : []));
