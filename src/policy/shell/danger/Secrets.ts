import type { ActionContext } from "../../decision/CallAction.ts"
import type { Arg, Command } from "../programs/Command.ts"
import { HOLE } from "../programs/Command.ts"
import { environmentNames, isTampering } from "../programs/Environment.ts"
import { fileOperands } from "../programs/FileOperands.ts"
import { fits } from "../programs/Rules.ts"
import { programOf } from "../programs/Table.ts"
import { pathOf, readCategory, writeCategory } from "./Places.ts"

/** Findings from the names of variables, aliases and files, independent of the program. */

/** Variables that change which code runs, as assignments or through `export` and the like. */
export const variables = (
  { args, fields: { assignments, name }, program, row, words }: Command
): string | undefined => {
  const isRead = /^(read|mapfile|readarray)$/.test(program)
  if (assignments.some((each) => isTampering(each.name, each.value.guess) && !(each.name === "IFS" && isRead))) {
    return "tamper"
  }
  const stores = isRead || program === "getopts" || program === "printf"
  if (stores && words.some((word) => environmentNames.has(word) && word !== "IFS")) return "tamper"
  if (name === undefined || !(/^(export|declare|typeset|readonly)$/.test(program) || row.is("sets-environment"))) {
    return undefined
  }
  const set = program === "setenv" ? [`${args[0]?.guess}=${args[1]?.guess ?? ""}`] : words
  return set.some((text) => {
      const equals = text.indexOf("=")
      return equals > 0 && isTampering(text.slice(0, equals).replace(/\+$/, ""), text.slice(equals + 1))
    })
    ? "tamper"
    : undefined
}

/** An alias that takes the name of a program people rely on. */
export const aliases = ({ program, words }: Command): string | undefined =>
  program === "alias" && words.some((word) => {
      const [name, value = ""] = word.split(/=(.*)/s)
      return word.includes("=") && programOf(name!).is("relied") && value.split(/\s+/)[0] !== name
    })
    ? "tamper"
    : undefined

/** Every file that the arguments and redirects name. */
export const files = (command: Command, place: ActionContext): ReadonlyArray<string> => {
  const { fields: { cwd, reads, where, writes }, line, row } = command
  if (where === "contained") return []
  const found: Array<string | undefined> = []
  const written = (arg: Arg) => writeCategory(pathOf(arg, cwd), place)
  const read = (arg: Arg) => readCategory(pathOf(arg, cwd), place)
  found.push(...writes.map(written), ...reads.map(read))
  const isPublic = (arg: Arg) => fits(command, "certificates") && /\.(pem|crt|cer)$/.test(arg.guess)
  for (const { arg, kind } of fileOperands(command)) {
    if (kind === "read") {
      if (!row.is("lists") && !isPublic(arg)) found.push(read(arg))
    } else if (row.is("key-files")) {
      if (read(arg) !== undefined && !line.has("-l", "-R", "-F", "-B")) found.push("credentials")
    } else if (!row.is("quiet")) found.push(written(arg))
    else if (row.is("makes-folders") && /^(system-write|kernel)$/.test(written(arg) ?? "")) found.push("system-write")
  }
  return found.filter((category) => category !== undefined)
}

const secretName =
  /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASS|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?|AUTH)(_|$)|_(KEY|PAT)$/i
const secretWord = /\b(secret|token|passw(or)?d|api_?key|credential|aws_|private)/i

const inCase = (isSecret: boolean): string | undefined => (isSecret ? "credentials" : undefined)

/** Prints a variable that by its name holds a secret. */
const printsSecrets = ({ args, fields: { writes }, line, row }: Command): string | undefined => {
  if (row.is("prints-environment")) return inCase(line.operands.some((arg) => secretName.test(arg.guess)))
  return inCase(
    writes.length === 0 && args.some(({ guess, text }) =>
      guess.includes(HOLE) &&
      [...text.matchAll(/\$\{?(\w+)\}?/g)].some((match) => secretName.test(match[1]!)) &&
      !/\$\{\w+:?[+#]/.test(text) &&
      !/\$\{#/.test(text)
    )
  )
}

/** Looks for secrets in the environment or in a history. */
const siftsSecrets = ({ fields: { input }, line }: Command): string | undefined =>
  inCase(
    input.from.some((each) =>
      each.row.is("prints-environment") && each.fields.wrappers.length === 0 && each.line.operands.length === 0
    ) &&
      !line.has("-c", "-q") &&
      [...line.operands.slice(0, 1), ...line.values("-e")].some((arg) => secretWord.test(arg.guess))
  )

const copiesSecrets = ({ fields: { cwd }, line }: Command, place: ActionContext): string | undefined =>
  inCase(line.operands.slice(0, -1).some((arg) => readCategory(pathOf(arg, cwd), place) !== undefined))

export const secretChecks = {
  "prints-secrets": printsSecrets,
  "sifts-secrets": siftsSecrets,
  "copies-secrets": copiesSecrets
}
