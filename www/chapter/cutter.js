/** Has texts cut in a worker, the newest first: a text that takes long never holds up the page, nor the text after it. */

/** How long a text is waited for once there is a newer one, in milliseconds; a new worker takes a tenth of it to load. */
const PATIENCE = 1000;

/**
 * @typedef {object} Listener
 * @property {(cut: import("./tokens.js").Cut, text: string) => void} cut a text was cut
 * @property {(message: string) => void} failed the tokenizer cannot be had
 */

export class Cutter {
  #make;
  #listener;
  /** @type {Worker | null} */
  #worker = null;
  /** The text that the worker is at. @type {string | null} */
  #at = null;
  /** The one after it. @type {string | null} */
  #next = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #patience;

  /**
   * @param {Listener} listener
   * @param {() => Worker} [make]
   */
  constructor(listener, make = makeWorker) {
    this.#listener = listener;
    this.#make = make;
  }

  /** @param {string} text */
  ask(text) {
    if (this.#at === null) {
      this.#send(text);
      return;
    }
    this.#next = text;
    this.#patience ??= setTimeout(() => {
      this.close();
      this.#send(/** @type {string} */ (this.#next));
    }, PATIENCE);
  }

  /** Ends what is under way. */
  close() {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#worker?.terminate();
    this.#worker = null;
    this.#at = null;
  }

  /** @param {string} text */
  #send(text) {
    this.#next = null;
    this.#at = text;
    try {
      this.#worker ??= this.#started();
      this.#worker.postMessage(text);
    } catch (error) {
      this.#fail(/** @type {Error} */ (error).message);
    }
  }

  #started() {
    const worker = this.#make();
    worker.addEventListener("message", ({ data }) => this.#answered(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#fail(event.message || "its file did not come");
    });
    return worker;
  }

  /** @param {{ cut?: import("./tokens.js").Cut, error?: string }} data */
  #answered({ cut, error }) {
    const text = /** @type {string} */ (this.#at);
    if (cut === undefined) return this.#fail(error ?? "no answer");
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#at = null;
    if (this.#next !== null) this.#send(this.#next);
    else this.#listener.cut(cut, text);
  }

  /** @param {string} message */
  #fail(message) {
    this.close();
    this.#next = null;
    this.#listener.failed(message);
  }
}

function makeWorker() {
  return new Worker(new URL("./cutter-worker.js", import.meta.url), { type: "module" });
}
