import { expect, it } from "vitest"
import { PassThrough } from "node:stream"
import * as Screen from "../../src/cli/terminal/Screen.ts"

it("separates the banner from a replay only", () => {
  const stdout = new PassThrough()
  const screen = Screen.make({
    stdout,
    stderr: new PassThrough(),
    animate: false,
    columns: () => 80,
    rows: () => 24,
    clip: (line) => line,
    width: (line) => line.length
  })
  screen.separate()
  expect(stdout.read()).toBeNull()
  screen.write("> earlier\n")
  screen.separate()
  expect(String(stdout.read())).toBe("> earlier\n\n")
})
