import type { Compaction, Notice } from "../../domain/SessionEvent.ts"
import * as Content from "../../domain/Content.ts"
import type { ClientCapabilities } from "../protocol/Capabilities.ts"
import type { SessionUpdate } from "../protocol/SessionUpdate.ts"

/**
 * Notices and compactions: as the unstable updates for clients that announce them, else as an agent message. Unstable
 * updates are live only; what went out as a message is replayed as the same message. See
 * docs/agent-client-protocol.md#session-updates.
 */

const message = (messageId: string, text: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  messageId,
  content: Content.text(text)
})

const takesNotices = (capabilities: ClientCapabilities) => capabilities.session?.notices !== undefined

export const noticeUpdates = (
  capabilities: ClientCapabilities,
  { description, messageId, severity, title }: Notice
): ReadonlyArray<SessionUpdate> =>
  takesNotices(capabilities)
    ? [{ sessionUpdate: "notice", severity, title, ...(description === undefined ? {} : { description }) }]
    : [message(messageId, description === undefined ? title : `${title}: ${description}`)]

export const replayedNoticeUpdates = (capabilities: ClientCapabilities, said: Notice): ReadonlyArray<SessionUpdate> =>
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

export const compactionUpdates = (
  capabilities: ClientCapabilities,
  state: Compaction,
  say: typeof noticeUpdates = noticeUpdates
): ReadonlyArray<SessionUpdate> => {
  if (capabilities.session?.compaction !== undefined) return [update(state)]
  const said = noticeOf(state)
  return said === undefined ? [] : say(capabilities, said)
}

export const compactionSummaryUpdates = (
  capabilities: ClientCapabilities,
  compactionId: string,
  text: string
): ReadonlyArray<SessionUpdate> =>
  capabilities.session?.compaction === undefined
    ? []
    : [{ sessionUpdate: "compaction_summary_chunk", compactionId, content: Content.text(text) }]
