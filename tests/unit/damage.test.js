/** Files that are something else, or not all there: from memory, as a blob, and from a server. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { on } from "./loops.js";
import { serve } from "./server.js";
import { assertRefused, data, file, headerLength, SHAPE } from "./small.js";

const POINTER = [
  "version https://git-lfs.github.com/spec/v1",
  "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393",
  "size 548105171",
  "",
].join("\n");

/** What is served in place of a file, and what an error says of it. @type {[string | Uint8Array, string][]} */
const FOREIGN = [
  [POINTER, "it is a Git LFS pointer, which stands for the file; get the file itself"],
  ["<!DOCTYPE html>\n<title>Not found</title>", "it is a web page"],
  ["\n\n  <html lang='en'><body>Sign in</body></html>", "it is a web page"],
  ["<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", "it is a web page"],
  ["", "it is empty"],
];

const server = await serve({});
after(server.close);

/** Where a file can come from, and what an error calls it. @type {((bytes: Uint8Array) => [any, string])[]} */
const SOURCES = [
  (bytes) => [bytes, ""],
  (bytes) => [new Blob([/** @type {any} */ (bytes)]), ""],
  (bytes) => [new File([/** @type {any} */ (bytes)], "mine.bin"), "mine.bin"],
  (bytes) => {
    const address = server.at((response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(bytes),
    );
    return [address, address];
  },
];

test("what is no model says what it is, also with status 200", async () => {
  for (const [content, found] of FOREIGN) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    for (const source of SOURCES) {
      const [given, name] = source(bytes);
      await assertRefused(given, found, { name: name || "model.safetensors" });
      const message = `${name || "config.json"}: not a config.json that can be read: ${found}`;
      await assert.rejects(on({ config: given, weights: file }), { code: "invalid-config", message });
    }
  }
});

test("text that says nothing of itself is shown as it begins", async () => {
  for (const text of [
    "Not found, or moved to another place altogether",
    '{"error": "Repository not found"}',
    JSON.stringify(SHAPE),
  ]) {
    const shown = JSON.stringify(text.slice(0, 40));
    await assertRefused(new TextEncoder().encode(text), `it begins with ${shown}`);
  }
});

test("bytes that are something else have a header that cannot be", async () => {
  const zip = Uint8Array.from([0x50, 0x4b, 3, 4, 0, 0, 8, 8, 0, 0, 0, 0, 0, 0]);
  for (const bytes of [zip, gzipSync(file), new Uint8Array(5000).fill(255)]) {
    await assertRefused(
      new Uint8Array(bytes),
      /: (?:its header would have \d+ bytes; allowed: 2 to 100000000|it ends after \d+ bytes, inside its header of \d+)$/,
    );
  }
});

test("a configuration that is not JSON, or no object, says where or what it is", async () => {
  const encoded = (/** @type {string} */ text) => new TextEncoder().encode(text);
  for (const [text, found] of /** @type {[string, string | RegExp][]} */ ([
    ["[]", "config.json: config is a list; allowed: the object in a config.json"],
    ["null", "config.json: config is null; allowed: the object in a config.json"],
    ["{}", "config.json: n_embd is undefined; allowed: a number"],
    ['{"n_embd":"16"}', 'config.json: n_embd is "16"; allowed: a number'],
    ["{x", /^config\.json: not a config\.json that can be read: .+/],
    ["[".repeat(400_000), /^config\.json: not a config\.json that can be read: .+/],
    [`{"n_layer":${"[".repeat(400_000)}${"]".repeat(400_000)}}`, /^config\.json: n_embd is undefined/],
    [" ".repeat(2_000_000), /^config\.json: not a config\.json that can be read: .+/],
  ])) {
    await assert.rejects(on({ config: encoded(text), weights: file }), {
      ...{ name: "GenerationError", code: "invalid-config", message: found },
    });
  }
});

/** Places in the file: all of the beginning, some of the tensors, and the last byte. @type {number[]} */
const CUTS = [
  ...Array.from({ length: 8 + headerLength + 10 }, (_, cut) => cut),
  ...[20, 100, 500].map((more) => 8 + headerLength + more),
  ...[file.length - 2, file.length - 1],
];

/** Whether the file then ends inside its header. @param {number} cut */
const isInHeader = (cut) => cut >= 8 && cut < 8 + headerLength;

/** @param {number} cut @param {string} found */
async function assertCut(cut, found) {
  const bytes = file.slice(0, cut);
  await assertRefused(bytes, found);
  if (cut < 10 || cut % 50 === 0) await assertRefused(new Blob([bytes]), found);
}

test("a file that is cut says where it ends", async () => {
  for (const cut of CUTS.filter((cut) => !isInHeader(cut))) {
    const found =
      cut === 0
        ? "it is empty"
        : cut < 8
          ? `it has ${cut} bytes; a header begins with 8`
          : `it has ${cut} bytes; its header describes ${file.length}`;
    await assertCut(cut, found);
  }
});

test("so it does at every byte of its header", async () => {
  for (const cut of CUTS.filter(isInHeader)) {
    await assertCut(cut, `it ends after ${cut} bytes, inside its header of ${headerLength}`);
  }
});

test("an answer that is cut, at every byte of its beginning, says where it ends", async () => {
  let cut = 0;
  const address = server.at((response) => response.end(file.subarray(0, cut)));
  for (cut of CUTS) {
    const found =
      cut === 0
        ? "it is empty"
        : cut < 8
          ? `it has ${cut} bytes; a header begins with 8`
          : isInHeader(cut)
            ? `it ends after ${cut} bytes, inside its header of ${headerLength}`
            : `it ends after ${cut - 8 - headerLength} bytes of tensors; its header describes ${data.length}`;
    await assertRefused(address, found, { name: address });
  }
});

test("a file that can no longer be read is a named error", async () => {
  // As of a file that was changed or removed after the reader chose it.
  const gone = new File([file], "gone.bin");
  gone.slice = () => {
    const part = new Blob([]);
    part.arrayBuffer = () => Promise.reject(new DOMException("could not be read", "NotReadableError"));
    return part;
  };
  for (const given of [
    { config: SHAPE, weights: gone },
    { config: gone, weights: file },
  ]) {
    await assert.rejects(on(given), {
      ...{ name: "GenerationError", code: "read-failed" },
      message: "gone.bin: it cannot be read (could not be read); choose it again",
    });
  }
});
