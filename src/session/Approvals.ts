import { Effect, Exit, Semaphore } from "effect"
import { SessionStore } from "../store/SessionStore.ts"
import { type Attachment, NoAnswer, type PermissionAnswer, type PermissionRequest, type Question } from "./Attachment.ts"
import { newId } from "./Id.ts"

/** Questions to the people behind one session (policy §1.4): one at a time, the first answer wins, no answer means no. */
export interface Approvals {
  readonly ask: (request: PermissionRequest) => Effect.Effect<PermissionAnswer, NoAnswer>
  readonly choose: (question: Question) => Effect.Effect<string, NoAnswer>
}

const wordOf = (exit: Exit.Exit<PermissionAnswer, NoAnswer>): string => {
  if (Exit.isSuccess(exit)) return exit.value._tag
  const failed = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  return failed ? `${failed.error.code}: ${failed.error.why}` : "APPROVAL_CANCELLED: the turn ended"
}

export const make = Effect.fnUntraced(function*(sessionId: string, attachments: ReadonlySet<Attachment>) {
  const { policy } = yield* SessionStore
  const oneAtATime = Semaphore.makeUnsafe(1)
  /** A trail that cannot be written must not open or close anything. */
  const noted = <E extends { readonly message: string }>(note: Effect.Effect<void, E>) =>
    Effect.catch(note, ({ message }) => Effect.logWarning(`an approval could not be recorded: ${message}`))

  const toAll = <A>(use: (attachment: Attachment) => Effect.Effect<A, NoAnswer>) =>
    Effect.suspend(() =>
      attachments.size === 0
        ? Effect.fail(new NoAnswer({ code: "APPROVAL_NO_RESPONDER", why: "no client is connected" }))
        : Effect.raceAll(Array.from(attachments, use)))

  return {
    choose: (question) => oneAtATime.withPermits(1)(toAll((attachment) => attachment.choose(question))),
    ask: (request) =>
      oneAtATime.withPermits(1)(Effect.suspend(() => {
        const id = newId()
        return noted(policy.asked(sessionId, id, request.call.toolCallId)).pipe(
          Effect.andThen(toAll((attachment) => attachment.ask(request))),
          Effect.onExit((exit) => noted(policy.answered(id, wordOf(exit))))
        )
      }))
  } satisfies Approvals
})
