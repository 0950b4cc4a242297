import type { ActionContext, CallAction, CommandAction, FileOperand, Word } from "../../decision/CallAction.ts"
import { isInside, resolve } from "../parse/Paths.ts"
import { type Arg, type Assignment, Command, type Fields, HOLE } from "../programs/Command.ts"
import { environmentNames } from "../programs/Environment.ts"
import { fileAccessOf } from "../programs/FileAccess.ts"
import { appendsInput } from "../programs/Rules.ts"
import { mentionsOf } from "../programs/Mentions.ts"
import { namedWords } from "../programs/NamedWords.ts"
import type { AlternateCwds, WalkContext } from "./Scope.ts"

/** A command of a loop with the values of all rounds. */
interface Gathered {
  readonly part: CommandAction & { opaque: boolean }
  readonly touched: Set<string>
  readonly touches: Array<FileOperand>
  readonly mentions: Array<string>
  readonly alternatives: Array<ReadonlyArray<Word>>
  readonly commands: Array<Command>
}

/** Collects the commands of a script, and the parts of them that rules and people see. */
export class CommandRecorder {
  readonly #place: ActionContext
  readonly commands: Array<Command> = []
  /** The same commands in the other folders they may run in. */
  readonly alternates: Array<Command> = []
  readonly parts: Array<CallAction> = []
  /** What rules see only to forbid it. */
  readonly inner: Array<CallAction> = []
  /** The commands that parts are about: in a loop one for each of its values. */
  readonly commandsOf = new Map<CallAction, ReadonlyArray<Command>>()

  readonly #gathered = new Map<CallAction, Gathered>()
  /** The first so many of `inner`, to find them again. */
  readonly #innerKeys = new Set<string>()
  #keyed = 0

  constructor(place: ActionContext) {
    this.#place = place
  }

  /** Adds a command, and returns it as it is in the other folders it may run in. */
  add(command: Command, cwds: AlternateCwds): ReadonlyArray<Command> {
    const others = command.fields.where === "here"
      ? cwds.slice(1).map((cwd) => new Command({ ...command.fields, cwd }))
      : []
    this.commands.push(command)
    this.alternates.push(...others)
    return others
  }

  /** Adds a redirect or assignments without a command of their own. */
  addBare(
    given: Pick<Fields, "reads" | "writes" | "assignments">,
    rest: Omit<Fields, "text" | "name" | "args" | keyof typeof given>
  ): void {
    const text = [
      ...given.assignments.map((each) => `${each.name}=${each.value.text}`),
      ...given.reads.map((arg) => `< ${arg.text}`),
      ...given.writes.map((arg) => `> ${arg.text}`)
    ].join(" ")
    this.commands.push(new Command({ ...given, ...rest, text, name: undefined, args: [] }))
  }

