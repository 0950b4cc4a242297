import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { MemoryStore, migrations, searchTerms } from "../../src/store/MemoryStore.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const open = (folder: string, retention?: number) =>
  Effect.map(
    Layer.build(MemoryStore.layer(folder, () => retention ?? 30)),
    (context) => Context.get(context, MemoryStore)
  )

const memoryIn = Effect.fnUntraced(
  function*(
    entries: ReadonlyArray<readonly [key: string, content: string, category?: string, sessionId?: string]> = []
  ) {
    const folder = join(yield* temporaryFolder, "memory")
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
      const folder = join(yield* temporaryFolder, "memory")
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
      assert.isTrue(readdirSync(folder).every((name) => /^[\w%-]+\.db(-reserve|-wal|-shm)?$/.test(name)))
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
      const folder = join(yield* temporaryFolder, "memory")
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

describe("The entries of an agent's memory", () => {
  it.effect("are of one owner each, who finds, replaces and deletes no others; the operator sees everybody's", () =>
    Effect.gen(function*() {
      const store = yield* open(join(yield* temporaryFolder, "memory"))
      const own = yield* store.of("main")
      const ann = yield* store.of("main", { owner: "ann" })
      const bob = yield* store.of("main", { owner: "bob" })
      const all = yield* store.of("main", "everybody")
      const contents = (memory: typeof own) =>
        Effect.map(memory.list({}), (found) => found.map(({ content }) => content).sort())
      for (const [name, memory] of Object.entries({ own, ann, bob })) {
        yield* memory.store({ key: "k", content: `walrus of ${name}`, category: "core", sessionId: "s" })
      }
      yield* ann.store({ key: "k", content: "seal of ann", category: "core", sessionId: "s" })
      yield* bob.store({ key: "b", content: "walrus und seal of bob", category: "conversation" })
      assert.deepStrictEqual(yield* contents(ann), ["seal of ann"])
      assert.deepStrictEqual(yield* contents(own), ["walrus of own"])
      assert.deepStrictEqual(yield* contents(bob), ["walrus of bob", "walrus und seal of bob"])
      assert.strictEqual((yield* contents(all)).length, 4)
      assert.deepStrictEqual(yield* ann.search("walrus", {}), [])
      assert.deepStrictEqual(yield* ann.search("alru", {}), [], "not by a piece of a word either")
      // What others have does not show in how well an entry answers.
      assert.deepStrictEqual((yield* ann.search("seal walrus", {})).map(({ key, score }) => [key, score]), [["k", 1]])
      assert.isUndefined(yield* ann.get("b"))
      assert.isFalse(yield* ann.remove("b"))
      assert.strictEqual(yield* ann.purge({ sessionId: "s" }), 1)
      assert.isUndefined(yield* ann.get("k"))
      assert.deepInclude(yield* all.get("k"), { content: "walrus of own", owner: null })
      assert.isTrue(yield* all.remove("k"))
      assert.deepInclude(yield* all.get("k"), { content: "walrus of bob", owner: "bob" })
      assert.deepStrictEqual(yield* contents(own), [])
      yield* (yield* store.of("main", { owner: "" })).store({ key: "x", content: "of nobody", category: "core" })
      yield* own.store({ key: "x", content: "own again", category: "core" })
      assert.deepStrictEqual(yield* contents(own), ["own again"])
    }))
})

describe("A memory file", () => {
  it.effect("from before entries had owners is the operator's", () =>
    Effect.gen(function*() {
      const folder = join(yield* temporaryFolder, "memory")
      mkdirSync(folder)
      const file = join(folder, "main.db")
      const before = new DatabaseSync(file)
      for (const statement of migrations[0] ?? []) before.exec(statement)
      before.exec("PRAGMA application_id = 1349481332; PRAGMA user_version = 1")
      const insert = before.prepare(
        "INSERT INTO memories (id, key, content, category, namespace, session_id, at) VALUES (?, ?, ?, ?, ?, ?, ?)"
      )
      insert.run("1", "k", "the walrus", "core", "default", "s", "2026-01-01T00:00:00.000Z")
      insert.run("2", "gone", "a walrus as well", "core", "default", null, "2026-01-01T00:00:00.000Z")
      before.exec("DELETE FROM memories WHERE key = 'gone'")
      before.close()
      chmodSync(file, 0o600)
      const store = yield* open(folder)
      const own = yield* store.of("main")
      assert.deepInclude((yield* own.search("walrus", {}))[0], { id: "1", key: "k", sessionId: "s", owner: null })
      yield* own.store({ key: "k", content: "the seal", category: "core" })
      assert.deepStrictEqual(yield* own.search("walrus", {}), [])
      assert.strictEqual((yield* own.search("seal", {})).length, 1)
      assert.deepStrictEqual(yield* (yield* store.of("main", { owner: "ann" })).list({}), [])
    }))

  it.effect("that is no database is left alone, and tried again later", () =>
    Effect.gen(function*() {
      const folder = join(yield* temporaryFolder, "memory")
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
      const folder = join(yield* temporaryFolder, "memory")
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
    assert.deepStrictEqual(searchTerms("What is the Café's 2nd café, and WHERE?"), ["cafe", "s", "2nd"])
    assert.deepStrictEqual(searchTerms("what is it"), ["what", "is", "it"])
    assert.deepStrictEqual(searchTerms("\"*():^-+{}"), [])
    assert.strictEqual(searchTerms(Array.from({ length: 50 }, (_, n) => `w${n}`).join(" ")).length, 16)
  })
})
