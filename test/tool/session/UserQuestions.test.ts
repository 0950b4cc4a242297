import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ToolFailed } from "../../../src/tool/ToolFailed.ts"
import { bench, toolbox } from "../Call.ts"

describe("ask_user", () => {
  layer(toolbox())((it) => {
    it.effect("waits five minutes unless it is told otherwise", () =>
      Effect.gen(function*() {
        const { run } = yield* bench
        const asking = (input: object) =>
          Effect.forkChild(
            Effect.flip(run("ask_user", { question: "Which?", ...input }, { askUser: () => Effect.never })),
            { startImmediately: true }
          )
        const [usual, short] = [yield* asking({}), yield* asking({ timeout_secs: 5 })]
        yield* TestClock.adjust("5 seconds")
        assert.match((yield* Fiber.join(short)).message, /within 5 s/)
        assert.isUndefined(usual.pollUnsafe())
        yield* TestClock.adjust("295 seconds")
        assert.match((yield* Fiber.join(usual)).message, /within 300 s/)
      }))
  })
})

describe("escalate_to_human", () => {
  layer(toolbox())((it) => {
    it.effect("says that the user was told once a client took it, and leaves a note where none did", () =>
      Effect.gen(function*() {
        const { notices, run } = yield* bench
        const asked: Array<unknown> = []
        const output = yield* run("escalate_to_human", { summary: "The disk is full", context: "df says so" }, {
          askUser: (question, choices) => Effect.sync(() => asked.push(question, choices)).pipe(Effect.as("Seen"))
        })
        assert.match(output.text, /^The user was told/)
        assert.deepStrictEqual(asked, ["The disk is full\n\ndf says so", ["Seen"]])
        assert.deepStrictEqual(notices, [])
        const urgent = { summary: "The disk is full", context: "df says so", urgency: "critical" }
        const unseen = yield* run("escalate_to_human", urgent, {
          askUser: () => Effect.fail(new ToolFailed({ message: "There is no answer: the client is gone." }))
        })
        assert.match(unseen.text, /^Nobody confirmed/)
        assert.deepStrictEqual(notices, [{ severity: "error", title: "The disk is full", description: "df says so" }])
      }))

    it.effect("waits for one of the choices where it has some", () =>
      Effect.gen(function*() {
        const { run } = yield* bench
        const output = yield* run("escalate_to_human", { summary: "Which way?", choices: ["left", " ", "right "] }, {
          askUser: (_, choices) => Effect.succeed(choices.join())
        })
        assert.strictEqual(output.text, "left,right")
      }))

    it.effect("asks in free text when it waits, and fails without a client that can answer", () =>
      Effect.gen(function*() {
        const { failure, notices, run } = yield* bench
        const asked: Array<unknown> = []
        const output = yield* run("escalate_to_human", { summary: "Which way?", wait_for_response: true }, {
          askUser: (question, choices) =>
            Effect.sync(() => {
              asked.push(question, choices)
              return "left"
            })
        })
        assert.strictEqual(output.text, "left")
        assert.deepStrictEqual(asked, ["Which way?", []])
        assert.match(yield* failure("escalate_to_human", { summary: "x", wait_for_response: true }), /nobody/)
        assert.lengthOf(notices, 0)
      }))
  })
})
