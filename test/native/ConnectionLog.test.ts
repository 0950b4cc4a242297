import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, References } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Json } from "../support/Wire.ts"
import { type Options, promise, served } from "../support/ServedDaemon.ts"

const token = "zc_0123456789abcdef"

const open = Effect.fnUntraced(function*(options: Options = {}) {
  const daemon = yield* served({ ...options, config: `log_level = "debug"\n${options.config ?? ""}` })
  const reader = yield* daemon.greet({ clientCapabilities: { clientKind: "reader" } })
  /** What the log says so far; asked again until `wanted` is in it. */
  const log = Effect.fnUntraced(function*(wanted: string) {
    for (;;) {
      const { events } = yield* promise(() => reader.request("logs/query", { limit: 1000 }))
      const lines = events.map(({ message, severity }: Json) => `${severity}: ${message}`)
      if (lines.some((line: string) => line.includes(wanted))) return lines
      yield* Effect.sleep("10 millis")
    }
  })
  return { ...daemon, reader, log }
})

const logged = <E, R>(name: string, test: () => Effect.Effect<void, E, R>) =>
  it.live(
    name,
    () => Effect.provideService(Effect.scoped(test() as Effect.Effect<void, E>), References.MinimumLogLevel, "Debug")
  )

describe("The log of the daemon", () => {
  logged("says who comes and who goes", () =>
    Effect.gen(function*() {
      const { connect, log } = yield* open()
      const client = yield* connect()
      const { tui_id } = yield* promise(() =>
        client.request("initialize", { clientCapabilities: { client_kind: "gateway" } })
      )
      client.close()
      const lines = yield* log(`client ${tui_id} left`)
      assert.includeMembers(lines, [
        "debug: unix:unknown connected",
        `info: unix:unknown is client ${tui_id} (gateway), principal operator`,
        `info: client ${tui_id} left unix:unknown`
      ])
      const silent = yield* connect()
      silent.close()
      assert.include(yield* log("without a greeting"), "debug: unix:unknown left without a greeting")
    }))

  logged(
    "says who was refused and why, and shows no credential and no long words of a stranger",
    () =>
      Effect.gen(function*() {
        const { connect, log } = yield* open()
        const client = yield* connect()
        const long = "x".repeat(10_000)
        yield* promise(() => client.failure("initialize", { protocol_version: 2 }))
        yield* promise(() => client.failure("initialize", { auth_token: token }))
        yield* promise(() => client.failure("initialize", { auth_token: token, auth_provider: long }))
        yield* promise(() => client.request("initialize", { clientCapabilities: { client_kind: `a\nb${long}` } }))
        const lines = yield* log("a b")
        const refused = lines.filter((line: string) => line.includes("refused"))
        const starts = [
          "warn: unix:unknown was refused: version_mismatch (This daemon speaks protocol version 1",
          "warn: unix:unknown was refused: not_authenticated (the credential for native is not valid)",
          "warn: unix:unknown was refused: not_authenticated (the credential for xxx"
        ]
        assert.lengthOf(refused, starts.length)
        for (const [at, start] of starts.entries()) assert.isTrue(refused[at]?.startsWith(start), refused[at])
        assert.notInclude(lines.join("\n"), token)
        for (const line of lines) assert.isBelow(line.length, 400)
      })
  )

  logged("says that an answer was to nothing, and not what is in it", () =>
    Effect.gen(function*() {
      const { log, reader } = yield* open()
      reader.send({ id: "zc-out-7", result: { secret: "hush" } }, { id: null, error: { code: 1, message: "hush" } })
      const lines = yield* log("answer")
      assert.deepStrictEqual(lines.filter((line: string) => line.includes("answer")), [
        "debug: dropped an answer to no request of ours",
        "debug: dropped an answer to no request of ours"
      ])
      assert.notInclude(lines.join("\n"), "hush")
    }))

  logged("says in one line that a client read nothing any more", () =>
    Effect.gen(function*() {
      const { greet, log, project } = yield* open({ limits: { stall: Duration.millis(300) } })
      for (let n = 0; n < 45; n++) writeFileSync(join(project, `f${n}`), `${n} ${"x".repeat(99)}\n`.repeat(200))
      const bad = yield* greet()
      const session_id = yield* promise(() => bad.session({ cwd: project }))
      const prompt = Array.from({ length: 45 }, (_, n) => `read f${n}`).join("\n")
      bad.send({ id: 1, method: "session/prompt", params: { session_id, prompt } })
      yield* promise(() => bad.update("tool_call"))
      bad.socket.pause()
      const lines = yield* log("took nothing")
      assert.deepStrictEqual(lines.filter((line: string) => line.includes("took nothing")), [
        "warn: a connection was given up: its other side took nothing for 300ms"
      ])
      assert.notInclude(lines.join("\n"), "ClientTooSlow")
    }))
})
