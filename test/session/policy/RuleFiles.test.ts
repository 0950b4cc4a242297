import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as EngineLayer from "../../../src/app/EngineLayer.ts"
import type { Session } from "../../../src/session/lifecycle/Session.ts"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import { make, newSession, prompt } from "../../support/SessionHarness.ts"

const scenario = (
  name: string,
  body: (
    harness: ReturnType<typeof make>
  ) => Effect.Effect<void, unknown, Effect.Services<ReturnType<typeof newSession>> | SessionStore>
) =>
  it.live(name, () => {
    const harness = make(undefined, { engine: EngineLayer.layer })
    return Effect.provide(body(harness), harness.layer)
  })

/** What became of a call of the shell: what is shown of it, or why the turn failed. */
const run = Effect.fnUntraced(function*({ sessionId }: Session, command: string) {
  const failed = yield* Effect.match((yield* prompt(sessionId, `run ${command}`)).end, {
    onFailure: String,
    onSuccess: () => undefined
  })
  if (failed !== undefined) return failed
  const store = yield* SessionStore
  const calls = (yield* store.transcript(sessionId)).flatMap((entry) => entry._tag === "ToolCall" ? [entry.call] : [])
  return `${calls.at(-1)?.status} ${JSON.stringify(calls.at(-1)?.content)}`
})

const inProject = (folder: string, text: string) => {
  mkdirSync(join(folder, ".postern"), { recursive: true })
  writeFileSync(join(folder, ".postern", "rules.toml"), text)
}

describe("The policy settings in a project's file", () => {
  scenario(
    "narrow a session from its start, and again when the file changes",
    Effect.fnUntraced(function*({ folder }) {
      const cwd = folder()
      inProject(
        cwd,
        "[policy]\nwork_mode = \"ro\"\ntool_approval = \"universal_accept\"\nsandbox = \"danger-full-access\"\n"
      )
      const session = yield* newSession(cwd)
      const { settings } = session.policy
      assert.deepStrictEqual([settings().values.work_mode, settings().sources.work_mode], ["ro", "project"])
      assert.notStrictEqual(settings().sources.sandbox, "project")
      assert.deepStrictEqual([settings().values.tool_approval, settings().sources.tool_approval], [
        "whitelist_accept",
        "default"
      ])
      assert.include(yield* run(session, "mkdir made"), "CAPABILITY_NOT_GRANTED")
      rmSync(join(cwd, ".postern", "rules.toml"))
      yield* session.policy.set("tool_approval", "universal_accept", "user")
      assert.match(yield* run(session, "mkdir made"), /^completed/)
      assert.isTrue(existsSync(join(cwd, "made")))
      inProject(cwd, "[policy]\nnetwork = \"off\"\n")
      assert.include(yield* run(session, "curl example.com"), "NETWORK_DENIED")
      assert.deepStrictEqual([settings().values.network, settings().sources.network], ["off", "project"])
      yield* session.policy.set("network", "on", "user")
      assert.deepStrictEqual([settings().values.network, settings().sources.network], ["on", "session"])
    })
  )

  scenario(
    "deny every call while one of them is invalid",
    Effect.fnUntraced(function*({ folder }) {
      const cwd = folder()
      inProject(cwd, "[policy]\nwork_mode = \"wild\"\n")
      const session = yield* newSession(cwd)
      const refused = yield* run(session, "ls")
      assert.include(
        refused,
        `${cwd}/.postern/rules.toml: [policy]: work_mode must be one of chat, ro, pl, sw, aw, not "wild"`
      )
    })
  )
})

describe("The rules in config.toml", () => {
  scenario(
    "are read again when the file changes while the process runs",
    Effect.fnUntraced(function*({ home }) {
      const config = join(home, "config.toml")
      const session = yield* newSession()
      assert.match(yield* run(session, "ls"), /^completed/)
      writeFileSync(config, "[policy.rules]\ndeny = [\"shell(ls *)\"]\n")
      assert.include(yield* run(session, "ls"), "RULE_DENY")
      writeFileSync(config, "[policy.rules]\ndeny = [\"shell(ls\"]\n")
      assert.include(yield* run(session, "ls"), `${config} [policy.rules]: deny rule 1`)
      writeFileSync(config, "[policy.rules\n")
      assert.include(yield* run(session, "ls"), `${config}: not valid TOML`)
      writeFileSync(config, "policy = 1\n")
      assert.include(yield* run(session, "ls"), `${config}: policy must be a table`)
      rmSync(config)
      assert.match(yield* run(session, "ls"), /^completed/)
    })
  )
})
