import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { terms } from "../../src/store/MemorySearch.ts"
import { MemoryStore } from "../../src/store/MemoryStore.ts"
import { tempFolder } from "./Samples.ts"

const open = (folder: string, retention?: number) =>
  Effect.map(Layer.build(MemoryStore.layer(folder, retention)), (context) => Context.get(context, MemoryStore))

const memoryIn = Effect.fnUntraced(
  function*(
    entries: ReadonlyArray<readonly [key: string, content: string, category?: string, sessionId?: string]> = []
  ) {
    const folder = join(yield* tempFolder, "memory")
    const store = yield* open(folder)
    const memory = yield* store.of("main")
    for (const [key, content, category = "core", sessionId] of entries) {
      yield* memory.store({ key, content, category, sessionId })
      yield* TestClock.adjust("1 second")
    }
    const found = (question: string) =>
      Effect.map(memory.search(question, {}), (entries) => entries.map(({ key }) => key))
    return { folder, store, memory, found }
  }
)

const worker = fileURLToPath(new URL("MemoryWorker.ts", import.meta.url))

describe("An agent's memory", () => {
  it.effect("keeps one entry a key, the last one", () =>
    Effect.gen(function*() {
      const { memory, found } = yield* memoryIn([["colour", "blue"], ["city", "Ghent"]])
      yield* memory.store({ key: "colour", content: "green", category: "custom", sessionId: "s1" })
      assert.deepInclude(yield* memory.get("colour"), {
        key: "colour",
        content: "green",
        category: "custom",
        sessionId: "s1",
        namespace: "default",
        timestamp: "1970-01-01T00:00:02.000Z"
      })
      assert.deepStrictEqual((yield* memory.list({})).map(({ key }) => key), ["colour", "city"])
      assert.deepStrictEqual(yield* found("blue"), [])
      assert.deepStrictEqual(yield* found("green"), ["colour"])
      assert.isTrue(yield* memory.remove("colour"))
      assert.isFalse(yield* memory.remove("colour"))
      assert.isUndefined(yield* memory.get("colour"))
      assert.deepStrictEqual(yield* found("green"), [])
    }))

  it.effect("is found again after a restart, in a private file, and by no other agent", () =>
    Effect.gen(function*() {
      const folder = join(yield* tempFolder, "memory")
      yield* Effect.scoped(Effect.gen(function*() {
        const memory = yield* (yield* open(folder)).of("main")
        yield* memory.store({ key: "k", content: "remember the milk", category: "core" })
      }))
      const store = yield* open(folder)
      assert.deepInclude((yield* (yield* store.of("main")).search("milk", {}))[0], { key: "k", score: 1 })
      for (const other of ["Mäin", "../main", "main/..", ".", "main.db", "a b"]) {
        assert.deepStrictEqual(yield* (yield* store.of(other)).search("milk", {}), [])
      }
      assert.strictEqual(statSync(join(folder, "main.db")).mode & 0o777, 0o600)
      assert.isTrue(readdirSync(folder).every((name) => /^[\w%-]+\.db(-wal|-shm)?$/.test(name)))
      assert.isFalse(existsSync(join(folder, "..", "main.db")))
    }))

  it.effect("ranks by how much of the question an entry has, rare words before common ones", () =>
    Effect.gen(function*() {
      const { memory, found } = yield* memoryIn([
        ["deploy", "Deployments go to the cluster in Frankfurt"],
        ["tests", "The cluster runs tests every night"],
        ["lunch", "Lunch is at noon"],
        ["backup", "The cluster is backed up on Sundays"]
      ])
      assert.deepStrictEqual((yield* found("Where is the deployment cluster?")).slice(0, 1), ["deploy"])
      const scores = new Map(
        (yield* memory.search("deploy to the cluster at Xanadu", {})).map(({ key, score }) => [key, score])
      )
      assert.strictEqual(scores.get("deploy"), 1)
      assert.isBelow(scores.get("tests") ?? 1, 0.4)
      assert.isFalse(scores.has("lunch"))
      assert.deepStrictEqual(yield* found("DÉPLOYMENTS"), ["deploy"])
      assert.deepStrictEqual(yield* found("backup"), ["backup"])
    }))

  it.effect("finds pieces of words, and scripts without blanks", () =>
    Effect.gen(function*() {
      const { found } = yield* memoryIn([["cjk", "東京タワーは赤い"], ["word", "uncharacteristically"]])
      assert.deepStrictEqual(yield* found("タワー"), ["cjk"])
      assert.deepStrictEqual(yield* found("characteristic"), ["word"])
    }))

  it.effect("takes any text as a question, and nothing in it as syntax", () =>
    Effect.gen(function*() {
      const { found, memory } = yield* memoryIn([["a", "alpha beta"], ["b", "beta NEAR gamma"], [
        "percent",
        "100 % sure_thing"
      ]])
      const hostile = [
        "\"",
        "\"alpha",
        "alpha\"",
        "a\" OR 1=1 --",
        "NEAR(",
        "NEAR(alpha beta, 2)",
        "alpha AND",
        "NOT",
        "NOT alpha",
        "OR OR OR",
        "key:alpha",
        "content : alpha",
        "{key content}: x",
        "-alpha",
        "^alpha",
        "alpha*",
        "*",
        "**",
        "(",
        ")",
        "()",
        "((((",
        "+",
        "alpha + beta",
        ";DROP TABLE memories;",
        "'; DELETE FROM memories; --",
        "\u0000",
        "alpha\u0000beta",
        "\ud800",
        "%",
        "_",
        "\\",
        "words MATCH",
        "rank:x",
        "😀",
        "a".repeat(100_000),
        "\" ".repeat(10_000),
        "x ".repeat(50_000),
        "\u0301\u0301",
        "-- ",
        "/*"
      ]
      for (const question of hostile) assert.isArray(yield* memory.search(question, {}), question.slice(0, 20))
      assert.deepStrictEqual(yield* found("key:alpha"), ["a"])
      assert.deepStrictEqual([...(yield* found("alpha NOT beta"))].sort(), ["a", "b"])
      assert.deepStrictEqual(yield* found("%"), ["percent", "b", "a"])
      assert.deepStrictEqual(yield* found("%x_"), [])
      assert.strictEqual((yield* memory.list({})).length, 3)
    }))

  it.effect("lists and searches within a category, a session, a time and a limit", () =>
    Effect.gen(function*() {
      const { memory } = yield* memoryIn([["a", "tea", "core"], ["b", "tea", "conversation", "s1"], [
        "c",
        "tea",
        "conversation",
        "s2"
      ], ["d", "tea", "daily"]])
      const keys = (which: Parameters<typeof memory.list>[0]) =>
        Effect.map(memory.search("tea", which), (found) => found.map(({ key }) => key).sort())
      assert.deepStrictEqual(yield* keys({ category: "conversation" }), ["b", "c"])
      assert.deepStrictEqual(yield* keys({ sessionId: "s1" }), ["b"])
      assert.deepStrictEqual(yield* keys({ since: "1970-01-01T00:00:01.000Z", until: "1970-01-01T00:00:03.000Z" }), [
        "b",
        "c"
      ])
      assert.strictEqual((yield* keys({ limit: 2 })).length, 2)
      assert.deepStrictEqual((yield* memory.list({ limit: 2 })).map(({ key }) => key), ["d", "c"])
      assert.strictEqual((yield* memory.list({ limit: Number.NaN })).length, 1)
    }))

  it.effect("purges by namespace or session and never everything", () =>
    Effect.gen(function*() {
      const { memory } = yield* memoryIn([["a", "x"], ["b", "x", "core", "s1"], ["c", "x", "core", "s2"]])
      assert.strictEqual(yield* memory.purge({}), 0)
      assert.strictEqual(yield* memory.purge({ sessionId: "s1" }), 1)
      assert.strictEqual(yield* memory.purge({ namespace: "other" }), 0)
      assert.strictEqual(yield* memory.purge({ namespace: "default" }), 2)
    }))

  it.effect("refuses what cannot be kept", () =>
    Effect.gen(function*() {
      const { memory } = yield* memoryIn()
      const refused = (given: Partial<Parameters<typeof memory.store>[0]>) =>
        Effect.map(
          Effect.flip(memory.store({ key: "k", content: "c", category: "core", ...given })),
          ({ _tag }) => _tag
        )
      for (
        const given of [
          { key: " " },
          { key: "a\nb" },
          { key: "k".repeat(257) },
          { content: " \n" },
          { content: "é".repeat(33_000) },
          { category: "two words" },
          { namespace: "" }
        ]
      ) {
        assert.strictEqual(yield* refused(given), "MemoryRefused")
      }
      yield* memory.store({ key: "k".repeat(256), content: "c".repeat(65_536), category: "päckchen" })
    }))

  it.effect("lets go of old conversation when it is opened, and of nothing else", () =>
    Effect.gen(function*() {
      const folder = join(yield* tempFolder, "memory")
      yield* Effect.scoped(Effect.gen(function*() {
        const memory = yield* (yield* open(folder)).of("main")
        yield* memory.store({ key: "old", content: "x", category: "conversation" })
        yield* memory.store({ key: "core", content: "x", category: "core" })
        yield* TestClock.adjust("20 days")
        yield* memory.store({ key: "new", content: "x", category: "conversation" })
      }))
      yield* TestClock.adjust("11 days")
      const keys = (retention: number) =>
        Effect.scoped(Effect.gen(function*() {
          return (yield* (yield* (yield* open(folder, retention)).of("main")).list({})).map(({ key }) => key)
        }))
      assert.deepStrictEqual(yield* keys(0), ["new", "core", "old"])
      assert.deepStrictEqual(yield* keys(30), ["new", "core"])
    }))
})

