import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Fiber } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { disengaged, isDomain, normalDomain, refusalOf, type StopState } from "../../src/domain/EmergencyStop.ts"
import * as EmergencyStop from "../../src/security/EmergencyStop.ts"
import * as StopSwitch from "../../src/security/StopSwitch.ts"
import { oneOf } from "../support/Arbitraries.ts"
import { eventually } from "../support/Waiting.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"

const base = suiteFolder()
let folders = 0
const folder = () => {
  const made = join(base, `${++folders}`)
  mkdirSync(made)
  return made
}

const written = (text: string, mode = 0o600) => {
  const dir = folder()
  const file = EmergencyStop.fileOf(dir)
  writeFileSync(file, text)
  chmodSync(file, mode)
  return EmergencyStop.make(dir)
}

const switchable = (stop: EmergencyStop.EmergencyStop) => ({ ...stop, ...StopSwitch.make(dirname(stop.file)) })

const isRoot = process.geteuid?.() === 0

describe("the state of an emergency stop", () => {
  it("is not engaged where there is no file, nor a folder for it", () => {
    assert.deepStrictEqual(EmergencyStop.make(folder()).state(), disengaged)
    assert.deepStrictEqual(EmergencyStop.make(join(base, "none", "below")).state(), disengaged)
  })

  it("is what the file says, and anything else is kill-all", () => {
    assert.deepStrictEqual(
      written("{\"network_kill\":true,\"blocked_domains\":[\"Example.com.\"],\"frozen_tools\":[\"shell\"]}").state(),
      { ...disengaged, networkKill: true, blockedDomains: ["example.com"], frozenTools: ["shell"] }
    )
    const unreadable = [
      "",
      "{",
      "[]",
      "null",
      "{\"kill_all\":\"no\"}",
      "{\"kill_all\":null}",
      "{\"frozen_tools\":\"shell\"}",
      "{\"kill_all\":false,\"pause\":true}",
      "{}{}"
    ]
    for (const text of unreadable) assert.isTrue(written(text).state().killAll, text)
  })

  it("is kill-all where others could have written the file, and where it is no plain file", () => {
    const harmless = "{\"kill_all\":false}"
    assert.isFalse(written(harmless).state().killAll)
    assert.isFalse(written(harmless, 0o644).state().killAll)
    assert.isTrue(written(harmless, 0o660).state().killAll)
    assert.isTrue(written(harmless, 0o602).state().killAll)
    const linked = folder()
    writeFileSync(join(linked, "elsewhere"), harmless, { mode: 0o600 })
    symlinkSync("elsewhere", EmergencyStop.fileOf(linked))
    assert.isTrue(EmergencyStop.make(linked).state().killAll)
    const piped = folder()
    execFileSync("mkfifo", ["-m", "600", EmergencyStop.fileOf(piped)])
    assert.isTrue(EmergencyStop.make(piped).state().killAll)
    const nested = folder()
    mkdirSync(EmergencyStop.fileOf(nested))
    assert.isTrue(EmergencyStop.make(nested).state().killAll)
    if (isRoot) {
      const foreign = written(harmless)
      chownSync(foreign.file, 12345, 12345)
      assert.isTrue(foreign.state().killAll)
    }
  })

  it("follows every change of the file", () => {
    const { file, state } = written("{}")
    assert.isFalse(state().killAll)
    writeFileSync(file, "{\"kill_all\":true}")
    assert.isTrue(state().killAll)
    chmodSync(file, 0o666)
    writeFileSync(file, "{}")
    assert.isTrue(state().killAll)
    chmodSync(file, 0o600)
    assert.isFalse(state().killAll)
    rmSync(file)
    assert.isFalse(state().killAll)
  })
})

describe("engaging and lifting", () => {
  it.effect("add up, and are written whole for the owner alone", () =>
    Effect.gen(function*() {
      const dir = join(folder(), "made")
      const { file, state } = EmergencyStop.make(dir)
      const { engage, lift } = StopSwitch.make(dir)
      yield* engage({ level: "tool-freeze", names: ["shell", "web_fetch"] })
      yield* engage({ level: "domain-block", names: ["Example.COM."] })
      yield* engage({ level: "network-kill" })
      yield* engage({ level: "kill-all" })
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.deepStrictEqual(JSON.parse(readFileSync(file, "utf8")), {
        kill_all: true,
        network_kill: true,
        blocked_domains: ["example.com"],
        frozen_tools: ["shell", "web_fetch"],
        updated_at: "1970-01-01T00:00:00.000Z"
      })
      yield* lift({ level: "kill-all" })
      yield* lift({ level: "tool-freeze", names: ["shell"] })
      assert.deepStrictEqual({ ...EmergencyStop.make(dir).state(), updatedAt: undefined }, {
        ...disengaged,
        networkKill: true,
        blockedDomains: ["example.com"],
        frozenTools: ["web_fetch"]
      })
      assert.match(
        (yield* Effect.flip(lift({ level: "tool-freeze", names: ["shell"] }))).message,
        /shell is not frozen/
      )
      assert.match((yield* Effect.flip(lift({ level: "kill-all" }))).message, /kill-all is not engaged/)
      assert.deepStrictEqual(state(), EmergencyStop.make(dir).state())
    }))

  it.effect("of a state that cannot be read leave everything stopped, until that is lifted", () =>
    Effect.gen(function*() {
      const { engage, lift, state } = switchable(written("{"))
      yield* engage({ level: "tool-freeze", names: ["shell"] })
      assert.isTrue(state().killAll)
      const broken = switchable(written("{"))
      assert.match((yield* Effect.flip(broken.lift({ level: "network-kill" }))).message, /everything is stopped/)
      yield* broken.lift({ level: "kill-all" })
      assert.isFalse(broken.state().killAll)
      yield* lift({ level: "kill-all" })
      assert.deepStrictEqual(state().frozenTools, ["shell"])
    }))

  it.effect("wake who waits for them", () =>
    Effect.gen(function*() {
      const dir = folder()
      const [one, other] = [EmergencyStop.make(dir), StopSwitch.make(dir)]
      const call = { tool: { name: "shell" }, network: false }
      const waiting = yield* Effect.forkChild(one.untilRefused(call), { startImmediately: true })
      yield* other.engage({ level: "tool-freeze", names: ["web_fetch"] })
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 250)))
      assert.isUndefined(waiting.pollUnsafe())
      yield* other.engage({ level: "tool-freeze", names: ["shell"] })
      assert.strictEqual((yield* Fiber.join(waiting)).code, "TOOL_STOP")
    }))
})

