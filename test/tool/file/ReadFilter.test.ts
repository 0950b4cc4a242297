import { existsSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import { host } from "../../support/EngineHost.ts"
import { newSession, prompt } from "../../support/SessionHarness.ts"

describe("What a search or a listing comes across", () => {
  const restricted = () => {
    const made = host(() => `
[policy.rules]
deny = ["read(.env)", "read(./sec/**)"]
ask = ["read(./asked/**)"]
[risk_profiles.default]
forbidden_paths = ["./forb"]
`)
    for (const path of [".env", "sub/.env", "sec/a", "asked/a", "forb/a", "open"]) {
      made.put(join(made.cwd, path), "TOPSECRET\n")
    }
    symlinkSync("sec/a", join(made.cwd, "link"))
    return made
  }

  it.live("leaves out what may not be read by name", () => {
    const { layer, say } = restricted()
    return Effect.gen(function*() {
      const [found, none, globbed, listed, env] = yield* say(
        "search TOPSECRET",
        "search NOTHING",
        "glob **/*",
        "list",
        "read .env"
      )
      assert.strictEqual(
        found,
        "completed open:1:TOPSECRET\n[Files that the policy does not let be read are left out.]"
      )
      assert.strictEqual(none, "completed No matches.\n[Files that the policy does not let be read are left out.]")
      assert.strictEqual(globbed, "completed open\n[5 paths were left out: the policy does not let them be read.]")
      assert.strictEqual(
        listed,
        "completed open 10\nsub/\n[5 paths were left out: the policy does not let them be read.]"
      )
      assert.match(env!, /^failed Denied by rule/)
      const [denied, below, alone] = yield* say("search TOPSECRET sec", "list forb", "list sub")
      assert.match(denied!, /^failed Denied by rule/)
      assert.match(below!, /^failed Denied by boundary/)
      assert.strictEqual(alone, "completed [1 path was left out: the policy does not let it be read.]")
    }).pipe(Effect.provide(layer))
  })

  it.live("is what a person allowed to be searched", () => {
    const { cwd, layer } = restricted()
    return Effect.gen(function*() {
      const session = yield* newSession(cwd)
      session.attach({
        publish: () => Effect.void,
        ask: () => Effect.succeed({ _tag: "AllowOnce" }),
        choose: () => Effect.die("no question")
      })
      yield* (yield* prompt(session.sessionId, "search TOPSECRET asked")).end
      const { transcript } = yield* SessionStore
      assert.include(JSON.stringify(yield* transcript(session.sessionId)), "asked/a:1:TOPSECRET")
    }).pipe(Effect.provide(layer))
  })
})

describe("The folders of a risk profile", () => {
  const calls = (outside: string) => [
    `read ${outside}/f`,
    `write ${outside}/new/g`,
    "content",
    ".",
    `list ${outside}`,
    `search needle ${outside}`,
    `call glob_search ${JSON.stringify({ pattern: "**/g", path: outside })}`
  ]
  const profiles: ReadonlyArray<readonly [string, (outside: string) => string]> = [
    ["allowed_roots", (outside) => `allowed_roots = ["${outside}"]`],
    ["workspace_only = false", () => "workspace_only = false"],
    ["level full", () => "level = \"full\""]
  ]
  const config = (lines: string, sandbox = "danger-full-access") =>
    `[policy]\ntool_approval = "universal_accept"\nsandbox = "${sandbox}"\n[risk_profiles.default]\n${lines}\n`

  for (const [name, lines] of profiles) {
    it.live(`${name} reaches further than the session's own`, () => {
      const { layer, outside, put, say } = host((outside) => config(lines(outside)))
      put(join(outside, "f"), "needle\n")
      return Effect.gen(function*() {
        const [read, written, listed, found, globbed] = yield* say(...calls(outside))
        assert.match(read!, /^completed 1: needle/)
        assert.match(written!, /^completed/)
        assert.strictEqual(readFileSync(join(outside, "new/g"), "utf8"), "content\n")
        assert.strictEqual(listed, "completed f 7\nnew/")
        assert.strictEqual(found?.split("\n")[0], `completed ${outside}/f:1:needle`)
        assert.strictEqual(globbed, `completed ${outside}/new/g`)
      }).pipe(Effect.provide(layer))
    })
  }

  it.live("without an end are still held by the Sandbox mode when something is written", () => {
    const { layer, outside, put, say } = host(() => config("workspace_only = false", "workspace-write"))
    put(join(outside, "f"), "needle\n")
    return Effect.gen(function*() {
      const [read, written] = yield* say(...calls(outside))
      assert.match(read!, /^completed 1: needle/)
      assert.match(written!, /^failed .*Sandbox mode workspace-write/)
      assert.isFalse(existsSync(join(outside, "new")))
    }).pipe(Effect.provide(layer))
  })

  it.live("end with the session's own where it names none", () => {
    const { layer, outside, put, say } = host(() => config(""))
    put(join(outside, "f"), "needle\n")
    return Effect.gen(function*() {
      for (const result of yield* say(...calls(outside))) assert.match(result, /^failed Denied by boundary/)
    }).pipe(Effect.provide(layer))
  })

  it.live("never take in what belongs to a process", () => {
    const { layer, say } = host(() => config("level = \"full\"\nforbidden_paths = []"))
    return Effect.gen(function*() {
      for (const result of yield* say("read /proc/self/environ", "list /proc/1")) {
        assert.match(result, /^failed .*belongs to a running process/s)
      }
    }).pipe(Effect.provide(layer))
  })
})
