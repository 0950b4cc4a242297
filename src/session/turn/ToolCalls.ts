import { Cause, Effect, Exit, Result } from "effect"
import type { Decision } from "../../policy/decision/Decision.ts"
import { denial } from "../../policy/decision/Explanation.ts"
import { invalid } from "../policy/Gate.ts"
import { knownTools } from "../../tool/KnownTools.ts"
import { withheld } from "../../policy/decision/ToolGrants.ts"
import { isTooDeep } from "../../rpc/Depth.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { LeakDetection } from "../../domain/secrets/LeakDetector.ts"
import * as Confining from "../../tool/CallConfinement.ts"
import { textContent, type ToolCallContent } from "../../domain/Content.ts"
import * as ForModel from "../../tool/ResultText.ts"
import { type AnyTool, decodeCall, type RunContext, ToolFailed } from "../../tool/Tool.ts"
import { Toolbox } from "../../tool/Toolbox.ts"
import * as CallContext from "./CallContext.ts"
import type { ToolCallState } from "../../domain/SessionEvent.ts"
import type { CallResult, ModelCall } from "../context/History.ts"
import { newId } from "../../domain/Id.ts"
import * as Settling from "../policy/Settling.ts"
import type { TurnFailed, TurnInput } from "./TurnLoop.ts"
import { brokenRules, deepArguments, notCounted, refused } from "../policy/Authorization.ts"

/** Runs one tool call of a turn: decided, shown, asked about, run, shown again. It always ends `completed` or `failed`. */
export const make = Effect.gen(function*() {
  const toolbox = yield* Toolbox
  const sandbox = yield* Sandbox

  const { decide, settle } = yield* Settling.make
  const forModel = ForModel.make(yield* LeakDetection)
  const contextOf = CallContext.make(decide, sandbox, knownTools(toolbox.tools))

  const show = (input: TurnInput, call: ToolCallState) => Effect.as(input.ledger.toolCall(call), call)

  const fail = (input: TurnInput, call: ToolCallState, toModel: string, content: ReadonlyArray<ToolCallContent>) =>
    Effect.as(show(input, { ...call, status: "failed", content }), { text: toModel, isFailure: true })

  const execute = Effect.fn("ToolCalls.execute")(function*(
    tool: AnyTool,
    parameters: unknown,
    call: ToolCallState,
    input: TurnInput,
    context: RunContext
  ): Effect.fn.Return<CallResult, TurnFailed> {
    const started = yield* show(input, { ...call, status: "in_progress" })
    yield* input.checkpoint
    const progress: RunContext["progress"] = (content) => Effect.asVoid(show(input, { ...started, content }))
    const exit = yield* Effect.scoped(tool.run(parameters, { ...context, progress })).pipe(
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError(`tool ${tool.name} died`, defect),
          new ToolFailed({ message: `${tool.name} failed: internal error` })
        )
      ),
      Effect.exit
    )
    if (Exit.isSuccess(exit)) {
      const { content, locations, rawOutput, text, title } = exit.value
      yield* show(input, {
        ...started,
        status: "completed",
        content: content ?? [textContent(text)],
        ...(title === undefined ? {} : { title }),
        ...(locations === undefined ? {} : { locations }),
        ...(rawOutput === undefined ? {} : { rawOutput })
      })
      return { text: forModel(tool, call.title, text), isFailure: false }
    }
    const failed = Cause.findError(exit.cause)
    if (Result.isFailure(failed)) return yield* Effect.failCause(failed.failure)
    const { content, message, rawOutput } = failed.success
    const ended = rawOutput === undefined ? started : { ...started, rawOutput }
    return yield* fail(input, ended, forModel(tool, call.title, message), content ?? [textContent(message)])
  })

  return Effect.fnUntraced(function*(request: ModelCall, input: TurnInput): Effect.fn.Return<CallResult, TurnFailed> {
    const tools = toolbox.of(input.tools)
    const tooDeep = isTooDeep(request.params)
    const call = tooDeep ? Result.fail(deepArguments) : yield* decodeCall(tools, request.name, request.params)
    const unreadable: ToolCallState = {
      toolCallId: newId(),
      name: request.name,
      title: request.name,
      kind: tools.get(request.name)?.kind ?? "other",
      status: "pending",
      content: [],
      locations: [],
      ...(tooDeep ? {} : { rawInput: request.params })
    }
    if (Result.isFailure(call)) {
      const decision = invalid(call.failure.code, call.failure.message)
      const message = denial(decision)
      yield* input.policy.decided(unreadable.toolCallId, request.name, decision)
      return {
        ...yield* fail(input, yield* show(input, unreadable), message, [textContent(message)]),
        denied: decision.code
      }
    }
    const { parameters, tool } = call.success
    const context = contextOf(tool, parameters, unreadable.toolCallId, input)
    // What a call would change is shown to nobody whose profile does not have the tool.
    const preview = withheld(yield* input.policy.permitted, tool) === undefined
      ? yield* tool.preview(parameters, context)
      : { title: tool.name }
    const { content = [], locations = [], rawInput = request.params, title } = preview
    const shown = yield* show(input, { ...unreadable, title, content, locations, rawInput })
    const verdict = yield* Effect.catchTag(settle(tool, parameters, shown, input), "RulesInvalid", (broken) => {
      const decision = brokenRules(broken)
      return Effect.as(input.policy.decided(shown.toolCallId, tool.name, decision), refused(decision))
    })
    const turnDown = Effect.fnUntraced(function*(by: Pick<Decision, "gate" | "code" | "reason">) {
      const message = denial(by)
      return { ...yield* fail(input, shown, message, [...content, textContent(message)]), denied: by.code }
    })
    switch (verdict._tag) {
      case "Run":
        if (!(yield* input.policy.acted)) {
          yield* input.policy.decided(shown.toolCallId, tool.name, notCounted)
          return yield* turnDown(notCounted)
        }
        return yield* execute(tool, parameters, shown, input, {
          ...context,
          preview,
          confinement: Confining.make(sandbox, verdict.decided)
        })
      case "Refused":
        return yield* turnDown(verdict)
      case "Replaced":
        yield* show(input, { ...shown, status: "completed", content: [textContent(verdict.text)] })
        return { text: verdict.text, isFailure: false }
    }
  })
})
