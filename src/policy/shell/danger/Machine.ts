import type { ActionContext } from "../../decision/CallAction.ts"
import type { Command } from "../Command.ts"
import { isExpendable, isInside, resolve } from "../Paths.ts"
import { HOLE } from "../Words.ts"
import { checks } from "./Check.ts"
import { isHuge } from "./Deletes.ts"
import { readCategory, writeCategory } from "./Places.ts"

/** Permissions, processes and resources of the machine, where options and values decide (policy §3.1). */

const setsIdentity = (mode: string): boolean =>
  (/^[2-7][0-7]{3}$/.test(mode) && mode[0] !== "1") ||
  /^0[2-7][0-7]{3}$/.test(mode) ||
  /(^|,)[ugoa]*[+=][rwxXt]*s/.test(mode)
const opensToAll = (mode: string): boolean =>
  /^[01]?[0-7]{2}[2367]$/.test(mode) || /(^|,)([ugo]*[oa][ugoa]*|)[+=][rxX]*w/.test(mode)

/** `chmod` and its kin: the first operand is the mode or the owner. */
const permissions = (command: Command, place: ActionContext): string | undefined => {
  const { line, program } = command
  const reference = line.has("--reference")
  const mode = reference ? "" : program === "chmod" ? modeOf(command) : ""
  const targets = reference || (mode !== "" && mode.startsWith("-")) ? line.operands : line.operands.slice(1)
  const cwd = command.fields.cwd
  if (program === "chmod" && setsIdentity(mode)) return "perms"
  if (line.has("-R", "--recursive")) {
    return targets.length > 0 && targets.every((arg) => isExpendable(arg, cwd, place)) ? undefined : "perms"
  }
  if (program === "chmod" && opensToAll(mode) && !targets.every((arg) => isExpendable(arg, cwd, place))) return "perms"
  const outside = targets
    .map((arg) => resolve(arg.guess, cwd))
    .filter((path) => path !== undefined && !isInside(path, place))
  const tightens = program === "chmod" && /^0?[4-7]00$|^([ugo]*[go][ugo]*[-=][rwxX]*|u[+=][rwxX]+)(,|$)/.test(mode)
  if (tightens && outside.every((path) => writeCategory(path, place) !== "system-write")) return undefined
  return outside.some(
      (path) =>
        /^\/(?!tmp\/|home\/|var\/tmp\/|Users\/|\0)/.test(path!) ||
        writeCategory(path, place) !== undefined ||
        readCategory(path, place) !== undefined
    )
    ? "perms"
    : undefined
}

/** `chmod -w x` spells its mode like an option. */
const modeOf = (command: Command): string => {
  const dashed = command.args.find((arg) => /^-[rwxXst]+$/.test(arg.guess))
  return dashed?.guess ?? command.line.operands[0]?.guess ?? ""
}

const kill = (command: Command): string | undefined => {
  const signals = /^-(\d+|[A-Z]+\d*|s|n|l|L|q|-\w+)$/
  const words = command.args.map((arg) => arg.guess)
  if (/^(-l|-L|--list|--table)$/.test(words[0] ?? "")) return undefined
  const pids = words.filter(
    (word, at) =>
      word !== "--" &&
      ((at > 0 && words[at - 1] === "--") || !signals.test(word) || (word === "-1" && at > 0)) &&
      !/^-[sn]$/.test(words[at - 1] ?? "")
  )
  if (pids.some((pid) => pid === "-1" || pid === "1")) return "power-service"
  const finders = [
    ...command.args.flatMap((arg) => arg.inner),
    ...(command.fields.wrappers.includes("xargs") ? command.fields.input.from : [])
  ]
  return finders.some((each) => (/^(pgrep|pidof)$/.test(each.program) && !isNarrow(each)) || each.program === "ps")
    ? "power-service"
    : undefined
}

/** `-f` with a pattern that can only mean one program of the project. */
const isNarrow = (command: Command): boolean => {
  if (!command.line.has("-f", "--full")) return false
  const pattern = command.line.operands[0]?.guess ?? ""
  return (
    pattern.length >= 5 &&
    !pattern.includes(HOLE) &&
    /[\w.-]+[\s/:=]+[\w./-]+|[\w]+-[\w-]{2,}|\w+\.(js|ts|mjs|cjs|py|rb|sh|jar|php|go)\b/.test(pattern)
  )
}

const pkill = (command: Command): string | undefined => {
  return command.line.has("-0") || (isNarrow(command) && !command.line.has("-u", "-U", "--euid", "--uid"))
    ? undefined
    : "power-service"
}

const dd = (command: Command): string | undefined => {
  const value = (name: string) =>
    command.args.find((arg) => arg.guess.startsWith(`${name}=`))?.guess.slice(name.length + 1)
  const from = value("if")
  const to = value("of")
  if (
    to === undefined || to === "/dev/null" || from === undefined || !/^\/dev\/(zero|urandom|random|full)$/.test(from)
  ) {
    return undefined
  }
  const count = value("count")
  if (count === undefined) return "resource"
  const unit = /^(\d+)([a-z])?/i.exec(value("bs") ?? "512")
  const scale = { k: 1e3, m: 1e6, g: 1e9, t: 1e12 }[(unit?.[2] ?? "").toLowerCase()] ?? 1
  return Number(unit?.[1] ?? 512) * scale * (parseInt(count) || 1) >= 5e10 ? "resource" : undefined
}

/** An endless source goes into a file. */
const pours = (command: Command): string | undefined => {
  const { reads, writes } = command.fields
  const sources = [...command.args.map((arg) => arg.guess), ...reads.map((arg) => arg.guess)]
  const endless = command.program === "yes" ||
    (sources.some((path) => /^\/dev\/(zero|urandom|random)$/.test(path)) && !/^(head|dd)$/.test(command.program))
  if (endless && writes.some((arg) => !/^\/dev\//.test(arg.guess))) return "resource"
  return command.program === "head" && command.line.values("-c", "--bytes").some((arg) => isHuge(arg.guess))
    ? "resource"
    : undefined
}

export const machine = checks({
  "chmod chown chgrp": permissions,
  "install ginstall": (command) =>
    command.line.values("-m", "--mode").some((arg) => setsIdentity(arg.guess)) ? "perms" : undefined,
  "mkdir mknod": (command) =>
    command.line.values("-m", "--mode").some((arg) => setsIdentity(arg.guess)) ? "perms" : undefined,
  kill,
  pkill: pkill,
  dd,
  "cat yes head tail openssl pv": pours,
  "stress stress-ng sysbench memtester": () => "resource"
})
