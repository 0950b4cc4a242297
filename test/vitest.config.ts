import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    environment: "node",
    include: ["test/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 3,
    // Each file loads much of the sources, which costs more than most tests: files that run in one worker share them.
    isolate: false
  }
})
