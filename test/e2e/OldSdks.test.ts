import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Readable, Writable } from "node:stream"
import type { ReadableStream, WritableStream } from "node:stream/web"
import * as First from "acp-sdk-0.1"
import * as Early from "acp-sdk-0.4"
import { describe, expect, vi } from "vitest"
import { bundle, test as base } from "../support/Host.ts"
import { eventually } from "../support/Waiting.ts"
import type { Message } from "../support/Wire.ts"

/** The keys of an update that the oldest client knows. */
interface Update {
  readonly sessionUpdate: string
  readonly status?: string | null | undefined
  readonly content?: unknown
}

interface Choice {
  readonly optionId: string
  readonly kind: string
}

interface Opened {
  readonly sessionId: string
  readonly cwd: string
  readonly mcpServers: []
}

/** What both clients can call, as the older of them has it. */
interface Agent {
  initialize(params: { protocolVersion: number; clientCapabilities: { fs: Files } }): Promise<Greeting>
  newSession(params: Omit<Opened, "sessionId">): Promise<{ sessionId: string }>
  loadSession(params: Opened): Promise<unknown>
  prompt(params: { sessionId: string; prompt: Array<{ type: "text"; text: string }> }): Promise<{ stopReason: string }>
  cancel(params: { sessionId: string }): Promise<void>
}

interface Files {
  readonly readTextFile: boolean
  readonly writeTextFile: boolean
}

interface Greeting {
  readonly protocolVersion: number
  readonly agentCapabilities?: { readonly loadSession?: boolean | undefined } | undefined
}

/** What a program in which the protocol's own client is embedded answers and remembers. */
class Editor {
  readonly updates: Array<Update> = []
  readonly asked: Array<ReadonlyArray<Choice>> = []
  readonly written: Array<string> = []
  /** Kind of the option that is chosen; `undefined`: the question is left by `cancelled`. */
  choice: string | undefined = "allow_once"

  text(kind = "agent_message_chunk"): string {
    return this.updates
      .filter((u) => u.sessionUpdate === kind)
      .map(({ content }) => content)
      .map((block) => typeof block === "object" && block && "text" in block ? block.text : "")
      .join("")
  }

  readonly requestPermission = async ({ options }: { readonly options: ReadonlyArray<Choice> }) => {
    this.asked.push(options)
    const chosen = options.find(({ kind }) => kind === this.choice)
    return chosen
      ? { outcome: { outcome: "selected" as const, optionId: chosen.optionId } }
      : { outcome: { outcome: "cancelled" as const } }
  }
  readonly sessionUpdate = async ({ update }: { readonly update: Update }) => void this.updates.push(update)
  readonly readTextFile = async ({ path }: { readonly path: string }) => ({ content: readFileSync(path, "utf8") })
  readonly writeTextFile = async ({ path }: { readonly path: string }) => {
    this.written.push(path)
    return {}
  }
}

interface Schema {
  safeParse(value: unknown): { success: boolean }
}

interface Client {
  readonly connect: (editor: Editor, child: ChildProcess) => Agent
  readonly schemas: typeof First | typeof Early
  /** Kinds of updates that came after it: it leaves them out and goes on. */
  readonly younger: ReadonlyArray<string>
}

const streams = (child: ChildProcess) => {
  if (!child.stdin || !child.stdout) throw new Error("the agent has no pipes")
  return {
    input: Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    output: Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>
  }
}

const sinceEarly = ["session_info_update", "usage_update", "config_option_update"]
const clients: Readonly<Record<string, Client>> = {
  "0.1.2": {
    connect: (editor, child) => {
      const { input, output } = streams(child)
      const writeTextFile = (request: { readonly path: string }) => editor.writeTextFile(request).then(() => null)
      return new First.ClientSideConnection(() => ({ ...editor, writeTextFile }), input, output)
    },
    schemas: First,
    younger: [...sinceEarly, "available_commands_update", "current_mode_update"]
  },
  "0.4.5": {
    connect: (editor, child) => {
      const { input, output } = streams(child)
      return new Early.ClientSideConnection(() => ({ ...editor }), Early.ndJsonStream(input, output))
    },
    schemas: Early,
    younger: sinceEarly
  }
}

/** The schema of that time for what the agent sent. */
const schemaFor = ({ schemas }: Client, { method, result }: Message): Schema | undefined => {
  if (method === "session/update") return schemas.sessionNotificationSchema
  if (method === "session/request_permission") return schemas.requestPermissionRequestSchema
  if (result?.["protocolVersion"]) return schemas.initializeResponseSchema
  if (result?.["stopReason"]) return schemas.promptResponseSchema
  return result?.["sessionId"] ? schemas.newSessionResponseSchema : undefined
}

/** Messages that a client of that time cannot read, but for updates that nobody could know then. */
const unreadable = (client: Client, sent: string): ReadonlyArray<Message> =>
  sent.split("\n").filter(Boolean).map((line): Message => JSON.parse(line)).filter((message) => {
    const read = schemaFor(client, message)?.safeParse(message.params ?? message.result)
    return read?.success === false && !client.younger.includes(message.params?.["update"]?.sessionUpdate)
  })

interface Opening {
  readonly agent: Agent
  readonly editor: Editor
  readonly close: () => Promise<void>
}

