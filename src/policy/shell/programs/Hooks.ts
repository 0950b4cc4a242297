import type { Command } from "../Command.ts"
import { fileUse } from "./Files.ts"
import { languages, shells } from "./Languages.ts"

/** One fixed local program that is made to be evaluated. */
const hooks = new Map<string, RegExp>([
  ...[
    "pyenv",
    "rbenv",
    "nodenv",
    "goenv",
    "jenv",
    "tfenv",
    "plenv",
    "phpenv",
    "swiftenv",
    "starship",
    "zoxide",
    "atuin",
    "mcfly"
  ].map((program) => [program, /^(init|virtualenv-init)/] as const),
  ...["dircolors", "lesspipe", "lesspipe.sh", "resize", "locale", "getopt", "register-python-argcomplete"].map(
    (program) => [program, /^/] as const
  ),
  ["ssh-agent", /^(-[skca]\b|$)/],
  ["direnv", /^(hook|export)/],
  ["brew", /^shellenv/],
  ["fnm", /^env/],
  ["mise", /^(activate|env|hook-env)/],
  ["rtx", /^activate/],
  ["vfox", /^activate/],
  ["proto", /^activate/],
  ["asdf", /^exec/],
  ["opam", /^(config )?env/],
  ["conda", /^shell\./],
  ["mamba", /^shell/],
  ["micromamba", /^shell/],
  ["tset", /^-s/],
  ["thefuck", /^--alias/],
  ["luarocks", /^path/],
  ["docker-machine", /^env/],
  ["minikube", /^(docker|podman)-env/],
  ["hub", /^alias/],
  ["poetry", /^env activate/],
  ["keychain", /^--eval/],
  ["devbox", /^(global )?shellenv/],
  ["nix", /^print-dev-env/],
  ["fzf", /^--(bash|zsh)/],
  ["just", /^--completions/],
  ["sheldon", /^source/],
  ["perl", /-Mlocal::lib/]
])

/** `eval "$(direnv hook bash)"`, `source <(kubectl completion bash)`. */
export const isHook = (commands: ReadonlyArray<Command>): boolean => {
  const [first] = commands
  if (commands.length !== 1 || first === undefined || first.opaque || first.fields.writes.length > 0) return false
  const path = first.fields.name?.guess ?? ""
  if (/^\.|^\/tmp\/|^\/var\/tmp\/|^\/dev\/shm\//.test(path)) return false
  const words = first.args.map((arg) => arg.guess).join(" ")
  return hooks.get(first.program)?.test(words) === true || (!path.includes("/") && completes(first, words))
}

const completion = /^(?!.*https?:)([\w-]+ )*completions?( -s)?( (bash|zsh|fish))?$|^--?(bash|zsh)-completion/

const completes = (command: Command, words: string): boolean =>
  completion.test(words) &&
  fileUse(command.program) === undefined &&
  !shells.has(command.program) &&
  !languages.has(command.program)
