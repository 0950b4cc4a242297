import { Cause, Clock, Effect, Exit, Result } from "effect"
import { NoAnswer } from "../lifecycle/Attachment.ts"
import { outputItem, textContent, textsOf, type ToolCallItem } from "../../domain/Content.ts"
import { newId } from "../../domain/Id.ts"
import { ProgramReplaced } from "../../domain/ProgramReplaced.ts"
import { LeakDetection, load } from "../../domain/secrets/LeakDetector.ts"
import type { ToolCallState } from "../../domain/SessionEvent.ts"
import { denial } from "../../policy/decision/Explanation.ts"
import { originOf, type Refusal } from "../../policy/decision/Origin.ts"
import { withheld } from "../../policy/decision/ToolGrants.ts"
import { isTooDeep } from "../../rpc/Wire.ts"
import * as PathScope from "../../sandbox/plan/PathScope.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import * as CallConfinement from "../../tool/CallConfinement.ts"
import * as ReadFilter from "../../tool/file/ReadFilter.ts"
import { knownTools, Toolbox } from "../../tool/Toolbox.ts"
import * as ResultText from "../../tool/ResultText.ts"
import { type AnyTool, decodeCall, type RunContext, type ToolContext, ToolFailed } from "../../tool/Tool.ts"
import { capped } from "../context/Capped.ts"
import type { CallResult } from "../context/History.ts"
import { Activity } from "../Activity.ts"
import * as Authorization from "../policy/Authorization.ts"
import { invalid, stoppable } from "../policy/Gate.ts"
import { keyOf, type LoopGuard } from "./LoopGuard.ts"
import type { ModelCall } from "./ModelAnswer.ts"
import type { TurnContext } from "./TurnLoop.ts"
import type { TurnFailed } from "./TurnEnd.ts"
import * as WritingCalls from "./WritingCalls.ts"

const deepArguments = {
  code: "BAD_ARGUMENTS",
  message: "The arguments are nested more than 1000 levels deep."
} as const

/** A call before anything is known of it but what the model wrote. */
const pending = ({ name }: ModelCall, kind: ToolCallState["kind"] = "other"): ToolCallState => ({
  toolCallId: newId(),
  name,
  title: name,
  kind,
  status: "pending",
  content: [],
  locations: []
})

/**
 * Runs one tool call: authorizes it, publishes its preview, runs it and publishes the result. It always ends
 * `completed` or `failed`.
 */
