import { Context, Effect, Layer, Result, type Scope } from "effect"
import type { Provider } from "../config/Providers.ts"
import { LiveSettings } from "../config/LiveSettings.ts"
import { Settings } from "../config/Settings.ts"
import type { Snapshot } from "../config/Snapshot.ts"
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
  /** Begins to ask the providers for their lists, each once; what one does not tell is no error. Loads an HTTP client. */
  readonly refresh: Effect.Effect<void>
  /** Runs whenever there are other models, as long as the scope lives. */
  readonly onChange: (run: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
}>()("postern/model/ModelCatalog") {
  static readonly layer: Layer.Layer<ModelCatalog, never, LiveSettings | Settings> = Layer.effect(
    ModelCatalog,
    Effect.suspend(() => make)
  )
}

const readyIn = ({ providers }: Snapshot) => Array.from(providers.values()).filter(isReady)

const usedIn = ({ agents }: Snapshot) =>
  Array.from(agents.values()).flatMap(({ enabled, model }) => enabled ? [model] : [])

/** Whose key merely lies in the environment is not asked anything. */
const listingIn = (now: Snapshot) => {
  const used = usedIn(now)
  return readyIn(now).filter(({ alias, configured, kind }) =>
    kind !== "offline" && (configured || used.some((one) => one.startsWith(`${alias}/`)))
  )
}

const make = Effect.gen(function*() {
  const { proxy } = yield* Settings
  const { last, onChange } = yield* LiveSettings
  const scope = yield* Effect.scope
  // A provider that is configured in another way is another object; what the old one told goes with it.
  const asked = new WeakSet<Provider>()
  const listed = new WeakMap<Provider, ReadonlyArray<string>>()
  const watchers = new Set<Effect.Effect<void>>()
  const provider = (reference: string) => Result.map(resolve(last().providers, reference), ({ provider }) => provider)

  const referencesIn = (now: Snapshot): ReadonlyArray<string> => {
    const ready = readyIn(now)
    const all = (ids: (provider: Provider) => ReadonlyArray<string>) =>
      ready.flatMap((one) => ids(one).map((id) => `${one.alias}/${id}`))
    const configured = [...usedIn(now), now.defaultModel, ...all(({ models }) => models)]
    const usable = configured.filter((reference) => Result.isSuccess(provider(reference)))
    return Array.from(new Set([...usable, ...all((one) => listed.get(one) ?? [])]))
  }

  let references = referencesIn(last())
  const update = Effect.suspend(() => {
    const before = references
    references = referencesIn(last())
    return before.join() === references.join()
      ? Effect.void
      : Effect.forEach(watchers, (run) => run, { discard: true })
  })
  yield* onChange(update)

  const list = (
    provider: Provider,
    ask: (provider: Provider) => Effect.Effect<ReadonlyArray<string>, ModelFault>
  ) =>
    Effect.timeout(ask(provider), patience).pipe(
      Effect.map((ids) => void listed.set(provider, ids)),
      Effect.catch(({ message }) => Effect.logDebug(`${provider.alias} does not list its models: ${message}`))
    )

  const listAll = Effect.fnUntraced(function*(providers: ReadonlyArray<Provider>) {
    const remote = yield* Effect.promise(() => import("./Remote.ts"))
    const ask = yield* remote.listing(proxy)
    yield* Effect.forEach(providers, (provider) => list(provider, ask), { concurrency: "unbounded", discard: true })
    yield* update
  }, Effect.scoped)

  return ModelCatalog.of({
    references: () => references,
    listed: (alias) => {
      const provider = last().providers.get(alias)
      return provider && listed.get(provider)
    },
    provider,
    refresh: Effect.suspend(() => {
      const unasked = listingIn(last()).filter((one) => !asked.has(one))
      for (const one of unasked) asked.add(one)
      return unasked.length === 0 ? Effect.void : Effect.asVoid(Effect.forkIn(listAll(unasked), scope))
    }),
    onChange: (run) =>
      Effect.asVoid(
        Effect.acquireRelease(Effect.sync(() => watchers.add(run)), () => Effect.sync(() => watchers.delete(run)))
      )
  })
})
