import { Cause, Effect, Exit, Fiber, Schedule, Semaphore } from "effect"
import type { SessionRecord, SessionStore, TurnLost, TurnOutcome } from "../../store/SessionStore.ts"
import type { SessionTools } from "../../tool/SessionTools.ts"
import type { ClientSide } from "../../tool/ClientSide.ts"
import type { Jobs } from "../../tool/shell/Jobs.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import type { Configured } from "../lifecycle/Configured.ts"
import type { NoAnswer, PermissionAnswer, PermissionRequest, Question } from "../lifecycle/Attachment.ts"
import { appendJson, user } from "../context/ContextJson.ts"
import * as Detached from "../lifecycle/Detached.ts"
import type { SessionEvent, StopReason } from "../../domain/SessionEvent.ts"
import { newId } from "../../domain/Id.ts"
import * as Ledger from "./TranscriptWriter.ts"
import * as PromptContent from "./PromptContent.ts"
import * as Steering from "./Steering.ts"
import type { SessionModel } from "../policy/SessionModel.ts"
import type { SessionPolicy } from "../policy/SessionPolicy.ts"
import { titleOf } from "../commands/Title.ts"
import type { Turn, TurnEnd, TurnFault } from "./TurnHandle.ts"
import { type Mode, type Overrides, TurnFailed, type TurnLoop } from "./TurnLoop.ts"

export type { Turn, TurnEnd, TurnFault } from "./TurnHandle.ts"

/** What a turn uses of its session. */
export interface Surroundings {
  readonly store: SessionStore["Service"]
  readonly loop: TurnLoop["Service"]
  readonly mode: Mode
  readonly overrides: () => Overrides
  readonly configured: () => Configured
  readonly workspace: Workspace
  readonly policy: SessionPolicy
  readonly model: SessionModel
  readonly tools: SessionTools
  readonly publish: (event: SessionEvent) => Effect.Effect<void>
  readonly choose: (question: Question) => Effect.Effect<string, NoAnswer>
  readonly client: () => ClientSide
  readonly jobs: Jobs
  readonly ask: (request: PermissionRequest) => Effect.Effect<PermissionAnswer, NoAnswer>
}

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const interruption = "This turn was interrupted before it ended."
const checkpointEvery = Schedule.spaced("1 second")

const failedBy = ({ message, reason }: TurnLost) => new TurnFailed({ message, reason })

/**
 * Runs a turn from its first row to its commit. Only the loop itself can be interrupted (`restore`); what was said and done until
 * then is recorded in any case, and the record comes back with the end.
 */
