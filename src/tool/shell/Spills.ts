import { randomBytes } from "node:crypto"
import { mkdtempSync, realpathSync } from "node:fs"
import { rm } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { isInside } from "../../platform/FilePath.ts"

/** Names files for large outputs, in private folders outside the given roots. The folders go when the scope closes. */
export const make = Effect.gen(function*() {
  const folders = new Map<string, string>()
  yield* Effect.addFinalizer(() =>
    Effect.forEach(
      folders.values(),
      (folder) => Effect.ignore(Effect.tryPromise(() => rm(folder, { recursive: true, force: true })))
    )
  )
  return (roots: ReadonlyArray<string>): string | undefined => {
    for (const candidate of [tmpdir(), "/var/tmp", homedir()]) {
      try {
        const parent = realpathSync(candidate)
        if (roots.some((root) => isInside(root, parent))) continue
        const folder = folders.get(parent) ?? mkdtempSync(join(parent, ".postern-output-"))
        folders.set(parent, folder)
        return join(folder, `${randomBytes(8).toString("hex")}.log`)
      } catch {
        continue
      }
    }
    return undefined
  }
})
