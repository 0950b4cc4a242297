import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { Tool } from "effect/ai"
import * as EngineLayer from "../../../src/app/EngineLayer.ts"
import { Models } from "../../../src/model/Models.ts"
import type { ModelStream } from "../../../src/model/ResponseParts.ts"
import { OfflineParts } from "../../../src/model/offline/OfflineModel.ts"
import type { WorkMode } from "../../../src/domain/PolicySettings.ts"
import { ToolGrants } from "../../../src/policy/decision/ToolGrants.ts"
import * as ModelTurn from "../../../src/session/turn/ModelTurn.ts"
import { AdvertisedTools } from "../../../src/session/policy/AdvertisedTools.ts"
import { MemoryStore } from "../../../src/store/MemoryStore.ts"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import * as MemoryTools from "../../../src/tool/memory/MemoryTools.ts"
import { none } from "../../../src/tool/SessionTools.ts"
import { make, newSession, prompt } from "../../support/SessionHarness.ts"

interface Call {
  readonly name: string
  readonly params: unknown
}

/** A model that writes down which tools each request offers it, and makes the calls it was given, one list per request. */
const recording = (script: ReadonlyArray<ReadonlyArray<Call>> = []) => {
  const requests: Array<ReadonlyArray<string>> = []
  const shells: Array<string | undefined> = []
  const ask: ModelStream = ({ tools }) =>
    Stream.suspend(() => {
      const calls = script[requests.length] ?? []
      requests.push(tools.map(({ name }) => name))
      shells.push(tools.flatMap((tool) => tool.name === "shell" ? [Tool.getDescription(tool) ?? ""] : [])[0])
      const speech = new OfflineParts()
      return Stream.fromIterable([
        ...(calls.length === 0
          ? speech.say("text", ["done"])
          : calls.flatMap(({ name, params }, i) => speech.call(`c${requests.length}-${i}`, name, params))),
        ...speech.finish(calls.length === 0 ? "stop" : "tool-calls", 1)
      ])
    })
  const models = Layer.succeed(
    Models,
    Models.of({ get: () => Effect.succeed({ id: "test/recording", provider: "test", contextWindow: 100_000, ask }) })
  )
  const engine = ModelTurn.layer.pipe(
    Layer.provide(models),
    Layer.provide(EngineLayer.layerPolicy)
  )
  return { requests, shells, harness: make(undefined, { engine }) }
}

const reading = [
  "file_read",
  "file_list",
  "glob_search",
  "content_search",
  "shell",
  "web_fetch",
  "http_request",
  "deliver_file",
  "read_skill",
  "job_output"
]
const always = ["TodoWrite", "ask_user", "escalate_to_human", "job_list", "job_kill"]
const everything = ["file_write", "file_edit", ...reading, ...always]

const offeredIn: ReadonlyArray<readonly [WorkMode, ReadonlyArray<string>]> = [
  ["chat", always],
  ["ro", [...reading, ...always]],
  ["pl", [...reading, "plan_write", ...always]],
  ["sw", everything],
  ["aw", [...everything, "plan_write"]]
]

