import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SocketClient } from "../support/SocketClient.ts"
import { promise, served } from "../support/ServedDaemon.ts"

/** However slow the machine is, nobody is given up meanwhile. */
const patience = Duration.minutes(10)

const files = 45

/** More than sockets and queues on the way hold, so that whoever does not read is behind for sure. */
const flood = (project: string) => {
  for (let n = 0; n < files; n++) writeFileSync(join(project, `f${n}`), `${n} ${"x".repeat(99)}\n`.repeat(200))
  return `say begun\n${Array.from({ length: files }, (_, n) => `read f${n}`).join("\n")}`
}

/** A client that stops reading once it has heard the first words of its turn. */
const stalled = async (client: SocketClient, sessionId: string, prompt: string) => {
  client.send({ id: 1, method: "session/prompt", params: { session_id: sessionId, prompt } })
  await client.update("tool_call")
  client.socket.pause()
}

describe("A client that does not read", () => {
  it.effect("delays no other client, is disconnected after 30 s with its turns, and leaves its session to others", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const bad = yield* greet()
      const good = yield* greet()
      const sessionId = yield* promise(() => bad.session({ cwd: project }))
      const other = yield* promise(() => good.session({ cwd: project }))
      yield* promise(() => stalled(bad, sessionId, flood(project)))
      const patient = yield* promise(() => good.session({ cwd: project, keep_siblings: true }))
      const going = good.prompt(patient, "say begun\nwait 600\nsay done")
      assert.deepInclude(yield* promise(() => good.prompt(other, "say hi")), { content: "hi" })
      assert.deepInclude(yield* promise(() => good.request("session/state", { session_id: sessionId })), {
        state: "running"
      })
      yield* TestClock.adjust("31 seconds")
      for (let state = "running"; state === "running";) {
        state = (yield* promise(() => good.request("session/state", { session_id: sessionId })))["state"]
        yield* TestClock.adjust("1 second")
      }
      assert.lengthOf((yield* promise(() => good.request("tui/list")))["tuis"], 1)
      assert.deepInclude(yield* promise(() => good.prompt(sessionId, "say again")), { content: "again" })
      assert.deepInclude(yield* promise(() => good.request("session/state", { session_id: patient })), {
        state: "running"
      })
      yield* TestClock.adjust("600 seconds")
      assert.match((yield* promise(() => going))["content"], /done$/)
    }))
})

describe("Five hundred clients", () => {
  it.live(
    "some of them silent, half-said or stalled, are served without waiting for each other",
    () =>
      Effect.gen(function*() {
        const { connect, greet, project } = yield* served({
          config: "[rpc]\nmax_sessions = 200\n",
          limits: { greeting: patience, frame: patience, stall: patience }
        })
        const silent = yield* Effect.forEach(Array.from({ length: 200 }), () => connect(), { concurrency: 50 })
        silent.forEach((client, index) => index % 2 === 0 ? client.write("{\"jsonrpc\":") : undefined)
        const bad = yield* Effect.forEach(Array.from({ length: 20 }), () => greet(), { concurrency: 20 })
        const stall = yield* Effect.forEach(bad, (client) => promise(() => client.session({ cwd: project })), {
          concurrency: 20
        })
        const prompt = flood(project)
        yield* promise(() => Promise.all(bad.map((client, index) => stalled(client, stall[index]!, prompt))))
        const good = yield* Effect.forEach(Array.from({ length: 280 }), () => greet(), { concurrency: 50 })
        const ids = yield* Effect.forEach(
          good.slice(0, 150),
          (client) => promise(() => client.session({ cwd: project })),
          { concurrency: 50 }
        )
        const turns = yield* Effect.forEach(
          ids,
          (id, index) => promise(() => good[index]!.prompt(id, `say turn ${index}`)),
          { concurrency: 50 }
        )
        assert.deepStrictEqual(turns.map(({ content }) => content), ids.map((_, index) => `turn ${index}`))
        for (const [index, client] of good.entries()) {
          assert.strictEqual((yield* promise(() => client.request("status")))["active_sessions"], 170)
          if (index >= ids.length) continue
          const said = client.updates("agent_message_chunk").map(({ text }) => text).join("")
          assert.strictEqual(said, `turn ${index}`, "no frame is lost, and none is somebody else's")
          assert.lengthOf(client.updates("turn_complete"), 1)
        }
        const states = yield* Effect.forEach(
          stall,
          (session_id) => promise(() => good[0]!.request("session/state", { session_id }))
        )
        assert.isTrue(states.every(({ state }) => state === "running"), "the stalled ones are stalled")
        assert.lengthOf((yield* promise(() => good[0]!.request("tui/list")))["tuis"], 300)
      }),
    120_000
  )
})
