/**
 * Chips, with what bounds a pass on each: how fast they can multiply, and how fast they can read. A figure is either the
 * vendor's own or computed from the vendor's own, and `how` says which. All of them are peaks: no program reaches them.
 */

/**
 * @typedef {object} Chip
 * @property {string} id
 * @property {string} name
 * @property {number} flops floating-point operations a second, at most
 * @property {number} bandwidth bytes a second between memory and chip, at most
 * @property {number} memory bytes
 * @property {string} source address of the vendor's page
 * @property {string} how where each figure is from: a specification or an estimate
 */

/** @type {readonly Readonly<Chip>[]} */
export const CHIPS = Object.freeze([
  {
    id: "snapdragon-8-gen-3",
    name: "Phone: Snapdragon 8 Gen 3, CPU",
    flops: (3.3 * 32 + (3 * 3.2 + 2 * 3.0) * 16) * 1e9,
    bandwidth: 4800e6 * 2 * 8,
    memory: 12e9,
    source:
      "https://www.qualcomm.com/products/mobile/snapdragon/smartphones/snapdragon-8-series-mobile-platforms/snapdragon-8-gen-3-mobile-platform",
    how:
      "Estimated from the specification. Arithmetic: one core at 3.3 GHz × 32 FLOPs a cycle, three at 3.2 GHz and two at " +
      "3.0 GHz × 16 (four and two 128-bit multiply-add units, float32), without the two small cores. Memory: LPDDR5X at " +
      "4,800 MHz, two transfers a cycle, 64 bits wide. 12 GB, as many phones have that it is in.",
  },
  {
    id: "ryzen-7-7840u",
    name: "Laptop: AMD Ryzen 7 7840U, CPU",
    flops: 8 * 3.3e9 * 32,
    bandwidth: 7500e6 * 16,
    memory: 16e9,
    source: "https://www.amd.com/en/products/processors/laptop/ryzen/7000-series/amd-ryzen-7-7840u.html",
    how:
      "Estimated from the specification. Arithmetic: 8 cores × 3.3 GHz, the base clock, × 32 FLOPs a cycle (two 256-bit " +
      "multiply-add units, float32). Memory: LPDDR5x-7500, 128 bits wide. 16 GB, as many laptops have that it is in.",
  },
  {
    id: "a100-40gb",
    name: "NVIDIA A100 40 GB",
    flops: 312e12,
    bandwidth: 1555e9,
    memory: 40e9,
    source:
      "https://images.nvidia.com/aem-dam/en-zz/Solutions/data-center/nvidia-ampere-architecture-whitepaper.pdf",
    how: "Specification: 312 TFLOP/s in bfloat16, dense; 1,555 GB/s; 40 GB.",
  },
  {
    id: "a100-80gb",
    name: "NVIDIA A100 80 GB SXM",
    flops: 312e12,
    bandwidth: 2039e9,
    memory: 80e9,
    source:
      "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf",
    how: "Specification: 312 TFLOP/s in bfloat16, dense; 2,039 GB/s; 80 GB.",
  },
  {
    id: "h100-sxm",
    name: "NVIDIA H100 SXM",
    flops: 989.4e12,
    bandwidth: 3.35e12,
    memory: 80e9,
    source: "https://www.nvidia.com/en-us/data-center/h100/",
    how:
      "Specification: 989.4 TFLOP/s in bfloat16, dense (the product page says 1,979 with sparsity, which is twice that); " +
      "3.35 TB/s; 80 GB.",
  },
]);

/**
 * FLOPs that a chip can do in the time in which it reads a byte. A pass that does fewer waits for memory.
 * @param {Pick<Chip, "flops" | "bandwidth">} chip
 */
export function ridgeOf({ flops, bandwidth }) {
  return flops / bandwidth;
}
