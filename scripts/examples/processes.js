/**
 * Programs that an example starts. Each is a group of processes that goes when it is told to, and at the latest with this process:
 * by force, because npm and the frameworks' servers may take their time over a polite signal.
 */

import { spawn } from "node:child_process";
import { Problem } from "../run.js";

/** Frameworks that would tell their makers of this run are asked not to. */
const QUIET = { ASTRO_TELEMETRY_DISABLED: "1", NEXT_TELEMETRY_DISABLED: "1", NO_UPDATE_NOTIFIER: "1" };

/** Windows has no process groups. */
const hasGroups = process.platform !== "win32";

/** The groups that run now. @type {Set<number>} */
const groups = new Set();

process.on("exit", () => {
  for (const pid of groups) signal(pid, "SIGKILL");
});

/**
 * @param {number} pid of the group's first process
 * @param {NodeJS.Signals | 0} name 0 only asks whether there is any process left
 */
function signal(pid, name) {
  try {
    return process.kill(hasGroups ? -pid : pid, name);
  } catch {
    return false;
  }
}

/** @param {number} milliseconds */
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * A program that runs.
 * @typedef {object} Running
 * @property {string} said all that it has printed so far
 * @property {string | null} ended how, once it has
 * @property {Promise<void>} end
 * @property {() => Promise<void>} close ends what is left of it
 */

/**
 * @param {string[]} command
 * @returns {Running}
 */
export function begin([program = "", ...args]) {
  const child = spawn(program, args, {
    env: { ...process.env, ...QUIET },
    stdio: ["ignore", "pipe", "pipe"],
    detached: hasGroups,
  });
  const { pid } = child;
  if (pid !== undefined) groups.add(pid);
  /** @type {Running} */
  const running = {
    said: "",
    ended: null,
    end: new Promise((resolve) => {
      const finish = (/** @type {string} */ how) => {
        running.ended ??= how;
        resolve();
      };
      child.on("error", ({ message }) => finish(message));
      child.on("close", (code, by) => finish(`exit code ${code ?? by}`));
    }),
    close: async () => {
      if (pid === undefined) return;
      signal(pid, "SIGTERM");
      for (let wait = 0; wait < 50 && signal(pid, 0); wait += 1) await pause(100);
      signal(pid, "SIGKILL");
      groups.delete(pid);
    },
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      running.said += text;
    });
  }
  return running;
}

/**
 * Runs a command that has to succeed within ten minutes.
 * @param {string[]} command
 * @returns {Promise<string>} what it printed
 */
export async function succeed(command) {
  const running = begin(command);
  const late = setTimeout(() => running.close(), 600_000);
  await running.end;
  clearTimeout(late);
  await running.close();
  if (running.ended === "exit code 0") return running.said;
  throw new Problem(`This failed (${running.ended}): ${command.join(" ")}\n${running.said}`);
}
