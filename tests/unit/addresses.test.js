/** Models by address, from a real server. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { GenerationLoop } from "../../www/engine.js";
import { eightBytes, golden, joined } from "./files.js";
import { complete, on, refusal, wrong } from "./loops.js";
import { inPieces, serve, soon } from "./server.js";
import { assertRefused, assertSame, data, file, headerLength, model, SHAPE } from "./small.js";

const small = golden("tied-narrow");
const server = await serve({
  "/small/config.json": { ...small.config, architectures: ["GPT2LMHeadModel"], extra: { of: [null] } },
  "/small/model.safetensors": small.file,
  "/whole": file,
});
after(server.close);

test("the address of a folder, with a slash at its end and without", async () => {
  const expected = complete(await on({ config: small.config, weights: small.file }), [1, 2]);
  for (const path of ["/small", "/small/", "/small?download=true", "/other/../small/#x"]) {
    const loop = await GenerationLoop.load({ model: server.address + path, maxTokens: null, seed: 0 });
    assert.deepEqual(complete(loop, [1, 2]), expected);
    loop.dispose();
  }
  assert.deepEqual(new Set(server.requests), new Set(["/small/config.json", "/small/model.safetensors"]));
});

test("an address is relative to the page, and refused where there is none", async () => {
  for (const model of ["./small", "../small/", "/small"]) {
    await assert.rejects(
      GenerationLoop.load({ model }),
      refusal("unknown-model", /^model is "[./]*small\/?"; allowed: .*the address of a folder/),
    );
  }
  Object.defineProperty(globalThis, "location", {
    ...{ configurable: true, value: { href: `${server.address}/deep/page.html` } },
  });
  try {
    for (const model of ["../small", "/small/"]) (await GenerationLoop.load({ model })).dispose();
    await assert.rejects(GenerationLoop.load({ model: "./small" }), {
      ...{ code: "fetch-failed" },
      message: `${server.address}/deep/small/config.json: its server answered 404 Not Found`,
    });
  } finally {
    Reflect.deleteProperty(globalThis, "location");
  }
});

test("the configuration from one place, the weights from another", async () => {
  const text = JSON.stringify(SHAPE);
  for (const config of [
    SHAPE,
    new TextEncoder().encode(text),
    new TextEncoder().encode(`\ufeff${text}`).buffer,
    new Blob([text]),
    new File([text], "mine.json"),
    server.at((response) => response.end(text)),
  ]) {
    for (const weights of [model.weights, file, new Blob([file]), `${server.address}/whole`]) {
      (await on({ config, weights })).dispose();
    }
  }
});

test("an answer of any pieces, compressed or sent on to another address, is the same file", async () => {
  for (const size of [1, 7, 8, 9, headerLength, 1000]) {
    await assertSame(server.at((response) => void inPieces(response, file, size)));
  }
  await assertSame(
    server.at((response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(file))),
  );
  await assertSame(server.at((response) => response.writeHead(302, { location: "/whole" }).end()));
});

test("an answer that says there is nothing is no file, even if one comes with it", async () => {
  for (const [status, text] of [
    [404, "Not Found"],
    [403, "Forbidden"],
    [500, "Internal Server Error"],
    [503, "Service Unavailable"],
  ]) {
    const weights = server.at((response) => response.writeHead(Number(status)).end(file));
    const found = `its server answered ${status} ${text}`;
    await assertRefused(weights, found, { code: "fetch-failed", name: weights });
    const config = server.at((response) => response.writeHead(Number(status)).end(JSON.stringify(SHAPE)));
    await assert.rejects(on({ config, weights: file }), {
      ...{ code: "fetch-failed", message: `${config}: ${found}` },
    });
  }
});

test("a server that cannot be reached is named, with what may be the reason", async () => {
  const gone = await serve({});
  await gone.close();
  for (const model of [gone.address, { config: SHAPE, weights: `${gone.address}/x` }]) {
    await assert.rejects(
      GenerationLoop.load({ model }),
      refusal(
        "fetch-failed",
        /^http:\/\/127\.0\.0\.1:\d+\/(config\.json|x): it cannot be fetched \(.+\); its server must allow .*CORS.*connect-src$/,
      ),
    );
  }
});

test("the rest of an answer that is refused is not waited for", async () => {
  const { address, closed } = server.endless(file, 404);
  await assertRefused(address, "its server answered 404 Not Found", { code: "fetch-failed", name: address });
  await soon(closed);
});

test("a file whose header says that it is not the model is let go before its numbers come", async () => {
  for (const [change, code, found] of /** @type {const} */ ([
    [{ n_positions: 9 }, "tensor-shape", "tensor wpe.weight has shape [8, 4]; expected [9, 4]"],
    [{ n_layer: 2 }, "invalid-config", "n_layer is 2; expected 1, the number of blocks in the weights"],
    [{ n_head: 3 }, "invalid-config", "n_head is 3; allowed: a divisor of n_embd, which is 4"],
  ])) {
    const { address, closed } = server.endless(file.subarray(0, 8 + headerLength));
    // The configuration is the caller's object, which has no file to name.
    const message = code === "invalid-config" ? found : `${address}: ${found}`;
    await assert.rejects(on({ config: { ...SHAPE, ...change }, weights: address }), { code, message });
    await soon(closed);
  }
});

