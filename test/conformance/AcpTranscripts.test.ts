import { describe } from "vitest"
import type { AcpProcess } from "../support/AcpProcess.ts"
import { answer, cancel, cancelRequest, prompt } from "../support/Frames.ts"
import { type Host, type StartOptions, test as base } from "../support/Host.ts"
import { Transcript, unsandboxed } from "../support/Transcript.ts"
import type { Id, Json, Message } from "../support/Wire.ts"

const asks = (m: Message) => m.method === "session/request_permission"
const choose = (optionId: string) => ({ outcome: { outcome: "selected", optionId } })

/** One conversation, with ids that count up, and whose steps wait for all that they cause. */
class Conversation {
  readonly transcript: Transcript
  private readonly host: Host
  private id = 0

  constructor(host: Host) {
    this.host = host
    this.transcript = new Transcript(host)
  }

  /** A process that nobody answers but the test. */
  start(note: string, options: StartOptions = {}): AcpProcess {
    this.transcript.note(note)
    return this.host.start({
      permission: () => undefined,
      ...options,
      env: { ...unsandboxed(this.host), ...options.env },
      tap: this.transcript.tap()
    })
  }

  async open(note: string, options: StartOptions = {}): Promise<AcpProcess> {
    const acp = this.start(note, options)
    await this.request(acp, "initialize", {
      protocolVersion: 1,
      clientCapabilities: options.capabilities ?? {},
      clientInfo: { name: "transcript", version: "1" }
    })
    return acp
  }

  next(): Id {
    return ++this.id
  }

  request(acp: AcpProcess, method: string, params?: Json): Promise<Message> {
    return acp.exchange({ jsonrpc: "2.0", id: this.next(), method, ...(params === undefined ? {} : { params }) })
  }

  /** `session/new`, `load` and `resume` are followed by the commands of the session. */
  async enter(acp: AcpProcess, method: string, params: Json): Promise<string> {
    const since = acp.messages.length
    const made = await this.request(acp, method, params)
    await acp.waitForUpdate((u) => u["sessionUpdate"] === "available_commands_update", since)
    return made.result?.["sessionId"] ?? params["sessionId"]
  }

  create(acp: AcpProcess, params: Json = {}): Promise<string> {
    return this.enter(acp, "session/new", { cwd: this.host.project, mcpServers: [], ...params })
  }

  /** A prompt whose permission requests are answered in this order. */
  async prompt(
    acp: AcpProcess,
    sessionId: string,
    text: string | ReadonlyArray<Json>,
    answers: ReadonlyArray<unknown> = []
  ) {
    const since = acp.messages.length
    const id = this.next()
    const blocks = typeof text === "string" ? [{ type: "text", text }] : text
    acp.send({ jsonrpc: "2.0", id, method: "session/prompt", params: { sessionId, prompt: blocks } })
    let from = since
    for (const result of answers) {
      const asked = await acp.waitFor((m) => m.method !== undefined && m.id !== undefined, from)
      from = acp.messages.indexOf(asked) + 1
      acp.send(answer(asked.id, result))
    }
    await acp.waitFor((m) => m.method === undefined && m.id === id, since)
  }
}

const test = base.extend<{ conversation: Conversation }>({
  conversation: async ({ host }, use) => use(new Conversation(host))
})

const nobody = "00000000-0000-4000-8000-000000000000"

