import { Context, type Effect } from "effect"
import type { Workspace } from "../../workspace/Workspace.ts"
import type { RuleSource } from "../../policy/rules/RuleSource.ts"
import type { List } from "../../policy/rules/Rule.ts"
import type { Entry } from "../../policy/rules/RuleSet.ts"
import type { RulesInvalid } from "../../policy/rules/RulesFile.ts"

export type FileLayer = "user" | "project"

export interface Listed extends Entry {
  /** Whether it has a say: allow rules of an untrusted folder have none, nor layers that `user_rules` leaves out. */
  readonly counts: boolean
}

export interface Changed {
  readonly entry: Entry
  readonly file: string
  /** The file already said so. */
  readonly unchanged?: true
}

export interface NewRule {
  readonly list: List
  readonly rule: string
  readonly layer: FileLayer
  readonly reason?: string | undefined
}

/** The rules in the user's and the project's files (policy §2.6), and changes that leave the rest of a file as it is. */
export class RuleFiles extends Context.Service<RuleFiles, {
  readonly list: (source: Omit<RuleSource, "session">) => Effect.Effect<ReadonlyArray<Listed>, RulesInvalid>
  readonly add: (workspace: Workspace, rule: NewRule) => Effect.Effect<Changed, { readonly message: string }>
  /** Of the whole id. */
  readonly remove: (workspace: Workspace, entry: Entry) => Effect.Effect<Changed, { readonly message: string }>
  /** Whether allow rules in the project's file count. */
  readonly isTrusted: (workspace: Workspace) => Effect.Effect<boolean>
}>()("postern/policy/RuleFiles") {}
