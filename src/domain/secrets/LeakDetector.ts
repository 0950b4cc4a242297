import { Context, Effect } from "effect"
import { make, type Scanner } from "./SecretScanner.ts"

/** Replaces secrets in text that a model is about to read (docs/tools.md#secrets-in-results). */

export interface LeakDetection {
  readonly enabled: boolean
  /** 0 to 1, higher finds more. */
  readonly sensitivity: number
  /** Also redact long random words that no rule knows. */
  readonly highEntropyTokens: boolean
  /** Also redact what has the form of a secret and looks like a placeholder: where no text is lost by it. */
  readonly placeholders?: boolean
}

const defaults: LeakDetection = { enabled: true, sensitivity: 0.7, highEntropyTokens: true }

/** As the configuration has it now. */
export const LeakDetection: Context.Reference<() => LeakDetection> = Context.Reference(
  "postern/domain/LeakDetection",
  { defaultValue: () => () => defaults }
)

export interface RedactedText {
  readonly text: string
  readonly found: number
}

/** Puts a tag in the place of each secret. Lines keep their numbers, and what was redacted once stays as it is. */
export type Redact = (text: string, detection: LeakDetection) => RedactedText

/** What stands in the place of a secret. */
export const tag = (name: string): string => `[redacted: ${name}]`

/** Matches a tag. */
export const tagPattern = /\[redacted: [A-Za-z0-9][^\]\n]{1,40}\]/

/** A secret that was replaced may have hidden the name of another one. */
const maxPasses = 4

const redactWith = (scanner: () => Scanner): Redact => {
  let scan: Scanner | undefined
  return (original, { enabled, ...options }) => {
    if (!enabled) return { text: original, found: 0 }
    scan ??= scanner()
    let text = original
    let found = 0
    for (let pass = 0; pass < maxPasses; pass++) {
      const findings = scan(text, options)
      if (findings.length === 0) break
      found += findings.length
      let shown = ""
      let at = 0
      for (const { end, name, start } of findings) {
        shown += text.slice(at, start) + tag(name)
        at = end
      }
      text = shown + text.slice(at)
    }
    return { text, found }
  }
}

/** With the own rules alone, which are there without waiting: for settings. */
export const redact: Redact = redactWith(() => make())

let loaded: Promise<Redact> | undefined

/**
 * With the rules of the preset too, which are loaded when they are first needed. Where they cannot be, the own rules
 * work without them.
 */
export const load: Effect.Effect<Redact> = Effect.tryPromise(() =>
  loaded ??= import("./SecretlintRules.ts").then(({ rules }) => redactWith(() => make(rules)))
).pipe(
  Effect.catch((error) =>
    Effect.as(
      Effect.logWarning("the rules of secretlint cannot be loaded; the leak detector works without them", error.cause),
      redact
    )
  )
)

/** A longer piece is not held back: the model has to see what a command prints. */
const maxHeldBack = 8192

/** A word that no blank ends yet, or a quote without its end, with the name before it. */
const unfinishedWord =
  /(?:[\w.-]{1,64}["']?[ \t]{0,2}[:=][ \t]{0,2}["']?)?[^\s"'`<>()[\]{},;]{1,512}$|[\w.-]{1,64}["']?[ \t]{0,2}[:=][ \t]{0,2}["']$/

/** A question or a sentence is finished without a blank too. */
const finishedWord = /(?:^|\s)[A-Za-z]{5,}[:.?!]{1,3}$/

/**
 * Where a secret may begin that the rest of the output completes: a word or a value that no blank ends yet, or a private
 * key without its last line. Text is read up to there, so that no secret is cut in two by two reads.
 */
export const unfinishedAt = (text: string): number => {
  const key = text.lastIndexOf("-----BEGIN ")
  if (key !== -1 && text.length - key <= maxHeldBack) {
    const rest = text.slice(key)
    const isPrivate = /^-----BEGIN [A-Z0-9 ]{0,60}(?:PRIVATE KEY|-{0,5}$)/.test(rest)
    if (isPrivate && !/-----END [A-Z0-9 ]{0,60}-----/.test(rest)) return key
  }
  const end = text.slice(-1024)
  return finishedWord.test(end) ? text.length : text.length - (unfinishedWord.exec(end)?.[0].length ?? 0)
}
