/** What a page does in the course of a test: counted, from before its first script on. */

/**
 * What was counted.
 * @typedef {object} Traces
 * @property {number} compiles calls that compile WebAssembly
 * @property {number} instances of WebAssembly
 * @property {number} scheduled timers and frames that were asked for, altogether
 * @property {number} pending those that are still to come
 * @property {number} listeners on the window, the document, its root and its body
 * @property {number} observed elements that are being observed
 */

/**
 * From now on, each page counts.
 * @param {import("@playwright/test").Page} page
 */
export async function watchTraces(page) {
  await page.addInitScript(() => {
    const host = /** @type {any} */ (window);
    const counts = { compiles: 0, instances: 0, scheduled: 0 };
    const pending = new Set();
    const listeners = new Set();
    /** @type {Map<object, Set<Element>>} */
    const observed = new Map();
    host.traces = () => ({
      ...counts,
      pending: pending.size,
      listeners: listeners.size,
      observed: [...observed.values()].reduce((sum, { size }) => sum + size, 0),
    });

    /**
     * Has `before` hear of each call of a method, and of each construction.
     * @param {any} owner
     * @param {string} name
     * @param {(self: any, args: any[]) => void} before
     */
    const wrap = (owner, name, before) => {
      if (owner?.[name] === undefined) return;
      owner[name] = new Proxy(owner[name], {
        apply(original, self, args) {
          before(self, args);
          return Reflect.apply(original, self, args);
        },
        construct(original, args) {
          before(null, args);
          return Reflect.construct(original, args);
        },
      });
    };

    for (const name of ["compile", "compileStreaming", "Module"]) {
      wrap(host.WebAssembly, name, () => {
        counts.compiles += 1;
      });
    }
    for (const name of ["Instance", "instantiate", "instantiateStreaming"]) {
      wrap(host.WebAssembly, name, (_, [source]) => {
        counts.instances += 1;
        if (!(source instanceof WebAssembly.Module)) counts.compiles += 1;
      });
    }

    for (const [set, clear] of [
      ["setTimeout", "clearTimeout"],
      ["setInterval", "clearInterval"],
      ["requestAnimationFrame", "cancelAnimationFrame"],
      ["requestIdleCallback", "cancelIdleCallback"],
    ]) {
      const schedule = host[set].bind(host);
      host[set] = (/** @type {Function} */ callback, /** @type {any[]} */ ...rest) => {
        counts.scheduled += 1;
        const id = schedule(
          (/** @type {any[]} */ ...values) => {
            if (set !== "setInterval") pending.delete(clear + id);
            callback(...values);
          },
          ...rest,
        );
        pending.add(clear + id);
        return id;
      };
      wrap(host, clear, (_, [id]) => pending.delete(clear + id));
    }

    const shared = () => [window, document, document.documentElement, document.body];
    // What is counted here must not be kept from going.
    const numbers = new WeakMap();
    let last = 0;
    const numberOf = (/** @type {any} */ one) => {
      if (one === null || one === undefined) return 0;
      if (!numbers.has(one)) {
        last += 1;
        numbers.set(one, last);
      }
      return numbers.get(one);
    };
    /** @param {any} self @param {any[]} args */
    const nameOf = (self, [type, listener, options]) => {
      const isCapture = typeof options === "object" ? options?.capture : options;
      return [numberOf(self), type, numberOf(listener), Boolean(isCapture)].join();
    };
    wrap(EventTarget.prototype, "addEventListener", (self, args) => {
      const target = self ?? window;
      if (shared().includes(target)) listeners.add(nameOf(target, args));
    });
    wrap(EventTarget.prototype, "removeEventListener", (self, args) => {
      listeners.delete(nameOf(self ?? window, args));
    });

    for (const name of ["IntersectionObserver", "ResizeObserver", "MutationObserver"]) {
      const { prototype } = host[name];
      wrap(prototype, "observe", (self, [element]) => {
        observed.set(self, (observed.get(self) ?? new Set()).add(element));
      });
      wrap(prototype, "unobserve", (self, [element]) => observed.get(self)?.delete(element));
      wrap(prototype, "disconnect", (self) => observed.delete(self));
    }
  });
}

/**
 * What the page has counted so far.
 * @param {import("@playwright/test").Page} page
 * @returns {Promise<Traces>}
 */
export const tracesOf = (page) => page.evaluate(() => Reflect.get(window, "traces")());
