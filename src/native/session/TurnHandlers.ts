import { Clock, Deferred, Effect, Exit } from "effect"
import type { RpcFault } from "../../rpc/Wire.ts"
import type { Principal } from "../../security/Principals.ts"
import { newId } from "../../domain/Id.ts"
import { PolicyService } from "../../session/policy/PolicyService.ts"
import * as PromptContent from "../../session/turn/PromptContent.ts"
import type { SessionFault } from "../../session/lifecycle/SessionFault.ts"
import type { TurnEnd, TurnFault } from "../../session/turn/TurnEnd.ts"
import { caller, forwarded, mayTouch, mayUse } from "../access/Access.ts"
import { type ApprovalDecision, choose, ClientApprovals, decisions } from "./Approvals.ts"
import * as Errors from "../protocol/Errors.ts"
import { mapRpcErrors } from "../protocol/Errors.ts"
import { Feeds } from "../feeds/Feeds.ts"
import * as AttachmentIngest from "../files/AttachmentIngest.ts"
import { isLocal, NativeConnection, type NativeState } from "../protocol/NativeConnection.ts"
import { type ClientSession, ClientSessions, ownerOf } from "./ClientSessions.ts"
import { TurnMethods } from "../protocol/SessionContracts.ts"
import * as SessionUpdates from "./SessionUpdates.ts"

const maxPrompts = 64
/** The session gives a turn five seconds to end; a store that is slow to record the end is not waited for. */
const grace = "6 seconds"
const usualPatience = 120

type Generation = { readonly client_turn_generation?: string | number | null }

const isDecision = (word: string): word is ApprovalDecision => decisions.some((known) => known === word)

