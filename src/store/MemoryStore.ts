import { join } from "node:path"
import { Clock, Context, DateTime, Effect, Layer, Scope, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import * as Memory from "./Memory.ts"
import type * as Entry from "./MemoryEntry.ts"
import { steps } from "./MemorySteps.ts"
import { migrate } from "./Migrations.ts"
import * as Sqlite from "./Sqlite.ts"
import { guard } from "./StorageFault.ts"
import type { StoreFailed } from "./Stored.ts"

export type { Memory, MemoryEntry, MemoryFilter, MemoryOwner, NewMemory } from "./MemoryEntry.ts"
export { MemoryRefused } from "./MemoryEntry.ts"

/** Letters, digits, `_` and `-` as they are, so that no alias leads out of the folder or to another agent's file. */
const fileOf = (agent: string) =>
  `${encodeURIComponent(agent).replace(/[.!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)}.db`

const day = 86_400_000

/**
 * The long-term memory of the agents, one SQLite file each, opened when it is first asked for. Only chat sessions may be given it:
 * what an ACP session does must not depend on what others did before (docs/sessions.md#chat-and-acp-sessions).
 */
export class MemoryStore extends Context.Service<MemoryStore, {
  /** The operator's, where nobody is named. Fails as long as the file cannot be used; the next call tries again. */
  readonly of: (agent: string, whose?: Entry.MemoryOwner) => Effect.Effect<Entry.Memory, StoreFailed>
}>()("postern/store/MemoryStore") {
  /** Conversation entries older than `retentionDays` go when a file is opened, and when the number has changed; 0 keeps them. */
  static readonly layer = (folder: string, retentionDays = () => 30): Layer.Layer<MemoryStore> =>
    Layer.effect(MemoryStore, make(folder, retentionDays))
}

/** One agent's, with what was asked for of it: the same memory for the same owner. */
interface File {
  readonly everybodys: Entry.Memory
  readonly of: (whose: Entry.MemoryOwner) => Effect.Effect<Entry.Memory>
  readonly owners: Map<string | null, Entry.Memory>
  /** Of conversations, when the old ones last went. */
  days: number
}

const make = Effect.fnUntraced(function*(folder: string, retentionDays: () => number) {
  const scope = yield* Effect.scope
  const opened = new Map<string, File>()
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)

  const connect = Effect.fnUntraced(function*(file: string) {
    const guarded = guard(file)
    const sql = yield* guarded(Sqlite.make(file))
    yield* Effect.provideService(guarded(migrate(file, steps)), SqlClient.SqlClient, sql)
    const of = (whose: Entry.MemoryOwner) =>
      Effect.provideService(Memory.make(guarded, whose), SqlClient.SqlClient, sql)
    return { everybodys: yield* of("everybody"), of, owners: new Map(), days: 0 } satisfies File
  })

  const forgetOld = Effect.fnUntraced(function*(file: File) {
    const days = retentionDays()
    if (days === file.days) return
    if (days > 0) {
      const before = (yield* Clock.currentTimeMillis) - days * day
      yield* file.everybodys.forgetConversation(DateTime.formatIso(DateTime.makeUnsafe(before)))
    }
    file.days = days
  })

  const open = Effect.fnUntraced(function*(agent: string) {
    const there = opened.get(agent)
    if (there !== undefined) return yield* Effect.as(forgetOld(there), there)
    const own = yield* Scope.fork(scope)
    const made = yield* connect(join(folder, fileOf(agent))).pipe(
      Effect.tap(forgetOld),
      Scope.provide(own),
      Effect.onExit((exit) => exit._tag === "Failure" ? Scope.close(own, exit) : Effect.void)
    )
    opened.set(agent, made)
    return made
  }, oneAtATime)

  return MemoryStore.of({
    of: Effect.fnUntraced(function*(agent, whose = { owner: null }) {
      const { everybodys, of, owners } = yield* open(agent)
      if (whose === "everybody") return everybodys
      const known = owners.get(whose.owner)
      if (known !== undefined) return known
      const made = yield* of(whose)
      owners.set(whose.owner, made)
      return made
    })
  })
})
