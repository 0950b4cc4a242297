/**
 * What the bridge knows of the messages that pass: which requests are under way, which sessions are open, and which
 * questions of the agent the editor has not answered. All of it is replayed on a new connection, so that the editor
 * notices a pause and nothing else.
 */

type Json = Readonly<Record<string, unknown>>

export interface PassingMessage {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: Json
  readonly result?: unknown
  readonly error?: unknown
}

/** A request of the editor that has no answer yet. */
interface OpenRequest {
  readonly line: string
  readonly method: string
  readonly params: Json
  /** Of a prompt: another connection asks for its end by this id. */
  readonly promptId: string | undefined
  /** Whether some connection has carried it. */
  isSent: boolean
}

/** A request of the agent that the editor has not answered. */
interface OpenQuestion {
  readonly editorId: string
  readonly key: string
  readonly sessionId: unknown
  /** As the agent's current connection knows it; `undefined` where that connection has not asked. */
  agentId: unknown
}

/** What the editor answered. */
interface GivenAnswer {
  readonly answer: Json
  readonly sessionId: unknown
  /** The connection that carried it: only a later one that asks again has not got it. */
  readonly carriedBy: ((text: string) => void) | undefined
}

export interface Forwarding {
  /** A line of the editor. */
  readonly fromEditor: (line: string) => void
  /** A message of the agent. */
  readonly fromAgent: (text: string) => void
  /** A connection is there: greets, resumes and goes on where the last one ended. */
  readonly connected: (send: (text: string) => void) => void
  readonly disconnected: () => void
  /** How many requests of the editor wait for an answer. */
  readonly open: () => number
}

const parse = (text: string): PassingMessage | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

const record = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as Json : {}

const updatePrefix = "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\""

const ending = new Set(["session/close", "session/delete", "session/stop", "_zeroclaw/session/stop"])
const opening = new Set(["session/new", "session/load", "session/resume", "session/fork"])

const lost = {
  code: -32603,
  message: "The gateway was restarted while this prompt ran; the session has what was done until then",
  data: { reason: "turn_interrupted" }
}

