/** Words that look drawn at random, as keys are, and the many that only nearly do. */

/** Above this no key is that long: it is data, such as an image in base64. */
const maxKey = 200

const minimum = 24

/** Bits a character. */
const shannon = (text: string): number => {
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

/** `sha512-…` and `h1:…` of lock files, `data:…;base64,…`, a receipt of ours. */
const announced =
  /(?:sha(?:1|256|384|512)[-:=]|md5[-:=]|\bh1:|base64,|zc-receipt-\d{0,20}-?|integrity["']?\s?[:=]\s?["']?)$/i
const begins = /^(?:sha(?:1|224|256|384|512)|md5|zc-receipt)[-:=]/i

const isUuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** An address: from its scheme to the next white space. */
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

/** One of several lines of the same kind of letters: a block of encoded data. */
const isInBlock = (token: string, at: number, whole: string): boolean => {
  const line = (text: string | undefined) => text !== undefined && /^[A-Za-z0-9+/=_-]{40,128}\s*$/.test(text)
  const before = whole.slice(Math.max(0, at - 200), at).split("\n")
  const after = whole.slice(at + token.length, at + token.length + 200).split("\n")
  const numbered = /^\s*(?:\d+[:|]\s?)?["']?$/.test(before.at(-1) ?? "")
  const strip = (text: string | undefined) => text?.replace(/^\s*(?:\d+[:|]\s?)?["']?/, "").replace(/["'+,]*\s*$/, "")
  return token.length >= 40 && numbered && (line(strip(before.at(-2))) || line(strip(after[1])))
}

/** Names that people write are words; keys change between letters and digits again and again. */
const isMixed = (segment: string): boolean => /[A-Za-z]/.test(segment) && (segment.match(/\d+/g)?.length ?? 0) >= 3

const isRandomSegment = (segment: string, sensitivity: number): boolean =>
  segment.length >= minimum && isMixed(segment) && !/^[0-9a-f-]+$/i.test(segment) &&
  shannon(segment) >= threshold(sensitivity)

/** `at` is where the token stands in the whole text. */
export const isRandom = (token: string, at: number, whole: string, sensitivity: number): boolean => {
  if (token.length > maxKey || isUuid.test(token) || begins.test(token)) return false
  const segments = token.split("/")
  if (!segments.some((segment) => isRandomSegment(segment, sensitivity))) return false
  return !announced.test(whole.slice(Math.max(0, at - 40), at)) && !isInUrl(at, whole) && !isInBlock(token, at, whole)
}
