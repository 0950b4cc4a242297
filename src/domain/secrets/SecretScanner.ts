import {
  changes,
  decodesToText,
  entropy,
  hasWords,
  isComposed,
  isKey,
  isPassword,
  isPlaceholder,
  isToken,
  threshold
} from "./SecretChecks.ts"
import { innocentNames, type NameRule, nameRules, type TokenRule, tokenRules, wordForms } from "./SecretRules.ts"

/** Finds secrets in text: where they stand and what they are. Its work grows with the length of the text alone. */

export interface FoundSecret {
  /** UTF-16 code units. */
  readonly start: number
  readonly end: number
  /** What the tag says: `GitHub token`. */
  readonly name: string
}

export interface ScanOptions {
  /** 0 to 1, higher finds more. */
  readonly sensitivity: number
  /** Also long random words that no rule knows. */
  readonly highEntropyTokens: boolean
  /** Also what has the form of a secret and looks like a placeholder. */
  readonly placeholders?: boolean
}

/** A rule set of somebody else: finds secrets in one word that begins with one of its keywords. */
export interface WordRule {
  readonly name: string
  readonly keywords: ReadonlyArray<string>
  readonly find: (word: string) => { readonly start: number; readonly end: number } | undefined
}

type Rule =
  | { readonly _tag: "Token"; readonly rule: TokenRule }
  | { readonly _tag: "Name"; readonly rule: NameRule }
  | { readonly _tag: "Word"; readonly rule: WordRule }
  | { readonly _tag: "Block"; readonly find: BlockRule }

/** Where a keyword ends, the rules that it stands for. */
interface Keyword {
  readonly length: number
  readonly rules: ReadonlyArray<Rule>
}

// Keywords: one pass over the text finds them all (Aho and Corasick, https://doi.org/10.1145/360825.360855).

const columns = 64

/** The column of each character below 128; upper case is lower case, and 0 is what no keyword contains. */
const columnsOf = (keywords: Iterable<string>): Uint8Array => {
  const found = new Uint8Array(128)
  let last = 0
  for (const keyword of keywords) {
    for (const char of keyword) {
      const code = char.charCodeAt(0)
      if (found[code] === 0) found[code] = ++last
    }
  }
  if (last >= columns) throw new Error(`keywords have ${last} different characters`)
  for (let code = 65; code <= 90; code++) found[code] = found[code + 32]!
  return found
}

interface Automaton {
  readonly column: Uint8Array
  readonly next: Uint16Array
  /** By state. */
  readonly keywords: ReadonlyArray<ReadonlyArray<Keyword> | undefined>
  readonly hasKeyword: Uint8Array
}

const automatonOf = (rules: ReadonlyMap<string, ReadonlyArray<Rule>>): Automaton => {
  const column = columnsOf(rules.keys())
  let size = 1
  for (const keyword of rules.keys()) size += keyword.length
  const next = new Uint16Array(size * columns)
  const keywords: Array<Array<Keyword> | undefined> = [undefined]
  let states = 1
  for (const [keyword, ofKeyword] of rules) {
    let state = 0
    for (const char of keyword) {
      const at = state * columns + column[char.charCodeAt(0)]!
      if (next[at] === 0) next[at] = states++
      state = next[at]!
    }
    keywords[state] = [{ length: keyword.length, rules: ofKeyword }]
  }
  const fallback = new Uint16Array(states)
  const queue: Array<number> = []
  for (let c = 0; c < columns; c++) if (next[c] !== 0) queue.push(next[c]!)
  for (const state of queue) {
    const shorter = keywords[fallback[state]!]
    if (shorter !== undefined) keywords[state] = [...(keywords[state] ?? []), ...shorter]
    for (let c = 0; c < columns; c++) {
      const at = state * columns + c
      const back = next[fallback[state]! * columns + c]!
      if (next[at] === 0) next[at] = back
      else {
        fallback[next[at]!] = back
        queue.push(next[at]!)
      }
    }
  }
  const hasKeyword = new Uint8Array(states)
  for (let state = 0; state < states; state++) if (keywords[state] !== undefined) hasKeyword[state] = 1
  return { column, next: next.slice(0, states * columns), keywords, hasKeyword }
}

