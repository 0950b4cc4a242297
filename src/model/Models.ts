import { Context, Effect, Layer, Schema } from "effect"
import type { LanguageModel } from "effect/ai"
import type { Provider } from "../app/Providers.ts"
import { Settings } from "../app/Settings.ts"
import * as Offline from "./Offline.ts"

/** Why there is no model behind a reference; `message` is a sentence for people. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  model: Schema.String,
  reason: Schema.Literals(["bad_reference", "unknown_provider", "unsupported_kind"]),
  message: Schema.String
}) {}

export interface Model {
  /** The whole reference, `"<provider alias>/<model id>"`. */
  readonly id: string
  /** The provider's alias. */
  readonly provider: string
  /** In tokens. */
  readonly contextWindow: number
  readonly languageModel: LanguageModel.LanguageModel
}

const usualWindow = 32_000

interface Wanted {
  readonly provider: Provider
  readonly model: string
  readonly configFile: string
}

/** One line per provider kind this build can talk to. */
const factories: Partial<Record<Provider["kind"], (wanted: Wanted) => Effect.Effect<LanguageModel.LanguageModel>>> = {
  offline: ({ configFile }) => Offline.make({ configFile, kinds })
}

const kinds: ReadonlyArray<string> = Object.keys(factories)

/** Language models by reference. Importing this module loads `effect/ai`: do it lazily, when a first session needs it. */
export class Models extends Context.Service<Models, {
  /** No reference: the first of `Settings.defaultModels` this build can talk to. The same reference gives the same model. */
  readonly get: (reference: string | undefined) => Effect.Effect<Model, ModelUnavailable>
}>()("postern/model/Models") {
  static readonly layer: Layer.Layer<Models, never, Settings> = Layer.effect(Models, Effect.gen(function*() {
    const { configFile, defaultModels, providers } = yield* Settings
    const made = new Map<string, Model>()

    const usual = (): string =>
      defaultModels.find((reference) => {
        const kind = providers.get(aliasOf(reference))?.kind
        return kind !== undefined && factories[kind] !== undefined
      }) ?? "offline/builtin"

    const make = Effect.fnUntraced(function*(reference: string) {
      const unavailable = (reason: ModelUnavailable["reason"], message: string) =>
        new ModelUnavailable({ model: reference, reason, message })
      const alias = aliasOf(reference)
      const model = reference.slice(alias.length + 1)
      if (alias === "" || model === "") {
        return yield* unavailable("bad_reference", `A model is named "<provider alias>/<model id>", not "${reference}"`)
      }
      const provider = providers.get(alias)
      if (provider === undefined) {
        const known = Array.from(providers.keys()).join(", ")
        return yield* unavailable("unknown_provider", `There is no provider "${alias}"; the providers are ${known}`)
      }
      const factory = factories[provider.kind]
      if (factory === undefined) {
        return yield* unavailable("unsupported_kind",
          `This build cannot talk to provider "${alias}" of kind ${provider.kind}; it supports ${kinds.join(", ")}`)
      }
      const languageModel = yield* factory({ provider, model, configFile })
      return { id: reference, provider: alias, contextWindow: provider.contextWindow ?? usualWindow, languageModel }
    })

    return Models.of({
      get: Effect.fnUntraced(function*(given) {
        const reference = given ?? usual()
        const known = made.get(reference)
        if (known !== undefined) return known
        const model = yield* make(reference)
        made.set(reference, model)
        return model
      })
    })
  }))
}

const aliasOf = (reference: string): string => reference.slice(0, Math.max(0, reference.indexOf("/")))
