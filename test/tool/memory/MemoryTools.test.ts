import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { join } from "node:path"
import { grants } from "../../../src/domain/PolicySettings.ts"
import { knownTools } from "../../../src/tool/Toolbox.ts"
import { MemoryStore } from "../../../src/store/MemoryStore.ts"
import * as MemoryTools from "../../../src/tool/memory/MemoryTools.ts"
import type { RunContext } from "../../../src/tool/Tool.ts"
import { temporaryFolder } from "../../support/TemporaryFolder.ts"

/** No memory tool touches anything of its context. */
const nothing = {} as RunContext

const open = Effect.gen(function*() {
  const context = yield* Layer.build(MemoryStore.layer(join(yield* temporaryFolder, "memory")))
  const memory = yield* Context.get(context, MemoryStore).of("main")
  const tools = MemoryTools.make(memory, "s1")
  const run = Effect.fnUntraced(function*(name: string, input: unknown) {
    const tool = tools.get(`memory_${name}`)
    assert.isDefined(tool)
    const parameters = yield* Effect.orDie(Schema.decodeUnknownEffect(tool!.parameters)(input))
    return (yield* Effect.scoped(tool!.run(parameters, nothing))).text
  })
  const fails = (name: string, input: unknown) => Effect.map(Effect.flip(run(name, input)), ({ message }) => message)
  return { memory, tools, run, fails }
})

describe("The memory tools", () => {
  it.effect("are exactly five, and rules know them", () =>
    Effect.gen(function*() {
      const { tools } = yield* open
      const names = ["memory_store", "memory_recall", "memory_forget", "memory_export", "memory_purge"]
      assert.deepStrictEqual([...tools.keys()], names)
      const known = knownTools(tools)
      for (const [name, family] of knownTools(new Map())) assert.strictEqual(known.get(name), family)
      assert.deepStrictEqual([...known.keys()].sort(), names.toSorted())
    }))

  it.effect("write only where the Work mode lets a session write", () =>
    Effect.gen(function*() {
      const { tools } = yield* open
      const offered = Array.from(tools.values()).filter(({ capabilities }) =>
        capabilities.some((one) => grants("ro", one))
      )
      assert.deepStrictEqual(offered.map(({ name }) => name), ["memory_recall", "memory_export"])
      const { needs } = tools.get("memory_purge")!
      assert.deepStrictEqual(needs({}), { capabilities: ["rw"], network: "none", reads: [], writes: [], urls: [] })
    }))

  it.effect("store, recall and forget", () =>
    Effect.gen(function*() {
      const { memory, run } = yield* open
      assert.strictEqual(yield* run("recall", {}), "No memories found.")
      assert.strictEqual(
        yield* run("store", { key: "colour", content: "The user likes blue" }),
        "Stored memory: colour"
      )
      yield* TestClock.adjust("1 hour")
      yield* run("store", { key: "plan", content: "Ship on Friday", category: "conversation" })
      assert.deepInclude(yield* memory.get("plan"), { category: "conversation", sessionId: "s1" })
      assert.deepInclude(yield* memory.get("colour"), { category: "core", sessionId: null })
      assert.strictEqual(yield* run("recall", { query: "blue" }), "- [core] colour: The user likes blue [100%]")
      assert.strictEqual(
        yield* run("recall", { query: "*" }),
        "- [conversation] plan: Ship on Friday\n- [core] colour: The user likes blue"
      )
      assert.strictEqual(yield* run("recall", { limit: 1, since: null }), "- [conversation] plan: Ship on Friday")
      assert.strictEqual(
        yield* run("recall", { until: "1970-01-01T01:30:00+01:00" }),
        "- [core] colour: The user likes blue"
      )
      assert.strictEqual(yield* run("forget", { key: "colour" }), "Forgot memory: colour")
      assert.strictEqual(yield* run("forget", { key: "colour" }), "No memory found with key: colour")
    }))

  it.effect("say what is wrong with a date, and refuse an empty purge", () =>
    Effect.gen(function*() {
      const { fails, run } = yield* open
      for (const since of ["yesterday", "2026-02-01", "2026-13-01T00:00:00Z", ""]) {
        assert.strictEqual(
          yield* fails("recall", { query: "x", since }),
          "since is not a date and time such as 2026-03-01T00:00:00Z."
        )
      }
      const same = "2026-03-01T00:00:00Z"
      assert.strictEqual(yield* fails("export", { since: same, until: same }), "since must be before until.")
      assert.strictEqual(yield* fails("purge", { namespace: "" }), "Name a namespace or a session_id.")
      assert.strictEqual(
        yield* fails("store", { key: "k", content: " " }),
        "There is nothing to remember: the content is empty."
      )
      yield* run("store", { key: "a", content: "x", category: "conversation" })
      yield* run("store", { key: "b", content: "x" })
      assert.strictEqual(yield* run("purge", { session_id: "s1" }), "Purged 1 memory.")
      assert.deepStrictEqual(
        JSON.parse(yield* run("export", { category: "core" })).map((one: { key: string }) => one.key),
        ["b"]
      )
    }))
})
