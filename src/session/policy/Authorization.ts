import { homedir } from "node:os"
import { Effect, Result } from "effect"
import { beginning } from "../../domain/Cut.ts"
import { ceiling } from "../../domain/PolicySettings.ts"
import type { ToolCallState } from "../../domain/SessionEvent.ts"
import { ruleName } from "../../domain/ToolName.ts"
import { absolutePath } from "../../policy/decision/Boundary.ts"
import type { Decision } from "../../policy/decision/Decision.ts"
import * as Escalation from "../../policy/decision/Escalation.ts"
import { details } from "../../policy/decision/Explanation.ts"
import type { Refusal } from "../../policy/decision/Origin.ts"
import { plainReason } from "../../policy/decision/PlainReason.ts"
import { complete } from "../../policy/decision/GateTrace.ts"
import type { RuleBook } from "../../policy/rules/source/RuleBooks.ts"
import type { RulesInvalid } from "../../policy/rules/source/RulesFile.ts"
import type { RuleEntry } from "../../policy/rules/RuleSet.ts"
import type { PathScope } from "../../sandbox/plan/PathScope.ts"
import type { Sandbox } from "../../sandbox/Sandbox.ts"
import * as CallConfinement from "../../tool/CallConfinement.ts"
import type { AnyTool } from "../../tool/Tool.ts"
import { pathIn } from "../../workspace/Workspace.ts"
import type { AlwaysScope, NoAnswer, PermissionAnswer, PermissionRequest } from "../lifecycle/Attachment.ts"
import type { SessionContext } from "../SessionContext.ts"
import type { TurnContext } from "../turn/TurnLoop.ts"
import type { TurnFailed } from "../turn/TurnEnd.ts"
import { Gate, GateInput, invalid } from "./Gate.ts"
import * as OneTimeCodes from "../../security/OneTimeCodes.ts"
import { RuleFiles } from "./RuleFiles.ts"

/** A decision and what it was made from. */
export interface Decided extends CallConfinement.ConfinementInput {
  readonly book: RuleBook
  readonly decision: Decision
}

/** The outcome for a call after the gates, and where they ask a person, that person's answer. */
export type Authorization =
  | { readonly _tag: "Run"; readonly decided: Decided }
  | { readonly _tag: "Refused" } & Refusal
  | { readonly _tag: "Replaced"; readonly text: string }

const refused = ({ code, gate, reason, rule, settings }: Refusal): Authorization => ({
  _tag: "Refused",
  gate,
  code,
  reason,
  ...(rule === undefined ? {} : { rule }),
  ...(settings === undefined ? {} : { settings })
})

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const notAllowed = (code: string, reason: string): Authorization => refused({ gate: "response", code, reason })

const unanswered = (failure: NoAnswer | TurnFailed): Effect.Effect<Authorization, TurnFailed> =>
  failure._tag === "TurnFailed" ? Effect.fail(failure) : Effect.succeed(notAllowed(failure.code, failure.why))

const denied = (gate: Decision["gate"], code: string, reason: string): Decision => ({
  ...invalid("BAD_ARGUMENTS", reason),
  gate,
  code,
  gates: complete([{ gate, verdict: "deny", reason }])
})

/** Calls that were decided at the same time as this one have used up what the operator allows. */
const notCounted = denied("boundary", "ACTION_LIMIT", "the limit of actions an hour is reached")

/** Rules that cannot be read deny every call: a broken file might have held a deny rule. */
const brokenRules = ({ message }: RulesInvalid): Decision => denied("rule", "RULES_INVALID", message)

const sessionScope: ReadonlyArray<AlwaysScope> = ["session"]
const bothScopes: ReadonlyArray<AlwaysScope> = ["session", "workspace"]

/**
 * What a file tool reaches while its call is previewed and run: the paths that a command in the same Sandbox mode would
 * reach. A command is held by its own process.
 */
export const pathScopeOf = (
  sandbox: Sandbox["Service"],
  tool: AnyTool,
  parameters: unknown,
  { policy, workspace }: Pick<SessionContext, "policy" | "workspace">
): PathScope => {
  const { capabilities } = tool.needs(parameters)
  const limits = policy.standingLimits()
  const scope = sandbox.reach({
    mode: ceiling(capabilities, policy.settings().values.sandbox),
    network: false,
    roots: CallConfinement.foldersOf(workspace),
    readable: workspace.readable,
    masks: limits.foreign,
    visible: limits.visiblePaths.map((path) =>
      absolutePath(path, { cwd: workspace.cwd, roots: workspace.roots, home: homedir() })
    )
  })
  if (capabilities.some((capability) => capability !== "rw_plan")) return scope
  // The plan is written where nothing else is: Work mode pl reads only.
  const plan = pathIn(workspace.cwd)
  return {
    hides: scope.hides,
    refusal: (path, intent) => path === plan ? undefined : scope.refusal(path, intent),
    protection: (path) => path === plan ? Effect.undefined : scope.protection(path)
  }
}

