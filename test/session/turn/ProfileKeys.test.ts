import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { unconfined } from "../../support/Bubblewrap.ts"
import { make as makeHarness, newSession, prompt } from "../../support/SessionHarness.ts"
import { type Answer, make, told } from "../../support/ScriptedModel.ts"

const shell = (command: string, timeout_secs?: number): Answer => ({
  calls: [{ name: "shell", params: { command, ...(timeout_secs === undefined ? {} : { timeout_secs }) } }]
})

/** The last thing that the model was told, with these keys of the two default profiles. */
const outcome = Effect.fnUntraced(function*(answer: Answer, keys: Readonly<Record<string, string>>) {
  const { engine, requests } = make([answer, { text: "done" }])
  const variables = Object.fromEntries(Object.entries(keys).map(([key, value]) => [`POSTERN_${key}`, value]))
  const { layer } = makeHarness({ ...unconfined, POSTERN_policy__tool_approval: "universal_accept", ...variables }, {
    engine
  })
  yield* Effect.gen(function*() {
    const { sessionId } = yield* newSession()
    yield* Effect.flatMap(prompt(sessionId, "go"), ({ end }) => end)
  }).pipe(Effect.provide(layer))
  return { requests, said: told(requests.at(-1)!).at(-1)! }
})

describe("A profile of an agent", () => {
  it.live("says how long a command runs that asks for no time of its own", () =>
    Effect.gen(function*() {
      const { said } = yield* outcome(shell("sleep 20"), { runtime_profiles__default__shell_timeout_secs: "1" })
      assert.include(said, "timed out after 1 second")
    }))

  it.live("says how long a command runs at most, whatever it asks for", () =>
    Effect.gen(function*() {
      const { said } = yield* outcome(shell("sleep 20", 500), { risk_profiles__default__shell_timeout_secs: "1" })
      assert.include(said, "timed out after 1 second")
    }))

  it.live("names variables that commands have as well", () =>
    Effect.gen(function*() {
      yield* Effect.acquireRelease(
        Effect.sync(() => process.env["PLAIN_WORD"] = "heard"),
        () => Effect.sync(() => delete process.env["PLAIN_WORD"])
      )
      const print = shell("echo \"<$PLAIN_WORD>\"")
      assert.include((yield* outcome(print, {})).said, "<>")
      const passed = yield* outcome(print, { risk_profiles__default__shell_env_passthrough: "[\"PLAIN_WORD\"]" })
      assert.include(passed.said, "<heard>")
    }))

  it.live("may leave the model without tools", () =>
    Effect.gen(function*() {
      const { requests } = yield* outcome({ text: "done" }, { runtime_profiles__default__agentic: "false" })
      assert.deepStrictEqual(requests.map(({ tools }) => tools), [[]])
    }))
})
