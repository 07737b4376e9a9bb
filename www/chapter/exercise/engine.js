/**
 * QuickJS, a JavaScript engine compiled to WebAssembly: the reader's code runs in it, not in the browser's own. What it does not
 * have, network, storage, page, timers, cannot be reached from there.
 */

import loadModule from "@jitl/quickjs-wasmfile-release-sync/emscripten-module";
import { QuickJSFFI } from "@jitl/quickjs-wasmfile-release-sync/ffi";
import { newQuickJSWASMModuleFromVariant, newVariant } from "quickjs-emscripten-core";
import { LIMITS } from "./limits.js";

/** In pages of 64 KiB. The engine cannot count the bytes of strings here, so its whole memory has an end. */
const MEMORY = { initial: 256, maximum: LIMITS.pages };

/** @type {import("quickjs-emscripten-core").QuickJSSyncVariant} */
const VARIANT = {
  type: "sync",
  importFFI: async () => QuickJSFFI,
  importModuleLoader: async () => loadModule,
};

/**
 * A new engine with a memory of its own.
 * @param {WebAssembly.Module} wasmModule compiled once
 */
export async function newEngine(wasmModule) {
  const wasmMemory = new WebAssembly.Memory(MEMORY);
  const engine = await newQuickJSWASMModuleFromVariant(newVariant(VARIANT, { wasmModule, wasmMemory }));
  /** How far it has got from the memory that it began with to all that there is, 0 to 1. */
  const growth = () =>
    (wasmMemory.buffer.byteLength / 65_536 - MEMORY.initial) / (MEMORY.maximum - MEMORY.initial);
  return { engine, growth };
}
