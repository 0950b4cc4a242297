import { redact } from "./LeakDetector.ts"

/** Whether a text contains something that looks like a key; with `words`, long random words count as well. */
export const leaks = (text: string, words: boolean): boolean =>
  redact(text, { enabled: true, sensitivity: 0.7, highEntropyTokens: words, placeholders: true }).found > 0

/** Whether an address has a login, or a parameter named like a secret. */
export const isAddressWithSecret = (text: string): boolean =>
  /:\/\/[^/?#\s]*@|[?&][^=&\s]*(key|token|secret|password|auth)[^=&\s]*=/i.test(text)

const isSecret = (text: string) => /^(bearer|basic)\s+\S/i.test(text) || isAddressWithSecret(text) || leaks(text, true)

/** Ends the name of an option, variable or header whose value is a secret. */
const secretName =
  /(api[-_]?key|access[-_]?key|private[-_]?key|token|secret|passw(or)?d|passphrase|auth|authorization|credentials?|cookie)$/i

const assignment = /^(-{0,2}[\w.-]+)(\s*[=:]\s*)(\S.*)$/s

const isOption = (text: string | undefined): text is string => text !== undefined && /^--?\w[\w.-]*$/.test(text)

const shown = (text: string, mask: string): string => {
  const [, name = "", sign = "", value] = assignment.exec(text) ?? []
  if (value !== undefined && secretName.test(name)) return name + sign + mask
  return isSecret(text) ? mask : value === undefined ? text : name + sign + shown(value, mask)
}

/** Replaces each argument, or the part of one, that is a secret by its name or by its form. */
export const withoutSecrets = (args: ReadonlyArray<string>, mask: string): ReadonlyArray<string> =>
  args.map((one, at) => {
    const before = args[at - 1]
    if (isOption(before) && !one.startsWith("--")) {
      if (secretName.test(before) || (/^(-u|--user)$/.test(before) && one.includes(":"))) return mask
    }
    return shown(one, mask)
  })
