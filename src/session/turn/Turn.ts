import { Cause, Clock, DateTime, Deferred, Duration, Effect, Exit, Fiber, Option, Semaphore } from "effect"
import { resumeCommands, type StoppableCall, type StopRefusal } from "../../domain/EmergencyStop.ts"
import { newId } from "../../domain/Id.ts"
import { replacedIn } from "../../domain/ProgramReplaced.ts"
import type { SessionEvent, StopReason, TokenCounts } from "../../domain/SessionEvent.ts"
import {
  type AuditEvent,
  type AuditRecord,
  type SessionRecord,
  SessionStore,
  type StoreFailed,
  type TurnLost,
  type TurnOutcome
} from "../../store/SessionStore.ts"
import { titleOf } from "../commands/SlashCommands.ts"
import { appendJson, userMessage } from "../context/ContextJson.ts"
import type { SessionContext, SessionOverrides } from "../SessionContext.ts"
import * as PromptContent from "./PromptContent.ts"
import * as Steering from "./Steering.ts"
import * as TranscriptWriter from "./TranscriptWriter.ts"
import { TurnLoop } from "./TurnLoop.ts"
import { type TurnEnd, TurnFailed, type TurnFault } from "./TurnEnd.ts"

/** How long cancelled work may take to end; after that it is abandoned. */
const grace = "5 seconds"

interface Detached<A, E> {
  /** Interrupting the wait interrupts the work. */
  readonly join: Effect.Effect<A, E>
  /** Interrupts the work and waits for its end, at most for the grace. */
  readonly letGo: Effect.Effect<void>
}

/** Runs work in a fiber that only `join` waits for. `what` is its name in the log. */
export const start = <A, E, R>(work: Effect.Effect<A, E, R>, what: string): Effect.Effect<Detached<A, E>, never, R> =>
  Effect.map(Effect.forkDetach(work, { startImmediately: true }), (fiber) => {
    const ended = Effect.timeoutOption(Fiber.interrupt(fiber), grace)
    return {
      // At once: input that arrives after a cancel must find no reader.
      join: Effect.onInterrupt(Fiber.join(fiber), () => Effect.sync(() => fiber.interruptUnsafe())),
      // In another fiber: the caller is mostly interrupted itself, and its wait could not time out.
      letGo: Effect.flatMap(Effect.forkDetach(ended, { startImmediately: true }), Fiber.join).pipe(
        Effect.flatMap((end) =>
          Option.isSome(end)
            ? Effect.void
            : Effect.logWarning(`${what} did not end within ${grace} of being cancelled and is left behind`)
        )
      )
    }
  })

/** A turn that was asked for. */
export interface Turn {
  readonly outcome: Deferred.Deferred<TurnEnd, TurnFault>
  readonly prompt: PromptContent.PreparedPrompt
  /** A client cancelled the turn; an interruption without it is recorded as `interrupted`. */
  cancelled: boolean
  readonly steering: Steering.Steering
  /** Saves what there is so far; does nothing before the turn has begun. */
  checkpoint: Effect.Effect<void>
}

export const make = (prompt: PromptContent.PreparedPrompt): Turn => ({
  outcome: Deferred.makeUnsafe(),
  prompt,
  cancelled: false,
  steering: new Steering.Steering(),
  checkpoint: Effect.void
})

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Forbidden only while everything is. */
const anything: StoppableCall = { network: false }

const interruption = "This turn was interrupted before it ended."

/** In milliseconds. */
const checkpointEvery = 1000
/** Saving takes at most this part of the time: a context of megabytes is written as a whole each time. */
const savingShare = 0.1

/** Saves again and again; what takes long is done less often. */
const repeated = (save: Effect.Effect<void>): Effect.Effect<never> =>
  Effect.forever(Effect.gen(function*() {
    const [taken] = yield* Effect.timed(save)
    yield* Effect.sleep(Math.max(checkpointEvery, Duration.toMillis(taken) / savingShare))
  }))

const failedBy = ({ message, reason }: TurnLost) => new TurnFailed({ message, reason })

/**
 * Runs a turn from its first row to its commit. Only the loop itself can be interrupted (`restore`): what was said and
 * done until then is recorded in any case. The session's new record is returned together with the end.
 */
