import { Effect, Exit, Semaphore } from "effect"
import type { RiskProfile } from "../../config/Profiles.ts"
import type { AuditEvent } from "../../store/SessionStore.ts"
import {
  type Attachment,
  NoAnswer,
  type PermissionAnswer,
  type PermissionRequest,
  type Question,
  type QuestionAnswer
} from "../lifecycle/Attachment.ts"
import { newId } from "../../domain/Id.ts"

/** Questions to the clients of one session: one at a time, the first answer wins, no answer means no. See docs/policy.md#approvals */
export interface Approvals {
  readonly ask: <E>(
    request: PermissionRequest,
    trail: QuestionTrail<E>
  ) => Effect.Effect<PermissionAnswer, NoAnswer | E>
  readonly choose: (question: Question) => Effect.Effect<QuestionAnswer, NoAnswer>
  /** By a form where a client has forms, else as a permission that says how to give the code elsewhere. */
  readonly askCode: <E>(request: PermissionRequest, trail: QuestionTrail<E>) => Effect.Effect<CodeAnswer, NoAnswer | E>
}

type CodeAnswer = PermissionAnswer | { readonly _tag: "Code"; readonly code: string }

/** In a form, the first property. See docs/one-time-codes.md#clients. */
const codeForm = {
  type: "object",
  properties: {
    code: { type: "string", title: "One-time code", description: "Six digits", minLength: 6, maxLength: 16 }
  },
  required: ["code"]
}

const codeFrom = (attachment: Attachment, request: PermissionRequest): Effect.Effect<CodeAnswer, NoAnswer> => {
  if (attachment.takesForms !== true) return attachment.ask(request)
  const question = [request.reason, ...request.details].join("\n\n")
  return Effect.map(
    attachment.choose({ toolCallId: request.call.toolCallId, question, choices: [], form: codeForm }),
    (answer) => answer._tag === "Dismissed" ? answer : { _tag: "Code", code: codeIn(answer.text) }
  )
}

/** The first property, whatever it is called. */
const codeIn = (json: string): string => {
  const [code] = Object.values(JSON.parse(json) as Readonly<Record<string, unknown>>)
  return typeof code === "string" || typeof code === "number" ? String(code).padStart(6, "0") : ""
}

/** Where questions and answers are recorded: nobody is asked before the question is saved. */
interface QuestionTrail<E> {
  readonly audit: (event: AuditEvent) => Effect.Effect<void>
  readonly persist: Effect.Effect<void, E>
}

const wordOf = (exit: Exit.Exit<CodeAnswer, NoAnswer>): string => {
  if (Exit.isSuccess(exit)) return exit.value._tag
  const failed = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  return failed ? `${failed.error.code}: ${failed.error.why}` : "APPROVAL_CANCELLED: the turn ended"
}

/** A question that the operator routes to a channel; there are no channels, so only clients could answer. */
const isRoutedAway = ({ approver_channel, on_no_approver }: ApprovalRoute) =>
  approver_channel !== undefined && on_no_approver !== "inherit-originator"

export type ApprovalRoute = NonNullable<RiskProfile["approvalRoute"]>

export const make = (attachments: ReadonlySet<Attachment>, routeNow: () => ApprovalRoute | undefined): Approvals => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  const toAll = <A>(use: (attachment: Attachment) => Effect.Effect<A, NoAnswer>) =>
    Effect.suspend(() =>
      attachments.size === 0
        ? Effect.fail(new NoAnswer({ code: "APPROVAL_NO_RESPONDER", why: "no client is connected" }))
        : Effect.raceAll(Array.from(attachments, use))
    )

  const answered = <A>(use: (attachment: Attachment) => Effect.Effect<A, NoAnswer>) =>
    Effect.gen(function*(): Effect.fn.Return<A, NoAnswer> {
      const route = routeNow() ?? {}
      if (isRoutedAway(route)) {
        return yield* new NoAnswer({
          code: "APPROVAL_NO_RESPONDER",
          why: `there is no channel "${route.approver_channel}" to ask on`
        })
      }
      const answer = toAll(use)
      return yield* route.timeout_secs === undefined ? answer : Effect.timeoutOrElse(answer, {
        duration: `${route.timeout_secs} seconds`,
        orElse: () =>
          Effect.fail(
            new NoAnswer({ code: "APPROVAL_TIMEOUT", why: `nobody answered within ${route.timeout_secs} s` })
          )
      })
    })

  const asked = <A extends CodeAnswer, E>(
    { call }: PermissionRequest,
    { audit, persist }: QuestionTrail<E>,
    use: (attachment: Attachment) => Effect.Effect<A, NoAnswer>
  ) =>
    oneAtATime.withPermits(1)(Effect.suspend(() => {
      const id = newId()
      const answer = Effect.onExit(answered(use), (exit) => audit({ _tag: "Answered", id, answer: wordOf(exit) }))
      return audit({ _tag: "Asked", id, callId: call.toolCallId }).pipe(
        Effect.andThen(persist),
        Effect.andThen(answer)
      )
    }))

  return {
    choose: (question) => oneAtATime.withPermits(1)(toAll((attachment) => attachment.choose(question))),
    ask: (request, trail) => asked(request, trail, (attachment) => attachment.ask(request)),
    askCode: (request, trail) => asked(request, trail, (attachment) => codeFrom(attachment, request))
  }
}

/** A question as the form of `elicitation/create`: a choice where there are choices, a text otherwise. */
export const schemaOf = ({ choices, form }: Question): Record<string, unknown> => {
  if (form !== undefined) return form
  const [name, property] = choices.length === 0
    ? ["answer", { type: "string", title: "Answer" }] as const
    : ["choice", {
      type: "string",
      title: "Choice",
      oneOf: choices.map((title, index) => ({ const: `choice-${index}`, title }))
    }] as const
  return { type: "object", properties: { [name]: property }, required: [name] }
}

/** The answer in the form that came back; `undefined` where it holds nothing that was offered. */
export const answerIn = (
  { choices, form }: Question,
  content: Readonly<Record<string, unknown>> | undefined
): QuestionAnswer | undefined => {
  if (form !== undefined) return { _tag: "Answered", text: JSON.stringify(content ?? {}) }
  const value = content?.[choices.length === 0 ? "answer" : "choice"]
  if (typeof value !== "string") return undefined
  const text = choices.length === 0 ? value : choices[choices.findIndex((_, index) => value === `choice-${index}`)]
  return text === undefined ? undefined : { _tag: "Answered", text }
}
