import { describe, expect, it } from "vitest"
import { makeSessionFilter } from "../../src/cli/client/View.ts"

describe("the filter of session updates", () => {
  const told = () => {
    const seen: Array<string> = []
    const filter = makeSessionFilter()
    return {
      filter,
      seen,
      tell: (sessionId: unknown, text: string) => filter.pass(sessionId, () => void seen.push(text))
    }
  }

  it("passes those of the selected session only", () => {
    const { filter, seen, tell } = told()
    filter.select("s")
    tell("s", "mine")
    tell("t", "another's")
    tell(undefined, "nobody's")
    expect(seen).toEqual(["mine"])
  })

  it("passes earlier ones, in order, when the session is selected", () => {
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
