import { createHash } from "node:crypto"
import { utimesSync } from "node:fs"
import { describe } from "vitest"
import { type DaemonProcess, test as base } from "../support/DaemonProcess.ts"
import { SocketClient } from "../support/SocketClient.ts"
import { Transcript, unsandboxed } from "../support/Transcript.ts"
import type { Json, Message } from "../support/Wire.ts"

const b64 = (text: string) => Buffer.from(text).toString("base64")

/** A daemon and what its clients say and hear; steps wait for all that they cause. */
class Conversation {
  readonly transcript: Transcript
  private readonly daemon: DaemonProcess

  constructor(transcript: Transcript, daemon: DaemonProcess) {
    this.transcript = transcript
    this.daemon = daemon
  }

  connect(name = ""): Promise<SocketClient> {
    return SocketClient.open(this.daemon.socket, this.transcript.tap(name))
  }

  /** Past the handshake, which is a transcript of its own. */
  async greet(name = "", params: Json = {}): Promise<SocketClient> {
    const tap = this.transcript.tap(name)
    let isGreeted = false
    const client = await SocketClient.greeted(this.daemon.socket, params, (...line) => isGreeted && tap(...line))
    isGreeted = true
    return client
  }
}

const test = base.extend<{ conversation: Conversation }>({
  conversation: async ({ daemon, host }, use) => {
    const running = daemon([], unsandboxed(host))
    await running.ready
    await use(new Conversation(new Transcript(host), running))
  }
})

const updated = (type: string) => (m: Message) => m.method === "session/update" && m.params?.["type"] === type

const decide = async (client: SocketClient, session_id: string, text: string, decision: Json, by = client) => {
  const [since, from] = [client.messages.length, by.messages.length]
  const turn = client.exchange("session/prompt", { session_id, prompt: text })
  const { params } = await by.waitFor(updated("approval_request"), from)
  if (by !== client) await client.waitFor(updated("approval_request"), since)
  await by.exchange("session/approve", { session_id, request_id: params?.["request_id"], ...decision })
  await turn
}

