import { Context } from "effect"

/**
 * Finds secrets in text that a model is about to read (docs/tools.md#secrets-in-results). Every pattern is bounded, so
 * that its work grows with the text alone.
 */

export interface LeakDetection {
  readonly enabled: boolean
  /** 0 to 1, higher finds more. */
  readonly sensitivity: number
  /** Also redact long random words that no pattern knows. */
  readonly highEntropyTokens: boolean
}

const defaults: LeakDetection = { enabled: true, sensitivity: 0.7, highEntropyTokens: true }

/** As the configuration has it now. */
export const LeakDetection: Context.Reference<() => LeakDetection> = Context.Reference(
  "postern/domain/LeakDetection",
  { defaultValue: () => () => defaults }
)

interface RedactedText {
  readonly text: string
  readonly found: number
}

interface SecretPattern {
  readonly tag: string
  readonly pattern: RegExp
  /** Words that the text must contain for the pattern to be worth trying; lower case. */
  readonly hints: ReadonlyArray<string>
}

/** Keys with a known form, at the beginning of a word. */
const key = (...forms: ReadonlyArray<string>) => new RegExp(`(?<![A-Za-z0-9_-])(?:${forms.join("|")})`, "g")

/** A name, a sign and a value, of which only the value is replaced. */
const assigned = (names: string, value: string) =>
  new RegExp(
    `((?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,30}[_-]){0,3}(?:${names})["']?\\s{0,4}(?:=>|:=|[:=])\\s{0,4}["'\`]?)(${value})`,
    "gi"
  )

