import { describe, expect, it } from "vitest"
import { read, repair } from "../../../src/session/context/History.ts"
import { capped } from "../../../src/session/context/Capped.ts"

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] })
const call = (...ids: ReadonlyArray<string>) => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool-call", id, name: "t", params: {} }))
})
const result = (...ids: ReadonlyArray<string>) => ({
  role: "tool",
  content: ids.map((id) => ({ type: "tool-result", id, name: "t", isFailure: false, result: `of ${id}` }))
})

/** Who speaks, and the ids of calls and results. */
const shape = (messages: ReturnType<typeof repair>) =>
  messages.map(({ content, role }) =>
    `${role}${typeof content === "string" ? "" : content.map((part) => "id" in part ? ` ${part.id}` : "").join("")}`
  )

describe("A stored context", () => {
  it("that is valid stays as it is, byte for byte", () => {
    const messages = [
      user("hi"),
      { role: "assistant", content: [{ type: "text", text: "x" }, ...call("a").content] },
      result("a")
    ]
    expect(read(JSON.stringify(messages)).json).toBe(JSON.stringify(messages))
  })

  it("gets a result for each call, in the order of the calls, and none without a call", () => {
    expect(
      shape(repair([user("hi"), call("a", "b", "c"), result("c", "x", "a"), result("b"), result("y"), user("on")]))
    )
      .toEqual(["user", "assistant a b c", "tool a b c", "user"])
    const [, , tool] = repair([user("hi"), call("a")])
    expect(tool?.content).toEqual([{
      type: "tool-result",
      id: "a",
      name: "t",
      isFailure: true,
      result: "This call was cut off before it had a result."
    }])
  })

  it("loses empty messages, system messages and values that are no messages", () => {
    expect(
      shape(
        repair([
          { role: "system", content: "x" },
          user(""),
          user("hi"),
          { role: "assistant", content: [] },
          { role: "robot" },
          7,
          result("z")
        ])
      )
    )
      .toEqual(["user"])
  })

  it.each(["", "{", "null", "{}", "[[]]", "\"x\""])("that is no context at all (%j) counts as empty", (json) => {
    expect(read(json)).toMatchObject({ json: "[]", tokens: 0 })
  })
})

describe("A cut in a long result", () => {
  it("never falls into an image marker or a surrogate pair", () => {
    const marker = "[IMAGE:/w/uploads/abc.png]"
    for (let at = 0; at < 60; at++) {
      const text = `${"a".repeat(at)}${marker}${"😀".repeat(60)}`
      const cut = capped(text, 60)
      expect(cut.replace(marker, "")).not.toContain("IMAGE")
      expect(cut).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/)
    }
  })

  it("leaves a result of exactly the limit alone", () => {
    expect(capped("x".repeat(60), 60)).toBe("x".repeat(60))
  })
})
