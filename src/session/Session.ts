import { Cause, Clock, Deferred, Effect, Exit, Fiber, FiberHandle, Schedule, type Scope } from "effect"
import { type SessionMissing, type SessionRecord, SessionStore, StoreFailed, type TurnOutcome, TurnRunning } from "../store/SessionStore.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { type Attachment, NoAnswer, type PermissionAnswer, type PermissionRequest } from "./Attachment.ts"
import type { SessionEvent, StopReason } from "./Event.ts"
import { newId } from "./Id.ts"
import * as Ledger from "./Ledger.ts"
import * as PromptContent from "./PromptContent.ts"
import { TurnFailed, TurnLoop, type Usage } from "./TurnLoop.ts"

export interface TurnEnd {
  readonly stopReason: StopReason
  /** All message text of the turn. */
  readonly text: string
}

export type TurnFault = TurnFailed | TurnRunning | SessionMissing | StoreFailed

/** A live session (spec §4). Everything it starts hangs off its scope; closing the scope ends the turn first. */
export interface Session {
  readonly sessionId: string
  readonly record: () => SessionRecord
  readonly workspace: Workspace
  readonly attach: (attachment: Attachment) => () => void
  readonly attachments: () => number
  /**
   * Starts a turn and gives the effect that waits for its end. A turn that is being cancelled is waited for; any other running
   * turn is `TurnRunning`. The turn goes on when the waiter is gone.
   */
  readonly begin: (prompt: PromptContent.Prepared) => Effect.Effect<Effect.Effect<TurnEnd, TurnFault>, TurnRunning>
  /** Interrupts the turn, if there is one, and waits until it is recorded. */
  readonly cancel: Effect.Effect<void>
  /** Refuses further turns and waits for the running one. */
  readonly settle: Effect.Effect<void>
  /** Saves what a running turn has so far. */
  readonly flush: Effect.Effect<void>
  /** Milliseconds since the epoch of the last sign of life; `undefined` while a turn runs. */
  readonly idleSince: () => number | undefined
  readonly touch: Effect.Effect<void>
}

interface Turn {
  readonly outcome: Deferred.Deferred<TurnEnd, TurnFault>
  cancelled: boolean
  checkpoint: Effect.Effect<void>
}

const interruption = "This turn was interrupted before it ended."
const checkpointEvery = Schedule.spaced("1 second")