/** @param {Record<string, unknown>} options @param {string} code @param {RegExp} message */
async function assertNothingAsked(options, code, message) {
  const before = server.requests.length;
  for (const model of [`${server.address}/small`, { config: SHAPE, weights: `${server.address}/whole` }]) {
    await assert.rejects(GenerationLoop.load(wrong({ model, ...options })), refusal(code, message));
  }
  assert.equal(server.requests.length, before);
}

test("settings that nothing allows are refused before anything is asked for", async () => {
  for (const [options, message] of /** @type {[Record<string, unknown>, RegExp][]} */ ([
    [{ seed: -1 }, /^seed is -1; allowed: a whole number from 0 to 9007199254740991$/],
    [{ seed: 2 ** 53 }, /^seed is 9007199254740992; allowed: a whole number from 0/],
    [{ seed: "cat" }, /^seed is "cat"; allowed: a whole number from 0/],
    [
      { sampling: { method: "beam" } },
      /^sampling method is "beam"; allowed: greedy, temperature, top-k, top-p$/,
    ],
    [{ sampling: { temperature: -1 } }, /^temperature is -1; allowed: a finite number, at least 0$/],
    [{ sampling: { topP: 2 } }, /^top-p is 2; allowed: 0 to 1$/],
    [{ sampling: 5 }, /^sampling is 5; allowed: \{ method, temperature, topK, topP \}$/],
    [{ stop: ["a", 5] }, /^stop string 2 is 5; allowed: a string$/],
    [{ maxTokens: 1 }, /^max-tokens is 1; allowed: a whole number from 2 to the model's context, or none$/],
    [{ maxTokens: "many" }, /^max-tokens is "many"; allowed: a whole number from 2/],
  ])) {
    await assertNothingAsked(options, "invalid-setting", message);
  }
  await assertNothingAsked({ stop: ["a", ""] }, "empty-stop-string", /^stop string 2 is empty/);
  await assertNothingAsked({ sampling: { topk: 3 } }, "unknown-option", /^sampling has no option "topk"/);
});

test("so is a cache that is neither on nor off", async () => {
  await assertNothingAsked({ cache: "yes" }, "invalid-setting", /^cache is "yes"; allowed: true, false$/);
});

test("a connection that is lost on the way is a named error", async () => {
  for (const length of [3, 100, 8 + headerLength + 20]) {
    const weights = server.at((response) => {
      response.writeHead(200, { "content-length": file.length });
      response.write(file.subarray(0, length));
      setTimeout(() => response.destroy(), 10);
    });
    await assertRefused(weights, /^http:\/\/127\.0\.0\.1:\d+\/\d+: the connection broke off \(.+\)$/, {
      code: "fetch-failed",
    });
  }
});

test("so is one that is lost inside a configuration", async () => {
  const config = server.at((response) => {
    response.writeHead(200, { "content-length": 100 });
    response.write('{"n_layer":1,');
    setTimeout(() => response.destroy(), 10);
  });
  await assert.rejects(
    on({ config, weights: file }),
    refusal("fetch-failed", /^http:\/\/127\.0\.0\.1:\d+\/\d+: the connection broke off \(.+\)$/),
  );
});

test("a header that claims a hundred megabytes takes no more memory than what comes", async () => {
  const weights = server.at((response) => response.end(joined(eightBytes(99_000_000), new Uint8Array(1000))));
  const before = process.memoryUsage().arrayBuffers;
  await assertRefused(weights, "it ends after 1008 bytes, inside its header of 99000000", { name: weights });
  assert.ok(process.memoryUsage().arrayBuffers - before < 1e7);
  const longer = server.at((response) => response.end(joined(eightBytes(100_000_001), new Uint8Array(1000))));
  const found = "its header would have 100000001 bytes; allowed: 2 to 100000000";
  await assertRefused(longer, found, { name: longer });
});

test("bytes after the last tensor are refused, as they are in a file", async () => {
  for (const more of [1, 100, 1_000_000]) {
    const longer = joined(file, new Uint8Array(more));
    const weights = server.at((response) => response.end(longer));
    const found = `there are more bytes than the ${data.length} of tensors that its header describes`;
    await assertRefused(weights, found, { name: weights });
  }
});
