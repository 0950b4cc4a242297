import type { ActionContext } from "../../decision/CallAction.ts"
import type { Command } from "../Command.ts"
import { isBelow, isInside, resolve } from "../Paths.ts"
import { HOLE } from "../Words.ts"
import { checks } from "./Check.ts"
import { pathOf, readCategory, writeCategory } from "./Places.ts"

/** Shapes that need more than a row in a table: git's pathspecs, container mounts, printed secrets. */

const looksLikeFile = (text: string): boolean =>
  /^\.{0,2}\/|\.(?!\d)[a-z][a-z0-9]{0,4}$|\/$|[*?]/.test(text) && !/^(v?\d|origin\/|refs\/)/.test(text)

const git = (command: Command): string | undefined => {
  const { line } = command
  if (line.verb() === "branch") {
    return line.has("-d", "--delete") && line.has("-f", "--force") ? "git-destructive" : undefined
  }
  if (line.verb() !== "checkout") return undefined
  if (line.has("-b", "-B", "--orphan", "-t", "--track", "--detach", "-d", "-p", "--patch")) return undefined
  const words = command.args.map((arg) => arg.guess)
  const dashes = words.indexOf("--")
  if (dashes >= 0 && dashes < words.length - 1) return "git-destructive"
  const operands = line.operands.slice(1).map((arg) => arg.guess)
  if (line.has("--ours", "--theirs", "-m", "--merge")) return undefined
  return operands.length > 1 || operands.some(looksLikeFile) ? "git-destructive" : undefined
}

const sensitiveMount = (source: string, cwd: string | null, place: ActionContext): boolean => {
  if (source.startsWith(HOLE)) return false
  const path = resolve(source, cwd)
  if (path === undefined || !/^[./~]/.test(source)) return false
  if (/docker\.sock|containerd\.sock|podman\.sock|crio\.sock/.test(path)) return true
  if (isInside(path, place)) return false
  return (
    path === "/" ||
    path === place.home ||
    isBelow(place.home, path) ||
    readCategory(path, place) !== undefined ||
    /\/\.(ssh|aws|gnupg|kube|docker|config\/gcloud)(\/|$)/.test(path) ||
    writeCategory(path, place) !== undefined ||
    (/^\/(dev|proc|sys|etc|usr|var|root|boot|lib|bin|sbin|home|opt|run|Users)$/.test(path) && path !== "/dev/null")
  )
}

const container = (command: Command, place: ActionContext): string | undefined => {
  const { line } = command
  const verbs = line.operands.slice(0, 2).map((arg) => arg.guess)
  const words = command.args.map((arg) => arg.guess)
  if (!verbs.some((verb) => /^(run|create|exec|rm|rmi|stop|kill|compose|up)$/.test(verb))) return undefined
  if (
    /^(rm|rmi|stop|kill)$/.test(verbs[0]!) ||
    (/^(rm|stop|kill|rmi)$/.test(verbs[1] ?? "") && /^(container|image)$/.test(verbs[0]!))
  ) {
    return command.args.some(
        (arg) => arg.inner.length > 0 || (arg.guess === HOLE && command.fields.wrappers.includes("xargs"))
      )
      ? "container"
      : undefined
  }
  if (!/^(run|create)$/.test(verbs[0]!) && !/^(run|create)$/.test(verbs[1] ?? "")) return undefined
  const hostly = line
    .values("--pid", "--net", "--network", "--ipc", "--uts", "--userns", "--cgroupns")
    .some((arg) => /^(host|container:)/.test(arg.guess) && arg.guess !== "container:")
  const opened = line
    .values("--security-opt")
    .some((arg) => /unconfined|disable|systempaths|no-new-privileges[=:]false/.test(arg.guess))
  if (
    words.includes("--privileged") ||
    words.includes("--privileged=true") ||
    hostly ||
    opened ||
    line.has("--cap-add", "--device", "--device-cgroup-rule")
  ) {
    return "container"
  }
  const mounts = [
    ...line.values("-v", "--volume").map((arg) => arg.guess.replace(/:.*$/s, "")),
    ...line.values("--mount").map((arg) => /(?:^|,)(?:source|src)=([^,]+)/.exec(arg.guess)?.[1] ?? "")
  ].map((source) => source.replace(/^~(?=\/|$)/, place.home))
  return mounts.some((source) => sensitiveMount(source, command.fields.cwd, place)) ? "container" : undefined
}

const secretName =
  /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASS|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?|AUTH)(_|$)|_(KEY|PAT)$/i
const secretWord = /\b(secret|token|passw(or)?d|api_?key|credential|aws_|private)/i

/** Prints a variable that by its name holds a secret. */
const prints = (command: Command): string | undefined => {
  if (command.program === "printenv") {
    return command.line.operands.some((arg) => secretName.test(arg.guess)) ? "credentials" : undefined
  }
  if (command.fields.writes.length > 0) return undefined
  return command.args.some(
      (arg) =>
        arg.guess.includes(HOLE) &&
        [...arg.text.matchAll(/\$\{?(\w+)\}?/g)].some((match) => secretName.test(match[1]!)) &&
        !/\$\{\w+:?[+#]/.test(arg.text) &&
        !/\$\{#/.test(arg.text)
    )
    ? "credentials"
    : undefined
}

/** Looks for secrets in the environment or in a history. */
const sifts = (command: Command): string | undefined =>
  command.fields.input.from.some(
      (each) =>
        /^(env|printenv|history|set|export|declare|fc)$/.test(each.program) &&
        each.fields.wrappers.length === 0 &&
        each.line.operands.length === 0
    ) &&
    !command.line.has("-c", "-q") &&
    command.line.operands
      .slice(0, 1)
      .concat(command.line.values("-e"))
      .some((arg) => secretWord.test(arg.guess))
    ? "credentials"
    : undefined

const shown = (command: Command, place: ActionContext): string | undefined => {
  if (!/^(cp|mv)$/.test(command.program)) return undefined
  return command.line.operands
      .slice(0, -1)
      .some((arg) => readCategory(pathOf(arg, command.fields.cwd), place) !== undefined)
    ? "credentials"
    : undefined
}

export const specific = checks({
  git,
  "docker podman nerdctl": container,
  "echo printf printenv": prints,
  "grep egrep rg ag": sifts,
  "cp mv": shown,
  tcpdump: (command) => (command.line.has("-w") ? "credentials" : undefined)
})
