/** A server on this machine, for loads by address. */

import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";

/** @typedef {import("node:http").ServerResponse} Response */
/** @typedef {(response: Response, request: import("node:http").IncomingMessage) => unknown} Answer */

/**
 * Answers by path; there is none for others, which get a 404.
 * @param {Record<string, Answer | Uint8Array | string | object>} answers bytes and text as they are; objects as JSON
 */
export async function serve(answers) {
  /** @type {string[]} */
  const requests = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "", "http://localhost").pathname;
    requests.push(path);
    const answer = answers[path];
    if (answer === undefined) response.writeHead(404).end("not here");
    else if (typeof answer === "function") answer(response, request);
    else if (typeof answer === "string" || answer instanceof Uint8Array) response.end(answer);
    else response.end(JSON.stringify(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const address = `http://127.0.0.1:${port}`;

  /** Answers at an address of its own. @param {Answer} answer */
  const at = (answer) => {
    const path = `/${Object.keys(answers).length}`;
    answers[path] = answer;
    return address + path;
  };

  /**
   * An answer of which no more than the beginning comes.
   * @param {Uint8Array} beginning
   * @param {number} [status]
   */
  const endless = (beginning, status = 200) => {
    const connection = new EventEmitter();
    const [begun, closed] = [once(connection, "begun"), once(connection, "closed")];
    const address = at((response) => {
      response.writeHead(status).write(beginning);
      response.on("close", () => connection.emit("closed"));
      connection.emit("begun");
    });
    return { address, begun, closed };
  };

  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };

  return { address, requests, at, endless, close };
}

/** Has two seconds for a promise. @param {Promise<unknown>} promise */
export async function soon(promise) {
  const late = once(AbortSignal.timeout(2000), "abort").then(() => "late");
  assert.notEqual(await Promise.race([promise, late]), "late");
}

/**
 * Sends what there is in pieces, each on its own, without a Content-Length.
 * @param {Response} response
 * @param {Uint8Array} bytes
 * @param {number} size of a piece
 */
export async function inPieces(response, bytes, size) {
  response.socket?.setNoDelay(true);
  for (let place = 0; place < bytes.length && !response.destroyed; place += size) {
    response.write(bytes.subarray(place, place + size));
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}
