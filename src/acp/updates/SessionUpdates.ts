import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Predicate } from "effect"
import {
  type Compaction,
  isFinal,
  type Notice,
  type SessionEvent,
  type ToolCallState,
  type TranscriptEntry,
  type Usage
} from "../../domain/SessionEvent.ts"
import { type ContentBlock, textContent, textsOf, type ToolCallItem } from "../../domain/Content.ts"
import { planTool } from "../../domain/ToolName.ts"
import * as Attachments from "../../workspace/Attachments.ts"
import * as Content from "../../domain/Content.ts"
import type { ClientCapabilities } from "../protocol/Capabilities.ts"
import type { SessionUpdate } from "../protocol/SessionUpdate.ts"
import type { Connection } from "../../rpc/Peer.ts"
import type { Session } from "../../session/lifecycle/Session.ts"
import type { AcpConnectionState, DialectName } from "../AcpConnection.ts"
import { HistoryTrimmed, SessionUpdated } from "../protocol/ClientMethods.ts"
import type { CallFields, KnownCalls } from "./KnownCalls.ts"
import { shownItem } from "./ShownItem.ts"
import * as TerminalOutput from "./TerminalOutput.ts"
import { sessionOptions } from "../ConfigOptions.ts"
import type { SessionFiles } from "../../session/SessionFiles.ts"
import type { SessionStore } from "../../store/SessionStore.ts"

const prefix = "attachment://deliver/"

const embedItem = (
  kept: SessionFiles,
  item: ToolCallItem
): Effect.Effect<ToolCallItem, Attachments.AttachmentFault> => {
  if (item.type !== "content" || item.content.type !== "resource_link" || !item.content.uri.startsWith(prefix)) {
    return Effect.succeed(item)
  }
  const { mimeType, uri } = item.content
  return Effect.map(Attachments.loadFrom(kept.folders, uri.slice(prefix.length)), (bytes): ToolCallItem => ({
    type: "content",
    content: {
      type: "resource",
      resource: { uri, blob: bytes.toString("base64"), ...(mimeType === undefined ? {} : { mimeType }) }
    }
  }))
}

const isDelivery = (item: ToolCallItem) =>
  item.type === "content" && item.content.type === "resource_link" && item.content.uri.startsWith(prefix)

/**
 * Puts the bytes of delivered files into an outgoing call. Each file is read and hashed again; a file that changed
 * since it was delivered is left out, and the call says so. See docs/agent-client-protocol.md#deliveries.
 */
const embedDelivered = (kept: SessionFiles, call: ToolCallState): Effect.Effect<ToolCallState> =>
  call.content.some(isDelivery)
    ? Effect.forEach(call.content, (item) => embedItem(kept, item)).pipe(
      Effect.map((content): ToolCallState => ({ ...call, content })),
      Effect.catch(({ detail }) =>
        Effect.succeed<ToolCallState>({
          ...call,
          status: "failed",
          content: [
            ...call.content.filter((item) => !isDelivery(item)),
            textContent(`The file could not be attached: ${detail}`)
          ]
        })
      )
    )
    : Effect.succeed(call)

/** An image of a prompt with its bytes; one that changed since the prompt becomes a link. */
const withImage = (kept: SessionFiles, block: ContentBlock): Effect.Effect<ContentBlock> => {
  if (block.type !== "image" || block.data !== "" || !block.uri?.startsWith("file://")) return Effect.succeed(block)
  const { mimeType, uri } = block
  const name = basename(fileURLToPath(uri))
  return Attachments.loadFrom(kept.folders, name).pipe(
    Effect.map((bytes): ContentBlock => ({ ...block, data: bytes.toString("base64") })),
    Effect.orElseSucceed((): ContentBlock => ({ type: "resource_link", uri, name, mimeType }))
  )
}

/**
 * Notices and compactions: as the updates of that name for clients that announce them, else as a thought, so that no
 * client takes them for an answer. Notices are live only; what went out as a thought is replayed as the same thought. See
 * docs/agent-client-protocol.md#session-updates.
 */

