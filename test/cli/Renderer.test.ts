import { describe, expect, it } from "vitest"
import type { SessionUpdate } from "../../src/acp/protocol/SessionUpdate.ts"
import { textStyles } from "../../src/cli/terminal/Output.ts"
import * as Renderer from "../../src/cli/terminal/Renderer.ts"

const text = (
  kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk",
  value: string,
  messageId = "m"
): SessionUpdate => ({
  sessionUpdate: kind,
  messageId,
  content: { type: "text", text: value }
})
const call = (patch: Partial<Extract<SessionUpdate, { sessionUpdate: "tool_call" }>> = {}): SessionUpdate => ({
  sessionUpdate: "tool_call",
  toolCallId: "t1",
  title: "Read a.txt",
  kind: "read",
  status: "in_progress",
  ...patch
})
const change = (patch: Partial<Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>> = {}): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId: "t1",
  status: "completed",
  ...patch
})
const output = (value: string) => [{ type: "content" as const, content: { type: "text" as const, text: value } }]

const make = (options: Partial<Parameters<typeof Renderer.make>[0]> = {}) =>
  Renderer.make({ styles: textStyles(false), width: 40, ...options })
const render = (...updates: ReadonlyArray<SessionUpdate>) => {
  const renderer = make()
  return updates.map(renderer.update).join("") + renderer.close()
}

describe("the renderer", () => {
  it("streams text unchanged and ends its last line", () => {
    expect(render(text("agent_message_chunk", "Hel"), text("agent_message_chunk", "lo\nthere"))).toBe("Hello\nthere\n")
  })

  it("joins characters that come in two pieces, and shows a half that stays alone", () => {
    const [high, low] = ["\ud83d", "\ude00"]
    const shown = make()
    expect([text("agent_message_chunk", `a${high}`), text("agent_message_chunk", `${low}b`)].map(shown.update)).toEqual(
      ["a", "😀b"]
    )
    expect(render(text("user_message_chunk", high), text("user_message_chunk", low))).toBe("> 😀\n")
    expect(render(text("agent_message_chunk", high), text("agent_thought_chunk", `${low}b`))).toBe(
      `${high}\n\n${low}b\n`
    )
    expect(render(text("agent_message_chunk", `a${high}`), call())).toBe(`a${high}\n\n▸ Read a.txt\n`)
    expect(render(text("agent_message_chunk", high))).toBe(`${high}\n`)
  })

  it("separates blocks by an empty line", () => {
    expect(render(
      text("agent_thought_chunk", "hm"),
      text("agent_message_chunk", "one", "a"),
      text("agent_message_chunk", "two", "b"),
      call(),
      change({ content: output("x\n") }),
      text("agent_message_chunk", "three", "c")
    )).toBe("hm\n\none\n\ntwo\n\n▸ Read a.txt\n✓ Read a.txt\n  x\n\nthree\n")
  })

  it("repeats the heading of a finished call after other output", () => {
    expect(render(
      call(),
      call({ toolCallId: "t2", title: "make", kind: "execute" }),
      change({ content: output("x") }),
      change({ toolCallId: "t2", status: "failed", content: output("exit 2") })
    )).toBe("▸ Read a.txt\n▸ make (execute)\n✓ Read a.txt\n  x\n✗ make (execute)\n  exit 2\n")
  })

  it("marks a failed call, and prints a result once", () => {
    expect(render(call(), change({ status: "failed", content: output("no") }), change({ status: "failed" })))
      .toBe("▸ Read a.txt\n✗ Read a.txt\n  no\n")
  })

  it("ends a call in the same way with and without a question, and omits its start where a spinner shows it", () => {
    const plainly = make({ starts: false })
    const asked = make({ starts: false })
    expect(plainly.update(call()) + asked.update(call())).toBe("")
    expect(asked.question({ toolCallId: "t1" })).toBe("? Read a.txt\n")
    const [one, other] = [plainly, asked].map((renderer) => renderer.update(change({ content: output("x") })))
    expect(one).toBe("✓ Read a.txt\n  x\n")
    expect(other).toBe(one)
  })

  it("shortens long output and notes how many lines are left out", () => {
    const lines = Array.from({ length: 20 }, (_, at) => `${at} ${"x".repeat(60)}`).join("\n")
    const shown = render(call(), change({ content: output(lines) })).split("\n")
    expect(shown).toHaveLength(16)
    expect(shown[2]).toBe(`  0 ${"x".repeat(37)}…`)
    expect(shown[14]).toBe("  … 8 more lines")
  })

  it("shows an edit as a diff", () => {
    expect(render(
      call({ title: "Edit a.txt", kind: "edit" }),
      change({
        content: [{
          type: "diff",
          path: "/w/a.txt",
          oldText: "1\n2\n3\n4\n5\nold\n7\n",
          newText: "1\n2\n3\n4\n5\nnew\n7\n8\n"
        }]
      })
    )).toBe("▸ Edit a.txt\n✓ Edit a.txt\n  /w/a.txt\n    ⋮\n    3\n    4\n    5\n  - old\n  + new\n    7\n  + 8\n")
  })

  it("shows every state of a plan once", () => {
    const plan = (status: "pending" | "completed"): SessionUpdate => ({
      sessionUpdate: "plan",
      entries: [{ content: "look", priority: "high", status }, {
        content: "act",
        priority: "low",
        status: "in_progress"
      }]
    })
    expect(render(plan("pending"), plan("pending"), plan("completed")))
      .toBe("Plan\n  ☐ look\n  ◐ act\nPlan\n  ☑ look\n  ◐ act\n")
  })

  it("quotes the user in a replay", () => {
    expect(render(text("user_message_chunk", "a\nb", "u"), text("agent_message_chunk", "c"))).toBe("> a\n> b\n\nc\n")
  })

  it("removes control characters from text of agents and tools", () => {
    expect(render(
      text("agent_message_chunk", "\u001b[2Jhi"),
      call({ title: "Read \u001b]8;;evil\u0007 a\nb" }),
      change({ content: output("\u001b[31mred\u001b[0m\rgone") })
    )).toBe("␛[2Jhi\n\n▸ Read ␛]8;;evil␇ a ⏎ b\n✓ Read ␛]8;;evil␇ a ⏎ b\n  red␍gone\n")
  })

  it("uses colours only on request", () => {
    const renderer = make({ styles: textStyles(true) })
    expect(renderer.update(text("agent_thought_chunk", "hm"))).toBe("\u001b[2mhm\u001b[22m")
    expect(renderer.update(text("agent_message_chunk", "hi"))).toBe("\n\nhi")
  })

  it("can show the answer only", () => {
    const renderer = make({ show: "answer" })
    expect(
      [text("agent_thought_chunk", "hm"), call(), change(), text("agent_message_chunk", "hi")].map(renderer.update)
        .join("")
    ).toBe("hi")
  })
})

