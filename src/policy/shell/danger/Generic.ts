import type { Command } from "../Command.ts"
import { isDownloader } from "../Downloads.ts"
import { fileUse } from "../programs/Files.ts"
import { names } from "../programs/Rows.ts"
import { databases, languages, shells } from "../programs/Languages.ts"

/** Command-line clients that no table knows: their subcommands say what they do (policy §3.1, publish-deploy). */

const acts = "delete|destroy|purge|wipe|terminate|decommission|deprovision|nuke|obliterate|unpublish|drop"
const verb = new RegExp(`^((${acts})([-:]\\w[\\w-]*)?|[\\w-]+[-:](delete|destroy|purge|drop)|rdelete)$`, "i")
/** What comes after a verb that only looks is a name. */
const looks =
  /^(list|ls|get|show|describe|status|view|search|help|info|explain|check|run|test|logs?|add|create|set|new|start)$/i

/** Here such words are names, patterns or scripts of the project, or the tables say all there is to say. */
const speaksOfItself = names(`
  echo printf test [ expr seq read set unset trap cd mkdir touch rm ls export alias man info which type command tldr
  git gh glab hg svn jj npm pnpm yarn bun npx make gmake just task rake rails invoke nox tox nx turbo lerna
  pip pipx uv poetry cargo go gem bundle conda mamba brew apt apt-get dnf yum
  docker podman docker-compose kubectl oc systemctl terraform tofu aws az gcloud helm redis-cli
  ssh sudo xargs find fd rg ag tmux screen open say espeak figlet cowsay
  jest vitest pytest mocha cypress playwright code idea claude codex
`)

export const destroysByName = (command: Command): string | undefined => {
  const { line, program } = command
  if (program === "" || command.fields.name?.guess.includes("/") === true || speaksOfItself.has(program)) {
    return undefined
  }
  if (
    shells.has(program) ||
    languages.has(program) ||
    databases.has(program) ||
    fileUse(program) !== undefined ||
    isDownloader(command)
  ) {
    return undefined
  }
  if (line.has("--dry-run", "--dryrun", "--what-if", "--help")) return undefined
  const words = line.operands.slice(0, 3).map((arg) => arg.guess)
  const end = words.findIndex((word) => looks.test(word))
  return (end < 0 ? words : words.slice(0, end)).some((word) => verb.test(word)) ? "publish-deploy" : undefined
}
