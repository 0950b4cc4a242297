import type { Command } from "./Command.ts"
import type { Rule } from "./danger/Rules.ts"
import { indexed, matches, rules } from "./danger/Rules.ts"
import { isLoopback } from "./Paths.ts"

/** Programs that can do nothing without a network (policy §1.5); the category is what the person is told. */
const table: ReadonlyMap<string, ReadonlyArray<Rule>> = indexed(
  rules(
    "",
    `
  curl,wget,wget2,aria2c,axel,http,https,xh,ssh,scp,sftp,mosh,nc,ncat,netcat,telnet,ftp,lftp,tftp,ping,dig,nslookup,
    host,whois,traceroute,mtr,lynx,w3m,yt-dlp,websocat,wscat,autossh,ssh-copy-id,ssh-keyscan
  git         fetch,pull,push,clone,ls-remote,send-email unless --dry-run
  git         submodule update,add
  git         remote update,show,prune
  git         lfs pull,push,fetch
  hg,svn      clone,pull,push,checkout,update,commit,co,up
  npm,pnpm,yarn,bun install,i,ci,add,update,up,upgrade,publish,view,info,audit,outdated,login,search,dlx,create,
    exec-remote,unpublish,whoami,dedupe unless --offline
  yarn        bare
  pnpx,bunx
  pip,pipx    install,download,search,index unless --no-index
  python      install,download with -m=pip
  uv          sync,add,lock,publish,tool unless --offline
  uv          pip install,sync
  poetry,pdm,rye,hatch install,add,update,lock,publish,self
  pipenv      install,sync,update,lock
  conda,mamba install,create,update,search
  cargo       install,fetch,update,publish,search,add,yank,login,owner unless --offline
  go          get
  go          mod,install operand *@* download tidy
  gem         install,update,push,search
  bundle      install,update,add,outdated unless --local
  composer    install,update,require,create-project
  dotnet,nuget restore,push,add
  mix         deps.get,deps.update,hex.publish
  apt,apt-get,aptitude,dnf,yum,zypper,pacman,apk,brew,snap,flatpak,port install,update,upgrade,add,fetch,search,
    refresh,full-upgrade,dist-upgrade,tap,-S,-Sy,-Syu
  docker,podman,nerdctl pull,push,login,search
  docker,podman compose pull,push
  helm        repo,pull,push,search update,add,hub,repo
  gh,glab,aws,gcloud,gsutil,az,doctl,heroku,fly,flyctl,vercel,netlify,firebase,wrangler,kubectl,oc,eksctl,argocd,
    flux,pulumi unless version config completion
  terraform,tofu init,apply,destroy,refresh,import
  twine       upload
  rclone      copy,sync,ls,lsd,move
  playwright,cypress,puppeteer install
  rustup      update,install,toolchain,target
  nvm,fnm,volta,mise,asdf install
  `
  )
)

export const networkProgramsOf = (commands: ReadonlyArray<Command>): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const command of commands) {
    const name = networked(command)
    if (name !== undefined) found.add(name)
  }
  return [...found]
}

const networked = (command: Command): string | undefined => {
  const { line, program } = command
  if (program === "rsync") {
    return line.operands.some((arg) => /^([^/\s]+@)?[\w.-]+::?|^rsync:\/\//.test(arg.guess)) ? program : undefined
  }
  const rule = table.get(program)?.find((each) => matches(each, command))
  if (rule === undefined || /^(--help|--version|-V|-h)$/.test(command.args[0]?.guess ?? "")) return undefined
  if (line.operands.length > 0 && rule.verbs.length === 0 && line.operands.some((arg) => isLoopback(arg.guess))) {
    return undefined
  }
  return rule.verbs.length === 0 ? program : `${program} ${line.verb()}`
}
