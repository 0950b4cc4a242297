import type { CallAction, CommandAction } from "../../decision/CallAction.ts"
import { programOf } from "../../shell/programs/Table.ts"
import type { RuleCall } from "./RuleCall.ts"
import { isHarmless } from "./Views.ts"

/**
 * Commands that need no allow rule: they change nothing outside the command line. See docs/policy.md#neutral-commands.
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

/** A `cd` into a folder of the workspace. `cd ..` counts only where every folder is known: a loop would climb on. */
const staysInside = ({ argv, cwd }: CommandAction, { locate, parts, place }: RuleCall): boolean => {
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

/** An assignment to a short lower-case name: only the shell itself uses such variables. */
const isLocal = ({ name, value }: CommandAction["assignments"][number]) =>
  value !== null && /^[a-z][a-z0-9]{0,15}$/.test(name)

const isExport = (word: string | null): boolean => {
  const border = word?.indexOf("=") ?? -1
  return word !== null && border > 0 && isHarmless({ name: word.slice(0, border), value: word.slice(border + 1) })
}

/** Tests that set or evaluate a variable may run code hidden in its value. */
const isPlainTest = (word: string | null) => word === null || !/^-[vR]$|\$\(|`|\[.*\$/.test(word)

const command = (part: CommandAction, call: RuleCall): boolean => {
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

/** A wrapper whose own words are harmless; rules judge what it runs as an action of its own. */
const wraps = (part: CommandAction, { parts }: RuleCall): boolean =>
  parts.some((inner) =>
    inner.kind === "command" && inner.argv.length > 0 && inner.argv.length < part.argv.length
    && inner.wrappers.length === part.wrappers.length + 1 && inner.wrappers.at(-1) === part.argv[0]
    && inner.argv.every((word, index) => word === part.argv[part.argv.length - inner.argv.length + index])
    && part.argv.slice(1, part.argv.length - inner.argv.length).every((word) => word !== null && plainWord.test(word))
  )

export const isNeutral = (part: CallAction, call: RuleCall): boolean => {
  switch (part.kind) {
    case "command":
      return command(part, call)
    case "read":
    case "write":
      return part.path !== null && devices.has(part.path)
    // A tool is covered by its paths and URLs; without any, its name has to be allowed.
    case "tool":
      return call.parts.some(({ kind }) => kind === "read" || kind === "write" || kind === "fetch" || kind === "mcp")
    default:
      return false
  }
}
