import { Cause, Effect, Exit, Result, Schema } from "effect"
import { Gate } from "../policy/Gate.ts"
import { textContent, type ToolCallContent } from "../tool/Content.ts"
import { type AnyTool, type ToolContext, ToolFailed } from "../tool/Tool.ts"
import { Toolbox } from "../tool/Toolbox.ts"
import type { PermissionAnswer } from "./Attachment.ts"
import type { ToolCallState } from "./Event.ts"
import type { CallResult, ModelCall } from "./History.ts"
import { newId } from "./Id.ts"
import type { TurnInput } from "./TurnLoop.ts"

/** What becomes of a call after the gate and the user have spoken. */
type Verdict =
  | { readonly _tag: "Run" }
  | { readonly _tag: "Refused"; readonly toModel: string; readonly toPeople: string }
  | { readonly _tag: "Replaced"; readonly text: string }

const run: Verdict = { _tag: "Run" }
const refused = (toModel: string, toPeople: string): Verdict => ({ _tag: "Refused", toModel, toPeople })
const byUser = refused("The user rejected this tool call.", "Rejected by the user.")

/** Runs one tool call of a turn: shown, decided, run, shown again. It always ends `completed` or `failed`. */
export const make = Effect.gen(function*() {
  const { tools } = yield* Toolbox
  const gate = yield* Gate

  const answered = (answer: PermissionAnswer, subject: string, { remember }: TurnInput): Effect.Effect<Verdict> => {
    switch (answer._tag) {
      case "AllowOnce": return Effect.succeed(run)
      case "AllowAlways": return Effect.as(remember(subject, "allow"), run)
      case "RejectOnce": return Effect.succeed(byUser)
      case "RejectAlways": return Effect.as(remember(subject, "reject"), byUser)
      case "Replace": return Effect.succeed({ _tag: "Replaced", text: answer.text })
      case "Dismissed": return Effect.succeed(refused("The user closed the question without allowing this call.", "Dismissed by the user."))
    }
  }

  const decide = Effect.fnUntraced(function*(tool: AnyTool, parameters: unknown, call: ToolCallState, input: TurnInput) {
    const decision = yield* gate.decide(tool, parameters)
    if (decision._tag === "Run") return run
    if (decision._tag === "Deny") return refused(decision.reason, decision.reason)
    const known = input.grants.get(decision.subject)
    if (known !== undefined) return known === "allow" ? run : byUser
    return yield* input.ask({ call, covers: decision.covers }).pipe(
      Effect.flatMap((answer) => answered(answer, decision.subject, input)),
      Effect.catchTag("NoAnswer", ({ why }) =>
        Effect.succeed(refused("This call was not allowed by the host; the user was not the one to refuse it.", `Not allowed: ${why}.`)))
    )
  })

  const show = (input: TurnInput, call: ToolCallState) => Effect.as(input.ledger.toolCall(call), call)

  const fail = (input: TurnInput, call: ToolCallState, toModel: string, content: ReadonlyArray<ToolCallContent>) =>
    Effect.as(show(input, { ...call, status: "failed", content }), { text: toModel, isFailure: true })

  const execute = Effect.fn("ToolCalls.execute")(function*(
    tool: AnyTool,
    parameters: unknown,
    call: ToolCallState,
    input: TurnInput,
    context: ToolContext
  ): Effect.fn.Return<CallResult> {
    const started = yield* show(input, { ...call, status: "in_progress" })
    const progress: ToolContext["progress"] = (content) => Effect.asVoid(show(input, { ...started, content }))
    const exit = yield* Effect.scoped(tool.run(parameters, { ...context, progress })).pipe(Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError(`tool ${tool.name} died`, defect), new ToolFailed({ message: `${tool.name} failed: internal error` }))
    ), Effect.exit)
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
      return { text, isFailure: false }
    }
    const failed = Cause.findError(exit.cause)
    if (Result.isFailure(failed)) return yield* Effect.failCause(failed.failure)
    const { content, message } = failed.success
    return yield* fail(input, started, message, content ?? [textContent(message)])
  })

  return Effect.fnUntraced(function*(request: ModelCall, input: TurnInput): Effect.fn.Return<CallResult> {
    const tool = tools.get(request.name)
    const unreadable: ToolCallState = {
      toolCallId: newId(),
      name: request.name,
      title: request.name,
      kind: tool?.kind ?? "other",
      status: "pending",
      content: [],
      locations: [],
      rawInput: request.params
    }
    if (tool === undefined) {
      const message = `Unknown tool: ${request.name}. The tools are: ${Array.from(tools.keys()).join(", ")}.`
      return yield* fail(input, yield* show(input, unreadable), message, [textContent(message)])
    }
    const decoded = yield* Effect.exit(Schema.decodeUnknownEffect(tool.parameters)(request.params))
    if (Exit.isFailure(decoded)) {
      const message = `The arguments of ${tool.name} do not fit: ${describe(decoded)}`
      return yield* fail(input, yield* show(input, unreadable), message, [textContent(message)])
    }
    const parameters = decoded.value
    const context: ToolContext = {
      sessionId: input.sessionId,
      workspace: input.workspace,
      progress: () => Effect.void,
      plan: input.ledger.plan
    }
    const { content = [], locations = [], rawInput = request.params, title } = yield* tool.preview(parameters, context)
    const call = yield* show(input, { ...unreadable, title, content, locations, rawInput })
    const verdict = yield* decide(tool, parameters, call, input)
    switch (verdict._tag) {
      case "Run": return yield* execute(tool, parameters, call, input, context)
      case "Refused": return yield* fail(input, call, verdict.toModel, [...content, textContent(verdict.toPeople)])
      case "Replaced":
        yield* show(input, { ...call, status: "completed", content: [textContent(verdict.text)] })
        return { text: verdict.text, isFailure: false }
    }
  })
})

const describe = (exit: Exit.Failure<unknown, Schema.SchemaError>): string =>
  exit.cause.reasons.map((reason) => reason._tag === "Fail" ? reason.error.message.replace(/\s+/g, " ") : "").join("; ")
