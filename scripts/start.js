/** `npm start`: from a fresh clone to the chapter in a browser, with what is edited showing at once. */

import { must, runIfMain } from "./run.js";
import { ensureNodeModules, ensureRust } from "./setup.js";

await runIfMain(import.meta.url, async () => {
  await ensureNodeModules();
  await ensureRust();
  console.log("Building the WebAssembly … (the first time takes about two minutes)");
  await must(["cargo", "xtask", "wasm"]);

  // Only now does it exist on a fresh machine.
  const { createServer } = await import("vite");
  const server = await createServer({ server: { host: "127.0.0.1", port: 5173, strictPort: false } });
  await server.listen();
  const address = server.resolvedUrls?.local[0] ?? `http://127.0.0.1:${server.config.server.port}/`;
  console.log(`\n  The chapter is at  ${address}\n  Stop with Ctrl-C.\n`);
});
