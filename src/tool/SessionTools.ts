import { Context, Effect, type Scope } from "effect"
import type { McpServerConfig } from "../domain/McpServerConfig.ts"
import type { ResolvedSettings } from "../domain/PolicySettings.ts"
import type { EmergencyStop } from "../security/EmergencyStop.ts"
import type { OperatorLimits } from "../policy/decision/Limits.ts"
import type { UserNotice } from "../domain/SessionEvent.ts"
import type { RuleSource } from "../policy/rules/source/RuleSource.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { AnyTool } from "./Tool.ts"

/** The tools that one session has on top of the built-in ones. */
export interface SessionTools {
  /** By name; the same map while they are the same. */
  readonly current: () => ReadonlyMap<string, AnyTool>
  /** Before a turn: follows the configuration, waits a little for what is being started, and gives what people have not been told yet. */
  readonly begin: Effect.Effect<ReadonlyArray<UserNotice>>
  /** For a call to a tool that is not there: waits for where it may come from, and gives why that does not have it. */
  readonly sought: (name: string) => Effect.Effect<string | undefined>
  /** Ends what the session's policy does not permit any more. */
  readonly policyChanged: Effect.Effect<void>
}

const nothing: ReadonlyMap<string, AnyTool> = new Map()

export const none: SessionTools = {
  current: () => nothing,
  begin: Effect.succeed([]),
  sought: () => Effect.undefined,
  policyChanged: Effect.void
}

/** A session as its tools see it. */
export interface ToolHost {
  readonly workspace: Workspace
  readonly settings: () => ResolvedSettings
  readonly limits: Effect.Effect<OperatorLimits>
  readonly source: Effect.Effect<RuleSource>
  readonly stop: EmergencyStop
  /** As they are configured now, and those that its client brought. */
  readonly servers: () => ReadonlyArray<McpServerConfig>
}

/** Where a session's own tools come from. What they start goes on in the background and ends with the scope. */
export const ToolSource: Context.Reference<ToolSource> = Context.Reference<ToolSource>("postern/tool/ToolSource", {
  defaultValue: () => ({ open: () => Effect.succeed(none) })
})
export interface ToolSource {
  readonly open: (host: ToolHost) => Effect.Effect<SessionTools, never, Scope.Scope>
}
