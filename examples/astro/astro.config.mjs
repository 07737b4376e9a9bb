import { defineConfig } from "astro/config";

export default defineConfig({
  vite: {
    // Astro 5 has Vite 6, whose dev server loses the addresses of files beside a package.
    optimizeDeps: { exclude: ["generation-loop"] },
  },
});
