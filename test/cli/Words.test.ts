import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { words } from "../../src/cli/client/Words.ts"

describe("a command line", () => {
  it.each([
    ["npx some-agent --acp", ["npx", "some-agent", "--acp"]],
    ["  'a b'  \"c \\\" d\"  e\\ f  ", ["a b", "c \" d", "e f"]],
    ["x\"y\"'z' ''", ["xyz", ""]],
    ["C:\\tools\\agent.exe --acp", ["C:\\tools\\agent.exe", "--acp"]],
    ["'$HOME' \"`id`\" *", ["$HOME", "`id`", "*"]]
  ])("%s", (line, expected) => {
    expect(words(line)).toEqual(Result.succeed(expected))
  })

  it.each([["", "it is empty"], ["  ", "it is empty"], ["a 'b", "a ' is never closed"]])(
    "%j is refused",
    (line, why) => {
      expect(words(line)).toEqual(Result.fail(why))
    }
  )
})
