/**
 * Which run an element shows: it comes with a model, makes room for that of another model, goes with the element and comes back
 * with it, or is the run of a link. It knows no DOM.
 */

import { GenerationError, isTrap } from "./errors.js";
import { modelInWords } from "./format.js";
import { Loading } from "./loading.js";
import { checkpointFrom, nameOfModel } from "./models.js";
import { Run } from "./run.js";
import { OF_THE_LOOP, OF_THE_RUN } from "./settings.js";
import { Values } from "./values.js";

/**
 * Whose run it is: an element.
 * @typedef {object} Host
 * @property {boolean} isConnected whether it is on a page
 * @property {Promise<unknown>} updateComplete resolves when what was changed last is on the screen
 * @property {() => void} requestUpdate asks for what has changed to be shown
 */

/**
 * @template {Host} Element
 */
export class Stage {
  #host;
  #driver;
  /** What the page and the reader have set, or what a link says. */
  values = new Values();
  /** @type {Loading<Element>} */
  loading = new Loading();
  /** Whether nothing has begun to load: nothing heavy happens before the element is near the screen, or somebody waits for it. */
  idle = true;
  /** The last run of another model. @type {{ model: string, log: readonly import("./pass.js").Pass[] } | null} */
  other = null;
  /** What is to come back with the next run. @type {Run["moment"] | null} */
  #moment = null;
  /** Whether a run is to go on that had to wait for the element. */
  #resume = false;
  #played = false;
  /** The page's own settings, where those of a link are to be tried. @type {Values | null} */
  #replaced = null;
  /** Why the run that the address holds is not shown. @type {unknown} */
  #unopened = null;

  /**
   * @param {Element} host
   * @param {import("./driver.js").Driver} driver
   */
  constructor(host, driver) {
    this.#host = host;
    this.#driver = driver;
  }

  /** A setting as the page reads it. @param {string} name */
  value(name) {
    // The seed in use, also where the system picked it.
    return name === "seed" && this.#driver.run !== null ? this.#driver.run.loop.seed : this.values.get(name);
  }

