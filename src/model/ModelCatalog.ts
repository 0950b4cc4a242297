import { Context, Effect, Layer, Result, Scope } from "effect"
import type { Provider } from "../app/Providers.ts"
import { Settings } from "../app/Settings.ts"
import { isReady, type ModelUnavailable, resolve } from "./Reference.ts"

const patience = "10 seconds"

/** The models there are to choose from: those of the configuration, and later those the providers list. */
export class ModelCatalog extends Context.Service<ModelCatalog, {
  /** References, those of the configuration first; nothing that cannot be asked. */
  readonly references: () => ReadonlyArray<string>
  /** The provider behind a reference that can be asked. */
  readonly provider: (reference: string) => Result.Result<Provider, ModelUnavailable>
  /** Begins to ask the providers for their lists, once per process; what a provider does not tell is no error. Loads an HTTP client. */
  readonly refresh: Effect.Effect<void>
  /** Runs whenever there are more models, as long as the scope lives. */
  readonly onChange: (run: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
}>()("postern/model/ModelCatalog") {
  static readonly layer: Layer.Layer<ModelCatalog, never, Settings> = Layer.effect(ModelCatalog, Effect.gen(function*() {
    const { agents, defaultModel, providers } = yield* Settings
    const scope = yield* Effect.scope
    const ready = Array.from(providers.values()).filter(isReady)
    const listed = new Map<string, ReadonlyArray<string>>()
    const watchers = new Set<Effect.Effect<void>>()
    const configured = [
      ...Array.from(agents.values()).flatMap(({ enabled, model }) => enabled ? [model] : []),
      defaultModel,
      ...ready.flatMap(({ alias, models }) => models.map((id) => `${alias}/${id}`))
    ]
    const provider = (reference: string) => Result.map(resolve(providers, reference), ({ provider }) => provider)
    const usable = configured.filter((reference) => Result.isSuccess(provider(reference)))
    let references: ReadonlyArray<string> = Array.from(new Set(usable))

    const list = Effect.fnUntraced(function*(provider: Provider) {
      const { listing } = yield* Effect.promise(() => import("./Remote.ts"))
      const ids = yield* Effect.timeout(Scope.provide(listing, scope).pipe(Effect.flatMap((ask) => ask(provider))), patience)
      listed.set(provider.alias, ids)
    }, (effect, { alias }) => Effect.catch(effect, ({ message }) => Effect.logDebug(`${alias} does not list its models: ${message}`)))

    const refresh = Effect.gen(function*() {
      const before = references.length
      yield* Effect.forEach(ready.filter(({ kind }) => kind !== "offline"), list, { concurrency: "unbounded", discard: true })
      const found = ready.flatMap(({ alias }) => (listed.get(alias) ?? []).map((id) => `${alias}/${id}`))
      references = Array.from(new Set([...usable, ...found]))
      if (references.length > before) yield* Effect.forEach(watchers, (run) => run, { discard: true })
    })

    return ModelCatalog.of({
      references: () => references,
      provider,
      refresh: Effect.asVoid(yield* Effect.cached(Effect.forkIn(refresh, scope))),
      onChange: (run) => Effect.asVoid(Effect.acquireRelease(Effect.sync(() => watchers.add(run)), () => Effect.sync(() => watchers.delete(run))))
    })
  }))
}
