/** What the machine can do at most, in this browser: GFLOP/s of multiply-adds, and GB/s read from memory and caches. */

import { SAMPLE, warmUp } from "./timing.js";

/** Rounds of multiply-adds in a sample, and bytes that another one reads. */
const MULTIPLY_ADDS = 100_000;
const SIZE = 64 * 2 ** 20;

/** What a read goes on in steps of, in bytes. */
const STEP = 128;

async function module() {
  const bytes = await (await fetch("/target/wasm32-unknown-unknown/release/limits.wasm")).arrayBuffer();
  const { instance } = await WebAssembly.instantiate(bytes);
  return /** @type {any} */ (instance.exports);
}

/**
 * Of the memory, for what is too long for every cache.
 * @param {number} rounds
 * @returns {Promise<{ gflops: number[], gigabytes: number[] }>}
 */
export async function limits(rounds) {
  const { multiply_adds, multiply_adds_a_round, buffer, read } = await module();
  const place = buffer(SIZE);
  /** @type {{ gflops: number[], gigabytes: number[] }} */
  const found = { gflops: [], gigabytes: [] };
  await warmUp(() => multiply_adds(1000, -0), rounds);
  await warmUp(() => read(place, SIZE), rounds);
  for (let round = 0; round < rounds; round += 1) {
    let begin = performance.now();
    multiply_adds(MULTIPLY_ADDS, -0);
    found.gflops.push((2 * multiply_adds_a_round() * MULTIPLY_ADDS) / (performance.now() - begin) / 1e6);
    begin = performance.now();
    read(place, SIZE);
    found.gigabytes.push(SIZE / (performance.now() - begin) / 1e6);
  }
  return found;
}

/**
 * GB/s by size and round, where so many bytes are read again and again: what the caches hold of them comes from there.
 * @param {number[]} sizes in bytes
 * @param {number} rounds
 * @returns {Promise<number[][]>}
 */
export async function readings(sizes, rounds) {
  const { buffer, read } = await module();
  const whole = sizes.map((size) => Math.ceil(size / STEP) * STEP);
  const place = buffer(Math.max(...whole));
  await warmUp(() => read(place, whole[0]), rounds);
  const found = sizes.map(() => /** @type {number[]} */ ([]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, size] of whole.entries()) {
      read(place, size);
      const begin = performance.now();
      let took = 0;
      let bytes = 0;
      while (took < SAMPLE) {
        read(place, size);
        bytes += size;
        took = performance.now() - begin;
      }
      found[index].push(bytes / took / 1e6);
    }
  }
  return found;
}