/** Authorizes tool calls: the gates decide, and where they say so, a person. See docs/policy.md#gates */
export const make = Effect.gen(function*() {
  const gate = yield* Gate
  const gateInput = yield* GateInput
  const files = yield* RuleFiles

  const decide = Effect.fnUntraced(function*(tool: AnyTool, parameters: unknown, { policy, workspace }: TurnContext) {
    const loaded = yield* gateInput.load(policy)
    const { limits, settings } = loaded.policy
    const decision = gate.decide(tool, parameters, workspace, loaded.policy)
    return {
      book: loaded.book,
      decision,
      settings,
      limits,
      rules: loaded.book.rules,
      workspace
    } satisfies Decided
  })

  /** Once the answer to a question is there; a refusal is recorded. See docs/policy.md#changes-while-a-question-is-open */
  const decideAgain = (tool: AnyTool, parameters: unknown, call: ToolCallState, turn: TurnContext) =>
    Effect.tap(decide(tool, parameters, turn), ({ decision }) =>
      decision.outcome === "deny"
        ? turn.audit(turn.policy.decided(call.toolCallId, tool.name, decision))
        : Effect.void)

  /**
   * Where the rules of an "always" answer may be kept; the workspace is offered where a rule in its file would count.
   */
  const scopes = Effect.fnUntraced(
    function*({ policy, workspace }: TurnContext): Effect.fn.Return<PermissionRequest["scopes"]> {
      if (policy.settings().values.user_rules !== "user+project") return { allow: sessionScope, deny: sessionScope }
      return { allow: (yield* files.isTrusted(workspace)) ? bothScopes : sessionScope, deny: bothScopes }
    }
  )

  /** A rule that cannot be kept in the workspace holds in the session, with a notice. See docs/policy.md#always */
  const keep = Effect.fnUntraced(
    function*(entries: ReadonlyArray<RuleEntry>, scope: AlwaysScope, { notify, policy, workspace }: TurnContext) {
      for (const { guard, id, list, rule: { text: rule } } of entries) {
        const kept = scope === "workspace"
          ? yield* Effect.result(files.add(workspace, { layer: "project", list, rule, guard }))
          : undefined
        if (kept !== undefined && Result.isSuccess(kept)) continue
        yield* policy.addRule({ id, list, rule, reason: null, ...(guard ? { guard } : {}) })
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

  const answered = Effect.fnUntraced(function*(
    answer: PermissionAnswer,
    proposed: ReturnType<RuleBook["propose"]>,
    again: Effect.Effect<Decided, RulesInvalid>,
    turn: TurnContext
  ): Effect.fn.Return<Authorization, RulesInvalid> {
    switch (answer._tag) {
      case "Dismissed":
        return yield* turn.stop
      case "RejectAlways":
        yield* keep(proposed.deny, answer.scope, turn)
        return notAllowed("APPROVAL_REJECTED", "the user rejected this call")
      case "RejectOnce":
        return notAllowed("APPROVAL_REJECTED", "the user rejected this call")
      case "Replace":
        return { _tag: "Replaced", text: answer.text }
      case "AllowOnce":
      case "AllowAlways": {
        const decided = yield* again
        if (decided.decision.outcome === "deny") return refused(decided.decision)
        if (answer._tag === "AllowAlways") yield* keep(proposed.allow, answer.scope, turn)
        return { _tag: "Run", decided }
      }
    }
  })

  const authorize = Effect.fnUntraced(
    function*(
      tool: AnyTool,
      parameters: unknown,
      call: ToolCallState,
      disclosed: Effect.Effect<ToolCallState>,
      turn: TurnContext
    ): Effect.fn.Return<Authorization, RulesInvalid | TurnFailed> {
      const decided = yield* decide(tool, parameters, turn)
      const { book, decision } = decided
      yield* turn.audit(turn.policy.decided(call.toolCallId, tool.name, decision))
      if (decision.outcome === "run") return { _tag: "Run", decided }
      if (decision.outcome === "deny") return refused(decision)
      if (decision.code === "OTP_REQUIRED") return yield* withCode(tool, parameters, call, disclosed, turn)
      const rules = book.propose(ruleName(tool), decision)
      const proposed = decision.code === Escalation.escalationCode ? { ...rules, allow: [] } : rules
      const texts = (entries: ReadonlyArray<RuleEntry>) => entries.map(({ rule }) => rule.text)
      const question: PermissionRequest = {
        call: yield* disclosed,
        reason: plainReason(decision),
        details: details(decision, { allow: texts(proposed.allow), deny: texts(proposed.deny) }),
        allow: texts(proposed.allow),
        deny: texts(proposed.deny),
        scopes: yield* scopes(turn)
      }
      const again = decideAgain(tool, parameters, call, turn)
      const answer = yield* Effect.result(turn.approvals.ask(question, turn))
      if (Result.isSuccess(answer)) {
        const allowed = yield* answered(answer.success, proposed, again, turn)
        return allowed._tag === "Run" && allowed.decided.decision.takesCode === true
          ? yield* withCode(tool, parameters, call, disclosed, turn)
          : allowed
      }
      return yield* unanswered(answer.failure)
    }
  )

  /**
   * Asks for a one-time code until it is right, here or from any terminal. Whatever else is answered is a no: see
   * docs/one-time-codes.md.
   */
  const withCode = Effect.fnUntraced(function*(
    tool: AnyTool,
    parameters: unknown,
    call: ToolCallState,
    disclosed: Effect.Effect<ToolCallState>,
    turn: TurnContext
  ): Effect.fn.Return<Authorization, RulesInvalid | TurnFailed> {
    const { approved, folders, settings } = turn.policy.codes
    const codes = OneTimeCodes.make(folders)
    const id = OneTimeCodes.newId()
    const what = beginning(oneLine(`${tool.name}: ${call.title}`), 500)
    const wrong = (reason: string) => refused({ gate: "response", code: "OTP_WRONG", reason })
    const run = Effect.map(
      Effect.andThen(approved, decideAgain(tool, parameters, call, turn)),
      (decided): Authorization =>
        decided.decision.outcome === "deny" ? refused(decided.decision) : { _tag: "Run", decided }
    )
    const ask = Effect.fnUntraced(
      function*(problem: string | undefined): Effect.fn.Return<Authorization, RulesInvalid | TurnFailed> {
        const question: PermissionRequest = {
          call: yield* disclosed,
          reason: problem === undefined ? "This call takes a one-time code." : `${sentence(problem)} Try again.`,
          details: [
            what,
            `In a terminal: \`postern otp approve ${id} CODE\`. To allow it here is not enough.`
          ],
          allow: [],
          deny: [],
          scopes: { allow: sessionScope, deny: sessionScope }
        }
        const answer = yield* Effect.result(turn.approvals.askCode(question, turn))
        if (Result.isFailure(answer)) return yield* unanswered(answer.failure)
        switch (answer.success._tag) {
          case "Code": {
            const taken = yield* Effect.result(codes.verify(answer.success.code, settings()))
            if (Result.isSuccess(taken)) return yield* run
            const { message, reason } = taken.failure
            return reason === "wrong_code" ? yield* ask(message) : wrong(message)
          }
          case "Dismissed":
            return yield* turn.stop
          case "AllowOnce":
          case "AllowAlways":
            return wrong("the call was allowed without the one-time code that it takes")
          default:
            return notAllowed("APPROVAL_REJECTED", "the user rejected this call")
        }
      }
    )
    const elsewhere = codes.approved({ id, what }).pipe(
      Effect.flatMap(() => run),
      Effect.catchTag("CodeRefused", ({ message }) => Effect.succeed(wrong(message)))
    )
    return yield* Effect.raceFirst(ask(undefined), elsewhere)
  })

  /**
   * Every decision is recorded; a call that may run counts as an action. `disclosed` is the call as a person who is asked
   * sees it.
   */
  const authorizeCall = Effect.fnUntraced(function*(
    tool: AnyTool,
    parameters: unknown,
    call: ToolCallState,
    disclosed: Effect.Effect<ToolCallState>,
    turn: TurnContext
  ): Effect.fn.Return<Authorization, TurnFailed> {
    const deny = (decision: Decision) =>
      Effect.as(turn.audit(turn.policy.decided(call.toolCallId, tool.name, decision)), refused(decision))
    const authorization = yield* Effect.catchTag(
      authorize(tool, parameters, call, disclosed, turn),
      "RulesInvalid",
      (broken) => deny(brokenRules(broken))
    )
    if (authorization._tag !== "Run" || (yield* turn.policy.acted)) return authorization
    return yield* deny(notCounted)
  })

  return { authorizeCall, decide }
})
