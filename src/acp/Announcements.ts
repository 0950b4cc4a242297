import type { Compaction, Notice } from "../domain/SessionEvent.ts"
import * as Content from "../domain/Content.ts"
import type { ClientCapabilities } from "./Capabilities.ts"
import type { SessionUpdate } from "./SessionUpdate.ts"

/**
 * What is not said by the agent but about the session: in the way the client takes it, else as a message (acp.md §2.1). Notices are
 * live only; what went out as a message comes back as the same message.
 */

const message = (messageId: string, text: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  messageId,
  content: Content.text(text)
})

const takesNotices = (capabilities: ClientCapabilities) => capabilities.session?.notices !== undefined

export const notice = (
  capabilities: ClientCapabilities,
  { description, messageId, severity, title }: Notice
): ReadonlyArray<SessionUpdate> =>
  takesNotices(capabilities)
    ? [{ sessionUpdate: "notice", severity, title, ...(description === undefined ? {} : { description }) }]
    : [message(messageId, description === undefined ? title : `${title}: ${description}`)]

export const replayedNotice = (capabilities: ClientCapabilities, said: Notice): ReadonlyArray<SessionUpdate> =>
  takesNotices(capabilities) ? [] : notice(capabilities, said)

/** The completed one is worth a word to clients that do not know compactions. */
const words = ({ compactionId, status, tokens }: Compaction): Notice | undefined =>
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

export const compaction = (
  capabilities: ClientCapabilities,
  state: Compaction,
  say: typeof notice = notice
): ReadonlyArray<SessionUpdate> => {
  if (capabilities.session?.compaction !== undefined) return [update(state)]
  const said = words(state)
  return said === undefined ? [] : say(capabilities, said)
}

export const summaryChunk = (
  capabilities: ClientCapabilities,
  compactionId: string,
  text: string
): ReadonlyArray<SessionUpdate> =>
  capabilities.session?.compaction === undefined
    ? []
    : [{ sessionUpdate: "compaction_summary_chunk", compactionId, content: Content.text(text) }]
