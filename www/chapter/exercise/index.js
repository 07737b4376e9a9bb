/** "Try it": the reader predicts what the loop does, writes it, and has it checked by what it does. */

import { html, nothing, render } from "lit";
import { openPlain } from "./plain.js";
import { compare, readCount } from "./prediction.js";
import { predictionView } from "./prediction-view.js";
import { resultsView } from "./results-view.js";
import { HINTS, SKELETON, SOLUTION } from "./texts.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./runner.js").Outcome} Outcome */

class Exercise {
  #place;
  /** Where the editor stands, once it is open. */
  #desk = Object.assign(document.createElement("div"), { className: "desk" });
  /** @type {Editor | null} */
  #editor = null;
  #opening = false;
  /** Why a plain field stands in for the editor, if it does. */
  #excuse = "";
  /** @type {import("./prediction-view.js").PredictionState} */
  #prediction = { errors: { tokens: "", passes: "" }, committed: null };
  #hints = 0;
  #showsSolution = false;
  /** The reader's code from before they started over, or took the solution. @type {string | null} */
  #before = null;
  /** @type {import("./runner.js").Runner | null} */
  #runner = null;
  #running = false;
  /** What is said of the last run, or of the one under way. */
  #status = "";
  /** What could not be run or read. */
  #trouble = "";
  /** @type {Outcome | null} */
  #outcome = null;

  /** @param {HTMLElement} place */
  constructor(place) {
    this.#place = place;
    place.replaceChildren();
    this.#draw();
  }

