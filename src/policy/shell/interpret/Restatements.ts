import { after, type Arg, type Command, HOLE, literal } from "../programs/Command.ts"
import { forcedBySettings } from "../programs/Git.ts"
import { type Program, programOf, usualName } from "../programs/Table.ts"

/**
 * The same command in the words that rules and rows know: `git-push x` is `git push x`, and `python -m pip x` is `pip
 * x`. Only what deny and ask rules, limits and the search for dangers see is restated.
 */
export const restatementsOf = (command: Command): ReadonlyArray<ReadonlyArray<Arg>> => {
  const { args, fields, row } = command
  const path = fields.name?.guess ?? ""
  if (path === "" || path.includes(HOLE)) return []
  const base = path.slice(path.lastIndexOf("/") + 1)
  const renamed = newName(base)
  const all = [
    ...(renamed === undefined ? [] : [[...renamed.map(literal), ...args]]),
    ...(row.is("prefixed") ? [[literal(base.slice(1)), ...args]] : []),
    ...row.texts("means").map((text) => [...text.split(" ").map(literal), ...args]),
    ...forcedBySettings(command),
    ...withOptionsOf(command),
    ...usualVerb(command),
    ...namedByOption(command),
    ...namedByScript(command)
  ]
  return all.filter((words) => words.length > 0 && words[0]!.guess !== "")
}

/** Options that a variable adds. */
const withOptionsOf = ({ args, fields: { assignments, name }, row }: Command): ReadonlyArray<ReadonlyArray<Arg>> => {
  const names = row.words("options-from")
  if (names.length === 0) return []
  return assignments.filter((each) => names.includes(each.name)).map(({ value }) => [
    name!,
    ...value.guess.split(/\s+/).filter((word) => word !== "").map(literal),
    ...args
  ])
}

const newName = (base: string): ReadonlyArray<string> | undefined => {
  const dash = base.indexOf("-")
  if (dash > 0 && programOf(base.slice(0, dash)).is("dashed")) {
    return [base.slice(0, dash), base.slice(dash + 1).replace(/\.exe$/, "")]
  }
  const usual = usualName(base)
  // A name with a row of its own is known well enough; rules know the others as well.
  return usual !== base && programOf(base).name === "" ? [usual] : undefined
}

interface VerbNames {
  readonly usual: string
  readonly others: ReadonlyArray<ReadonlyArray<string>>
}

const verbNames = new Map<Program, ReadonlyArray<VerbNames>>()

const verbNamesOf = (row: Program): ReadonlyArray<VerbNames> => {
  const known = verbNames.get(row)
  if (known !== undefined) return known
  const found = row.texts("verbs").map((text): VerbNames => {
    const [usual = "", ...others] = text.split("=").map((each) => each.replaceAll("+", " "))
    return { usual, others: others.map((each) => each.split(" ")) }
  })
  verbNames.set(row, found)
  return found
}

/** A subcommand under its first name. */
const usualVerb = ({ args, fields, line: { operands }, row }: Command): ReadonlyArray<ReadonlyArray<Arg>> =>
  verbNamesOf(row).flatMap(({ others, usual }) => {
    const said = others.find((each) => each.every((word, index) => operands[index]?.guess === word))
    if (said === undefined) return []
    const first = args.indexOf(operands[0]!)
    const rest = args.slice(first).filter((arg) => !operands.slice(0, said.length).includes(arg))
    return [[fields.name!, ...args.slice(0, first), ...usual.split(" ").map(literal), ...rest]]
  })

/** `-m pip install` and `--program=rm x`: the value is the program, and what follows its arguments. */
const namedByOption = ({ args, row, words }: Command): ReadonlyArray<ReadonlyArray<Arg>> => {
  const options = row.words("runs-as")
  if (options.length === 0) return []
  for (let at = 0; at < words.length && words[at]!.startsWith("-"); at++) {
    for (const option of options) {
      const word = words[at]!
      const length = word.startsWith(`${option}=`) ? option.length + 1 : option.length
      const isJoined = length > option.length || (option.length === 2 && word.startsWith(option))
      if (word !== option && !isJoined) continue
      const [program, ...rest] = word === option
        ? args.slice(at + 1)
        : [after(args[at]!, length), ...args.slice(at + 1)]
      if (program === undefined) return []
      const dashes = rest.findIndex((arg) => arg.guess === "--")
      return [[program, ...rest], ...(dashes < 0 ? [] : [[program, ...rest.slice(dashes + 1)]])]
    }
    if (row.values()?.has(words[at]!) === true) at++
  }
  return []
}

