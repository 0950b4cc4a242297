import { chmodSync } from "node:fs"
import { join } from "node:path"
import { defineConfig, type Plugin, type RolldownOptions } from "rolldown"

/**
 * Two bundles, so that `postern acp` loads nothing of the command line. CommonJS, because it starts about 7 ms faster than ES
 * modules: no module loader to set up, and built-in modules are loaded only as far as they are used.
 */
const bundle = (name: string, input: string, plugins: RolldownOptions["plugins"] = []): RolldownOptions => ({
  input: { [name]: input },
  platform: "node",
  plugins,
  // CommonJS has none, and `effect` asks for it only to see what Vite put there.
  transform: { define: { "import.meta.env": "undefined" } },
  output: {
    dir: "dist",
    format: "cjs",
    minify: true,
    entryFileNames: "[name].js",
    chunkFileNames: `${name}-[name]-[hash].js`
  }
})

/** The command line stays a bundle of its own; what is in `dist` is CommonJS, and `main.js` can be run as it is. */
const commandLineApart: Plugin = {
  name: "command-line-apart",
  resolveId: (id) => id.endsWith("/cli/Main.ts") ? { id: "./cli.js", external: true } : null,
  generateBundle() {
    this.emitFile({ type: "asset", fileName: "package.json", source: "{ \"type\": \"commonjs\" }\n" })
  },
  writeBundle: ({ dir }, files) => {
    if (dir !== undefined && "main.js" in files) chmodSync(join(dir, "main.js"), 0o755)
  }
}

export default defineConfig([
  bundle("main", "src/main.ts", [commandLineApart]),
  bundle("cli", "src/cli/Main.ts")
])
