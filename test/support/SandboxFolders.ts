import { execFileSync } from "node:child_process"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"

export const isRoot = process.geteuid?.() === 0

/** A home folder with Postern's own places, a workspace beside it, and room for more. */
export interface SandboxFolders {
  readonly base: string
  readonly home: string
  readonly work: string
  readonly own: { readonly configDir: string; readonly dataDir: string }
}

/** Writes a file and makes the folders around it; gives its path. */
export const write = (path: string, text = "", mode = 0o644): string => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text, { mode })
  return path
}

/** A canonical folder that goes with the scope, not below a temporary one: those are replaced inside a sandbox. */
export const folderBase = (name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => realpathSync(mkdtempSync(join(isRoot ? "/srv" : homedir(), `postern-${name}-`)))),
    (base) =>
      Effect.sync(() => {
        // A test may have closed some of it.
        execFileSync("chmod", ["-R", "u+rwX", base])
        rmSync(base, { recursive: true, force: true })
      })
  )

export const sandboxFolders = (name: string) =>
  Effect.map(folderBase(name), (base): SandboxFolders => {
    const [home, work] = [join(base, "home"), join(base, "work")]
    const own = { configDir: join(home, ".postern"), dataDir: join(home, ".postern", "data") }
    mkdirSync(own.dataDir, { recursive: true })
    mkdirSync(work)
    execFileSync("chmod", ["755", base])
    return { base, home, work, own }
  })
