import { Effect, Option, Queue, Schema, Semaphore } from "effect"
import type { PermissionOption, PermissionOutcome } from "../../acp/protocol/ClientMethods.ts"
import type { Key, Keyboard } from "../terminal/Keyboard.ts"
import type { LineEditor } from "../terminal/LineEditor.ts"
import type { TextStyles } from "../terminal/Output.ts"
import type { Screen } from "../terminal/Screen.ts"
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

/** What a key means; `undefined` unless it is shown. */
export const chosenBy = (offers: ReadonlyArray<PermissionOffer>, key: string): PermissionChoice | undefined => {
  const shown = keysOf(offers).find((one) => one.key === key.toLowerCase())?.offer
  return shown === undefined ? undefined : selected(shown)
}

/** The answer, or the user wants to say what to do instead: the request is cancelled, and the turn with it. */
export type PermissionAnswered =
  | { readonly _tag: "Chosen"; readonly choice: PermissionChoice; readonly name: string }
  | { readonly _tag: "Instead"; readonly text: string }

type AskPermission = (text: string, offers: ReadonlyArray<PermissionOffer>) => Effect.Effect<PermissionAnswered>

export interface PermissionTerminal {
  readonly editor: LineEditor
  readonly keyboard: Pick<Keyboard, "quiet" | "reading" | "suspend">
  readonly screen: Pick<Screen, "showing" | "lost">
  /** Where questions are written. */
  readonly write: (text: string) => void
  /** Whether lines can be drawn and taken away again. */
  readonly animate: boolean
  readonly styles: TextStyles
  /** Breaks a line of the choices where the screen is too narrow for it. */
  readonly wrap: (line: string) => ReadonlyArray<string>
  /** Stops the turn, as Ctrl-C does. */
  readonly interrupt: () => void
}

const insteadKey = "d"

/** Milliseconds in which keys behind an answer belong to it: a whole word, or Enter. */
const afterAnswer = 60

const nameOf = (offers: ReadonlyArray<PermissionOffer>, choice: PermissionChoice): string =>
  choice.outcome === "cancelled"
    ? "cancelled"
    : oneLine(
      offers.flatMap(perScope).find((offer) => JSON.stringify(selected(offer)) === JSON.stringify(choice))?.name ??
        choice.optionId
    )

/** Choices of a question are texts: a number or the text itself is typed. */
const asText = Effect.fnUntraced(
  function*(text: string, offers: ReadonlyArray<PermissionOffer>, { editor, styles }: PermissionTerminal) {
    let shown = text + choices(offers, styles)
    while (true) {
      const answer = yield* editor.ask(shown, "number or text: ")
      if (answer === undefined) return rejection(offers)
      const said = answer.trim().toLowerCase()
      const named = offers.filter(({ name }) => said !== "" && name.toLowerCase().startsWith(said))
      const exact = named.find(({ name }) => name.toLowerCase() === said)
      const outcome = read(offers, answer) ?? (exact ?? (named.length === 1 ? named[0] : undefined))
      if (outcome !== undefined) return "optionId" in outcome && "name" in outcome ? selected(outcome) : outcome
      shown = ""
    }
  }
)

/**
 * One question at a time. A key answers it; those that were typed before the choices were shown do not. The end of input refuses.
 */
export const make = (terminal: PermissionTerminal): AskPermission => {
  const { animate, editor, interrupt, keyboard, screen, styles, wrap, write } = terminal
  const turn = Semaphore.makeUnsafe(1)

  const byKey = Effect.fnUntraced(function*(text: string, offers: ReadonlyArray<PermissionOffer>) {
    const keys = [...keysOf(offers).map(({ key }) => key), insteadKey].join("/")
    const menu = `${choices(offers, styles)}  ${styles.bold(insteadKey)}  No, and tell it what to do instead\n`
    write(text)
    yield* keyboard.reading(() => {}, keyboard.quiet)
    const answer = yield* Queue.unbounded<PermissionChoice | "instead" | "suspend">()
    const onKey = ({ ctrl, meta, name, sequence }: Key) => {
      if (ctrl && name === "c" || name === "escape") return interrupt()
      if (ctrl && name === "z") return void Queue.offerUnsafe(answer, "suspend")
      if (name === "end" && sequence === "" || ctrl && name === "d") {
        return void Queue.offerUnsafe(answer, rejection(offers))
      }
      if (ctrl || meta) return
      if (sequence.toLowerCase() === insteadKey) return void Queue.offerUnsafe(answer, "instead")
      const chosen = chosenBy(offers, sequence)
      if (chosen !== undefined) Queue.offerUnsafe(answer, chosen)
    }
    const lines = () => [...menu.trimEnd().split("\n").flatMap(wrap), `[${keys}] `]
    if (!animate) write(`${menu}[${keys}] `)
    const given = yield* screen.showing(lines, (redraw) =>
      keyboard.reading(
        onKey,
        Effect.gen(function*() {
          while (true) {
            const event = yield* Queue.take(answer)
            if (event !== "suspend") {
              yield* keyboard.reading(() => {}, Effect.sleep(afterAnswer))
              return event
            }
            yield* keyboard.suspend
            screen.lost()
            redraw()
          }
        })
      ))
    if (!animate) write("\n")
    if (given !== "instead") {
      const name = nameOf(offers, given)
      write(styles.dim(`  → ${name}\n`))
      return { _tag: "Chosen", choice: given, name } as const
    }
    const instead = (yield* editor.ask("", "  what to do instead: "))?.trim() ?? ""
    return instead === ""
      ? { _tag: "Chosen", choice: rejection(offers), name: "no" } as const
      : { _tag: "Instead", text: instead } as const
  })

  return (text, offers): Effect.Effect<PermissionAnswered> =>
    turn.withPermits(1)(
      isQuestion(offers)
        ? Effect.map(asText(text, offers, terminal), (choice) => ({ _tag: "Chosen", choice, name: "" } as const))
        : byKey(text, offers)
    )
}
