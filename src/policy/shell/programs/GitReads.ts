import type { ActionContext } from "../../decision/CallAction.ts"
import type { Command } from "../Command.ts"
import { resolve } from "../Paths.ts"

/** Subcommands of git that only read, with the options that would make them write or run something (policy §4.1). */

const verbs = new Set([
  "status",
  "diff",
  "log",
  "show",
  "branch",
  "tag",
  "remote",
  "rev-parse",
  "rev-list",
  "ls-files",
  "ls-tree",
  "cat-file",
  "blame",
  "describe",
  "shortlog",
  "reflog",
  "config",
  "stash",
  "worktree",
  "grep",
  "merge-base",
  "for-each-ref",
  "name-rev",
  "show-ref",
  "diff-tree",
  "diff-index",
  "diff-files",
  "count-objects",
  "check-ignore",
  "check-attr",
  "var",
  "whatchanged",
  "range-diff",
  "cherry"
])
const never = [
  "--output",
  "--ext-diff",
  "--textconv",
  "--open-files-in-pager",
  "-O",
  "-c",
  "--config-env",
  "--exec-path",
  "-p",
  "--paginate",
  "--git-dir",
  "--work-tree",
  "--contents",
  "--edit",
  "--filters"
]
const listing = [
  "-a",
  "-r",
  "-v",
  "-vv",
  "--all",
  "--list",
  "-l",
  "--show-current",
  "--remotes",
  "--merged",
  "--no-merged",
  "--contains",
  "--no-contains",
  "--points-at",
  "--sort",
  "--format",
  "--column",
  "--color",
  "--no-color",
  "-i",
  "--ignore-case",
  "--verbose",
  "-n"
]

/** The folder it works in, and those it goes through to get there, are of repositories that run nothing of their own. */
const inPlain = (command: Command, place: ActionContext): boolean => {
  let folder: string | null | undefined = command.fields.cwd
  const folders = [folder, ...command.line.values("-C").map((arg) => (folder = resolve(arg.guess, folder ?? null)))]
  return folders.every((each) => each != null && place.isPlainRepository?.(each) === true)
}

export const gitReads = (command: Command, place: ActionContext): boolean =>
  onlyReads(command) && inPlain(command, place)

const onlyReads = (command: Command): boolean => {
  const { args, line } = command
  const verb = line.verb()
  const words = args.map((arg) => arg.guess)
  if (!verbs.has(verb)) return false
  const at = words.indexOf(verb)
  // `-p` after `log` shows a patch; before the subcommand it starts a pager.
  const isShow = /^(log|show|diff|stash|whatchanged|diff-tree|range-diff|blame|cat-file)$/.test(verb)
  const given = words.filter((word) => word.startsWith("-")).map((word) => word.replace(/=.*/, ""))
  if (
    given.some(
      (word) =>
        never.some((bad) => word === bad || (word.length > 2 && word.startsWith("--") && bad.startsWith(word))) &&
        !(word === "-p" && isShow && words.indexOf("-p") > at) &&
        !(word === "-c" && isShow && words.indexOf("-c") > at)
    )
  ) {
    return false
  }
  if (given.some((word) => /^-[cO]./.test(word) && word !== "-O")) return false
  // Another folder is fine as long as it is one below.
  if (
    line.values("-C").some((arg) => !/^(?!.*\.\.)[\w.][\w./-]*$/.test(arg.value ?? "")) ||
    (verb === "grep" && line.has("-O"))
  ) {
    return false
  }
  const operands = line.operands.slice(1).map((arg) => arg.guess)
  const onlyLists = line.options.every((option) => listing.includes(option)) &&
    (operands.length === 0 ||
      line.has("--list", "-l", "--contains", "--merged", "--no-merged", "--points-at", "--no-contains"))
  switch (verb) {
    case "branch":
    case "tag":
      return onlyLists
    case "remote":
      return operands.length === 0 || operands[0] === "get-url" || operands[0] === "-v"
    case "reflog":
      return operands.length === 0 || operands[0] === "show" || operands[0] === "exists"
    case "config":
      return (
        (line.has("--get", "--get-all", "--get-regexp", "--list", "-l") &&
          !line.has("--unset", "--add", "--replace-all", "-e")) ||
        operands[0] === "get" ||
        operands[0] === "list"
      )
    case "stash":
      return operands[0] === "list" || operands[0] === "show"
    case "worktree":
      return operands[0] === "list"
  }
  return true
}
