import { Context, Effect, Layer, Result, type Scope } from "effect"
import type { Provider } from "../config/Providers.ts"
import { LiveSettings } from "../config/LiveSettings.ts"
import { Settings } from "../config/Settings.ts"
import type { Snapshot } from "../config/Snapshot.ts"
import type { ModelFault } from "./ModelFault.ts"
import { isReady, type ModelUnavailable, resolveModel } from "./ModelReference.ts"
import * as Chunk from "../platform/Chunk.ts"

const loadRemote = Chunk.make(() => import("./http/Remote.ts"))

const listTimeout = "10 seconds"

/** The models to choose from: those of the configuration, and once known those that the providers list. */
export class ModelCatalog extends Context.Service<ModelCatalog, {
  /** References of usable models, those of the configuration first. */
  readonly references: () => ReadonlyArray<string>
  /** Ids of the models that a provider listed; `undefined` until it has. */
  readonly listed: (alias: string) => ReadonlyArray<string> | undefined
  /** The provider of a reference that is usable. */
  readonly provider: (reference: string) => Result.Result<Provider, ModelUnavailable>
  /** Starts to ask each provider once for its list; a failure is logged at debug level. Loads an HTTP client. */
  readonly refresh: Effect.Effect<void>
  /** Runs whenever the references change, as long as the scope lives. */
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

/** Providers to ask for their lists: not those that are known only by a key in the environment. */
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
  // A changed configuration makes new provider objects; lists of the old ones go with them.
  const asked = new WeakSet<Provider>()
  const listed = new WeakMap<Provider, ReadonlyArray<string>>()
  const watchers = new Set<Effect.Effect<void>>()
  const provider = (reference: string) =>
    Result.map(resolveModel(last().providers, reference), ({ provider }) => provider)

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
    Effect.timeout(ask(provider), listTimeout).pipe(
      Effect.map((ids) => void listed.set(provider, ids)),
      Effect.catch(({ message }) => Effect.logDebug(`${provider.alias} does not list its models: ${message}`))
    )

  const listAll = Effect.fnUntraced(function*(providers: ReadonlyArray<Provider>) {
    const remote = yield* loadRemote
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
