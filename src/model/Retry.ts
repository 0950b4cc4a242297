import { Array as Arr, Duration, Effect, Random, Stream } from "effect"
import { ModelFault } from "./ModelFault.ts"
import { Wishes } from "./ThoughtLevel.ts"

/** What may be asked: one way to the same answer, with a name for the log. */
export interface Candidate<A, R> {
  readonly name: string
  readonly stream: Stream.Stream<A, ModelFault, R>
}

const maxTries = 5

/** Milliseconds; a provider that wants a longer rest than this is not waited for. */
const longestRest = 60_000

/** One second, doubled each time up to thirty, and by up to a fourth more or less, so that not all come back at once. */
const rest = (tries: number) =>
  Effect.map(Random.next, (chance) => Math.min(1000 * 2 ** tries, 30_000) * (0.75 + chance / 2))

const seconds = (millis: number) => Duration.format(Duration.seconds(Math.ceil(millis / 1000)))

/** For the log, and for whoever waits. */
const told = Effect.fnUntraced(function*(message: string) {
  yield* Effect.logWarning(message)
  const { onDelay } = yield* Wishes
  if (onDelay !== undefined) yield* onDelay(message)
})

/** A first part has been seen: from here on, what fails has failed. */
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

const retried = <A, R>({ name, stream }: Candidate<A, R>, tries = 0): Stream.Stream<A, ModelFault, R> =>
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
 * Asks each candidate in turn, each again while that may help, until one has given its first part (spec §7). A prompt that is too
 * long goes to no other: it has to be shortened. When all fail, the first one's reason is what counts.
 */
export const firstOf = <A, R>(
  [candidate, ...others]: Arr.NonEmptyReadonlyArray<Candidate<A, R>>
): Stream.Stream<A, ModelFault, R> =>
  begun(retried(candidate), (fault) => {
    const final = withMessage(fault, waiting(fault))
    if (!Arr.isReadonlyArrayNonEmpty(others) || fault.reason === "context_overflow") return Stream.fail(final)
    return Stream.unwrap(Effect.as(
      told(`Going on with ${others[0].name}: ${final.message}`),
      begun(firstOf(others), (next) => Stream.fail(withMessage(final, `${final.message}; and ${next.message}`)))
    ))
  })
