import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { Script, stuck } from "../support/ScriptedLoop.ts"
import type { Message } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"

/** Time goes on until there is an answer. */
const meanwhile = <A>(pending: Promise<A>) =>
  Effect.gen(function*() {
    let settled: { readonly value: A } | undefined
    void pending.then((value) => {
      settled = { value }
    })
    while (settled === undefined) {
      yield* TestClock.adjust("100 millis")
      yield* promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
    return settled.value
  })

const reasonOf = ({ code, data }: NonNullable<Message["error"]>) => [code, data?.["reason"]]

describe("A tool that does not end", () => {
  it.effect("is left behind 5 s after its turn was cancelled: turn_complete says cancelled, and the session goes on", () =>
    Effect.gen(function*() {
      const script = new Script()
      const { greet } = yield* served({ engine: script.layer })
      const client = yield* greet()
      const session_id = yield* promise(() => client.session())
      const turn = client.prompt(session_id, stuck)
      yield* promise(() => client.update("agent_message_chunk"))
      assert.deepStrictEqual(yield* meanwhile(client.request("session/cancel", { session_id })), {
        session_id,
        cancelled: true
      })
      assert.deepStrictEqual(yield* meanwhile(turn), {
        session_id,
        stop_reason: "cancelled",
        content: "said stuck"
      })
      const [complete] = client.updates("turn_complete")
      assert.deepInclude(complete, { outcome: "cancelled", content: "said stuck" })
      const next = client.prompt(session_id, "two")
      yield* promise(() => client.waitFor(({ params }) => params?.["text"] === "said two"))
      yield* script.end()
      assert.deepInclude(yield* promise(() => next), { stop_reason: "end_turn", content: "said two" })
    }))
})

describe("The limits of a connection", () => {
  it.effect("32 calls wait for a session that is kept by another, and one more is refused", () =>
    Effect.gen(function*() {
      const script = new Script()
      const { greet } = yield* served({ engine: script.layer })
      const [keeper, client] = [yield* greet(), yield* greet()]
      const session_id = yield* promise(() => keeper.session())
      keeper.send({ id: 1, method: "session/prompt", params: { session_id, prompt: stuck } })
      yield* promise(() => keeper.update("agent_message_chunk"))
      // It waits for the turn, which ends with the clock.
      const closing = keeper.request("session/close", { session_id })
      yield* promise(() => client.request("status"))
      for (let id = 0; id < 32; id++) {
        client.send({ id, method: "session/prompt", params: { session_id, prompt: "work" } })
      }
      const refused = yield* promise(() => client.failure("session/prompt", { session_id, prompt: "x" }))
      assert.deepStrictEqual(reasonOf(refused), [-32002, "queue_full"])
      yield* meanwhile(closing)
      // The first of those that waited brings the session back, and the others find it at work.
      yield* promise(() => client.update("agent_message_chunk"))
      for (let id = 1; id < 32; id++) {
        const { error } = yield* promise(() => client.answer(id))
        assert.strictEqual(error?.data?.["reason"], "session_busy")
      }
    }))

  it.effect("64 prompts run on one connection, and one more is refused until one of them ends", () =>
    Effect.gen(function*() {
      const script = new Script()
      const { greet } = yield* served({ engine: script.layer, config: "[rpc]\nmax_sessions = 100\n" })
      const [client, other] = [yield* greet(), yield* greet()]
      const ids = yield* Effect.forEach(
        Array.from({ length: 65 }),
        () => promise(() => client.session({ keep_siblings: true }))
      )
      const [last = "", ...rest] = ids
      const begin = (id: string) =>
        client.send({ id, method: "session/prompt", params: { session_id: id, prompt: "work" } })
      rest.forEach(begin)
      for (const id of rest) {
        yield* promise(() =>
          client.waitFor(({ params }) => params?.["session_id"] === id && params["type"] === "agent_message_chunk")
        )
      }
      const refused = yield* promise(() => client.failure("session/prompt", { session_id: last, prompt: "x" }))
      assert.deepStrictEqual([...reasonOf(refused), refused.data?.["limit"]], [-32002, "too_many_prompts", 64])
      const elsewhere = other.prompt(last, "work")
      yield* promise(() => other.update("agent_message_chunk"))
      yield* promise(() => other.request("session/cancel", { session_id: last }))
      yield* promise(() => elsewhere)
      yield* promise(() => client.request("session/cancel", { session_id: rest[0]! }))
      assert.deepInclude((yield* promise(() => client.answer(rest[0]!))).result, { stop_reason: "cancelled" })
      begin(last)
      yield* promise(() =>
        client.waitFor(({ params }) => params?.["session_id"] === last && params["type"] === "agent_message_chunk")
      )
    }))
})

/** A client that keeps its half of the connection open; what it was told by its end. */
const refusedSocket = (path: string, sockets: Array<Socket>) => {
  const socket = connect({ path, allowHalfOpen: true })
  sockets.push(socket)
  let text = ""
  return new Promise<string>((resolve) => {
    socket.setEncoding("utf8").on("data", (more: string) => {
      text += more
    }).on("error", () => {}).on("end", () => resolve(text)).on("close", () => resolve(text))
  })
}

describe("Beyond the limit of connections", () => {
  const warnings: Array<string> = []
  const logger = Logger.make(({ message }) => {
    const text = String(Array.isArray(message) ? message[0] : message)
    if (text.startsWith("connections are refused")) warnings.push(text)
  })

  it.effect("16 are told at once, further ones are only closed, and the log says so once", () =>
    Effect.gen(function*() {
      const { endpoint, greet } = yield* served({ maxConnections: 1 })
      const inside = yield* greet()
      const sockets: Array<Socket> = []
      yield* Effect.addFinalizer(() => Effect.sync(() => sockets.forEach((socket) => socket.destroy())))
      const refuse = (count: number) =>
        promise(() => Promise.all(Array.from({ length: count }, () => refusedSocket(endpoint, sockets))))
      const told = yield* refuse(20)
      const notices = told.filter((text) => text !== "")
      assert.lengthOf(notices, 16)
      for (const notice of notices) assert.strictEqual(JSON.parse(notice).error.code, -32004)
      assert.deepStrictEqual(yield* refuse(3), ["", "", ""])
      assert.lengthOf(warnings, 1)
      // Whoever does not go within a second is let go of, and others are told again.
      yield* TestClock.adjust("1 second")
      yield* promise(() =>
        Promise.all(
          sockets.map((socket) =>
            socket.closed ? undefined : new Promise((resolve) => socket.once("close", resolve).end())
          )
        )
      )
      assert.match((yield* refuse(1))[0]!, /-32004/)
      assert.lengthOf(warnings, 1)
      assert.isDefined((yield* promise(() => inside.request("status")))["server_version"])
    }).pipe(Effect.provide(Logger.layer([logger]))))
})
