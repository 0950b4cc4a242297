import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as EngineLayer from "../../src/app/EngineLayer.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { make, newSession, prompt } from "../session/Harness.ts"

/** A session with the real engine and a configuration of its own; `say` gives what each call of a script came to. */
const host = (config: (outside: string) => string) => {
  const { folder, home, layer } = make({}, { engine: EngineLayer.layer })
  const cwd = folder()
  const outside = folder()
  const put = (path: string, content: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  writeFileSync(join(home, "config.toml"), config(outside))
  const say = (...script: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const { sessionId } = yield* newSession(cwd)
      yield* (yield* prompt(sessionId, script.join("\n"))).end
      const { transcript } = yield* SessionStore
      return (yield* transcript(sessionId)).flatMap((entry) =>
        entry._tag === "ToolCall"
          ? [`${entry.call.status} ${entry.call.content.map((one) => one.type === "content" && one.content.type === "text" ? one.content.text : one.type).join("\n")}`]
          : [])
    })
  return { cwd, outside, put, say, layer }
}

describe("What a search or a listing comes across", () => {
  const restricted = () => {
    const made = host(() => `
[policy.rules]
deny = ["read(.env)", "read(./sec/**)"]
ask = ["read(./asked/**)"]
[risk_profiles.default]
forbidden_paths = ["./forb"]
`)
    for (const path of [".env", "sub/.env", "sec/a", "asked/a", "forb/a", "open"]) made.put(join(made.cwd, path), "TOPSECRET\n")
    symlinkSync("sec/a", join(made.cwd, "link"))
    return made
  }

  it.live("leaves out what may not be read by name", () => {
    const { layer, say } = restricted()
    return Effect.gen(function*() {
      const [found, none, globbed, listed, env] = yield* say("search TOPSECRET", "search NOTHING", "glob **/*", "list", "read .env")
      assert.strictEqual(found, "completed open:1:TOPSECRET\n[Files that the policy does not let be read are left out.]")
      assert.strictEqual(none, "completed No matches.\n[Files that the policy does not let be read are left out.]")
      assert.strictEqual(globbed, "completed open\n[5 paths were left out: the policy does not let them be read.]")
      assert.strictEqual(listed, "completed open 10\nsub/\n[5 paths were left out: the policy does not let them be read.]")
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
    `write ${outside}/new/g`, "content", ".",
    `list ${outside}`,
    `search needle ${outside}`,
    `call glob_search ${JSON.stringify({ pattern: "**/g", path: outside })}`
  ]
  const profiles: ReadonlyArray<readonly [string, (outside: string) => string]> = [
    ["allowed_roots", (outside) => `allowed_roots = ["${outside}"]`],
    ["workspace_only = false", () => "workspace_only = false"],
    ["level full", () => "level = \"full\""]
  ]
  const config = (lines: string) => `[policy]\ntool_approval = "universal_accept"\n[risk_profiles.default]\n${lines}\n`

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

  it.live("end with the session's own where it names none", () => {
    const { layer, outside, put, say } = host(() => config(""))
    put(join(outside, "f"), "needle\n")
    return Effect.gen(function*() {
      for (const result of yield* say(...calls(outside))) assert.match(result, /^failed Denied by boundary/)
    }).pipe(Effect.provide(layer))
  })

  it.live("never take in what belongs to a process", () => {
    const { layer, say } = host(() => config("level = \"full\""))
    return Effect.gen(function*() {
      for (const result of yield* say("read /proc/self/environ", "list /proc/1")) assert.match(result, /^failed .*belongs to a running process/s)
    }).pipe(Effect.provide(layer))
  })
})
