/** One widget on a page, found as a reader finds it: by roles, labels and words. */

import { expect } from "@playwright/test";

/**
 * A row of the step log: what its cells say, by the words at the head of their columns. Numbers are read as numbers.
 * @typedef {Record<string, any>} Row
 */

export class Widget {
  /** @param {import("@playwright/test").Locator} root the element */
  constructor(root) {
    this.root = root;
    /** The loud button. */
    this.primary = root.getByRole("button", { name: /^(Prefill|Decode|Start over|Making pass)/ });
    /** Where a screen reader hears of what happened. */
    this.status = root.locator(".sr").and(root.getByRole("status"));
    this.prompt = root.getByRole("textbox", { name: "Prompt" });
    this.speed = root.getByRole("combobox", { name: "Speed" });
    this.cache = root.getByRole("checkbox", { name: "KV cache" });
    /** Below the strip: how the run ended, and what went wrong. */
    this.outcome = root.locator("[part=outcome]");
    this.table = root.getByRole("table", { name: /^Step log/ });
    this.promptCells = root.getByRole("list", { name: /^Prompt:/ }).getByRole("listitem");
    this.generatedCells = root.getByRole("list", { name: /^Generated:/ }).getByRole("listitem");
    /** Below the log: where the token of a pass came from, and its rows, a candidate each. */
    this.why = root.locator("[part=distribution]");
    this.candidates = this.why.locator("tbody").getByRole("row");
    /** The draw in words. */
    this.sentence = this.why.locator(".draw p");
    /** Which moment is shown, and the run before this one. */
    this.timeline = root.locator("[part=timeline]");
    this.moment = this.timeline.getByRole("slider");
    this.costs = root.locator("[part=cost]");
    this.columns = root.locator("[part=cache]");
    /** What scrolls, the log, the distribution and the cache: reached by the keyboard, for not all in them can be. */
    this.panes = root.locator("[tabindex='0']");
    /** Which weights are used. */
    this.models = root.locator("[part=model]");
    /** Where files are chosen. */
    this.ownFiles = this.models.getByLabel("Open your own…");
    /** What can be taken away of a run. */
    this.share = root.locator("[part=share]");
    /** How a load goes. */
    this.progress = root.getByRole("progressbar");
    /** Below the log: what the weights have to do with the cost. */
    this.comparison = root.locator("[part=log] .weights");
    /** Messages beside the settings. */
    this.complaints = root.locator("[part=settings] .error");
  }

  /**
   * The only widget of a page, or the one at `index`, loaded.
   * @param {import("@playwright/test").Page} page
   * @param {number} [index]
   */
  static async on(page, index = 0) {
    const widget = new Widget(page.locator("generation-loop").nth(index));
    await expect(widget.primary).toBeVisible();
    return widget;
  }

  /** @param {string} name */
  button(name) {
    return this.root.getByRole("button", { name, exact: true });
  }

  /** @param {string} label */
  field(label) {
    return this.root.getByRole("textbox", { name: label, exact: true });
  }

  /** @param {string} name */
  method(name) {
    return this.root.getByRole("radio", { name, exact: true });
  }

  /** @param {string} name */
  model(name) {
    return this.models.getByRole("radio", { name, exact: true });
  }

  /** Switches to one of the two models that are inside. @param {"trained" | "untrained"} name */
  async use(name) {
    await this.model(name).check();
    await expect(this.models).toContainText(
      name === "trained" ? "Trained on short sentences" : "Random numbers",
    );
  }

  /** @param {import("./models.js").ChosenFile[]} files */
  open(files) {
    return this.ownFiles.setInputFiles(files);
  }

  /**
   * Drags files over the widget, or text, and drops them there.
   * @param {import("./models.js").ChosenFile[]} files
   * @param {{ types?: string[], text?: string }} [more] only these of the events; what is dragged besides
   * @returns {Promise<boolean[]>} which of the events the widget took for itself
   */
  drop(files, { types = ["dragover", "drop"], text } = {}) {
    const plain = files.map(({ name, mimeType, buffer }) => ({
      name,
      mimeType,
      base64: buffer.toString("base64"),
    }));
    return this.root.locator(".frame").evaluate(
      (frame, { plain, types, text }) => {
        const dataTransfer = new DataTransfer();
        for (const { name, mimeType: type, base64 } of plain) {
          const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
          dataTransfer.items.add(new File([bytes], name, { type }));
        }
        if (text !== undefined) dataTransfer.setData("text/plain", text);
        // From a part of it, as a pointer would.
        const target = frame.querySelector("[part=controls]") ?? frame;
        return types.map((type) => {
          const event = new DragEvent(type, {
            bubbles: true,
            composed: true,
            cancelable: true,
            dataTransfer,
          });
          return !target.dispatchEvent(event);
        });
      },
      { plain, types, text },
    );
  }

