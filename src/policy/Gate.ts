import { Context, Effect, Layer } from "effect"
import type { AnyTool } from "../tool/Tool.ts"

export type Decision =
  | { readonly _tag: "Run" }
  /** `subject` is what an "always" answer will cover; `covers` says it in words. */
  | { readonly _tag: "Ask"; readonly subject: string; readonly covers: string }
  | { readonly _tag: "Deny"; readonly reason: string }

/** Decides one tool call before it touches anything (spec §5). */
export class Gate extends Context.Service<Gate, {
  readonly decide: (tool: AnyTool, parameters: unknown) => Effect.Effect<Decision>
}>()("postern/policy/Gate") {
  /** Reads run, everything else asks; "always" covers one tool, and for a shell one exact command. */
  static readonly layerReadsRun = Layer.succeed(Gate, {
    decide: (tool, parameters) =>
      Effect.succeed(
        tool.capability === "none" || tool.capability === "ro"
          ? { _tag: "Run" }
          : { _tag: "Ask", ...subjectOf(tool, parameters) }
      )
  })
}

const subjectOf = (tool: AnyTool, parameters: unknown) => {
  const command = (parameters as { readonly command?: unknown }).command
  return tool.capability === "shell_rw" && typeof command === "string"
    ? { subject: `${tool.name}:${command}`, covers: "this exact command" }
    : { subject: tool.name, covers: tool.name }
}
