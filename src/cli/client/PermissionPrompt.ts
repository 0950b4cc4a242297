import { Effect, Option, Schema, Semaphore } from "effect"
import type { PermissionOption, PermissionOutcome } from "../../acp/protocol/ClientMethods.ts"
import type { LineEditor } from "../terminal/LineEditor.ts"
import type { TextStyles } from "../terminal/Output.ts"
import { oneLine } from "../terminal/Text.ts"

/** Kinds beyond the specification's four exist; they are offered by number only. */
export type PermissionOffer = Omit<typeof PermissionOption.Type, "kind"> & {
  readonly kind: string
  /** Where a lasting answer is stored; the agent decides where absent. */
  readonly scope?: string
}
export type PermissionChoice = typeof PermissionOutcome.Type

const letters: Readonly<Record<string, { readonly key: string; readonly word: string }>> = {
  allow_once: { key: "y", word: "yes" },
  allow_always: { key: "a", word: "always" },
  reject_once: { key: "n", word: "no" },
  reject_always: { key: "v", word: "never" },
  allow_always_workspace: { key: "w", word: "workspace" },
  reject_always_workspace: { key: "x", word: "never workspace" }
}

export const selected = ({ optionId, scope }: PermissionOffer): PermissionChoice => ({
  outcome: "selected",
  optionId,
  ...(scope === undefined ? {} : { _meta: { postern: { scope } } })
})
export const cancelled: PermissionChoice = { outcome: "cancelled" }

/** A question with choices, sent as a permission request: its kinds mean nothing, and no choice is a refusal. */
const isQuestion = (offers: ReadonlyArray<PermissionOffer>) =>
  offers.every(({ optionId }) => /^choice-\d+$/.test(optionId))

/** The answer that refuses this request and no others; a request without such an offer is cancelled. */
export const rejection = (offers: ReadonlyArray<PermissionOffer>): PermissionChoice => {
  if (isQuestion(offers)) return cancelled
  const no = offers.find(({ kind }) => kind === "reject_once") ?? offers.find(({ kind }) => kind === "reject_always")
  return no === undefined ? cancelled : selected(no)
}

const Scoped = Schema.Struct({
  postern: Schema.Struct({ scopes: Schema.Array(Schema.Struct({ scope: Schema.String, name: Schema.String })) })
})

/** An offer with several scopes becomes one offer for each of them. */
const perScope = (offer: PermissionOffer): ReadonlyArray<PermissionOffer> =>
  Option.match(Schema.decodeUnknownOption(Scoped)(offer._meta), {
    onNone: () => [offer],
    onSome: ({ postern: { scopes } }) =>
      scopes.map(({ name, scope }, at) => at === 0 ? offer : { ...offer, name, scope, kind: `${offer.kind}_${scope}` })
  })

/** An offer has the letter of its kind if no other offer has this kind, and else a number. */
const keysOf = (given: ReadonlyArray<PermissionOffer>) => {
  const offers = given.flatMap(perScope)
  const single = new Map(
    Object.entries(letters).filter(([letter]) =>
      !isQuestion(given) && offers.filter(({ kind }) => kind === letter).length === 1
    )
  )
  return offers.map((offer, at) => ({ offer, word: "", key: String(at + 1), ...single.get(offer.kind) }))
}

export const choices = (offers: ReadonlyArray<PermissionOffer>, styles: TextStyles): string =>
  keysOf(offers).map(({ key, offer }) => `  ${styles.bold(key)}  ${oneLine(offer.name)}\n`).join("")

const label = (offers: ReadonlyArray<PermissionOffer>): string => `[${keysOf(offers).map(({ key }) => key).join("/")}] `

const reservedWords = new Set(Object.values(letters).flatMap(({ key, word }) => [key, word]))

/**
 * What a typed line means; `undefined` unless it is a clear answer. The agent chooses the ids of offers, so no id can replace a shown
 * key or a word with a meaning of its own.
 */
export const read = (offers: ReadonlyArray<PermissionOffer>, answer: string): PermissionChoice | undefined => {
  const typed = answer.trim()
  const said = typed.toLowerCase()
  if (said === "") return undefined
  const shown = keysOf(offers).find(({ key, word }) => said === key || said === word)?.offer
  if (shown !== undefined) return selected(shown)
  if ((said === "n" || said === "no") && !isQuestion(offers)) return rejection(offers)
  const named = reservedWords.has(said) ? undefined : offers.find(({ optionId }) => optionId === typed)
  return named === undefined ? undefined : selected(named)
}

type AskPermission = (text: string, offers: ReadonlyArray<PermissionOffer>) => Effect.Effect<PermissionChoice>

/** One question at a time, repeated until it has a clear answer; the end of input refuses. */
export const make = (editor: LineEditor, styles: TextStyles): AskPermission => {
  const turn = Semaphore.makeUnsafe(1)
  return (text, offers) =>
    Effect.gen(function*() {
      let shown = text + choices(offers, styles)
      while (true) {
        const answer = yield* editor.ask(shown, label(offers))
        if (answer === undefined) return rejection(offers)
        const outcome = read(offers, answer)
        if (outcome !== undefined) return outcome
        shown = ""
      }
    }).pipe(turn.withPermits(1))
}
