/** The WebAssembly behind a page, within reach of a test. */

/**
 * From now on, each page keeps the instances that it makes as `instances`: their exports, and the first argument of each
 * export's last call, which for a method is the address of its object.
 * @param {import("@playwright/test").Page} page
 */
export async function watchInstances(page) {
  await page.addInitScript(() => {
    /** @type {{ exports: WebAssembly.Exports, receivers: Record<string, number> }[]} */
    const instances = [];
    Reflect.set(window, "instances", instances);
    /** @param {WebAssembly.Instance} instance */
    const watched = ({ exports }) => {
      /** @type {Record<string, number>} */
      const receivers = {};
      instances.push({ exports, receivers });
      const noting = Object.entries(exports).map(([name, member]) => [
        name,
        typeof member !== "function"
          ? member
          : (/** @type {any[]} */ ...args) => {
              receivers[name] = args[0];
              return member(...args);
            },
      ]);
      return { exports: Object.fromEntries(noting) };
    };

    const { instantiate, Instance } = WebAssembly;
    Reflect.set(
      WebAssembly,
      "instantiate",
      async (/** @type {any} */ source, /** @type {WebAssembly.Imports} */ imports) => {
        const result = await instantiate(source, imports);
        return { ...result, instance: watched(result.instance) };
      },
    );
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
 * Makes every pointer of an element's session lead far outside the memory, so that its next pass traps. The element must
 * have been the last to make a pass by decoding.
 * @param {import("@playwright/test").Page} page
 */
export function ruinLastDecoded(page) {
  return page.evaluate(() => {
    const { exports, receivers } = Reflect.get(window, "instances").at(-1);
    const { buffer } = exports.memory;
    // The session stands at the beginning of the object; the rest of it, and what comes after, is not touched.
    const words = new Uint32Array(buffer, receivers.wasmsession_decode_step, 32);
    for (const [index, word] of words.entries()) {
      // What looks like an address inside the heap: lengths and flags are small numbers.
      if (word > 65_536 && word < buffer.byteLength) words[index] = 0xffff_fff0;
    }
  });
}
