import type { GitFolders } from "./GitConfig.ts"
import type { find } from "./ProtectedPaths.ts"

/** What is protected in the folders of a session, as one look has found it. */
export interface Protection {
  /** The folders that it is about. */
  readonly roots: ReadonlyArray<string>
  /** Repositories outside of them that a commit in one of them writes to. */
  readonly around: ReadonlyArray<GitFolders>
  readonly found: ReturnType<typeof find>
}
