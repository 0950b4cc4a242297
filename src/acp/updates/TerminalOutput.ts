import type { ToolCallState } from "../../domain/SessionEvent.ts"
import type { ToolCallContent } from "../../domain/Content.ts"
import type { AcpConnectionState } from "../AcpConnection.ts"

/**
 * Shell calls as a client shows them. A command in a terminal of the client is shown as that terminal while it is live,
 * and as text afterwards. Clients that announce `_meta.terminal_output` show commands of Postern's own as terminals
 * too. See docs/agent-client-protocol.md#commands-in-terminals.
 */
export interface ShownCall {
  readonly call: ToolCallState
  readonly _meta?: Readonly<Record<string, unknown>>
}

const isTerminal = (item: ToolCallContent) => item.type === "terminal"

/** Terminals do not outlive their process. */
export const withoutTerminals = (call: ToolCallState): ToolCallState =>
  call.content.some(isTerminal) ? { ...call, content: call.content.filter((item) => !isTerminal(item)) } : call

const textOf = ({ content }: ToolCallState) =>
  content.flatMap((item) => item.type === "content" && item.content.type === "text" ? [item.content.text] : []).join(
    "\n"
  )

const exitOf = ({ rawOutput }: ToolCallState) => {
  const { exitCode = null, signal = null } = Object(rawOutput) as {
    readonly exitCode?: unknown
    readonly signal?: unknown
  }
  return { exit_code: exitCode, signal }
}

/** The new part of a text that grows: nothing while the text is cut in its middle, the rest of it once it is final. */
const added = (before: string, now: string, final: boolean): string => {
  if (now.startsWith(before)) return now.slice(before.length)
  if (!final) return ""
  // The end of a failed command comes first in its final text, and white space at its end is gone.
  const shown = now.includes(before) ? before : before.trimEnd()
  const at = now.indexOf(shown)
  return at === -1 ? `\n${now}` : now.slice(at + shown.length)
}

export const make = (state: AcpConnectionState, cwd: string) => {
  const terminal = (call: ToolCallState) => ({ type: "terminal", terminalId: call.toolCallId } as const)
  const isAsked = () => state.dialect === "acp" && state.capabilities._meta?.["terminal_output"] === true
  /** Output already shown, by running command. */
  const printed = new Map<string, string>()

  const started = (call: ToolCallState): ShownCall => {
    if (call.name !== "shell" || !isAsked()) return { call }
    printed.set(call.toolCallId, "")
    return {
      call: { ...call, content: [...call.content, terminal(call)] },
      _meta: { terminal_info: { terminal_id: call.toolCallId, cwd } }
    }
  }

  const changed = (call: ToolCallState, final: boolean): ShownCall => {
    const before = printed.get(call.toolCallId)
    if (final) printed.delete(call.toolCallId)
    if (call.content.some(isTerminal)) {
      // ZeroClaw's clients read only text.
      return {
        call: state.dialect === "zeroclaw"
          ? withoutTerminals(call)
          : { ...call, content: call.content.filter(({ type }) => type !== "content") }
      }
    }
    const ran = !final || call.rawOutput !== undefined
    if (before === undefined || !ran) return { call }
    const now = textOf(call)
    const data = call.status === "pending" || now === commandOf(call) ? "" : added(before, now, final)
    if (!final && data !== "") printed.set(call.toolCallId, now)
    return {
      call: { ...call, content: [terminal(call)] },
      _meta: {
        ...(data === "" ? {} : { terminal_output: { terminal_id: call.toolCallId, data } }),
        ...(final ? { terminal_exit: { terminal_id: call.toolCallId, ...exitOf(call) } } : {})
      }
    }
  }

  return { started, changed }
}

/** The command, which a call shows until it prints something. */
const commandOf = ({ rawInput }: ToolCallState): string | undefined => {
  const { command } = Object(rawInput) as { readonly command?: unknown }
  return typeof command === "string" ? command : undefined
}
