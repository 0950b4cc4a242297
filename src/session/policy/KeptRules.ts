import { Effect, Result } from "effect"
import { RuleFiles } from "./RuleFiles.ts"
import type { Entry } from "../../policy/rules/RuleSet.ts"
import type { PermissionRequest, Scope } from "../lifecycle/Attachment.ts"
import type { TurnInput } from "../turn/TurnLoop.ts"

/** Where the rules of an "always" answer go (policy §2.6): in either place they are listed and can be removed. */
export const make = Effect.gen(function*() {
  const files = yield* RuleFiles

  /** The workspace is offered where a rule in its file would count. */
  const scopes = Effect.fnUntraced(
    function*({ policy, workspace }: TurnInput): Effect.fn.Return<PermissionRequest["scopes"]> {
      if (policy.knobs().values.user_rules !== "user+project") return { allow: session, deny: session }
      return { allow: (yield* files.isTrusted(workspace)) ? both : session, deny: both }
    }
  )

  /** What cannot be kept in the workspace holds in the session, and people are told. */
  const keep = Effect.fnUntraced(
    function*(entries: ReadonlyArray<Entry>, scope: Scope, { notify, policy, workspace }: TurnInput) {
      for (const { id, list, rule: { text: rule } } of entries) {
        const kept = scope === "workspace"
          ? yield* Effect.result(files.add(workspace, { layer: "project", list, rule }))
          : undefined
        if (kept !== undefined && Result.isSuccess(kept)) continue
        yield* policy.addRule({ id, list, rule, reason: null })
        if (kept) {
          yield* notify({
            severity: "warning",
            title: `${list} ${rule} holds in this session only`,
            description: kept.failure.message
          })
        }
      }
    }
  )

  return { scopes, keep }
})

const session: ReadonlyArray<Scope> = ["session"]
const both: ReadonlyArray<Scope> = ["session", "workspace"]
