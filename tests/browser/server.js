/** A server of another origin, whose answers come when a test wants them to. */

import { serve } from "../unit/server.js";
import { bytesOf } from "./models.js";

/** Lets any page read. */
const OPEN = { "access-control-allow-origin": "*" };

/**
 * A model in a folder of its own, for any page, whose weights come in two halves: the second one once it is let go.
 * @param {{ config: unknown, weights: Uint8Array }} model
 * @param {{ cors?: boolean }} [options]
 */
export async function slowServer({ config, weights }, { cors = true } = {}) {
  /** @type {() => void} */
  let letGo = () => undefined;
  const gate = new Promise((resolve) => {
    letGo = () => resolve(undefined);
  });
  let closed = 0;
  const headers = cors ? OPEN : {};
  const half = weights.length >> 1;
  const server = await serve({
    "/m/config.json": (response) => void response.writeHead(200, headers).end(bytesOf(config)),
    "/m/model.safetensors": async (response) => {
      response.on("close", () => {
        closed += 1;
      });
      response.writeHead(200, headers);
      // In pieces that arrive one after the other, as from far away.
      for (let place = 0; place < half; place += half >> 3) {
        response.write(weights.subarray(place, Math.min(place + (half >> 3), half)));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await gate;
      response.end(weights.subarray(half));
    },
  });
  return {
    address: `${server.address}/m/`,
    requests: server.requests,
    /** How many connections for weights are over, for whatever reason. */
    closed: () => closed,
    letGo,
    close: async () => {
      letGo();
      await server.close();
    },
  };
}