  /**
   * A setting from the page: attribute or property.
   * @param {string} name
   * @param {unknown} value
   */
  assign(name, value) {
    const old = this.values.get(name);
    this.values.setFromPage(name, value);
    const changed = old !== this.values.get(name);
    // What was kept of a run that went away with the element belongs to the settings that it had.
    if (this.#driver.run === null && changed && OF_THE_RUN.includes(name)) this.#moment = null;
    if (name === "model" && changed && this.#host.isConnected && !this.idle) this.reload();
    else this.#apply(name);
  }

  /** @param {string} name */
  #apply(name) {
    if (this.#driver.run === null || !OF_THE_LOOP.includes(name)) return;
    try {
      this.values.applyTo(this.#driver.run, name);
    } catch (error) {
      this.#driver.report(error);
    }
  }

  /** The element is back before its run was let go. */
  comeBack() {
    if (!this.#resume) return;
    this.#resume = false;
    this.#driver.resume();
  }

  /** The element goes, for a moment or for good. */
  rest() {
    // Not cleared here: it may have gone before, and come back for too short a time to load.
    if (this.#driver.playing) this.#resume = true;
    this.#driver.halt();
  }

  pause() {
    this.#resume = false;
    this.#driver.pause();
  }

  /** Lets the run go, and its memory; what it takes to have it back is kept. */
  unload() {
    this.loading.abandon(this.#driver.run !== null);
    if (this.#driver.run === null) return;
    const run = this.#driver.run;
    this.#driver.run = null;
    this.#moment = run.moment;
    run.loop.dispose();
  }

  load() {
    this.idle = false;
    this.loading.load(this.values.get("model"), {
      loaded: (loop, resolve) => {
        // The first model comes without a word, as the page does.
        const isNews = this.#driver.run !== null || this.#driver.announcement !== "";
        if (this.#driver.run !== null) this.#replace();
        const name = nameOfModel(this.values.get("model"));
        if (isNews) this.#driver.announcement = (words) => words.announce.loaded(modelInWords(name, words));
        this.#begin(new Run(loop), resolve);
      },
      failed: (error) => this.#loadFailed(error),
      changed: () => this.#host.requestUpdate(),
    });
    this.#host.requestUpdate();
  }

  reload() {
    this.#driver.error = null;
    // What a run that failed had written is not written again.
    if (this.#driver.run === null && this.#moment !== null) this.#moment = { ...this.#moment, passes: [] };
    this.load();
  }

  /**
   * A model of the reader's own.
   * @param {readonly File[]} files
   */
  openFiles(files) {
    this.#driver.guard(() => {
      this.values.setFromPage("model", checkpointFrom(files));
      this.load();
    });
  }

  /** The run makes room for one of another model: from the prompt again, but with the seed that the reader saw. */
  #replace() {
    const { loop, moment } = /** @type {Run} */ (this.#driver.run);
    this.#driver.halt();
    if (loop.passes > 0) this.other = { model: nameOfModel(this.loading.model), log: loop.log };
    this.#moment = { ...moment, passes: [] };
    loop.dispose();
  }

  /** What was there before is still there. @param {unknown} error */
  #loadFailed(error) {
    if (this.#driver.run !== null) {
      this.values.setFromPage("model", this.loading.model);
      this.loading.keep(this.#host);
    }
    const isCancelled = error instanceof DOMException && error.name === "AbortError";
    if (isCancelled && this.#driver.run !== null) {
      this.#driver.announcement = (words) => words.announce.cancelled;
      this.#host.requestUpdate();
    } else {
      this.#driver.report(isCancelled ? new GenerationError("cancelled", "loading was cancelled") : error);
    }
  }

  /**
   * @param {Run} run
   * @param {(element: Element) => void} resolve
   */
  #begin(run, resolve) {
    this.#driver.run = run;
    this.#driver.error = null;
    if ("changed" in run.loop) {
      run.loop.changed = () => this.#host.requestUpdate();
      run.loop.failed = (error) => this.#driver.report(error);
    }
    if (this.#replaced === null) this.#prepare(run);
    else this.#prepareLinked(run);
    this.#host.requestUpdate();
    this.#host.updateComplete.then(() => resolve(this.#host));
    if (this.#unopened !== null) this.#reportLink();
    else if ((this.values.get("autoplay") && !this.#played) || this.#resume) this.#driver.resume();
    this.#played = true;
    this.#resume = false;
  }

  /** Settings, and the moment that is to come back. @param {Run} run */
  #prepare(run) {
    for (const name of OF_THE_LOOP) this.#apply(name);
    if (this.#moment === null) return;
    run.set("seed", this.#moment.seed);
    run.replay(this.#moment);
    this.#moment = null;
  }

  /**
   * The run of a link, from its beginning in a run of its own; the page's own settings stay at hand.
   * @param {import("./link.js").LinkedSettings} settings
   * @param {readonly import("./run.js").PassSettings[]} passes
   */
  restore(settings, passes) {
    this.#replaced ??= this.values;
    this.values = new Values();
    this.setAll(settings);
    this.unload();
    this.#moment = { seed: settings.seed, passes: [...passes] };
    if (this.#host.isConnected) this.load();
  }

  /** Settings of a run that is known to go with them. @param {object} settings */
  setAll(settings) {
    for (const [name, value] of Object.entries(settings)) {
      this.values.setFromReader(name, value, () => undefined);
    }
  }

  /** The run of a link: exactly that, or the page's own. @param {Run} run */
  #prepareLinked(run) {
    const page = /** @type {Values} */ (this.#replaced);
    this.#replaced = null;
    try {
      for (const name of OF_THE_LOOP) run.set(name, this.values.get(name));
      // Gone where the page has set something meanwhile.
      if (this.#moment !== null) run.replay(this.#moment);
      this.#moment = null;
    } catch (error) {
      if (isTrap(error)) throw error;
      const model = this.values.get("model");
      this.values = page;
      const { stop, passes } = run.loop;
      this.#unopened =
        stop === null ? error : new Error(`its run ends after ${passes} passes, and it holds more`);
      this.#moment = null;
      this.#prepare(run);
      run.reset();
      if (page.get("model") !== model) this.reload();
    }
  }

  /** A link says nothing that could be shown. @param {unknown} error */
  refuseLink(error) {
    this.#unopened = error;
    // The page's own run is there, and stays; or it comes now.
    if (this.#driver.run !== null) this.#reportLink();
    else if (this.#host.isConnected) this.load();
  }

  /** A link that was not opened: said once the page's own run is on the screen. */
  #reportLink() {
    const { message } = /** @type {Error} */ (this.#unopened);
    this.#unopened = null;
    this.#driver.report(new GenerationError("invalid-link", `the link was not opened: ${message}`));
  }
}
