import { Effect, Option, Schema, Semaphore } from "effect"
import type { PermissionOption, PermissionOutcome } from "../../acp/protocol/ClientMethods.ts"
import type { Input } from "../terminal/LineEditor.ts"
import type { Paint } from "../terminal/Style.ts"
import { oneLine } from "../terminal/Text.ts"

/** Kinds beyond the specification's four exist; they are offered by number only. */
export type Offer = Omit<typeof PermissionOption.Type, "kind"> & {
  readonly kind: string
  /** Where a lasting answer is kept; the agent's own choice where absent. */
  readonly scope?: string
}
export type Outcome = typeof PermissionOutcome.Type

const letters: Readonly<Record<string, { readonly key: string; readonly word: string }>> = {
  allow_once: { key: "y", word: "yes" },
  allow_always: { key: "a", word: "always" },
  reject_once: { key: "n", word: "no" },
  reject_always: { key: "v", word: "never" },
  allow_always_workspace: { key: "w", word: "workspace" },
  reject_always_workspace: { key: "x", word: "never workspace" }
}

export const selected = ({ optionId, scope }: Offer): Outcome => ({
  outcome: "selected",
  optionId,
  ...(scope === undefined ? {} : { _meta: { postern: { scope } } })
})
export const cancelled: Outcome = { outcome: "cancelled" }

/** Choices to pick from, in the shape of permissions: the kinds say nothing then, and the last choice is no refusal. */
const isQuestion = (offers: ReadonlyArray<Offer>) => offers.every(({ optionId }) => /^choice-\d+$/.test(optionId))

/** Says no, and no more than that; without a way to say no, the request is dismissed. */
export const rejection = (offers: ReadonlyArray<Offer>): Outcome => {
  if (isQuestion(offers)) return cancelled
  const no = offers.find(({ kind }) => kind === "reject_once") ?? offers.find(({ kind }) => kind === "reject_always")
  return no === undefined ? cancelled : selected(no)
}

const Scoped = Schema.Struct({
  postern: Schema.Struct({ scopes: Schema.Array(Schema.Struct({ scope: Schema.String, name: Schema.String })) })
})

/** An offer that can be kept in several places is one offer for each of them. */
const spread = (offer: Offer): ReadonlyArray<Offer> =>
  Option.match(Schema.decodeUnknownOption(Scoped)(offer._meta), {
    onNone: () => [offer],
    onSome: ({ postern: { scopes } }) =>
      scopes.map(({ name, scope }, at) => at === 0 ? offer : { ...offer, name, scope, kind: `${offer.kind}_${scope}` })
  })

/** Letters stand for a kind only while one offer has it; otherwise offers are told apart by number. */
const keysOf = (given: ReadonlyArray<Offer>) => {
  const offers = given.flatMap(spread)
  const single = new Map(
    Object.entries(letters).filter(([letter]) =>
      !isQuestion(given) && offers.filter(({ kind }) => kind === letter).length === 1
    )
  )
  return offers.map((offer, at) => ({ offer, word: "", key: String(at + 1), ...single.get(offer.kind) }))
}

export const choices = (offers: ReadonlyArray<Offer>, paint: Paint): string =>
  keysOf(offers).map(({ key, offer }) => `  ${paint.bold(key)}  ${oneLine(offer.name)}\n`).join("")

const label = (offers: ReadonlyArray<Offer>): string => `[${keysOf(offers).map(({ key }) => key).join("/")}] `

const meaning = new Set(Object.values(letters).flatMap(({ key, word }) => [key, word]))

/**
 * What an answer means. Nothing but a clear answer chooses anything: an empty line does not. The agent picks the ids, so none
 * of them can take over what is shown as a key, or a word that has a meaning here.
 */
export const read = (offers: ReadonlyArray<Offer>, answer: string): Outcome | undefined => {
  const typed = answer.trim()
  const said = typed.toLowerCase()
  if (said === "") return undefined
  const shown = keysOf(offers).find(({ key, word }) => said === key || said === word)?.offer
  if (shown !== undefined) return selected(shown)
  if ((said === "n" || said === "no") && !isQuestion(offers)) return rejection(offers)
  const named = meaning.has(said) ? undefined : offers.find(({ optionId }) => optionId === typed)
  return named === undefined ? undefined : selected(named)
}

export type Ask = (text: string, offers: ReadonlyArray<Offer>) => Effect.Effect<Outcome>

/** One question at a time, repeated until it has a clear answer; the end of input says no. */
export const make = (input: Input, paint: Paint): Ask => {
  const turn = Semaphore.makeUnsafe(1)
  return (text, offers) =>
    Effect.gen(function*() {
      let shown = text + choices(offers, paint)
      while (true) {
        const answer = yield* input.ask(shown, label(offers))
        if (answer === undefined) return rejection(offers)
        const outcome = read(offers, answer)
        if (outcome !== undefined) return outcome
        shown = ""
      }
    }).pipe(turn.withPermits(1))
}
