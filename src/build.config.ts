import { defineConfig } from "rolldown"

export default defineConfig({
  input: "src/main.ts",
  platform: "node",
  output: { dir: "dist", format: "esm", minify: true, cleanDir: true, chunkFileNames: "[name]-[hash].js" }
})
