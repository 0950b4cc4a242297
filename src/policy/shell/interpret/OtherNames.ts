import { basename, dirname } from "node:path"
import type { ActionContext } from "../../decision/CallAction.ts"
import { isAtOrBelow, resolve } from "../parse/Paths.ts"
import { type Arg, type Command, HOLE, literal, supplied } from "../programs/Command.ts"
import { programOf, unversioned } from "../programs/Table.ts"

const mostNames = 64

/** Options with which a copy is a link. */
const linking = ["-l", "--link", "-s", "--symbolic-link"]

/** Programs that take away or move a link itself, and not what it leads to. */
const takesLink = new Set(["rm", "unlink", "rmdir", "mv", "ln", "readlink", "ls", "stat", "test", "["])

/**
 * Names that a command line gives to files: links, and copies of programs. What is done by such a name is done to the
 * file, or by the program.
 */
export class OtherNames {
  /** What links lead to, by their absolute paths; a path with `HOLE` leads anywhere. */
  readonly #links = new Map<string, string>()
  /** What copies are copies of. */
  readonly #copies = new Map<string, string>()

  /** There are more than are followed. */
  get isFull(): boolean {
    return this.#links.size + this.#copies.size > mostNames
  }

  /** Notes the names that a command gives. */
  note(command: Command, place: ActionContext): void {
    const { program, row } = command
    if (this.isFull) return
    if (row.is("links") || program === "link") this.#linked(command, place, !command.line.has("-s", "--symbolic"))
    else if (row.is("carries") || row.is("places")) {
      if (command.line.has(...linking)) this.#linked(command, place, true)
      this.#copied(pairsOf(command, place), command)
    } else if (row.files?.operands === "assigned") {
      const valueOf = (name: string) => command.words.find((word) => word.startsWith(name))?.slice(name.length)
      this.#copied([[valueOf("if=") ?? "", valueOf("of=") ?? ""]], command)
    } else if (row.is("passes-input") || row.is("keeps-input")) {
      const { input, writes } = command.fields
      const into = row.is("keeps-input") ? [...command.line.operands, ...writes] : writes
      const from = row.is("keeps-input") || command.line.operands.length === 0 ? [input.file] : command.line.operands
      const pairs = from.flatMap((arg) => into.map(({ guess }) => [arg?.guess ?? "", guess] as const))
      if (pairs.length > 0) this.#copied(pairs, command)
    }
  }

