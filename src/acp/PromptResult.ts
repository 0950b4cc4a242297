import type { StopReason } from "../domain/SessionEvent.ts"
import type { DialectName } from "./AcpConnection.ts"

/** The answer once more in the result is a courtesy; a frame has 32 MiB at most, escapes included (acp.md §3.1). */
const maxText = 4 * 1024 * 1024

const cancelMarker = "[Cancelled by the client.]"

/** How a turn ended, in the dialect of the client (acp.md §6 rows 10 and 11). */
export const of = (dialect: DialectName, sessionId: string, stopReason: StopReason, whole: string) => {
  const text = whole.length > maxText
    ? `${whole.slice(0, maxText)}\n\n[Cut off: the updates have the whole answer.]`
    : whole
  if (dialect === "acp") return { stopReason, _meta: { zeroclaw: { content: text } } }
  return {
    stopReason,
    sessionId,
    content: stopReason === "cancelled" ? [text, cancelMarker].filter((part) => part !== "").join("\n\n") : text
  }
}
