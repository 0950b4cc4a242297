import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

export const make = (): string => realpathSync(mkdtempSync(join(tmpdir(), "postern-test-")))
export const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })

/** A canonical temporary folder that goes with the scope. */
export const temporaryFolder = Effect.acquireRelease(Effect.sync(make), (folder) => Effect.sync(() => remove(folder)))

/** A folder inside a temporary one, so that there is room beside it. */
export const temporaryHome = Effect.map(temporaryFolder, (folder) => {
  const home = join(folder, "home")
  mkdirSync(home)
  return home
})
