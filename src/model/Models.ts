import { Array as Arr, Context, Effect, Layer, Result, Scope, Stream } from "effect"
import { LanguageModel } from "effect/ai"
import type { Provider } from "../config/Providers.ts"
import { LiveSettings } from "../config/LiveSettings.ts"
import { Settings } from "../config/Settings.ts"
import type { Snapshot } from "../config/Snapshot.ts"
import { toAiError } from "./ModelFault.ts"
import * as Offline from "./offline/OfflineModel.ts"
import { generateWith, type ModelStream } from "./ResponseParts.ts"
import { type ModelUnavailable, type NamedModel, resolveModel } from "./ModelReference.ts"
import * as Retry from "./Retry.ts"

export interface Model {
  /** The reference, `"<provider alias>/<model id>"`. */
  readonly id: string
  /** The provider's alias. */
  readonly provider: string
  /** Tokens. */
  readonly contextWindow: number
  /** Prices per million tokens, as configured. */
  readonly prices?: Provider["prices"]
  readonly languageModel: LanguageModel.LanguageModel
}

/** Language models by reference. This module loads `effect/ai`: import it when a first session needs it. */
export class Models extends Context.Service<Models, {
  /** Without a reference the default model. A reference gives the same model until the configuration changes. */
  readonly get: (reference: string | undefined) => Effect.Effect<Model, ModelUnavailable>
}>()("postern/model/Models") {
  static readonly layer: Layer.Layer<Models, never, LiveSettings | Settings> = Layer.effect(
    Models,
    Effect.gen(function*() {
      const { configFile, proxy } = yield* Settings
      const { last } = yield* LiveSettings
      const scope = yield* Effect.scope
      const made = new Map<string, Model>()
      let from = last()

      const remote = yield* Effect.promise(() => import("./http/Remote.ts")).pipe(
        Effect.flatMap(({ make }) => make(proxy)),
        Scope.provide(scope),
        Effect.uninterruptible,
        Effect.cached
      )

      const asking = Effect.fnUntraced(function*({ model, provider }: NamedModel): Effect.fn.Return<ModelStream> {
        return provider.kind === "offline"
          ? Offline.streamText({ configFile })
          : (yield* remote)({ ...provider, kind: provider.kind }, model)
      })

      /** A fallback without a slash is the same model at another provider. */
      const standIns = ({ model, provider }: NamedModel) =>
        provider.fallback.map((name) => name.includes("/") ? name : `${name}/${model}`)

      const make = Effect.fnUntraced(function*(reference: string, { providers }: Snapshot) {
        const named = yield* Effect.fromResult(resolveModel(providers, reference))
        const first = { name: reference, ask: yield* asking(named) }
        const others = yield* Effect.forEach(standIns(named), (name) =>
          Result.match(resolveModel(providers, name), {
            onSuccess: (other) => Effect.map(asking(other), (ask) => [{ name, ask }]),
            onFailure: ({ message }) =>
              Effect.as(Effect.logWarning(`${reference} has no fallback ${name}: ${message}`), [])
          }))
        const candidates: Arr.NonEmptyReadonlyArray<typeof first> = [first, ...others.flat()]
        const streamText = (request: LanguageModel.ProviderOptions) =>
          Stream.mapError(
            Retry.firstOf(Arr.map(candidates, ({ ask, name }) => ({ name, stream: ask(request) }))),
            toAiError
          )
        const languageModel = yield* LanguageModel.make({ streamText, generateText: generateWith(streamText) })
        const { provider } = named
        return {
          id: reference,
          provider: provider.alias,
          contextWindow: provider.contextWindow,
          prices: provider.prices,
          languageModel
        }
      })

      return Models.of({
        get: Effect.fnUntraced(function*(given) {
          const now = last()
          if (from !== now) made.clear()
          from = now
          const reference = given ?? now.defaultModel
          const known = made.get(reference)
          if (known !== undefined) return known
          const model = yield* make(reference, now)
          if (from === now) made.set(reference, model)
          return model
        })
      })
    })
  )
}