const thought = (messageId: string, text: string): SessionUpdate => ({
  sessionUpdate: "agent_thought_chunk",
  messageId,
  // Clients that join chunks without a look at their ids show it as a line of its own.
  content: Content.text(`${text}\n`)
})

const takesNotices = (capabilities: ClientCapabilities) => capabilities.session?.notices !== undefined

const noticeUpdates = (
  capabilities: ClientCapabilities,
  { description, messageId, severity, title }: Notice
): ReadonlyArray<SessionUpdate> =>
  takesNotices(capabilities)
    ? [{ sessionUpdate: "notice", severity, title, ...(description === undefined ? {} : { description }) }]
    : [thought(messageId, description === undefined ? title : `${title}: ${description}`)]

const replayedNoticeUpdates = (capabilities: ClientCapabilities, said: Notice): ReadonlyArray<SessionUpdate> =>
  takesNotices(capabilities) ? [] : noticeUpdates(capabilities, said)

/** The notice of a completed compaction, for clients that do not know compactions. */
const noticeOf = ({ compactionId, status, tokens }: Compaction): Notice | undefined =>
  status !== "completed" ? undefined : {
    messageId: compactionId,
    severity: "info",
    title: "The conversation was summarised for the model" +
      (tokens === undefined
        ? "."
        : `: about ${tokens[0].toLocaleString("en")} tokens became ${tokens[1].toLocaleString("en")}.`)
  }

const update = ({ compactionId, error, status, summary }: Compaction): SessionUpdate => ({
  sessionUpdate: "compaction_update",
  compactionId,
  status,
  ...(status === "completed" && summary !== undefined ? { summary: [Content.text(summary)] } : {}),
  ...(status === "failed" && error !== undefined ? { error } : {})
})

const compactionUpdates = (
  capabilities: ClientCapabilities,
  state: Compaction,
  say: typeof noticeUpdates = noticeUpdates
): ReadonlyArray<SessionUpdate> => {
  if (capabilities.session?.compaction !== undefined) return [update(state)]
  const said = noticeOf(state)
  return said === undefined ? [] : say(capabilities, said)
}

const compactionSummaryUpdates = (
  capabilities: ClientCapabilities,
  compactionId: string,
  text: string
): ReadonlyArray<SessionUpdate> =>
  capabilities.session?.compaction === undefined
    ? []
    : [{ sessionUpdate: "compaction_summary_chunk", compactionId, content: Content.text(text) }]

/**
 * Session events as `session/update`s, live and replayed, in the dialect of the connection. See
 * docs/agent-client-protocol.md#session-updates.
 */

const chunkOf = { Agent: "agent_message_chunk", Thought: "agent_thought_chunk" } as const

const chunk = (
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  messageId: string,
  content: ContentBlock
): SessionUpdate => ({ sessionUpdate, messageId, content })

/** What a program reads of a finished call: its output without fences, beside what the tool itself has to say. */
const rawOutputOf = ({ content, rawOutput, status }: ToolCallState): unknown => {
  if (rawOutput !== undefined && (!Predicate.isObject(rawOutput) || "output" in rawOutput || "content" in rawOutput)) {
    return rawOutput
  }
  const output = textsOf(content.filter(({ type }) => type === "output"))
  const isCutOff = status === "failed" && rawOutput === undefined
  // A call whose process died has no end that could be reported.
  if (isCutOff && output.length === content.length) return undefined
  const texts = output.length > 0 && !isCutOff ? output : textsOf(content)
  return texts.length === 0 ? rawOutput : { output: texts.join("\n"), ...rawOutput }
}

/** `shown` is the call as the client shows it, which differs where that is a terminal. */
const fieldsOf = (call: ToolCallState, shown: ToolCallState = call): CallFields => ({
  title: call.title,
  name: call.name,
  kind: call.kind,
  status: call.status,
  content: shown.content.map(shownItem),
  locations: call.locations,
  ...(call.rawInput === undefined ? {} : { rawInput: call.rawInput }),
  ...(isFinal(call) ? { rawOutput: rawOutputOf(call) } : {})
})

