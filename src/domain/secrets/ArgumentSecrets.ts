import { redact } from "./LeakDetector.ts"

/** Whether a text holds something in the form of a key. `words`: long random words count as well. */
export const leaks = (text: string, words: boolean): boolean =>
  redact(text, { enabled: true, sensitivity: 0.7, highEntropyTokens: words }).found > 0

/** With a login in it, or a parameter whose name is a secret's. */
export const isAddressWithSecret = (text: string): boolean =>
  /:\/\/[^/?#\s]*@|[?&][^=&\s]*(key|token|secret|password|auth)[^=&\s]*=/i.test(text)

const isSecret = (text: string) => /^(bearer|basic)\s+\S/i.test(text) || isAddressWithSecret(text) || leaks(text, true)

/** The end of the name of an option, a variable or a header whose value nobody should see. */
const secret =
  /(api[-_]?key|access[-_]?key|private[-_]?key|token|secret|passw(or)?d|passphrase|auth|authorization|credentials?|cookie)$/i

const assignment = /^(-{0,2}[\w.-]+)(\s*[=:]\s*)(\S.*)$/s

const isOption = (text: string | undefined): text is string => text !== undefined && /^--?\w[\w.-]*$/.test(text)

const shown = (text: string, mask: string): string => {
  const [, name = "", sign = "", value] = assignment.exec(text) ?? []
  if (value !== undefined && secret.test(name)) return name + sign + mask
  return isSecret(text) ? mask : value === undefined ? text : name + sign + shown(value, mask)
}

/** `mask` in the place of each argument, or of the part of one, that is a secret by its name or by its form. */
export const withoutSecrets = (args: ReadonlyArray<string>, mask: string): ReadonlyArray<string> =>
  args.map((one, at) => {
    const before = args[at - 1]
    if (isOption(before) && !one.startsWith("--")) {
      if (secret.test(before) || (/^(-u|--user)$/.test(before) && one.includes(":"))) return mask
    }
    return shown(one, mask)
  })
