import { Effect } from "effect"
import { readdir, realpath, stat } from "node:fs/promises"
import { isAbsolute, join, normalize } from "node:path"
import * as Errors from "../protocol/Errors.ts"
import type { Forbids } from "../access/FolderAccess.ts"

const byName = new Intl.Collator("en", { sensitivity: "base" })

const codeOf = (error: unknown) => (error as { readonly code?: string }).code

/** The entries of a folder, folders first; entries that vanish meanwhile are left out. A link into a forbidden folder is refused. */
export const list = Effect.fnUntraced(function*(path: string, hidden: boolean, forbids: Forbids) {
  if (!isAbsolute(path) || path.includes("\0") || path.split(/[/\\]/).includes("..")) {
    return yield* Errors.badPath(`path: ${JSON.stringify(path)} is not an absolute path without ".."`)
  }
  const checked = (folder: string) => {
    const reason = forbids(folder)
    return reason === undefined ? Effect.succeed(folder) : Effect.fail(Errors.pathDenied(`path: ${reason}`))
  }
  const attempt = <A>(run: () => Promise<A>) =>
    Effect.tryPromise({
      try: run,
      catch: (error) =>
        codeOf(error) === "EACCES"
          ? Errors.pathDenied(`${path} cannot be read`)
          : Errors.pathMissing(`${path} is not there or no folder`)
    })
  // Checked before the path is looked up: a forbidden path does not say whether it exists.
  yield* checked(normalize(path))
  const folder = yield* Effect.flatMap(attempt(() => realpath(path)), checked)
  const names = yield* attempt(() => readdir(folder))
  const entries = yield* Effect.promise(() =>
    Promise.all(
      names.filter((name) => hidden || !name.startsWith(".")).map(async (name) => {
        const full = join(path, name)
        const found = await stat(join(folder, name)).catch(() => undefined)
        return found && {
          name,
          full_path: full,
          is_dir: found.isDirectory(),
          is_hidden: name.startsWith("."),
          size: found.size,
          mtime: Math.floor(found.mtimeMs / 1000)
        }
      })
    )
  )
  const there = entries.filter((entry) => entry !== undefined)
  return {
    entries: there.sort((a, b) => Number(b.is_dir) - Number(a.is_dir) || byName.compare(a.name, b.name)),
    cwd: path
  }
})
