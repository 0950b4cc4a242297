import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { AcpConnectionState, DialectName } from "../../src/acp/AcpConnection.ts"
import * as PermissionRequests from "../../src/acp/client/PermissionRequests.ts"
import { ConnectionClosed } from "../../src/rpc/Peer.ts"
import { RpcFault } from "../../src/rpc/Wire.ts"
import type { ToolCallState } from "../../src/domain/SessionEvent.ts"

const call: ToolCallState = {
  toolCallId: "t1",
  name: "file_edit",
  title: "Edit a.txt",
  kind: "edit",
  status: "pending",
  content: [{ type: "diff", path: "/w/a.txt", oldText: "a", newText: "b" }],
  locations: [{ path: "/w/a.txt" }],
  rawInput: { path: "a.txt" }
}

/** A client that answers every request in one way. */
const lasting: { readonly allow: ReadonlyArray<string>; readonly deny: ReadonlyArray<string> } = {
  allow: ["write(./a.txt)"],
  deny: ["write(./a.txt)"]
}

const asked = (dialect: DialectName, answer: Effect.Effect<unknown, RpcFault | ConnectionClosed>, rules = lasting) => {
  const seen: Array<{ readonly options: ReadonlyArray<{ readonly optionId: string; readonly kind: string }> }> = []
  const state = {
    dialect,
    peer: {
      request: (_: unknown, payload: (typeof seen)[number]) => {
        seen.push(payload)
        return answer
      }
    }
  } as unknown as AcpConnectionState
  return {
    seen,
    ask: PermissionRequests.ask(state, "s1", 60)({
      call,
      reason: "Why.",
      details: ["one", "two"],
      scopes: { allow: ["session"], deny: ["session", "workspace"] },
      ...rules
    })
  }
}

const selected = (optionId: string, more: object = {}) =>
  Effect.succeed({ outcome: { outcome: "selected", optionId, ...more } })
const verdict = (answer: Effect.Effect<unknown, RpcFault | ConnectionClosed>, dialect: DialectName = "acp") =>
  Effect.match(asked(dialect, answer).ask, { onFailure: ({ why }) => why, onSuccess: ({ _tag }) => _tag })

describe("A permission request", () => {
  it.effect(
    "is answered by the options it offered",
    Effect.fnUntraced(function*() {
      assert.strictEqual(yield* verdict(selected("allow-once")), "AllowOnce")
      assert.strictEqual(yield* verdict(selected("allow-always")), "AllowAlways")
      assert.strictEqual(yield* verdict(selected("reject-once")), "RejectOnce")
      assert.strictEqual(yield* verdict(selected("reject-always")), "RejectAlways")
      assert.strictEqual(yield* verdict(Effect.succeed({ outcome: { outcome: "cancelled" } })), "Dismissed")
    })
  )

  it.effect(
    "counts as refused by the host when nothing sensible comes back",
    Effect.fnUntraced(function*() {
      assert.include(yield* verdict(selected("yolo")), "not offered")
      assert.include(yield* verdict(selected("toString")), "not offered")
      assert.include(
        yield* verdict(Effect.fail(new RpcFault({ code: -32601, message: "no such method" }))),
        "no such method"
      )
      assert.include(yield* verdict(Effect.fail(new ConnectionClosed())), "gone")
    })
  )

  it.effect(
    "offers nothing lasting where no rule could be kept, and takes no such answer",
    Effect.fnUntraced(function*() {
      const { ask, seen } = asked("acp", selected("allow-always"), { allow: [], deny: [] })
      assert.strictEqual((yield* Effect.flip(ask)).code, "APPROVAL_NO_RESPONDER")
      assert.deepStrictEqual(seen[0]?.options.map(({ kind }) => kind), ["allow_once", "reject_once"])
    })
  )

  it.effect(
    "ends after its time, and withdraws the question",
    Effect.fnUntraced(function*() {
      let withdrawn = false
      const never = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (withdrawn = true)))
      const waiting = yield* Effect.forkChild(verdict(never))
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.include(yield* Fiber.join(waiting), "60 s")
      assert.isTrue(withdrawn)
    })
  )

  it.effect(
    "offers one option of each kind, and rejecting with an edit to ZeroClaw's clients only",
    Effect.fnUntraced(function*() {
      const specified = asked("acp", selected("reject-once"))
      yield* specified.ask
      assert.deepStrictEqual(specified.seen[0]?.options.map(({ kind }) => kind), [
        "allow_once",
        "allow_always",
        "reject_once",
        "reject_always"
      ])
      const own = asked("zeroclaw", selected("reject-with-edit", { replacementContent: "mine" }))
      assert.deepStrictEqual(yield* own.ask, { _tag: "Replace", text: "mine" })
      assert.strictEqual(own.seen[0]?.options.at(-1)?.kind, "reject_with_edit")
      const uninvited = asked("acp", selected("reject-with-edit", { replacementContent: "mine" }))
      assert.strictEqual((yield* Effect.flip(uninvited.ask)).code, "APPROVAL_NO_RESPONDER")
    })
  )
})
