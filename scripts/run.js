/** How every script here starts another program: what it prints is seen at once, and nothing it starts outlives it. */

import { spawn } from "node:child_process";
import { accessSync, constants, realpathSync } from "node:fs";
import { constants as osConstants } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The repository's root directory, without a slash at its end. */
export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");

/** In continuous integration what is missing is a failure; on a person's machine it is said and passed over. */
export const inCi = process.env.CI !== undefined && !["", "0", "false"].includes(process.env.CI);

/** The entry files of the tools in `node_modules`: run with this very Node, so no shell and no `.cmd` is needed. */
const TOOLS = {
  biome: "@biomejs/biome/bin/biome",
  playwright: "@playwright/test/cli.js",
  tsc: "typescript/bin/tsc",
};

/**
 * The command line of a tool in `node_modules`.
 * @param {keyof typeof TOOLS} name
 * @param {string[]} args
 */
export function tool(name, ...args) {
  return [process.execPath, join(root, "node_modules", TOOLS[name]), ...args];
}

/**
 * Where a program lies, as the shell's `command -v` would say, or null.
 * @param {...string} names tried in this order; a name with a slash is taken as a path
 */
export function findProgram(...names) {
  const endings = process.platform === "win32" ? [".exe", ".cmd", ""] : [""];
  for (const name of names) {
    const folders = /[\\/]/.test(name) ? [""] : (process.env.PATH ?? "").split(delimiter).filter(Boolean);
    for (const folder of folders) {
      for (const ending of endings) {
        const path = join(folder, name + ending);
        try {
          accessSync(path, constants.X_OK);
          return path;
        } catch {
          // Not here: try the next place.
        }
      }
    }
  }
  return null;
}

/** The process groups that run now, so that an interrupt can end them. @type {Set<number>} */
const groups = new Set();

/** Windows has no process groups; there the operating system ends the children with their console. */
const hasGroups = process.platform !== "win32";

/**
 * @param {number | undefined} pid the group's first process; nothing happens without one
 * @param {NodeJS.Signals} signal
 */
function endGroup(pid, signal) {
  if (pid === undefined) return;
  try {
    process.kill(hasGroups ? -pid : pid, signal);
  } catch {
    // All of it has ended already.
  }
}

for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.once(signal, () => {
    for (const pid of groups) endGroup(pid, signal);
    process.exit(128 + osConstants.signals[signal]);
  });
}

/**
 * Runs a command to its end. Its output is shown while it comes and returned as well.
 * @param {string[]} command
 * @param {{ env?: Record<string, string | undefined>, quiet?: boolean, minutes?: number }} [options] `quiet` shows
 *   nothing; after `minutes` the command is ended, and counts as failed
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run([program = "", ...args], { env = {}, quiet = false, minutes = 30 } = {}) {
  return new Promise((resolve) => {
    const colour = process.stdout.isTTY ? { FORCE_COLOR: "1", CARGO_TERM_COLOR: "always" } : {};
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, ...colour, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own: browsers and drivers that a command leaves behind can then be ended with it.
      detached: hasGroups,
    });
    const { pid } = child;
    if (pid !== undefined) groups.add(pid);

    let output = "";
    /** @type {(stream: NodeJS.WriteStream) => (text: string) => void} */
    const show = (stream) => (text) => {
      output += text;
      if (!quiet) stream.write(text);
    };
    child.stdout.setEncoding("utf8").on("data", show(process.stdout));
    child.stderr.setEncoding("utf8").on("data", show(process.stderr));

    const limit = setTimeout(() => {
      show(process.stderr)(`\n${program} took longer than ${minutes} minutes and was ended.\n`);
      // Asked first, so that it can end what it started in groups of their own, as Playwright does with browsers.
      endGroup(pid, "SIGTERM");
      setTimeout(() => endGroup(pid, "SIGKILL"), 10_000).unref();
    }, minutes * 60_000);

    /** @type {NodeJS.Timeout | undefined} */
    let leftovers;
    /** @param {number} code */
    const finish = (code) => {
      clearTimeout(limit);
      clearTimeout(leftovers);
      endGroup(pid, "SIGKILL");
      if (pid !== undefined) groups.delete(pid);
      resolve({ code, output });
    };
    child.on("error", (error) => {
      show(process.stderr)(`Cannot start ${program}: ${error.message}\n`);
      finish(127);
    });
    // What a command leaves running would hold its output open for ever, and "close" would never come.
    child.on("exit", () => {
      leftovers = setTimeout(() => endGroup(pid, "SIGKILL"), 2000);
    });
    child.on("close", (code) => finish(code ?? 1));
  });
}

/**
 * Runs a command that has to succeed.
 * @param {string[]} command
 * @param {Parameters<typeof run>[1]} [options]
 */
export async function must(command, options) {
  const { code, output } = await run(command, options);
  if (code !== 0) {
    // What was not shown while it ran is wanted now.
    if (options?.quiet) process.stderr.write(output);
    throw new Problem(`This failed (exit code ${code}): ${command.join(" ")}`);
  }
  return output;
}

/** Something that a person can act on: shown as its message alone, without a stack trace. */
export class Problem extends Error {}

/**
 * Runs a script's main function if the file was started by itself, not imported.
 * @param {string} url the script's `import.meta.url`
 * @param {() => Promise<void>} main
 */
export async function runIfMain(url, main) {
  const started = process.argv[1];
  if (started === undefined || url !== pathToFileURL(realpathSync(started)).href) return;
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Problem ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
