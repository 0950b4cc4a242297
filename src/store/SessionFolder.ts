import { rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"

/** The folder beside the database that has a session's own files; ids of sessions may be any text. */
export const folderOf = (sessionsDir: string, sessionId: string): string =>
  join(
    sessionsDir,
    "files",
    process.getBuiltinModule("node:crypto").createHash("sha256").update(sessionId).digest("hex")
  )

/** Together with the session's row. */
export const removeFolder = (sessionsDir: string, sessionId: string) =>
  Effect.promise(() => rm(folderOf(sessionsDir, sessionId), { recursive: true, force: true }).catch(() => {}))
