import { describe, expect, it } from "vitest"
import * as Focus from "../../src/cli/client/Focus.ts"

describe("updates of sessions", () => {
  const told = () => {
    const seen: Array<string> = []
    const focus = Focus.make()
    return {
      focus,
      seen,
      tell: (sessionId: unknown, text: string) => focus.about(sessionId, () => void seen.push(text))
    }
  }

  it("are shown for this one only", () => {
    const { focus, seen, tell } = told()
    focus.on("s")
    tell("s", "mine")
    tell("t", "another's")
    tell(undefined, "nobody's")
    expect(seen).toEqual(["mine"])
  })

  it("that come before it is known which one this is are shown then, in order", () => {
    const { focus, seen, tell } = told()
    tell("t", "another's")
    tell("s", "one")
    tell("s", "two")
    expect(seen).toEqual([])
    focus.on("s")
    tell("s", "three")
    expect(seen).toEqual(["one", "two", "three"])
  })
})