export const layer = TurnMethods.toLayer(Effect.gen(function*() {
  const clientSessions = yield* ClientSessions
  const approvals = yield* ClientApprovals
  const { note, sessions } = yield* Feeds
  const policy = yield* PolicyService
  const scope = yield* Effect.scope
  const running = new WeakMap<NativeState, number>()

  const patienceOf = ({ session }: ClientSession): number =>
    session.configured().risk?.approvalRoute?.timeout_secs ?? usualPatience

  const completeOf = (exit: Exit.Exit<TurnEnd, TurnFault>) => {
    if (Exit.isSuccess(exit)) {
      return { outcome: exit.value.stopReason === "cancelled" ? "cancelled" : "completed", content: exit.value.text }
    }
    const fault = exit.cause.reasons.find((reason) => reason._tag === "Fail")
    return {
      outcome: "failed",
      content: fault ? Errors.toRpcError(fault.error).message : "turn failed: internal error"
    }
  }

  /**
   * The turn waits for the connection that started it and for no other: a client that does not read does not slow down
   * another's turn. Followers read on their own (`session/attach`). Its end is told and noted whether or not anybody
   * waits for it.
   */
  const start = Effect.fnUntraced(function*(
    active: ClientSession,
    prepared: PromptContent.PreparedPrompt,
    connection: NativeState,
    me: Principal,
    generation: Generation
  ) {
    const { manager, session } = active
    const { sessionId } = session
    const followers = sessions.turn(sessionId, connection, active.owner)
    const updates = SessionUpdates.make(connection.peer, sessionId, followers.tell)
    const patience = patienceOf(active)
    const detach = session.attach({
      publish: updates.publish,
      ask: approvals.ask(connection, sessionId, updates, patience),
      choose: choose(connection, sessionId, patience),
      takesForms: connection.forms,
      client: { variables: forwarded(me, connection) }
    })
    const outcome = Deferred.makeUnsafe<TurnEnd, TurnFault>()
    const end = yield* Effect.onError(session.begin(prepared), () => Effect.sync(detach))
    const turn = { turnId: newId(), startedAt: yield* Clock.currentTimeMillis, connection }
    active.turn = turn
    followers.begun(PromptContent.wordsOf(prepared))
    yield* note({ type: "turn_started", session_id: sessionId, owner: active.owner })
    const finish = Effect.fnUntraced(function*(exit: Exit.Exit<TurnEnd, TurnFault>) {
      detach()
      if (active.turn === turn) active.turn = undefined
      const complete = completeOf(exit)
      yield* note({ type: "turn_complete", session_id: sessionId, outcome: complete.outcome, owner: active.owner })
      const count = yield* Effect.option(manager.store.messageCount(sessionId))
      yield* updates.send({
        type: "turn_complete",
        ...complete,
        ...generation,
        ...(count._tag === "Some" ? { message_count: count.value } : {})
      })
      yield* Deferred.done(outcome, exit)
    })
    yield* Effect.forkIn(Effect.flatMap(Effect.exit(end), finish), scope, { startImmediately: true })
    return outcome
  })

  const within64 = <A, E, R>(
    connection: NativeState,
    turn: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | RpcFault, R> =>
    Effect.suspend((): Effect.Effect<A, E | RpcFault, R> => {
      const before = running.get(connection) ?? 0
      if (before >= maxPrompts) return Effect.fail(Errors.tooManyTurns(maxPrompts))
      running.set(connection, before + 1)
      return Effect.ensuring(turn, Effect.sync(() => running.set(connection, (running.get(connection) ?? 1) - 1)))
    })

  /** A client that waits for `turn_complete` gets one, also for a session there is not. */
  const failedComplete =
    (connection: NativeState, sessionId: string, generation: Generation) => (error: SessionFault | RpcFault) =>
      error._tag === "SessionMissing"
        ? SessionUpdates.make(connection.peer, sessionId).send({
          type: "turn_complete",
          outcome: "failed",
          content: `turn failed: ${Errors.toRpcError(error).message}`,
          ...generation
        })
        : Effect.void

  return TurnMethods.of({
    "session/prompt": Effect.fnUntraced(function*({ attachments, client_turn_generation, prompt, session_id }) {
      const connection = yield* NativeConnection
      const generation = client_turn_generation === undefined || client_turn_generation === null
        ? {}
        : { client_turn_generation }
      const files = attachments ?? []
      const words = files.length > 0 && (prompt ?? "").trim() === ""
        ? []
        : yield* PromptContent.prepare([{ type: "text", text: prompt ?? "" }])
      const begin = Effect.gen(function*() {
        // As it is when it is this prompt's turn, not when it began to wait.
        const me = yield* caller
        if (files.length > 0 && !me.allows("files:create")) {
          return yield* Errors.missingGrant(me.id, "files:create", "session/prompt")
        }
        const active = yield* clientSessions.recall(session_id, connection, me)
        // Nothing is stored for a prompt that cannot begin.
        if (files.length > 0 && active.turn) return yield* Errors.busy(session_id)
        const uploader = { local: isLocal(connection.peerIdentity), admin: me.admin, policy }
        const parts = yield* AttachmentIngest.promptParts(active.session, files, uploader)
        return yield* start(active, [...words, ...parts], connection, me, generation)
      })
      const { stopReason, text } = yield* within64(
        connection,
        Effect.flatMap(clientSessions.queued(session_id)(begin), Deferred.await).pipe(
          Effect.tapError(failedComplete(connection, session_id, generation))
        )
      )
      return { session_id, stop_reason: stopReason, content: text }
    }, mapRpcErrors),

    "session/steer": Effect.fnUntraced(function*({ content, session_id }) {
      const me = yield* caller
      if (content.trim() === "") return yield* Errors.invalid("content: it is empty", "content", "empty_prompt")
      const { record, active } = yield* clientSessions.locate(session_id, me)
      if (!mayTouch(me, ownerOf(record))) return yield* Errors.notFound(session_id)
      yield* mayUse(me, record.agent)
      if (active === undefined) return yield* Errors.noTurn(session_id)
      const message = yield* PromptContent.prepare([{ type: "text", text: content }])
      yield* active.session.steer(message).pipe(Effect.catchTags({
        NoTurn: () => Effect.fail(Errors.noTurn(session_id)),
        SteeringFull: ({ limit }) => Effect.fail(Errors.steeringFull(session_id, limit))
      }))
      return { session_id, accepted: true }
    }, mapRpcErrors),

    "session/cancel": Effect.fnUntraced(function*({ session_id }) {
      const me = yield* caller
      const active = clientSessions.get(session_id)
      if (active === undefined) return yield* Errors.notFound(session_id)
      if (!mayTouch(me, active.owner)) return yield* Errors.notOwned(session_id)
      if (active.turn === undefined) return yield* Errors.noTurn(session_id)
      yield* Effect.timeoutOption(active.session.cancel, grace)
      return { session_id, cancelled: true }
    }),

    "session/approve": Effect.fnUntraced(function*({ decision, replacement, request_id, session_id }) {
      const me = yield* caller
      if (!isDecision(decision)) return yield* Errors.invalid(`decision: one of ${decisions.join(", ")}`, "decision")
      const active = clientSessions.get(session_id)
      if (active === undefined) return yield* Errors.notFound(session_id)
      if (!mayTouch(me, active.owner)) return yield* Errors.notFound(session_id)
      yield* mayUse(me, active.session.record().agent)
      yield* approvals.answer(session_id, request_id, decision, replacement ?? undefined)
      return { session_id, request_id, acknowledged: true }
    })
  })
}))
