/**
 * File names as text that a model or a person reads (docs/tools.md#names). A name can hold anything but NUL and a
 * slash: a line break that begins a line of its own, an escape sequence that a terminal obeys, letters that run
 * backwards, or words that look like a line of Postern. Such a name stands in quotes, as `ls` and shells write it:
 * `'a'$'\n''b'`. A name without quotes is what it looks like.
 */

/** Not printed, printed as something else, or not there to be seen: controls, formats, separators, halves of characters. */
const invisible =
  /[\p{C}\p{Zl}\p{Zp}\u00a0\u034f\u115f\u1160\u1680\u17b4\u17b5\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0\ufffd]/u

/** Ends quotes and tags of markup around a name. */
const markup = /["<>]/

/** What quotes and escapes are written with, what separates the name of a file from its line, and ends in blanks. */
const ambiguous = /^'|^\$'|[\\`|*?]|:\d+:|^ | $|(?:^|\/) | (?:\/|$)| {2}/

/** What stands behind a name in a listing: a size, or what the entry is. */
const likeDetail = / (?:\d+|\([^)]*\))(?=\/|$)/

/** A line that Postern itself would write. */
const likeNote = /(?:^|\/)\[[^\]]*[ :]/

const isSpecial = (text: string): boolean => invisible.test(text) || markup.test(text)

const needsQuotes = (name: string): boolean =>
  name === "" || isSpecial(name) || ambiguous.test(name) || likeDetail.test(name) || likeNote.test(name)

const letters: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\u000b": "\\v",
  "\f": "\\f",
  "\r": "\\r"
}

/** The bytes of one character; a lone half from U+DC80 on stands for a byte that is no UTF-8. */
const bytesOf = (character: string): ReadonlyArray<number> => {
  const point = character.codePointAt(0) ?? 0
  return point >= 0xdc80 && point <= 0xdcff ? [point - 0xdc00] : [...Buffer.from(character)]
}

const escaped = (character: string): string =>
  letters[character] ?? bytesOf(character).map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")

/** A path or a name, in quotes where it could be taken for something else. */
export const quoted = (name: string): string => {
  if (!needsQuotes(name)) return name
  const parts: Array<string> = []
  let [plain, special] = ["", ""]
  const flush = () => {
    if (plain !== "") parts.push(`'${plain}'`)
    if (special !== "") parts.push(`$'${special}'`)
    plain = ""
    special = ""
  }
  for (const character of name) {
    const isEscaped = isSpecial(character)
    if (isEscaped ? plain !== "" : special !== "") flush()
    if (isEscaped) special += escaped(character)
    else plain += character === "'" ? "'\\''" : character
  }
  flush()
  return parts.join("") || "''"
}

/** As {@link quoted}, and in quotes in any case: for a sentence that begins with it. */
export const alwaysQuoted = (name: string): string => needsQuotes(name) ? quoted(name) : `"${name}"`

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, "\\": 92, "'": 39 }

/** The name that {@link quoted} wrote in quotes; `undefined` for any other text. */
export const unquoted = (text: string): string | undefined => {
  const bytes: Array<number> = []
  let rest = text
  while (rest !== "") {
    const [whole = "", plain, special] = /^(?:'([^']*)'|\$'((?:[^'\\]|\\.)*)'|\\')/s.exec(rest) ?? []
    if (whole === "") return undefined
    if (whole === "\\'") bytes.push(39)
    else if (plain !== undefined) bytes.push(...Buffer.from(plain))
    else {
      for (const [, octal, letter, other] of special!.matchAll(/\\([0-7]{1,3})|\\(.)|([^\\]+)/gs)) {
        if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff)
        else if (other !== undefined) bytes.push(...Buffer.from(other))
        else if (letter !== undefined && letter in escapes) bytes.push(escapes[letter]!)
        else return undefined
      }
    }
    rest = rest.slice(whole.length)
  }
  return text === "" ? undefined : Buffer.from(bytes).toString("utf8")
}
