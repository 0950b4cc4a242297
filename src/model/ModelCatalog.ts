import { Context, Effect, Layer, Result, type Scope } from "effect"
import type { Provider } from "../app/Providers.ts"
import { Settings } from "../app/Settings.ts"
import type { ModelFault } from "./ModelFault.ts"
import { isReady, type ModelUnavailable, resolve } from "./Reference.ts"

const patience = "10 seconds"

/** The models there are to choose from: those of the configuration, and later those the providers list. */
export class ModelCatalog extends Context.Service<ModelCatalog, {
  /** References, those of the configuration first; nothing that cannot be asked. */
  readonly references: () => ReadonlyArray<string>
  /** Ids of the models a provider said it has; `undefined` as long as it has not. */
  readonly listed: (alias: string) => ReadonlyArray<string> | undefined
  /** The provider behind a reference that can be asked. */
  readonly provider: (reference: string) => Result.Result<Provider, ModelUnavailable>
  /** Begins to ask the providers for their lists, once per process; what a provider does not tell is no error. Loads an HTTP client. */
  readonly refresh: Effect.Effect<void>
  /** Runs whenever there are more models, as long as the scope lives. */
  readonly onChange: (run: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
}>()("postern/model/ModelCatalog") {
  static readonly layer: Layer.Layer<ModelCatalog, never, Settings> = Layer.effect(
    ModelCatalog,
    Effect.gen(function*() {
      const { agents, defaultModel, providers, proxy } = yield* Settings
      const scope = yield* Effect.scope
      const ready = Array.from(providers.values()).filter(isReady)
      const listed = new Map<string, ReadonlyArray<string>>()
      const watchers = new Set<Effect.Effect<void>>()
      const used = Array.from(agents.values()).flatMap(({ enabled, model }) => enabled ? [model] : [])
      const configured = [
        ...used,
        defaultModel,
        ...ready.flatMap(({ alias, models }) => models.map((id) => `${alias}/${id}`))
      ]
      const provider = (reference: string) => Result.map(resolve(providers, reference), ({ provider }) => provider)
      const usable = configured.filter((reference) => Result.isSuccess(provider(reference)))
      // Whose key merely lies in the environment is not asked anything.
      const listing = ready.filter(({ alias, configured, kind }) =>
        kind !== "offline" && (configured || used.some((one) => one.startsWith(`${alias}/`)))
      )
      let references: ReadonlyArray<string> = Array.from(new Set(usable))

      const list = (
        provider: Provider,
        ask: (provider: Provider) => Effect.Effect<ReadonlyArray<string>, ModelFault>
      ) =>
        Effect.timeout(ask(provider), patience).pipe(
          Effect.map((ids) => void listed.set(provider.alias, ids)),
          Effect.catch(({ message }) => Effect.logDebug(`${provider.alias} does not list its models: ${message}`))
        )

      const refresh = Effect.gen(function*() {
        const before = references.length
        const remote = yield* Effect.promise(() => import("./Remote.ts"))
        const ask = yield* remote.listing(proxy)
        yield* Effect.forEach(listing, (provider) => list(provider, ask), { concurrency: "unbounded", discard: true })
        const found = ready.flatMap(({ alias }) => (listed.get(alias) ?? []).map((id) => `${alias}/${id}`))
        references = Array.from(new Set([...usable, ...found]))
        if (references.length > before) yield* Effect.forEach(watchers, (run) => run, { discard: true })
      }).pipe(Effect.scoped)

      return ModelCatalog.of({
        references: () => references,
        listed: (alias) => listed.get(alias),
        provider,
        refresh: Effect.asVoid(yield* Effect.cached(Effect.forkIn(refresh, scope))),
        onChange: (run) =>
          Effect.asVoid(
            Effect.acquireRelease(Effect.sync(() => watchers.add(run)), () => Effect.sync(() => watchers.delete(run)))
          )
      })
    })
  )
}
