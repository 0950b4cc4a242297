import { Effect, Exit, Layer, Stream } from "effect"
import { Prompt, Tool } from "effect/ai"
import { type Model, Models } from "../../src/model/Models.ts"
import { RequestOptions } from "../../src/model/RequestOptions.ts"
import { isRetracted, type ModelPrompt, type ResponsePart } from "../../src/model/ResponseParts.ts"
import { machine } from "../support/Configured.ts"

export type Part = ResponsePart

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

export const toolsOf = (names: ReadonlyArray<string>): ReadonlyArray<Tool.Any> => {
  const parameters = { type: "object", properties: { path: { type: "string" } } } as const
  return names.map((name) => Tool.dynamic(name, { description: `What ${name} does`, parameters }))
}

/** A request with nothing but a prompt. */
export const request = (prompt: Prompt.RawInput, tools: ReadonlyArray<string> = []): ModelPrompt => ({
  prompt: Prompt.make(prompt),
  tools: toolsOf(tools),
  toolChoice: "auto"
})

/** Streams one answer; what came before a failure is kept. */
export const asked = Effect.fnUntraced(
  function*({ env, model, prompt = "hello", toml, toolChoice = "auto", tools = [], wishes }: Question) {
    const { ask } = yield* (yield* models(toml, env)).get(model)
    const parts: Array<Part> = []
    const exit = yield* ask({ ...request(prompt, tools), toolChoice }).pipe(
      Stream.runForEach((part) => Effect.sync(() => parts.push(part))),
      wishes === undefined ? (run) => run : Effect.provideService(RequestOptions, wishes),
      Effect.exit
    )
    const error = Exit.findErrorOption(exit)
    if (Exit.isFailure(exit) && error._tag === "None") yield* exit
    const fault = error._tag === "None" ? undefined : { reason: error.value.reason, message: error.value.message }
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

/** The whole of an answer, without what turned out to be no text. */
export const wholeAnswer = (model: Pick<Model, "ask">, prompt: Prompt.RawInput) =>
  Effect.map(Stream.runCollect(model.ask(request(prompt))), (parts) => {
    const retracted = parts.flatMap((part) => part.type === "text-end" && isRetracted(part.metadata) ? [part.id] : [])
    return {
      text: text(parts.filter((part) => !("id" in part && retracted.includes(String(part.id))))),
      thoughts: text(parts, "reasoning"),
      finish: finish(parts)?.reason
    }
  })
