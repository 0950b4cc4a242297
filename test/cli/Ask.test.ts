import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Ask from "../../src/cli/client/PermissionPrompt.ts"
import { paint } from "../../src/cli/terminal/Style.ts"

const offer = (optionId: string, kind: string): Ask.Offer => ({ optionId, kind, name: optionId })
const four = [
  offer("1", "allow_once"),
  offer("2", "allow_always"),
  offer("3", "reject_once"),
  offer("4", "reject_always")
]
const chosen = (optionId: string) => ({ outcome: "selected", optionId })

describe("the answer to a permission question", () => {
  it.each([
    ["y", "1"],
    ["YES", "1"],
    [" a ", "2"],
    ["always", "2"],
    ["n", "3"],
    ["no", "3"],
    ["v", "4"],
    ["never", "4"],
    ["2", "2"]
  ])("%j chooses option %s", (said, optionId) => {
    expect(Ask.read(four, said)).toEqual(chosen(optionId))
  })

  it.each(["", "  ", "ok", "yn", "1y", "allow"])("%j chooses nothing", (said) => {
    expect(Ask.read(four, said)).toBeUndefined()
  })

  it("never allows more than was said", () => {
    expect(Ask.read([offer("x", "allow_always"), offer("z", "reject_once")], "y")).toBeUndefined()
  })

  it("tells several options of one kind apart by number", () => {
    const many = [
      offer("edit", "allow_always"),
      offer("all", "allow_always"),
      offer("no", "reject_once"),
      offer("odd", "reject-with-edit")
    ]
    expect(Ask.read(many, "a")).toBeUndefined()
    expect(Ask.read(many, "2")).toEqual(chosen("all"))
    expect(Ask.read(many, "4")).toEqual(chosen("odd"))
    expect(Ask.choices(many, paint(false))).toBe("  1  edit\n  2  all\n  n  no\n  4  odd\n")
  })

  it("is kept where the user says, as far as the agent offers places", () => {
    const scopes = [{ scope: "session", name: "here" }, { scope: "workspace", name: "everywhere here" }]
    const scoped = [
      ...four.slice(0, 1),
      { ...four[1]!, name: "here", _meta: { postern: { scopes } } },
      ...four.slice(2)
    ]
    expect(Ask.choices(scoped, paint(false))).toBe("  y  1\n  a  here\n  w  everywhere here\n  n  3\n  v  4\n")
    expect(Ask.read(scoped, "a")).toEqual(chosen("2"))
    expect(Ask.read(scoped, "w")).toEqual({ ...chosen("2"), _meta: { postern: { scope: "workspace" } } })
  })

  it("is what the keys say, whatever the agent calls its options", () => {
    const lying = [offer("n", "allow_always"), offer("yes", "reject_once"), offer("always", "constructor")]
    expect(Ask.choices(lying, paint(false))).toBe("  a  n\n  n  yes\n  3  always\n")
    expect(Ask.read(lying, "n")).toEqual(chosen("yes"))
    expect(Ask.read(lying, "a")).toEqual(chosen("n"))
    expect(Ask.read(lying, "yes")).toBeUndefined()
    expect(Ask.read(lying, "always")).toEqual(chosen("n"))
    expect(Ask.read([offer("n", "allow_always")], "n")).toEqual({ outcome: "cancelled" })
    expect(Ask.read([offer("", "allow_always"), offer("1", "x")], "")).toBeUndefined()
  })

  it("can be an id typed in full", () => {
    const ids = [offer("allow-once", "allow_once"), offer("reject-once", "reject_once")]
    expect(Ask.read(ids, "reject-once")).toEqual(chosen("reject-once"))
    expect(Ask.read(ids, "Allow-Once")).toBeUndefined()
  })

  it("can be no even where no is not offered", () => {
    expect(Ask.read([offer("1", "allow_once")], "no")).toEqual({ outcome: "cancelled" })
  })

  it("without a person is no, this once", () => {
    expect(Ask.rejection(four)).toEqual(chosen("3"))
    expect(Ask.rejection([offer("1", "allow_once"), offer("4", "reject_always")])).toEqual(chosen("4"))
    expect(Ask.rejection([offer("1", "allow_once")])).toEqual({ outcome: "cancelled" })
  })

  it("to a question is the number of a choice, and none without a person", () => {
    const question = [offer("choice-0", "allow_once"), offer("choice-1", "reject_once")]
    expect(Ask.choices(question, paint(false))).toBe("  1  choice-0\n  2  choice-1\n")
    expect(Ask.read(question, "2")).toEqual(chosen("choice-1"))
    expect(["y", "n", "no"].map((said) => Ask.read(question, said))).toEqual([undefined, undefined, undefined])
    expect(Ask.rejection(question)).toEqual({ outcome: "cancelled" })
  })

  const answering = (...answers: Array<string | undefined>) => {
    const asked: Array<string> = []
    const ask = Ask.make({
      prompt: () => Effect.die("not asked here"),
      ask: (text, label) =>
        Effect.sync(() => {
          asked.push(text + label)
          return answers.shift()
        })
    }, paint(false))
    return { ask, asked }
  }

  it.effect("is asked for again until it is clear", () =>
    Effect.gen(function*() {
      const { ask, asked } = answering("", "perhaps", "y")
      expect(yield* ask("? Run\n", four)).toEqual(chosen("1"))
      expect(asked).toEqual(["? Run\n  y  1\n  a  2\n  n  3\n  v  4\n[y/a/n/v] ", "[y/a/n/v] ", "[y/a/n/v] "])
    }))

  it.effect("is no at the end of input", () =>
    Effect.gen(function*() {
      expect(yield* answering(undefined).ask("?", four)).toEqual(chosen("3"))
    }))
})
