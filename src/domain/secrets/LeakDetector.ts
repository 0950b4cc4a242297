
/**
 * Secrets in text on its way to a model (docs/tools.md#secrets-in-results). Every pattern is bounded, so that its work
 * grows with the text alone.
 */

export interface LeakDetection {
  readonly enabled: boolean
  /** 0 to 1, higher finds more. */
  readonly sensitivity: number
  /** Also redact long random words that no pattern knows. */
  readonly highEntropyTokens: boolean
}

const usual: LeakDetection = { enabled: true, sensitivity: 0.7, highEntropyTokens: true }

/** As the operator wants it now. */
export const LeakDetection: Context.Reference<() => LeakDetection> = Context.Reference(
  "postern/security/LeakDetection",
  { defaultValue: () => () => usual }
)

export interface Redacted {
  readonly text: string
  readonly found: number
}

interface Family {
  readonly tag: string
  readonly pattern: RegExp
  /** Words that the text must contain for the pattern to be worth trying; lower case. */
  readonly hints: ReadonlyArray<string>
}

/** Keys with a form of their own: each begins where no word goes on. */
const key = (...forms: ReadonlyArray<string>) => new RegExp(`(?<![A-Za-z0-9_-])(?:${forms.join("|")})`, "g")

/** A name, a sign and a value: only the value goes. */
const assigned = (names: string, value: string) =>
  new RegExp(
    `((?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,30}[_-]){0,3}(?:${names})["']?\\s{0,4}(?:=>|:=|[:=])\\s{0,4}["'\`]?)(${value})`,
    "gi"
  )

const families: ReadonlyArray<Family> = [
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

const generic: Family = {
  tag: "REDACTED_SECRET",
  hints: ["pass", "secret", "token"],
  pattern: assigned("password|passwd|secret|token", "(?=[^\\s\"'`]{0,200}\\d)[A-Za-z0-9!@#$%^&*+/_=.-]{12,200}")
}

/** Code that gets a secret from somewhere does not hold it. */
const isReference = (value: string): boolean =>
  /^(?:process\.|os\.|env\.|ENV|config\.|settings\.|this\.|self\.)|\(|\$\{/.test(value)

const privateKey = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY-----/g

/** From its first line to its last, or to the end of the text where that was cut off. */
const withoutPrivateKeys = (text: string): Redacted => {
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

/** The text with a tag in the place of whatever looks like a secret. */
export const redact = (original: string, { enabled, highEntropyTokens, sensitivity }: LeakDetection): Redacted => {
  if (!enabled) return { text: original, found: 0 }
  let { found, text } = withoutPrivateKeys(original)
  const lower = text.toLowerCase()
  for (const { hints, pattern, tag } of sensitivity > 0.5 ? [...families, generic] : families) {
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
