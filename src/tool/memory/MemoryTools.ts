import { DateTime, Effect, Option, Schema } from "effect"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import type { Memory, MemoryEntry, MemoryFilter } from "../../store/MemoryStore.ts"
import * as Tool from "../Tool.ts"

const key = Schema.NonEmptyString.annotate({
  description: "A short name for it; storing under the same name replaces what was there"
})
const time = (description: string) =>
  Tool.optional(Schema.String, `${description} (RFC 3339, such as 2026-03-01T00:00:00Z)`)
const word = (description: string) => Tool.optional(Schema.String, description)

const Kept = Schema.Struct({
  key,
  content: Schema.String.annotate({ description: "What to remember, in words that make sense on their own" }),
  category: word("core (default; lasting facts and preferences), daily, conversation, or a word of your own")
})

const Question = Schema.Struct({
  query: word("What to look for; absent or * for the newest entries"),
  limit: Tool.optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })),
    "Number of entries; 5 when absent"
  ),
  since: time("Only what was stored then or later"),
  until: time("Only what was stored before"),
  search_mode: Tool.optional(Schema.Literals(["bm25", "embedding", "hybrid"]), "All of them search by words here")
})

const Forgotten = Schema.Struct({
  key: Schema.NonEmptyString.annotate({ description: "The name it was stored under" })
})

const Selection = Schema.Struct({
  namespace: word("Only of this namespace"),
  session_id: word("Only of this session"),
  category: word("Only of this category"),
  since: time("Only what was stored then or later"),
  until: time("Only what was stored before")
})

const Purged = Schema.Struct({
  namespace: word("Everything of this namespace"),
  session_id: word("Everything of this session")
})

const orFail = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>) =>
  Effect.mapError(effect, ({ message }) => Tool.fail(message))

const instant = Effect.fnUntraced(function*(name: string, text: string | null | undefined) {
  if (text === undefined || text === null) return undefined
  const date = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/.test(text)
    ? DateTime.make(text)
    : Option.none()
  return Option.isSome(date)
    ? DateTime.formatIso(date.value)
    : yield* Tool.fail(`${name} is not a date and time such as 2026-03-01T00:00:00Z.`)
})

const between = Effect.fnUntraced(function*(given: { readonly since?: string | null; readonly until?: string | null }) {
  const since = yield* instant("since", given.since)
  const until = yield* instant("until", given.until)
  if (since !== undefined && until !== undefined && since >= until) {
    return yield* Tool.fail("since must be before until.")
  }
  return { since, until }
})

const line = ({ category, content, key, score }: MemoryEntry): string =>
  `- [${category}] ${key}: ${content}${score === null ? "" : ` [${Math.round(score * 100)}%]`}`

/**
 * The memory tools of one chat session: exactly these five (docs/tools.md#memory-tools), about the memory of its owner.
 * They are never part of the built-in ones.
 */
export const make = (memory: Memory, sessionId: string): ReadonlyMap<string, Tool.AnyTool> => {
  const store = Tool.make<typeof Kept.Type>({
    name: "memory_store",
    description: "Remember something beyond this session: a fact, a preference, a decision. Not for secrets.",
    parameters: Kept,
    kind: "other",
    capabilities: ["rw"],
    needs: () => ToolRequirements.kept("rw"),
    preview: ({ key }) => Effect.succeed({ title: `Remember ${Tool.firstLine(key, 80)}` }),
    run: ({ category, content, key }) =>
      orFail(
        memory.store({
          key,
          content,
          category: category ?? "core",
          sessionId: category === "conversation" ? sessionId : undefined
        })
      )
        .pipe(Effect.as(Tool.said(`Stored memory: ${key}`)))
  })

  const recall = Tool.make<typeof Question.Type>({
    name: "memory_recall",
    description: "Look for what was remembered in this and earlier sessions.",
    parameters: Question,
    kind: "search",
    capabilities: ["ro"],
    origin: "local",
    needs: () => ToolRequirements.kept("ro"),
    preview: ({ query }) =>
      Effect.succeed({ title: query ? `Recall ${Tool.firstLine(query, 80)}` : "Recall the newest memories" }),
    run: Effect.fnUntraced(function*({ limit, query, ...given }) {
      const which: MemoryFilter = { ...yield* between(given), limit: limit ?? 5 }
      const asked = query?.trim() ?? ""
      const found = yield* orFail(asked === "" || asked === "*" ? memory.list(which) : memory.search(asked, which))
      return found.length === 0 ? Tool.said("No memories found.") : { text: found.map(line).join("\n") }
    })
  })

  const forget = Tool.make<{ readonly key: string }>({
    name: "memory_forget",
    description: "Forget one entry of the memory.",
    parameters: Forgotten,
    kind: "delete",
    capabilities: ["rw"],
    needs: () => ToolRequirements.kept("rw"),
    preview: ({ key }) => Effect.succeed({ title: `Forget ${Tool.firstLine(key, 80)}` }),
    run: ({ key }) =>
      Effect.map(
        orFail(memory.remove(key)),
        (found) => Tool.said(found ? `Forgot memory: ${key}` : `No memory found with key: ${key}`)
      )
  })

  const exported = Tool.make<typeof Selection.Type>({
    name: "memory_export",
    description: "Give entries of the memory as JSON.",
    parameters: Selection,
    kind: "read",
    capabilities: ["ro"],
    origin: "local",
    needs: () => ToolRequirements.kept("ro"),
    preview: () => Effect.succeed({ title: "Export memories" }),
    run: Effect.fnUntraced(function*({ category, namespace, session_id, ...given }) {
      const which = {
        category: category ?? undefined,
        namespace: namespace ?? undefined,
        sessionId: session_id ?? undefined
      }
      const found = yield* orFail(memory.list({ ...which, ...yield* between(given) }))
      return {
        text: JSON.stringify(
          found.map(({ owner: _owner, score: _score, sessionId, ...entry }) => ({ ...entry, session_id: sessionId })),
          null,
          2
        )
      }
    })
  })

  const purge = Tool.make<typeof Purged.Type>({
    name: "memory_purge",
    description: "Forget everything of a namespace, of a session, or of a session in a namespace.",
    parameters: Purged,
    kind: "delete",
    capabilities: ["rw"],
    needs: () => ToolRequirements.kept("rw"),
    preview: ({ namespace, session_id }) =>
      Effect.succeed({
        title: `Forget all memories of ${
          Tool.firstLine([namespace, session_id].filter((one) => one).join(", ") || "nothing", 80)
        }`
      }),
    run: Effect.fnUntraced(function*({ namespace, session_id }) {
      if (!namespace && !session_id) return yield* Tool.fail("Name a namespace or a session_id.")
      const gone = yield* orFail(
        memory.purge({ namespace: namespace || undefined, sessionId: session_id || undefined })
      )
      return Tool.said(`Purged ${gone} ${gone === 1 ? "memory" : "memories"}.`)
    })
  })

  return new Map<string, Tool.AnyTool>([store, recall, forget, exported, purge].map((tool) => [tool.name, tool]))
}
