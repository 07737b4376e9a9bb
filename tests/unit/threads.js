/** Web workers, which Node has not: threads of its own in which the file of a web worker runs as it is. */

import { resolveObjectURL } from "node:buffer";
import { Worker as Thread } from "node:worker_threads";

/** @typedef {{ id?: number, result?: any, error?: { code: string, message: string }, progress?: any }} Answer */

/**
 * The two names of a web worker's that `worker.js` uses, over what Node calls them. A rejection that nobody listens to ends
 * no web worker; a script that cannot be had does.
 */
const AS_WEB_WORKER = `
  const { parentPort, workerData } = require("node:worker_threads");
  globalThis.postMessage = (message) => parentPort.postMessage(message);
  globalThis.addEventListener = (type, listener) => parentPort.on(type, (data) => listener({ data }));
  process.on("unhandledRejection", () => undefined);
  import(workerData).catch((error) => setImmediate(() => { throw error; }));
`;

/** Those that run. @type {Set<Thread>} */
const running = new Set();

/** A thread in which a file runs as a web worker. @param {string} address */
export function threadOf(address) {
  const thread = new Thread(AS_WEB_WORKER, { eval: true, workerData: address });
  running.add(thread);
  thread.on("exit", () => running.delete(thread));
  return thread;
}

/** How many threads run. */
export const threads = () => running.size;

/** Ends those that are left. */
export async function endThreads() {
  await Promise.all([...running].map((thread) => thread.terminate()));
}

/** What `new Worker()` gives on a page, as far as `worker-loop.js` uses it. */
export class ThreadWorker {
  /** @type {(event: { data: any }) => void} */
  onmessage = () => undefined;
  /** @type {(event: { message: string, preventDefault: () => void }) => void} */
  onerror = () => undefined;
  /** What was sent there. @type {any[]} */
  sent = [];
  /** @type {Promise<Thread>} */
  thread;

  /** @param {URL | string} address of a file, or of a script that does nothing but import one */
  constructor(address) {
    this.thread = fileOf(String(address)).then((file) => {
      const thread = threadOf(file);
      thread.on("message", (data) => this.onmessage({ data }));
      thread.on("error", ({ message }) => this.onerror({ message, preventDefault() {} }));
      return thread;
    });
  }

  /** @param {any} message */
  postMessage(message) {
    this.sent.push(message);
    // Here and now: what becomes of the message afterwards changes nothing, and what cannot be copied is an error.
    const copy = structuredClone(message);
    this.thread.then((thread) => thread.postMessage(copy));
  }

  terminate() {
    this.onmessage = () => undefined;
    this.onerror = () => undefined;
    this.thread.then((thread) => thread.terminate());
  }
}

/** @param {string} address */
async function fileOf(address) {
  if (!address.startsWith("blob:")) return address;
  const script = (await resolveObjectURL(address)?.text()) ?? "";
  const file = /^import ("[^"]+");$/.exec(script)?.[1];
  if (file === undefined) throw new Error(`${script} is more than an import`);
  return JSON.parse(file);
}
