import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { make as makeHarness, newSession, prompt } from "../../support/SessionHarness.ts"
import { make, type Request } from "../../support/ScriptedModel.ts"

const put = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const systemOf = (request: Request | undefined): string => {
  const [first] = request?.messages ?? []
  return first?.role === "system" ? first.content : ""
}

/** The system prompts of the turns of one session in a folder that `prepare` filled. */
const briefed = (
  prepare: (folder: string, home: string) => string | void,
  variables: Readonly<Record<string, string>> = {},
  ...turns: ReadonlyArray<(folder: string) => void>
) => {
  const { engine, requests } = make([])
  const harness = makeHarness(variables, { engine })
  return Effect.gen(function*() {
    const folder = harness.folder()
    const cwd = prepare(folder, harness.home) ?? folder
    const { sessionId } = yield* newSession(cwd)
    for (const before of [() => {}, ...turns]) {
      before(folder)
      yield* (yield* prompt(sessionId, "hello")).end
    }
    return requests.map(systemOf)
  }).pipe(Effect.provide(harness.layer))
}

describe("The system prompt of a session contains", () => {
  it.live("AGENTS.md and CLAUDE.md of the folder, each once", () =>
    Effect.gen(function*() {
      const [text = ""] = yield* briefed((folder) => {
        put(join(folder, "AGENTS.md"), "Use tabs.")
        symlinkSync("AGENTS.md", join(folder, "CLAUDE.md"))
      })
      assert.strictEqual(text.split("Use tabs.").length, 2)
    }))

  it.live("those of the repository's upper folders, general ones first, but what a forbidden path hides", () =>
    Effect.gen(function*() {
      const nested = (folder: string) => {
        mkdirSync(join(folder, ".git"))
        put(join(folder, "AGENTS.md"), "At the top.")
        put(join(folder, "packages/a/CLAUDE.md"), "In the package.")
        return join(folder, "packages/a")
      }
      const [text = ""] = yield* briefed(nested)
      assert.isAbove(text.indexOf("At the top."), 0)
      assert.isAbove(text.indexOf("In the package."), text.indexOf("At the top."))
      const [hidden = ""] = yield* briefed(nested, {
        POSTERN_risk_profiles__default__forbidden_paths: JSON.stringify([realpathSync(tmpdir())])
      })
      assert.include(hidden, "In the package.")
      assert.notInclude(hidden, "At the top.")
    }))

  it.live("nothing that a link leads to outside, from the folder or from above, and nothing that a rule denies", () =>
    Effect.gen(function*() {
      const [linked = ""] = yield* briefed((folder, home) => {
        put(join(home, "secret.md"), "SECRET")
        symlinkSync(join(home, "secret.md"), join(folder, "AGENTS.md"))
      })
      assert.notInclude(linked, "SECRET")
      const [above = ""] = yield* briefed((folder, home) => {
        mkdirSync(join(folder, ".git"))
        mkdirSync(join(folder, "a"))
        put(join(home, "secret.md"), "SECRET")
        symlinkSync(join(home, "secret.md"), join(folder, "AGENTS.md"))
        return join(folder, "a")
      })
      assert.notInclude(above, "SECRET")
      const [denied = ""] = yield* briefed((folder, home) => {
        put(join(folder, "AGENTS.md"), "HIDDEN")
        put(join(home, "config.toml"), "[policy.rules]\ndeny = [\"file_read(AGENTS.md)\"]\n")
      })
      assert.notInclude(denied, "HIDDEN")
    }))

  it.live("the agent's own files in their order, and skills by name and description", () =>
    Effect.gen(function*() {
      const [text = ""] = yield* briefed((_, home) => {
        const own = join(home, "agents/default/workspace")
        put(join(own, "USER.md"), "Ada.")
        put(join(own, "SOUL.md"), "Calm.")
        put(join(own, "MEMORY.md"), "REMEMBERED")
        put(join(own, "skills/ship/SKILL.md"), "---\nname: ship\ndescription: How to ship\n---\nSECRET STEPS")
      })
      assert.isAbove(text.indexOf("Ada."), text.indexOf("Calm."))
      assert.include(text, "- ship: How to ship")
      assert.notInclude(text, "SECRET STEPS")
      assert.notInclude(text, "REMEMBERED")
    }))

  it.live("at most 20,000 characters of a file", () =>
    Effect.gen(function*() {
      const [text = ""] = yield* briefed((folder) => put(join(folder, "AGENTS.md"), "y".repeat(30_000)))
      assert.include(text, `${"y".repeat(20_000)}\n[Cut here: the file has 30000 characters.]`)
    }))

  it.live("the same text in the next turn, although the files have changed", () =>
    Effect.gen(function*() {
      const [first, second] = yield* briefed(
        (folder) => put(join(folder, "AGENTS.md"), "One."),
        {},
        (folder) => put(join(folder, "AGENTS.md"), "Two.")
      )
      assert.strictEqual(second, first)
    }))
})
