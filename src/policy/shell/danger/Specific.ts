import type { Place } from "../../Part.ts"
import type { Command } from "../Command.ts"
import { isBelow, isInside, resolve } from "../Paths.ts"
import { isTampering } from "../programs/Environment.ts"
import { usesOf } from "../Touched.ts"
import type { Arg } from "../Words.ts"
import { HOLE } from "../Words.ts"
import { checks } from "./Check.ts"
import { pathOf, readCategory, writeCategory } from "./Places.ts"

/** Shapes that need more than a row in a table: git's pathspecs, container mounts, variables, and every file that is named. */

const looksLikeFile = (text: string): boolean => /^\.{0,2}\/|\.(?!\d)[a-z][a-z0-9]{0,4}$|\/$|[*?]/.test(text) && !/^(v?\d|origin\/|refs\/)/.test(text)

const git = (command: Command): string | undefined => {
  const { line } = command
  if (line.verb() === "branch") return line.has("-d", "--delete") && line.has("-f", "--force") ? "git-destructive" : undefined
  if (line.verb() !== "checkout") return undefined
  if (line.has("-b", "-B", "--orphan", "-t", "--track", "--detach", "-d", "-p", "--patch")) return undefined
  const words = command.args.map((arg) => arg.guess)
  const dashes = words.indexOf("--")
  if (dashes >= 0 && dashes < words.length - 1) return "git-destructive"
  const operands = line.operands.slice(1).map((arg) => arg.guess)
  if (line.has("--ours", "--theirs", "-m", "--merge")) return undefined
  return operands.length > 1 || operands.some(looksLikeFile) ? "git-destructive" : undefined
}

const sensitiveMount = (source: string, cwd: string | null, place: Place): boolean => {
  if (source.startsWith(HOLE)) return false
  const path = resolve(source, cwd)
  if (path === undefined || !/^[./~]/.test(source)) return false
  if (/docker\.sock|containerd\.sock|podman\.sock|crio\.sock/.test(path)) return true
  if (isInside(path, place)) return false
  return path === "/" || path === place.home || isBelow(place.home, path) || readCategory(path, place) !== undefined || /\/\.(ssh|aws|gnupg|kube|docker|config\/gcloud)(\/|$)/.test(path) ||
    writeCategory(path, place) !== undefined || /^\/(dev|proc|sys|etc|usr|var|root|boot|lib|bin|sbin|home|opt|run|Users)$/.test(path) && path !== "/dev/null"
}

const container = (command: Command, place: Place): string | undefined => {
  const { line } = command
  const verbs = line.operands.slice(0, 2).map((arg) => arg.guess)
  const words = command.args.map((arg) => arg.guess)
  if (!verbs.some((verb) => /^(run|create|exec|rm|rmi|stop|kill|compose|up)$/.test(verb))) return undefined
  if (/^(rm|rmi|stop|kill)$/.test(verbs[0]!) || /^(rm|stop|kill|rmi)$/.test(verbs[1] ?? "") && /^(container|image)$/.test(verbs[0]!)) {
    return command.args.some((arg) => arg.inner.length > 0 || arg.guess === HOLE && command.fields.wrappers.includes("xargs")) ? "container" : undefined
  }
  if (!/^(run|create)$/.test(verbs[0]!) && !/^(run|create)$/.test(verbs[1] ?? "")) return undefined
  const hostly = line.values("--pid", "--net", "--network", "--ipc", "--uts", "--userns", "--cgroupns").some((arg) => /^(host|container:)/.test(arg.guess) && arg.guess !== "container:")
  const opened = line.values("--security-opt").some((arg) => /unconfined|disable|systempaths|no-new-privileges[=:]false/.test(arg.guess))
  if (words.includes("--privileged") || words.includes("--privileged=true") || hostly || opened || line.has("--cap-add", "--device", "--device-cgroup-rule")) return "container"
  const mounts = [
    ...line.values("-v", "--volume").map((arg) => arg.guess.replace(/:.*$/s, "")),
    ...line.values("--mount").map((arg) => /(?:^|,)(?:source|src)=([^,]+)/.exec(arg.guess)?.[1] ?? "")
  ].map((source) => source.replace(/^~(?=\/|$)/, place.home))
  return mounts.some((source) => sensitiveMount(source, command.fields.cwd, place)) ? "container" : undefined
}

const secretName = /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASS|PWD_SECRET|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?|AUTH)(_|$)|_(KEY|PAT)$/i
const secretWord = /\b(secret|token|passw(or)?d|api_?key|credential|aws_|private)/i

