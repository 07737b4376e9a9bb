/** `<generation-loop>`: a thin element over the engine, the player and the views. */

import { html, LitElement } from "lit";
import { Driver } from "./driver.js";
import { GenerationError } from "./errors.js";
import { Focus } from "./focus.js";
import { outcomeInWords } from "./format.js";
import { languageAround } from "./language.js";
import { waiting, widget, widgetStyles } from "./layout.js";
import { Links, sharing } from "./links.js";
import { holdsUp } from "./loading.js";
import { nameOfModel } from "./models.js";
import { Predictions } from "./predictions.js";
import { ELEMENT_SETTINGS, OF_THE_RUN } from "./settings.js";
import { Sight } from "./sight.js";
import { Stage } from "./stage.js";
import { defineSettings, settingProperties } from "./values.js";
import { addWords, listeners, wordsFor } from "./words.js";

/**
 * A panel that `hide` can name.
 * @typedef {"model" | "settings" | "legend" | "timeline" | "log" | "distribution" | "cost" | "cache" | "share"} Panel
 */

// The manifest, the declarations, what editors read and docs/element.md are made from this comment and from those of the public members,
// by scripts/manifest.js. What "takes … too" names, a property can be set to besides what it reads.
/**
 * A language model that writes, one token per forward pass.
 *
 * @attr {string} [prompt=the cat sat] - the text to begin with
 * @attr {"trained" | "untrained" | string} [model=trained] - `trained` or `untrained`, which are inside, or the address of a folder
 *   with `config.json` and `model.safetensors`; an address begins with `http:`, `https:`, `/`, `./` or `../`
 * @attr {"greedy" | "temperature" | "top-k" | "top-p"} [sampling=greedy] - how the next token is chosen: the most
 *   likely one, or one that is drawn, from all, from the `top-k` most likely, or from the fewest that make up `top-p`
 * @attr {number} [temperature=1] - how evenly tokens are drawn: finite, at least 0; 0 means greedy; every method but greedy uses it
 * @attr {number} [top-k=8] - how many of the most likely tokens `top-k` keeps: a whole number, at least 0; 0 keeps all
 * @attr {number} [top-p=0.9] - how much of the probability `top-p` keeps: 0 to 1; 0 keeps one token, 1 keeps all
 * @attr {number} [seed] - where the draws begin: a whole number from 0 to 9007199254740991; picked by the browser if absent
 * @attr {string} [stop=.] - strings that end the run, `|` between two, `\n` for a newline; empty for none
 * @attr {number | "none"} [max-tokens=32] - prompt and generated tokens together: a whole number from 2 to the model's context, or
 *   `none`; the context by default where that is shorter
 * @attr {"on" | "off"} [cache=on] - whether keys and values are kept; `off` recomputes everything in each pass: the same tokens at
 *   another cost
 * @attr {string} [hide] - panels to leave out, spaces between them: `model`, `settings`, `legend`, `timeline`, `log`,
 *   `distribution`, `cost`, `cache`, `share`; without `share`, links to runs are not opened either
 * @attr {boolean} [autoplay] - begins to run by itself
 * @attr {boolean} [predict] - asks the reader for the next token and its cost before each step, and keeps score
 * @attr {string} [lang] - the language of words and numbers, that of the nearest element that says one if absent: English, or
 *   German where `words/de.js` is loaded too; errors stay English
 *
 * @prop {string} [prompt="the cat sat"]
 * @prop {"trained" | "untrained" | string | Checkpoint} [model="trained"] - also the model itself, `{ config, weights }`
 * @prop {"greedy" | "temperature" | "top-k" | "top-p"} [sampling="greedy"]
 * @prop {number} [temperature=1] - takes `string` too
 * @prop {number} [topK=8] - takes `string` too
 * @prop {number} [topP=0.9] - takes `string` too
 * @prop {number | null} seed - reads the one in use; null has the browser pick one; takes `bigint | string` too
 * @prop {readonly string[]} [stop=["."]] - a list, where every character is itself; takes `string | null` too
 * @prop {number | null} [maxTokens=32] - null for none; takes `string` too
 * @prop {boolean} [cache=true] - takes `"on" | "off" | "true" | "false" | ""` too
 * @prop {readonly Panel[]} [hide=[]] - a list; takes `string` too
 * @prop {boolean} [autoplay=false] - takes `"on" | "off" | "true" | "false" | ""` too
 * @prop {boolean} [predict=false] - takes `"on" | "off" | "true" | "false" | ""` too
 * @prop {Promise<boolean>} updateComplete - resolves when what was changed last is on the screen
 *
 * @fires {CustomEvent<Pass>} generation-pass - after each pass, with its record
 * @fires {CustomEvent<Stop>} generation-stop - when a run has ended, after the event of its last pass, with how
 * @fires {CustomEvent<GenerationError>} generation-error - when something was refused or has failed, with why; its `code` never changes
 * @fires {CustomEvent<Moment>} generation-moment - when the screen shows another moment, or another prompt, with `moment`
 *
 * @slot - what is shown until the element is ready, and if it fails
 *
 * @csspart prompt - the prompt field
 * @csspart model - which weights are used
 * @csspart settings - what is chosen for a run
 * @csspart strip - the tokens
 * @csspart legend - what the colours mean
 * @csspart controls - the buttons
 * @csspart primary - the loud one
 * @csspart predict - what the reader expects of the next pass, where `predict` is set
 * @csspart timeline - the moment that is shown
 * @csspart outcome - how the run ended, and what went wrong
 * @csspart log - the step log
 * @csspart distribution - why this token: the distribution and the draw
 * @csspart cost - what the run has cost
 * @csspart both - the run made both ways
 * @csspart cache - the KV cache, and attention
 * @csspart share - what can be taken away of a run
 *
 * @cssprop {<color>} [--generation-loop-paper=light-dark(#fcfbf8, #17181b)] - surface
 * @cssprop {<color>} [--generation-loop-ink=light-dark(#1c1d1f, #e8e6e1)] - text
 * @cssprop {<color>} [--generation-loop-muted=light-dark(#5c5f66, #a3a6ad)] - quiet text
 * @cssprop {<color>} [--generation-loop-hairline=light-dark(#e3e0d8, #34363b)] - lines
 * @cssprop {<color>} [--generation-loop-edge=light-dark(#8b8d92, #73767d)] - borders of fields and buttons
 * @cssprop {<color>} [--generation-loop-waiting=light-dark(#efede8, #292b30)] - cells that are not processed yet
 * @cssprop {<color>} [--generation-loop-accent=light-dark(#1f4e96, #8fb8f5)] - the loud button, quiet buttons, and the ring of focus
 * @cssprop {<color>} [--generation-loop-accent-ink=light-dark(#ffffff, #0e1a2e)] - text of the loud button
 * @cssprop {<color>} [--generation-loop-prompt=light-dark(#d8f0dc, #173a23)] - prompt tokens
 * @cssprop {<color>} [--generation-loop-prompt-ink=light-dark(#0f4d24, #b7ecc4)] - text of prompt tokens
 * @cssprop {<color>} [--generation-loop-prompt-edge=light-dark(#2f8a4c, #4fae6d)] - edges of prompt tokens
 * @cssprop {<color>} [--generation-loop-generated=light-dark(#dbe9fb, #16335c)] - generated tokens
 * @cssprop {<color>} [--generation-loop-generated-ink=light-dark(#0d3a73, #c3dbff)] - text of generated tokens
 * @cssprop {<color>} [--generation-loop-generated-edge=light-dark(#2a6fc9, #6ba3ec)] - edges of generated tokens
 * @cssprop {<color>} [--generation-loop-alarm=light-dark(#a3261b, #ff9d90)] - errors
 * @cssprop [--generation-loop-font=system-ui, sans-serif] - type of the interface
 * @cssprop [--generation-loop-mono=ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace] - type of tokens and numbers
 * @cssprop {<length>} [--generation-loop-radius=4px] - how round corners are
 * @cssprop {<number>} [--generation-loop-density=1] - how much room there is between things; 0.75 is tighter
 * @cssprop {<length>} [--generation-loop-room] - the height that `generation-loop.css` keeps free; by default what the widget
 *   will need before a run, at its width and with what it hides
 */
