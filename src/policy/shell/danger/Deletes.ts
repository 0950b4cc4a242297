import type { ActionContext } from "../../decision/CallAction.ts"
import type { Command } from "../Command.ts"
import { foundBy } from "../Feeders.ts"
import { isBelow, isExpendable, isFileName, isInside, isUnbounded, resolve } from "../Paths.ts"
import { type Arg, HOLE } from "../Words.ts"
import { checks } from "./Check.ts"
import { readCategory, writeCategory } from "./Places.ts"

/** Deleting what cannot be made again (policy §3.1, fs-wipe). */

const wipesTree = (targets: ReadonlyArray<Arg>, command: Command, place: ActionContext): boolean =>
  targets.some((arg) => !isExpendable(arg, command.fields.cwd, place))

/** One file, without recursion: harmless inside the project, where version control and the person know it. */
const losesFile = (arg: Arg, command: Command, place: ActionContext): string | undefined => {
  if (isExpendable(arg, command.fields.cwd, place)) return undefined
  if (isUnbounded(arg)) return "fs-wipe"
  if (arg.guess.startsWith(HOLE)) return undefined
  const path = resolve(arg.guess, command.fields.cwd)
  if (path === undefined) return undefined
  if (isInside(path, place)) return /(^|\/)\.git(\/(?!.*\.lock$).*)?$/.test(path) ? "fs-wipe" : undefined
  return writeCategory(path, place) ?? readCategory(path, place) ?? (path.includes(HOLE) ? undefined : "fs-wipe")
}

const feeders = new Set(["xargs", "find", "gfind", "fd", "fdfind", "parallel"])

const remove = (command: Command, place: ActionContext): string | undefined => {
  const targets = command.line.operands
  if (command.line.has("-r", "-R", "--recursive")) {
    const trees = targets.filter((arg) => !(isFileName(arg) && isInside(resolve(arg.guess, command.fields.cwd), place)))
    if (wipesTree(trees, command, place)) return "fs-wipe"
  }
  // One command for each of many names is as good as recursion.
  if (
    feeders.has(command.fields.wrappers.at(-1) ?? "") &&
    wipesTree(
      targets.filter((arg) => arg.glob || arg.guess === HOLE),
      command,
      place
    )
  ) {
    return "fs-wipe"
  }
  return targets.map((arg) => losesFile(arg, command, place)).find((category) => category !== undefined)
}

const find = (command: Command, place: ActionContext): string | undefined => {
  const names = command.args.map((arg) => arg.guess)
  if (names.includes("-delete") && wipesTree(foundBy(command), command, place)) return "fs-wipe"
  const moves = names.some(
    (name, at) => /^-(exec|execdir|ok|okdir)$/.test(name) && /^(mv|truncate|shred|unlink)$/.test(names[at + 1] ?? "")
  )
  if (moves && wipesTree(foundBy(command), command, place)) return "fs-wipe"
  const hunts = foundBy(command).some((arg) => {
    const path = resolve(arg.guess.replace(/\*/g, "x"), command.fields.cwd)
    return (
      path !== undefined &&
      !isInside(path, place) &&
      (readCategory(path, place) !== undefined || /\.(pem|key|kdbx|ppk|p12|pfx|jks|ovpn)$/.test(path))
    )
  })
  return hunts && !names.includes("-perm") ? "credentials" : undefined
}

const move = (command: Command, place: ActionContext): string | undefined => {
  const operands = command.line.operands
  const target = operands.at(-1)
  if (target?.guess === "/dev/null") return "fs-wipe"
  const sources = command.line.has("-t", "--target-directory") ? operands : operands.slice(0, -1)
  const away = sources.some((arg) => {
    const path = resolve(arg.guess, command.fields.cwd)
    return (
      path !== undefined &&
      (path === place.home ||
        path === "/" ||
        /^\/(home|Users)\/[^/]+$/.test(path) ||
        isBelow(place.home, path) ||
        place.roots.some((root) => path === root || isBelow(root, path)))
    )
  })
  return away ? "fs-wipe" : undefined
}

const rsync = (command: Command, place: ActionContext): string | undefined => {
  const { line } = command
  if (line.has("-n", "--dry-run")) return undefined
  if (line.has("--remove-source-files")) return "fs-wipe"
  if (!line.options.some((name) => name.startsWith("--del"))) return undefined
  const target = line.operands.at(-1)
  return target === undefined || !isExpendable(target, command.fields.cwd, place) ? "fs-wipe" : undefined
}

const truncate = (command: Command): string | undefined => {
  if (command.line.operands.some((arg) => arg.glob) || command.fields.wrappers.at(-1) === "xargs") return "fs-wipe"
  return command.line.values("-s", "--size").some((arg) => isHuge(arg.guess)) ? "resource" : undefined
}

/** Fifty gigabytes or more. */
export const isHuge = (size: string): boolean => {
  const match = /^[+<>%/-]?(\d+)\s*([KMGTPE])?i?B?$/i.exec(size)
  if (match === null) return false
  const unit = { K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 }[(match[2] ?? "").toUpperCase()] ?? 1
  return Number(match[1]) * unit >= 5e10
}

export const deletes = checks({
  "rm grm srm unlink": remove,
  // These take folders without being told to.
  "rimraf del-cli del": (command, place) => (wipesTree(command.line.operands, command, place) ? "fs-wipe" : undefined),
  "shred wipe scrub bleachbit secure-delete sfill sswap": (command, place) => {
    const targets = command.line.operands
    return targets.length > 0 && targets.every((arg) => isExpendable(arg, command.fields.cwd, place))
      ? undefined
      : "fs-wipe"
  },
  "find gfind": find,
  "mv gmv": move,
  rsync,
  truncate,
  fallocate: (command) =>
    command.line.values("-l", "--length").some((arg) => isHuge(arg.guess)) ? "resource" : undefined,
  "gio kioclient kioclient5 gvfs-trash": (command) =>
    command.line.verb() === "trash" && command.line.has("--empty") ? "fs-wipe" : undefined,
  "trash-empty empty-trash": () => "fs-wipe",
  "tar gtar bsdtar": (command) => (command.line.has("--remove-files") ? "fs-wipe" : undefined),
  "restic borg duplicity rsnapshot": (command) =>
    /^(forget|prune|delete|rewrite|recreate|purge)$/.test(command.line.verb()) && !command.line.has("-n", "--dry-run")
      ? "fs-wipe"
      : undefined
})
