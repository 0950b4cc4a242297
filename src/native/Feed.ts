import { Deferred, Effect } from "effect"
import { newId } from "../session/Id.ts"

/** What happened, in order, as far back as `capacity` entries; readers keep their own place, and a slow one only loses entries. */
export interface Feed<A> {
  /** Another one with every start of the process. */
  readonly epoch: string
  /** Of the newest entry; 0 before the first. */
  readonly last: () => number
  /** Of the oldest entry that is still here; one more than `last` when there is none. */
  readonly first: () => number
  readonly at: (seq: number) => A | undefined
  readonly publish: (entry: A) => void
  readonly all: () => ReadonlyArray<{ readonly seq: number; readonly entry: A }>
  /** Done when there is an entry after this one. */
  readonly after: (seq: number) => Effect.Effect<void>
}

export const make = <A>(capacity: number): Feed<A> => {
  const entries = new Map<number, A>()
  let last = 0
  let changed = Deferred.makeUnsafe<void>()
  const first = () => last - entries.size + 1
  const after = (seq: number): Effect.Effect<void> =>
    Effect.suspend(() => last > seq ? Effect.void : Effect.andThen(Deferred.await(changed), after(seq)))
  return {
    epoch: newId(),
    last: () => last,
    first,
    at: (seq) => entries.get(seq),
    publish(entry) {
      entries.set(++last, entry)
      entries.delete(last - capacity)
      const woken = changed
      changed = Deferred.makeUnsafe()
      Deferred.doneUnsafe(woken, Effect.void)
    },
    all: () => Array.from(entries, ([seq, entry]) => ({ seq, entry })),
    after
  }
}
