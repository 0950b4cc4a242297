import { describe, expect, it } from "vitest"
import { help, isUnknownCommand } from "../../src/cli/client/Conversation.ts"

const exists = (path: string) => path === "/etc"
const unknown = (entry: string, ...commands: ReadonlyArray<string>) => isUnknownCommand(entry, commands, exists)

describe("a line that begins with a slash", () => {
  it.each(["/nope", "/no-pe with words", "/nope\nand more"])("%j is an unknown command", (entry) => {
    expect(unknown(entry)).toBe(true)
  })

  it.each(["/etc/hosts is short", "/etc is a folder", "/etc", "// comment", "/", "/a.b c", " /nope", "what is /nope"])(
    "%j is sent to the agent",
    (entry) => expect(unknown(entry)).toBe(false)
  )

  it("is sent to the agent if it has such a command", () => {
    expect(unknown("/plan it", "plan")).toBe(false)
    expect(unknown("/plan it", "/plan")).toBe(false)
    expect(unknown("/planning", "plan")).toBe(true)
  })
})

it("/help lists the client's commands and keys, and the agent's commands with what they do", () => {
  const own = help([])
  for (const said of ["/resume [ID]", "/clear", "/cost", "!COMMAND", "@FILE", "Ctrl-R", "Ctrl-Z"]) {
    expect(own).toContain(said)
  }
  expect(own).not.toContain("The agent's own")
  const all = help([
    { name: "plan", description: "Make a plan", hint: "[task]" },
    { name: "a\nb", description: "odd", hint: undefined },
    { name: "help", description: "hidden by the client's", hint: undefined }
  ])
  expect(all).toMatch(/The agent's own:\n {2}\/plan \[task\] +Make a plan\n {2}\/a ⏎ b +odd\n/)
  expect(all).not.toContain("hidden")
})
