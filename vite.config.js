import { execFile } from "node:child_process";
import { defineConfig } from "vite";
import { chapter } from "./scripts/chapter.js";
import { oembedOf } from "./scripts/oembed.js";

/**
 * Builds the WebAssembly anew when Rust changes; that changes www/pkg/, and Vite then reloads the page. The first build
 * is made by the script that starts Vite.
 * @returns {import("vite").Plugin}
 */
function rebuildWasm() {
  return {
    name: "rebuild-wasm",
    apply: "serve",
    configureServer({ watcher, ws }) {
      watcher.on("change", (file) => {
        if (!/crate[\\/](?:src|models)[\\/].*\.(?:rs|safetensors)$/.test(file)) return;
        execFile("cargo", ["xtask", "wasm"], (error, _, stderr) => {
          // The compiler's words belong where the eyes are: on the page.
          if (error) ws.send({ type: "error", err: { message: stderr, stack: "" } });
        });
      });
    },
  };
}

export default defineConfig({
  // Relative addresses: the chapter works in any folder of any host.
  base: "./",
  publicDir: false,
  // Where the site is going to stand, if that is known: programs that embed pages want absolute addresses.
  plugins: [rebuildWasm(), chapter(), oembedOf(process.env.SITE_ADDRESS)],
  // Readers get Lit's production build; its other one greets every page on the console.
  resolve: { conditions: ["module", "browser", "production"] },
  // Cargo writes thousands of files, and watching them costs more than all else here.
  server: { watch: { ignored: ["**/target/**", "**/dist/**", "**/site/**", "**/test-results/**"] } },
  build: {
    outDir: "site",
    emptyOutDir: true,
    // What all browsers of the last years run; WebAssembly SIMD, which the model needs, came with the same ones.
    target: "es2022",
    modulePreload: { polyfill: false },
    // The chapter, and the page that stands in frames.
    rolldownOptions: { input: ["index.html", "embed.html"] },
  },
});
