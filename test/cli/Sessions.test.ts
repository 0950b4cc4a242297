import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import type { TranscriptEntry } from "../../src/domain/SessionEvent.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { lines, Run } from "./support/Run.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"

const home = suiteFolder()
const env = { POSTERN_CONFIG_DIR: home, POSTERN_DATA_DIR: "" }
const sessions = (...args: ReadonlyArray<string>) => new Run(["sessions", ...args], { env, stdin: "" }).done

const entries: ReadonlyArray<TranscriptEntry> = [
  { _tag: "User", messageId: "u1", content: [{ type: "text", text: "fix `a.txt`" }] },
  { _tag: "Thought", messageId: "t1", text: "hm" },
  {
    _tag: "ToolCall",
    call: {
      toolCallId: "c1",
      name: "file_edit",
      title: "Edit a.txt",
      kind: "edit",
      status: "completed",
      content: [{ type: "diff", path: "/w/a.txt", oldText: "old\n", newText: "```\nnew\n" }],
      locations: []
    }
  },
  { _tag: "Agent", messageId: "a1", text: "Done \u001b[31m." },
  { _tag: "Interrupted", messageId: "i1", text: "This turn was cut off." }
]

/** A session with one turn and no title. */
const prompted = Effect.fnUntraced(function*(sessionId: string, cwd: string) {
  const store = yield* SessionStore
  yield* store.create({ sessionId, cwd, agent: "main", additionalDirectories: [] })
  const { turn } = yield* store.beginTurn(sessionId, entries[0]!)
  yield* store.commitTurn(sessionId, turn, { rows: [], context: "[]", outcome: "end_turn", title: null })
})

const seed = Effect.gen(function*() {
  const store = yield* SessionStore
  for (
    const [sessionId, cwd] of [["aaaa-1", "/w"], ["aaaa-2", "/w"], ["dead-4", "/w"]] as const
  ) yield* prompted(sessionId, cwd)
  for (const sessionId of ["bbbb-3", "idle-9"]) {
    yield* store.create({ sessionId, cwd: "/elsewhere", agent: "main", additionalDirectories: [] })
  }
  const [first, ...rest] = entries
  const { position, turn } = yield* store.beginTurn("bbbb-3", first!)
  const rows = rest.map((entry, at) => ({ position: position + at, entry }))
  const at = "2026-01-01T00:00:00.000Z"
  const decision = {
    callId: "c1",
    tool: "file_edit",
    outcome: "ask",
    gate: "policy",
    code: "POLICY_ASK",
    reason: "needs rw",
    rule: null,
    shapes: [],
    knobs: "h"
  } as const
  yield* store.commitTurn("bbbb-3", turn, {
    rows,
    audit: [
      { _tag: "Decided", decision, at },
      { _tag: "Asked", id: "q1", callId: "c1", at },
      { _tag: "Answered", id: "q1", answer: "AllowOnce", at }
    ],
    context: "[]",
    outcome: "end_turn",
    title: "Fix \u001b[31ma.txt"
  })
  yield* store.kill("dead-4")
})

/** Chat sessions, as a daemon leaves them; one has the id of an ACP session. */
const seedChat = Effect.gen(function*() {
  const store = yield* SessionStore
  yield* store.create({ sessionId: "chat-5", cwd: "/chat", agent: "main", additionalDirectories: [] })
  for (const sessionId of ["chat-6", "aaaa-2", "talk-7"]) yield* prompted(sessionId, "/chat")
  const { turn } = yield* store.beginTurn("chat-5", entries[0]!, "Talk")
  yield* store.commitTurn("chat-5", turn, { rows: [], context: "[]", outcome: "end_turn", title: "Talk" })
  yield* store.kill("chat-6")
})

const file = (mode: string) => SessionStore.layer(join(home, "data", "sessions", `${mode}-sessions.db`))

beforeAll(() =>
  Effect.runPromise(Effect.andThen(Effect.provide(seedChat, file("chat")), Effect.provide(seed, file("acp"))))
)

