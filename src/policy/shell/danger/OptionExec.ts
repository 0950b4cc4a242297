import type { Command } from "../Command.ts"
import { HOLE } from "../Words.ts"
import type { Rule } from "./Rules.ts"
import { rules } from "./Rules.ts"
import { checks } from "./Check.ts"

/** Options and settings that make a harmless program run something else (policy §3.1). */

export const optionRules: ReadonlyArray<Rule> = rules(
  "option-exec",
  `
    rg                  with --pre --hostname-bin
    sort                with --compress-program
    man                 with -P --pager -H --html
    tar,gtar,bsdtar     with --to-command --checkpoint-action --rsh-command --rmt-command -F --info-script
      --new-volume-script
    zip                 with -TT --unzip-command
    rsync               with --rsync-path
    scp,sftp            with -S -D
    gdb                 with -ex=*shell* -ex=!* -ex=*python* -ex=*system* -ex=*call* --eval-command=*shell*
      -ex=*pipe* -ex=*source* -iex=*shell* -ix -x=/tmp*
    lldb                with -o=*script* -o=*platform* --one-line=*script* -o=*shell* -s
    strace,ltrace       with -o=|*
    make,gmake          with --eval -E
    tcpdump             with -z
    wget                with --use-askpass -e=*use_askpass* --execute=*use_askpass*
    curl                with -K=http* --config=http*
    pdflatex,xelatex,lualatex,latex,latexmk,pdftex,tex with --shell-escape -shell-escape --enable-write18
      -enable-write18
    openssl             with -engine -provider -provider-path
    nmap                with --script=/* --script=./* --script=http* --interactive
    docker,podman       with --entrypoint=/host*
    apt,apt-get         with -o=*Invoke* -o=*::Post* -o=*Pager* -o=*Dpkg::Options* --option=*Invoke*
    dpkg                with --pre-invoke --post-invoke --status-logger
    dpkg,rpm            with -i --install -U -F --upgrade
    yum,dnf             with --setopt=*plugin* -c --config
    java                with -agentpath:* -agentlib:* -javaagent:* -XX:OnOutOfMemoryError=* -XX:OnError=*
    go                  build,test,run,vet,install with -toolexec -exec
    cargo               with --config=*runner* --config=*wrapper* --config=*linker*
    mysql               with --pager=*
    psql                with -P=pager* --pset=pager*
    ssh-keygen,ssh-add  with -D -s
    ssh                 with -I
    pip                 install,download with --index-url=http:* -i=http:* --trusted-host --config-settings
    perl                with -d -V:*
    bash,zsh            with --rcfile --init-file
    ld-linux-x86-64.so.2,ld-linux.so.2,ld.so with --preload --library-path
    split               with --filter=*!*
    tshark,dumpcap      with -X
    vim,nvim,vi         with -u=/tmp* -S=/tmp*
    c99,c89,gcc,g++,cc,clang with -wrapper -fplugin=* -B=/tmp* -specs=/tmp*
    run-parts           operand /*
    ip                  netns exec
    dc                  with -e=!*
    m4                  with -D=*esyscmd*
    install             with --strip-program
    node,bun,tsx        with --require=/tmp* -r=/tmp* --import=/tmp* --import=http* --loader=http* --import=data:*
      --require=data:* --loader=data:*
    python              with -i=/tmp*
    ansible,ansible-playbook with --vault-password-file=/tmp*
    npm,pnpm,yarn       with --script-shell --node-options --unsafe-perm
    mutt,neomutt        with -e=*!*
    gitk                with --argscmd
    aria2c              with --on-download-* --on-bt-download-complete
    csvtool             call
    rpm,rpmquery,rpmbuild with -E --eval
    rake                with -p -e -E
    puppet              apply with -e --execute
    jrunscript,jjs      with -e
    gimp                with -b --batch
    pic                 with -U
    nmap                with --script=*.nse
    `
)

/** Settings of git whose value is a program to run, or leads to one. */
const executableKey = new RegExp(
  "^(" +
    [
      String.raw`core\.(fsmonitor|pager|editor|sshcommand|hookspath|gitproxy|askpass|attributesfile|worktree)`,
      String.raw`core\.alternaterefscommand`,
      String.raw`pager\..+|diff\.(external|.+\.(command|textconv))|merge\..+\.driver`,
      String.raw`filter\..+\.(clean|smudge|process)`,
      String.raw`(mergetool|difftool|guitool|man|browser|web|imap|trailer|tar)\..*(cmd|command|path|tunnel|browser)`,
      String.raw`credential(\..+)?\.helper|gpg(\..+)?\.(program|defaultkeycommand)|sequence\.editor`,
      String.raw`interactive\.difffilter`,
      String.raw`remote\..+\.(uploadpack|receivepack|vcs|proxy)|url\..+\.(insteadof|pushinsteadof)`,
      String.raw`protocol\.(.+\.)?allow`,
      String.raw`init\.templatedir|include\.path|includeif\..+\.path|sendemail\..*(cmd|smtpserver)`,
      String.raw`submodule\..+\.update`,
      String.raw`uploadpack\.packobjectshook|receive\.procreceiverefs|ssh\.variant|instaweb\.\w+`,
      String.raw`http\.(.+\.)?(sslverify|proxy|sslcainfo)|safe\.(directory|barerepository)`
    ].join("|") +
    ")$",
  "i"
)

