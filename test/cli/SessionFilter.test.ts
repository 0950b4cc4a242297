import { describe, expect, it } from "vitest"
import { makeSessionFilter } from "../../src/cli/client/View.ts"

describe("updates of sessions", () => {
  const told = () => {
    const seen: Array<string> = []
    const filter = makeSessionFilter()
    return {
      filter,
      seen,
      tell: (sessionId: unknown, text: string) => filter.pass(sessionId, () => void seen.push(text))
    }
  }

  it("are shown for this one only", () => {
    const { filter, seen, tell } = told()
    filter.select("s")
    tell("s", "mine")
    tell("t", "another's")
    tell(undefined, "nobody's")
    expect(seen).toEqual(["mine"])
  })

  it("that come before it is known which one this is are shown then, in order", () => {
    const { filter, seen, tell } = told()
    tell("t", "another's")
    tell("s", "one")
    tell("s", "two")
    expect(seen).toEqual([])
    filter.select("s")
    tell("s", "three")
    expect(seen).toEqual(["one", "two", "three"])
  })
})