/** Bits: part of a word of base64, base64url or hexadecimal digits; a letter or digit. */
const kinds = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  if (/[A-Za-z0-9]/.test(String.fromCharCode(code))) kinds[code] = 3
  else if (/[+/_-]/.test(String.fromCharCode(code))) kinds[code] = 1
}

const isAlphanumeric = (text: string, at: number): boolean => (kinds[text.charCodeAt(at)] ?? 0) === 3

// Names: what follows one, and where its value ends.

/** The rest of a name behind its telling part, a type, and a sign that assigns: ends where the value begins. */
const sign = new RegExp(
  [
    "(?:[_-](?:base|prod|production|dev|stage|staging|live|main|primary|secondary|old|new|v?\\d{1,2}|value|plain|text)|\\d{1,2})?",
    // In a string or as an element: "name": …, 'name', …, ["name"] = …, <name>…, key="name" value="…"
    "(?:\\\\?[\"'`]\\]?|\\])?\\s{0,4}",
    "(?:",
    "(?::\\s{0,2}[\\w&.<>?]{1,40}(?:\\s\\|\\s[\\w.]{1,20})?\\s{1,2}=(?![=>])\\s{1,4})",
    "|(?:=>|:=|\\+?=(?![=>])|:(?![:=/]))[ \\t]{0,24}",
    "|(?<=[\"'])[ ,]{1,3}(?=[\"'])",
    "|(?<=\")\\s{1,4}value\\s?=\\s?(?=\")",
    "|>",
    "|[ \\t]{1,8}(?=[\"'][^\"'\\s]{1,200}[\"'])",
    ")",
    // A scheme or a prefix that is no part of the secret.
    "(?:(?<open>\\\\?[\"'`])|)(?:(?:bearer|basic|token|ssws|splunk|apikey|digest)\\s{1,2}(?:token=)?\"?|base64:|django-insecure-)?"
  ].join(""),
  "iy"
)

/** `--token value`, `ENV TOKEN value`, `set -x TOKEN value`: a name and a blank. */
const option = /[ \t]{1,4}(?=[A-Za-z0-9])/y

