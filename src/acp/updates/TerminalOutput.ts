import { textsOf, type ToolCallItem } from "../../domain/Content.ts"
import type { SessionEvent, ToolCallState } from "../../domain/SessionEvent.ts"
import type { AcpConnectionState } from "../AcpConnection.ts"

/**
 * Shell calls as a client shows them. A command in a terminal of the client is shown as that terminal while it is live,
 * and as text afterwards. Clients that announce `_meta.terminal_output` show commands of Postern's own as terminals
 * too. See docs/agent-client-protocol.md#commands-in-terminals.
 */
export interface ShownCall {
  readonly call: ToolCallState
  readonly _meta?: Meta
  /** Goes out before the call, in an update of its own. */
  readonly before?: Meta
}

type Meta = Readonly<Record<string, unknown>>

const isTerminal = (item: ToolCallItem) => item.type === "terminal"

/** Terminals do not outlive their process. */
export const withoutTerminals = (call: ToolCallState): ToolCallState =>
  call.content.some(isTerminal) ? { ...call, content: call.content.filter((item) => !isTerminal(item)) } : call

/** The exit code and the signal of a call that has run a command. */
const exitOf = (
  { rawOutput }: ToolCallState
): { readonly exit_code: unknown; readonly signal: unknown } | undefined => {
  const raw = Object(rawOutput) as { readonly exitCode?: unknown; readonly signal?: unknown }
  return raw.exitCode === undefined ? undefined : { exit_code: raw.exitCode, signal: raw.signal ?? null }
}

const terminalOf = (call: ToolCallState) => ({ type: "terminal", terminalId: call.toolCallId } as const)

/** What the terminal does not show by itself: why a command was stopped, what the sandbox refused. */
const remarksOf = ({ content }: ToolCallState): string =>
  textsOf(content.filter(({ type }) => type !== "output"))
    .filter((text) => text !== "(no output)" && !/^exit code \d+$/.test(text)).join("\n")

const infoOf = (call: ToolCallState, cwd: string): Meta => ({
  terminal_info: { terminal_id: call.toolCallId, cwd }
})

const outputOf = (call: ToolCallState, data: string): Meta => ({
  terminal_output: { terminal_id: call.toolCallId, data }
})

const endOf = (call: ToolCallState): Meta => ({
  terminal_exit: { terminal_id: call.toolCallId, ...exitOf(call) ?? { exit_code: null, signal: null } }
})

const printedBy = ({ content }: ToolCallState): string =>
  textsOf(content.filter(({ type }) => type === "output")).join("\n")

export const make = (state: AcpConnectionState, cwd: string) => {
  const isAsked = ({ name }: ToolCallState) =>
    name === "shell" && state.dialect === "acp" && state.capabilities._meta?.["terminal_output"] === true
  /** Commands whose terminal was shown, and whether they began to run. */
  const live = new Map<string, boolean>()

  const started = (call: ToolCallState): ShownCall => {
    if (!isAsked(call)) return { call }
    live.set(call.toolCallId, false)
    return { call: { ...call, content: [...call.content, terminalOf(call)] }, _meta: infoOf(call, cwd) }
  }

  const changed = (
    { call, final, printed }: Extract<SessionEvent, { readonly _tag: "ToolCallChanged" }>
  ): ShownCall => {
    const hasRun = live.get(call.toolCallId)
    if (final) live.delete(call.toolCallId)
    if (call.content.some(isTerminal)) {
      // ZeroClaw's clients read only text.
      return {
        call: state.dialect === "zeroclaw"
          ? withoutTerminals(call)
          : { ...call, content: call.content.filter(isTerminal) }
      }
    }
    if (hasRun === undefined) return { call }
    if (!final) {
      live.set(call.toolCallId, true)
      const shown = { ...call, content: [terminalOf(call)] }
      return printed === undefined ? { call: shown } : { call: shown, _meta: outputOf(call, printed) }
    }
    // Refused, started in the background, or nothing to run: the call has no terminal.
    if (exitOf(call) === undefined && !(hasRun && call.rawOutput === undefined)) return { call }
    const data = (printed ?? "") + remarksOf(call).replace(/^(?=.)/, "\n")
    return {
      call: { ...call, content: [terminalOf(call)] },
      ...(data === "" ? {} : { before: outputOf(call, data) }),
      _meta: endOf(call)
    }
  }

  /** A call of a stored transcript: the terminal, what it showed, and how it ended, one update each. */
  const replayed = (call: ToolCallState): ShownCall & { readonly after: ReadonlyArray<Meta> } => {
    if (!isAsked(call) || exitOf(call) === undefined) return { call, after: [] }
    const printed = [printedBy(call), remarksOf(call)].filter((text) => text !== "").join("\n")
    return {
      call: { ...call, content: [terminalOf(call)] },
      _meta: infoOf(call, cwd),
      after: [...(printed === "" ? [] : [outputOf(call, printed)]), endOf(call)]
    }
  }

  return { started, changed, replayed }
}
