import { Effect } from "effect"
import type { SessionManagers } from "../../session/lifecycle/SessionManager.ts"
import { caller, mayTouch } from "../access/Access.ts"
import { ownerOf } from "./ClientSessions.ts"

const mostSessions = 100_000

/** The stored sessions of both modes that the caller may see. */
export const records = ({ acp, chat }: SessionManagers["Service"]) =>
  Effect.gen(function*() {
    const me = yield* caller
    const found = yield* Effect.forEach([chat, acp], ({ store }) => store.overview({ limit: mostSessions }))
    return found.flat().filter((record) => mayTouch(me, ownerOf(record)))
  })

/** Sums by a key, where there is something to sum. */
export const summed = <A>(items: ReadonlyArray<A>, key: (item: A) => string, amount: (item: A) => number) => {
  const sums: Record<string, number> = {}
  for (const item of items) sums[key(item)] = (sums[key(item)] ?? 0) + amount(item)
  return sums
}