describe("postern sessions", () => {
  it("lists sessions as an aligned table, newest first, without the killed ones", async () => {
    const { code, stdout } = await sessions("list")
    const [head, ...rows] = stdout.trimEnd().split("\n")
    expect(head).toBe("ID      MODE  AGE  FOLDER      TITLE")
    expect(rows[0]).toBe("bbbb-3  acp   now  /elsewhere  Fix ␛[31ma.txt")
    expect(rows.map((line) => line.slice(0, 12).trimEnd()).sort()).toEqual(
      ["aaaa-1  acp", "aaaa-2  acp", "aaaa-2  chat", "bbbb-3  acp", "chat-5  chat", "talk-7  chat"]
    )
    expect(code).toBe(0)
  })

  it("lists the sessions of one folder, killed ones too, and as JSON", async () => {
    expect((await sessions("list", "--cwd", "/elsewhere")).stdout.trimEnd().split("\n")).toHaveLength(2)
    expect((await sessions("list", "--all")).stdout).toMatch(/^dead-4 .* \(killed\)$/m)
    const rows = lines((await sessions("list", "--json", "--all")).stdout)
    expect(rows.find(({ sessionId }) => sessionId === "chat-6")).toEqual({
      sessionId: "chat-6",
      mode: "chat",
      agent: "main",
      cwd: "/chat",
      title: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      killedAt: expect.any(String)
    })
  })

  it("lists no session without a prompt, and finds it by its id", async () => {
    expect((await sessions("list", "--all", "--json")).stdout).not.toContain("idle-9")
    expect((await sessions("show", "idle")).stdout).toMatch(/^\(untitled\)\nsession {2}idle-9\n/)
    expect((await sessions("kill", "idle-9")).stdout).toBe("killed idle-9\n")
    expect((await sessions("delete", "idle-9", "--yes")).stdout).toBe("deleted idle-9\n")
  })

  it("shows a transcript with its tool calls and its interruption", async () => {
    const { stdout } = await sessions("show", "bbbb")
    expect(stdout).toMatch(
      /^Fix ␛\[31ma\.txt\nsession {2}bbbb-3\nagent {4}main\nfolder {3}\/elsewhere\ncreated .*\nupdated .*\n/
    )
    expect(stdout.slice(stdout.indexOf("\n\n") + 2)).toBe(
      "> fix `a.txt`\n\nhm\n\n✓ Edit a.txt\n  /w/a.txt\n  - old\n  + ```\n  + new\n\nDone ␛[31m.\n\n! This turn was cut off.\n"
    )
  })

  it("finds chat sessions, and prefers one to an ACP session of the same id", async () => {
    expect((await sessions("show", "chat-5")).stdout).toMatch(/^Talk\nsession {2}chat-5\n/)
    expect((await sessions("export", "chat-6", "--format", "json")).stdout).toContain("\"killedAt\"")
    expect(JSON.parse((await sessions("show", "aaaa-2", "--json")).stdout).session).toMatchObject({ mode: "chat" })
    expect((await sessions("kill", "chat-5")).stdout).toBe("killed chat-5\n")
    expect((await sessions("delete", "chat-5", "chat-6", "--yes")).stdout).toBe("deleted chat-5\ndeleted chat-6\n")
    expect((await sessions("close", "aaaa-1")).stderr).toBe(
      "postern: no daemon is running, so no session of it is active\n"
    )
  })

  it("does not resume a killed session or a chat session in the client, and says which it is", async () => {
    const resume = async (id: string) => {
      const { code, stderr, stdout } = await new Run(["client", "--resume", id, "say hi"], { env, stdin: "" }).done
      // A slow start is worth a line of its own before it.
      return { code, stdout, stderr: stderr.trimEnd().split("\n").at(-1) }
    }
    const refused = (why: string) => ({ code: 1, stdout: "", stderr: `postern: ${why}` })
    const killed = refused("session dead-4 was killed and cannot go on; postern sessions show dead-4 shows it")
    expect(await resume("dead-4")).toEqual(killed)
    expect(await resume("dead")).toEqual(killed)
    expect(await resume("talk-7")).toEqual(
      refused("session talk-7 is a chat session of the daemon, which goes on there and not here")
    )
    expect(await resume("nope-8")).toEqual(refused("no session nope-8; see postern sessions list"))
  })

  it("shows the decisions and the answers", async () => {
    const { stdout } = await sessions("show", "bbbb", "--decisions")
    expect(stdout).toMatch(
      /^AT +TOOL +OUTCOME +GATE +CODE +RULE +KNOBS +ANSWER +REASON\n\S+ +file_edit +ask +policy +POLICY_ASK +\S+ +AllowOnce +needs rw\n$/
    )
    const trail = JSON.parse((await sessions("show", "bbbb", "--decisions", "--json")).stdout)
    expect(trail.decisions[0]).toMatchObject({ callId: "c1", outcome: "ask" })
    expect((await sessions("show", "aaaa-1", "--decisions")).stdout).toBe(
      "no tool call has been decided in this session\n"
    )
  })

  it("exports Markdown whose code blocks the content cannot close", async () => {
    const output = join(home, "out.md")
    expect(await sessions("export", "bbbb-3", "--output", output)).toEqual({ code: 0, stdout: "", stderr: "" })
    const text = readFileSync(output, "utf8")
    expect(text).toContain(
      "## User\n\nfix `a.txt`\n\n> hm\n\n### Edit a.txt (edit, completed)\n\n````diff\n/w/a.txt\n- old\n+ ```\n+ new\n````\n"
    )
    expect(text.endsWith("## Agent\n\nDone ␛[31m.\n\n*This turn was cut off.*\n")).toBe(true)
  })

  it("replaces a file only with --force, and says why it cannot write", async () => {
    const output = join(home, "mine.md")
    const missing = join(home, "no", "such.md")
    writeFileSync(output, "mine")
    const failed = (file: string, why: string) => ({
      code: 1,
      stdout: "",
      stderr: `postern: cannot write ${file}: ${why}\n`
    })
    expect(await sessions("export", "bbbb-3", "-o", output)).toEqual(
      failed(output, "it exists already; --force replaces it")
    )
    expect(readFileSync(output, "utf8")).toBe("mine")
    expect(await sessions("export", "bbbb-3", "-o", output, "--force")).toMatchObject({ code: 0, stderr: "" })
    expect(readFileSync(output, "utf8")).toContain("## User")
    expect(await sessions("export", "bbbb-3", "-o", missing)).toEqual(failed(missing, "there is no such folder"))
    expect(await sessions("export", "bbbb-3", "-o", home)).toEqual(failed(home, "it is a folder"))
  })

  it("exports everything as JSON", async () => {
    const { stdout } = await sessions("export", "bbbb-3", "--format", "json")
    expect(JSON.parse(stdout)).toMatchObject({ session: { sessionId: "bbbb-3", agent: "main" }, transcript: entries })
  })

  it.each([
    ["aaaa", "postern: 2 sessions begin with aaaa: "],
    ["bbb", "postern: there is no session \"bbb\" (an id may be shortened to 4 characters, no less)\n"],
    ["nope-nope", "postern: there is no session \"nope-nope\"\n"]
  ])("does not guess what %s means", async (id, stderr) => {
    const ran = await sessions("show", id)
    expect(ran.stderr.startsWith(stderr)).toBe(true)
    expect(ran.code).toBe(1)
  })

  it("without a terminal deletes only with --yes, and all sessions or none", async () => {
    expect(await sessions("delete", "aaaa-1")).toMatchObject({ code: 2, stdout: "" })
    expect(await sessions("delete", "aaaa-1", "nope-nope", "--yes")).toMatchObject({ code: 1, stdout: "" })
    expect(await sessions("delete", "aaaa-1", "dead", "aaaa-1", "--yes"))
      .toEqual({ code: 0, stdout: "deleted aaaa-1\ndeleted dead-4\n", stderr: "" })
    expect((await sessions("list", "--all")).stdout).not.toMatch(/aaaa-1|dead-4/)
  })
})