export class GenerationLoopElement extends LitElement {
  // Nobody reads it: what it does is an update when the attribute changes, which the browser's own `lang` makes no other.
  static properties = { ...settingProperties, [Symbol("lang")]: { attribute: "lang" } };

  static styles = widgetStyles;

  /**
   * Takes the words of one more language; the files of `words/` call it.
   * @type {(language: string, words: import("./words.js").Table) => void}
   */
  static addWords = addWords;

  static {
    defineSettings(
      GenerationLoopElement.prototype,
      (element, name) => element.#stage.value(name),
      (element, name, value) => element.#assign(name, value),
    );
  }

  #relabel = () => this.requestUpdate();
  /** Whether somebody waits for it. */
  #awaited = false;
  #driver = new Driver({
    changed: () => this.requestUpdate(),
    event: (type, detail) => this.#event(type, detail),
    trapped: () => this.#stage.unload(),
  });
  /** @type {Stage<this>} */
  #stage = new Stage(this, this.#driver);
  #sight = new Sight(this, {
    near: () => this.#stage.idle && this.#start(),
    // A run that nobody can see waits.
    seen: (visible) => {
      this.#driver.held = !visible;
    },
  });
  /** What the reader has opened, chosen and points at. @type {import("./layout.js").Look} */
  #look = { allCandidates: false, opened: null, costAsTable: false, pointed: null, layer: 0 };
  /** What was typed into a field and refused. @type {Record<string, { text: string, message: string }>} */
  #fieldErrors = {};
  #passesShown = 0;
  #predictions = new Predictions();
  #links = new Links({
    reveal: () => this.scrollIntoView(),
    /** Of all on a page, the first shows the runs that its address holds. */
    opens: () =>
      !this.#stage.values.get("hide").includes("share") && document.querySelector(this.localName) === this,
    restore: (settings, passes) => this.#stage.restore(settings, passes),
    refused: (error) => this.#stage.refuseLink(error),
  });
  /** What became of the last wish to take something away. @type {import("./sharing.js").Granted | null} */
  #granted = null;
  /** What makes up the moment that was last told of. @type {readonly unknown[]} */
  #told = [];
  #focus = new Focus();
  #internals = this.attachInternals();

  /** @type {import("./layout.js").Actions} */
  #actions = {
    change: (name, value) => this.#change(name, value),
    primary: () => this.#try(() => this.#primary()),
    run: () =>
      this.#try(() => {
        this.#expect();
        this.run();
      }),
    pause: () => this.pause(),
    back: () => this.#try(() => this.back()),
    reset: () => this.#try(() => this.reset()),
    setSpeed: (speed) => {
      this.#driver.speed = speed;
      this.requestUpdate();
    },
    cancelLoading: () => this.#stage.loading.cancel(),
    openFiles: (files) => this.#try(() => this.#stage.openFiles(files)),
    toggleCandidates: () => this.#see({ allCandidates: !this.#look.allCandidates }),
    openOperations: (pass) => this.#see({ opened: this.#look.opened === pass ? null : pass }),
    toggleCostTable: () => this.#see({ costAsTable: !this.#look.costAsTable }),
    point: (place) => {
      if (place !== this.#look.pointed) this.#see({ pointed: place });
    },
    setLayer: (layer) => this.#see({ layer }),
    goTo: (at) => this.#try(() => this.#driver.goTo(at)),
    recall: () => this.#try(() => this.#recall()),
    compare: () => this.#try(() => this.#driver.compare()),
    guess: (name, text) => {
      this.#predictions.guess(name, text);
      this.requestUpdate();
    },
    share: (wish) => void this.#share(wish),
  };

  /** @param {Partial<import("./layout.js").Look>} change */
  #see(change) {
    Object.assign(this.#look, change);
    this.requestUpdate();
  }

  /**
   * Resolves with the element once its model is loaded; rejects if that fails. An element loads when it comes near the screen, or
   * as soon as this is read.
   * @returns {Promise<GenerationLoopElement>}
   */
  get ready() {
    this.#awaited = true;
    if (this.isConnected && this.#stage.idle) this.#start();
    return this.#stage.loading.ready;
  }

  connectedCallback() {
    super.connectedCallback();
    // Where it is now, another language may be spoken.
    this.requestUpdate();
    listeners.add(this.#relabel);
    this.#sight.watch();
    this.#links.listen();
    const stage = this.#stage;
    if (this.#driver.run === null) {
      // One that was only moved goes on with its load.
      stage.idle = stage.loading.underWay === null;
      if (stage.idle && (this.#awaited || this.#links.present)) this.#start();
    } else stage.comeBack();
    // Set while it was nowhere.
    const { model } = stage.loading.underWay ?? stage.loading;
    if (!stage.idle && model !== stage.values.get("model")) stage.reload();
  }

  /** The style sheets of one document hold in no other: the browser lets go of them. */
  adoptedCallback() {
    const root = /** @type {ShadowRoot | undefined} */ (this.renderRoot);
    // A document without a window, as that of a template, draws nothing; what leaves it is adopted again.
    const view = this.ownerDocument.defaultView;
    if (root === undefined || view === null) return;
    const { elementStyles } = /** @type {typeof GenerationLoopElement} */ (this.constructor);
    root.adoptedStyleSheets = elementStyles.map((style) => {
      const sheet = new view.CSSStyleSheet();
      sheet.replaceSync(/** @type {import("lit").CSSResult} */ (style).cssText);
      return sheet;
    });
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    listeners.delete(this.#relabel);
    this.#sight.leave();
    this.#links.leave();
    this.#stage.rest();
    // An element that is only moved is back by the end of this task; one that is gone frees its memory now.
    queueMicrotask(() => {
      if (!this.isConnected) this.#stage.unload();
    });
  }

  /**
   * @param {string} type
   * @param {unknown} detail
   */
  #event(type, detail) {
    if (type === "generation-pass") {
      this.#granted = null;
      this.#predictions.reveal(/** @type {import("./pass.js").Pass} */ (detail));
      const { last } = this.#predictions;
      const { announcement } = this.#driver;
      if (last !== null && typeof announcement === "function") {
        this.#driver.announcement = (words) => `${outcomeInWords(last, words)} ${announcement(words)}`;
      }
    }
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  /** The run of a link, or that of the page. */
  #start() {
    this.#stage.idle = false;
    if (this.#links.present) void this.#links.follow();
    else this.#stage.load();
  }

  /**
   * A setting from the page: attribute or property.
   * @param {string} name
   * @param {unknown} value
   */
  #assign(name, value) {
    const old = this.#stage.values.get(name);
    delete this.#fieldErrors[name];
    this.#stage.assign(name, value);
    this.requestUpdate(name, old);
  }

  /**
   * A setting from the reader: what is refused is said beside the field, and nothing changes.
   * @param {string} name
   * @param {unknown} value
   */
  #change(name, value) {
    if (name === "model") {
      this.#stage.values.setFromPage(name, value);
      this.#stage.reload();
      return;
    }
    // A run goes on with another method, but not with another prompt.
    if (OF_THE_RUN.includes(name)) this.#driver.halt();
    const before = this.#driver.run?.prompt.error;
    try {
      this.#stage.values.setFromReader(name, value, (strict) => this.#driver.run?.set(name, strict));
      delete this.#fieldErrors[name];
      this.#driver.error = null;
      // The fields of another method are gone, and what was wrong in them with them.
      if (name === "sampling") this.#fieldErrors = {};
      const after = this.#driver.run?.prompt.error;
      if (before !== after) this.#driver.announcement = after ?? ((words) => words.announce.possible);
    } catch (error) {
      this.#fieldErrors[name] = { text: String(value), message: /** @type {Error} */ (error).message };
      this.#driver.report(error, false);
    }
    this.requestUpdate();
  }

  /** The run before this one again; its settings come with it. */
  #recall() {
    this.#stage.setAll(this.#driver.recall() ?? {});
    this.#fieldErrors = {};
    this.requestUpdate();
  }

  /**
   * Pass 1 of a new run: the whole prompt at once, then the first new token. Throws `not-ready` before the element is ready, and
   * what is wrong with the prompt, as `empty-prompt`, `unsupported-characters`, `prompt-too-long`; `generation-error` tells of it too.
   */
  prefill() {
    this.#driver.prefill();
  }

  /**
   * The next pass: a prefill, or a decode. Of a large model it is made in a worker, and the event comes when it is made. Throws what
   * `prefill()` throws, and `stopped` after the end of the run.
   */
  step() {
    this.#driver.step();
  }

  /**
   * Pass after pass until the run stops, waiting while nobody can see the widget; from the beginning if it had stopped. Throws what
   * `prefill()` throws.
   */
  run() {
    this.#driver.play();
  }

  /** Ends `run()` after the pass that is being made; does nothing otherwise, and never throws. */
  pause() {
    this.#stage.pause();
  }

  /** Forgets the last pass; does nothing before the first. Throws `not-ready` before the element is ready. */
  back() {
    this.#driver.back();
  }

  /** Forgets the run; settings and seed stay. Throws `not-ready` before the element is ready. */
  reset() {
    this.#fieldErrors = {};
    this.#driver.reset();
  }

  /**
   * An action of the reader's: its error is on the screen already.
   * @param {() => void} action
   */
  #try(action) {
    try {
      action();
    } catch (error) {
      if (!(error instanceof GenerationError)) throw error;
    }
  }

  /**
   * What is on the screen: the run as far as the reader looks at it, and what comes next. Null until the element is ready.
   * @returns {import("./run.js").Moment | null}
   */
  get moment() {
    const { run, playing } = this.#driver;
    return run && { ...run.asShown, running: playing };
  }

  /** Tells of a moment that is new on the screen. */
  #tell() {
    const { moment } = this;
    // One that was removed in the middle of a run has nobody to tell.
    if (moment === null || !this.isConnected) return;
    const { config, prompt, log, next, running } = moment;
    const told = [config, prompt, log.at(-1), next, running];
    if (told.every((part, index) => part === this.#told[index])) return;
    this.#told = told;
    this.dispatchEvent(
      new CustomEvent("generation-moment", { detail: moment, bubbles: true, composed: true }),
    );
  }

  /** What the loud button does, and Enter in the prompt. */
  #primary() {
    const { run, playing } = this.#driver;
    if (run === null || !run.possible || run.busy || playing) return;
    if (run.next === "restart") this.reset();
    else {
      this.#expect();
      this.step();
    }
  }

  /** The reader's guesses count for the pass that is made next. */
  #expect() {
    const { run } = this.#driver;
    if (!this.#stage.values.get("predict") || run === null || run.isAhead) return;
    try {
      this.#predictions.commit(run.loop, this.#words.spoken);
    } catch (error) {
      this.#driver.report(error, false);
      throw error;
    }
  }

  /** @param {import("./sharing.js").Wish} wish */
  async #share(wish) {
    const { run } = this.#driver;
    if (run === null) return;
    const words = this.#words;
    try {
      const { share } = await sharing();
      const names = Object.keys(ELEMENT_SETTINGS).map((name) => [name, this.#stage.value(name)]);
      const settings = Object.fromEntries(names);
      this.#granted = await share(wish, {
        run,
        settings,
        model: nameOfModel(this.#stage.loading.model),
        words,
      });
      const { done } = this.#granted;
      this.#driver.announcement = () => done;
    } catch (error) {
      this.#driver.report(error);
    }
    this.requestUpdate();
  }

  willUpdate() {
    this.#focus.note(/** @type {ShadowRoot} */ (this.renderRoot));
  }

  updated() {
    // The newest row of the log is the one to see.
    const rows = this.renderRoot.querySelector(".log .scroll");
    const passes = this.#driver.run?.at ?? 0;
    if (rows !== null && passes !== this.#passesShown) rows.scrollTop = rows.scrollHeight;
    this.#passesShown = passes;
    // Room that a page keeps for the widget is let go where there will be none; browsers before 2024 know no such states.
    const isFailed = this.#driver.run === null && this.#driver.error !== null;
    this.#internals.states?.[isFailed ? "add" : "delete"]("failed");
    this.#tell();
    this.#focus.mend(/** @type {ShadowRoot} */ (this.renderRoot));
  }

  get #words() {
    return wordsFor(languageAround(this));
  }

  render() {
    const words = this.#words;
    const { announcement } = this.#driver;
    const { values, loading, other } = this.#stage;
    const { underWay } = loading;
    const model = nameOfModel(loading.model);
    const screen = {
      words,
      hide: values.get("hide"),
      promptText: values.get("prompt"),
      running: this.#driver.playing,
      speed: this.#driver.speed,
      ...this.#look,
      error: this.#driver.error,
      fieldErrors: this.#fieldErrors,
      model,
      wanted: values.get("model"),
      loading: underWay && { name: nameOfModel(underWay.model), progress: underWay.progress },
      holdsUp:
        this.#driver.run !== null &&
        !("changed" in this.#driver.run.loop) &&
        holdsUp(this.#driver.run.loop.config),
      other: other?.model === model ? null : other,
      predictions: values.get("predict") ? this.#predictions : null,
      granted: this.#granted,
      opensLinks: this.#links.opens,
    };
    const content =
      this.#driver.run === null
        ? waiting(screen, this.#actions, () => this.#stage.reload())
        : widget(this.#driver.run, screen, this.#actions);
    // One and the same region in every state: what is said in a new one may not be heard.
    const [said, lang] =
      typeof announcement === "string" ? [announcement, "en"] : [announcement(words), words.locale];
    return html`${content}<p class="sr" role="status" aria-live="polite" lang=${lang}>${said}</p>`;
  }
}
