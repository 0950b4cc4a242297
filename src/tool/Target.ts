import { relative } from "node:path"
import { Effect, Schema } from "effect"
import { isInside, type Intent, type Workspace } from "../workspace/Workspace.ts"
import { type ToolContext, ToolFailed } from "./Tool.ts"

export const fail = (message: string) => new ToolFailed({ message })

/** The canonical path of a tool's `path` argument, or the refusal in words. */
export const resolve = (path: string, intent: Intent, context: ToolContext): Effect.Effect<string, ToolFailed> =>
  Effect.mapError(context.workspace.resolve(path, intent), (refused) => fail(refused.message))

/** For previews, which show less instead of failing. */
export const locate = (path: string, intent: Intent, context: ToolContext): Effect.Effect<string | undefined> =>
  Effect.orElseSucceed(context.workspace.resolve(path, intent), () => undefined)

/** Relative to the session's folder where it lies inside, as people and models name it. */
export const shown = (path: string, workspace: Workspace): string =>
  isInside(workspace.cwd, path) ? relative(workspace.cwd, path) || "." : path

/** An optional parameter; models send `null` for "not given". */
export const optional = <S extends Schema.Constraint>(schema: S, description: string) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ description }))

/** One line of at most `limit` characters. */
export const firstLine = (text: string, limit: number): string => {
  const line = text.trimStart().split(/\r?\n/, 1)[0] ?? ""
  return line.length > limit || line.length < text.trim().length ? `${line.slice(0, limit - 1).trimEnd()}…` : line
}