describe("The daemon's protocol on the wire, message by message", () => {
  test("a handshake in both spellings, and what is refused before and after it", async ({ conversation: c }) => {
    const client = await c.connect()
    c.transcript.note("Before initialize")
    await client.exchange("status")
    await client.exchange("initialize", { protocol_version: 2 })
    await client.exchange("initialize", { protocol_version: "1" })
    await client.exchange("initialize", { auth_token: "x" })
    await client.exchange("initialize", {
      protocolVersion: 1,
      clientCapabilities: { turnLifetime: "session", elicitation: {}, clientKind: "transcript" },
      env: { LC_MINE: "x" }
    })
    await client.exchange("initialize", { protocol_version: 1, client_capabilities: { client_kind: "other" } })
    await client.exchange("tui/list")
    c.transcript.note("What is no message, no method, or has wrong params")
    const frames = [
      "{",
      "[]",
      "7",
      "{\"jsonrpc\":\"2.0\",\"id\":3}",
      "{\"id\":5,\"method\":\"status\"}",
      "{\"jsonrpc\":\"1.0\",\"id\":6,\"method\":\"status\"}",
      "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"status\",\"params\":\"x\"}",
      "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"status\"}",
      "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"subscription/cancel\",\"params\":{\"subscription_id\":\"x\"}}",
      "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"nope\"}"
    ]
    for (const frame of frames) {
      const since = client.messages.length
      client.write(`${frame}\n`)
      await client.waitFor((m) => m.method === undefined, since)
    }
    client.write(
      "\n{\"jsonrpc\":\"2.0\",\"method\":\"$/nope\"}\n{\"jsonrpc\":\"2.0\",\"id\":\"zc-out-9\",\"result\":{}}\n"
    )
    for (const method of ["nope", "session/nope", "$/nope", "session/update", ""]) await client.exchange(method)
    await client.exchange("session/new", {})
    await client.exchange("session/new", { agent_alias: "nobody" })
    await client.exchange("session/new", { agent_alias: "default", cwd: "relative" })
    await client.exchange("session/new", { agent_alias: "default", session_id: "with space" })
    await client.exchange("session/prompt", { session_id: "none", prompt: "say x" })
    await client.exchange("session/close", { session_id: "none" })
    await client.exchange("session/close", {})
    await client.exchange("session/approve", { session_id: "none", request_id: "none", decision: "allow_once" })
    await client.exchange("locales/list")
    await client.exchange("locales/fetch", { locale: "de" })
    await c.transcript.matches("native-handshake")
  })

  test("a session and its turns: tools, approvals, a question, steering and cancelling", async ({ conversation: c, host }) => {
    host.write("a.txt", "alpha\nbeta\n")
    const client = await c.greet("", { client_capabilities: { elicitation: { form: {} } } })
    const { session_id } = await client.request("session/new", { agent_alias: "default", cwd: host.project })
    const prompt = (text: string, params: Json = {}) =>
      client.exchange("session/prompt", { session_id, prompt: text, ...params })
    await prompt("think hm\nread a.txt\nplan A; B\nread missing.txt\nsay hi", { client_turn_generation: 3 })
    await client.exchange("session/prompt", {
      sessionId: session_id,
      prompt: "say camel case",
      clientTurnGeneration: "g"
    })
    await prompt(" ")
    c.transcript.note("Approvals")
    await decide(client, session_id, "write b.txt\n1\n.", { decision: "allow_once" })
    await decide(client, session_id, "write b.txt\n2\n.", { decision: "reject" })
    await decide(client, session_id, "write b.txt\n3\n.", {
      decision: "reject_with_edit",
      replacement: "Write c.txt instead."
    })
    await decide(client, session_id, "write b.txt\n4\n.", { decision: "allow_always" })
    await prompt("write b.txt\n5\n.")
    await decide(client, session_id, "run node -e \"console.log(6 * 7)\"", { decision: "allow_once" })
    await prompt("run rm -rf /")
    await prompt("/rules")
    c.transcript.note("A question with choices")
    const asking = prompt("ask Which? | red | blue")
    const asked = await client.waitFor((m) => m.method === "elicitation/create")
    client.send({ id: asked.id, result: { action: "accept", content: { choice: "choice-1" } } })
    await asking
    await c.transcript.matches("native-turns")
  })

  test("a running turn is steered, cancelled, and keeps a second prompt out", async ({ conversation: c, host }) => {
    const client = await c.greet()
    const { session_id } = await client.request("session/new", { agent_alias: "default", cwd: host.project })
    const begin = async (text: string) => {
      const since = client.messages.length
      const turn = client.exchange("session/prompt", { session_id, prompt: `say begun\n${text}` })
      await client.waitFor(updated("agent_message_chunk"), since)
      return { turn }
    }
    await client.exchange("session/steer", { session_id, content: "say nobody hears" })
    const { turn: steered } = await begin("wait 1\nsay first")
    await client.exchange("session/steer", { session_id, content: "say second" })
    await client.exchange("session/steer", { session_id, content: " " })
    await client.exchange("session/prompt", { session_id, prompt: "say intruder" })
    await client.exchange("session/state", { session_id })
    await steered
    const { turn: cancelled } = await begin("wait 60")
    await Promise.all([client.exchange("session/cancel", { session_id }), cancelled])
    await client.exchange("session/cancel", { session_id })
    await client.exchange("session/state", { session_id })
    c.transcript.note("Cancelled by the id of its request")
    const since = client.messages.length
    client.send({ id: "by id", method: "session/prompt", params: { session_id, prompt: "say begun\nwait 60" } })
    await client.waitFor(updated("agent_message_chunk"), since)
    client.send({ method: "$/cancel_request", params: { requestId: "by id" } })
    await client.answer("by id")
    await c.transcript.matches("native-cancel")
  })

  test("a second client attaches, follows a turn and answers what it asks; messages come in pages", async ({ conversation: c, host }) => {
    const client = await c.greet("A ")
    const follower = await c.greet("B ")
    const { session_id } = await client.request("session/new", {
      agent_alias: "default",
      cwd: host.project,
      session_id: "shared"
    })
    const { epoch, subscription_id } = await follower.request("session/attach", { session_id })
    const turn = async (run: () => Promise<unknown>) => {
      const from = follower.messages.length
      await run()
      await follower.waitFor(updated("turn_complete"), from)
    }
    await turn(() =>
      decide(
        client,
        session_id,
        "say a few words first\nwrite a.txt\nhello\n.\nsay done",
        { decision: "allow_once" },
        follower
      )
    )
    await follower.exchange("subscription/cancel", { subscription_id })
    await follower.exchange("subscription/cancel", { subscription_id: "none" })
    await client.exchange("session/prompt", { session_id, prompt: "say unheard" })
    c.transcript.note("Attached again, from a number on")
    const since = follower.messages.length
    await follower.exchange("session/attach", { session_id, since_seq: 1, epoch: "another" })
    await follower.waitFor((m) => m.method === "subscription/lagged", since)
    await follower.exchange("session/attach", { session_id: "none" })
    await follower.exchange("session/state", { session_id, epoch })
    c.transcript.note("Messages")
    await client.exchange("session/messages", { session_id })
    let cursor: unknown = ""
    while (typeof cursor === "string") {
      const page = await client.messagePage({ session_id, cursor, limit: 3 })
      cursor = page["next_cursor"]
    }
    await client.exchange("session/messages", { session_id, limit: 2 })
    await client.exchange("session/messages", { session_id, before_index: 2, limit: 1 })
    await client.exchange("session/messages", { session_id, cursor: "no cursor of ours" })
    await client.exchange("session/messages", { session_id, entries: true, decisions: true })
    await client.exchange("session/messages", { session_id: "none" })
    await c.transcript.matches("native-attach")
  })

  test("sessions are listed, configured, renamed, closed, killed and deleted", async ({ conversation: c, host }) => {
    const client = await c.greet()
    const create = async (params: Json) =>
      (await client.request("session/new", {
        agent_alias: "default",
        cwd: host.project,
        keep_siblings: true,
        ...params
      }))["session_id"]
    const chat = await create({ session_id: "chat-1" })
    const acp = await create({ chat_mode: "acp" })
    await create({ session_id: "chat-1" })
    await client.exchange("session/new", { agent_alias: "default", session_id: "chat-1", chat_mode: "acp" })
    await client.exchange("session/prompt", { session_id: chat, prompt: "say first" })
    await client.exchange("session/list", {})
    await client.exchange("session/list", { query: "first", limit: 1 })
    await client.exchange("session/list", { running: true })
    await client.exchange("session/list-acp", {})
    await client.exchange("session/rename", { session_id: chat, name: "Renamed" })
    await client.exchange("session/rename", { session_id: chat, name: "" })
    await client.exchange("session/configure", { session_id: chat, overrides: { temperature: 0.5 } })
    await client.exchange("session/configure", {
      session_id: chat,
      overrides: { model: "nothing", model_provider: "nobody" }
    })
    await client.exchange("session/git_branch", { session_id: chat })
    await client.exchange("session/close", { session_id: acp })
    await client.exchange("session/close", { session_id: acp })
    await client.exchange("session/kill", { session_id: chat })
    await client.exchange("session/kill", { session_id: chat })
    await client.exchange("session/prompt", { session_id: chat, prompt: "say killed" })
    await client.exchange("session/messages", { session_id: chat })
    await client.exchange("session/list", { include_killed: true })
    await client.exchange("session/delete", { session_id: chat })
    await client.exchange("session/delete", { session_id: chat })
    await client.exchange("session/list", { include_killed: true })
    await client.exchange("status")
    await client.exchange("agents/list")
    await client.exchange("agents/status")
    await c.transcript.matches("native-sessions")
  })

  test("events and logs are subscribed to, queried, and cancelled", async ({ conversation: c, host }) => {
    const watcher = await c.greet("A ")
    const { subscription_id } = await watcher.request("events/subscribe")
    const client = await c.greet("B ")
    for (const end of ["close", "kill", "delete"]) {
      const session_id = `to-${end}`
      const since = watcher.messages.length
      const heard = (type: RegExp) => watcher.waitFor((m) => type.test(m.params?.["event"]?.type), since)
      await client.exchange("session/new", { agent_alias: "default", cwd: host.project, session_id })
      await heard(/opened/)
      await client.exchange("session/prompt", { session_id, prompt: "say hi" })
      await heard(/turn_complete/)
      await client.exchange(`session/${end}`, { session_id })
      await heard(/closed|killed|deleted/)
    }
    await watcher.exchange("subscription/cancel", { subscription_id })
    await watcher.exchange("events/history")
    const since = watcher.messages.length
    await watcher.exchange("events/subscribe", { since_seq: 1, epoch: "another" })
    await watcher.waitFor((m) => m.params?.["event"]?.type === "session_deleted", since)
    c.transcript.note("Logs")
    await watcher.exchange("logs/subscribe", {})
    await watcher.exchange("logs/query", { severity_min: "warn" })
    await watcher.exchange("logs/query", { severity_min: "loud" })
    await watcher.exchange("logs/query", { q: "no such line" })
    await watcher.exchange("logs/get", { id: "none" })
    await c.transcript.matches("native-feeds")
  })

  test("the configuration is read, changed and checked", async ({ conversation: c }) => {
    const client = await c.greet()
    const config = (method: string, params: Json = {}) => client.exchange(`config/${method}`, params)
    await config("get")
    await config("status")
    await config("set", { prop: "agents.default.model", value: "offline/builtin", comment: "as it is" })
    await config("set", { prop: "agents.default.model", value: 7 })
    await config("set", { prop: "no.such.path", value: 1 })
    await config("set-many", {
      sets: [{ prop: "acp.max_sessions", value: 5 }, { prop: "rpc.max_sessions", value: 20 }]
    })
    await config("set-many", {
      sets: [{ prop: "acp.max_sessions", value: 6 }, { prop: "acp.max_sessions", value: "x" }]
    })
    await config("get", { prop: "acp.max_sessions" })
    await config("get", { prop: "agents.default" })
    await config("get", { prop: "nothing" })
    await config("list", { prefix: "acp" })
    await config("list", { prefix: "agents" })
    await config("map-keys", { path: "agents" })
    await config("map-keys", { path: "acp" })
    await config("map-key-create", { path: "risk_profiles", key: "careful" })
    await config("map-key-create", { path: "risk_profiles", key: "careful" })
    await config("set", { prop: "agents.default.risk_profile", value: "careful" })
    await config("map-key-rename", { path: "risk_profiles", from: "careful", to: "strict" })
    await config("map-key-delete", { path: "risk_profiles", key: "strict" })
    await config("delete", { prop: "agents.default.risk_profile" })
    await config("delete", { prop: "agents.default.risk_profile" })
    await config("map-key-delete", { path: "risk_profiles", key: "strict" })
    await config("set", { prop: "providers.mine.api_key", value: "sk-secret" })
    await config("get", { prop: "providers.mine.api_key" })
    await config("validate")
    await config("reload-status")
    await config("get")
    c.transcript.note("Setup")
    await config("sections")
    await config("catalog")
    await config("catalog-models", { model_provider: "offline" })
    await config("catalog-models", {})
    await config("resolve-alias-source", { source: "agents" })
    await config("resolve-alias-source", { source: "nothing" })
    await c.transcript.matches("native-config")
  })

  test("every key of the configuration, and every template", async ({ conversation: c }) => {
    const client = await c.greet()
    await client.exchange("config/list")
    await client.exchange("config/templates")
    await c.transcript.matches("native-config-keys")
  })

  test("memory, skills, personality, tools and costs of an agent", async ({ conversation: c, host }) => {
    const client = await c.greet()
    const ask = (method: string, params: Json = {}) => client.exchange(method, params)
    await ask("memory/store", { key: "colour", content: "The user likes blue.", category: "user" })
    await ask("memory/store", { agent: "default", key: "city", content: "The office is in Bonn." })
    await ask("memory/store", { key: "", content: "x" })
    await ask("memory/list", {})
    await ask("memory/search", { query: "blue" })
    await ask("memory/get", { key: "colour" })
    await ask("memory/get", { key: "none" })
    await ask("memory/delete", { key: "city" })
    await ask("memory/delete", { key: "city" })
    await ask("memory/list", { agent: "nobody" })
    c.transcript.note("Skills")
    await ask("skills/bundles")
    await ask("skills/write", {
      bundle: "shared",
      name: "ship",
      frontmatter: { name: "ship", description: "How to ship" },
      body: "Tag, then push.\n"
    })
    await ask("skills/write", { bundle: "shared", name: "../x", body: "x" })
    await ask("skills/list")
    await ask("skills/read", { bundle: "shared", name: "ship" })
    await ask("skills/read", { name: "none" })
    await ask("skills/delete", { bundle: "shared", name: "ship" })
    await ask("skills/delete", { bundle: "shared", name: "ship" })
    c.transcript.note("Personality")
    await ask("personality/list")
    await ask("personality/put", { filename: "SOUL.md", content: "Be kind.\n" })
    await ask("personality/get", { filename: "SOUL.md" })
    await ask("personality/put", { filename: "SOUL.md", content: "Be late.\n", expected_mtime_ms: 1 })
    await ask("personality/get", { filename: "USER.md" })
    await ask("personality/get", { filename: "../config.toml" })
    await ask("personality/templates")
    c.transcript.note("Tools and costs")
    await ask("tools/list")
    await ask("tools/param-options", { domain: "agent_aliases" })
    await ask("tools/param-options", { domain: "tool_names" })
    await ask("tools/param-options", { domain: "memory_categories" })
    await ask("tools/param-options", { domain: "nothing" })
    const { session_id } = await client.request("session/new", { agent_alias: "default", cwd: host.project })
    await ask("session/prompt", { session_id, prompt: "say what costs nothing" })
    await ask("cost/query")
    await ask("cost/query", { from: "2026-03-01", to: "yesterday" })
    await ask("cost/org")
    await c.transcript.matches("native-agent")
  })

  test("files are attached, uploaded in chunks, and listed", async ({ conversation: c, host }) => {
    const client = await c.greet()
    const { session_id } = await client.request("session/new", { agent_alias: "default", cwd: host.project })
    const path = host.write("notes.txt", "notes\n")
    await client.exchange("file/attach", {
      session_id,
      files: [{ path }, { data_b64: b64("given\n"), filename: "given.txt" }]
    })
    await client.exchange("file/attach", { session_id, files: [{ path: "/no/such/file" }] })
    await client.exchange("file/attach", { session_id, files: [{ data_b64: "???" }] })
    await client.exchange("session/prompt", {
      session_id,
      prompt: "say with an attachment",
      attachments: [{ data_b64: b64("given\n"), filename: "given.txt" }]
    })
    c.transcript.note("In chunks")
    const bytes = "first half, second half"
    const begin = {
      session_id,
      size_bytes: bytes.length,
      filename: "halves.txt",
      sha256: createHash("sha256").update(bytes).digest("hex")
    }
    const { upload_id } = await client.request("file/upload/begin", begin)
    await client.exchange("file/upload/chunk", { upload_id, offset: 0, data_b64: b64("first half, ") })
    await client.exchange("file/upload/chunk", { upload_id, offset: 3, data_b64: b64("x") })
    await client.exchange("file/upload/commit", { upload_id })
    await client.exchange("file/upload/chunk", { upload_id, offset: 12, data_b64: b64("second half") })
    await client.exchange("file/upload/commit", { upload_id })
    await client.exchange("file/upload/commit", { upload_id })
    await client.exchange("file/upload/begin", { session_id, size_bytes: 1e9 })
    c.transcript.note("Folders")
    host.write(".hidden", "x")
    utimesSync(path, 1, 1)
    await client.exchange("fs/list_dir", { path: host.project })
    await client.exchange("fs/list_dir", { path: host.project, show_hidden: true })
    await client.exchange("fs/list_dir", { path: "relative" })
    await client.exchange("fs/list_dir", { path: "/no/such/folder" })
    await c.transcript.matches("native-files")
  })
})