/** Prints a variable that by its name holds a secret. */
const prints = (command: Command): string | undefined => {
  if (command.program === "printenv") return command.line.operands.some((arg) => secretName.test(arg.guess)) ? "credentials" : undefined
  if (command.fields.writes.length > 0) return undefined
  return command.args.some((arg) => arg.guess.includes(HOLE) && [...arg.text.matchAll(/\$\{?(\w+)\}?/g)].some((match) => secretName.test(match[1]!)) && !/\$\{\w+:?[+#]/.test(arg.text) && !/\$\{#/.test(arg.text))
    ? "credentials"
    : undefined
}

/** Looks for secrets in the environment or in a history. */
const sifts = (command: Command): string | undefined =>
  command.fields.input.from.some((each) => /^(env|printenv|history|set|export|declare|fc)$/.test(each.program) && each.fields.wrappers.length === 0 && each.line.operands.length === 0) &&
    !command.line.has("-c", "-q") && command.line.operands.slice(0, 1).concat(command.line.values("-e")).some((arg) => secretWord.test(arg.guess))
    ? "credentials"
    : undefined

const shown = (command: Command, place: Place): string | undefined => {
  if (!/^(cp|mv)$/.test(command.program)) return undefined
  return command.line.operands.slice(0, -1).some((arg) => readCategory(pathOf(arg, command.fields.cwd), place) !== undefined) ? "credentials" : undefined
}

const docker = /^(docker|podman|nerdctl)$/
export const specific = checks({
  git,
  "docker podman nerdctl": container,
  "docker-compose": (command) => docker.test("docker") && command.line.verb() === "run" && command.line.has("--privileged") ? "container" : undefined,
  "echo printf printenv": prints,
  "grep egrep rg ag": sifts,
  "cp mv": shown,
  tcpdump: (command) => command.line.has("-w") ? "credentials" : undefined
})

/** Variables that change which code runs, as assignments or through `export`, `env` and the like. */
export const variables = (command: Command): string | undefined => {
  const { assignments, name } = command.fields
  const isRead = /^(read|mapfile|readarray)$/.test(command.program)
  if (assignments.some((each) => isTampering(each.name, each.value.guess) && !(each.name === "IFS" && isRead))) return "tamper"
  if (name === undefined || !/^(export|declare|typeset|readonly|setenv|launchctl|systemctl)$/.test(command.program)) return undefined
  const set = command.program === "setenv" ? [`${command.args[0]?.guess}=${command.args[1]?.guess ?? ""}`] : command.args.map((arg) => arg.guess)
  return set.some((text) => {
    const equals = text.indexOf("=")
    return equals > 0 && isTampering(text.slice(0, equals).replace(/\+$/, ""), text.slice(equals + 1))
  })
    ? "tamper"
    : undefined
}

/** An alias that takes the name of a program people rely on. */
const relied = /^(ls|cd|cat|rm|cp|mv|git|sudo|su|ssh|scp|curl|wget|npm|npx|node|python3?|pip|docker|kubectl|make|grep|ps|kill|echo|bash|sh|source|exit|which|type|command|chmod|chown|gpg|pass|env|history|vim?|nano|less|more|man|apt|brew|cargo|go|find|sed|awk)$/
export const aliases = (command: Command): string | undefined =>
  command.program === "alias" && command.args.some((arg) => {
    const [name, value = ""] = arg.guess.split(/=(.*)/s)
    return arg.guess.includes("=") && relied.test(name!) && value.split(/\s+/)[0] !== name
  })
    ? "tamper"
    : undefined

const quietWriters = /^(mkdir|chmod|chown|chgrp|setfacl|chattr|rm|unlink|srm|shred|rmdir)$/
const listing = /^(ls|stat|file|test|\[|du|find|touch|mkdir|ln)$/

/** Every file that the arguments and redirects name. */
export const files = (command: Command, place: Place): ReadonlyArray<string> => {
  const { cwd, reads, where, writes } = command.fields
  if (where === "contained") return []
  const found: Array<string | undefined> = []
  const write = (arg: Arg) => found.push(writeCategory(pathOf(arg, cwd), place))
  const read = (arg: Arg) => found.push(readCategory(pathOf(arg, cwd), place))
  writes.forEach(write)
  reads.forEach(read)
  for (const use of usesOf(command)) {
    if (use.kind === "read") {
      if (!listing.test(command.program) && !(isEncrypted(command) && /\.(pem|crt|cer)$/.test(use.arg.guess))) read(use.arg)
    } else if (command.program === "ssh-keygen") {
      if (readCategory(pathOf(use.arg, cwd), place) !== undefined && !command.line.has("-l", "-R", "-F", "-B")) found.push("credentials")
    } else if (!quietWriters.test(command.program)) write(use.arg)
    else if (command.program === "mkdir" && /^(system-write|kernel)$/.test(writeCategory(pathOf(use.arg, cwd), place) ?? "")) found.push("system-write")
  }
  return found.filter((category) => category !== undefined)
}

const isEncrypted = (command: Command): boolean => command.program === "openssl" && /^(x509|verify|crl|s_client)$/.test(command.line.verb())
