import { relative } from "node:path"
import { Effect } from "effect"
import { type Intent, type Workspace } from "../../workspace/Workspace.ts"
import { isInside } from "../../platform/FilePath.ts"
import { quoted } from "../../platform/QuotedName.ts"
import { fail, type ToolContext, type ToolFailed } from "../Tool.ts"

/** The canonical path of a tool's `path` argument, or the refusal in words. It is the one that the preview named. */
export const resolve = (path: string, intent: Intent, context: ToolContext): Effect.Effect<string, ToolFailed> =>
  context.workspace.resolve(path, intent).pipe(
    Effect.mapError((refused) => fail(refused.message)),
    Effect.filterOrFail(
      (canonical) => wasShown(canonical, intent, context),
      () => fail(`${path} is another file now than the one that was shown.`)
    )
  )

/** A preview that names no place is enough to read, never to write. */
const wasShown = (path: string, intent: Intent, { preview }: ToolContext): boolean => {
  if (preview === undefined) return true
  const seen = preview.locations?.[0]?.path
  return seen === path || (seen === undefined && intent === "read")
}

/** For previews, which show less instead of failing. */
export const locate = (path: string, intent: Intent, context: ToolContext): Effect.Effect<string | undefined> =>
  Effect.orElseSucceed(context.workspace.resolve(path, intent), () => undefined)

/**
 * Relative to the session's folder where it lies inside, as people and models name it; in quotes where it could be
 * taken for something else.
 */
export const shown = (path: string, workspace: Workspace): string =>
  quoted(isInside(workspace.cwd, path) ? relative(workspace.cwd, path) || "." : path)

/** The folder of the session that holds all its others around the path. */
export const outermost = (path: string, { allowed, roots }: Workspace): string | undefined =>
  [...roots, ...allowed].filter((root) => isInside(root, path)).sort((a, b) => a.length - b.length)[0]
