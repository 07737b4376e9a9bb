/** The WebAssembly behind a page, within reach of a test. */

/**
 * From now on, each page keeps the instances that it makes as `instances`: their exports, and where the last decode step of each
 * left its logits.
 * @param {import("@playwright/test").Page} page
 */
export async function watchInstances(page) {
  await page.addInitScript(() => {
    /** @type {{ exports: WebAssembly.Exports, decoded: number }[]} */
    const instances = [];
    Reflect.set(window, "instances", instances);
    /** @param {WebAssembly.Instance} instance */
    const watched = ({ exports }) => {
      const kept = { exports, decoded: 0 };
      instances.push(kept);
      /** @param {number} handle */
      const decode_step = (handle) => {
        kept.decoded = /** @type {Function} */ (exports.decode_step)(handle);
        return kept.decoded;
      };
      return { exports: { ...exports, decode_step } };
    };
    const { Instance } = WebAssembly;
    Reflect.set(
      WebAssembly,
      "Instance",
      new Proxy(Instance, { construct: (original, args) => watched(Reflect.construct(original, args)) }),
    );
  });
}

/** @param {import("@playwright/test").Page} page */
export const instancesOf = (page) => page.evaluate(() => Reflect.get(window, "instances").length);

/**
 * Makes whatever points at the logits of the last decode step point far outside the memory, so that the next pass of the same
 * element traps. Other elements are not touched.
 * @param {import("@playwright/test").Page} page
 */
export function ruinLastDecoded(page) {
  return page.evaluate(() => {
    const { exports, decoded } = Reflect.get(window, "instances").at(-1);
    const words = new Uint32Array(exports.memory.buffer);
    for (let place = words.indexOf(decoded); place !== -1; place = words.indexOf(decoded, place + 1)) {
      words[place] = 0xffff_fff0;
    }
  });
}
