import { Context, Effect, Schema } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import type { AgentSettings } from "../../config/Snapshot.ts"
import type { McpServerConfig } from "../../domain/McpServerConfig.ts"
import { resolve } from "../../domain/PolicySettings.ts"
import type { ToolDeclaration } from "../../model/ToolSchemas.ts"
import type { Decision } from "../../policy/decision/Decision.ts"
import type { Permitted } from "../../policy/decision/ToolGrants.ts"
import { none, type SessionTools } from "../../tool/SessionTools.ts"
import type { AnyTool } from "../../tool/Tool.ts"
import type { PathRefused } from "../../workspace/Workspace.ts"
import * as Agents from "../lifecycle/Agents.ts"
import * as EmergencyStop from "../../security/EmergencyStop.ts"
import * as Folders from "../lifecycle/Folders.ts"
import type { SessionContext } from "../SessionContext.ts"
import { basisOf, projectSettings, type SessionPolicy } from "./SessionPolicy.ts"

/** A rule that cannot be read or changed, or rules that cannot be loaded: the message names the place. */
export class RuleRefused extends Schema.TaggedError<RuleRefused>()("RuleRefused", {
  message: Schema.String,
  /** The field of the request that is wrong. */
  field: Schema.Literals(["rule", "layer", "id"])
}) {}

type RuleList = "deny" | "ask" | "allow"

export interface RuleView {
  readonly id: string
  readonly list: RuleList
  readonly rule: string
  readonly layer: string
  readonly reason?: string
  /** Present where the rule does not cover dangerous calls. */
  readonly guard?: true
  /** Absent where the rule counts. */
  readonly counts?: false
}

interface RuleAddition {
  readonly list: RuleList
  readonly rule: string
  readonly layer: "managed" | "user" | "project" | "session"
  readonly reason?: string | undefined
}

/** A session, as far as its policy is concerned. */
export type PolicySubject = Pick<SessionContext, "policy" | "tools" | "workspace">

/** What decides which tools a model is told of, in a session or in one that could be opened. */
export interface ToolAudience {
  readonly policy: Pick<SessionPolicy, "settings" | "permitted" | "source" | "stop">
  readonly tools: SessionTools
}

/** A session that the agent would have in its own folder, with `own` besides the built-in tools; nothing of it is opened. */
export const unopened = Effect.fnUntraced(
  function*(agent: AgentSettings, permitted: Permitted | undefined, own: ReadonlyMap<string, AnyTool>) {
    const { configDir } = yield* Settings
    const configured = Agents.follow(yield* LiveSettings, agent)()
    const { level, user } = basisOf(configured)
    const profile = configured.risk
    const workspace = yield* Folders.open(agent, { cwd: undefined, additional: [], configDir, profile })
    const resolved = resolve(level, { session: {}, project: yield* projectSettings(workspace), user })
    const source = {
      workspace,
      riskProfile: agent.riskProfile,
      profile,
      userRules: resolved.values.user_rules,
      session: []
    }
    return {
      policy: {
        settings: () => resolved,
        permitted: Effect.succeed(permitted),
        source: Effect.succeed(source),
        stop: EmergencyStop.make(configDir)
      },
      tools: { ...none, current: () => own }
    } satisfies ToolAudience
  }
)

/** Answers questions about the policy of a live session, and changes its rules. See docs/agent-client-protocol.md#rules */
export class PolicyService extends Context.Service<PolicyService, {
  readonly rules: (session: PolicySubject) => Effect.Effect<ReadonlyArray<RuleView>, RuleRefused>
  /** Adds a rule to the session's own layer, or to the user's or the project's file. Returns its id. */
  readonly add: (session: PolicySubject, rule: RuleAddition) => Effect.Effect<string, RuleRefused>
  /** Returns whether it was there; the operator's rules stay. */
  readonly remove: (session: PolicySubject, id: string) => Effect.Effect<boolean, RuleRefused>
  /** Tells the session which Sandbox modes this machine cannot enforce; in most cases none. */
  readonly look: (session: PolicySubject) => Effect.Effect<void>
  /** What the gates would say of a call, without asking anybody. */
  readonly test: (session: PolicySubject, tool: string, parameters: unknown) => Effect.Effect<Decision, RuleRefused>
  /** The canonical path of a file that `file_read` would read in the session now, unasked; anything else is refused. */
  readonly readable: (session: PolicySubject, path: string) => Effect.Effect<string, PathRefused | RuleRefused>
  /** Those of the names that are no tool: neither of this process nor of one of these servers, running or not. */
  readonly unknownTools: (
    names: ReadonlyArray<string>,
    servers: ReadonlyArray<McpServerConfig>
  ) => Effect.Effect<ReadonlyArray<string>>
  /** The tools that a model is told of, with their schemas and in that order. */
  readonly offered: (session: ToolAudience) => Effect.Effect<ReadonlyArray<ToolDeclaration>, RuleRefused>
}>()("postern/session/PolicyService") {}
