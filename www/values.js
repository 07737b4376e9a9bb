/** The values of an element's settings: loose ones come in, strict ones come out, and what has no meaning falls back. */

import { isTrap } from "./errors.js";
import { ELEMENT_SETTINGS } from "./settings.js";

/**
 * Settings that the style sheet of the widget's room looks at: set as properties, they are seen as attributes too, by these texts.
 * @type {Record<string, (value: any) => string | null>}
 */
const SEEN = {
  hide: (panels) => panels.join(" ") || null,
  predict: (on) => (on ? "" : null),
  sampling: (method) => method,
};

/**
 * The settings as Lit's reactive properties. They are read in their setters, where attributes and properties come together;
 * undefined means that the attribute is gone.
 * @type {Record<string, import("lit").PropertyDeclaration>}
 */
export const settingProperties = Object.fromEntries(
  Object.entries(ELEMENT_SETTINGS).map(([name, { attribute }]) => [
    name,
    {
      attribute,
      noAccessor: true,
      reflect: name in SEEN,
      converter: {
        fromAttribute: (/** @type {string | null} */ value) => value ?? undefined,
        toAttribute: SEEN[name],
      },
    },
  ]),
);

/**
 * Gives a class a property for each setting.
 * @template {object} T
 * @param {T} prototype
 * @param {(element: T, name: string) => unknown} get
 * @param {(element: T, name: string, value: unknown) => void} set
 */
export function defineSettings(prototype, get, set) {
  for (const name of Object.keys(ELEMENT_SETTINGS)) {
    Object.defineProperty(prototype, name, {
      configurable: true,
      enumerable: true,
      /** @this {T} */
      get() {
        return get(this, name);
      },
      /** @this {T} @param {unknown} value */
      set(value) {
        set(this, name, value);
      },
    });
  }
}

export class Values {
  /** @type {Record<string, any>} */
  #strict = Object.fromEntries(
    Object.entries(ELEMENT_SETTINGS).map(([name, { fallback }]) => [name, fallback]),
  );

  /** Names of those that the reader chose. @type {Set<string>} */
  #readers = new Set();

  /** @param {string} name */
  isReaders(name) {
    return this.#readers.has(name);
  }

  /** @param {string} name */
  get(name) {
    return this.#strict[name];
  }

  /**
   * A value from the page: an attribute or a property; undefined is the default.
   * @param {string} name
   * @param {unknown} value
   */
  setFromPage(name, value) {
    this.#readers.delete(name);
    try {
      const { fallback, read } = ELEMENT_SETTINGS[name];
      this.#strict[name] = value === undefined ? fallback : read(value);
    } catch (error) {
      this.fallBack(name, error);
    }
  }

  /**
   * A value from the reader: first strict, then tried, and only then kept.
   * @param {string} name
   * @param {unknown} value
   * @param {(strict: any) => void} attempt what must succeed with it
   * @throws {import("./errors.js").GenerationError} nothing has changed then
   */
  setFromReader(name, value, attempt) {
    const strict = ELEMENT_SETTINGS[name].read(value);
    attempt(strict);
    this.#strict[name] = strict;
    this.#readers.add(name);
  }

  /**
   * Sets a run as it is said here; what its model does not allow falls back.
   * @param {import("./run.js").Run} run
   * @param {string} name
   * @throws {import("./errors.js").GenerationError} `trapped`
   */
  applyTo(run, name) {
    const value = this.get(name);
    try {
      run.set(name, value);
    } catch (error) {
      if (isTrap(error)) throw error;
      const { fallback } = ELEMENT_SETTINGS[name];
      // Whoever wrote the page is warned of what they wrote, not of a default, nor of what a reader chose for another model.
      const isPages = value !== fallback && !this.isReaders(name);
      if (isPages) this.fallBack(name, error);
      // Every default suits every model but one: where the context is shorter than the limit, it is the limit.
      const limit = Math.min(isPages ? /** @type {number} */ (fallback) : value, run.loop.config.n_positions);
      run.set(name, name === "maxTokens" ? limit : fallback);
    }
  }

  /**
   * Back to the default, with one warning for whoever wrote the page.
   * @param {string} name
   * @param {unknown} error
   */
  fallBack(name, error) {
    const { fallback, attribute } = ELEMENT_SETTINGS[name];
    this.#strict[name] = fallback;
    console.warn(
      `<generation-loop> ${attribute}: ${/** @type {Error} */ (error).message}. The default is used.`,
    );
  }
}
