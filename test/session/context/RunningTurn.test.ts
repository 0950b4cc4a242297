import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import type { Messages } from "../../../src/session/context/History.ts"
import * as RunningTurn from "../../../src/session/context/RunningTurn.ts"
import { oneOf } from "../../support/Arbitraries.ts"
import { estimate } from "../../../src/session/context/Tokens.ts"

const user = (text: string): Messages => [{ role: "user", content: [{ type: "text", text }] }]

const step = (id: string, params: unknown, result: string): Messages => [
  { role: "assistant", content: [{ type: "tool-call", id, name: "shell", params }] },
  { role: "tool", content: [{ type: "tool-result", id, name: "shell", isFailure: false, result }] }
]

const idsOf = (messages: Messages, kind: string) =>
  messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((part) => part.type === kind ? [(part as { id: string }).id] : [])
  )

const long = "x".repeat(10_000)

describe("Making room in the running turn", () => {
  it("keeps a turn that has room as it is", () => {
    const turn = [...user("do it"), ...step("1", {}, long)]
    assert.strictEqual(RunningTurn.shorten(turn, 5_000, 5_000), turn)
  })

  it("shortens arguments at any depth and results, but no message of the user and no newest step", () => {
    const turn = [...user(long), ...step("1", { a: [{ b: long }], n: 1 }, long), ...step("2", {}, long)]
    const made = RunningTurn.shorten(turn, 100, 20_000)
    assert.deepStrictEqual([made[0], made.slice(3)], [turn[0], turn.slice(3)])
    assert.deepInclude(JSON.parse(JSON.stringify(made[1])).content[0].params, { n: 1 })
    assert.isBelow(JSON.stringify(made.slice(1, 3)).length, 800)
  })

  it("shortens the newest step where it does not fit otherwise", () => {
    const turn = [...user("do it"), ...step("1", {}, long)]
    assert.isBelow(estimate(RunningTurn.shorten(turn, 100, 600)), 600)
  })

  const length = oneOf(0, 1, 119, 200, 1_900, 3_000)
  const lengths = Arbitrary.flatMap(length, (a) => Arbitrary.map(length, (b) => [a, b] as const))

  it.prop(
    "never loses a call or a result, whatever the room",
    {
      steps: Arbitrary.array(lengths, { maxLength: 12 }),
      room: oneOf(0, 300, 2_000, 9_000),
      most: oneOf(0, 1_000, 9_000)
    },
    ({ most, room, steps }) => {
      const called = steps.flatMap(([a, b], at) => step(`${at}`, { a: "a".repeat(a) }, "b".repeat(b)))
      const turn = [...user("do it"), ...called]
      const made = RunningTurn.shorten(turn, room, most)
      for (const kind of ["tool-call", "tool-result"]) assert.deepStrictEqual(idsOf(made, kind), idsOf(turn, kind))
      assert.isAtMost(estimate(made), estimate(turn))
    }
  )

  it("leaves whole steps to a summary, oldest first, and never the newest", () => {
    const turn = [
      ...user("do it"),
      ...step("1", {}, long),
      ...step("2", {}, long),
      ...user("now"),
      ...step("3", {}, long)
    ]
    const two = RunningTurn.split(turn, 6_000)
    assert.deepStrictEqual([idsOf(two.past, "tool-call"), idsOf(two.rest, "tool-call")], [["1"], ["2", "3"]])
    const one = RunningTurn.split(turn, 10)
    assert.deepStrictEqual([idsOf(one.past, "tool-result"), idsOf(one.rest, "tool-result")], [["1", "2"], ["3"]])
    assert.deepStrictEqual(one.rest.filter(({ role }) => role === "user"), [...user("do it"), ...user("now")])
    assert.deepStrictEqual(RunningTurn.split(turn, Infinity), { past: [], rest: turn })
  })
})
