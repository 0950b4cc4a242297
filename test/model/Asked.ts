import { Effect, Exit, Layer, Stream } from "effect"
import { AiError, Prompt, type Response, Tool, Toolkit } from "effect/ai"
import * as ModelFault from "../../src/model/ModelFault.ts"
import { Models } from "../../src/model/Models.ts"
import { RequestOptions } from "../../src/model/RequestOptions.ts"
import { machine } from "../support/Configured.ts"

export type Part = Response.AnyPart

/** The models of a configuration. */
export const models = Effect.fnUntraced(function*(toml: string, env: Record<string, string> = {}) {
  const { layer } = yield* machine({ toml, env })
  return yield* Models.pipe(Effect.provide(yield* Layer.build(Layer.provide(Models.layer, layer))))
})

export interface Question {
  readonly toml: string
  readonly model: string
  readonly prompt?: Prompt.RawInput
  readonly tools?: ReadonlyArray<string>
  readonly toolChoice?: "auto" | "none"
  readonly env?: Record<string, string>
  readonly wishes?: RequestOptions
}

export interface Answered {
  readonly parts: ReadonlyArray<Part>
  /** What it ended with, if not well. */
  readonly fault: { readonly reason: string; readonly message: string } | undefined
}

const toolkit = (names: ReadonlyArray<string>) => {
  const parameters = { type: "object", properties: { path: { type: "string" } } } as const
  const kit = Toolkit.make(...names.map((name) => Tool.dynamic(name, { description: `What ${name} does`, parameters })))
  return { tools: kit.tools, handle: () => Effect.die("run by the turn") } as unknown as Toolkit.WithHandler<{}>
}

/** Streams one answer; what came before a failure is kept. */
export const asked = Effect.fnUntraced(
  function*({ env, model, prompt = "hello", toml, toolChoice = "auto", tools = [], wishes }: Question) {
    const { languageModel } = yield* (yield* models(toml, env)).get(model)
    const parts: Array<Part> = []
    const exit = yield* languageModel.streamText({
      prompt: Prompt.make(prompt),
      toolkit: toolkit(tools),
      toolChoice,
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    }).pipe(
      Stream.runForEach((part) => Effect.sync(() => parts.push(part))),
      wishes === undefined ? (run) => run : Effect.provideService(RequestOptions, wishes),
      Effect.exit
    )
    const error = Exit.findErrorOption(exit)
    const fault = error._tag === "Some" && AiError.isAiError(error.value)
      ? ModelFault.ofAiError(error.value)
      : undefined
    if (Exit.isFailure(exit) && fault === undefined) yield* exit
    return { parts, fault } satisfies Answered
  }
)

export const text = (parts: ReadonlyArray<Part>, type: "text" | "reasoning" = "text"): string =>
  parts.flatMap((part) =>
    (part.type === "text-delta" || part.type === "reasoning-delta") && part.type === `${type}-delta` ? [part.delta] : []
  ).join("")

export const calls = (parts: ReadonlyArray<Part>) =>
  parts.flatMap((part) => part.type === "tool-call" ? [{ id: part.id, name: part.name, params: part.params }] : [])

export const finish = (parts: ReadonlyArray<Part>) => parts.find((part) => part.type === "finish")
