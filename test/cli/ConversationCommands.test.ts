import { describe, expect, it } from "vitest"
import { help, isUnknownCommand } from "../../src/cli/client/Client.ts"

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

it("/help explains how to write several lines and lists the agent's commands", () => {
  expect(help([])).toContain("\\       at the end of a line")
  expect(help(["plan", "a\nb"])).toContain("the agent's own: /plan /a ⏎ b\n")
})