export const make = (toEditor: (text: string) => void): Forwarding => {
  const requests = new Map<string, OpenRequest>()
  const sessions = new Map<string, Json>()
  const questions = new Map<string, OpenQuestion>()
  /**
   * Answers of the editor, by question, until the prompt is over: what a connection carried when it was lost may not
   * have arrived, and the agent asks again then.
   */
  const answers = new Map<string, GivenAnswer>()
  /** The bridge's own requests on the current connection. */
  const own = new Map<string, (message: PassingMessage) => void>()
  /** What the editor said meanwhile. */
  let waiting: Array<string> = []
  let greeting: Json | undefined
  let send: ((text: string) => void) | undefined
  let lastOwn = 0
  let lastQuestion = 0

  const encode = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message })

  const ask = (method: string, params: Json) =>
    new Promise<PassingMessage>((resolve) => {
      const id = `postern-bridge-${lastOwn++}`
      own.set(JSON.stringify(id), resolve)
      send?.(encode({ id, method, params }))
    })

  const withdraw = (sessionId: unknown) => {
    for (const [id, question] of questions) {
      if (question.agentId !== undefined || question.sessionId !== sessionId) continue
      questions.delete(id)
      toEditor(encode({ method: "$/cancel_request", params: { requestId: question.editorId } }))
    }
  }

  const forgetAnswers = (sessionId: unknown) => {
    for (const [key, given] of answers) if (given.sessionId === sessionId) answers.delete(key)
  }

  const settled = (id: string, { method, params }: OpenRequest, message: PassingMessage) => {
    requests.delete(id)
    if (method === "session/prompt") forgetAnswers(params["sessionId"])
    if (message.error !== undefined) return
    const sessionId = opening.has(method)
      ? record(message.result)["sessionId"] ?? params["sessionId"]
      : params["sessionId"]
    if (typeof sessionId !== "string") return
    if (opening.has(method)) sessions.set(sessionId, { ...params, sessionId })
    else if (ending.has(method)) sessions.delete(sessionId)
  }

  const deliver = (text: string) => {
    if (send === undefined) waiting.push(text)
    else send(text)
  }

  const onRequest = (line: string, message: PassingMessage, method: string) => {
    const id = JSON.stringify(message.id)
    const params = record(message.params)
    if (method === "initialize") greeting = params
    const promptId = method === "session/prompt" ? crypto.randomUUID() : undefined
    const meta = record(params["_meta"])
    const text = promptId === undefined ? line : JSON.stringify({
      ...message,
      params: { ...params, _meta: { ...meta, postern: { ...record(meta["postern"]), promptId } } }
    })
    requests.set(id, { line: text, method, params, promptId, isSent: send !== undefined })
    if (send !== undefined) send(text)
  }

  const onAnswer = (message: PassingMessage) => {
    const question = questions.get(JSON.stringify(message.id))
    if (question === undefined) return
    questions.delete(JSON.stringify(message.id))
    const { id: _, ...answer } = message as Json
    const carriedBy = question.agentId === undefined ? undefined : send
    answers.set(question.key, { answer, sessionId: question.sessionId, carriedBy })
    carriedBy?.(JSON.stringify({ ...answer, id: question.agentId }))
  }

  const onQuestion = (message: PassingMessage) => {
    const params = record(message.params)
    const call = record(params["toolCall"])["toolCallId"] ?? params["toolCallId"] ?? JSON.stringify(params)
    const key = JSON.stringify([message.method, params["sessionId"], call])
    const given = answers.get(key)
    if (given !== undefined && given.carriedBy !== send) {
      answers.set(key, { ...given, carriedBy: send })
      return send?.(JSON.stringify({ ...given.answer, id: message.id }))
    }
    for (const question of questions.values()) {
      if (question.key !== key || question.agentId !== undefined) continue
      question.agentId = message.id
      return
    }
    const editorId = `zc-out-${lastQuestion++}`
    questions.set(JSON.stringify(editorId), { editorId, key, sessionId: params["sessionId"], agentId: message.id })
    toEditor(JSON.stringify({ ...message, id: editorId }))
  }

  const onWithdrawal = (message: PassingMessage) => {
    const { requestId } = record(message.params)
    for (const [id, question] of questions) {
      if (question.agentId !== requestId) continue
      questions.delete(id)
      return toEditor(encode({ method: "$/cancel_request", params: { requestId: question.editorId } }))
    }
  }

  /** The end of a prompt that another connection began. */
  const rejoin = async (id: string, request: OpenRequest) => {
    const { sessionId } = request.params
    const { error, result } = await ask("_postern/session/turn", { sessionId, promptId: request.promptId })
    requests.delete(id)
    forgetAnswers(sessionId)
    withdraw(sessionId)
    const isUnknown = ["turn_unknown", "session_not_found"].includes(String(record(record(error)["data"])["reason"]))
    const answer = error === undefined ? { result } : { error: isUnknown ? lost : error }
    toEditor(`{"jsonrpc":"2.0","id":${id},${JSON.stringify(answer).slice(1)}`)
  }

  const resume = async (mine: (text: string) => void) => {
    const pending = Array.from(requests)
    const isGreeted = pending.every(([, { method }]) => method !== "initialize")
    if (greeting !== undefined && isGreeted) await ask("initialize", greeting)
    await Promise.all(Array.from(sessions, async ([sessionId, params]) => {
      const { error } = await ask("session/resume", params)
      if (error !== undefined && send === mine) sessions.delete(sessionId)
    }))
    if (send !== mine) return
    for (const [id, request] of pending) {
      if (request.promptId !== undefined && request.isSent) void rejoin(id, request)
      else {
        request.isSent = true
        mine(request.line)
      }
    }
    const said = waiting
    waiting = []
    for (const text of said) mine(text)
  }

  return {
    fromEditor: (line) => {
      const message = parse(line)
      if (message === undefined || (message.method !== undefined && typeof message.method !== "string")) {
        return deliver(line)
      }
      if (message.method === undefined) return onAnswer(message)
      if (message.id === undefined) return deliver(line)
      onRequest(line, message, message.method)
    },
    fromAgent: (text) => {
      if (text.startsWith(updatePrefix)) return toEditor(text)
      const message = parse(text)
      if (message === undefined) return
      if (typeof message.method === "string") {
        if (message.id !== undefined) return onQuestion(message)
        return message.method === "$/cancel_request" ? onWithdrawal(message) : toEditor(text)
      }
      const id = JSON.stringify(message.id)
      const mine = own.get(id)
      if (mine !== undefined) {
        own.delete(id)
        return mine(message)
      }
      const request = requests.get(id)
      if (request !== undefined) settled(id, request, message)
      toEditor(text)
    },
    connected: (made) => {
      send = made
      void resume(made)
    },
    disconnected: () => {
      send = undefined
      own.clear()
      for (const question of questions.values()) question.agentId = undefined
    },
    open: () => requests.size
  }
}