  /**
   * Writes into a field and leaves it. Firefox does not count what a driver fills in as a change of the reader's, and typing
   * key by key takes long: the end of it is told here.
   * @param {string} label
   * @param {string} value
   */
  async set(label, value) {
    await this.field(label).fill(value);
    await this.field(label).dispatchEvent("change");
  }

  /** Runs to the end, as fast as it goes. */
  async run() {
    await this.speed.selectOption("instant");
    await this.button("Run").click();
    await this.stopped();
  }

  /** @param {number} passes */
  async step(passes = 1) {
    for (let pass = 0; pass < passes; pass += 1) await this.primary.click();
  }

  async stopped() {
    await expect(this.outcome).toContainText("Stopped:");
  }

  /**
   * All rows of the log.
   * @returns {Promise<Row[]>}
   */
  log() {
    return this.table.evaluate((table) => {
      const heads = [...table.querySelectorAll("[role=columnheader]")].map((head) => head.textContent.trim());
      return [...table.querySelectorAll("tbody > [role=row]:not(.opened)")].map((row) => {
        const texts = [...row.children].map((cell) => {
          const seen = cell.querySelector("[aria-hidden=true]") ?? cell;
          const text = seen.textContent.trim();
          return /^[\d,]+$/.test(text) && seen === cell ? Number(text.replaceAll(",", "")) : text;
        });
        return Object.fromEntries(texts.map((text, column) => [heads[column], text]));
      });
    });
  }

  /**
   * The candidates as they are seen: a symbol, a bar or two, and what stands below the heads of the columns.
   * @returns {Promise<{ symbol: string, spoken: string, numbers: Record<string, string>, widths: number[], cut: boolean,
   *   drawn: boolean }[]>}
   */
  stages() {
    return this.why.evaluate((section) => {
      const text = (/** @type {Element | null | undefined} */ node) => node?.textContent?.trim() ?? "";
      const heads = [...section.querySelectorAll("thead [role=columnheader]")].slice(1).map(text);
      return [...section.querySelectorAll("tbody [role=row]")].map((row) => {
        const cells = [...row.querySelectorAll("[role=cell]")].map(text);
        return {
          symbol: text(row.querySelector("[role=rowheader] [aria-hidden=true]")),
          spoken: text(row.querySelector("[role=rowheader] .sr")),
          numbers: Object.fromEntries(cells.map((cell, column) => [heads[column], cell])),
          widths: [...row.querySelectorAll("rect")].map((bar) => bar.getBoundingClientRect().width),
          cut: row.classList.contains("cut"),
          drawn: row.classList.contains("drawn"),
        };
      });
    });
  }

  /**
   * Opens a row of the log into its operations, or closes it.
   * @param {number} pass
   */
  async openPass(pass) {
    await this.button(`Pass ${pass}: what it cost, operation by operation`).click();
  }

  /** The generated tokens as they look on the strip. */
  symbols() {
    return symbolsOf(this.generatedCells);
  }

  /** The prompt's. */
  promptSymbols() {
    return symbolsOf(this.promptCells);
  }

  /** The generated tokens as they look, once there are as many as this. @param {number} tokens */
  async symbolsAfter(tokens) {
    await expect(this.generatedCells).toHaveCount(tokens);
    return this.symbols();
  }
}

/** @param {import("@playwright/test").Locator} cells */
function symbolsOf(cells) {
  return cells.evaluateAll((items) =>
    items.map((item) => (item.querySelector("[aria-hidden=true]") ?? item).textContent.trim()),
  );
}

/**
 * How tokens look on the screen.
 * @param {readonly { token: { text: string } }[]} log
 */
export function shown(log) {
  return log.map(({ token }) => symbol(token));
}

/**
 * How a token looks.
 * @param {{ text: string }} token
 */
export function symbol({ text }) {
  return text.replace(/^$/, "eos").replace(" ", "␣").replace("\n", "⏎");
}

/**
 * A probability as it is shown.
 * @param {number} probability
 */
export function percent(probability) {
  if (probability === 0 || probability === 1) return `${100 * probability}%`;
  if (probability < 0.001) return "<0.1%";
  return probability > 0.999 ? ">99.9%" : `${(100 * probability).toFixed(1)}%`;
}