/** Without lists that are empty. */
const written = ({ content, locations, ...fields }: CallFields) => ({
  ...fields,
  ...(content.length === 0 ? {} : { content }),
  ...(locations.length === 0 ? {} : { locations })
})

const isSame = (one: unknown, other: unknown): boolean => one === other || JSON.stringify(one) === JSON.stringify(other)

/** What a client that was sent `before` does not know. */
const changedFields = (before: Partial<CallFields> | undefined, now: CallFields): Partial<CallFields> =>
  before === undefined
    ? written(now)
    : Object.fromEntries(
      Object.entries(now).filter(([key, value]) => !isSame(before[key as keyof CallFields], value))
    )

const textOf = ({ content }: ToolCallState) => textsOf(content).join("\n")

/** ZeroClaw's clients read the output as text, in `rawOutput` and `body`. */
const withBody = (call: ToolCallState) => ({
  name: call.name,
  status: call.status,
  rawOutput: textOf(call),
  body: textOf(call)
})

type Meta = TerminalOutput.ShownCall["_meta"]

const toolCall = (call: ToolCallState, fields: CallFields, _meta?: Meta): SessionUpdate => ({
  sessionUpdate: "tool_call",
  toolCallId: call.toolCallId,
  ...written(fields),
  ...(_meta === undefined ? {} : { _meta })
})

const toolCallUpdate = (
  { toolCallId }: ToolCallState,
  fields: Partial<CallFields> & { readonly body?: string },
  _meta?: Meta
): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  ...fields,
  ...(_meta === undefined ? {} : { _meta })
})

const isPlan = ({ name }: ToolCallState): boolean => name === planTool

/** A change of the plan is shown as the plan; only a failure to change it is a call. */
const isHidden = (call: ToolCallState): boolean => isPlan(call) && call.status !== "failed"

/** One call in its final form for ACP clients; a call and then its result for ZeroClaw's clients. */
const replayedCall = (
  dialect: DialectName,
  call: ToolCallState,
  { _meta, after, call: shown }: ReturnType<Display["replayed"]>
): ReadonlyArray<SessionUpdate> => {
  if (dialect === "acp") {
    return [toolCall(call, fieldsOf(call, shown), _meta), ...after.map((meta) => toolCallUpdate(call, {}, meta))]
  }
  const fields = fieldsOf({ ...call, status: "completed" })
  return [toolCall(call, fields), toolCallUpdate(call, { ...changedFields(fields, fieldsOf(call)), ...withBody(call) })]
}

type Display = ReturnType<typeof TerminalOutput.make>

/** Splits text into blocks that fit into a message of 32 MiB however they are escaped. */
const textBlocks = (text: string): ReadonlyArray<ContentBlock> =>
  Array.from(
    { length: Math.max(1, Math.ceil(text.length / blockLength)) },
    (_, index) => ({ type: "text", text: text.slice(index * blockLength, (index + 1) * blockLength) })
  )

const blockLength = 4 * 1024 * 1024

const userBlocks = (content: ContentBlock): ReadonlyArray<ContentBlock> =>
  content.type === "text" && content.text.length > blockLength ? textBlocks(content.text) : [content]

const replayed = (
  { capabilities, dialect }: AcpConnectionState,
  display: Display,
  entry: TranscriptEntry
): ReadonlyArray<SessionUpdate> => {
  switch (entry._tag) {
    case "User":
      return entry.content.flatMap(userBlocks).map((content) => chunk("user_message_chunk", entry.messageId, content))
    case "Agent":
    case "Thought":
      return textBlocks(entry.text).map((content) => chunk(chunkOf[entry._tag], entry.messageId, content))
    case "Interrupted":
      return [chunk("agent_message_chunk", entry.messageId, { type: "text", text: entry.text })]
    case "ToolCall": {
      if (isHidden(entry.call)) return []
      const call = TerminalOutput.withoutTerminals(entry.call)
      return replayedCall(dialect, call, display.replayed(call))
    }
    case "Plan":
      return [planUpdate(dialect, entry.entries)]
    case "Notice":
      return replayedNoticeUpdates(capabilities, entry.notice)
    case "Compaction":
      return compactionUpdates(capabilities, entry.compaction, replayedNoticeUpdates)
  }
}