/** An interpreter that is given a well-known program's file. */
const namedByScript = ({ args, line: { operands: [script] }, row }: Command): ReadonlyArray<ReadonlyArray<Arg>> => {
  if (script === undefined || !(row.is("shell") || row.language !== undefined)) return []
  const base = script.guess.slice(script.guess.lastIndexOf("/") + 1)
  const usual = usualName(base)
  const isProgram = usual !== base || (/(^|\/)\.?s?bin\//.test(script.guess) && programOf(base).name !== "")
  return isProgram ? [[literal(usual), ...args.slice(args.indexOf(script) + 1)]] : []
}

/** Names that a command line gives to commands: by program and name, or by name alone for those of the shell. */
export class Aliases {
  readonly #scripts = new Map<string, string>()

  /** Notes what a command defines, for itself and for those after it. `variable`: the value of a variable. */
  note(command: Command, variable: (name: string) => string | undefined): void {
    const { line, program, row } = command
    if (row.is("names-commands")) {
      for (const arg of line.operands) this.#set("", arg.guess, /^([^=]+)=(.*)$/s)
      return
    }
    for (const option of row.words("aliases")) {
      if (option.startsWith("-")) {
        for (const { guess } of line.values(option)) this.#set(program, guess, /^alias\.([^=]+)=["']?(.*?)["']?$/is)
      } else if (option.endsWith("*")) {
        const verb = line.verb()
        const script = variable(option.slice(0, -1) + verb.toUpperCase().replaceAll("-", "_"))
        if (script !== undefined) this.#scripts.set(`${program} ${verb}`, script)
      } else for (const setting of settingsIn(option, variable)) this.#set(program, setting, /^alias\.([^=]+)=(.*)$/is)
    }
    for (const text of row.texts("alias-verb")) {
      const verbs = text.split(" ")
      const words = line.operands.map((arg) => arg.guess)
      if (!verbs.every((verb, index) => words[index] === verb)) continue
      const [first, ...rest] = words.slice(verbs.length)
      const more = /^(set|add)$/.test(first ?? "") && rest.length > 1 ? rest : [first ?? "", ...rest]
      const name = more[0]?.replace(/^alias\./i, "")
      if (name !== undefined && more[1] !== undefined) this.#scripts.set(`${program} ${name}`, more.slice(1).join(" "))
    }
  }

  /** What the command runs by such a name, as a script, and the key of the name. */
  expand(command: Command): { readonly key: string; readonly script: string } | undefined {
    if (this.#scripts.size === 0) return undefined
    const { args, fields, line, program } = command
    const own = this.#scripts.get(fields.name?.guess ?? "")
    if (own !== undefined) return { key: fields.name!.guess, script: [own, ...args.map(quoted)].join(" ") }
    const key = `${program} ${line.verb()}`
    const script = this.#scripts.get(key)
    if (script === undefined) return undefined
    const rest = args.slice(args.indexOf(line.operands[0]!) + 1).map(quoted)
    const said = script.startsWith("!") ? script.slice(1) : `${program} ${script}`
    return { key, script: [said, ...rest].join(" ") }
  }

  #set(program: string, text: string, form: RegExp): void {
    const [, name, script] = form.exec(text) ?? []
    if (name !== undefined && script !== undefined) {
      this.#scripts.set(program === "" ? name : `${program} ${name}`, script)
    }
  }
}

const quoted = ({ guess }: Arg): string => (guess.includes(HOLE) ? guess : `'${guess.replaceAll("'", "'\\''")}'`)

/** The settings in variables whose names begin so: counted keys and values, and a list of quoted settings. */
const settingsIn = (prefix: string, variable: (name: string) => string | undefined): ReadonlyArray<string> => {
  const count = Math.min(Number(variable(`${prefix}COUNT`) ?? 0) || 0, 64)
  const counted = Array.from(
    { length: count },
    (_, at) => `${variable(`${prefix}KEY_${at}`) ?? ""}=${variable(`${prefix}VALUE_${at}`) ?? ""}`
  )
  const listed = Array.from(
    (variable(`${prefix}PARAMETERS`) ?? "").matchAll(/'([^']*)'(?:='([^']*)')?/g),
    ([, key = "", value]) => (value === undefined ? key : `${key}=${value}`)
  )
  return [...counted, ...listed]
}
