import { existsSync } from "node:fs"
import { realpath, stat } from "node:fs/promises"
import { isAbsolute, join } from "node:path"
import { Effect, Schema } from "effect"
import type { RiskProfile } from "../../config/Profiles.ts"
import type { AgentSettings } from "../../config/Snapshot.ts"
import { limitsOf } from "../../policy/decision/Limits.ts"
import { makeFolder } from "../../platform/MakeFolder.ts"
import * as Workspace from "../../workspace/Workspace.ts"
import { AgentUnresolved } from "./Agents.ts"

/** A folder a session was asked to use and cannot. */
export class DirectoryRefused extends Schema.TaggedError<DirectoryRefused>()("DirectoryRefused", {
  message: Schema.String,
  field: Schema.String,
  reason: Schema.Literals(["invalid_params", "cwd_unusable", "cwd_mismatch", "directory_unusable", "forbidden"])
}) {}

export const absolute = (field: string, path: string) =>
  isAbsolute(path) ? Effect.void : new DirectoryRefused({
    field,
    reason: "invalid_params",
    message: `${field}: ${JSON.stringify(path)} is not an absolute path`
  })

/** The agent's own folder. Only a session that is to work in it needs it. */
const ownFolder = ({ alias, workspace }: AgentSettings, isNeeded: boolean) =>
  Effect.try(() => makeFolder(workspace)).pipe(
    Effect.as([workspace]),
    Effect.tapError((cause) => Effect.logWarning(`the folder of agent "${alias}" cannot be made: ${workspace}`, cause)),
    Effect.catch(() =>
      isNeeded
        ? new AgentUnresolved({
          reason: "agent_unusable",
          message: `the folder of agent "${alias}" cannot be made; the log says why`
        })
        : Effect.succeed([])
    )
  )

interface FolderRequest {
  readonly cwd: string | undefined
  readonly additional: ReadonlyArray<string>
  readonly profile: RiskProfile | undefined
  /** Whose `shared/skills` every agent may read. See docs/sessions.md#skills. */
  readonly configDir: string
  /** Why the client may not use a folder, by its path. */
  readonly forbids?: ((folder: string) => string | undefined) | undefined
}

const allowed = (field: string, path: string, { forbids }: FolderRequest) => {
  const reason = forbids?.(path)
  return reason === undefined
    ? Effect.void
    : new DirectoryRefused({ field, reason: "forbidden", message: `${field}: ${reason}` })
}

/**
 * Absent `cwd` means the agent's own folder. Every further root must exist; none is dropped silently. See
 * docs/sessions.md#folders.
 */
export const open = Effect.fnUntraced(function*(agent: AgentSettings, opening: FolderRequest) {
  const { additional, configDir, cwd, profile } = opening
  if (cwd !== undefined) yield* Effect.andThen(absolute("cwd", cwd), allowed("cwd", cwd, opening))
  yield* Effect.forEach(additional, (path, index) => absolute(`additionalDirectories.${index}`, path), {
    discard: true
  })
  const own = yield* ownFolder(agent, cwd === undefined)
  const shared = join(configDir, "shared", "skills")
  const readable = existsSync(shared) ? [...own, shared] : own
  const skills = [join(agent.workspace, "skills"), shared]
  const { allowedRoots, workspaceOnly: confined } = limitsOf(profile)
  const workspace = yield* Workspace.make({
    cwd: cwd ?? agent.workspace,
    roots: additional,
    readable,
    skills,
    allowed: allowedRoots,
    confined
  })
    .pipe(
      Effect.mapError(({ path, reason }) => {
        const index = additional.indexOf(path)
        return path !== cwd && index >= 0
          ? new DirectoryRefused({
            field: `additionalDirectories.${index}`,
            reason: "directory_unusable",
            message: `additionalDirectories.${index}: ${path}: ${reason}`
          })
          : new DirectoryRefused({ field: "cwd", reason: "cwd_unusable", message: `cwd: ${path}: ${reason}` })
      })
    )
  // Where the links lead that were followed just now.
  yield* Effect.forEach(
    workspace.roots,
    (root, index) => allowed(index === 0 ? "cwd" : `additionalDirectories.${index - 1}`, root, opening),
    { discard: true }
  )
  return workspace
})

/** A path as sessions store it; one that does not exist stays as it is. */
export const canonical = (path: string) => Effect.promise(() => realpath(path).catch(() => path))

/** No folder is there. One that cannot be looked at is not gone. */
export const isGone = (path: string) =>
  Effect.promise(() =>
    stat(path).then(
      (found) => !found.isDirectory(),
      (error: NodeJS.ErrnoException) => error.code === "ENOENT" || error.code === "ENOTDIR"
    )
  )

/**
 * The folder a session is opened in. It keeps the one it has while that is there; when it was moved, the one that is
 * asked for takes its place.
 */
export const folderOf = Effect.fnUntraced(function*(stored: string, asked: string | undefined) {
  if (asked !== undefined) yield* absolute("cwd", asked)
  const same = asked === undefined || (yield* canonical(asked)) === stored
  const gone = yield* isGone(stored)
  if (same) {
    return gone
      ? yield* new DirectoryRefused({
        field: "cwd",
        reason: "cwd_unusable",
        message:
          `cwd: ${stored}: the folder of this session does not exist; if it was moved, load the session with the ` +
          "new folder as cwd (postern client --resume ID --cwd DIR)"
      })
      : stored
  }
  return gone ? asked : yield* new DirectoryRefused({
    field: "cwd",
    reason: "cwd_mismatch",
    message: `cwd: this session belongs to ${stored}; load it with that folder, or open a new session`
  })
})