  /** Adds the parts of a command. `meant`: the same with the files that its words lead to. */
  addParts(command: Command, others: ReadonlyArray<Command>, context: WalkContext, meant?: Command): void {
    const { assignments, cwd, name, text } = command.fields
    if (name === undefined && !assignments.some((each) => environmentNames.has(each.name))) return
    const words = name === undefined ? [] : [name, ...command.args]
    // `$PWD` is sure only where the folder is.
    const word = (arg: Arg) => (others.length > 0 && /PWD|^~\+/.test(arg.text) ? arg.value : sureWord(arg))
    const argv = words.map(word)
    const values = words.map((each, index) => argv[index] ?? knownWord(each))
    const isGiven = appendsInput(context.wrappers.at(-1))
    const printed = words.flatMap((each, index) =>
      values[index] === null && (isSubstitution(each.text) || (isGiven && each.guess === HOLE)) ? [index] : []
    )
    const part: CommandAction = {
      kind: "command",
      text,
      program: name === undefined ? "" : argv[0]!,
      argv,
      ...(values.some((each, index) => each !== argv[index]) ? { values } : {}),
      ...(printed.length > 0 ? { printed } : {}),
      ...(context.captured ? { captured: true as const } : {}),
      assignments: assignments.map((each) => ({ name: each.name, value: sureWord(each.value) })),
      wrappers: context.wrappers,
      cwd,
      touches: meant === undefined
        ? fileAccessOf(command, this.#place)
        : distinct([...fileAccessOf(command, this.#place), ...fileAccessOf(meant, this.#place)]),
      ...mentioned([command, ...others, ...meant === undefined ? [] : [meant]]),
      ...(command.fields.where === "contained" ? { contained: true as const } : {}),
      opaque: command.opaque
    }
    const complete = this.#withAlternates(part, others)
    this.#add(complete, command, context)
    const likely = words.map(likelyWord)
    if (likely.some((each, index) => each !== argv[index])) {
      const { values: _, ...rest } = complete
      const found: CallAction = { ...rest, program: likely[0] ?? "", argv: likely }
      if (!context.repeated || !this.#isInner(found)) this.inner.push(found)
    }
  }

  /** A command of a loop is one part, whatever its values. */
  #add(part: CommandAction, command: Command, context: WalkContext): void {
    const into = this.#into(context)
    const at = context.repeated ? into.findIndex((each) => each.kind === "command" && isRepeated(each, part)) : -1
    if (at < 0) {
      into.push(part)
      this.commandsOf.set(part, [command])
      return
    }
    const gathered = this.#gather(into[at] as CommandAction)
    into[at] = gathered.part
    for (const touch of part.touches) {
      if (!gathered.touched.has(keyOf(touch))) gathered.touches.push(touch)
      gathered.touched.add(keyOf(touch))
    }
    gathered.mentions.push(...part.mentions ?? [])
    gathered.alternatives.push(part.values ?? part.argv)
    gathered.commands.push(command)
    gathered.part.opaque ||= part.opaque
  }

  /** A part that further rounds of a loop add to. */
  #gather(part: CommandAction): Gathered {
    const before = this.#gathered.get(part)
    if (before !== undefined) return before
    const touches = [...part.touches]
    const mentions = [...part.mentions ?? []]
    const alternatives = [...part.alternatives ?? []]
    const commands = [...this.commandsOf.get(part) ?? []]
    const made = { ...part, touches, mentions, alternatives }
    const gathered = { part: made, touched: new Set(touches.map(keyOf)), touches, mentions, alternatives, commands }
    this.#gathered.set(made, gathered)
    this.commandsOf.delete(part)
    this.commandsOf.set(made, commands)
    return gathered
  }

  /** Whether a loop has come to the same words before. */
  #isInner(part: CallAction): boolean {
    for (; this.#keyed < this.inner.length; this.#keyed++) this.#innerKeys.add(sameKey(this.inner[this.#keyed]!))
    return this.#innerKeys.has(sameKey(part))
  }

  /** Adds the test of files as the command `[[`, which needs no rule, where it leads out of the folder. */
  addTest(words: ReadonlyArray<Arg>, cwd: string | null, context: WalkContext): void {
    const paths = words.flatMap((arg) => arg.guess.includes(HOLE) ? [] : resolve(arg.guess, cwd) ?? [])
    if (context.where === "contained" || paths.every((path) => isInside(path, this.#place))) return
    this.#into(context).push({
      kind: "command",
      text: `[[ ${words.map((arg) => arg.text).join(" ")} ]]`,
      program: "[[",
      argv: ["[[", ...words.map((arg) => arg.value), "]]"],
      assignments: [],
      wrappers: context.wrappers,
      cwd,
      touches: [],
      mentions: paths,
      opaque: false
    })
  }

  /** Adds the part of a redirect; in a container it is another file. */
  addRedirect(part: CallAction, context: WalkContext): void {
    if (context.where === "contained") return
    const into = this.#into(context)
    const isThere = (each: CallAction) => each.text === part.text && sameKey(each) === sameKey(part)
    if (!context.repeated || !into.some(isThere)) into.push(part)
  }

  /** Adds files of redirects for every folder but the first, whose part is added where they are read. */
  addAlternateRedirects(
    args: ReadonlyArray<Arg>,
    kind: "read" | "write",
    cwds: AlternateCwds,
    context: WalkContext
  ): void {
    for (const arg of args) {
      if (arg.value === null || arg.guess.startsWith("/")) continue
      for (const cwd of cwds.slice(1)) {
        const text = `${kind === "read" ? "<" : ">"} ${arg.text}`
        this.#into(context).push({ kind, text, path: resolve(arg.guess, cwd) ?? null })
      }
    }
  }

  /** The parts from this index on run in an unknown folder: no allow rule may match them. */
  unsettle(from = 0): void {
    this.parts.push(
      ...this.parts.splice(from).flatMap((part): ReadonlyArray<CallAction> => {
        if (part.kind === "command") return [{ ...part, opaque: true }]
        const relative = (part.kind === "read" || part.kind === "write") && !/^\S+ ["']?\//.test(part.text)
        return relative ? [part, { ...part, path: null }] : [part]
      })
    )
  }

  #into({ hidden }: WalkContext): Array<CallAction> {
    return hidden ? this.inner : this.parts
  }

  /** Where the folder is not sure, a deny rule should see what is named in each. */
  #withAlternates(part: CommandAction, others: ReadonlyArray<Command>): CommandAction {
    if (others.length === 0) return part
    const cwds = [part.cwd, ...others.map((each) => each.fields.cwd)]
    const words = namedWords(part, part.program === null ? null : others[0]!.program).reads
    const reads = cwds.flatMap((cwd) =>
      words.flatMap((word): ReadonlyArray<FileOperand> => {
        const path = word.includes(HOLE) || word.startsWith("~") ? undefined : resolve(word, cwd)
        return path === undefined ? [] : [{ kind: "read", path }]
      })
    )
    const known = [...part.touches, ...others.flatMap((each) => fileAccessOf(each, this.#place)), ...reads]
    return { ...part, cwd: null, touches: distinct(known) }
  }
}

const mentioned = (commands: ReadonlyArray<Command>): Pick<CommandAction, "mentions"> => {
  const mentions = commands.flatMap(mentionsOf)
  return mentions.length === 0 ? {} : { mentions }
}

const distinct = (touches: ReadonlyArray<FileOperand>): ReadonlyArray<FileOperand> => [
  ...new Map(touches.map((touch) => [keyOf(touch), touch])).values()
]

const keyOf = ({ below, glob, kind, path }: FileOperand): string => `${kind} ${below} ${glob} ${path}`

/** The same words of the source, which stand for something else. */
const isRepeated = (a: CommandAction, b: CommandAction): boolean =>
  a.text === b.text && a.cwd === b.cwd && a.argv.length === b.argv.length &&
  a.argv.every((word, index) => word === b.argv[index]) && a.wrappers.join() === b.wrappers.join() &&
  JSON.stringify([a.assignments, a.printed]) === JSON.stringify([b.assignments, b.printed])

/** The word is one substitution and nothing else. */
const isSubstitution = (text: string): boolean => /^"?(\$\((?!\().*\)|`[^`]*`)"?$/s.test(text)

/** The same for what a loop has come to once more. */
const sameKey = (part: CallAction): string =>
  part.kind === "command"
    ? JSON.stringify([part.text, part.opaque, part.cwd, part.argv, part.touches])
    : JSON.stringify([part.kind, part.text, "path" in part ? part.path : null])

/** What a word will be unless something changes it meanwhile. */
const likelyWord = (arg: Arg): string | null => (arg.glob || arg.guess.includes(HOLE) ? arg.value : arg.guess)

/** As written where it is literal, filled in where only `$HOME` and `$PWD` are not. */
const sureWord = (arg: Arg): string | null =>
  arg.value ??
    (arg.certain && !arg.glob && !arg.guess.includes(HOLE) && !/[$`{]/.test(arg.text.replace(/\$(HOME|PWD)\b/g, ""))
      ? arg.guess
      : null)

/** What the program gets for certain; names that a pattern finds are as good as the pattern where none can be an option. */
const knownWord = (arg: Arg): string | null =>
  arg.value ?? (arg.exact || (arg.glob && arg.certain && /^[\w./@]/.test(arg.guess)) ? arg.guess : null)

export const textOf = (words: ReadonlyArray<Arg>, assignments: ReadonlyArray<Assignment>): string =>
  [
    ...assignments.map((each) => `${each.name}=${each.value.text}`),
    ...words.map((word) => word.text).filter((text) => text !== "")
  ].join(" ")
