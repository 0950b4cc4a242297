import type { ActionContext } from "../../decision/CallAction.ts"
import type { Command } from "../Command.ts"
import { environmentNames, isTampering } from "../programs/Environment.ts"
import { names } from "../programs/Rows.ts"
import { usesOf } from "../Touched.ts"
import type { Arg } from "../Words.ts"
import { pathOf, readCategory, writeCategory } from "./Places.ts"

const setters = /^(read|mapfile|readarray|getopts|printf)$/

/** Variables that change which code runs, as assignments or through `export`, `env` and the like. */
export const variables = (command: Command): string | undefined => {
  const { assignments, name } = command.fields
  const isRead = /^(read|mapfile|readarray)$/.test(command.program)
  if (assignments.some((each) => isTampering(each.name, each.value.guess) && !(each.name === "IFS" && isRead))) {
    return "tamper"
  }
  if (
    setters.test(command.program) &&
    command.args.some((arg) => environmentNames.has(arg.guess) && arg.guess !== "IFS")
  ) {
    return "tamper"
  }
  if (name === undefined || !/^(export|declare|typeset|readonly|setenv|launchctl|systemctl)$/.test(command.program)) {
    return undefined
  }
  const set = command.program === "setenv"
    ? [`${command.args[0]?.guess}=${command.args[1]?.guess ?? ""}`]
    : command.args.map((arg) => arg.guess)
  return set.some((text) => {
      const equals = text.indexOf("=")
      return equals > 0 && isTampering(text.slice(0, equals).replace(/\+$/, ""), text.slice(equals + 1))
    })
    ? "tamper"
    : undefined
}

/** An alias that takes the name of a program people rely on. */
const relied = names(`
  ls cd cat rm cp mv git sudo su ssh scp curl wget npm npx node python python3 pip docker kubectl make grep ps
  kill echo
  bash sh source exit which type command chmod chown gpg pass env history vi vim nano less more man apt brew cargo go
  find sed awk
`)
export const aliases = (command: Command): string | undefined =>
  command.program === "alias" &&
    command.args.some((arg) => {
      const [name, value = ""] = arg.guess.split(/=(.*)/s)
      return arg.guess.includes("=") && relied.has(name!) && value.split(/\s+/)[0] !== name
    })
    ? "tamper"
    : undefined

const quietWriters = /^(mkdir|chmod|chown|chgrp|setfacl|chattr|rm|unlink|srm|shred|rmdir)$/
const listing = /^(ls|stat|file|test|\[|du|find|touch|mkdir|ln|git)$/

/** Every file that the arguments and redirects name. */
export const files = (command: Command, place: ActionContext): ReadonlyArray<string> => {
  const { cwd, reads, where, writes } = command.fields
  if (where === "contained") return []
  const found: Array<string | undefined> = []
  const write = (arg: Arg) => found.push(writeCategory(pathOf(arg, cwd), place))
  const read = (arg: Arg) => found.push(readCategory(pathOf(arg, cwd), place))
  writes.forEach(write)
  reads.forEach(read)
  for (const use of usesOf(command)) {
    if (use.kind === "read") {
      if (!listing.test(command.program) && !(isEncrypted(command) && /\.(pem|crt|cer)$/.test(use.arg.guess))) {
        read(use.arg)
      }
    } else if (command.program === "ssh-keygen") {
      if (readCategory(pathOf(use.arg, cwd), place) !== undefined && !command.line.has("-l", "-R", "-F", "-B")) {
        found.push("credentials")
      }
    } else if (!quietWriters.test(command.program)) write(use.arg)
    else if (
      command.program === "mkdir" &&
      /^(system-write|kernel)$/.test(writeCategory(pathOf(use.arg, cwd), place) ?? "")
    ) {
      found.push("system-write")
    }
  }
  return found.filter((category) => category !== undefined)
}

const isEncrypted = (command: Command): boolean =>
  command.program === "openssl" && /^(x509|verify|crl|s_client)$/.test(command.line.verb())
