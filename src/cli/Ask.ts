import { Effect, Semaphore } from "effect"
import type { PermissionOption, PermissionOutcome } from "../acp/Client.ts"
import type { Input } from "./Input.ts"
import type { Paint } from "./Paint.ts"
import { oneLine } from "./Plain.ts"

/** Kinds beyond the specification's four exist; they are offered by number only. */
export type Offer = Omit<typeof PermissionOption.Type, "kind"> & { readonly kind: string }
export type Outcome = typeof PermissionOutcome.Type

const letters: Readonly<Record<string, { readonly key: string; readonly word: string }>> = {
  allow_once: { key: "y", word: "yes" },
  allow_always: { key: "a", word: "always" },
  reject_once: { key: "n", word: "no" },
  reject_always: { key: "v", word: "never" }
}

export const selected = ({ optionId }: Offer): Outcome => ({ outcome: "selected", optionId })
export const cancelled: Outcome = { outcome: "cancelled" }

/** Says no, and no more than that; without a way to say no, the request is dismissed. */
export const rejection = (offers: ReadonlyArray<Offer>): Outcome => {
  const no = offers.find(({ kind }) => kind === "reject_once") ?? offers.find(({ kind }) => kind === "reject_always")
  return no === undefined ? cancelled : selected(no)
}

/** Letters stand for a kind only while one offer has it; otherwise offers are told apart by number. */
const keyOf = (offers: ReadonlyArray<Offer>, offer: Offer, at: number): string => {
  const letter = letters[offer.kind]
  return letter === undefined || offers.filter(({ kind }) => kind === offer.kind).length > 1 ? String(at + 1) : letter.key
}

export const choices = (offers: ReadonlyArray<Offer>, paint: Paint): string =>
  offers.map((offer, at) => `  ${paint.bold(keyOf(offers, offer, at))}  ${oneLine(offer.name)}\n`).join("")

const label = (offers: ReadonlyArray<Offer>): string => `[${offers.map((offer, at) => keyOf(offers, offer, at)).join("/")}] `

/** What an answer means. Nothing but a clear answer chooses anything: an empty line does not. */
export const read = (offers: ReadonlyArray<Offer>, answer: string): Outcome | undefined => {
  const said = answer.trim().toLowerCase()
  const offer = offers.find((offer, at) => {
    const key = keyOf(offers, offer, at)
    const letter = letters[offer.kind]
    return said === key || said === offer.optionId.toLowerCase() || (letter?.key === key && said === letter.word)
  })
  if (offer !== undefined) return selected(offer)
  return said === "n" || said === "no" ? rejection(offers) : undefined
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