describe("The Agent Client Protocol on the wire, message by message", () => {
  test("initialize with versions and capabilities, authenticate, and methods that nobody serves", async ({ conversation: c, host }) => {
    const early = c.start("Before initialize only initialize is served")
    await c.request(early, "session/new", { cwd: host.project, mcpServers: [] })
    await c.request(early, "authenticate", { methodId: "none" })
    for (const protocolVersion of [1, 0, 2, 65535, -1, "1", 1.5]) {
      await c.request(early, "initialize", { protocolVersion, clientCapabilities: {} })
    }
    await c.request(early, "authenticate", { methodId: "none" })
    await c.request(early, "logout", {})
    const full = c.start("A client with every capability", { validate: false })
    await c.request(full, "initialize", {
      protocolVersion: 1,
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        auth: { terminal: true },
        session: { configOptions: { boolean: {} }, compaction: {}, notices: {} },
        elicitation: { form: {}, url: {} }
      },
      clientInfo: { name: "transcript", title: "Transcript", version: "1" }
    })
    await c.create(full)
    const odd = c.start("Optional fields of a wrong type count as absent", { validate: false })
    await c.request(odd, "initialize", {
      protocolVersion: 1,
      clientCapabilities: 7,
      clientInfo: { name: 1 },
      extra: []
    })
    for (const method of ["nope", "session/nope", "_vendor/thing", "$/nope", "session/request_permission", ""]) {
      await c.request(odd, method, {})
    }
    await c.transcript.matches("acp-initialize")
  })

  test("malformed frames, envelopes, ids and params", async ({ conversation: c }) => {
    const acp = await c.open("Frames that are no message", { validate: false })
    const broken = [
      "{",
      "not json",
      "[]",
      "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/list\"}]",
      "7",
      "null",
      "\"text\"",
      "{}",
      "{\"jsonrpc\":\"2.0\",\"id\":3}",
      "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":1}",
      "{\"id\":5,\"method\":\"session/list\",\"params\":{}}",
      "{\"jsonrpc\":\"1.0\",\"id\":6,\"method\":\"session/list\",\"params\":{}}",
      "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"session/list\",\"params\":\"x\"}",
      "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"session/list\",\"result\":{}}",
      "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"session/list\",\"params\":{}}",
      "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"session/list\",\"params\":{}}",
      "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"session/list\",\"params\":{}}",
      "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"session/list\",\"params\":{}}",
      "{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"session/close\",\"params\":[\"x\"]}",
      `{"jsonrpc":"2.0","id":11,"method":"session/list","params":${"[".repeat(1001)}${"]".repeat(1001)}}`
    ]
    for (const frame of broken) {
      const since = acp.messages.length
      acp.raw(`${frame}\n`)
      await acp.waitFor((m) => m.method === undefined, since)
    }
    c.transcript.note("Responses and notifications that nobody waits for are dropped")
    acp.raw("\n \n")
    acp.send(answer("zc-out-77", {}), answer(null, {}), { jsonrpc: "2.0", id: "zc-out-0", error: {} })
    acp.send({ jsonrpc: "2.0", method: "$/whatever" }, { jsonrpc: "2.0", method: "session/list" })
    acp.send(
      { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: 1 } },
      cancel(nobody),
      cancelRequest("none")
    )
    c.transcript.note("Params that do not fit")
    const invalid: ReadonlyArray<readonly [string, Json | undefined]> = [
      ["session/prompt", { sessionId: 1, prompt: [] }],
      ["session/prompt", { sessionId: nobody }],
      ["session/close", {}],
      ["session/load", undefined],
      ["session/new", { cwd: "some/where", mcpServers: [] }],
      ["session/new", { cwd: 3, mcpServers: [] }],
      ["session/new", { cwd: "/no/such/folder", mcpServers: [] }],
      ["session/new", { cwd: "/", mcpServers: [{ name: "x" }] }],
      ["session/list", { cursor: "no cursor of ours" }],
      ["session/set_mode", { sessionId: nobody }],
      ["session/set_config_option", { sessionId: nobody, configId: "mode" }],
      ["session/new", { cwd: "/", _meta: { zeroclaw: { agentAlias: "nobody" } } }]
    ]
    for (const [method, params] of invalid) await c.request(acp, method, params)
    await c.transcript.matches("acp-malformed")
  })

  test("a session is created, listed, closed, loaded, resumed and deleted", async ({ conversation: c, host }) => {
    const acp = await c.open("The first process")
    await c.request(acp, "session/list", {})
    const sessionId = await c.create(acp)
    host.write("notes.txt", "alpha\nbeta\n")
    await c.prompt(
      acp,
      sessionId,
      "think first of all\nsay hello\nplan One; Two\nread notes.txt\nread missing.txt\nsay goodbye"
    )
    await c.request(acp, "session/list", {})
    await c.request(acp, "session/list", { cwd: host.project })
    await c.request(acp, "session/list", { cwd: host.folder })
    await c.enter(acp, "session/load", { sessionId, cwd: host.project, mcpServers: [] })
    await c.request(acp, "session/close", { sessionId })
    await c.request(acp, "session/close", { sessionId })
    await c.request(acp, "session/prompt", { sessionId, prompt: [{ type: "text", text: "say closed" }] })
    await acp.close()
    const second = await c.open("A second process replays the history on load")
    await c.enter(second, "session/load", { sessionId, cwd: host.project, mcpServers: [] })
    await c.prompt(second, sessionId, "say after load")
    await second.close()
    const third = await c.open("A third process resumes without a replay")
    await c.enter(third, "session/resume", { sessionId, cwd: host.project })
    await c.prompt(third, sessionId, "say after resume")
    await c.request(third, "session/delete", { sessionId })
    await c.request(third, "session/delete", { sessionId })
    await c.request(third, "session/load", { sessionId, cwd: host.project, mcpServers: [] })
    await c.request(third, "session/resume", { sessionId: nobody, cwd: host.project })
    await c.request(third, "session/list", {})
    await c.transcript.matches("acp-sessions")
  })

  test("a turn calls tools that read, search, write, edit, run commands and plan", async ({ conversation: c, host }) => {
    host.write("src/a.txt", "alpha\nbeta\n")
    host.write("README.md", "# A project\n\nWords.\n")
    host.write("../outside.txt", "outside\n")
    const acp = await c.open("Tools that need no permission")
    const sessionId = await c.create(acp)
    await c.prompt(
      acp,
      sessionId,
      "think of it\nread src/a.txt\nlist\nsearch beta\nglob **/*.txt\nplan First; Second; Third\nsay done"
    )
    await c.prompt(acp, sessionId, "What is this project about?")
    c.transcript.note("Calls that fail, and the turn goes on")
    await c.prompt(
      acp,
      sessionId,
      "read missing.txt\nread ../outside.txt\ncall no_such_tool {}\ncall file_read {\"path\": 7}\nsay on"
    )
    c.transcript.note("Calls that ask first")
    await c.prompt(acp, sessionId, "write new.txt\nfresh\n.\nsay written", [choose("allow-once")])
    await c.prompt(acp, sessionId, "edit src/a.txt\nbeta\n---\nBETA\n.", [choose("allow-once")])
    await c.prompt(acp, sessionId, "run node -e \"console.log(6 * 7)\"", [choose("allow-once")])
    await c.prompt(acp, sessionId, "run node -e \"console.error(1); process.exit(3)\"", [choose("allow-once")])
    c.transcript.note("Calls that run without a question")
    await c.request(acp, "session/set_config_option", {
      sessionId,
      configId: "tool_approval",
      value: "universal_accept"
    })
    await c.prompt(acp, sessionId, "write new.txt\nfresher\n.")
    await c.prompt(acp, sessionId, "run node -e \"console.log(7 * 6)\"")
    c.transcript.note("Other kinds of content in a prompt")
    await c.prompt(acp, sessionId, [
      { type: "text", text: "say seen" },
      { type: "resource_link", uri: `file://${host.project}/README.md`, name: "README.md" },
      { type: "resource", resource: { uri: "file:///x/notes.md", mimeType: "text/markdown", text: "# Notes" } }
    ])
    for (
      const block of [{ type: "hologram" }, { type: "text" }, { type: "audio", data: "AAAA", mimeType: "audio/wav" }]
    ) {
      await c.request(acp, "session/prompt", { sessionId, prompt: [block] })
    }
    await c.request(acp, "session/prompt", { sessionId, prompt: [] })
    await c.transcript.matches("acp-tools")
  })

  test("permission is granted once, always, refused, dismissed, and denied by the policy", async ({ conversation: c, host }) => {
    const acp = await c.open("Answers to permission requests")
    const sessionId = await c.create(acp)
    await c.prompt(acp, sessionId, "write a.txt\n1\n.", [choose("reject-once")])
    await c.prompt(acp, sessionId, "write a.txt\n2\n.", [choose("allow-once")])
    await c.prompt(acp, sessionId, "write a.txt\n3\n.", [choose("allow-always")])
    await c.prompt(acp, sessionId, "write a.txt\n4\n.")
    await c.prompt(acp, sessionId, "write b.txt\n5\n.", [choose("reject-always")])
    await c.prompt(acp, sessionId, "write b.txt\n6\n.")
    await c.prompt(acp, sessionId, "write c.txt\n7\n.", [{ outcome: { outcome: "cancelled" } }])
    await c.prompt(acp, sessionId, "write c.txt\n8\n.", [{}])
    await c.prompt(acp, sessionId, "write c.txt\n9\n.", [choose("no-such-option")])
    c.transcript.note("Denied by the policy, without a question")
    await c.prompt(acp, sessionId, "run rm -rf src")
    await c.prompt(acp, sessionId, "run rm -rf /")
    await c.request(acp, "session/set_mode", { sessionId, modeId: "ro" })
    await c.prompt(acp, sessionId, "write d.txt\n10\n.\nsay read-only")
    await c.request(acp, "session/set_mode", { sessionId, modeId: "aw" })
    await acp.close()
    const second = await c.open("Answers with always count after the session is loaded")
    await c.enter(second, "session/load", { sessionId, cwd: host.project, mcpServers: [] })
    await c.prompt(second, sessionId, "write a.txt\n11\n.")
    await c.prompt(second, sessionId, "write b.txt\n12\n.")
    await c.transcript.matches("acp-permissions")
  })

  test("a turn is cancelled while it speaks and while it asks, and a second prompt is busy", async ({ conversation: c }) => {
    const acp = await c.open("Cancelled while it speaks")
    const sessionId = await c.create(acp)
    const speaks = async (id: Id) => {
      const since = acp.messages.length
      acp.send(prompt(id, sessionId, "say begun\nwait 30"))
      await acp.waitForUpdate((u) => u["sessionUpdate"] === "agent_message_chunk", since)
    }
    const answered = (id: Id) => acp.waitFor((m) => m.method === undefined && m.id === id)
    await speaks("speaks")
    await c.request(acp, "session/prompt", { sessionId, prompt: [{ type: "text", text: "say intruder" }] })
    acp.send(cancel(sessionId))
    await answered("speaks")
    await speaks("by its id")
    acp.send(cancelRequest("by its id"))
    await answered("by its id")
    c.transcript.note("A cancel that is a request")
    await speaks("by a request")
    acp.send({ jsonrpc: "2.0", id: "cancel", method: "session/cancel", params: { sessionId } })
    await Promise.all([answered("cancel"), answered("by a request")])
    c.transcript.note("Cancelled while it asks: the question is withdrawn")
    acp.send(prompt("asks", sessionId, "write a.txt\nhello\n."))
    const asked = await acp.waitFor(asks)
    acp.send(cancel(sessionId))
    await answered("asks")
    acp.send(answer(asked.id, choose("allow-once")))
    c.transcript.note("Cancels of nothing")
    acp.send(cancel(sessionId), cancelRequest("asks"))
    await c.prompt(acp, sessionId, "say fine")
    await c.transcript.matches("acp-cancel")
  })

  test("modes, configuration options and rules of a session", async ({ conversation: c, host }) => {
    const acp = await c.open("Modes")
    const sessionId = await c.create(acp)
    for (const modeId of ["ro", "aw", "nonsense"]) await c.request(acp, "session/set_mode", { sessionId, modeId })
    await c.request(acp, "session/set_mode", { sessionId: nobody, modeId: "ro" })
    c.transcript.note("Options")
    const options: ReadonlyArray<readonly [string, unknown]> = [
      ["work_mode", "sw"],
      ["work_mode", "aw"],
      ["network", "off"],
      ["network", "on"],
      ["user_rules", "user"],
      ["user_rules", "user+project"],
      ["tool_approval", "universal_accept"],
      ["approval_response", "never"],
      ["sandbox", "read-only"],
      ["model", "offline/builtin"],
      ["model", "nobody/nothing"],
      ["network", "perhaps"],
      ["network", true],
      ["no_such_option", "x"]
    ]
    for (const [configId, value] of options) {
      await c.request(acp, "session/set_config_option", { sessionId, configId, value })
    }
    c.transcript.note("Rules")
    const rules = (method: string, params: Json = {}) => c.request(acp, `_rules/${method}`, { sessionId, ...params })
    const added = await rules("add", { list: "deny", rule: "shell(git push *)", reason: "No pushes here" })
    await rules("add", { list: "allow", rule: "file_write(docs/**)", layer: "session" })
    await rules("add", { list: "ask", rule: "file_read(secret/**)", layer: "project" })
    await rules("add", { list: "ask", rule: "((", layer: "session" })
    await rules("add", { list: "ask", rule: "shell", layer: "managed" })
    await rules("list")
    await rules("test", { tool: "shell", arguments: { command: "git push origin main" } })
    await rules("test", { tool: "file_write", arguments: { path: "docs/a.md", content: "x" } })
    await rules("test", { tool: "no_such_tool", arguments: {} })
    await rules("remove", { id: added.result?.["id"] })
    await rules("remove", { id: "none" })
    await rules("list")
    await c.request(acp, "_rules/list", { sessionId: nobody })
    c.transcript.note("With unstable methods a session gets a title")
    const unstable = await c.open("With unstable methods", { env: { POSTERN_acp__unstable: "true" }, validate: false })
    const titled = await c.create(unstable)
    await c.request(unstable, "session/set_title", { sessionId: titled, title: "  Mine  " })
    await c.request(unstable, "session/set_title", { sessionId: titled, title: " " })
    await c.request(unstable, "session/list", { cwd: host.project })
    await c.transcript.matches("acp-policy")
  })

  test("slash commands answer in the session", async ({ conversation: c, host }) => {
    host.write(
      "../config/shared/skills/ship/SKILL.md",
      "---\nname: ship\ndescription: How to ship\n---\nTag, then push.\n"
    )
    const acp = await c.open("Commands")
    const sessionId = await c.create(acp)
    await c.prompt(acp, sessionId, "say something to compact")
    const commands = [
      "/help",
      "/status",
      "/model",
      "/model nobody/nothing",
      "/mode",
      "/mode ro",
      "/mode aw",
      "/policy",
      "/policy network off",
      "/policy network on",
      "/rules",
      "/rules deny shell(git push *)",
      "/rules list",
      "/ship",
      "/nonsense here",
      "/compact",
      "/new",
      "/help mode"
    ]
    for (const command of commands) await c.prompt(acp, sessionId, command)
    await c.transcript.matches("acp-commands")
  })

  test("questions are forms, choices, or have no answer", async ({ conversation: c }) => {
    const forms = await c.open("A client with forms", { capabilities: { elicitation: { form: {} } } })
    const sessionId = await c.create(forms)
    await c.prompt(forms, sessionId, "ask Which colour? | red | blue", [{
      action: "accept",
      content: { choice: "choice-1" }
    }])
    await c.prompt(forms, sessionId, "ask Your name?", [{ action: "accept", content: { answer: "Ada" } }])
    await c.prompt(forms, sessionId, "ask Your name?", [{ action: "decline" }])
    await c.prompt(forms, sessionId, "ask Your name?", [{ action: "cancel" }])
    await c.prompt(forms, sessionId, "ask Which? | a | b", [{ action: "accept", content: { choice: "choice-7" } }])
    const plain = await c.open("A client without forms")
    const other = await c.create(plain)
    await c.prompt(plain, other, "ask Which colour? | red | blue", [choose("choice-0")])
    await c.prompt(plain, other, "ask Which colour? | red | blue", [{ outcome: { outcome: "cancelled" } }])
    await c.prompt(plain, other, "ask Your name?")
    await c.transcript.matches("acp-questions")
  })

  test("an editor that offers its files and terminals is used for them", async ({ conversation: c, host }) => {
    host.write("a.txt", "on disk\n")
    const results: Readonly<Record<string, Json>> = {
      "fs/read_text_file": { content: "in the editor\n" },
      "fs/write_text_file": {},
      "session/request_permission": choose("allow-once"),
      "terminal/create": { terminalId: "t1" },
      "terminal/wait_for_exit": { exitCode: 0, signal: null },
      "terminal/output": { output: "said in the terminal\n", truncated: false }
    }
    const acp = await c.open("An editor", {
      capabilities: {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        session: { compaction: {}, notices: {} }
      },
      permission: ({ method = "" }) => ({ result: results[method] ?? {} })
    })
    const sessionId = await c.create(acp)
    await c.prompt(acp, sessionId, "read a.txt")
    await c.prompt(acp, sessionId, "edit a.txt\neditor\n---\nEDITOR\n.")
    await c.prompt(acp, sessionId, "run node -e 1")
    await c.prompt(acp, sessionId, "/compact")
    await c.transcript.matches("acp-editor")
  })

  test("the dialect zeroclaw: sessions", async ({ conversation: c, host }) => {
    const acp = c.start("initialize without a version is a sign of the dialect", {
      dialect: "zeroclaw",
      validate: false
    })
    await c.request(acp, "initialize", {})
    const made = await c.request(acp, "session/new", { agentAlias: "default", workspaceDir: host.project })
    const sessionId = made.result?.["sessionId"]
    await c.prompt(acp, sessionId, "plan A; B\nsay remembered words")
    await c.request(acp, "session/load", { sessionId })
    for (const method of ["session/prompt", "session/close", "session/load", "session/resume", "session/stop"]) {
      const prompt = [{ type: "text", text: "say x" }]
      await c.request(acp, method, { sessionId: nobody, ...(method === "session/prompt" ? { prompt } : {}) })
    }
    await c.request(acp, "session/new", { cwd: "src" })
    await c.request(acp, "session/new", { agentAlias: "nobody" })
    await c.request(acp, "session/new", { cwd: "." })
    c.transcript.note("The client reports what it shows")
    await c.request(acp, "session/event", { sessionId, type: "focus" })
    await c.request(acp, "session/update", { sessionId, update: { sessionUpdate: "seen" } })
    await c.request(acp, "session/update", { sessionId })
    await c.request(acp, "session/event", { sessionId: nobody, type: "x" })
    await c.request(acp, "session/stop", { sessionId })
    await acp.close()
    const second = c.start("A second process loads by id alone", { dialect: "zeroclaw", validate: false })
    await c.request(second, "initialize", {})
    await c.request(second, "session/load", { sessionId })
    await second.close()
    const third = c.start("A third resumes", { dialect: "zeroclaw", validate: false })
    await c.request(third, "initialize", {})
    await c.request(third, "session/resume", { sessionId, cwd: host.project })
    await c.request(third, "session/list", {})
    await c.transcript.matches("zeroclaw-sessions")
  })

  test("the dialect zeroclaw: turns", async ({ conversation: c, host }) => {
    host.write("a.txt", "alpha\n")
    const acp = c.start("Prompts may be text, and parts without a type", { dialect: "zeroclaw", validate: false })
    await c.request(acp, "initialize", {})
    const made = await c.request(acp, "session/new", { cwd: host.project, mcpServers: [] })
    const sessionId = made.result?.["sessionId"]
    await c.request(acp, "session/prompt", { sessionId, prompt: "say plain" })
    await c.request(acp, "session/prompt", { sessionId, prompt: [{ text: "say untyped" }] })
    await c.request(acp, "session/prompt", { session_id: sessionId, prompt: "think hm\nread a.txt\nread missing.txt" })
    await c.request(acp, "session/prompt", {
      sessionId,
      prompt: `call TodoWrite ${
        JSON.stringify({ todos: [{ content: "A", status: "in_progress", activeForm: "Doing A" }] })
      }`
    })
    c.transcript.note("Permission")
    await c.prompt(acp, sessionId, "write b.txt\nhello\n.", [choose("allow-once")])
    await c.prompt(acp, sessionId, "write c.txt\nhello\n.", [choose("reject-once")])
    await c.prompt(acp, sessionId, "ask Which? | a | b", [choose("choice-1")])
    c.transcript.note("Cancelled while it speaks, by session_id")
    const since = acp.messages.length
    acp.send({
      jsonrpc: "2.0",
      id: "cut",
      method: "session/prompt",
      params: { sessionId, prompt: "say partial\nwait 30" }
    })
    await acp.waitForUpdate((u) => String(u["content"]?.text).includes("partial"), since)
    await c.request(acp, "session/prompt", { sessionId, prompt: "say intruder" })
    acp.send({ jsonrpc: "2.0", method: "session/cancel", params: { session_id: sessionId } })
    await acp.waitFor((m) => m.id === "cut")
    await c.request(acp, "session/cancel", { sessionId })
    await c.transcript.matches("zeroclaw-turns")
  })
})