  #linked(command: Command, place: ActionContext, isHard: boolean): void {
    const { cwd } = command.fields
    for (const [target, name] of pairsOf(command, place)) {
      const path = resolve(name, cwd)
      if (path === undefined || target === "" || path.includes(HOLE)) continue
      const from = isHard || command.row.is("carries") && !command.row.is("links") ? cwd : dirname(path)
      const leads = target.includes(HOLE) ? HOLE : resolve(target, from)
      if (leads !== undefined && leads !== path) this.#links.set(path, leads)
    }
  }

  #copied(pairs: ReadonlyArray<readonly [string, string]>, { fields: { cwd } }: Command): void {
    for (const [source, name] of pairs) {
      const [from, to] = [resolve(source, cwd), resolve(name, cwd)]
      if (from === undefined || to === undefined || from === to || source === "" || name === "") continue
      const known = this.#programAt(from)
      if (known !== undefined && basename(known) !== basename(to)) this.#copies.set(to, known)
    }
  }

  /** The path with links followed. */
  #follow(path: string): string {
    let at = path
    for (let steps = 0; steps < 8; steps++) {
      const found = Array.from(this.#links).find(([name]) => isAtOrBelow(at, name))
      if (found === undefined) return at
      at = found[1] + at.slice(found[0].length)
      if (found[1] === HOLE) return HOLE
    }
    return at
  }

  /** The program that a file is, where that is known. */
  #programAt(path: string): string | undefined {
    const file = this.#follow(path)
    return this.#copies.get(file) ?? this.#copies.get(path) ??
      (programOf(unversioned(basename(file))).name !== "" ? file : undefined)
  }

  /** The same word with the file that it leads to; `undefined` where it leads to none. */
  #throughLink(text: string, cwd: string | null, takesLinks: boolean): string | undefined {
    const start = /^(?:--?[\w-]+=|[a-z]+=|@|-[A-Za-z](?=[\w./~]))/.exec(text)?.[0] ?? ""
    for (const prefix of start === "" ? [""] : ["", start]) {
      const path = resolve(text.slice(prefix.length), cwd)
      if (path === undefined || path === "/") continue
      const isLink = this.#links.has(path) && !text.endsWith("/")
      if (isLink && takesLinks) continue
      const found = this.#follow(path)
      if (found !== path) return prefix + found + (text.endsWith("/") && found !== HOLE ? "/" : "")
    }
    return undefined
  }

  /** The file that an argument leads to through links; `undefined` where it names one itself. */
  file(arg: Arg, cwd: string | null): Arg | undefined {
    if (this.#links.size === 0 || arg.guess === "" || arg.guess.startsWith(HOLE)) return undefined
    const found = this.#throughLink(arg.guess, cwd, false)
    return found === undefined ? undefined : { ...supplied(found, arg.glob), text: arg.text }
  }

  /** The command with the program and the files that its words lead to; `undefined` where they are these. */
  restated(command: Command): ReadonlyArray<Arg> | undefined {
    if (this.#links.size + this.#copies.size === 0) return undefined
    const { args, fields: { cwd, name } } = command
    if (name === undefined) return undefined
    const program = this.#programNamed(name.guess, cwd)
    const meant = programOf(unversioned(basename(program ?? name.guess)))
    const takes = takesLink.has(meant.name)
    let isOther = program !== undefined
    const words = args.map((arg) => {
      if (this.#links.size === 0 || arg.guess === "" || arg.guess.startsWith(HOLE)) return arg
      const found = this.#throughLink(arg.guess, cwd, takes)
      if (found === undefined) return arg
      isOther = true
      return { ...supplied(found, arg.glob), text: arg.text }
    })
    return isOther ? [program === undefined ? name : literal(program), ...words] : undefined
  }

  #programNamed(name: string, cwd: string | null): string | undefined {
    if (name === "" || name.includes(HOLE)) return undefined
    if (!name.includes("/")) {
      // `PATH` may lead to it.
      if (programOf(name).name !== "") return undefined
      const names = [...this.#copies.keys(), ...this.#links.keys()]
      const found = names.find((path) => basename(path) === name)
      return found === undefined ? undefined : this.#programAt(found)
    }
    const path = resolve(name, cwd)
    const found = path === undefined ? undefined : this.#programAt(path)
    return found === undefined || basename(found) === basename(name) ? undefined : found
  }
}

/** Which files a command puts where; into a folder under their own names, and where it may be one under both. */
const pairsOf = (command: Command, place: ActionContext): ReadonlyArray<readonly [string, string]> => {
  const { fields: { cwd }, line, row } = command
  const operands = line.operands.map((arg) => arg.guess)
  const option = line.values("-t", "--target-directory").at(-1)?.guess
  if (option === undefined && operands.length === 1 && row.is("links")) {
    return [[operands[0]!, `./${basename(operands[0]!)}`]]
  }
  const target = option ?? operands.at(-1)
  if (target === undefined || (option === undefined && operands.length < 2)) return []
  const sources = option === undefined ? operands.slice(0, -1) : operands
  const path = resolve(target, cwd)
  const kind = path === undefined ? undefined : place.kindOf?.(path)
  const isFolder = option !== undefined || sources.length > 1 || /(^|\/)\.{0,2}$/.test(target) || kind === "folder"
  const inside = sources.map((source) => [source, `${target}/${basename(source)}`] as const)
  if (isFolder) return inside
  const itself = sources.map((source) => [source, target] as const)
  return kind === "file" ? itself : [...itself, ...inside]
}
