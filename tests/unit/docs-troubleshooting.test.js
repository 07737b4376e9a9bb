/** docs/troubleshooting.md has an entry for each code that the sources know, with messages that are in the sources. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { GenerationLoop } from "../../www/engine.js";
import { blocksOf, root, sectionOf, textOf } from "./docs.js";

const page = textOf("docs/troubleshooting.md");

/** Everything in JavaScript that can throw at a page: not the chapter, which is a page itself. */
const sources = readdirSync(join(root, "www"), { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".js") && !/^(?:pkg|chapter)\//.test(file))
  .map((file) => textOf(`www/${file}`));
const rust = textOf("crate/src/error.rs");

const entries = [...page.matchAll(/^### `(.*)`$/gm)].map(([, code]) => code);

/** Templates of the messages of an entry. @param {string} code */
const messagesOf = (code) =>
  blocksOf(sectionOf(page, `### \`${code}\``), "text").flatMap((block) => block.trim().split("\n"));

describe("docs/troubleshooting.md", () => {
  test("an entry for each code, and no other", () => {
    const codes = new Set([
      ...sources.flatMap((text) =>
        [...text.matchAll(/new GenerationError\(\s*"([a-z-]+)"/g)].map(([, code]) => code),
      ),
      ...[...rust.matchAll(/^ +Self::.* => "([a-z-]+)",$/gm)].map(([, code]) => code),
    ]);
    assert.ok(codes.size > 30, "the sources are read");
    assert.deepEqual(entries.toSorted(), [...codes].sort());
  });

  test("every code that is thrown is written where it is thrown", () => {
    // Else the test above would not see it. What comes from the core has its code from there.
    const made = sources.flatMap((text) => [...text.matchAll(/new GenerationError\(\s*([^"\s][^,]*)/g)]);
    assert.deepEqual(made.map(([, first]) => first).sort(), ["error.code", "error.code", "text.slice(0"]);
  });

  test("what stays the same in each message stands in the sources", () => {
    // What a message is put together from, with its gaps closed the same way everywhere.
    const all = [...sources, rust.replace(/\\\n\s+/g, "").replaceAll("%", "‹›")]
      .join("\n")
      .replace(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, "‹›")
      .replaceAll('\\"', '"');
    for (const code of entries) {
      const messages = messagesOf(code);
      assert.ok(messages.length > 0, `${code} has a message`);
      for (const message of messages) {
        for (const part of message.split(/‹[^›]*›/)) {
          // What is shorter says nothing, and a list of values is put together.
          for (const piece of part.split(/[:;,] |\(| is | of /)) {
            const words = piece.trim();
            if (words.length >= 8 && !/\d/.test(words))
              assert.ok(all.includes(words), `${code}: ${JSON.stringify(words)}`);
          }
        }
      }
    }
  });

  test("messages of errors that are met fit their templates", async () => {
    const loop = await GenerationLoop.load({ seed: 7, stop: "." });
    /** @type {any} */
    const loose = loop;
    /** @type {any} */
    const load = GenerationLoop.load;
    const config = { ...loop.config };
    const attempts = [
      () => loop.decodeStep(),
      () => loop.encode(""),
      () => loop.encode("é"),
      () => loop.decode([99]),
      () => loop.prefill("a".repeat(40)),
      () => loop.rewind(3),
      () => (loose.cache = 1),
      () => (loose.seed = -1),
      () => loop.prefill(/** @type {any} */ (["a"])),
      () => (loop.stopStrings = [""]),
      () => load({ tempratur: 1 }),
      () => load({ model: "my-model" }),
      () => load({ model: { config, weights: {} } }),
      () => load({ model: { config: { ...config, n_layer: "two" }, weights: {} } }),
      () => load({ model: { config: 3, weights: {} } }),
      () => load({ model: { config, weights: { "h.0.x.weight": { shape: [1], data: [0] } } } }),
      () => load({ model: { config, weights: { x: { shape: [1], data: [0] } } } }),
      () => load({ model: { config, weights: { "wte.weight": { shape: [1], data: [0] } } } }),
      () => load({ model: { config, weights: { "wte.weight": 1 } } }),
      () => load({ model: { config, weights: new Uint8Array(4) } }),
      () => load({ model: { config: new Uint8Array(0), weights: {} } }),
      () => load({ model: { config: { ...config, vocab_size: 2 ** 20, n_embd: 2 ** 19 }, weights: {} } }),
      () => load({ model: { config: "http://127.0.0.1:9/config.json", weights: {} } }),
      () => {
        loop.prefill("the cat sat");
        loop.seed = 8;
      },
      () => {
        while (loop.passes < 99) loop.decodeStep();
      },
      () => {
        loop.dispose();
        loop.text;
      },
    ];
    const met = new Set();
    for (const attempt of attempts) {
      const error = await (async () => attempt())().then(
        () => assert.fail(`nothing was refused by ${attempt}`),
        (reason) => reason,
      );
      met.add(error.code);
      const patterns = messagesOf(error.code).map((message) => {
        const parts = message.split(/‹[^›]*›/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
        // The name of a file may come first.
        return new RegExp(`^(?:\\S+: )?${parts.join("[\\s\\S]*")}$`);
      });
      assert.ok(
        patterns.some((pattern) => pattern.test(error.message)),
        `${error.code}: ${error.message}`,
      );
    }
    assert.ok(met.size >= 18, [...met].join());
  });
});
