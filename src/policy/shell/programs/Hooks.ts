import type { Command } from "../Command.ts"

/** One fixed local program that is made to be evaluated. */
const hooks: Readonly<Record<string, RegExp>> = {
  "ssh-agent": /^(-[skca]\b|$)/, direnv: /^(hook|export)/, brew: /^shellenv/, pyenv: /^(init|virtualenv-init)/, rbenv: /^init/, nodenv: /^init/, goenv: /^init/, jenv: /^init/, tfenv: /^init/,
  plenv: /^init/, phpenv: /^init/, swiftenv: /^init/, fnm: /^(env|completions)/, nvm: /^$/, mise: /^(activate|env|hook-env)/, rtx: /^activate/, asdf: /^(exec|shell)/, starship: /^init/, zoxide: /^init/,
  atuin: /^init/, mcfly: /^init/, opam: /^(env|config env)/, conda: /^shell\./, mamba: /^shell/, micromamba: /^shell/, dircolors: /^/, lesspipe: /^/, "lesspipe.sh": /^/, resize: /^/, tset: /^-s/,
  thefuck: /^--alias/, luarocks: /^path/, "docker-machine": /^env/, minikube: /^(docker-env|podman-env|completion)/, hub: /^alias/, poetry: /^(env activate|completions)/, pipenv: /^--venv/,
  "register-python-argcomplete": /^/, keychain: /^--eval/, gpgconf: /^--/, devbox: /^(shellenv|global shellenv)/, nix: /^print-dev-env/, vfox: /^activate/, proto: /^activate/, volta: /^/,
  fzf: /^--(bash|zsh)/, just: /^--completions/, rustup: /^completions/, hyprctl: /^$/, locale: /^/, getopt: /^/, "perl": /-Mlocal::lib/, xmodmap: /^$/, sheldon: /^source/
}

/** `eval "$(direnv hook bash)"`, `source <(kubectl completion bash)`. */
export const isHook = (commands: ReadonlyArray<Command>): boolean => {
  const [first] = commands
  if (commands.length !== 1 || first === undefined || first.opaque || first.fields.writes.length > 0) return false
  const words = first.args.map((arg) => arg.guess).join(" ")
  return hooks[first.program]?.test(words) === true || /^(?!.*https?:)(.* )?completions?( -s)?( (bash|zsh|fish))?$/.test(words) || /^--?(bash|zsh)-completion/.test(words)
}