const titleOf = (text: string) => {
  const line = text.trim().split("\n", 1)[0]!.trim()
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

export const make = Effect.fnUntraced(function*(initial: SessionRecord, workspace: Workspace): Effect.fn.Return<
  Session,
  never,
  SessionStore | TurnLoop | Scope.Scope
> {
  const store = yield* SessionStore
  const loop = yield* TurnLoop
  const sessionId = initial.sessionId
  const attachments = new Set<Attachment>()
  let record = initial
  let lastActive = yield* Clock.currentTimeMillis
  let current: Turn | undefined
  let settling = false
  // Acquired last, released first: the turn ends before anything it uses.
  const handle = yield* FiberHandle.make<void>()

  const publish = (event: SessionEvent): Effect.Effect<void> =>
    Effect.forEach(attachments, (attachment) => attachment.publish(event), { discard: true })

  const ask = (request: PermissionRequest): Effect.Effect<PermissionAnswer, NoAnswer> =>
    attachments.size === 0
      ? Effect.fail(new NoAnswer({ why: "no client is connected" }))
      : Effect.raceAll(Array.from(attachments, (attachment) => attachment.ask(request)))

  const touch = Effect.map(Clock.currentTimeMillis, (now) => {
    lastActive = now
  })

  const publishEnd = (usage: Usage | undefined) =>
    Effect.andThen(
      usage === undefined ? Effect.void : publish({ _tag: "Usage", ...usage }),
      publish({ _tag: "InfoChanged", title: record.title, updatedAt: record.updatedAt })
    )

  const execute = Effect.fn("Session.turn")(function*(
    turn: Turn,
    prepared: PromptContent.Prepared,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ): Effect.fn.Return<TurnEnd, TurnFault> {
    const prompt = yield* PromptContent.materialise(workspace.cwd, prepared).pipe(
      Effect.mapError((fault) => new TurnFailed({ message: fault.detail, reason: "upload_failed" }))
    )
    const begun = yield* store.beginTurn(sessionId, { _tag: "User", messageId: newId(), content: prompt.blocks })
    const grants = new Map(yield* store.grants(sessionId))
    const ledger = Ledger.make(begun.position, publish)
    let context = () => begun.context ?? "[]"
    let usage: Usage | undefined

    turn.checkpoint = Effect.suspend(() => {
      const rows = ledger.takeChanges()
      return rows.length === 0 ? Effect.void : store.checkpoint(sessionId, begun.turn, { rows, context: context() }).pipe(
        Effect.catch((fault) => Effect.andThen(Effect.sync(() => ledger.giveBack(rows)), Effect.logWarning(fault.message)))
      )
    }).pipe(Effect.uninterruptible)
    const checkpoints = yield* Effect.forkChild(Effect.repeat(turn.checkpoint, checkpointEvery))

    const exit = yield* loop.run({
      sessionId,
      agent: record.agent,
      workspace,
      context: begun.context,
      prompt: prompt.text,
      ledger,
      ask,
      grants,
      remember: (subject, verdict) =>
        store.grant(sessionId, subject, verdict).pipe(
          Effect.catch((fault) => Effect.logWarning(fault.message)),
          Effect.andThen(Effect.sync(() => grants.set(subject, verdict)))
        ),
      keepContext: (encode) => {
        context = encode
      },
      checkpoint: turn.checkpoint,
      usage: (now) => {
        usage = now
      }
    }).pipe(restore, Effect.exit)

    // The reason is frozen before any clean-up of ours could look like a cancel (acp.md appendix B).
    const cut = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    const outcome: TurnOutcome = Exit.isSuccess(exit) ? exit.value : !cut ? "failed" : turn.cancelled ? "cancelled" : "interrupted"
    yield* Fiber.interrupt(checkpoints)
    yield* Effect.forEach(ledger.openCalls(), (call) => ledger.toolCall(Ledger.cutOff(call)), { discard: true })
    if (outcome === "interrupted") ledger.interrupted(interruption)
    record = yield* store.commitTurn(sessionId, begun.turn, {
      rows: ledger.takeChanges(),
      context: context(),
      outcome,
      title: record.title ?? titleOf(prompt.text)
    })
    yield* publishEnd(usage)
    if (Exit.isSuccess(exit)) return { stopReason: exit.value, text: ledger.text() }
    if (cut) return { stopReason: "cancelled", text: ledger.text() }
    return yield* turnFault(exit.cause)
  })

  const run = (turn: Turn, previous: Turn | undefined, prepared: PromptContent.Prepared) =>
    Effect.uninterruptibleMask((restore) =>
      (previous ? Effect.exit(Deferred.await(previous.outcome)) : Effect.void).pipe(
        Effect.andThen(Effect.exit(execute(turn, prepared, restore))),
        Effect.tap(touch),
        Effect.flatMap((exit) => {
          if (current === turn) current = undefined
          return Deferred.done(turn.outcome, exit)
        }),
        Effect.asVoid
      )
    )

  return {
    sessionId,
    record: () => record,
    workspace,
    attach: (attachment) => {
      attachments.add(attachment)
      return () => void attachments.delete(attachment)
    },
    attachments: () => attachments.size,
    begin: (prepared) =>
      Effect.suspend(() => {
        const previous = current
        if (settling || (previous && !previous.cancelled)) return Effect.fail(new TurnRunning({ sessionId }))
        const turn: Turn = { outcome: Deferred.makeUnsafe(), cancelled: false, checkpoint: Effect.void }
        current = turn
        return Effect.as(
          FiberHandle.run(handle, run(turn, previous, prepared), { startImmediately: true }),
          Deferred.await(turn.outcome)
        )
      }),
    cancel: Effect.suspend(() => {
      if (current === undefined) return Effect.void
      current.cancelled = true
      return FiberHandle.clear(handle)
    }),
    settle: Effect.suspend(() => {
      settling = true
      return current ? Effect.asVoid(Effect.exit(Deferred.await(current.outcome))) : Effect.void
    }),
    flush: Effect.suspend(() => current?.checkpoint ?? Effect.void),
    idleSince: () => current ? undefined : lastActive,
    touch
  }
})

/** A bug in the loop is logged and told in one plain sentence. */
const turnFault = (cause: Cause.Cause<TurnFailed>): Effect.Effect<never, TurnFailed> => {
  const failed = cause.reasons.find(Cause.isFailReason)
  return failed
    ? Effect.fail(failed.error)
    : Effect.andThen(Effect.logError("a turn died", cause), new TurnFailed({ message: "internal error", reason: "internal_error" }))
}