const makeOne = Effect.gen(function*() {
  const toolbox = yield* Toolbox
  const sandbox = yield* Sandbox
  const { authorizeCall, decide } = yield* Authorization.make
  const forModel = ResultText.make(yield* LeakDetection)
  // After a client has had its first answers.
  yield* Effect.forkScoped(Effect.delay(load, "1 second"))
  const known = knownTools(toolbox.tools)

  const show = ({ writer }: TurnContext, call: ToolCallState, printed?: string) =>
    Effect.as(writer.toolCall(call, printed), call)

  const fail = (
    turn: TurnContext,
    call: ToolCallState,
    toModel: string,
    content: ReadonlyArray<ToolCallItem>,
    printed?: string
  ) => Effect.as(show(turn, { ...call, status: "failed", content }, printed), { text: toModel, isFailure: true })

  /** What one call may reach and ask, out of its turn and the policy in force. */
  const contextOf = (tool: AnyTool, parameters: unknown, toolCallId: string, turn: TurnContext): ToolContext => {
    const decided = (parameters: unknown) =>
      Effect.mapError(decide(tool, parameters, turn), ({ message }) => new ToolFailed({ message }))
    const scope = PathScope.lazy(() => Authorization.pathScopeOf(sandbox, tool, parameters, turn))
    return {
      sessionId: turn.sessionId,
      workspace: CallConfinement.narrowed(turn.workspace, scope),
      mayRead: Effect.map(decided(parameters), ({ decision, limits, rules }) => {
        const may = ReadFilter.of(tool.name, decision, rules, limits, known)
        if (!scope.hides && limits.workspaceOnly) return may
        return (path: string) => may?.(path) !== false && scope.refusal(path, "read") === undefined
      }),
      mayFetch: (url) =>
        Effect.map(decided({ ...Object(parameters), url }), ({ decision }) => decision.outcome === "run"),
      client: turn.client(),
      jobs: turn.jobs,
      progress: () => Effect.void,
      plan: turn.writer.plan,
      attachments: turn.files.folder,
      writesNothing: !turn.files.isReadable(),
      notify: turn.notify,
      askUser: (question, choices, { acknowledges, form } = {}) =>
        Effect.suspend(() =>
          turn.policy.settings().values.approval_response === "never"
            ? Effect.fail(new NoAnswer({ code: "APPROVAL_NO_RESPONDER", why: "the Approval response is never" }))
            : turn.approvals.choose({
              toolCallId,
              question,
              choices,
              ...(acknowledges === true ? { acknowledges } : {}),
              ...(form === undefined ? {} : { form })
            })
        ).pipe(
          Effect.mapError(({ why }) => new ToolFailed({ message: `There is no answer: ${why}.` })),
          Effect.flatMap((answer) => answer._tag === "Dismissed" ? turn.stop : Effect.succeed(answer.text))
        )
    }
  }

  const execute = Effect.fn("ToolCalls.execute")(function*(
    tool: AnyTool,
    parameters: unknown,
    call: ToolCallState,
    turn: TurnContext,
    context: ToolContext,
    decided: Authorization.Decided
  ): Effect.fn.Return<CallResult, TurnFailed> {
    const started = yield* show(turn, { ...call, status: "in_progress" })
    const notRun = textContent("Not run: the turn ended before it could begin.")
    yield* Effect.onError(turn.persist, () => fail(turn, call, "", [...call.content, notRun]))
    const progress: RunContext["progress"] = (content, printed) =>
      turn.writer.toolCall({ ...started, content }, printed)
    const input = { ...decided, temporary: turn.state.temporary ??= sandbox.temporary(turn.remains) }
    const denied = yield* Effect.cached(CallConfinement.deniedPaths(input))
    const protection = yield* Effect.cached(sandbox.protection(CallConfinement.foldersOf(turn.workspace)))
    const confinement = CallConfinement.make(sandbox, { ...input, denied, protection })
    const { parts, sandbox: held, shell } = decided.decision
    const halted = Effect.flatMap(
      turn.policy.stop.untilRefused(stoppable(tool, tool.needs(parameters), parts, shell && held?.network === true)),
      ({ reason }) => new ToolFailed({ message: `Stopped while it ran: ${reason}.` })
    )
    const run = Effect.scoped(tool.run(parameters, { ...context, confinement, progress })).pipe(
      Effect.raceFirst(halted),
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError(`tool ${tool.name} died`, defect),
          new ToolFailed({
            message: `${tool.name} failed: ${defect instanceof ProgramReplaced ? defect.message : "internal error"}`
          })
        )
      )
    )
    const { exit, notes } = yield* WritingCalls.around(
      WritingCalls.of(tool, call.toolCallId, decided, turn),
      [WritingCalls.protectedPaths(sandbox, turn, protection), WritingCalls.deniedPaths(input, denied)],
      run
    )
    const remarks = notes.map((note) => `[sandbox: ${note}]`)
    const remarked = (text: string) => [text, ...remarks].join("\n")
    /** For people, at the end of what they see, whatever that is. */
    const shown = (content: ReadonlyArray<ToolCallItem>) => [
      ...content,
      ...(remarks.length === 0 ? [] : [textContent(remarks.join("\n"))])
    ]
    if (Exit.isSuccess(exit)) {
      const { content = [outputItem(exit.value.text)], locations, printed, text, title } = exit.value
      // Clients that show no diffs read what was done.
      const rawOutput = textsOf(content).length > 0
        ? exit.value.rawOutput
        : { output: text, ...Object(exit.value.rawOutput) }
      const completed: ToolCallState = {
        ...started,
        status: "completed",
        content: shown(content),
        ...(title === undefined ? {} : { title }),
        ...(locations === undefined ? {} : { locations }),
        ...(rawOutput === undefined ? {} : { rawOutput })
      }
      yield* show(turn, completed, printed)
      return { text: yield* forModel(tool, call.title, remarked(text)), isFailure: false }
    }
    const failed = Cause.findError(exit.cause)
    if (Result.isFailure(failed)) return yield* Effect.failCause(failed.failure)
    const { message, rawOutput } = failed.success
    const content = failed.success.content ?? [textContent(message)]
    const ended = rawOutput === undefined ? started : { ...started, rawOutput }
    const toModel = yield* forModel(tool, call.title, remarked(message))
    return yield* fail(turn, ended, toModel, shown(content), failed.success.printed)
  })

  return Effect.fnUntraced(function*(request: ModelCall, turn: TurnContext): Effect.fn.Return<CallResult, TurnFailed> {
    const missing = toolbox.of(turn.tools).has(request.name) ? undefined : yield* turn.tools.sought(request.name)
    const tools = toolbox.of(turn.tools)
    const tooDeep = isTooDeep(request.params)
    const call = tooDeep
      ? Result.fail(deepArguments)
      : yield* decodeCall(tools, request.name, request.params, turn.workspace.cwd)
    const asked: ToolCallState = {
      ...pending(request, tools.get(request.name)?.kind),
      ...(tooDeep ? {} : { rawInput: request.params })
    }
    if (Result.isFailure(call)) {
      const decision = invalid(
        call.failure.code,
        missing === undefined || tools.has(request.name) ? call.failure.message : `${call.failure.message}: ${missing}`
      )
      const message = denial(decision)
      yield* turn.audit(turn.policy.decided(asked.toolCallId, request.name, decision))
      return {
        ...yield* fail(turn, yield* show(turn, asked), message, [textContent(message)]),
        denied: decision.code
      }
    }
    const { parameters, tool } = call.success
    const context = contextOf(tool, parameters, asked.toolCallId, turn)
    // The preview of a tool that the owner may not use is not shown: it may contain what the call would change.
    const preview = withheld(yield* turn.policy.permitted, tool) === undefined
      ? yield* tool.preview(parameters, context)
      : { title: tool.name }
    const { content = [], locations = [], rawInput = request.params, title } = preview
    const shown = yield* show(turn, { ...asked, title, content, locations, rawInput })
    const disclosed = yield* Effect.cached(Effect.map(
      tool.disclose?.(parameters, context) ?? Effect.undefined,
      (more) => ({
        call: more === undefined
          ? shown
          : { ...shown, content: [...content, ...more.content], locations: more.locations ?? locations },
        preview: { ...preview, ...more }
      })
    ))
    const turnDown = Effect.fnUntraced(function*(by: Refusal) {
      const message = denial(by)
      // The model is not told where it is set.
      const origin = originOf(by, turn.configured().agent.riskProfile)
      const told = [message, ...(origin === undefined ? [] : [origin])].map(textContent)
      return { ...yield* fail(turn, shown, message, [...content, ...told]), denied: by.code }
    })
    const question = Effect.map(disclosed, ({ call }) => call)
    const authorization = yield* authorizeCall(tool, parameters, shown, question, turn)
    switch (authorization._tag) {
      case "Run": {
        const { call, preview } = yield* disclosed
        return yield* execute(tool, parameters, call, turn, { ...context, preview }, authorization.decided)
      }
      case "Refused":
        return yield* turnDown(authorization)
      case "Replaced":
        yield* show(turn, { ...shown, status: "completed", content: [textContent(authorization.text)] })
        return { text: authorization.text, isFailure: false }
    }
  })
})