/** `close` fails where the agent did not end well, or sent what the client cannot read. */
const test = base.extend<{ open: (client: Client) => Opening }>({
  open: async ({ host }, use) => {
    const closers: Array<() => Promise<void>> = []
    // The second client tells of each update that it leaves out.
    vi.spyOn(console, "error").mockImplementation(() => {})
    await use((client) => {
      const child = spawn(process.execPath, [bundle, "acp"], { env: host.env, stdio: ["pipe", "pipe", "inherit"] })
      const ended = new Promise<number | null>((done) => child.on("close", done))
      const editor = new Editor()
      const agent = client.connect(editor, child)
      let sent = ""
      child.stdout.on("data", (chunk) => sent += chunk)
      const close = async () => {
        child.stdin.end()
        expect(await ended).toBe(0)
        expect(unreadable(client, sent)).toEqual([])
      }
      closers.push(close)
      return { agent, editor, close }
    })
    for (const close of closers) await close()
    vi.restoreAllMocks()
  }
})

/** All that a client of that time announces: files, and no name of its own. */
const hello = (files: boolean) => ({
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: files, writeTextFile: files } }
})

const prompt = (text: string) => [{ type: "text" as const, text }]

describe.each(Object.entries(clients))("the protocol's own client of version %s", (_version, client) => {
  test("opens a session, edits after a question, and reads what happens", async ({ host, open }) => {
    const { agent, editor } = open(client)
    host.write("a.txt", "one two\n")
    const { protocolVersion, agentCapabilities } = await agent.initialize(hello(false))
    expect(protocolVersion).toBe(1)
    expect(agentCapabilities?.loadSession).toBe(true)
    const { sessionId } = await agent.newSession({ cwd: host.project, mcpServers: [] })
    const turn = await agent.prompt({
      sessionId,
      prompt: prompt("think first\nplan A; B\nread a.txt\nedit a.txt\ntwo\n---\n2\n.\nsay all done")
    })
    expect(turn.stopReason).toBe("end_turn")
    expect(readFileSync(join(host.project, "a.txt"), "utf8")).toBe("one 2\n")
    expect(editor.asked).toHaveLength(1)
    expect(editor.asked[0]?.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["allow_once", "reject_once"]))
    expect(editor.text()).toContain("all done")
    expect(editor.text("agent_thought_chunk")).toContain("first")
    expect(editor.updates.map((u) => u.sessionUpdate)).toEqual(
      expect.arrayContaining(["plan", "tool_call", "tool_call_update"])
    )
  })

  test("is obeyed when it rejects, and when it leaves the question the turn is over", async ({ host, open }) => {
    const { agent, editor } = open(client)
    host.write("a.txt", "one two\n")
    await agent.initialize(hello(false))
    const { sessionId } = await agent.newSession({ cwd: host.project, mcpServers: [] })
    const script = prompt("edit a.txt\ntwo\n---\n2\n.\nsay fine then")
    editor.choice = "reject_once"
    expect((await agent.prompt({ sessionId, prompt: script })).stopReason).toBe("end_turn")
    expect(editor.updates.some((u) => u.sessionUpdate === "tool_call_update" && u.status === "failed")).toBe(true)
    expect(editor.text()).toContain("fine then")
    editor.choice = undefined
    expect((await agent.prompt({ sessionId, prompt: script })).stopReason).toBe("cancelled")
    expect(readFileSync(join(host.project, "a.txt"), "utf8")).toBe("one two\n")
  })

  test("writes files itself when it says that it can", async ({ host, open }) => {
    const { agent, editor } = open(client)
    await agent.initialize(hello(true))
    const { sessionId } = await agent.newSession({ cwd: host.project, mcpServers: [] })
    const turn = await agent.prompt({ sessionId, prompt: prompt("write b.txt\nnew\n.") })
    expect(turn.stopReason).toBe("end_turn")
    expect(editor.written).toEqual([join(host.project, "b.txt")])
  })

  test("cancels a turn in the middle", async ({ host, open }) => {
    const { agent, editor } = open(client)
    await agent.initialize(hello(false))
    const { sessionId } = await agent.newSession({ cwd: host.project, mcpServers: [] })
    const turn = agent.prompt({ sessionId, prompt: prompt("say begun\nwait 30") })
    await eventually(() => editor.text().includes("begun"), 20_000)
    await agent.cancel({ sessionId })
    expect((await turn).stopReason).toBe("cancelled")
  })

  test("loads in a second process what was said in the first", async ({ host, open }) => {
    const first = open(client)
    await first.agent.initialize(hello(false))
    const { sessionId } = await first.agent.newSession({ cwd: host.project, mcpServers: [] })
    await first.agent.prompt({ sessionId, prompt: prompt("say kept words") })
    await first.close()
    const second = open(client)
    await second.agent.initialize(hello(false))
    await second.agent.loadSession({ sessionId, cwd: host.project, mcpServers: [] })
    expect(second.editor.text("user_message_chunk")).toContain("say kept words")
    expect(second.editor.text()).toContain("kept words")
    expect((await second.agent.prompt({ sessionId, prompt: prompt("say more") })).stopReason).toBe("end_turn")
  })

  test("gets an error with the protocol's number for a session that is not there", async ({ host, open }) => {
    const { agent } = open(client)
    await agent.initialize(hello(false))
    await expect(agent.loadSession({ sessionId: "absent", cwd: host.project, mcpServers: [] })).rejects.toMatchObject({
      code: -32002
    })
  })
})
