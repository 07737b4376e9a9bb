/** Models of a reader's own, in the forms in which they come to a page: files that are chosen or dropped, and addresses. */

import { DEFAULT_SHAPE, random } from "../unit/checkpoints.js";
import { modelFile } from "../unit/files.js";

/** @typedef {import("../../www/flops.js").Config} Config */
/** @typedef {{ name: string, mimeType: string, buffer: Buffer }} ChosenFile what Playwright takes for a file */

/** A small shape that reads text. @type {Config} */
export const SMALL = {
  ...DEFAULT_SHAPE,
  ...{ n_layer: 1, n_head: 2, n_embd: 4, n_inner: 8, n_positions: 48, eos_token_id: null },
};

/** A shape just large enough for a worker: 5.3 MB of weights, and ids instead of characters. @type {Config} */
export const LARGE = {
  ...DEFAULT_SHAPE,
  ...{ n_layer: 2, n_head: 4, n_embd: 192, n_inner: 768, vocab_size: 2000, n_positions: 128 },
  ...{ eos_token_id: null, tie_word_embeddings: true },
};

/**
 * What a file is made of.
 * @typedef {object} Parts
 * @property {unknown} [config] what is in the `config.json`; bytes and text as they are
 * @property {Uint8Array | string} weights
 * @property {[config: string, weights: string]} [names]
 */

/** @param {Uint8Array | string | unknown} content */
export function bytesOf(content) {
  if (content instanceof Uint8Array) return Buffer.from(content);
  return Buffer.from(typeof content === "string" ? content : JSON.stringify(content));
}

/**
 * The two files of a model.
 * @param {Parts} parts
 * @returns {ChosenFile[]}
 */
export function filesOf({ config = SMALL, weights, names = ["config.json", "model.safetensors"] }) {
  return [
    { name: names[0], mimeType: "application/json", buffer: bytesOf(config) },
    { name: names[1], mimeType: "application/octet-stream", buffer: bytesOf(weights) },
  ];
}

/**
 * A model of random numbers as files.
 * @param {Config} [config]
 * @param {number} [seed]
 */
export function randomFiles(config = SMALL, seed = 4) {
  return filesOf({ config, weights: modelFile(random(config, seed, 0.5)) });
}

/**
 * Answers requests for a folder of the page's own server.
 * @param {import("@playwright/test").Page} page
 * @param {string} folder its path, with a slash at both ends
 * @param {Record<string, { body?: Uint8Array | string | object, status?: number, type?: string }>} files
 * @returns {Promise<string[]>} the paths that are asked for, as they come
 */
export async function serveFolder(page, folder, files) {
  /** @type {string[]} */
  const asked = [];
  await page.route(
    (url) => url.pathname.startsWith(folder),
    async (route) => {
      const { pathname } = new URL(route.request().url());
      asked.push(pathname);
      const { body = "not here", status = 404, type } = files[pathname.slice(folder.length)] ?? {};
      const contentType = type ?? "application/octet-stream";
      await route.fulfill({ status, contentType, body: bytesOf(body) });
    },
  );
  return asked;
}

/** What a page keeps of the workers that it makes. @typedef {{ url: string, terminated: boolean }} KnownWorker */

/**
 * From now on, each page keeps the workers that it makes as `workers`.
 * @param {import("@playwright/test").Page} page
 */
export async function watchWorkers(page) {
  await page.addInitScript(() => {
    /** @type {KnownWorker[]} */
    const workers = [];
    Reflect.set(window, "workers", workers);
    const { terminate } = Worker.prototype;
    Worker.prototype.terminate = function () {
      Reflect.get(this, "known").terminated = true;
      terminate.call(this);
    };
    const construct = (/** @type {typeof Worker} */ original, /** @type {[string | URL]} */ args) => {
      const worker = Reflect.construct(original, args);
      Reflect.set(worker, "known", { url: String(args[0]), terminated: false });
      workers.push(Reflect.get(worker, "known"));
      return worker;
    };
    Reflect.set(window, "Worker", new Proxy(Worker, { construct }));
  });
}

/** @param {import("@playwright/test").Page} page @returns {Promise<KnownWorker[]>} */
export const workersOf = (page) => page.evaluate(() => Reflect.get(window, "workers"));

/**
 * The passes that the element has told of, as {@link referencePasses} has them. Call before the first.
 * @param {import("./widget.js").Widget} widget
 */
export function keepPasses({ root }) {
  return root.evaluate((element) => {
    /** @type {any[]} */
    const passes = [];
    Reflect.set(element, "passes", passes);
    element.addEventListener("generation-pass", (event) => {
      passes.push(/** @type {CustomEvent} */ (event).detail);
    });
  });
}

/**
 * @param {import("./widget.js").Widget} widget
 * @returns {Promise<object[]>}
 */
export function keptPasses({ root }) {
  return root.evaluate((element) =>
    Reflect.get(element, "passes").map((/** @type {any} */ pass) => {
      const { milliseconds, ...fields } = pass.toJSON();
      return { ...fields, kept: pass.kept };
    }),
  );
}

/**
 * The passes of a run by the built engine on the page's own thread, from the model that the element has.
 * @param {import("./widget.js").Widget} widget whose `model` is files or an address
 * @param {readonly number[]} prompt
 * @param {object} options of the load
 * @param {number} passes
 * @returns {Promise<object[]>}
 */
export function referencePasses({ root }, prompt, options, passes) {
  return root.evaluate(
    async (element, { prompt, options, passes }) => {
      const address = "/dist/engine.js";
      const { GenerationLoop } = await import(address);
      const loop = await GenerationLoop.load({ model: Reflect.get(element, "model"), ...options });
      loop.prefill(prompt);
      while (loop.passes < passes && loop.stop === null) loop.decodeStep();
      const log = loop.log.map((/** @type {any} */ pass) => {
        const { milliseconds, ...fields } = pass.toJSON();
        return { ...fields, kept: pass.kept };
      });
      loop.dispose();
      return log;
    },
    { prompt, options, passes },
  );
}
