import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ModelCatalog } from "../../../src/model/ModelCatalog.ts"
import { Agents } from "../../../src/session/lifecycle/Agents.ts"
import * as PromptContent from "../../../src/session/turn/PromptContent.ts"
import * as LiveSessions from "../../../src/session/lifecycle/LiveSessions.ts"
import { SessionManager } from "../../../src/session/lifecycle/SessionManager.ts"
import type { SessionMode } from "../../../src/session/SessionContext.ts"
import { MemoryStore } from "../../../src/store/MemoryStore.ts"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import { folder } from "../../support/SessionHarness.ts"
import { type Answer, make, told } from "../../support/ScriptedModel.ts"
import { layerSettings } from "../../support/Settings.ts"

const tools = ["memory_store", "memory_recall", "memory_forget", "memory_export", "memory_purge"]

const host = (
  mode: SessionMode,
  answers: ReadonlyArray<Answer> = [],
  env: Readonly<Record<string, string>> = {},
  memoryFolder?: string
) => {
  const home = folder()
  const { engine, requests } = make(answers)
  const memories = MemoryStore.layer(memoryFolder ?? join(home, "memory"))
  const layer = Layer.effect(SessionManager, SessionManager.make({ mode, live: LiveSessions.make(() => 10) })).pipe(
    Layer.provide(ModelCatalog.layer),
    Layer.provide(engine),
    Layer.provideMerge(memories),
    Layer.provideMerge(SessionStore.layerMemory),
    Layer.provideMerge(Agents.layer),
    Layer.provideMerge(
      layerSettings({ configDir: home }, {
        POSTERN_policy__sandbox: "danger-full-access",
        POSTERN_risk_profiles__default__level: "full",
        ...env
      })
    )
  )
  return { requests, layer }
}

const say = Effect.fnUntraced(function*(sessionId: string, text: string) {
  const sessions = yield* SessionManager
  const prepared = yield* PromptContent.prepare([{ type: "text", text }])
  return yield* yield* sessions.within(sessionId, (session) => session.begin(prepared))
})

const open = Effect.gen(function*() {
  const session = yield* SessionManager.use(({ create }) =>
    Effect.flatMap(Agents.use(({ resolve }) => resolve()), (agent) => create({ agent, additionalDirectories: [] }))
  )
  const memory = yield* MemoryStore.use(({ of }) => of("default"))
  return { session, memory, id: session.sessionId }
})

describe("A chat session", () => {
  it.live("has the memory tools, recalls before the prompt and keeps what the user said", () => {
    const { layer, requests } = host("chat", [{
      calls: [{ name: "memory_store", params: { key: "colour", content: "The favourite colour is blue" } }]
    }, { text: "noted" }])
    return Effect.gen(function*() {
      const { id, memory } = yield* open
      yield* say(id, "My favourite colour is blue, remember that.")
      assert.includeMembers([...requests[0]!.tools], tools)
      assert.deepStrictEqual(told(requests[0]!), ["user: My favourite colour is blue, remember that."])
      assert.deepInclude(yield* memory.get("colour"), { content: "The favourite colour is blue", category: "core" })
      const saved = yield* memory.list({ category: "conversation" })
      assert.deepStrictEqual(saved.map(({ content, sessionId }) => [content, sessionId]), [[
        "My favourite colour is blue, remember that.",
        id
      ]])
      assert.match(saved[0]?.key ?? "", /^user_msg_[0-9a-f-]{36}$/)

      const { id: other } = yield* open
      yield* say(other, "which colour?")
      assert.deepStrictEqual(told(requests[2]!), [
        "user: [Memory context]\n- colour: The favourite colour is blue\n[/Memory context]\n\nwhich colour?"
      ])
      const { transcript } = yield* SessionStore
      assert.deepStrictEqual(
        (yield* transcript(other)).filter(({ _tag }) => _tag === "User").map((entry) =>
          entry._tag === "User" ? entry.content : []
        ),
        [[{ type: "text", text: "which colour?" }]]
      )
    }).pipe(Effect.provide(layer))
  })

  it.live("saves nothing where auto_save is off, and has no memory where its client excludes it", () => {
    const { layer, requests } = host("chat", [], { POSTERN_memory__auto_save: "false" })
    return Effect.gen(function*() {
      const { id, memory, session } = yield* open
      yield* memory.store({ key: "k", content: "a walrus lives here", category: "core" })
      yield* say(id, "tell me everything about the walrus")
      assert.strictEqual((yield* memory.list({})).length, 1)
      assert.include(told(requests[0]!)[0], "[Memory context]")
      session.override({ excludeMemory: true })
      yield* say(id, "tell me everything about the walrus")
      assert.notInclude(told(requests[1]!).at(-1), "[Memory context]")
      assert.notIncludeMembers([...requests[1]!.tools], ["memory_recall"])
    }).pipe(Effect.provide(layer))
  })

  it.live("runs its turns without a memory that fails", () => {
    const { layer, requests } = host("chat", [], {}, "/dev/null/memory")
    return Effect.gen(function*() {
      const session = yield* SessionManager.use(({ create }) =>
        Effect.flatMap(Agents.use(({ resolve }) => resolve()), (agent) => create({ agent, additionalDirectories: [] }))
      )
      assert.deepInclude(yield* say(session.sessionId, "tell me everything about the walrus"), {
        stopReason: "end_turn",
        text: "done"
      })
      assert.notIncludeMembers([...requests[0]!.tools], ["memory_recall"])
    }).pipe(Effect.provide(layer))
  })

  it.live("is refused what a rule or a level forbids", () => {
    const store = { name: "memory_store", params: { key: "k", content: "v" } }
    const { layer, requests } = host("chat", [{ calls: [store] }], {
      POSTERN_risk_profiles__default__level: "readonly"
    })
    return Effect.gen(function*() {
      const { id, memory } = yield* open
      yield* say(id, "store it, please, will you?")
      assert.match(told(requests[1]!).at(-1)!, /^tool: Denied by /)
      assert.isUndefined(yield* memory.get("k"))
    }).pipe(Effect.provide(layer))
  })
})

describe("An ACP session", () => {
  it.live("never touches the memory: not when it is created, not when it is loaded or comes back by itself", () => {
    const call = { name: "memory_recall", params: { query: "walrus" } }
    const { layer, requests } = host("acp", [{ text: "one" }, { calls: [call] }])
    return Effect.gen(function*() {
      const { id, memory } = yield* open
      yield* memory.store({ key: "k", content: "a walrus lives here", category: "core" })
      yield* say(id, "tell me everything about the walrus")
      const sessions = yield* SessionManager
      yield* sessions.close(id)
      yield* sessions.activate(id, { additionalDirectories: [] }, () => Effect.void)
      yield* say(id, "and now about the walrus again")
      for (const request of requests) {
        assert.deepStrictEqual(request.tools.filter((name) => tools.includes(name)), [])
        assert.notInclude(told(request).join("\n"), "lives here")
        assert.notInclude(JSON.stringify(request.messages.filter(({ role }) => role === "system")), "memory_")
      }
      assert.match(told(requests[2]!).at(-1)!, /UNKNOWN_TOOL/)
      assert.deepStrictEqual((yield* memory.list({})).map(({ key }) => key), ["k"])
    }).pipe(Effect.provide(layer))
  })
})
