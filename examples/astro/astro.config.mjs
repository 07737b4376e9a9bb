import { defineConfig } from "astro/config";

export default defineConfig({
  vite: {
    // Astro 5 has Vite 6: both are what Vite needs before version 8.
    optimizeDeps: { exclude: ["generation-loop"] },
    worker: { format: "es" },
  },
});