describe("A memory file", () => {
  it.effect("that is no database is left alone, and tried again later", () =>
    Effect.gen(function*() {
      const folder = join(yield* tempFolder, "memory")
      mkdirSync(folder)
      const file = join(folder, "main.db")
      writeFileSync(
        file,
        "not a database, but longer than a header of one hundred bytes would be, so that it is looked at: ".repeat(3)
      )
      const store = yield* open(folder)
      assert.match((yield* Effect.flip(store.of("main"))).message, /main\.db is damaged or not a database/)
      writeFileSync(file, "")
      chmodSync(file, 0o600)
      const memory = yield* store.of("main")
      assert.deepStrictEqual(yield* memory.list({}), [])
    }))

  it.live("is shared by processes, and none of them loses an entry", () =>
    Effect.gen(function*() {
      const folder = join(yield* tempFolder, "memory")
      const children = ["a", "b", "c"].map((name) =>
        spawn(process.execPath, [worker, folder, name], { stdio: ["ignore", "ignore", "pipe"] })
      )
      const errors: Array<string> = []
      children.forEach((child) => child.stderr.on("data", (data) => errors.push(String(data))))
      yield* Effect.promise(() => Promise.all(children.map((child) => once(child, "close"))))
      assert.deepStrictEqual([children.map(({ exitCode }) => exitCode), errors], [[0, 0, 0], []])
      const memory = yield* (yield* open(folder)).of("main")
      assert.strictEqual((yield* memory.list({})).length, 91)
      assert.strictEqual((yield* memory.search("walrus", { limit: 500 })).length, 64)
      assert.match((yield* memory.get("shared"))?.content ?? "", /^from [abc]$/)
    }))
})

describe("The words of a question", () => {
  it("are folded, without doubles and without those that are in every question", () => {
    assert.deepStrictEqual(terms("What is the Café's 2nd café, and WHERE?"), ["cafe", "s", "2nd"])
    assert.deepStrictEqual(terms("what is it"), ["what", "is", "it"])
    assert.deepStrictEqual(terms("\"*():^-+{}"), [])
    assert.strictEqual(terms(Array.from({ length: 50 }, (_, n) => `w${n}`).join(" ")).length, 16)
  })
})