export const execute = Effect.fn("Turn.execute")(function*(
  turn: Turn,
  record: SessionRecord,
  around: Surroundings,
  restore: Restore
): Effect.fn.Return<{ readonly record: SessionRecord; readonly end: Exit.Exit<TurnEnd, TurnFailed> }, TurnFault> {
  const { ask, choose, client, configured, jobs, loop, mode, model, overrides, policy, store, tools, workspace } =
    around
  const { sessionId } = record
  let over = false
  // Of what was left behind nobody hears.
  const publish = (event: SessionEvent) => over ? Effect.void : around.publish(event)
  const prompt = yield* PromptContent.materialise(workspace.cwd, turn.prompt).pipe(
    Effect.mapError((fault) => new TurnFailed({ message: fault.detail, reason: "upload_failed" }))
  )
  const title = record.title ?? titleOf(prompt.text)
  const begun = yield* store.beginTurn(sessionId, { _tag: "User", messageId: newId(), content: prompt.blocks }, title)
  if (title !== record.title) yield* publish({ _tag: "InfoChanged", title, updatedAt: begun.updatedAt })
  const ledger = Ledger.make(begun.position, publish)
  let context = () => begun.context ?? "[]"
  let usage = record.usage

  // One after the other: a save that had to wait for the database must not put older rows over newer ones.
  const oneByOne = Semaphore.makeUnsafe(1)
  const save = (messages: () => string, saved: () => void = () => {}) =>
    oneByOne.withPermit(Effect.uninterruptibleMask((interruptibly) => {
      const rows = ledger.takeChanges()
      return interruptibly(store.checkpoint(sessionId, begun.turn, { rows, context: messages() })).pipe(
        Effect.onError(() => Effect.sync(() => ledger.giveBack(rows))),
        Effect.catchTag("TurnLost", (lost) => Effect.fail(failedBy(lost))),
        Effect.tap(() => Effect.sync(saved))
      )
    }))
  const checkpoint = Effect.catchTag(save(() => context()), "StoreFailed", ({ message }) => Effect.logWarning(message))
  turn.checkpoint = Effect.ignore(checkpoint)
  const checkpoints = yield* Effect.forkChild(Effect.repeat(turn.checkpoint, checkpointEvery))

  const takeIn = Steering.takingIn(turn.steering, workspace.cwd, ledger)
  turn.steering.open()

  const running = yield* Detached.start(
    loop.run({
      sessionId,
      agent: record.agent,
      configured,
      record,
      mode,
      overrides: overrides(),
      workspace,
      context: begun.context,
      transcript: store.transcript(sessionId),
      prompt: prompt.text,
      images: prompt.images,
      ledger,
      saved: () => context(),
      takeIn,
      ask,
      choose,
      client,
      jobs,
      policy,
      model,
      tools,
      notify: ledger.notice,
      publish,
      keepContext: (encode) => {
        context = encode
      },
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
        })
    }),
    `a turn of session ${sessionId}`
  )
  const exit = yield* running.join.pipe(
    Effect.raceFirst(Effect.mapError(store.untilLost(sessionId, begun.turn), failedBy)),
    restore,
    Effect.exit
  )
  turn.steering.close()
  if (Exit.isFailure(exit)) yield* running.letGo

  // The reason is frozen before any clean-up of ours could look like a cancel (acp.md appendix B).
  const cut = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
  const outcome: TurnOutcome = Exit.isSuccess(exit)
    ? exit.value
    : !cut
    ? "failed"
    : turn.cancelled
    ? "cancelled"
    : "interrupted"
  yield* Fiber.interrupt(checkpoints)
  yield* Effect.forEach(ledger.openCalls(), (call) => ledger.toolCall(Ledger.cutOff(call)), { discard: true })
  // Accepted, and not heard by the model any more: it will be with the next prompt.
  yield* takeIn(true, (said) => {
    const json = appendJson(context(), said.map(({ images, text }) => user(text, images)))
    context = () => json
  })
  if (outcome === "interrupted") ledger.interrupted(interruption)
  over = true
  const committed = yield* store.commitTurn(sessionId, begun.turn, {
    rows: ledger.takeChanges(),
    context: context(),
    outcome,
    title: null,
    usage
  }).pipe(Effect.catchTag("TurnLost", (lost) => Effect.fail(failedBy(lost))))
  yield* around.publish({ _tag: "InfoChanged", title: committed.title, updatedAt: committed.updatedAt })
  return { record: committed, end: yield* endOf(exit, cut, ledger.text()) }
})

/** A bug in the loop is logged and told in one plain sentence. */
const endOf = Effect.fnUntraced(function*(exit: Exit.Exit<StopReason, TurnFailed>, cut: boolean, text: string) {
  if (Exit.isSuccess(exit)) return Exit.succeed({ stopReason: exit.value, text })
  if (cut) return Exit.succeed<TurnEnd>({ stopReason: "cancelled", text })
  const failed = exit.cause.reasons.find(Cause.isFailReason)
  if (failed) return Exit.fail(failed.error)
  yield* Effect.logError("a turn died", exit.cause)
  return Exit.fail(new TurnFailed({ message: "internal error", reason: "internal_error" }))
})