export const execute = Effect.fn("Turn.execute")(function*(
  turn: Turn,
  session: SessionContext,
  record: SessionRecord,
  overrides: SessionOverrides,
  restore: Restore
): Effect.fn.Return<
  { readonly record: SessionRecord; readonly end: Exit.Exit<TurnEnd, TurnFault> },
  TurnFault,
  SessionStore | TurnLoop
> {
  const store = yield* SessionStore
  const loop = yield* TurnLoop
  const { sessionId } = session
  let over = false
  // Events of an abandoned turn are dropped.
  const publish = (event: SessionEvent) => over ? Effect.void : session.publish(event)
  const halt = ({ code, reason }: StopRefusal) =>
    Effect.fail(
      new TurnFailed({ message: `${reason}; ${resumeCommands[code]} lifts it`, reason: "emergency_stop" })
    )
  const refusal = session.policy.stop.refusal(anything)
  if (refusal) return yield* halt(refusal)
  const prompt = yield* PromptContent.materialise(session.files, turn.prompt).pipe(
    Effect.mapError((fault) => new TurnFailed({ message: fault.detail, reason: "upload_failed" }))
  )
  const title = record.title ?? titleOf(prompt.text)
  const begun = yield* store.beginTurn(sessionId, { _tag: "User", messageId: newId(), content: prompt.blocks }, title)
  if (title !== record.title) yield* publish({ _tag: "InfoChanged", title, updatedAt: begun.updatedAt })
  const writer = TranscriptWriter.make(begun.position, publish)
  yield* tellStorage(store, session.state, writer)
  let context = () => begun.context ?? "[]"
  let usage = record.usage

  let trail: ReadonlyArray<AuditRecord> = []
  const audit = (event: AuditEvent) =>
    Effect.map(Clock.currentTimeMillis, (ms) => {
      trail = [...trail, { ...event, at: DateTime.formatIso(DateTime.makeUnsafe(ms)) }]
    })
  const takeTrail = () => {
    const taken = trail
    trail = []
    return taken
  }

  // One at a time: a save that had to wait for the database must not overwrite newer rows with older ones.
  const oneByOne = Semaphore.makeUnsafe(1)
  const save = (messages: () => string, saved: () => void = () => {}) =>
    oneByOne.withPermit(Effect.uninterruptibleMask((interruptibly) => {
      const [rows, audit] = [writer.takeChanges(), takeTrail()]
      return interruptibly(store.checkpoint(sessionId, begun.turn, { rows, audit, context: messages() })).pipe(
        Effect.onError(() =>
          Effect.sync(() => {
            writer.giveBack(rows)
            trail = [...audit, ...trail]
          })
        ),
        Effect.catchTag("TurnLost", (lost) => Effect.fail(failedBy(lost))),
        Effect.tap(() => Effect.sync(saved))
      )
    }))
  const checkpoint = Effect.catchTag(save(() => context()), "StoreFailed", ({ message }) => Effect.logWarning(message))
  const unrecorded = Deferred.makeUnsafe<never, StoreFailed>()
  const persist = Effect.catchTag(
    save(() => context()),
    "StoreFailed",
    (fault) => Effect.andThen(Deferred.fail(unrecorded, fault), Effect.never)
  )
  turn.checkpoint = Effect.ignore(checkpoint)
  const checkpoints = yield* Effect.forkChild(repeated(turn.checkpoint))

  const takeSteering = Steering.taker(turn.steering, session.files, writer)
  turn.steering.open()
  const stopped = Deferred.makeUnsafe<void>()
  let tokens: TokenCounts | undefined

  const running = yield* start(
    loop.run({
      ...session,
      turn: begun.turn,
      record,
      overrides,
      context: begun.context,
      transcript: store.transcript(sessionId),
      prompt: prompt.text,
      images: prompt.images,
      writer,
      notify: writer.notice,
      publish,
      takeSteering,
      keepContext: (encode) => {
        context = encode
      },
      savedContext: () => context(),
      audit,
      persist,
      checkpoint,
      replaceContext: (json) =>
        save(() => json, () => {
          context = () => json
        }),
      usage: ({ cost, ...now }) =>
        Effect.suspend(() => {
          const spent = cost === undefined ? usage?.cost : (usage?.cost ?? 0) + cost
          usage = { ...now, ...(spent === undefined ? {} : { cost: spent }) }
          return publish({ _tag: "Usage", ...usage })
        }),
      counted: (request) => {
        tokens = tokens === undefined ? request : sumOf(tokens, request)
      },
      stop: Effect.andThen(Deferred.succeed(stopped, undefined), Effect.never)
    }),
    `a turn of session ${sessionId}`
  )
  const exit = yield* running.join.pipe(
    Effect.raceFirst(Effect.mapError(store.untilLost(sessionId, begun.turn), failedBy)),
    Effect.raceFirst(Deferred.await(unrecorded)),
    Effect.raceFirst(Effect.flatMap(session.policy.stop.untilRefused(anything), halt)),
    Effect.raceFirst(Effect.andThen(
      Deferred.await(stopped),
      Effect.suspend(() => {
        turn.cancelled = true
        return Effect.interrupt
      })
    )),
    restore,
    Effect.exit
  )
  turn.steering.close()
  if (Exit.isFailure(exit)) yield* running.letGo

  // The outcome is fixed before the clean-up below interrupts anything: docs/agent-client-protocol.md#cancellation
  const cut = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
  const outcome: TurnOutcome = Exit.isSuccess(exit)
    ? exit.value
    : !cut
    ? "failed"
    : turn.cancelled
    ? "cancelled"
    : "interrupted"
  yield* Fiber.interrupt(checkpoints)
  yield* Effect.forEach(writer.openCalls(), (call) => writer.toolCall(TranscriptWriter.cutOff(call)), { discard: true })
  // Messages that were accepted too late for the model are part of the next prompt's context.
  yield* takeSteering(true, (messages) => {
    const json = appendJson(context(), messages.map(({ images, text }) => userMessage(text, images)))
    context = () => json
  })
  if (outcome === "interrupted") writer.interrupted(interruption)
  over = true
  const committed = yield* store.commitTurn(sessionId, begun.turn, {
    rows: writer.takeChanges(),
    audit: takeTrail(),
    context: context(),
    outcome,
    title: null,
    usage
  }).pipe(Effect.catchTag("TurnLost", (lost) => Effect.fail(failedBy(lost))))
  yield* session.publish({ _tag: "InfoChanged", title: committed.title, updatedAt: committed.updatedAt })
  const said = { text: writer.text(), ...(tokens === undefined ? {} : { tokens }) }
  return { record: committed, end: yield* endOf(exit, cut, said) }
})

