import { Array as Arr, Context, Duration, Effect, Layer, Random, Result, Scope, Stream } from "effect"
import { ModelFault } from "./ModelFault.ts"
import { RequestOptions } from "./RequestOptions.ts"
import type { Provider } from "../config/Providers.ts"
import { LiveSettings } from "../config/LiveSettings.ts"
import { Settings } from "../config/Settings.ts"
import type { Snapshot } from "../config/Snapshot.ts"
import * as OfflineModel from "./offline/OfflineModel.ts"
import { type ModelStream, orElseUnbegun } from "./ResponseParts.ts"
import { type ModelUnavailable, type NamedModel, resolveModel } from "./ModelReference.ts"
import * as Chunk from "../platform/Chunk.ts"

const loadRemote = Chunk.make(() => import("./http/Remote.ts"))

/** One model that may answer, with a name for the log. */
interface RetryCandidate<A, R> {
  readonly name: string
  readonly stream: Stream.Stream<A, ModelFault, R>
}

const maxTries = 5

/** Milliseconds; a provider that asks for a longer pause is not retried. */
const longestRest = 60_000

/** One second, doubled up to thirty, with up to 25 % jitter. */
const rest = (tries: number) =>
  Effect.map(Random.next, (chance) => Math.min(1000 * 2 ** tries, 30_000) * (0.75 + chance / 2))

const seconds = (millis: number) => Duration.format(Duration.seconds(Math.ceil(millis / 1000)))

/** The message for the log and the client. */
const told = Effect.fnUntraced(function*(message: string) {
  yield* Effect.logWarning(message)
  const { onNotice } = yield* RequestOptions
  if (onNotice !== undefined) yield* onNotice(message)
})

const retried = <A, R>({ name, stream }: RetryCandidate<A, R>, tries = 0): Stream.Stream<A, ModelFault, R> =>
  orElseUnbegun(stream, (fault) => {
    const asked = fault.retryAfter ?? 0
    if (!fault.transient || tries + 1 >= (fault.tries ?? maxTries) || asked > longestRest) return Stream.fail(fault)
    return Stream.unwrap(Effect.gen(function*() {
      const millis = Math.max(asked, yield* rest(tries))
      yield* told(`Trying again in ${seconds(millis)}: ${fault.message}`)
      yield* Effect.sleep(millis)
      return retried({ name, stream }, tries + 1)
    }))
  })

const waiting = ({ message, retryAfter }: ModelFault): string =>
  retryAfter === undefined || retryAfter <= longestRest
    ? message
    : `${message} — it asks to wait ${seconds(retryAfter)}`

const withMessage = (fault: ModelFault, message: string) => new ModelFault({ ...fault, message })

/**
 * Asks the candidates in turn, retrying each while that may help, until one emits its first part. A prompt that is too
 * long is not sent to another candidate. When all fail, the first one's fault is the result. See
 * docs/models.md#retries-and-fallback.
 */
export const firstOf = <A, R>(
  [candidate, ...others]: Arr.NonEmptyReadonlyArray<RetryCandidate<A, R>>
): Stream.Stream<A, ModelFault, R> =>
  orElseUnbegun(retried(candidate), (fault) => {
    const final = withMessage(fault, waiting(fault))
    if (!Arr.isReadonlyArrayNonEmpty(others) || fault.reason === "context_overflow") return Stream.fail(final)
    return Stream.unwrap(Effect.as(
      told(`Going on with ${others[0].name}: ${final.message}`),
      orElseUnbegun(firstOf(others), (next) => Stream.fail(withMessage(final, `${final.message}; and ${next.message}`)))
    ))
  })

export interface Model {
  /** The reference, `"<provider alias>/<model id>"`. */
  readonly id: string
  /** The provider's alias. */
  readonly provider: string
  /** Tokens. */
  readonly contextWindow: number
  /** Prices per million tokens, as configured. */
  readonly prices?: Provider["prices"]
  /** The built-in stand-in: its figures of tokens are estimates. */
  readonly isOffline?: boolean
  /** One response, with retries and fallbacks. */
  readonly ask: ModelStream
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

      const remote = yield* loadRemote.pipe(
        Effect.flatMap(({ make }) => make(proxy)),
        Scope.provide(scope),
        Effect.uninterruptible,
        Effect.cached
      )

      const asking = Effect.fnUntraced(function*({ model, provider }: NamedModel): Effect.fn.Return<ModelStream> {
        return provider.kind === "offline"
          ? OfflineModel.make({ configFile })
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
        const ask: ModelStream = (asked) =>
          firstOf(Arr.map(candidates, ({ ask, name }) => ({ name, stream: ask(asked) })))
        const { provider } = named
        return {
          id: reference,
          provider: provider.alias,
          contextWindow: provider.contextWindow,
          prices: provider.prices,
          isOffline: provider.kind === "offline",
          ask
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
