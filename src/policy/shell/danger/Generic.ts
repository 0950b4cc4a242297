import type { Command } from "../Command.ts"
import { isDownloader } from "../Downloads.ts"
import { fileUse } from "../programs/Files.ts"
import { databases, languages, shells } from "../programs/Languages.ts"

/** Command-line clients that no table knows: their subcommands say what they do (policy §3.1, publish-deploy). */

const verb = /^((delete|destroy|purge|wipe|terminate|decommission|deprovision|nuke|obliterate|unpublish|drop)([-:]\w[\w-]*)?|[\w-]+[-:](delete|destroy|purge|drop)|rdelete)$/i

/** Here such words are names, patterns or scripts of the project, or the tables say all there is to say. */
const speaksOfItself = new Set(
  ("echo printf test [ git gh glab hg svn jj npm pnpm yarn bun npx make gmake just task rake rails invoke nox tox pip pipx uv poetry cargo go gem bundle conda mamba brew apt apt-get dnf yum " +
    "docker podman docker-compose kubectl oc systemctl terraform tofu aws az gcloud helm ssh sudo xargs find fd rg ag ls man info which type command tmux screen tldr export alias " +
    "redis-cli jest vitest pytest mocha cypress playwright code idea open say espeak figlet cowsay expr seq read set unset trap cd mkdir touch rm nx turbo lerna claude codex").split(" ")
)

export const destroysByName = (command: Command): string | undefined => {
  const { line, program } = command
  if (program === "" || command.fields.name?.guess.includes("/") === true || speaksOfItself.has(program)) return undefined
  if (shells.has(program) || languages.has(program) || databases.has(program) || fileUse(program) !== undefined || isDownloader(command)) return undefined
  if (line.has("--dry-run", "--dryrun", "--what-if", "--help")) return undefined
  const words = line.operands.slice(0, 3).map((arg) => arg.guess)
  // What comes after a verb that only looks is a name.
  const end = words.findIndex((word) => /^(list|ls|get|show|describe|status|view|search|help|info|explain|check|run|test|log|logs|add|create|set|new|start)$/i.test(word))
  return (end < 0 ? words : words.slice(0, end)).some((word) => verb.test(word)) ? "publish-deploy" : undefined
}