/** Says once that sessions are kept in memory only, why, and when that is over. */
const tellStorage = (
  { trouble }: SessionStore["Service"],
  state: SessionContext["state"],
  { notice }: TranscriptWriter.TranscriptWriter
): Effect.Effect<void> => {
  const told = state.toldTrouble
  state.toldTrouble = trouble?.message
  if (told === trouble?.message) return Effect.void
  return notice(
    trouble === undefined
      ? { severity: "info", title: "Sessions are stored again, this one included" }
      : {
        severity: "warning",
        title: "This session is kept in memory only and ends with this process",
        description: trouble.shown ?? trouble.message
      }
  )
}

/** A figure that one of the requests lacks counts as none. */
const sumOf = (one: TokenCounts, other: TokenCounts): TokenCounts => {
  const sum = (key: "cachedRead" | "cachedWrite" | "thought") =>
    one[key] === undefined && other[key] === undefined ? {} : { [key]: (one[key] ?? 0) + (other[key] ?? 0) }
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    ...sum("cachedRead"),
    ...sum("cachedWrite"),
    ...sum("thought")
  }
}

/** A defect of the loop is logged; clients are told no more than that there was one. */
const endOf = Effect.fnUntraced(function*(
  exit: Exit.Exit<StopReason, TurnFailed | StoreFailed>,
  cut: boolean,
  said: Omit<TurnEnd, "stopReason">
) {
  if (Exit.isSuccess(exit)) return Exit.succeed({ ...said, stopReason: exit.value })
  if (cut) return Exit.succeed<TurnEnd>({ ...said, stopReason: "cancelled" })
  const failed = exit.cause.reasons.find(Cause.isFailReason)
  if (failed) return Exit.fail(failed.error)
  yield* Effect.logError("a turn died", exit.cause)
  const replaced = replacedIn(exit.cause)
  if (replaced) return Exit.fail(new TurnFailed({ message: replaced.message, reason: replaced.reason }))
  return Exit.fail(new TurnFailed({ message: "internal error", reason: "internal_error" }))
})