const patterns: ReadonlyArray<SecretPattern> = [
  {
    tag: "REDACTED_API_KEY",
    hints: ["sk", "pk_", "gsk_", "aiza", "gh", "xox", "xapp", "xwfp", "glpat", "npm_", "hf_"],
    pattern: key(
      "sk-ant-[A-Za-z0-9_-]{20,300}",
      "sk-(?:proj-|or-v1-|svcacct-)?[A-Za-z0-9_-]{20,300}",
      "(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,200}",
      "gsk_[A-Za-z0-9]{20,200}",
      "AIza[A-Za-z0-9_-]{35}",
      "gh[pousr]_[A-Za-z0-9]{30,255}",
      "github_pat_[A-Za-z0-9_]{30,255}",
      "xox[abeoprs]-[A-Za-z0-9-]{10,250}",
      "xapp-[A-Za-z0-9-]{10,250}",
      "xwfp-[A-Za-z0-9-]{10,250}",
      "glpat-[A-Za-z0-9_-]{20,100}",
      "npm_[A-Za-z0-9]{36}",
      "hf_[A-Za-z0-9]{30,60}"
    )
  },
  { tag: "REDACTED_API_KEY", hints: ["api"], pattern: assigned("api[_-]?key", "[A-Za-z0-9_+/=.-]{20,300}") },
  { tag: "REDACTED_AWS_CREDENTIAL", hints: ["akia", "asia"], pattern: key("(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])") },
  {
    tag: "REDACTED_AWS_CREDENTIAL",
    hints: ["aws"],
    pattern: assigned("aws_?secret_?(?:access_?)?key", "[A-Za-z0-9/+=]{40}")
  },
  {
    tag: "REDACTED_JWT",
    hints: ["eyj"],
    pattern: key("eyJ[A-Za-z0-9_-]{8,4096}\\.[A-Za-z0-9_-]{8,4096}\\.[A-Za-z0-9_-]{8,4096}")
  },
  {
    tag: "REDACTED_DATABASE_URL",
    hints: ["://"],
    pattern:
      /(?<![A-Za-z0-9+])(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?):\/\/[^\s:@/"']{0,128}:[^\s@/"']{1,256}@[^\s"'`<>]{1,512}/gi
  },
  { tag: "/botREDACTED_BOT_TOKEN", hints: ["/bot"], pattern: /\/bot\d{6,12}:[A-Za-z0-9_-]{30,50}/g }
]

const generic: SecretPattern = {
  tag: "REDACTED_SECRET",
  hints: ["pass", "secret", "token"],
  pattern: assigned("password|passwd|secret|token", "(?=[^\\s\"'`]{0,200}\\d)[A-Za-z0-9!@#$%^&*+/_=.-]{12,200}")
}

/** Code that reads a secret from somewhere does not contain it. */
const isReference = (value: string): boolean =>
  /^(?:process\.|os\.|env\.|ENV|config\.|settings\.|this\.|self\.)|\(|\$\{/.test(value)

const privateKey = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY-----/g

/** Removes each key from its first line to its last, or to the end of a text that was cut off. */
const withoutPrivateKeys = (text: string): RedactedText => {
  if (!text.includes("PRIVATE KEY-----")) return { text, found: 0 }
  let rest = 0
  let found = 0
  let kept = ""
  privateKey.lastIndex = 0
  for (let begin = privateKey.exec(text); begin !== null; begin = privateKey.exec(text)) {
    const end = text.indexOf("-----END ", begin.index)
    const line = end === -1 ? -1 : text.indexOf("-----", end + 9)
    kept += `${text.slice(rest, begin.index)}[REDACTED_PRIVATE_KEY]`
    rest = line === -1 ? text.length : line + 5
    privateKey.lastIndex = rest
    found++
  }
  return { text: kept + text.slice(rest), found }
}

// Random words: keys look like them, and so do many words that are no keys.

/** Longer words are data, such as an image in base64. */
const maxKeyLength = 200

const minKeyLength = 24

/** Shannon entropy, in bits a character. */
const entropy = (text: string): number => {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/**
 * Higher sensitivity, lower threshold; at the default of 0.7 no hexadecimal number reaches it
 * (docs/tools.md#secrets-in-results).
 */
const threshold = (sensitivity: number) => 4.375 - 1.25 * (sensitivity - 0.7)

/** Before a word that is no secret: `sha512-` and `h1:` in lock files, `data:…;base64,`, a receipt. */
const harmlessPrefix =
  /(?:sha(?:1|256|384|512)[-:=]|md5[-:=]|\bh1:|base64,|zc-receipt-\d{0,20}-?|integrity["']?\s?[:=]\s?["']?)$/i
const harmlessStart = /^(?:sha(?:1|224|256|384|512)|md5|zc-receipt)[-:=]/i

const isUuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Whether the word stands in an address, which reaches from its scheme to the next white space. */
const isInUrl = (at: number, whole: string): boolean => {
  const before = whole.slice(Math.max(0, at - 256), at)
  const start = Math.max(
    before.lastIndexOf(" "),
    before.lastIndexOf("\n"),
    before.lastIndexOf("\t"),
    before.lastIndexOf("("),
    before.lastIndexOf("\"")
  )
  return before.slice(start + 1).includes("://")
}

/** Whether the word is one of several lines of encoded data. */
const isInBlock = (token: string, at: number, whole: string): boolean => {
  const line = (text: string | undefined) => text !== undefined && /^[A-Za-z0-9+/=_-]{40,128}\s*$/.test(text)
  const before = whole.slice(Math.max(0, at - 200), at).split("\n")
  const after = whole.slice(at + token.length, at + token.length + 200).split("\n")
  const numbered = /^\s*(?:\d+[:|]\s?)?["']?$/.test(before.at(-1) ?? "")
  const strip = (text: string | undefined) => text?.replace(/^\s*(?:\d+[:|]\s?)?["']?/, "").replace(/["'+,]*\s*$/, "")
  return token.length >= 40 && numbered && (line(strip(before.at(-2))) || line(strip(after[1])))
}

/** Keys change between letters and digits again and again; names that people write do not. */
const isMixed = (segment: string): boolean => /[A-Za-z]/.test(segment) && (segment.match(/\d+/g)?.length ?? 0) >= 3

const isRandomSegment = (segment: string, sensitivity: number): boolean =>
  segment.length >= minKeyLength && isMixed(segment) && !/^[0-9a-f-]+$/i.test(segment) &&
  entropy(segment) >= threshold(sensitivity)

/** Whether a word looks like a key; `at` is its position in the whole text. */
const isRandom = (token: string, at: number, whole: string, sensitivity: number): boolean => {
  if (token.length > maxKeyLength || isUuid.test(token) || harmlessStart.test(token)) return false
  const segments = token.split("/")
  if (!segments.some((segment) => isRandomSegment(segment, sensitivity))) return false
  return !harmlessPrefix.test(whole.slice(Math.max(0, at - 40), at)) && !isInUrl(at, whole) &&
    !isInBlock(token, at, whole)
}

/** The text with a tag in the place of whatever looks like a secret. */
export const redact = (original: string, { enabled, highEntropyTokens, sensitivity }: LeakDetection): RedactedText => {
  if (!enabled) return { text: original, found: 0 }
  let { found, text } = withoutPrivateKeys(original)
  const lower = text.toLowerCase()
  for (const { hints, pattern, tag } of sensitivity > 0.5 ? [...patterns, generic] : patterns) {
    if (!hints.some((hint) => lower.includes(hint))) continue
    text = text.replace(pattern, (whole, name?: unknown, value?: unknown) => {
      const isAssigned = typeof name === "string" && typeof value === "string"
      if (isAssigned && (isReference(value) || value.includes("REDACTED_"))) return whole
      found++
      const [, path = "", word = tag] = /^(\/bot)(.*)$/.exec(tag) ?? []
      return `${isAssigned ? name : path}[${word}]`
    })
  }
  if (highEntropyTokens) {
    text = text.replace(/(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_=-]{24,}/g, (token, at: number, whole: string) => {
      if (!isRandom(token, at, whole, sensitivity)) return token
      found++
      return "[REDACTED_HIGH_ENTROPY_TOKEN]"
    })
  }
  return { text, found }
}
