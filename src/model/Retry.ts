import { Array as Arr, Duration, Effect, Random, Stream } from "effect"
import { ModelFault } from "./ModelFault.ts"
import { RequestOptions } from "./RequestOptions.ts"

/** One model that may answer, with a name for the log. */
export interface RetryCandidate<A, R> {
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
  const { onDelay } = yield* RequestOptions
  if (onDelay !== undefined) yield* onDelay(message)
})

/** A first part was emitted: failures are final from here on. */
const begun = <A, R>(
  stream: Stream.Stream<A, ModelFault, R>,
  otherwise: (fault: ModelFault) => Stream.Stream<A, ModelFault, R>
) =>
  Stream.suspend(() => {
    let first = true
    return stream.pipe(
      Stream.mapArray((parts) => {
        first = false
        return parts
      }),
      Stream.catch((fault) => first ? otherwise(fault) : Stream.fail(fault))
    )
  })

const retried = <A, R>({ name, stream }: RetryCandidate<A, R>, tries = 0): Stream.Stream<A, ModelFault, R> =>
  begun(stream, (fault) => {
    const asked = fault.retryAfter ?? 0
    if (!fault.transient || tries + 1 >= maxTries || asked > longestRest) return Stream.fail(fault)
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
  begun(retried(candidate), (fault) => {
    const final = withMessage(fault, waiting(fault))
    if (!Arr.isReadonlyArrayNonEmpty(others) || fault.reason === "context_overflow") return Stream.fail(final)
    return Stream.unwrap(Effect.as(
      told(`Going on with ${others[0].name}: ${final.message}`),
      begun(firstOf(others), (next) => Stream.fail(withMessage(final, `${final.message}; and ${next.message}`)))
    ))
  })
