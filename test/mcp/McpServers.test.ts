import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { host } from "../support/EngineHost.ts"

const script = join(import.meta.dirname, "ScriptedServer.ts")

/** Nobody is asked, and the servers run unconfined: what they say is at issue here. */
const config = (servers: Readonly<Record<string, string>>) => () =>
  [
    "[policy]\ntool_approval = \"universal_accept\"",
    ...Object.entries(servers).map(([name, more]) =>
      `[mcp.servers.${name}]\ncommand = "${process.execPath}"\nsandbox = "danger-full-access"\n${more}`
    )
  ].join("\n")

const args = (...words: ReadonlyArray<string>) => `args = ${JSON.stringify([script, ...words])}`

const one = (...words: ReadonlyArray<string>) => host(config({ s: args(...words) }))

const text = (name: string, parameters: object = {}) => `call ${name} ${JSON.stringify(parameters)}`

describe("A tool of an MCP server", () => {
  it.live("receives the model's arguments and answers with text", () => {
    const { layer, say } = one("good")
    return Effect.gen(function*() {
      const results = yield* say(
        text("s__echo", { text: "one\ntwo" }),
        text("s__echo", { text: "x", structured: { n: 1 } }),
        text("s__echo", { text: "{\"n\":1}", structured: { n: 1 } }),
        text("s__echo", { text: "same", structured: { content: "same" } })
      )
      assert.deepStrictEqual(results, [
        "completed one\ntwo",
        "completed x\n{\"n\":1}",
        "completed {\"n\":1}",
        "completed same"
      ])
    }).pipe(Effect.provide(layer))
  })

  it.live("fails with the server's own error text, and has no output when the result is unreadable", () => {
    const { layer, say } = one("good")
    return Effect.gen(function*() {
      const [refused, nonsense, missing] = yield* say(text("s__refuse"), text("s__nonsense"), text("s__nothing"))
      assert.strictEqual(refused, "failed no such issue")
      assert.strictEqual(nonsense, "completed (no output)")
      assert.match(missing!, /^failed Denied by validity \(UNKNOWN_TOOL\)/)
    }).pipe(Effect.provide(layer))
  })

  for (const behaviour of ["text-ids", "float-ids", "float-text-ids", "null-errors"]) {
    it.live(`works where its server answers with ${behaviour}`, () => {
      const { layer, say } = one(behaviour)
      return Effect.gen(function*() {
        const results = yield* say(text("s__echo", { text: "x" }), text("s__steps"), text("s__refuse"))
        assert.deepStrictEqual(results, ["completed x", "completed done", "failed no such issue"])
      }).pipe(Effect.provide(layer))
    })
  }

  it.live("works while it reports progress, and can be called as soon as its server announces it", () => {
    const { layer, say } = one("good")
    return Effect.gen(function*() {
      const results = yield* say(text("s__steps"), text("s__grow", { name: "late" }), text("s__late"))
      assert.deepStrictEqual(results, ["completed done", "completed grown", "completed called late"])
    }).pipe(Effect.provide(layer))
  })

  it.live("may ask for ping and roots, and is refused sampling", () => {
    const { cwd, layer, say } = one("good")
    return Effect.gen(function*() {
      const [probed] = yield* say(text("s__probe"))
      const [ping, roots, sampling] = JSON.parse(probed!.slice("completed ".length)) as [
        object,
        { roots: Array<{ uri: string }> },
        number
      ]
      assert.deepStrictEqual([ping, roots.roots.map(({ uri }) => uri), sampling], [{}, [`file://${cwd}`], -32601])
    }).pipe(Effect.provide(layer))
  })

  it.live("is declined a question when no client can ask the user", () => {
    const { layer, say } = one("good")
    return Effect.gen(function*() {
      assert.deepStrictEqual(yield* say(text("s__confirm"), text("s__form")), [
        "completed {\"action\":\"decline\"}",
        "completed {\"action\":\"decline\"}"
      ])
    }).pipe(Effect.provide(layer))
  })

  it.live("fails after the timeout, and its server is told", () => {
    const { layer, say } = host(config({ s: `${args("good")}\ntool_timeout_secs = 1` }))
    return Effect.gen(function*() {
      const [late, withdrawn] = yield* say(text("s__wait"), text("s__withdrawn"))
      assert.strictEqual(late, "failed The MCP server s cannot be used: it did not answer within 1 s")
      assert.match(withdrawn!, /^completed \[\{"requestId":\d+,/)
    }).pipe(Effect.provide(layer))
  })

  it.live("runs with the configured variables and without the host's secrets", () => {
    const { layer, say } = host(config({ s: `${args("good")}\nenv = { MY_TOKEN = "t-1" }` }), {
      GITHUB_TOKEN: "secret",
      LANG: "C.UTF-8"
    })
    return Effect.gen(function*() {
      const results = yield* say(...["MY_TOKEN", "GITHUB_TOKEN", "LANG"].map((name) => text("s__env", { name })))
      assert.deepStrictEqual(results, ["completed t-1", "completed unset", "completed C.UTF-8"])
    }).pipe(Effect.provide(layer))
  })
})

describe("Files in an MCP result", () => {
  const stored = (cwd: string) => existsSync(join(cwd, "uploads")) ? readdirSync(join(cwd, "uploads")) : []

  it.live("are stored under uploads, and the model is told the path", () => {
    const { cwd, layer, say } = one("good")
    return Effect.gen(function*() {
      const [result] = yield* say(text("s__blobs", { count: 2, blob: Buffer.from("hello").toString("base64") }))
      const [name] = stored(cwd)
      assert.match(name!, /^2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\.bin$/)
      assert.strictEqual(readFileSync(join(cwd, "uploads", name!), "utf8"), "hello")
      assert.strictEqual(result, "completed content\ncontent\n{\"kept\":true}")
    }).pipe(Effect.provide(layer))
  })

  it.live("are not stored when there are more than 64 or when they have more than 10 MiB", () => {
    const { cwd, layer, say } = one("good")
    return Effect.gen(function*() {
      const results = yield* say(
        text("s__blobs", { count: 65, blob: "" }),
        text("s__blobs", { count: 3, size: 4_800_000 })
      )
      for (const result of results) assert.match(result, /\[Attachment unavailable: the result has more than 64 files/)
      assert.deepStrictEqual(stored(cwd), [])
    }).pipe(Effect.provide(layer))
  })

  it.live("are left out one by one when their base64 is invalid", () => {
    const { cwd, layer, say } = one("good")
    return Effect.gen(function*() {
      const [result] = yield* say(text("s__blobs", { count: 1, blob: "====" }))
      assert.match(result!, /\[Attachment unavailable: The data is not valid base64\.\]\n\{"kept":true\}$/)
      assert.deepStrictEqual(stored(cwd), [])
    }).pipe(Effect.provide(layer))
  })
})

describe("An MCP server that misbehaves", () => {
  for (const behaviour of ["chatter", "flood"]) {
    it.live(`works when it prints more than messages: ${behaviour}`, () => {
      const { layer, say } = one(behaviour)
      return Effect.gen(function*() {
        assert.deepStrictEqual(yield* say(text("s__echo", { text: "x" })), ["completed x"])
      }).pipe(Effect.provide(layer))
    })
  }

  it.live("fails the call whose answer is too long, and goes on", () => {
    const { layer, say } = one("good")
    return Effect.gen(function*() {
      assert.deepStrictEqual(yield* say(text("s__giant"), text("s__echo", { text: "x" })), [
        "failed The MCP server s cannot be used: it answered with more than 16078168 bytes",
        "completed x"
      ])
    }).pipe(Effect.provide(layer))
  })

  it.live("is started again for the next call when it ends during a call", () => {
    const { layer, say } = one("good")
    return Effect.gen(function*() {
      assert.deepStrictEqual(yield* say(text("s__die"), text("s__echo", { text: "x" })), [
        "failed The MCP server s cannot be used: it ended with exit code 7: Error: the licence has expired",
        "completed x"
      ])
    }).pipe(Effect.provide(layer))
  })

  it.live("is not started again at once when a restart has failed", () => {
    const { layer, say } = host((outside) => config({ s: args("once", join(outside, "starts")) })())
    return Effect.gen(function*() {
      const [died, first, second] = yield* say(text("s__die"), text("s__echo"), text("s__echo", { again: true }))
      assert.include(died!, "exit code 7")
      assert.include(first!, "it ended with exit code 3: Error: the licence has expired")
      assert.match(second!, /it is not started again for 1 s$/)
    }).pipe(Effect.provide(layer))
  })

  it.live("leaves the other servers working", () => {
    const { layer, say } = host(
      config({ gone: args("exit"), mute: `${args("mute")}\ninit_timeout_secs = 1`, good: args("good") })
    )
    return Effect.gen(function*() {
      assert.deepStrictEqual(yield* say(text("good__echo", { text: "x" })), ["completed x"])
    }).pipe(Effect.provide(layer))
  })
})
