import { createHash } from "node:crypto"
import { lstat, readdir } from "node:fs/promises"
import { basename, join } from "node:path"
import { Effect } from "effect"
import type { EnvironmentVariables } from "../platform/Environment.ts"
import type { McpServerConfig } from "../domain/McpServerConfig.ts"

/**
 * Where package runners keep what they fetch for a server (`npx`, `uvx` and the like): a folder of each declaration's
 * own, so that no server reaches what the user's own programs are run from. See docs/mcp.md#package-runners
 */

/** The name of its folder; a declaration that says something else has another one. */
export const nameOf = ({ name, transport }: McpServerConfig): string =>
  createHash("sha256").update(JSON.stringify([name, transport])).digest("hex").slice(0, 32)

/** What sends the runners' caches there. `words` are the command and its arguments. */
export const variables = (folder: string, words: ReadonlyArray<string>): Readonly<Record<string, string>> => ({
  npm_config_cache: join(folder, "npm"),
  YARN_CACHE_FOLDER: join(folder, "yarn"),
  YARN_GLOBAL_FOLDER: join(folder, "yarn-global"),
  COREPACK_HOME: join(folder, "corepack"),
  BUN_INSTALL_CACHE_DIR: join(folder, "bun"),
  DENO_DIR: join(folder, "deno"),
  UV_CACHE_DIR: join(folder, "uv"),
  UV_TOOL_DIR: join(folder, "uv-tools"),
  UV_PYTHON_INSTALL_DIR: join(folder, "uv-python"),
  PIPX_HOME: join(folder, "pipx"),
  PIP_CACHE_DIR: join(folder, "pip"),
  GOCACHE: join(folder, "go"),
  GOMODCACHE: join(folder, "go-modules"),
  // npm complains about these.
  ...(words.some((word) => /^(pnpm|pnpx|pnx)$/.test(basename(word)))
    ? Object.fromEntries(
      ["npm", "pnpm"].flatMap((program) =>
        ["cache", "store", "state"].map((kind) => [`${program}_config_${kind}_dir`, join(folder, `pnpm-${kind}`)])
      )
    )
    : {})
})

/** Which certificate authorities downloads trust: paths of public certificates, which a proxy of a company needs. */
export const authorities = (variables: EnvironmentVariables): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [
      "NODE_EXTRA_CA_CERTS",
      "SSL_CERT_FILE",
      "SSL_CERT_DIR",
      "REQUESTS_CA_BUNDLE",
      "CURL_CA_BUNDLE",
      "PIP_CERT",
      "DENO_CERT",
      "npm_config_cafile"
    ].flatMap((name) => variables[name]?.startsWith("/") === true ? [[name, variables[name]]] : [])
  )

/** Files and folders that are looked at; more than a first start has fetched when it is still at its beginning. */
const maxEntries = 100_000

/** Bytes and entries in the folder; what vanishes meanwhile does not count. */
export const size = (folder: string): Effect.Effect<number> =>
  Effect.promise(async () => {
    const waiting = [folder]
    let [bytes, entries] = [0, 0]
    for (let at = waiting.pop(); at !== undefined && entries < maxEntries; at = waiting.pop()) {
      for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
        const path = join(at, entry.name)
        entries++
        if (entry.isDirectory()) waiting.push(path)
        else bytes += await lstat(path).then((stats) => stats.size, () => 0)
      }
    }
    return bytes + entries
  })
