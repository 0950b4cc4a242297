import { type Dialect, isResponse, type Json, type Message } from "./Wire.ts"

interface Sent {
  readonly method: string
  readonly params: Json
}

interface SessionState {
  turns: number
  loading: number
  resuming: number
  /** Resumed, and no prompt since: the snapshot of a plan may come outside a turn. */
  resumed: boolean
  active: boolean
  readonly calls: Map<string, string>
}

const outsideTurns = new Set([
  "available_commands_update",
  "config_option_update",
  "current_mode_update",
  "session_info_update",
  "usage_update",
  "notice"
])
const final = (status: string | undefined) => status === "completed" || status === "failed"
const key = (id: unknown) => JSON.stringify(id)

/** The rules about order and pairing that a schema cannot express (docs/agent-client-protocol.md#order-of-messages). */
export class Ordering {
  private readonly dialect: Dialect
  private readonly report: (problem: string) => void
  private readonly pending = new Map<string, Array<Sent>>()
  private readonly sessions = new Map<string, SessionState>()
  private readonly asked = new Map<string, Json>()
  private readonly askedEver = new Set<string>()
  private capabilities: Json = {}

  constructor(dialect: Dialect, report: (problem: string) => void) {
    this.dialect = dialect
    this.report = report
  }

  private session(id: string): SessionState {
    const known = this.sessions.get(id)
    if (known) return known
    const made = { turns: 0, loading: 0, resuming: 0, resumed: false, active: false, calls: new Map<string, string>() }
    this.sessions.set(id, made)
    return made
  }

  sent(message: Message): void {
    const answer = message.method === undefined && ("result" in message || "error" in message)
    if (answer) return void this.asked.delete(key(message.id))
    if (message.id === undefined) return
    const sent = { method: String(message.method), params: message.params ?? {} }
    this.pending.set(key(message.id), [...(this.pending.get(key(message.id)) ?? []), sent])
    const sessionId = sent.params["sessionId"]
    if (sent.method === "initialize") this.capabilities = sent.params["clientCapabilities"] ?? {}
    if (typeof sessionId !== "string") return
    if (sent.method === "session/prompt" && this.sessions.has(sessionId)) this.session(sessionId).turns++
    if (sent.method === "session/load") this.session(sessionId).loading++
    if (sent.method === "session/resume") this.session(sessionId).resuming++
  }

  /** The method a response answers; `undefined` for a response nobody waits for. */
  received(message: Message): string | undefined {
    if (isResponse(message)) return this.response(message)
    if (message.id !== undefined) this.request(message)
    else if (message.method === "$/cancel_request") this.withdrawn(message.params ?? {})
    else if (message.method === "session/update") this.update(message.params ?? {})
    return undefined
  }

  private response(message: Message): string | undefined {
    const sent = this.pending.get(key(message.id))?.shift()
    if (sent === undefined) {
      if (message.id !== null) this.report(`answer to id ${key(message.id)}, which is not pending`)
      return undefined
    }
    const isNew = sent.method === "session/new" || sent.method === "session/fork"
    const id = isNew ? message.result?.["sessionId"] : sent.params["sessionId"]
    if (typeof id !== "string") return sent.method
    const state = isNew ? this.session(id) : this.sessions.get(id)
    if (state) this.settled(sent.method, id, state, message)
    return sent.method
  }

  private settled(method: string, id: string, state: SessionState, message: Message): void {
    const ok = message.error === undefined
    if (method === "session/new" || method === "session/fork") state.active = true
    if (method === "session/prompt") {
      state.turns = Math.max(0, state.turns - 1)
      if (ok || state.turns === 0) this.turnEnded(id, state)
    }
    if (method === "session/load") {
      state.loading--
      if (ok && state.turns === 0) this.callsClosed(id, state, "the replay")
    }
    if (method === "session/resume") state.resuming--
    if ((method === "session/load" || method === "session/resume") && ok) {
      state.active = true
      state.resumed = method === "session/resume"
    }
    const ended = ["session/close", "session/delete", "session/stop", "_zeroclaw/session/stop"].includes(method)
    if (ended && ok && state.loading + state.resuming === 0) this.sessions.delete(id)
  }

