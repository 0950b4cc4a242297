import type { CallAction, CommandAction } from "../decision/CallAction.ts"
import { programOf } from "../shell/programs/Table.ts"
import type { Call } from "./Call.ts"
import { isHarmless } from "./Views.ts"

/**
 * Parts that need no allow rule, because they change nothing outside the command itself
 * (docs/policy.md#neutral-commands).
 */

const always = new Set([":", "true", "false", "pwd", "exit", "return", "break", "continue", "echo"])

const tests = new Set(["test", "[", "[["])

const devices = new Set([
  "/dev/null",
  "/dev/stdin",
  "/dev/stdout",
  "/dev/stderr",
  "/dev/fd/0",
  "/dev/fd/1",
  "/dev/fd/2"
])

const inside = (folder: string, path: string) =>
  path === folder || path.startsWith(folder === "/" ? folder : `${folder}/`)

/**
 * Into a folder of the workspace. A `cd ..` counts only where every folder is known: a loop would climb further each
 * time.
 */
const staysInside = ({ argv, cwd }: CommandAction, { locate, parts, place }: Call): boolean => {
  const [target, ...more] = argv.slice(argv[1] === "--" ? 2 : 1)
  if (cwd === null || typeof target !== "string" || target === "" || target.startsWith("-") || more.length > 0) {
    return false
  }
  if (target.split("/").includes("..") && parts.some((part) => part.kind === "command" && part.cwd === null)) {
    return false
  }
  const { written } = locate(target, cwd)
  const { canonical } = locate(written, cwd)
  return [written, canonical].every((path) => path !== undefined && place.roots.some((root) => inside(root, path)))
}

/** No program has heard of a short name in small letters; the shell alone uses it. */
const isLocal = ({ name, value }: CommandAction["assignments"][number]) =>
  value !== null && /^[a-z][a-z0-9]{0,15}$/.test(name)

const isExport = (word: string | null): boolean => {
  const border = word?.indexOf("=") ?? -1
  return word !== null && border > 0 && isHarmless({ name: word.slice(0, border), value: word.slice(border + 1) })
}

/** A test that sets, or evaluates, what it names may run code hidden in a text. */
const isPlainTest = (word: string | null) => word === null || !/^-[vR]$|\$\(|`|\[.*\$/.test(word)

const command = (part: CommandAction, call: Call): boolean => {
  const [program, ...args] = part.argv
  if (part.opaque) return false
  if (program === undefined) {
    return part.assignments.length > 0 && part.assignments.every((one) => isHarmless(one) || isLocal(one))
  }
  if (program === null) return false
  if (!part.assignments.every(isHarmless)) return false
  if (program === "export") return args.length > 0 && args.every(isExport)
  if (always.has(program)) return true
  if (program === "printf") return args[0] !== null && args[0]?.startsWith("-v") !== true
  if (tests.has(program)) return args.every(isPlainTest)
  if (program === "set") {
    return args.length > 0 && args.every((word) => word !== null && /^([-+][eux]*o?|pipefail)$/.test(word))
  }
  return program === "cd" ? staysInside(part, call) : programOf(program).is("neutral") && wraps(part, call)
}

/** The limits and priorities of wrappers; `-o FILE` of `time` is none of them. */
const plainWord =
  /^(-[npskv]|--(foreground|preserve-status|verbose)|--(signal|kill-after|adjustment)=\w+|-?\d+(\.\d+)?[smhd]?|[A-Z]+\d*|--)$/

/** What it runs is a part of its own that the rules judge, and the words before that are harmless. */
const wraps = (part: CommandAction, { parts }: Call): boolean =>
  parts.some((inner) =>
    inner.kind === "command" && inner.argv.length > 0 && inner.argv.length < part.argv.length
    && inner.wrappers.length === part.wrappers.length + 1 && inner.wrappers.at(-1) === part.argv[0]
    && inner.argv.every((word, index) => word === part.argv[part.argv.length - inner.argv.length + index])
    && part.argv.slice(1, part.argv.length - inner.argv.length).every((word) => word !== null && plainWord.test(word))
  )

export const isNeutral = (part: CallAction, call: Call): boolean => {
  switch (part.kind) {
    case "command":
      return command(part, call)
    case "read":
    case "write":
      return part.path !== null && devices.has(part.path)
    // What a tool touches says more than its name; without that, its name has to be allowed.
    case "tool":
      return call.parts.some(({ kind }) => kind === "read" || kind === "write" || kind === "fetch" || kind === "mcp")
    default:
      return false
  }
}
