/** Whether a text that stands where a secret would stand is one: not a placeholder, a reference or a plain word. */

/** Shannon entropy, in bits a character. */
export const entropy = (text: string): number => {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/** Only so much of a long value is looked at: its beginning tells as much as the whole. */
const looked = (text: string) => text.length > 160 ? text.slice(0, 160) : text

const placeholderWords =
  /example|sample|placeholder|dummy|changeme|change[-_]?(?:me|it|this)|replace[-_]?(?:me|with|this)|insert[-_]|redacted|masked|hidden|todo|fixme|lorem|foo[-_]?bar|your[-_]|[-_]here|(?:^|[^a-z])(?:my|your|the|some|any|fake|mock|test|demo)[-_ ]?(?:secret|token|key|pass|password|pwd|api|db|user)|not[-_]?(?:a[-_]?)?(?:real|secret)|xxxx|\*{3}|•{3}|\.{3}|…|0{8}|(?:abcdef|bcdefg)gh|12345|98765|eyJzdWIiOiIxMjM0NTY3ODkwI|deadbeef|abc123/i

/** What a template, a shell or a program puts a value in the place of. */
const reference =
  /[$#]\{|\{\{|\$\(|%\(|<%|^[$%&@!~]?\{|^\$[A-Za-z_]\w*$|^%[A-Za-z_]\w*%$|^<[^>]*>?$|^\[|^\(|^`|^!(?:vault|ref|sub|getatt|secret|env|include|reference|unsafe)\b|\bprocess\.env\b|\benviron\b|\bgetenv\b|^__\w+__$|^@[A-Za-z]|=>|\\[dws][+*{]|\[[a-zA-Z0-9^]+-|\[redacted/

/** A value that says that a secret belongs there, or where it comes from. */
export const isPlaceholder = (text: string): boolean => {
  const value = looked(text)
  if (reference.test(value) || placeholderWords.test(value)) return true
  const distinct = new Set(value).size
  return value.length >= 16 ? distinct <= 6 : distinct <= Math.min(3, value.length - 1)
}

/** Runs of digits: what a generator makes has many, a name that people write has one or two. */
const turns = (value: string): number => value.match(/\d+/g)?.length ?? 0

/** How often a letter follows one of the other case, or a digit a letter and the other way round: 0 to 1. */
export const changes = (value: string): number =>
  value.length < 2
    ? 0
    : (value.match(/[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])/g)?.length ?? 0) / (value.length - 1)

/** Two long runs of small letters: words, not chance. */
export const hasWords = (value: string): boolean => (value.match(/[a-z]{6,}/g)?.length ?? 0) >= 2

/** Upper and lower case in turns, with or without digits. */
const isZigzag = (value: string): boolean =>
  value.length >= 12 && changes(value) >= 0.36 && !hasWords(value) && entropy(value) >= 3.3

/** A key of a known form. */
export const isKey = (text: string): boolean => !isPlaceholder(text) && entropy(looked(text)) >= 2.5

/** One whose prefix is short or also begins other words. */
export const isMixedKey = (text: string): boolean =>
  isKey(text) && (turns(looked(text)) >= 3 && changes(looked(text)) >= 0.15 || isZigzag(looked(text)))

/** One that may have no digit at all. */
export const isPlainKey = (text: string): boolean =>
  isKey(text) && (turns(looked(text)) >= 2 || /[a-z][A-Z]{1,3}[a-z]{1,3}[A-Z]/.test(looked(text)))

const isUuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Base64 that happens to begin with a slash. */
const isSlashedKey = (value: string): boolean =>
  /^\/[A-Za-z0-9+/]{31,}={0,2}$/.test(value) && turns(value) >= 3 && changes(value) >= 0.35 && !hasWords(value)

const isPath = (value: string): boolean =>
  /^(?:\.{0,2}\/|~\/|[A-Za-z]:\\|[a-z][a-z0-9+.-]*:\/\/)/.test(value) && !isSlashedKey(value) ||
  /^[\w@-]+(?:\.[a-z][\w-]*)+$/i.test(value) && turns(value) < 3 ||
  /\.(?:[jt]sx?|mjs|json|ya?ml|md|html?|css|s[ac]ss|py|rb|go|rs|java|pem|key|crt|txt|png|svg)$/.test(value)

/** Words between dashes, dots, slashes: a name that people wrote. */
const isName = (value: string): boolean =>
  value.split(/[-_./:~]+/).every((one) =>
    /^(?:[A-Z]?[a-z]*|[A-Z]+|[a-z]+[A-Z][a-zA-Z]*|[A-Za-z]{2,}\d{1,4}|[vV]?\d{1,4}|)$/.test(one)
  )

/** The value of a name that says key or token: drawn by a machine. */
export const isToken = (text: string, least = 16): boolean => {
  const value = looked(text)
  if (text.length < least || !/^[\x21-\x7E]+$/.test(value)) return false
  if (/^(?:sha(?:1|224|256|384|512)|md5)[-:=]/i.test(value)) return false
  // A fingerprint of PGP, an assignment, the header of a JSON Web Token.
  if (/^(?:[0-9A-F]{16}|[0-9A-F]{40}|[A-Za-z]{3,}=\w.*|eyJ[\w-]+\.{0,2})$/.test(value)) return false
  if (isUuid.test(value)) return !isPlaceholder(value)
  if (turns(value) === 0 && changes(value) < 0.2 && !/[+/]/.test(value)) return false
  if (isPlaceholder(value) || isPath(value) || isName(value)) return false
  if (
    /[(){}<>,;"'\\]|\s/.test(value) || /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+!?$/.test(value) && turns(value) < 3
  ) return false
  return turns(value) >= 2 && entropy(value) >= 2.9 || isZigzag(value) ||
    (turns(value) >= 1 || /[+/]/.test(value)) && value.length >= 24 && entropy(value) >= 4
}

const commonWords =
  /^(?:(?:my|the|new|old|user|current|admin|root|test|default|db|sa|wrong|bad|good|valid|invalid|some|super|top|plain|clear|very|weak|strong|long|short)?[-_ ]?(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|key|string|text|value|hash|credentials?)[-_ ]?(?:is|was|are|here|too|field|required|invalid|wrong|hash|text)?\d{0,4}!?|string|number|boolean|null|undefined|none|true|false|required|optional|user|admin|root|guest|nobody|test(?:ing)?\d{0,3}|postgres|mysql|bcrypt|scrypt|argon2(?:id?|d)?|pbkdf2|sha\d{1,3}|md5|hs256|rs256|base64|utf-?8|x{3,}|y{3,}|\*+|\.+|-+|~)$/i

/** A word of a program: a name, a call, an access, a number with a unit. */
const isExpression =
  /^(?:Big)?(?:Ui|I)nt\d+|^Float\d|Array$|^(?:base|utf|sha|aes|hmac|hs|rs|es)-?\d|[(){}[\]<>"'`\\]|^\d+(?:\.\d+)*[a-z]{0,3}$|^[A-Za-z_$][\w$]*\??\.[A-Za-z_$]|::|->/

/** The value of a name that says password: drawn by a machine or thought up by a person. */
export const isPassword = (text: string, isLiteral: boolean): boolean => {
  const value = looked(text)
  if (text.length < (isLiteral ? 5 : 6) || /\s/.test(value)) return false
  const isMixed = /\d/.test(value) && /[A-Za-z]|^\d{6,}$/.test(value) || isZigzag(value) ||
    isLiteral && /^[^#@.?&].*[!#%^&*+@~]|^[!#%^&*+@~].*[A-Z].*[a-z]/.test(value) && /[a-z]/i.test(value)
  if (/^.{1,11}[-=:_.]$/.test(value)) return false
  if (!isMixed || !isLiteral && isExpression.test(value)) return false
  return !commonWords.test(value) && !isPlaceholder(value) && !isPath(value)
}

/** Base64 of plain text. */
export const decodesToText = (text: string): boolean =>
  /^[\x20-\x7E\r\n\t]{12,}$/.test(Buffer.from(text, "base64").toString("latin1"))

/** Words that names are made of. */
const nameParts = /(?:With|And|For|From|Get|Set|Bit|Test|Type|Name|Value|Error|Data|Array|Index|Node|List|Map|Item)/g

/** A name that people put together, however long. */
export const isComposed = (text: string): boolean =>
  (text.match(nameParts)?.length ?? 0) >= 2 || /^(?:[A-Z]{2,}_)+[0-9a-f]+$/.test(text)

/** Whether base64 holds a user's name, a colon and a password. */
export const decodesToLogin = (text: string): boolean => {
  if (isPlaceholder(text)) return false
  const login = Buffer.from(text, "base64").toString("latin1")
  return /^[\x20-\x7E]*:[\x20-\x7E]+$/.test(login) || text.length >= 24 && isToken(text)
}

/**
 * Threshold for words that nothing but their randomness speaks against: higher sensitivity, lower threshold; at the
 * default of 0.7 no hexadecimal number reaches it (docs/tools.md#secrets-in-results).
 */
export const threshold = (sensitivity: number): number => 4.375 - 1.25 * (sensitivity - 0.7)