/** What a turn remembers of its calls, and the limits they have. */
interface CallWatch {
  readonly guard: LoopGuard
  /** How often calls were refused, by the code of the refusal. */
  readonly denials: Map<string, number>
  readonly parallel: boolean
  readonly maxResultChars: number
}

const maxDenials = 5
const atOnce = 8

const duplicate: CallResult = {
  text: "Skipped: the same call with the same arguments stands earlier in this answer, and its result holds for both.",
  isFailure: false
}

/** Neighbouring calls for which `together` holds form a group, every other call is alone. */
const groups = (
  calls: ReadonlyArray<ModelCall>,
  together: (call: ModelCall) => boolean
): ReadonlyArray<ReadonlyArray<ModelCall>> => {
  const made: Array<Array<ModelCall>> = []
  let open = false
  for (const call of calls) {
    if (together(call) && open) made.at(-1)!.push(call)
    else made.push([call])
    open = together(call)
  }
  return made
}

/** Repeated refusals with one code also count as a loop. See docs/sessions.md#loop-detection */
const tooManyDenials = (denials: Map<string, number>, { denied }: CallResult): string | undefined => {
  if (denied === undefined) return undefined
  const count = (denials.get(denied) ?? 0) + 1
  denials.set(denied, count)
  return count >= maxDenials ? `${maxDenials} calls were refused with ${denied}` : undefined
}

