import { Deferred, Effect } from "effect"
import { newId } from "../../domain/Id.ts"

/** The numbers of a feed's entries. */
export interface FeedPosition {
  /** Another one with every start of the process. */
  readonly epoch: string
  /** Of the newest entry; 0 before the first. */
  readonly last: () => number
  /** Of the oldest entry that is kept; one more than `last` when there is none. */
  readonly first: () => number
  /** Done when there is an entry after this one. */
  readonly after: (seq: number) => Effect.Effect<void>
}

/**
 * The last `capacity` entries in order. Each reader keeps its own position; a slow reader loses entries and delays no
 * other.
 */
export interface Feed<A> extends FeedPosition {
  readonly at: (seq: number) => A | undefined
  readonly publish: (entry: A) => void
  /** Drops the entries before that one. */
  readonly forget: (before: number) => void
  readonly all: () => ReadonlyArray<{ readonly seq: number; readonly entry: A }>
}

/** Limits the number of entries and, with `weigh`, their total weight; the newest entry is always kept. */
export const make = <A>(
  capacity: number,
  { most, weigh }: { readonly most: number; readonly weigh: (entry: A) => number } = { most: 0, weigh: () => 0 }
): Feed<A> => {
  const entries = new Map<number, { readonly entry: A; readonly weight: number }>()
  let last = 0
  let weight = 0
  let changed = Deferred.makeUnsafe<void>()
  const first = () => last - entries.size + 1
  const drop = (seq: number) => {
    weight -= entries.get(seq)?.weight ?? 0
    entries.delete(seq)
  }
  const after = (seq: number): Effect.Effect<void> =>
    Effect.suspend(() => last > seq ? Effect.void : Effect.andThen(Deferred.await(changed), after(seq)))
  return {
    epoch: newId(),
    last: () => last,
    first,
    at: (seq) => entries.get(seq)?.entry,
    publish(entry) {
      const kept = { entry, weight: weigh(entry) }
      entries.set(++last, kept)
      weight += kept.weight
      while (entries.size > capacity || (weight > most && entries.size > 1)) drop(first())
      const woken = changed
      changed = Deferred.makeUnsafe()
      Deferred.doneUnsafe(woken, Effect.void)
    },
    forget(before) {
      while (entries.size > 0 && first() < before) drop(first())
    },
    all: () => Array.from(entries, ([seq, { entry }]) => ({ seq, entry })),
    after
  }
}