/** An entry has three keys in ACP, and `activeForm` as a fourth for ZeroClaw's clients. */
const planUpdate = (
  dialect: AcpConnectionState["dialect"],
  entries: Extract<TranscriptEntry, { readonly _tag: "Plan" }>["entries"]
): SessionUpdate => ({
  sessionUpdate: "plan",
  entries: dialect === "zeroclaw"
    ? entries
    : entries.map(({ content, priority, status }) => ({ content, priority, status }))
})

export const usageUpdate = ({ cost, size, used }: Usage): SessionUpdate => ({
  sessionUpdate: "usage_update",
  used,
  size,
  ...(cost === undefined ? {} : { cost: { amount: cost, currency: "USD" } })
})

/** A serialised message with room for text: the rest is the same for all deltas of one agent message. */
const deltaFrame = (sessionId: string, kind: "Agent" | "Thought", messageId: string) => {
  const frame = JSON.stringify({
    jsonrpc: "2.0",
    method: "session/update",
    params: { sessionId, update: chunk(chunkOf[kind], messageId, { type: "text", text: "" }) }
  })
  const at = frame.lastIndexOf("\"\"")
  const [before, after] = [frame.slice(0, at), frame.slice(at + 2) + "\n"]
  return (text: string) => before + JSON.stringify(text) + after
}

