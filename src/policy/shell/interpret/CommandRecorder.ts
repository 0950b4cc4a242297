import type { ActionContext, CallAction, CommandAction, FileOperand } from "../../decision/CallAction.ts"
import { resolve } from "../parse/Paths.ts"
import { type Arg, type Assignment, Command, type Fields, HOLE } from "../programs/Command.ts"
import { environmentNames } from "../programs/Environment.ts"
import { fileAccessOf } from "../programs/FileAccess.ts"
import { namedWords } from "../programs/NamedWords.ts"
import type { AlternateCwds, WalkContext } from "./Scope.ts"

/** Collects the commands of a script, and the parts of them that rules and people see. */
export class CommandRecorder {
  readonly #place: ActionContext
  readonly commands: Array<Command> = []
  /** The same commands in the other folders they may run in. */
  readonly alternates: Array<Command> = []
  readonly parts: Array<CallAction> = []
  /** What rules see only to forbid it. */
  readonly inner: Array<CallAction> = []
  /** The commands that parts are about. */
  readonly commandOf = new Map<CallAction, Command>()

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

  /** Adds the parts of a command. */
  addParts(command: Command, others: ReadonlyArray<Command>, context: WalkContext): void {
    const { assignments, cwd, name, text } = command.fields
    if (name === undefined && !assignments.some((each) => environmentNames.has(each.name))) return
    const words = name === undefined ? [] : [name, ...command.args]
    // `$PWD` is sure only where the folder is.
    const word = (arg: Arg) => (others.length > 0 && /PWD|^~\+/.test(arg.text) ? arg.value : sureWord(arg))
    const part: CommandAction = {
      kind: "command",
      text,
      program: name === undefined ? "" : word(name),
      argv: words.map(word),
      assignments: assignments.map((each) => ({ name: each.name, value: sureWord(each.value) })),
      wrappers: context.wrappers,
      cwd,
      touches: fileAccessOf(command, this.#place),
      ...(command.fields.where === "contained" ? { contained: true as const } : {}),
      opaque: command.opaque
    }
    const complete = this.#withAlternates(part, others)
    this.#into(context).push(complete)
    this.commandOf.set(complete, command)
    const likely = words.map(likelyWord)
    if (likely.some((each, index) => each !== part.argv[index])) {
      this.inner.push(this.#withAlternates({ ...part, program: likely[0] ?? "", argv: likely }, others))
    }
  }

  /** Adds the part of a redirect; in a container it is another file. */
  addRedirect(part: CallAction, context: WalkContext): void {
    if (context.where !== "contained") this.#into(context).push(part)
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
    const touches = [...new Map(known.map((touch) => [`${touch.kind} ${touch.below} ${touch.path}`, touch])).values()]
    return { ...part, cwd: null, touches }
  }
}

/** What a word will be unless something changes it meanwhile. */
const likelyWord = (arg: Arg): string | null => (arg.glob || arg.guess.includes(HOLE) ? arg.value : arg.guess)

/** As written where it is literal, filled in where only `$HOME` and `$PWD` are not. */
const sureWord = (arg: Arg): string | null =>
  arg.value ??
    (arg.certain && !arg.glob && !arg.guess.includes(HOLE) && !/\$[($!?#{]|`|RANDOM|SECONDS|PID|\{/.test(arg.text)
      ? arg.guess
      : null)

export const textOf = (words: ReadonlyArray<Arg>, assignments: ReadonlyArray<Assignment>): string =>
  [
    ...assignments.map((each) => `${each.name}=${each.value.text}`),
    ...words.map((word) => word.text).filter((text) => text !== "")
  ].join(" ")