  #draw() {
    render(
      html`${predictionView(this.#prediction, (form) => this.#commit(form))}
        <div class="work">${this.#editor === null ? this.#closed() : this.#open()}</div>`,
      this.#place,
    );
  }

  #closed() {
    return html`<pre class="listing" tabindex="0" aria-label="The code to begin with">${SKELETON}</pre>
      <div class="buttons">
        <button type="button" class="primary" @click=${() => this.#openEditor()}>
          ${this.#opening ? "Opening the editor…" : "Open the editor"}
        </button>
        <span class="note">Your code runs on this page alone, in a sandbox without network or storage.</span>
      </div>`;
  }

  #open() {
    return html`${this.#desk}
      ${this.#excuse === "" ? nothing : html`<p class="note">${this.#excuse}</p>`}
      <p class="note">Tab leaves the editor. Ctrl+Enter, or Cmd+Enter, runs the code.</p>
      <div class="buttons">
        <button type="button" class="primary" @click=${() => this.#run()}>Run my code</button>
        <button type="button" @click=${() => this.#hint()}>
          ${this.#hints < HINTS.length ? `Hint ${this.#hints + 1} of ${HINTS.length}` : "Hide the hints"}
        </button>
        <button type="button" @click=${() => this.#toggleSolution()}>
          ${this.#showsSolution ? "Hide the solution" : "Show a solution"}
        </button>
        <button type="button" @click=${() => this.#startOver()}>Start over</button>
        ${
          this.#before === null
            ? nothing
            : html`<button type="button" @click=${() => this.#bringBack()}>Bring my code back</button>`
        }
      </div>
      <div aria-live="polite">
        ${
          this.#hints === 0
            ? nothing
            : html`<ol class="hints" aria-label="Hints">
                ${HINTS.slice(0, this.#hints).map((hint) => html`<li>${hint}</li>`)}
              </ol>`
        }
      </div>
      ${
        this.#showsSolution
          ? html`<div class="solution">
              <pre class="listing" tabindex="0" aria-label="A solution">${SOLUTION}</pre>
              <button type="button" @click=${() => this.#takeSolution()}>Put it into the editor</button>
            </div>`
          : nothing
      }
      <p role="status" class=${this.#trouble === "" ? "summary" : "summary error"}>${this.#trouble || this.#status}</p>
      ${this.#outcome === null ? nothing : resultsView(this.#outcome, this.#isOld())}`;
  }

  /** Whether the results are those of other code than what stands there. */
  #isOld() {
    return this.#outcome !== null && this.#outcome.source !== this.#editor?.read();
  }

  /** @param {HTMLFormElement} form */
  #commit(form) {
    const data = new FormData(form);
    const tokens = readCount(String(data.get("tokens")));
    const passes = readCount(String(data.get("passes")));
    const errors = {
      tokens: "error" in tokens ? tokens.error : "",
      passes: "error" in passes ? passes.error : "",
    };
    let { committed } = this.#prediction;
    if ("value" in tokens && "value" in passes) {
      const said = { tokens: tokens.value, passes: passes.value };
      committed = { ...said, ...compare(said) };
    }
    this.#prediction = { errors, committed };
    this.#draw();
    /** @type {HTMLElement | null} */ (form.querySelector("[aria-invalid=true]"))?.focus();
  }

  async #openEditor() {
    if (this.#opening) return;
    this.#opening = true;
    this.#draw();
    const wishes = {
      text: SKELETON,
      label: "Your code",
      onChange: () => this.#changed(),
      onRun: () => void this.#run(),
    };
    try {
      const { openEditor } = await import("./editor.js");
      this.#editor = openEditor(this.#desk, wishes);
    } catch (error) {
      this.#editor = openPlain(this.#plainDesk(), wishes);
      this.#excuse = `The editor did not load (${/** @type {Error} */ (error).message}). A plain field stands in its place.`;
    }
    this.#draw();
    this.#editor.focus();
    // Most who open it will run something: what that takes can load meanwhile.
    this.#runnerReady().then(
      (runner) => runner.warm(),
      () => {},
    );
  }

  /** A new place, where the editor may have left something in the old one. */
  #plainDesk() {
    this.#desk = Object.assign(document.createElement("div"), { className: "desk" });
    return this.#desk;
  }

  async #runnerReady() {
    if (this.#runner === null) {
      const { Runner } = await import("./runner.js");
      this.#runner ??= new Runner();
    }
    return this.#runner;
  }

  async #run() {
    if (this.#running || this.#editor === null) return;
    this.#running = true;
    this.#trouble = "";
    this.#status = "Running your code.";
    this.#draw();
    try {
      const runner = await this.#runnerReady();
      const outcome = await runner.run(this.#editor.read());
      if (outcome.verdicts.length === 0) this.#trouble = outcome.summary;
      else {
        this.#status = outcome.summary;
        this.#outcome = outcome;
      }
    } catch (error) {
      this.#trouble = `The sandbox did not start: ${/** @type {Error} */ (error).message}. Run it again to try once more.`;
    }
    // What was said before is not said again for what could not be run.
    if (this.#trouble !== "") this.#status = "";
    this.#running = false;
    this.#draw();
  }

  #changed() {
    // Before the editor is on the page there is nothing to compare with.
    if (this.#editor === null) return;
    this.#trouble = "";
    this.#draw();
  }

  #hint() {
    this.#hints = this.#hints < HINTS.length ? this.#hints + 1 : 0;
    this.#draw();
  }

  #toggleSolution() {
    this.#showsSolution = !this.#showsSolution;
    this.#draw();
  }

  #takeSolution() {
    this.#replace(SOLUTION);
    this.#draw();
  }

  #startOver() {
    this.#hints = 0;
    this.#showsSolution = false;
    this.#status = "";
    this.#outcome = null;
    this.#replace(SKELETON);
    this.#draw();
  }

  #bringBack() {
    const before = this.#before;
    if (before === null) return;
    this.#before = null;
    this.#editor?.write(before);
    this.#draw();
    // The button is gone.
    this.#editor?.focus();
  }

  /** Other code in place of the reader's, which is kept. @param {string} text */
  #replace(text) {
    const now = this.#editor?.read() ?? "";
    if (now === text) return;
    if (now !== SKELETON && now !== SOLUTION) this.#before = now;
    this.#editor?.write(text);
  }
}

/**
 * Starts the exercise in its place.
 * @param {HTMLElement} place
 */
export function exercise(place) {
  new Exercise(place);
}
