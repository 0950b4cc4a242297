import { join } from "node:path"
import { makeFolder } from "../platform/MakeFolder.ts"
import { folderOf } from "../store/SessionFolder.ts"
import type { ResolvedSettings } from "../domain/PolicySettings.ts"

/** Where the attachments of a session are: what is uploaded to it, and what it delivers. See docs/sessions.md#attachments */
export interface SessionFiles {
  /** The folder that new ones go to: the working folder, unless the policy lets nothing be written there. Made when it is asked for. */
  readonly folder: () => string
  /** Where they may be. */
  readonly folders: ReadonlyArray<string>
  /** Tools may read what is stored now. */
  readonly isReadable: () => boolean
}

/** Nothing is written in the workspace of a session whose level or sandbox only reads. */
export const writesNothing = ({ level, values }: ResolvedSettings): boolean =>
  level === "readonly" || values.sandbox === "read-only" || values.sandbox === "workspace-read"

export const make = (
  cwd: string,
  dataDir: string,
  sessionId: string,
  settings: () => ResolvedSettings
): SessionFiles => {
  // Hashed when it is first needed.
  let own: string | undefined
  const ownFolder = () => own ??= folderOf(join(dataDir, "sessions"), sessionId)
  return {
    folder: () => {
      if (!writesNothing(settings())) return cwd
      makeFolder(ownFolder(), 0o700)
      return ownFolder()
    },
    get folders() {
      return [cwd, ownFolder()]
    },
    isReadable: () => !writesNothing(settings())
  }
}