const optionName = /(?:^|[\s"'])(?:--[a-z][\w-]{0,40}|(?:ENV|ARG|set -\w{1,3})\s{1,4}[A-Z_]{0,40})$/

/** As much of a value is looked at; the rest of a longer one goes with it. */
const maxValue = 256

const unquoted = /[^\s"'`<>|,;&(){}[\]\\]{0,256}/y

/** In a file of variables a value reaches to the next blank. */
const variable = /[^\s"'`]{0,256}/y

/** The end of a value that was found to be a secret and is longer than what was looked at. */
const restOf = (text: string, from: number, open: string | undefined): number => {
  const rest = open === undefined ? /[^\s"'`<>|,;&(){}[\]\\]*/y : /[^"'`\\\n]*/y
  return from + (matchAt(rest, text, from)?.[0].length ?? 0)
}

const isVariableLine = /(?:^|\n)[ \t+>-]{0,12}(?:export |set )?[A-Z][A-Z0-9_]*$/

const quoted: Record<string, RegExp> = {
  "\"": /(?:[^"\\\n]|\\[^\n]){0,256}/y,
  "'": /(?:[^'\\\n]|\\[^\n]){0,256}/y,
  "`": /[^`\n]{0,256}/y
}

// A backslash before the quote: a string in a string, which ends at the same pair.
const escaped = /(?:[^"'`\\\n]|\\(?!["'`])[^\n]){0,256}/y

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Whether code stands there rather than a value: a name is followed by what only programs have. */
const isInCode = (text: string, end: number): boolean =>
  /^(?:[,;)\]}.([?!]|\s{0,4}(?:\|\||&&|\?\?|\?|[+*]\s))/.test(text.slice(end, end + 8))

const maxName = 48

/** Names that other words end with too, such as `minipass`: a word of its own, or written apart. */
const shortName = /(?:pass|psk|pwd|jwt|session|bearer)$/i
const wholeShortName = /(?:^|[_.-])(?:pass|psk|pwd|jwt|session|bearer)$/i
const joinedShortName = /[a-z](?:Pass|Psk|Pwd|Jwt|Session|Bearer|PASS|PSK|PWD|JWT)$/

class Scan {
  /** In the order of the text, apart from each other. */
  readonly findings: Array<{ readonly start: number; readonly end: number; readonly name: string }> = []
  /** Everything before it is decided. */
  private done = 0
  /** Where the last value ends that a name had and that was no secret, and how many names were tried in it. */
  private triedTo = 0
  private tries = 0
  /** Where the word ends that each rule for words has read last. */
  private readonly read = new Map<WordRule, number>()
  private readonly text: string
  private readonly options: ScanOptions

  constructor(text: string, options: ScanOptions) {
    this.text = text
    this.options = options
  }

  /** The finding that the place is in. */
  private findingAt(at: number): FoundSecret | undefined {
    for (let last = this.findings.length - 1; last >= 0 && this.findings[last]!.end > at; last--) {
      if (this.findings[last]!.start <= at) return this.findings[last]
    }
    return undefined
  }

  private isDone(at: number): boolean {
    return at < this.done || this.findingAt(at) !== undefined
  }

  /** Adds a finding, also one before the last; takes in what it overlaps, whose name stays if it says more. */
  private add(start: number, end: number, name: string): void {
    let from = isLowSurrogate(this.text, start) ? start - 1 : start
    let to = isLowSurrogate(this.text, end) ? end + 1 : end
    let first = this.findings.length
    while (first > 0 && this.findings[first - 1]!.end > from) first--
    let count = 0
    let best = name
    for (let one = this.findings[first]; one !== undefined && one.start < to; one = this.findings[first + ++count]) {
      if (!generic.has(one.name) && (generic.has(name) || one.start < from)) best = one.name
      from = Math.min(from, one.start)
      to = Math.max(to, one.end)
    }
    this.findings.splice(first, count, { start: from, end: to, name: best })
  }

  token(rule: TokenRule, at: number): void {
    const { text } = this
    if (rule.inside !== true && isInWord(text, at)) return
    const around = this.findingAt(at)
    // A finding by its name alone gets the better name; anything else is decided.
    if (around === undefined ? at < this.done : !generic.has(around.name)) return
    const match = matchAt(rule.pattern, text, at)
    if (match === null) return
    const secret = match.groups?.["secret"]
    const end = at + match[0].length
    let start = secret === undefined ? at : at + match[0].lastIndexOf(secret)
    if (rule.before !== undefined) {
      const before = at === 0 ? null : rule.before.exec(text.slice(Math.max(0, at - 96), at))
      if (before === null) return
      start = at - before[0].length
    }
    const value = secret ?? text.slice(start, end)
    const isForm = secret === undefined && this.options.placeholders === true
    if (isForm || (rule.check ?? isKnown)(value)) this.add(start, start + value.length, rule.name)
    else if (secret === undefined && around === undefined && end - at > 24) this.done = Math.max(this.done, end)
  }

  word(rule: WordRule, at: number): void {
    const { text } = this
    if (this.isDone(at) || at < (this.read.get(rule) ?? 0) || isInWord(text, at)) return
    const [word = ""] = matchAt(wordOfKey, text, at) ?? []
    if (word.length < 20) return
    this.read.set(rule, at + word.length)
    const found = rule.find(word)
    if (found === undefined) return
    if (isKey(word.slice(found.start, found.end))) this.add(at + found.start, at + found.end, rule.name)
  }

  named(rule: NameRule, at: number, length: number): void {
    const { text } = this
    if (this.isDone(at) || this.options.sensitivity <= 0.5) return
    const behind = at + length
    // A sign, a quote, a blank, or the rest of a name behind `_` or `-` has to follow, or a number.
    const next = text.charCodeAt(behind)
    if (!(next < 65 || kinds[next] !== 3)) return
    if (at < this.triedTo) {
      if (this.tries >= 3) return
    } else this.tries = 0
    let start = at
    const least = Math.max(0, at - maxName)
    while (start > least && (isAlphanumeric(text, start - 1) || text[start - 1] === "_" || text[start - 1] === "-")) {
      start--
    }
    const name = text.slice(start, behind)
    if (shortName.test(name) && !wholeShortName.test(name) && !joinedShortName.test(name)) return
    if (
      innocentNames.test(name) ||
      text[behind] === "]" && text.slice(Math.max(0, start - 40), start).includes("[redacted: ")
    ) return
    if (text[start - 1] === ":" && /arn:aws[\w:-]{0,80}$/.test(text.slice(Math.max(0, start - 90), start))) return
    let match = matchAt(sign, text, behind)
    let isOption = false
    if (match === null) {
      if (!optionName.test(text.slice(Math.max(0, start - 24), behind))) return
      match = matchAt(option, text, behind)
      if (match === null) return
      isOption = true
    }
    const from = behind + match[0].length
    const open = match.groups?.["open"]
    const isFlat = open === undefined &&
      (/^=$/.test(match[0]) && isVariableLine.test(text.slice(Math.max(0, start - 24), behind)))
    const pattern = open === undefined ? (isFlat ? variable : unquoted) : open.length === 2 ? escaped : quoted[open]!
    const value = matchAt(pattern, text, from)?.[0] ?? ""
    const to = from + value.length
    this.triedTo = to
    this.tries++
    if (value.length < 4) return
    const isElement = match[0].endsWith(">")
    if (isElement && text[to] !== "<") return
    const isLiteral = open !== undefined || isFlat || isOption || isElement
    const isSecret = rule.words
      ? (isPassword(value, isLiteral) &&
        (isLiteral || !isInCode(text, to) || /^[=]$/.test(match[0]) || isToken(value, 10))) || isToken(value)
      : isToken(value) && (isLiteral || !isInCode(text, to) || isToken(value, 20))
    if (isSecret) this.add(from, value.length < maxValue ? to : restOf(text, to, open), rule.name)
  }

  block(find: BlockRule, at: number): void {
    if (this.isDone(at)) return
    const end = find(this.text, at, (start, end, name) => this.add(start, end, name), this.done)
    if (end !== undefined) this.done = Math.max(this.done, end)
  }

  /** A long random word that no rule knows, from `start` to `end`. */
  random(start: number, end: number): void {
    if (this.isDone(start)) return
    if (end - start <= 64) {
      for (const { name, pattern } of wordForms) {
        const match = matchAt(pattern, this.text, start)
        if (match !== null && isKey(match[0])) return this.add(start, start + match[0].length, name)
      }
    }
    const word = this.text.slice(start, end)
    if (!isRandom(word, start, this.text, this.options.sensitivity)) return
    const padding = this.text.startsWith("==", end)
      ? 2
      : this.text[end] === "=" && !isAlphanumeric(this.text, end + 1)
      ? 1
      : 0
    this.add(start, end + padding, "key")
  }
}

const isKnown = (secret: string): boolean => !isPlaceholder(secret)

/** Whether a letter or digit stands before a word that begins with one, other than in `\n` in a string. */
const isInWord = (text: string, at: number): boolean =>
  at > 0 && isAlphanumeric(text, at - 1) && isAlphanumeric(text, at) &&
  !(text[at - 2] === "\\" && /[nrt]/.test(text[at - 1] ?? ""))

const isLowSurrogate = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return at > 0 && code >= 0xDC00 && code <= 0xDFFF
}

const wordOfKey = /[A-Za-z0-9_.+/=-]{0,2048}/y

/** Findings that say only what the name beside the value says. */
const generic: ReadonlySet<string> = new Set(["password", "secret", "key", "token", "login"])

// Random words: keys look like them, and so do many words that are no keys.

const minRandom = 24

/** Longer words are data, such as an image in base64. */
const maxRandom = 200

/** Before a word that is no secret: checksums, fingerprints, public keys, ids, what is in an address or a path. */
const innocentBefore = new RegExp(
  [
    "(?:ssh-(?:rsa|ed25519|dss)|ecdsa-[\\w-]{1,24}|integrity|commit|revision|\\bh1:|base64,|\\|1\\||=\\||-\\d:|\\bpeer) ?$",
    // Records of DNSSEC, keys of minisign and signify, of Matrix, and what SOPS has encrypted.
    "|\\b(?:C?DNSKEY|RRSIG|OPENPGPKEY|SMIMEA) [^\\n]{0,80}$",
    "|(?:minisign|signify) public key[^\\n]{0,40}\\r?\\n$",
    "|\\b(?:ed|curve)25519:\\w{1,16}[\"']?:? {0,2}[\"']?$",
    "|ENC\\[AES256_GCM,data:$|,(?:iv|tag):$",
    "|(?:",
    [
      ...[
        "sha-?(?:1|2|224|256|384|512)",
        "md5",
        "blake\\w{1,3}",
        "crc\\w{1,3}",
        "integrity",
        "checksum",
        "digest",
        "hash(?:es)?"
      ],
      ...[
        "fingerprint",
        "etag",
        "nonce",
        "signature",
        "\\bsig",
        "\\bbh",
        "\\b[pbnxy]",
        "public[-_ ]?key",
        "pubkey",
        "site[-_]?key",
        "\\bpeer",
        "pinned"
      ],
      ...[
        "cert(?:ificate)?",
        "\\brev",
        "cid",
        "guid",
        "uuid",
        "[-_]?id(?:-\\d)?",
        "Id",
        "ID",
        "ref",
        "boundary",
        "verification"
      ],
      ...[
        "challenge",
        "secure",
        "websocket-(?:key|accept)",
        "match",
        "mappings",
        "receipt-\\d{0,20}",
        "fixture",
        "snapshot"
      ],
      ...[
        "version",
        "build",
        "file",
        "name",
        "title",
        "path",
        "url",
        "href",
        "src",
        "class",
        "selector",
        "x5t(?:#S256)?",
        "kid"
      ],
      ...["opaque"]
    ].join("|"),
    ")[\"']?(?:\\s?\\([^)\\n]{1,60}\\))?\\s{0,2}(?:=>|:=|[-:=#~])\\s{0,2}(?:W\\/)?(?:[\"'`]|<)?$"
  ].join(""),
  "i"
)

/** A word that begins like something that is known and no secret. */
const innocentStart =
  /^(?:sha(?:1|224|256|384|512)[-_:=]|md5[-:=]|zc-receipt|AAAA[BCE]|_?_?ZN?K?[A-Z]|_R[A-Z]|\$s|\?|z6Mk|bafy|bafk|Qm[1-9A-HJ-NP-Za-km-z]{44}$|age1|cus_|pi_|ch_|price_|prod_|evt_|msg_|req_|toolu_|chatcmpl|call_|run_|thread_|asst_|file-|resp_|team_|prj_|dpl_|pk_|phc_|AC[0-9a-f]{32}|iVBOR|R0lGOD|\/9j\/|PHN2Zy|UklGR|d09G|data)/

/** Before the word there is an address or a path, which reaches from the last blank to here. */
const isInPath = (text: string, at: number): boolean => {
  const before = text.slice(Math.max(0, at - 256), at)
  const start = Math.max(...[" ", "\n", "\t", "(", "\"", "'", "`", "<"].map((one) => before.lastIndexOf(one)))
  const word = before.slice(start + 1)
  return /:\/\/|^\.{0,2}\/|^~\/|^[A-Za-z]:\\|^did:|\/.*\/|@/.test(word)
}

/** Whether a line of encoded data begins there, behind a number, a sign of a diff, a quote or an indent. */
const isDataLine = (text: string, from: number): boolean => {
  let at = from
  while (at < from + 16 && /[\s"'+#*>|:-]/.test(text[at] ?? "a")) at++
  const start = at
  while (at < start + 36 && kinds[text.charCodeAt(at)]! > 0) at++
  return at === start + 36
}

/** One of several lines of encoded data. */
const isInBlock = (word: string, at: number, text: string): boolean => {
  if (word.length < 36) return false
  const before = text.slice(Math.max(0, at - 16), at)
  if (at > 16 && !before.includes("\n")) return false
  const start = at - before.length + before.lastIndexOf("\n") + 1
  const next = text.slice(at + word.length, at + word.length + 8).indexOf("\n")
  if (next !== -1 && isDataLine(text, at + word.length + next + 1)) return true
  const last = startOfLine(text, start - 1)
  return start > 36 && last >= 0 && isDataLine(text, last)
}

const isRandomSegment = (segment: string, sensitivity: number): boolean =>
  segment.length >= minRandom && /[A-Z]/.test(segment) && /[a-z]/.test(segment) &&
  (segment.match(/\d+/g)?.length ?? 0) >= 3 &&
  entropy(segment) >= threshold(sensitivity) && !isPlaceholder(segment)

const isRandom = (word: string, at: number, text: string, sensitivity: number): boolean => {
  if (word.length > maxRandom || isInBlock(word, at, text) || innocentStart.test(word)) return false
  if (hasWords(word) || changes(word) < 0.35 || isComposed(word) || decodesToText(word)) return false
  if (!word.split("/").some((one) => isRandomSegment(one, sensitivity))) return false
  const before = text.slice(Math.max(0, at - 96), at)
  // The secret half of a pair whose public half has half the length.
  if (word.length >= 86 && /[\w.-]-\d{1,2}:$/.test(before)) return true
  if (innocentBefore.test(before)) return false
  if (word.startsWith("//") && text[at - 1] === ":") return false
  if (
    text[at + word.length] === "." || text[at + word.length] === "(" || text[at - 1] === "." || text[at - 1] === "@" ||
    text[at - 1] === "#" || text[at - 1] === "%" || text[at - 1] === "$"
  ) return false
  // A table of characters, or a name with a hash behind it.
  if (/^[A-Za-z]+[-_.][A-Za-z0-9_-]{6,10}$/.test(word) || /(.)\1{3}/.test(word)) return false
  return !isInPath(text, at)
}

// Blocks: secrets that are laid out over lines, or that stand in an address or a header.

/** Adds what it finds at a keyword; returns the end of what is decided with it. */
type BlockRule = (text: string, at: number, add: Add, decided: number) => number | undefined

const privateKeyHead = /BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y

/** Longest private key that is followed, in code units: twice that of RSA with 16,384 bits. */
const maxPrivateKey = 32_768

/** A line number, a sign of a diff, a quote or an indent before a line of a key. */
const lineStart = /(?:[ \t]{0,16}\d{1,7}[:|\t→][ \t]?)?[ \t+\->|"'`#*/\\]{0,32}/y

const keyLine = /[A-Za-z0-9+/=]+/y

/** Breaks between lines, also as they are written in a string, and what closes and opens one around them. */
const lineBreak = /(?:\\r|\\n|[\r\n]|["'`+,;] {0,4}(?=[\r\n\\])|[ \t]+(?=[\r\n]))*/y

const keyHeader = /[A-Z][A-Za-z0-9-]{1,30}: [^\n\\]{0,200}/y

type Add = (start: number, end: number, name: string) => void

/** Replaces the lines of a key one by one, so that lines keep their numbers. Ends at the first line that is none. */
const keyLines = (text: string, from: number, add: Add): number => {
  const limit = Math.min(text.length, from + maxPrivateKey)
  let at = from
  for (let count = 0; at < limit;) {
    const start = at + (matchAt(lineBreak, text, at)?.[0].length ?? 0)
    const begin = start + (matchAt(lineStart, text, start)?.[0].length ?? 0)
    if (text.startsWith("END ", begin)) return begin
    const header = matchAt(keyHeader, text, begin)?.[0]
    if (header !== undefined) {
      at = begin + header.length
      continue
    }
    const line = matchAt(keyLine, text, begin)?.[0].length ?? 0
    const end = begin + line
    // What is shorter than a line, or goes on with something else, is text about a key.
    if (line === 0 || (count === 0 && line < 16) || !/^(?:$|[\r\n\\"'`, \t-])/.test(text.charAt(end))) return at
    add(begin, end, "private key")
    count++
    at = end
  }
  return at
}

const privateKey: BlockRule = (text, at, add) => {
  const head = matchAt(privateKeyHead, text, at)
  return head === null ? undefined : keyLines(text, at + head[0].length, add)
}

/** Where the line begins that ends there, or -1 if it is longer than a line of a key. */
const startOfLine = (text: string, end: number): number => {
  const from = Math.max(0, end - 120)
  const at = text.slice(from, end).lastIndexOf("\n")
  return at === -1 ? (from === 0 ? 0 : -1) : from + at + 1
}

/** The end of a key whose beginning is missing: the lines before it are the key's. */
const privateKeyEnd: BlockRule = (text, at, add, decided) => {
  const lines: Array<readonly [number, number]> = []
  for (let end = startOfLine(text, at) - 1; end > decided && lines.length < 400;) {
    const start = startOfLine(text, end)
    if (start < decided) break
    const begin = start + (matchAt(lineStart, text, start)?.[0].length ?? 0)
    const length = matchAt(keyLine, text, begin)?.[0].length ?? 0
    if (length === 0 || text.slice(begin + length, end).trim() !== "" || (lines.length > 0 && length < 40)) break
    lines.push([begin, begin + length])
    end = start - 1
  }
  // A short line alone may be anything.
  if (lines.some(([start, end]) => end - start >= 40)) {
    for (const [start, end] of lines.reverse()) add(start, end, "private key")
  }
  return undefined
}

/** More is no key and no certificate, in code units. */
const maxPublic = 65_536

const publicHead =
  /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}(?:CERTIFICATE(?: REQUEST)?|CRL|PUBLIC KEY(?: BLOCK)?|PARAMETERS|PKCS7|CMS|SIGNATURE|MESSAGE|ENCRYPTED FILE)-----/y

/** Base64, and what stands between its lines, also as they are written in a string or quoted. */
const blockText = /[A-Za-z0-9+/=\s"'`,>|#*\\]/

/** A certificate, a signature, parameters: what is laid out like a private key and is none. */
const publicBlock: BlockRule = (text, at) => {
  const head = matchAt(publicHead, text, at)
  if (head === null) return undefined
  const limit = Math.min(text.length, at + maxPublic)
  for (let end = at + head[0].length; end < limit; end++) {
    if (text.startsWith("-----END ", end)) return end
    if (!blockText.test(text[end]!)) return undefined
  }
  return undefined
}

const puttyKey: BlockRule = (text, at, add) => {
  const head = matchAt(/private-lines: \d{1,3}\r?\n/iy, text, at)
  return head === null ? undefined : keyLines(text, at + head[0].length, add)
}

/** The public half of a key of PuTTY. */
const puttyPublic: BlockRule = (text, at) => {
  const next = text.slice(at, at + 4096).indexOf("Private-Lines: ")
  return next === -1 ? undefined : at + next
}

/** `user:password@` or `token@` behind `://`. */
const login = /(?<user>[^\s:/@"'`<>?#|\\]{0,256})(?::(?<password>[^\s/"'`<>\\]{1,256}))?@(?=[A-Za-z0-9[$])/y

const addressLogin: BlockRule = (text, at, add) => {
  const from = at + 3
  const match = matchAt(login, text, from)
  if (match === null) return undefined
  const { password, user = "" } = match.groups ?? {}
  if (password !== undefined) {
    const start = from + user.length + 1
    const host = text.slice(from + match[0].length, from + match[0].length + 24)
    if (/^(?:[\w-]+\.)?example\.(?:com|org|net)\b/.test(host)) return start
    if (!isPlaceholder(password) && !isWeakLogin(user, password)) add(start, start + password.length, "password")
    if (isToken(user, 30) && password === "x-oauth-basic") add(from, from + user.length, "token")
    return start + password.length
  }
  const host = text.slice(from + match[0].length, from + match[0].length + 40)
  // The address that a program reports errors to holds a key that is public.
  const isPublic = /^[0-9a-f]{32}$/.test(user) && /^[\w.-]*(?:sentry|ingest)/.test(host)
  if (user.length >= 20 && isToken(user, 20) && !isPublic) add(from, from + user.length, "token")
  return undefined
}

const isWeakLogin = (user: string, password: string): boolean =>
  password === user ||
  /^(?:pass(?:word|wd)?|pwd|pw|secret|token|hostname|x-oauth-basic|postgres|mysql|root|admin|guest|user|test|[a-z])$/i
    .test(password) ||
  /^\d{1,5}$/.test(password) ||
  /^(?:[A-Z_]{3,}|[a-z]{1,4})$/.test(password) && /^(?:user(?:name)?|login|name|u|foo|a|USER(?:NAME)?)$/i.test(user)

/** Cookies that say who somebody is have a value that nobody thought up. */
const cookie: BlockRule = (text, at, add) => {
  const head = matchAt(/cookie["']?\s?:\s?["']?/iy, text, at)
  if (head === null) return undefined
  let from = at + head[0].length
  const isSet = /set-$/i.test(text.slice(Math.max(0, at - 4), at))
  for (let count = 0; count < 40; count++) {
    const pair = matchAt(/\s{0,2}(?<name>[\w.$%-]{1,80})=(?<value>[^;\s"']{0,4096});?/y, text, from)
    if (pair === null) return undefined
    const { name = "", value = "" } = pair.groups ?? {}
    const start = from + pair[0].indexOf("=") + 1
    const isSession = /sess|sid$|auth|token|jwt|login|remember|identity|user/i.test(name)
    if (isToken(value, isSession ? 12 : 24) || isSession && /^[a-z0-9]{20,}$/i.test(value) && isKey(value)) {
      add(start, start + value.length, "cookie")
    }
    from += pair[0].length
    if (isSet) return undefined
  }
  return undefined
}

const keyHeads = [
  "private key",
  ...[
    "rsa",
    "dsa",
    "ec",
    "openssh",
    "encrypted",
    "pgp",
    "ssh2 encrypted",
    "encrypted sigstore",
    "encrypted cosign",
    "ed25519"
  ]
    .map((kind) => `${kind} private key`)
]

const blocks: ReadonlyArray<readonly [ReadonlyArray<string>, BlockRule]> = [
  [keyHeads.map((one) => `begin ${one}`), privateKey],
  [keyHeads.map((one) => `end ${one}`), privateKeyEnd],
  [["-----begin "], publicBlock],
  [["private-lines: "], puttyKey],
  [["public-lines: "], puttyPublic],
  [["://"], addressLogin],
  [["cookie"], cookie]
]

/** A blank in a name stands for what joins the words of one. */
const spellings = (name: string): ReadonlyArray<string> =>
  name.includes(" ") ? ["", "_", "-", ".", " "].map((one) => name.replaceAll(" ", one)) : [name]

export type Scanner = (text: string, options: ScanOptions) => ReadonlyArray<FoundSecret>

/** Builds the table of keywords, which takes about a millisecond. */
export const make = (words: ReadonlyArray<WordRule> = []): Scanner => {
  const rules = new Map<string, Array<Rule>>()
  const put = (keyword: string, rule: Rule) => {
    const there = rules.get(keyword)
    if (there === undefined) rules.set(keyword, [rule])
    else there.push(rule)
  }
  for (const rule of tokenRules()) for (const keyword of rule.keywords) put(keyword, { _tag: "Token", rule })
  for (const rule of words) for (const keyword of rule.keywords) put(keyword, { _tag: "Word", rule })
  for (const [keywords, find] of blocks) for (const keyword of keywords) put(keyword, { _tag: "Block", find })
  for (const rule of nameRules) {
    for (const keyword of new Set(rule.names.flatMap(spellings))) put(keyword, { _tag: "Name", rule })
  }
  const { column, hasKeyword, keywords, next } = automatonOf(rules)

  const found = (scan: Scan, state: number, end: number) => {
    for (const { length, rules } of keywords[state]!) {
      const at = end - length
      for (const one of rules) {
        switch (one._tag) {
          case "Token":
            scan.token(one.rule, at)
            break
          case "Word":
            scan.word(one.rule, at)
            break
          case "Name":
            scan.named(one.rule, at, length)
            break
          case "Block":
            scan.block(one.find, at)
        }
      }
    }
  }

  return (text, options) => {
    const scan = new Scan(text, options)
    const { length } = text
    // Reading an array is twice as fast as reading a string that was put together from pieces.
    const codes = new Uint16Array(length)
    Buffer.from(codes.buffer).write(text, "utf16le")
    let state = 0
    let start = 0
    for (let at = 0; at < length; at++) {
      const code = codes[at]!
      if (code > 127) {
        state = 0
        if (at - start >= minRandom && options.highEntropyTokens) scan.random(start, at)
        start = at + 1
        continue
      }
      state = next[state * columns + column[code]!]!
      if (hasKeyword[state] === 1) found(scan, state, at + 1)
      if (kinds[code] === 0) {
        if (at - start >= minRandom && options.highEntropyTokens) scan.random(start, at)
        start = at + 1
      }
    }
    if (length - start >= minRandom && options.highEntropyTokens) scan.random(start, length)
    return scan.findings
  }
}