/** The everyday values of such settings. */
const plainValue = /^(|cat|less( -\w+)*|true|false|always|never|auto|:|\*)$/
const relativeFolder = /^(\.husky(\/_)?|\.githooks|\.git\/hooks|git-hooks|\.hooks|hooks|scripts\/hooks|tools\/hooks)$/

const sets = (key: string, value: string): boolean => {
  if (/^alias\./i.test(key)) return value.startsWith("!") || value.includes(HOLE)
  if (/^http\..*sslverify$/i.test(key)) return /^(false|0|no|off)$/i.test(value)
  if (/^safe\.directory$/i.test(key)) return value === "*"
  if (/^core\.hookspath$/i.test(key)) return !(relativeFolder.test(value) || value === "/dev/null")
  if (!executableKey.test(key)) return false
  return !plainValue.test(value) || (/(sshcommand|helper|external)$/i.test(key) && value !== "" && value !== "cat")
}

const git = (command: Command): string | undefined => {
  const { line } = command
  for (const { guess } of line.values("-c", "--config")) {
    const equals = guess.indexOf("=")
    if (line.verb() === "commit" && equals < 0) continue
    if (sets(equals < 0 ? guess : guess.slice(0, equals), equals < 0 ? "true" : guess.slice(equals + 1))) {
      return "option-exec"
    }
  }
  if (line.verb() !== "config") return undefined
  if (
    line.has(
      "--get",
      "--get-all",
      "--get-regexp",
      "--list",
      "-l",
      "--unset",
      "--unset-all",
      "--show-origin",
      "--get-urlmatch",
      "--remove-section"
    )
  ) {
    return undefined
  }
  const words = line.operands.slice(/^(set|add)$/.test(line.verb(1)) ? 2 : 1).map((arg) => arg.guess)
  const [key, value] = words
  return key !== undefined &&
      value !== undefined &&
      key !== "get" &&
      key !== "unset" &&
      key !== "list" &&
      sets(key, value)
    ? "option-exec"
    : undefined
}

const sshOptions = new RegExp(
  "^(proxycommand|localcommand|permitlocalcommand\\s*=?\\s*yes|knownhostscommand|remotecommand|pkcs11provider" +
    "|securitykeyprovider|xauthlocation|include|proxyusefdpass|match)\\b",
  "i"
)

const ssh = (command: Command): string | undefined => {
  const values = command.line.values("-o").map((arg) => arg.guess)
  // Jumping through another host with ssh itself is not a program of someone's choice.
  return values.some((value) => sshOptions.test(value) && !/^proxycommand[= ]\s*("?ssh |none)/i.test(value)) ||
      command.line.values("-F").some((arg) => /^(\/tmp|\/dev\/shm)/.test(arg.guess))
    ? "option-exec"
    : undefined
}

const rsync = (command: Command): string | undefined =>
  command.line
      .values("-e", "--rsh")
      .some(
        (arg) =>
          !/^(ssh|\/usr\/bin\/ssh)( (-[pilo46TCxvq]\S*|[\w./~:@=-]+))*$/.test(arg.guess) ||
          /proxycommand|localcommand/i.test(arg.guess)
      )
    ? "option-exec"
    : undefined

const compressors =
  /^(g?zip|pigz|zstd(mt)?|bzip2|pbzip2|lbzip2|xz|pixz|pxz|lz4|lzma|lzip|plzip|lzop|brotli|compress)( -\S+)*$/

const tar = (command: Command): string | undefined =>
  command.line.values("-I", "--use-compress-program").some((arg) => !compressors.test(arg.guess))
    ? "option-exec"
    : undefined

const pager = (command: Command): string | undefined =>
  command.args.some((arg) => /^\+(!|\||[^+]*![^=])/.test(arg.guess)) ||
    command.line.values("--lesskey-src", "-k").length > 0
    ? "option-exec"
    : undefined

export const optionExec = checks({
  git: git,
  "ssh scp sftp mosh autossh ssh-copy-id": ssh,
  rsync,
  "tar gtar bsdtar": tar,
  "less more most": pager,
  "bash zsh sh": (command) =>
    command.line.values("--rcfile", "--init-file").some((arg) => arg.guess !== "/dev/null") ? "option-exec" : undefined
})