  private turnEnded(id: string, state: SessionState): void {
    state.resumed = false
    this.callsClosed(id, state, "the prompt result")
    for (const [request, params] of this.asked) {
      if (params["sessionId"] === id) this.report(`request ${request} still open at the prompt result`)
    }
  }

  private callsClosed(id: string, state: SessionState, when: string): void {
    for (const [call, status] of state.calls) {
      if (!final(status)) this.report(`tool call ${call} of ${id} is ${status} at ${when}`)
    }
  }

  private request(message: Message): void {
    const id = key(message.id)
    if (this.askedEver.has(id)) this.report(`request id ${id} used twice`)
    this.askedEver.add(id)
    this.asked.set(id, message.params ?? {})
    if (!/^"zc-out-\d+"$/.test(id)) this.report(`request id ${id} is not zc-out-N`)
    this.capable(message.method ?? "")
    if (message.method !== "session/request_permission") return
    const state = this.sessions.get(message.params?.["sessionId"])
    if (!state || state.turns === 0) return this.report(`permission request ${id} outside a turn`)
    const call = message.params?.["toolCall"]?.toolCallId
    if (!state.calls.has(call) || final(state.calls.get(call))) {
      this.report(`permission request ${id} names ${call}, which is no open tool call`)
    }
  }

  private capable(method: string): void {
    const { fs, terminal, elicitation } = this.capabilities
    const offered = method === "fs/read_text_file" ?
      fs?.readTextFile === true
      : method === "fs/write_text_file" ?
      fs?.writeTextFile === true
      : method.startsWith("terminal/") ?
      terminal === true
      : method.startsWith("elicitation/") ?
      elicitation != null
      : true
    if (!offered) this.report(`${method} was not offered by the client`)
  }

  private withdrawn(params: Json): void {
    const id = key(params["requestId"])
    if (!this.askedEver.has(id)) this.report(`$/cancel_request for ${id}, which was never asked`)
    this.asked.delete(id)
  }

  private update(params: Json): void {
    const id = params["sessionId"]
    const update: Json = params["update"] ?? {}
    const kind = update["sessionUpdate"]
    const state = this.sessions.get(id)
    if (!state) return this.report(`${kind} for ${id}, which is not active here`)
    const restoring = !state.active && state.resuming > 0 && state.loading === 0
    const plan = kind === "plan" && (state.resumed || (this.dialect === "zeroclaw" && state.resuming > 0))
    if (restoring && !plan) this.report(`${kind} before the result of session/resume`)
    const open = state.turns > 0 || state.loading > 0
    if (!open && !plan && !outsideTurns.has(kind)) this.report(`${kind} outside a turn`)
    if (kind === "notice" && this.capabilities["session"]?.notices == null) this.report("notice was not asked for")
    if (String(kind).startsWith("compaction") && this.capabilities["session"]?.compaction == null) {
      this.report(`${kind} was not asked for`)
    }
    if (kind === "tool_call") this.callStarted(state, update)
    if (kind === "tool_call_update") this.callChanged(state, update)
  }

  private callStarted(state: SessionState, update: Json): void {
    const id: string = update["toolCallId"]
    const marker = this.dialect === "zeroclaw" && id.startsWith("turn-cancelled-")
    if (state.calls.has(id) && state.loading === 0 && !marker) this.report(`tool_call ${id} sent twice`)
    state.calls.set(id, update["status"] ?? "pending")
    if (!update["title"]) this.report(`tool_call ${id} has no title`)
  }

  private callChanged(state: SessionState, update: Json): void {
    const id: string = update["toolCallId"]
    const before = state.calls.get(id)
    if (before === undefined) return this.report(`tool_call_update for ${id} before its tool_call`)
    const status: string = update["status"] ?? before
    if (final(before) && !final(status)) this.report(`tool call ${id} goes from ${before} back to ${status}`)
    if (this.dialect === "zeroclaw" && !final(status)) this.report(`tool_call_update ${id} is not final (zeroclaw)`)
    state.calls.set(id, status)
  }
}
