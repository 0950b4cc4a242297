import { Effect } from "effect"
import type { RpcFault } from "../../rpc/Wire.ts"
import { Agents } from "../../session/lifecycle/Agents.ts"
import type { SessionFault } from "../../session/lifecycle/SessionFault.ts"
import { type MemoryEntry, MemoryRefused, MemoryStore } from "../../store/MemoryStore.ts"
import { caller, mayUse } from "../access/Access.ts"
import * as Errors from "../protocol/Errors.ts"
import { mapRpcErrors } from "../protocol/Errors.ts"
import { instant } from "../protocol/Contract.ts"
import { MemoryMethods } from "../protocol/AgentContracts.ts"

const longestPreview = 200

/** At most so many bytes, and no half character at the end. */
const preview = (content: string): string => {
  const bytes = Buffer.from(content)
  if (bytes.length <= longestPreview) return content
  let end = longestPreview
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return `${bytes.subarray(0, end).toString()}…`
}

const shown = (
  agent: string,
  { category, content, id, key, namespace, owner, score, sessionId, timestamp }: MemoryEntry,
  whole: boolean
) => ({
  id,
  key,
  content: whole ? content : preview(content),
  category,
  timestamp,
  session_id: sessionId,
  score,
  namespace,
  importance: null,
  superseded_by: null,
  kind: null,
  pinned: false,
  tenant_id: owner,
  agent_alias: agent,
  agent_id: null
})

const refused = <A, R>(effect: Effect.Effect<A, SessionFault | RpcFault | MemoryRefused, R>) =>
  mapRpcErrors(
    Effect.catchTag(effect, "MemoryRefused", ({ field, message }) => Effect.fail(Errors.invalid(message, field)))
  )

export const layer = MemoryMethods.toLayer(Effect.gen(function*() {
  const store = yield* MemoryStore
  const agents = yield* Agents

  /**
   * The memory of the agent that is named, or would be had by a session that names none: whoever is no admin has its own entries, and the
   * operator sees all. See docs/users.md#ownership.
   */
  const of = Effect.fnUntraced(function*({ agent: named }: { readonly agent?: string | null }) {
    const me = yield* caller
    const { alias } = yield* Effect.mapError(
      agents.resolve(named?.trim() || undefined),
      (error) => Errors.unresolved(error, "agent")
    )
    yield* mayUse(me, alias)
    return { alias, memory: yield* store.of(alias, me.admin ? "everybody" : { owner: me.id }) }
  })

  const list = (alias: string, found: ReadonlyArray<MemoryEntry>) => ({
    entries: found.map((entry) => shown(alias, entry, false)),
    count: found.length
  })

  return MemoryMethods.of({
    "memory/list": Effect.fnUntraced(function*({ category, session_id, ...asked }) {
      const { alias, memory } = yield* of(asked)
      return list(alias, yield* memory.list({ category: category ?? undefined, sessionId: session_id ?? undefined }))
    }, mapRpcErrors),

    "memory/search": Effect.fnUntraced(function*({ limit, query, session_id, since, until, ...asked }) {
      const { alias, memory } = yield* of(asked)
      return list(
        alias,
        yield* memory.search(query, {
          limit: limit ?? 10,
          sessionId: session_id ?? undefined,
          since: yield* instant("since", since),
          until: yield* instant("until", until)
        })
      )
    }, mapRpcErrors),

    "memory/get": Effect.fnUntraced(function*({ key, ...asked }) {
      const { alias, memory } = yield* of(asked)
      const found = yield* memory.get(key)
      return { entry: found === undefined ? null : shown(alias, found, true) }
    }, mapRpcErrors),

    "memory/store": Effect.fnUntraced(function*({ category, content, key, session_id, ...asked }) {
      const { memory } = yield* of(asked)
      yield* memory.store({ key, content, category: category ?? "user", sessionId: session_id ?? undefined })
      return { key, stored: true }
    }, refused),

    "memory/delete": Effect.fnUntraced(function*({ key, ...asked }) {
      const { memory } = yield* of(asked)
      return { key, deleted: yield* memory.remove(key) }
    }, mapRpcErrors)
  })
}))