describe("A request to the model", () => {
  for (const [mode, offered] of offeredIn) {
    it.live(`advertises in Work mode ${mode} only tools that have a capability of the mode`, () => {
      const { harness, requests } = recording()
      return Effect.gen(function*() {
        const session = yield* newSession()
        yield* session.policy.set("work_mode", mode, "client")
        yield* (yield* prompt(session.sessionId, "hello")).end
        assert.sameMembers([...requests[0]!], [...offered])
      }).pipe(Effect.provide(harness.layer))
    })
  }

  it.live("names in the description of shell which commands the Work mode permits", () => {
    const { harness, shells } = recording()
    return Effect.gen(function*() {
      const session = yield* newSession()
      for (const mode of ["ro", "sw", "aw"] as const) {
        yield* session.policy.set("work_mode", mode, "client")
        yield* (yield* prompt(session.sessionId, "hello")).end
      }
      assert.match(shells[0]!, /only commands that read run\.$/)
      assert.match(shells[1]!, /tests and builds run, and with scratch everything else\.$/)
      assert.notInclude(shells[2]!, "Work mode")
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("omits a tool that a bare deny rule names until the rule is removed", () => {
    const { harness, requests } = recording()
    return Effect.gen(function*() {
      const session = yield* newSession()
      yield* session.policy.addRule({ id: "r", list: "deny", rule: "shell", reason: null })
      yield* (yield* prompt(session.sessionId, "one")).end
      yield* session.policy.removeRule("r")
      yield* (yield* prompt(session.sessionId, "two")).end
      assert.notInclude(requests[0]!, "shell")
      assert.include(requests[1]!, "shell")
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("advertises other tools when the Work mode changes in the middle of a turn", () => {
    const { harness, requests } = recording([[{ name: "TodoWrite", params: { todos: [] } }]])
    return Effect.gen(function*() {
      const session = yield* newSession()
      session.attach({
        publish: (event) =>
          event._tag === "ToolCallStarted"
            ? Effect.orDie(session.policy.set("work_mode", "chat", "client"))
            : Effect.void,
        ask: () => Effect.never,
        choose: () => Effect.never
      })
      yield* (yield* prompt(session.sessionId, "plan")).end
      assert.lengthOf(requests, 2)
      assert.sameMembers([...requests[0]!], [...everything, "plan_write"])
      assert.sameMembers([...requests[1]!], always)
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("advertises only tools that the session's owner may use at that moment", () => {
    const { harness, requests } = recording([[{ name: "file_list", params: { path: "." } }]])
    const lists = [["file_list", "shell", "s__echo"], ["shell"]]
    const grants = Layer.succeed(ToolGrants, (owner: string | null) =>
      Effect.sync(() => {
        const names = owner === "ann" ? lists[requests.length] ?? [] : []
        return { has: (name: string) => names.includes(name), refusal: (name: string) => `${owner} has no ${name}` }
      }))
    return Effect.gen(function*() {
      const session = yield* newSession(undefined, "ann")
      yield* (yield* prompt(session.sessionId, "list")).end
      assert.deepStrictEqual(requests, [["file_list", "shell"], ["shell"]])
    }).pipe(Effect.provide(Layer.provide(harness.layer, grants)))
  })

  it.live("is followed by a refusal where the model calls a tool that was not advertised", () => {
    const { harness, requests } = recording([[
      { name: "file_write", params: { path: "a.txt", content: "x" } },
      { name: "file_list", params: { path: "." } }
    ]])
    return Effect.gen(function*() {
      const store = yield* SessionStore
      const session = yield* newSession()
      yield* session.policy.set("work_mode", "ro", "client")
      yield* (yield* prompt(session.sessionId, "write anyway")).end
      assert.notInclude(requests[0]!, "file_write")
      const calls = (yield* store.transcript(session.sessionId)).flatMap((entry) =>
        entry._tag === "ToolCall" ? [entry.call] : []
      )
      assert.deepStrictEqual(calls.map(({ name, status }) => [name, status]), [["file_write", "failed"], [
        "file_list",
        "completed"
      ]])
      assert.include(JSON.stringify(calls[0]!.content), "Denied by capability (CAPABILITY_NOT_GRANTED)")
    }).pipe(Effect.provide(harness.layer))
  })
})

describe("The advertised tools", () => {
  it.live("are the same object for all sessions whose tools have equal declarations", () => {
    const { harness } = recording()
    return Effect.gen(function*() {
      const advertised = yield* AdvertisedTools
      const memory = yield* (yield* MemoryStore).of("main")
      const offered = Effect.fnUntraced(function*(mode: WorkMode) {
        const session = yield* newSession()
        yield* session.policy.set("work_mode", mode, "client")
        const own = MemoryTools.make(memory, session.sessionId)
        return yield* advertised.of({ policy: session.policy, tools: { ...none, current: () => own } })
      })
      const first = yield* offered("sw")
      assert.include(Object.keys(first.tools), "memory_store")
      assert.strictEqual(yield* offered("sw"), first)
      const reading = yield* offered("ro")
      assert.notStrictEqual(reading, first)
      assert.strictEqual(reading.tools["memory_recall"], first.tools["memory_recall"])
      assert.notStrictEqual(reading.tools["shell"], first.tools["shell"], "its words depend on the Work mode")
    }).pipe(
      Effect.provide(
        AdvertisedTools.layer.pipe(
          Layer.provide(EngineLayer.layerPolicy),
          Layer.provideMerge(harness.layer),
          Layer.provideMerge(MemoryStore.layer(harness.folder(), () => 0))
        )
      ),
      Effect.scoped
    )
  })
})