/** The updates of one session on one connection; a client that was there before brings the calls that it knows. */
export const make = (state: AcpConnectionState, session: Session, known: KnownCalls = new Map()) => {
  const { files, policy: { settings }, sessionId, workspace: { cwd } } = session
  let message = { messageId: "", frame: (text: string) => text }
  const peer: Connection["Service"] = state.peer
  const display = TerminalOutput.make(state, cwd)
  const notify = (update: SessionUpdate) => peer.notify(SessionUpdated, { sessionId, update })

  const begun = (call: ToolCallState) => {
    const { _meta, call: shown } = display.started(call)
    const fields = fieldsOf(call, shown)
    if (!isFinal(call)) known.set(call.toolCallId, fields)
    return notify(toolCall(call, fields, _meta))
  }

  const updated = (event: Extract<SessionEvent, { readonly _tag: "ToolCallChanged" }>) => {
    const { call, final } = event
    const before = known.get(call.toolCallId)
    const { _meta, before: first, call: shown } = display.changed(event)
    const now = fieldsOf(call, shown)
    if (final) known.delete(call.toolCallId)
    else known.set(call.toolCallId, now)
    // With its end a terminal is shown once more, for clients that took something else for the content meanwhile.
    const fields = { ...changedFields(before, now), ...(final && _meta ? { content: now.content } : {}) }
    if (state.dialect === "zeroclaw") return notify(toolCallUpdate(call, { ...fields, ...withBody(call) }))
    const sent = Object.keys(fields).length === 0 && _meta === undefined
      ? Effect.void
      : notify(toolCallUpdate(call, fields, _meta))
    return first === undefined ? sent : Effect.andThen(notify(toolCallUpdate(call, {}, first)), sent)
  }

  /** Before the client is asked about a call: it has to know the call, and the question takes the place of its content. */
  const asked = (call: ToolCallState): Effect.Effect<void> =>
    Effect.suspend(() => {
      const shown = known.has(call.toolCallId) ? Effect.void : begun(call)
      return Effect.andThen(
        shown,
        Effect.sync(() => {
          const { content: _, ...fields } = known.get(call.toolCallId) ?? {}
          known.set(call.toolCallId, fields)
        })
      )
    })

  const notifyAll = (updates: ReadonlyArray<SessionUpdate>) => Effect.forEach(updates, notify, { discard: true })

  const publish = (event: SessionEvent): Effect.Effect<void> => {
    switch (event._tag) {
      case "Delta": {
        if (message.messageId !== event.messageId) {
          message = { messageId: event.messageId, frame: deltaFrame(sessionId, event.kind, event.messageId) }
        }
        return peer.post({ key: event.messageId, text: event.text, frame: message.frame })
      }
      case "ToolCallStarted":
        return isPlan(event.call) && event.call.status !== "failed" ? Effect.void : begun(event.call)
      case "ToolCallChanged": {
        const isNew = isPlan(event.call) && !known.has(event.call.toolCallId)
        if (isNew && event.call.status !== "failed") return Effect.void
        // ZeroClaw's clients read any update as the end of the call.
        if (state.dialect === "zeroclaw" && !event.final) return Effect.void
        const before = isNew ? begun({ ...event.call, status: "pending", content: [] }) : Effect.void
        return Effect.andThen(
          before,
          Effect.flatMap(embedDelivered(files, event.call), (call) => updated({ ...event, call }))
        )
      }
      case "PlanChanged":
        return notify(planUpdate(state.dialect, event.entries))
      case "InfoChanged":
        return notify({ sessionUpdate: "session_info_update", title: event.title, updatedAt: event.updatedAt })
      case "PolicyChanged":
        return Effect.andThen(
          notify({ sessionUpdate: "current_mode_update", currentModeId: settings().values.work_mode }),
          notify({ sessionUpdate: "config_option_update", configOptions: sessionOptions(session) })
        )
      case "OptionsChanged":
        return notify({ sessionUpdate: "config_option_update", configOptions: sessionOptions(session) })
      case "UserSaid":
        return replay({ ...event, _tag: "User" })
      case "Notice":
        return notifyAll(noticeUpdates(state.capabilities, event))
      case "CompactionChanged":
        return notifyAll(compactionUpdates(state.capabilities, event.compaction))
      case "CompactionSummary":
        return notifyAll(compactionSummaryUpdates(state.capabilities, event.compactionId, event.text))
      case "HistoryTrimmed": {
        const { droppedMessages, keptTurns, reason } = event
        return state.dialect === "zeroclaw"
          ? peer.notify(HistoryTrimmed, { sessionId, droppedMessages, keptTurns, reason })
          : Effect.void
      }
      case "Usage":
        return notify(usageUpdate(event))
    }
  }

  const withBytes = (entry: TranscriptEntry): Effect.Effect<TranscriptEntry> => {
    switch (entry._tag) {
      case "ToolCall":
        return Effect.map(embedDelivered(files, entry.call), (call) => ({ ...entry, call }))
      case "User":
        return Effect.map(
          Effect.forEach(entry.content, (block) => withImage(files, block)),
          (content) => ({ ...entry, content })
        )
      default:
        return Effect.succeed(entry)
    }
  }

  const replay = (entry: TranscriptEntry) =>
    Effect.flatMap(withBytes(entry), (whole) => notifyAll(replayed(state, display, whole)))

  return { publish, replay, notify, asked }
}

/**
 * The visible transcript, a running turn included; only the last plan is kept. See
 * docs/agent-client-protocol.md#replay.
 */
export const visibleTranscript = Effect.fnUntraced(function*(session: Session, store: SessionStore["Service"]) {
  yield* session.flush
  const entries = yield* store.transcript(session.sessionId)
  const lastPlan = entries.findLastIndex((entry) => entry._tag === "Plan")
  return entries.filter((entry, index) => entry._tag !== "Plan" || index === lastPlan)
})

export const sendReplay = (
  connection: AcpConnectionState,
  session: Session,
  entries: ReadonlyArray<TranscriptEntry>
): Effect.Effect<void> => {
  const { replay } = make(connection, session)
  return Effect.forEach(entries, replay, { discard: true })
}