describe("who follows an emergency stop", () => {
  it.live("hears of a change that comes while the one before is handled", () =>
    Effect.gen(function*() {
      const dir = folder()
      const stop = EmergencyStop.make(dir)
      const { engage } = StopSwitch.make(dir)
      const seen: Array<number> = []
      const run = Effect.gen(function*() {
        seen.push(stop.state().frozenTools.length)
        if (seen.length === 1) yield* engage({ level: "tool-freeze", names: ["web_fetch"] }).pipe(Effect.orDie)
      })
      const following = yield* Effect.forkChild(stop.follow(run), { startImmediately: true })
      yield* engage({ level: "tool-freeze", names: ["shell"] })
      yield* Effect.promise(() => eventually(() => seen.length === 2))
      assert.deepStrictEqual(seen, [1, 2])
      yield* Fiber.interrupt(following)
    }))
})

describe("a call under an emergency stop", () => {
  const state = (more: Partial<StopState>): StopState => ({ ...disengaged, ...more })
  const code = (more: Partial<StopState>, call: Partial<Parameters<typeof refusalOf>[1]>) =>
    refusalOf(state(more), { network: false, ...call })?.code

  it("is refused by the level that concerns it", () => {
    assert.strictEqual(code({ killAll: true }, {}), "EMERGENCY_STOP")
    assert.strictEqual(code({ networkKill: true }, { network: true }), "NETWORK_STOP")
    assert.isUndefined(code({ networkKill: true }, {}))
    const mcp = { name: "files__read", mcp: { server: "files", tool: "read" } }
    assert.strictEqual(code({ frozenTools: ["files__read"] }, { tool: mcp }), "TOOL_STOP")
    assert.strictEqual(code({ frozenTools: ["mcp__files__read"] }, { tool: mcp }), "TOOL_STOP")
    assert.isUndefined(code({ frozenTools: ["read"] }, { tool: mcp }))
  })

  it("is refused where it reaches a blocked domain, however that is written", () => {
    const blocked = { blockedDomains: ["example.com"] }
    for (
      const url of [
        "https://example.com",
        "http://EXAMPLE.com./x",
        "https://a.b.example.com:8443/x?y",
        "https://user:pass@example.com/",
        "https://evil.test@example.com/"
      ]
    ) assert.strictEqual(code(blocked, { urls: [url] }), "DOMAIN_BLOCKED", url)
    for (const url of ["https://example.com.test/", "https://notexample.com", "https://test/?q=example.com"]) {
      assert.isUndefined(code(blocked, { urls: [url] }), url)
    }
    for (
      const text of [
        "curl https://Example.com/x",
        "ssh -p 22 git@host.example.com",
        "nc example.com 80",
        "scp a user@example.com:b",
        "H=example.com; curl $H"
      ]
    ) assert.strictEqual(code(blocked, { texts: [text] }), "DOMAIN_BLOCKED", text)
    for (
      const text of ["curl https://example.community", "cat myexample.com", "cat example.com-notes", "example.comx"]
    ) {
      assert.isUndefined(code(blocked, { texts: [text] }), text)
    }
    assert.strictEqual(
      code({ blockedDomains: ["münchen.de"] }, { urls: ["https://xn--mnchen-3ya.de/"] }),
      "DOMAIN_BLOCKED"
    )
    assert.strictEqual(code({ blockedDomains: ["10.0.0.1"] }, { urls: ["http://10.0.0.1/"] }), "DOMAIN_BLOCKED")
  })

  const label = oneOf("a", "ab", "a-b", "x1", "example", "com", "test")
  const name = Arbitrary.map(Arbitrary.array(label, { minLength: 1, maxLength: 3 }), (labels) => labels.join("."))
  it.prop("is refused for every name below a blocked domain, and for no other", [name, name], ([host, domain]) => {
    const blocked = { blockedDomains: [domain] }
    assert.strictEqual(code(blocked, { urls: [`https://${host}.${domain}/`] }), "DOMAIN_BLOCKED")
    const expected = host === domain || host.endsWith(`.${domain}`) ? "DOMAIN_BLOCKED" : undefined
    assert.strictEqual(code(blocked, { urls: [`https://${host}/`] }), expected)
  })

  it("knows what can be the name of a domain", () => {
    for (
      const good of ["example.com", "*.example.com", ".example.com", "localhost", "10.0.0.1", "[::1]", "MÜNCHEN.de"]
    ) {
      assert.isTrue(isDomain(normalDomain(good)), good)
    }
    for (const bad of ["", " ", ".", "*", "a b", "https://example.com", "example.com/x", "-a-", "a\n"]) {
      assert.isFalse(isDomain(normalDomain(bad)) && bad.trim() === bad, bad)
    }
  })
})