describe("the question about a tool call", () => {
  it("shows the whole diff", () => {
    const renderer = make()
    const newText = Array.from({ length: 40 }, (_, at) => `line ${at} ${"y".repeat(60)}`).join("\n")
    const question = renderer.question({
      toolCallId: "t1",
      title: "Write a.txt",
      content: [{ type: "diff", path: "/w/a.txt", oldText: null, newText }]
    })
    expect(question.split("\n").slice(0, 3)).toEqual([
      "? Write a.txt",
      "  /w/a.txt (new file)",
      `  + line 0 ${"y".repeat(60)}`
    ])
    expect(question.split("\n")).toHaveLength(43)
  })

  it("shows the whole command with control characters made visible", () => {
    expect(
      make().question({
        toolCallId: "t1",
        title: "Run `ls`",
        rawInput: { command: "ls\nrm -rf ~ \u001b[8m\u202e", timeout: 5 }
      })
    )
      .toBe("? Run `ls`\n  $ ls\n    rm -rf ~ ␛[8m‹U+202E›\n  {\n    \"timeout\": 5\n  }\n")
  })

  it("is cut off where it nests too deeply", () => {
    const rawInput = { list: JSON.parse("[".repeat(50_000) + "]".repeat(50_000)), command: "ls" }
    expect(make().question({ toolCallId: "t1", title: "t", rawInput })).toMatch(
      /^\? t\n {2}\$ ls\n {2}\{"list":\[+"\(nested too deeply to show\)"\]+\}\n$/
    )
  })

  it("includes what is known of the call, and its diff is not shown twice", () => {
    const renderer = make()
    const content = [{ type: "diff" as const, path: "/w/a.txt", oldText: "a", newText: "b" }]
    renderer.update(call({ title: "Edit a.txt", kind: "edit", content }))
    expect(renderer.question({ toolCallId: "t1" })).toBe("? Edit a.txt\n  /w/a.txt\n  - a\n  + b\n")
    expect(renderer.update(change())).toBe("✓ Edit a.txt\n")
  })
})
