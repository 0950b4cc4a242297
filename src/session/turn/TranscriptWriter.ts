import { Effect } from "effect"
import type { TranscriptRow } from "../../store/SessionStore.ts"
import { type ContentBlock, type PlanEntry, textContent } from "../../domain/Content.ts"
import {
  type Compaction,
  isFinal,
  type Notice,
  type SessionEvent,
  type ToolCallState,
  type TranscriptEntry
} from "../../domain/SessionEvent.ts"
import { newId } from "../../domain/Id.ts"

/** The transcript of one running turn: an entry is recorded and published in one step, so that both always agree. */
export interface TranscriptWriter {
  readonly delta: (kind: "Agent" | "Thought", text: string) => Effect.Effect<void>
  /** The next delta starts a new message. */
  readonly endMessage: () => void
  /** The open message of the agent turned out to be a thought, and is one when the session is loaded. */
  readonly retract: () => void
  /** A message of a user to the running turn. It is recorded at once; the effect publishes it. */
  readonly user: (content: ReadonlyArray<ContentBlock>) => Effect.Effect<void>
  /** `printed`: what the command of the call printed since the last time. */
  readonly toolCall: (call: ToolCallState, printed?: string) => Effect.Effect<void>
  readonly plan: (entries: ReadonlyArray<PlanEntry>) => Effect.Effect<void>
  readonly notice: (notice: Omit<Notice, "messageId">) => Effect.Effect<void>
  readonly compaction: (compaction: Compaction) => Effect.Effect<void>
  /** Published only once `commit` has succeeded; otherwise the entry is undone. */
  readonly compacted: <E>(compaction: Compaction, commit: Effect.Effect<void, E>) => Effect.Effect<void, E>
  /** Marks the end of a turn that was cut off; the model does not see it. */
  readonly interrupted: (text: string) => void
  readonly openCalls: () => ReadonlyArray<ToolCallState>
  /** Rows written or changed since the last call. */
  readonly takeChanges: () => ReadonlyArray<TranscriptRow>
  /** Counts rows that could not be saved as changed again. */
  readonly giveBack: (rows: ReadonlyArray<TranscriptRow>) => void
  /** The last message of the agent. */
  readonly text: () => string
}

/** The final state of a call that was still open when its turn ended. */
export const cutOff = (call: ToolCallState): ToolCallState => ({
  ...call,
  status: "failed",
  content: [...call.content, textContent("Cancelled before it finished.")]
})

/** `position` is the first free place in the session's transcript. */
export const make = (position: number, publish: (event: SessionEvent) => Effect.Effect<void>): TranscriptWriter => {
  const rows = new Map<number, TranscriptEntry>()
  const changed = new Set<number>()
  const callAt = new Map<string, number>()
  let next = position
  let open:
    | { readonly at: number; readonly kind: "Agent" | "Thought"; readonly messageId: string; text: string }
    | undefined
  const compactionAt = new Map<string, number>()
  let planAt: number | undefined

  const put = (at: number, entry: TranscriptEntry) => {
    rows.set(at, entry)
    changed.add(at)
  }
  /** The text of the open message becomes a row only when rows are read. */
  const settle = () => {
    if (open) rows.set(open.at, { _tag: open.kind, messageId: open.messageId, text: open.text })
  }
  const endMessage = () => {
    settle()
    open = undefined
  }

  const putCompaction = (compaction: Compaction) => {
    endMessage()
    const at = compactionAt.get(compaction.compactionId) ?? next++
    compactionAt.set(compaction.compactionId, at)
    const before = rows.get(at)
    put(at, { _tag: "Compaction", compaction })
    return () => before && put(at, before)
  }

  return {
    delta: (kind, text) =>
      Effect.suspend(() => {
        if (text === "") return Effect.void
        if (open?.kind !== kind) {
          endMessage()
          open = { at: next++, kind, messageId: newId(), text: "" }
        }
        open.text += text
        changed.add(open.at)
        return publish({ _tag: "Delta", kind, messageId: open.messageId, text })
      }),
    endMessage,
    retract() {
      if (open?.kind === "Agent") open = { ...open, kind: "Thought" }
      endMessage()
    },
    user(content) {
      endMessage()
      const said = { messageId: newId(), content }
      put(next++, { _tag: "User", ...said })
      return publish({ _tag: "UserSaid", ...said })
    },
    toolCall: (call, printed) =>
      Effect.suspend(() => {
        endMessage()
        const known = callAt.get(call.toolCallId)
        const at = known ?? next++
        callAt.set(call.toolCallId, at)
        put(at, { _tag: "ToolCall", call })
        return publish(
          known === undefined
            ? { _tag: "ToolCallStarted", call }
            : { _tag: "ToolCallChanged", call, final: isFinal(call), ...(printed === undefined ? {} : { printed }) }
        )
      }),
    plan: (entries) =>
      Effect.suspend(() => {
        planAt ??= next++
        put(planAt, { _tag: "Plan", entries })
        return publish({ _tag: "PlanChanged", entries })
      }),
    notice: (notice) =>
      Effect.suspend(() => {
        endMessage()
        const said = { messageId: newId(), ...notice }
        put(next++, { _tag: "Notice", notice: said })
        return publish({ _tag: "Notice", ...said })
      }),
    compaction: (compaction) =>
      Effect.suspend(() => {
        putCompaction(compaction)
        return publish({ _tag: "CompactionChanged", compaction })
      }),
    compacted: (compaction, commit) =>
      Effect.suspend(() => {
        const undo = putCompaction(compaction)
        return Effect.onError(commit, () => Effect.sync(undo))
      }).pipe(Effect.andThen(publish({ _tag: "CompactionChanged", compaction }))),
    interrupted(text) {
      endMessage()
      put(next++, { _tag: "Interrupted", messageId: newId(), text })
    },
    openCalls: () =>
      Array.from(callAt.values(), (at) => rows.get(at)).flatMap((entry) =>
        entry?._tag === "ToolCall" && !isFinal(entry.call) ? [entry.call] : []
      ),
    takeChanges() {
      settle()
      const taken = Array.from(changed).sort((a, b) => a - b).map((at) => ({ position: at, entry: rows.get(at)! }))
      changed.clear()
      return taken
    },
    giveBack: (taken) => taken.forEach((row) => changed.add(row.position)),
    text() {
      settle()
      const messages = Array.from(rows).flatMap(([at, row]) => row._tag === "Agent" ? [{ at, text: row.text }] : [])
      return messages.sort((a, b) => a.at - b.at).at(-1)?.text ?? ""
    }
  }
}
