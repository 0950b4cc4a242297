import { type Effect, Schema } from "effect"
import type { StoreFailed } from "./Stored.ts"

/** An entry that cannot be kept as it is; `message` is a sentence. */
export class MemoryRefused extends Schema.TaggedError<MemoryRefused>()("MemoryRefused", {
  field: Schema.Literals(["key", "content", "category", "namespace"]),
  message: Schema.String
}) {}

export interface MemoryEntry {
  readonly id: string
  readonly key: string
  readonly content: string
  readonly category: string
  readonly namespace: string
  /** The session it is about; `null`: none in particular. */
  readonly sessionId: string | null
  /** When it was last stored; ISO 8601, UTC. */
  readonly timestamp: string
  /** From 0 to 1, where something was searched for. */
  readonly score: number | null
  /** The principal it belongs to; `null`: the operator. */
  readonly owner: string | null
}

/**
 * Whose entries: those of one principal, `null` being the operator, or everybody's. An entry belongs to who stored it, or to the owner of
 * the session that did; to others than its owner and the operator it does not exist (docs/users.md#ownership).
 */
export type MemoryOwner = { readonly owner: string | null } | "everybody"

export interface NewMemory {
  readonly key: string
  readonly content: string
  readonly category: string
  readonly namespace?: string | undefined
  readonly sessionId?: string | undefined
}

export interface MemoryFilter {
  readonly category?: string | undefined
  readonly namespace?: string | undefined
  readonly sessionId?: string | undefined
  /** ISO 8601, UTC; `until` is not in it any more. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly limit?: number | undefined
}

/**
 * What one agent remembers for somebody. A key has one entry of each owner; storing it again replaces that. Of everybody's, the operator's
 * own is the one that is meant, or else the newest of that key; and what is stored is the operator's.
 */
export interface Memory {
  readonly store: (entry: NewMemory) => Effect.Effect<void, MemoryRefused | StoreFailed>
  readonly get: (key: string) => Effect.Effect<MemoryEntry | undefined, StoreFailed>
  /** Whether it was there. */
  readonly remove: (key: string) => Effect.Effect<boolean, StoreFailed>
  /** Newest first. */
  readonly list: (which: MemoryFilter) => Effect.Effect<ReadonlyArray<MemoryEntry>, StoreFailed>
  /** Best first; without any word to look for, as `list`. Any text is a question: nothing in it is syntax. */
  readonly search: (question: string, which: MemoryFilter) => Effect.Effect<ReadonlyArray<MemoryEntry>, StoreFailed>
  /** How many went. Without a namespace or a session nothing goes. */
  readonly purge: (which: Pick<MemoryFilter, "namespace" | "sessionId">) => Effect.Effect<number, StoreFailed>
  /** Conversation entries that were last stored before this, away. */
  readonly forgetConversation: (before: string) => Effect.Effect<void, StoreFailed>
}

export const maxKey = 256
/** In bytes of UTF-8. */
export const maxContent = 64 * 1024

/** A category or namespace: a word that needs no quoting anywhere. */
const isWord = (text: string) => /^[\p{L}\p{N}][\p{L}\p{N}_.:-]{0,63}$/u.test(text)

/** Why it cannot be kept as it is. */
export const refusal = ({ category, content, key, namespace = "default" }: NewMemory): MemoryRefused | undefined => {
  if (key.trim() === "" || key.length > maxKey || /[\u0000-\u001f\u007f]/.test(key)) {
    return new MemoryRefused({ field: "key", message: `A key has 1 to ${maxKey} characters on one line.` })
  }
  if (content.trim() === "") {
    return new MemoryRefused({ field: "content", message: "There is nothing to remember: the content is empty." })
  }
  if (Buffer.byteLength(content) > maxContent) {
    return new MemoryRefused({ field: "content", message: `A memory has at most ${maxContent} bytes.` })
  }
  const field = isWord(category) ? isWord(namespace) ? undefined : "namespace" : "category"
  return field && new MemoryRefused({ field, message: `A ${field} is one word of at most 64 characters.` })
}