/**
 * Runs the calls of one answer and puts their results by call id into `results`. Returns why the turn has to end, if it
 * has to.
 */
export const make = Effect.gen(function*() {
  const toolbox = yield* Toolbox
  const runCall = yield* makeOne
  const activity = yield* Activity
  const toolOf = (name: string, turn: TurnContext) => toolbox.of(turn.tools).get(name)
  const onlyReads = ({ name }: ModelCall, turn: TurnContext) =>
    toolOf(name, turn)?.capabilities.every((capability) => capability === "ro") ?? false

  const refuse = Effect.fnUntraced(function*(request: ModelCall, why: string, turn: TurnContext) {
    const call = { ...pending(request, toolOf(request.name, turn)?.kind), rawInput: request.params }
    yield* turn.writer.toolCall(call)
    yield* turn.writer.toolCall({ ...call, status: "failed", content: [textContent(why)] })
    return { text: why, isFailure: true } satisfies CallResult
  })

  const one = Effect.fnUntraced(function*(
    call: ModelCall,
    { guard, maxResultChars }: CallWatch,
    turn: TurnContext
  ): Effect.fn.Return<CallResult & { readonly end?: string }, TurnFailed> {
    const verdict = guard.before(call)
    if (verdict._tag === "Break") return { ...yield* refuse(call, verdict.why, turn), end: verdict.why }
    if (verdict._tag === "Block") return yield* refuse(call, verdict.why, turn)
    const startedAt = yield* Clock.currentTimeMillis
    const result = yield* Effect.onExit(
      runCall(call, turn),
      (exit) => Effect.map(Clock.currentTimeMillis, (now) => activity.toolCallEnded(exit, now - startedAt))
    )
    // Refusals are counted by their code.
    const warning = result.denied === undefined ? guard.after(call, result) : undefined
    const text = capped(result.text, maxResultChars)
    return { ...result, text: warning === undefined ? text : `${text}\n${warning}` }
  })

  return Effect.fnUntraced(function*(
    calls: ReadonlyArray<ModelCall>,
    results: Map<string, CallResult>,
    watch: CallWatch,
    turn: TurnContext
  ): Effect.fn.Return<string | undefined, TurnFailed> {
    const first = new Map(calls.toReversed().map((call) => [keyOf(call), call]))
    for (const call of calls) if (first.get(keyOf(call)) !== call) results.set(call.id, duplicate)
    const distinct = calls.filter((call) => first.get(keyOf(call)) === call)
    for (const group of groups(distinct, (call) => watch.parallel && onlyReads(call, turn))) {
      const done = yield* Effect.forEach(group, (call) =>
        one(call, watch, turn).pipe(
          Effect.tap((result) => Effect.sync(() => results.set(call.id, result))),
          Effect.tap(() => turn.checkpoint)
        ), { concurrency: atOnce })
      for (const result of done) {
        const end = result.end ?? tooManyDenials(watch.denials, result)
        if (end !== undefined) return end
      }
    }
    return undefined
  })
})
