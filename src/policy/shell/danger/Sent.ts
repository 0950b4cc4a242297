import type { ActionContext } from "../../decision/CallAction.ts"
import { isInside } from "../parse/Paths.ts"
import { type Command, HOLE, literal } from "../programs/Command.ts"
import { fits } from "../programs/Rules.ts"
import { pathOf, readCategory } from "./Places.ts"

/** Files that the options of a program name, whose content it sends away. */

/** What such an option says of its file: it is for this machine, as a key or settings are. */
const local =
  /key|cert|ident|config|conf$|credential|auth|pass|token|env-?file|(^|-)ca|pem|kube|profile|ignore|cookie-jar|output|^-[oOiKc]$|log|dump|trace|netrc|template-file|plan|lock|known|root|dir|prefix|target|dest/i

/** `--body-file x`, `-F x`: the value is the content or a file of it. */
const content =
  /^--?([\w-]+-)?(body|data|file|input|form|field|message|notes|content|contents|value|payload|attach(ment)?|upload|description|text|from|json|raw|binary|urlencode|ascii|header|cookie|environment|zip|document|query)(-[\w-]+)?$|^-[dFfTHbaA]$/i

/** `@x`, `name=@x`, `file://x`. */
const marked = /^(?:[\w.[\]:-]+[=:]?)?[@<]([^@].*)$|^(?:[\w.[\]-]+=)?fileb?:\/\/(.+)$/s

const sendsAway = /^(upload|send|publish|post|share|put|submit|push|paste|attach)$/

const isSecret = (text: string, command: Command, place: ActionContext): boolean => {
  if (text === "" || text.startsWith("-") || text.includes("://") || text.includes(HOLE)) return false
  const path = pathOf(literal(text), command.fields.cwd)
  if (path === undefined) return false
  return readCategory(path, place) === "credentials" ||
    (/[/~]/.test(text) && !isInside(path, place) && /^\/(home|Users|root|etc|srv|var\/lib)\//.test(path))
}

export const sendsSecret = (command: Command, place: ActionContext): string | undefined => {
  const { args, line, row, words } = command
  if (row.wrappers.length > 0) return undefined
  const isUnknown = row.name === "" && line.operands.slice(0, 2).some(({ guess }) => sendsAway.test(guess))
  if (!isUnknown && !fits(command, "network")) return undefined
  const found = args.some((_, at) => {
    const text = words[at]!
    const before = words[at - 1] ?? ""
    const equals = text.startsWith("--") ? text.indexOf("=") : -1
    const name = equals > 0 ? text.slice(0, equals) : /^-[A-Za-z](?=.)/.exec(text)?.[0] ?? before
    const value = equals > 0
      ? text.slice(equals + 1)
      : text.startsWith("--")
      ? ""
      : text.startsWith("-")
      ? text.slice(2)
      : text
    const file = marked.exec(value)
    const isOption = name.startsWith("-") && content.test(name) && !local.test(name)
    if (file !== null && !local.test(name.startsWith("-") ? name : "")) {
      return isSecret(file[1] ?? file[2]!, command, place)
    }
    if (isOption) return isSecret(value, command, place)
    return isUnknown && !text.startsWith("-") && !before.startsWith("-") && isSecret(text, command, place)
  })
  return found ? "exfil" : undefined
}
