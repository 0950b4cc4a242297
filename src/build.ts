import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { build, type BuildOptions, type Plugin } from "rolldown"

/** `node src/build.ts`: bundles the sources into `dist` while processes run from there (docs/development.md#build). */

const dist = "dist"

/** Built in `dist` itself, so that a rename never crosses a file system. */
const scratchPrefix = ".next-"

/** Names what the build before the current one left, for the next build and for `npm pack`, which leaves it out. */
const keptList = ".npmignore"

/**
 * What has the same name in every build. Each loads only what precedes it here, so that is there when it is replaced.
 */
const entries = ["package.json", "bridge.js", "cli.js", "main.js"]

/**
 * Three bundles, so that `postern acp` and `postern bridge` load nothing of the command line, nor of each other. CommonJS, because it starts about 7 ms faster
 * than ES modules: no module loader to set up, and built-in modules are loaded only as far as they are used.
 */
const bundle = (dir: string, name: string, input: string, plugins: BuildOptions["plugins"] = []): BuildOptions => ({
  input: { [name]: input },
  platform: "node",
  plugins,
  // CommonJS has none, and `effect` asks for it only to see what Vite put there.
  transform: { define: { "import.meta.env": "undefined" } },
  output: {
    dir,
    format: "cjs",
    minify: true,
    entryFileNames: "[name].js",
    chunkFileNames: `${name}-[name]-[hash].js`
  }
})

/** The command line stays a bundle of its own; what is in `dist` is CommonJS, and `main.js` can be run as it is. */
const commandLineApart: Plugin = {
  name: "command-line-apart",
  resolveId: (id) =>
    id.endsWith("/cli/Main.ts")
      ? { id: "./cli.js", external: true }
      : id.endsWith("/bridge/Start.ts")
      ? { id: "./bridge.js", external: true }
      : null,
  generateBundle() {
    this.emitFile({ type: "asset", fileName: "package.json", source: "{ \"type\": \"commonjs\" }\n" })
  },
  writeBundle: ({ dir }, files) => {
    if (dir !== undefined && "main.js" in files) chmodSync(join(dir, "main.js"), 0o755)
  }
}

const bridgeApart: Plugin = {
  name: "bridge-apart",
  resolveId: (id) => id.endsWith("/bridge/Start.ts") ? { id: "./bridge.js", external: true } : null
}

const isSame = (one: string, other: string): boolean =>
  existsSync(other) && readFileSync(one).equals(readFileSync(other))

/**
 * Chunks first: they are named after their content, so none takes the place of another. Then the entries, each in one
 * step.
 */
const swapIn = (built: string): void => {
  const files = readdirSync(built)
  if (files.every((name) => isSame(join(built, name), join(dist, name)))) return
  const list = join(dist, keptList)
  const kept = existsSync(list) ? readFileSync(list, "utf8").split("\n").filter((name) => name !== "") : []
  const replaced = readdirSync(dist).filter((name) =>
    !name.startsWith(".") && !kept.includes(name) && !files.includes(name)
  )
  for (const name of [...files.filter((name) => !entries.includes(name)), ...entries]) {
    renameSync(join(built, name), join(dist, name))
  }
  for (const name of kept) if (!files.includes(name)) rmSync(join(dist, name), { force: true })
  writeFileSync(list, replaced.map((name) => `${name}\n`).join(""))
}

mkdirSync(dist, { recursive: true })
for (const name of readdirSync(dist)) {
  if (name.startsWith(scratchPrefix)) rmSync(join(dist, name), { recursive: true, force: true })
}
const scratch = mkdtempSync(join(dist, scratchPrefix))
try {
  await build([
    bundle(scratch, "main", "src/main.ts", [commandLineApart]),
    bundle(scratch, "cli", "src/cli/Main.ts", [bridgeApart]),
    bundle(scratch, "bridge", "src/gateway/bridge/Start.ts")
  ])
  swapIn(scratch)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
